"""A run with branches: its lane is made, or taken from what is kept, then branch after branch goes on from it."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any

from specviz.decoding.registry.registry import find_method
from specviz.decoding.replay.branch import branch_run
from specviz.decoding.run.race import Lane
from specviz.errors import SpecvizError
from specviz.lm.pair import ModelPair
from specviz.trace.record import Trace
from specviz.ui.serving.runs import KeptRuns
from specviz.ui.settings import RaceSettings


@dataclass(frozen=True)
class KeptLane:
    """A lane that is over, and kept."""

    index: int
    kept: Trace
    finished = True

    def trace(self) -> Trace:
        """What it has written."""
        return self.kept


def kept_parent(runs: KeptRuns, pair: ModelPair, settings: RaceSettings) -> Trace | None:
    """The kept lane that branches leave, where it is the very run that the form would make; else None."""
    if settings.parent is None:
        return None
    traces = runs.traces(settings.parent.run)
    trace = traces[settings.parent.lane] if settings.parent.lane < len(traces) else None
    ((name, own),) = settings.lanes
    method = find_method(name)
    shared = {option: value for option, value in settings.shared.items() if option in method.options}
    options = {"max_new_tokens": settings.max_new_tokens, **method.resolve(**(shared | own))}
    if trace is None or trace.stop == "stopped" or trace.header.branches:
        return None
    header = trace.header
    made = header.method.name, header.options, header.seed, header.target.fingerprint, header.prompt_tokens
    here = name, options, settings.seed, pair.target.fingerprint, pair.encode(settings.asked)
    return trace if made == here else None


def branching(
    pair: ModelPair, first: Iterator[tuple[Lane | KeptLane, Any]], settings: RaceSettings
) -> Generator[tuple[Lane | KeptLane, Any]]:
    """The turns of the ``first`` lane, then those of every branch; a kept one waits until there is a branch beside it.
    Raises SpecvizError for a branch that leaves a lane which is not there, and what ``branch`` raises."""
    lanes = list[Lane | KeptLane]()
    for lane, iteration in first:
        lanes = [lane]
        if isinstance(lane, Lane):
            yield lane, iteration
    for index, branch in enumerate(settings.branches, start=1):
        if branch.of >= len(lanes):
            raise SpecvizError(f"Branch {index} leaves lane {branch.of + 1}, which is not there.", argument="of")
        run = branch_run(pair, lanes[branch.of].trace(), branch.iteration, **branch.changes)
        if index == 1 and isinstance(lanes[0], KeptLane):
            yield lanes[0], None
        lane = Lane(index, run, {})
        lanes.append(lane)
        if run.stop is None:
            run.start()
        while run.stop is None:
            yield lane, run.step()
        yield lane, None
