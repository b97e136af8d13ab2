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


def run_stage(
    stage: Stage,
    model: torch.nn.Module,
    loss: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    batches: Batches,
    checkpoint: Path,
    device: torch.device,
) -> Outcome:
    """Train ``model`` in place for ``stage.minutes``, resuming from ``checkpoint`` (.pt) when it is there.

    ``loss(inputs, targets)`` returns the scalar to minimise. Time spent before an interruption counts. Raises
    SpecvizError when the checkpoint belongs to another budget.
    """
    optimizers = Optimizers(model)
    outcome = Outcome(stage.name, 0, 0, 0.0, [])
    if checkpoint.exists():
        saved = torch.load(checkpoint, map_location=device, weights_only=False)
        if saved["minutes"] != stage.minutes:
            raise SpecvizError(
                f"{checkpoint} belongs to a stage of {saved['minutes']:.3g} minutes, not of {stage.minutes:.3g}: "
                "give the same --minutes, or another --work folder to begin anew"
            )
        model.load_state_dict(saved["model"])
        if saved["done"]:
            return saved["outcome"]
        optimizers.load_state_dict(saved["optimizers"])
        outcome = saved["outcome"]

    def save(done: bool) -> None:
        state = {"model": model.state_dict(), "outcome": outcome, "done": done, "minutes": stage.minutes}
        if not done:
            state["optimizers"] = optimizers.state_dict()
        torch.save(state, checkpoint.with_suffix(".partial"))
        checkpoint.with_suffix(".partial").replace(checkpoint)

    budget, before, started, saved_at = stage.minutes * 60, outcome.seconds, time.monotonic(), time.monotonic()
    recent: list[float] = []
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[status]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, refresh_per_second=1) as progress:
        bar = progress.add_task(stage.name, total=budget, completed=before, status="")
        while outcome.seconds < budget:
            share = outcome.seconds / budget
            length = stage.length(share)
            inputs, targets = batches.draw(outcome.steps, stage.batch_tokens // length, length)
            value = loss(inputs.to(device), targets.to(device))
            value.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizers.step(stage.rate(share, outcome.steps))
            recent.append(value.item())
            outcome.steps += 1
            outcome.tokens += inputs.numel()
            outcome.seconds = before + time.monotonic() - started
            if len(recent) == 50:
                mean = sum(recent) / len(recent)
                outcome.losses.append((outcome.tokens, round(mean, 4)))
                recent.clear()
                pace = outcome.tokens / outcome.seconds
                status = f"loss {mean:.3f}  step {outcome.steps}  {outcome.tokens / 1e6:.2f} M tokens  {pace:,.0f}/s"
                progress.update(bar, completed=outcome.seconds, status=status)
                if not progress.console.is_terminal:
                    progress.console.print(f"{stage.name} {outcome.seconds:.0f}s {status}")
            if time.monotonic() - saved_at > CHECKPOINT_EVERY:
                save(done=False)
                saved_at = time.monotonic()
    save(done=True)
    return outcome
