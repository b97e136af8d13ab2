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
MEAN_OF = 50  # steps over which a recorded loss is the mean


@dataclass
class StageOutcome:
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
    """The clock of a stage's minutes: on a CPU, CPU time of the thread, so that other programs do not count."""
    return time.monotonic if device.type == "cuda" else time.thread_time


def counted(device: torch.device, before: float) -> Callable[[], float]:
    """Counts seconds by ``clock_of`` from now on, starting at ``before``."""
    clock = clock_of(device)
    started = clock() - before
    return lambda: clock() - started


def run_stage(
    stage: Stage,
    model: torch.nn.Module,
    loss: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    batches: Batches,
    checkpoint: Path,
    device: torch.device,
    elapsed: Callable[[], float] | None = None,
) -> StageOutcome:
    """Train ``model`` in place for ``stage.minutes``, resuming from ``checkpoint`` (.pt) when it is there.

    ``loss(inputs, targets)`` returns the scalar to minimise. Minutes are those of the processor on a CPU, so a training
    at low priority learns as much as one alone; time spent before an interruption counts. ``elapsed()`` gives seconds
    that count in their place. Raises SpecvizError when the checkpoint belongs to another budget.
    """
    training = _StageTraining(stage, model, Optimizers(model), StageOutcome(stage.name, 0, 0, 0.0, []), checkpoint)
    if training.resume(device):
        return training.outcome
    outcome = training.outcome
    elapsed = elapsed or counted(device, outcome.seconds)
    budget, outcome.seconds, saved_at = stage.minutes * 60, elapsed(), elapsed()
    with _Report(stage.name, budget, outcome) as report:
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
            outcome.seconds = elapsed()
            report.note(value.item())
            if outcome.seconds - saved_at > CHECKPOINT_EVERY:
                training.save(done=False)
                saved_at = outcome.seconds
    training.save(done=True)
    return outcome


@dataclass
class _StageTraining:
    """A stage in progress, and its checkpoint file."""

    stage: Stage
    model: torch.nn.Module
    optimizers: Optimizers
    outcome: StageOutcome
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
    """The progress bar of a stage, and the losses that its outcome keeps: the mean of every MEAN_OF steps, and of those
    that are left at the end."""

    def __init__(self, name: str, budget: float, outcome: StageOutcome):
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[status]}"),
            TimeRemainingColumn(),
        )
        self._name, self._outcome, self._recent = name, outcome, []
        self._tokens, self._seconds = outcome.tokens, outcome.seconds
        self._progress = Progress(*columns, refresh_per_second=1)
        self._bar = self._progress.add_task(name, total=budget, completed=int(outcome.seconds), status="")

    def __enter__(self) -> "_Report":
        self._progress.start()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if self._recent and kind is None:
            self._keep()
        self._progress.stop()

    def note(self, loss: float) -> None:
        """The loss of a step that was taken."""
        self._recent.append(loss)
        self._progress.update(self._bar, completed=self._outcome.seconds, status=self._status())
        if len(self._recent) == MEAN_OF:
            self._keep()

    def _keep(self) -> None:
        self._outcome.losses.append((self._outcome.tokens, round(self._mean(), 4)))
        if not self._progress.console.is_terminal:
            self._progress.console.print(f"{self._name} {self._outcome.seconds:.0f}s {self._status()}")
        self._recent = []

    def _mean(self) -> float:
        return sum(self._recent) / len(self._recent)

    def _status(self) -> str:
        done = self._outcome
        pace = (done.tokens - self._tokens) / max(done.seconds - self._seconds, 1e-9)
        return f"loss {self._mean():.3f}  step {done.steps}  {done.tokens / 1e6:.2f} M tokens  {pace:,.0f}/s"
