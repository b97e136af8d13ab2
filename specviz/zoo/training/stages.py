"""The training loop: a stage, a loss, a progress bar, and checkpoints from which it resumes."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from specviz.errors import SpecvizError
from specviz.zoo.training.batches import Batches
from specviz.zoo.training.optimizer import Optimizers
from specviz.zoo.training.schedule import Stage

CHECKPOINT_EVERY = 120.0  # seconds
MEAN_OF = 50  # steps whose losses are one number of the outcome


@dataclass
class Outcome:
    """What a finished stage did."""

    name: str
    steps: int
    tokens: int
    seconds: float
    losses: list[tuple[int, float]]  # (tokens seen, training loss averaged since the last entry)

    @property
    def finished(self) -> bool:
        return bool(self.steps)


def clock_of(device: torch.device) -> Callable[[], float]:
    """What a stage's minutes are counted by: on a CPU not what others took of the processor."""
    return time.monotonic if device.type == "cuda" else time.thread_time


def run_stage(
    stage: Stage,
    model: torch.nn.Module,
    loss: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    batches: Batches,
    checkpoint: Path,
    device: torch.device,
) -> Outcome:
    """Train ``model`` in place for ``stage.minutes``, resuming from ``checkpoint`` (.pt) when it is there.

    ``loss(inputs, targets)`` returns the scalar to minimise. Minutes are those of the processor on a CPU, so a training
    at low priority learns as much as one alone; time spent before an interruption counts. Raises SpecvizError when the
    checkpoint belongs to another budget.
    """
    training = _Training(stage, model, Optimizers(model), Outcome(stage.name, 0, 0, 0.0, []), checkpoint)
    if training.resume(device):
        return training.outcome
    outcome = training.outcome
    clock = clock_of(device)
    budget, before, started, saved_at = stage.minutes * 60, outcome.seconds, clock(), clock()
    with _Report(stage.name, budget, before) as report:
        while outcome.seconds < budget:
            share = outcome.seconds / budget
            length = stage.length(share)
            inputs, targets = batches.draw(outcome.steps, stage.batch_tokens // length, length)
            value = loss(inputs.to(device), targets.to(device))
            value.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            training.optimizers.step(stage.rate(share, outcome.steps))
            outcome.steps += 1
            outcome.tokens += inputs.numel()
            outcome.seconds = before + clock() - started
            report.note(value.item(), outcome)
            if clock() - saved_at > CHECKPOINT_EVERY:
                training.save(done=False)
                saved_at = clock()
    training.save(done=True)
    return outcome


@dataclass
class _Training:
    """A stage on its way, and its file."""

    stage: Stage
    model: torch.nn.Module
    optimizers: Optimizers
    outcome: Outcome
    checkpoint: Path

    def resume(self, device: torch.device) -> bool:
        """Go on from the checkpoint, where there is one; whether the stage is done already. Raises SpecvizError when
        the checkpoint belongs to another budget."""
        if not self.checkpoint.exists():
            return False
        saved = torch.load(self.checkpoint, map_location=device, weights_only=False)
        if saved["minutes"] != self.stage.minutes:
            raise SpecvizError(
                f"{self.checkpoint} belongs to a stage of {saved['minutes']:.3g} minutes, not of "
                f"{self.stage.minutes:.3g}: give the same --minutes, or another --work folder to begin anew",
                argument="minutes",
            )
        self.model.load_state_dict(saved["model"])
        self.outcome = saved["outcome"]
        if not saved["done"]:
            self.optimizers.load_state_dict(saved["optimizers"])
        return saved["done"]

    def save(self, *, done: bool) -> None:
        """Write the checkpoint: whole or not at all."""
        state = {"model": self.model.state_dict(), "outcome": self.outcome, "done": done, "minutes": self.stage.minutes}
        if not done:
            state["optimizers"] = self.optimizers.state_dict()
        torch.save(state, self.checkpoint.with_suffix(".partial"))
        self.checkpoint.with_suffix(".partial").replace(self.checkpoint)


class _Report:
    """The progress bar of a stage, and the losses that its outcome keeps: the mean of every MEAN_OF steps."""

    def __init__(self, name: str, budget: float, completed: float):
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[status]}"),
            TimeRemainingColumn(),
        )
        self._name, self._recent = name, []
        self._progress = Progress(*columns, refresh_per_second=1)
        self._bar = self._progress.add_task(name, total=budget, completed=int(completed), status="")

    def __enter__(self) -> "_Report":
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def note(self, loss: float, outcome: Outcome) -> None:
        """The loss of a step, and what the stage has done so far."""
        self._recent.append(loss)
        if len(self._recent) < MEAN_OF:
            return
        mean = sum(self._recent) / len(self._recent)
        self._recent = []
        outcome.losses.append((outcome.tokens, round(mean, 4)))
        pace = outcome.tokens / outcome.seconds
        status = f"loss {mean:.3f}  step {outcome.steps}  {outcome.tokens / 1e6:.2f} M tokens  {pace:,.0f}/s"
        self._progress.update(self._bar, completed=outcome.seconds, status=status)
        if not self._progress.console.is_terminal:
            self._progress.console.print(f"{self._name} {outcome.seconds:.0f}s {status}")
