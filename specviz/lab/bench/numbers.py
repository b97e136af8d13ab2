"""Numbers of benchmark runs: each with what a run adds to it, so that it can be taken over any choice of the runs.

A metric means what ``measure/summary.py`` says it means; here it is taken over all given runs together. Intervals are
those of a sweep: prompts and rounds drawn anew, together (``lab/sweep/summary.py``); and as there, disturbed runs are
left out of what is timed.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from specviz.lab.bench.runs import RECORDED, BenchRun
from specviz.lab.sweep.summary import Estimate, estimate
from specviz.trace.record import Metrics

Runs = Sequence[BenchRun]
NOTHING = (0.0, 0.0)


@dataclass(frozen=True)
class Number:
    """``parts`` of a run: what to add up over the runs, and what to divide the sum by (0: the run says nothing);
    ``finish`` is applied to the quotient. ``meaning`` is for a reader."""

    meaning: str
    parts: Callable[[BenchRun], tuple[float, float]]
    finish: Callable[[Any], Any] = lambda value: value


def _own(of: Callable[[BenchRun, Metrics], tuple[float, float]]) -> Callable[[BenchRun], tuple[float, float]]:
    """Of our own runs alone."""
    return lambda run: NOTHING if run.metrics is None else of(run, run.metrics)


def _timed(parts: Callable[[BenchRun], tuple[float, float]]) -> Callable[[BenchRun], tuple[float, float]]:
    """Of undisturbed runs alone."""
    return lambda run: parts(run) if run.disturbed is None else NOTHING


def _where_it_is(value: float | None, weight: float = 1.0) -> tuple[float, float]:
    return NOTHING if value is None else (value * weight, weight)


OWN_SPEED = Number("speed by own clocks", _timed(_own(lambda run, metrics: (run.tokens, metrics.seconds))))
CALL_SPEED = Number("speed by the wall time of whole calls", _timed(lambda run: (run.tokens, run.wall)))
PERPLEXITY = Number("perplexity up to the end token; lower is likelier text", lambda run: (run.nll, run.scored), np.exp)
EFFICIENCY = Number("tokens per target call", _own(lambda run, metrics: (run.tokens, metrics.target_calls)))
ACCEPTANCE = Number("accepted over offered draft tokens", lambda run: (run.accepted, run.offered))
LONGEST = Number("longest accepted / depth", _own(lambda _, metrics: _where_it_is(metrics.longest_accepted)))
FLOPS = Number("FLOPs per token", _own(lambda run, metrics: _where_it_is(metrics.flops_per_token, run.tokens)))
TARGET_CALLS = Number("target calls per run", _own(lambda _, metrics: (metrics.target_calls, 1.0)))
DRAFT_CALLS = Number("draft calls per run", _own(lambda _, metrics: (metrics.draft_calls, 1.0)))
OUTSIDE = Number(
    "share of iterations outside the models' calls",
    _timed(_own(lambda run, _: (run.spent.outside, run.spent.seconds) if run.spent else NOTHING)),
)


def of(runs: Iterable[BenchRun], name: str | None) -> Runs:
    """The runs of one contender."""
    return [run for run in runs if run.contender == name]


def undisturbed(runs: Iterable[BenchRun]) -> Runs:
    """Those whose clocks say something about the contender."""
    return [run for run in runs if run.disturbed is None]


def names(runs: Runs) -> list[str]:
    """The contenders, in the order of their first run."""
    return list(dict.fromkeys(run.contender for run in runs))


def ours(runs: Runs) -> list[str]:
    """Our contenders, recorded ones left out, in the order of their first run."""
    found = dict.fromkeys(run.contender for run in runs if run.metrics is not None)
    return [name for name in found if not name.endswith(RECORDED)]


def total(runs: Runs, number: Number) -> float | None:
    """The number of all these runs together; None where none of them has it, or it is infinite."""
    value, weight = (sum(parts) for parts in zip(*map(number.parts, runs), strict=True))
    found = float(number.finish(value / weight)) if weight else None
    return found if found is not None and isfinite(found) else None


def measured(runs: Runs, number: Number) -> Estimate | None:
    """The median over rounds, with its interval; None where no run has the number."""
    cells = _cells(runs, number, _axes(runs))
    return estimate([cells], number.finish) if cells[1].any() else None


def over(ones: Runs, others: Runs, number: Number) -> Estimate | None:
    """``number`` of one contender over that of another, taken within each round on the prompts that both ran; None
    where one of them has none, or one that is infinite or 0."""
    axes = _axes([*ones, *others])
    pair = [_cells(runs, number, axes) for runs in (ones, others)]
    both = (pair[0][1] > 0) & (pair[1][1] > 0)
    if not both.any() or not all(np.isfinite(cells).all() for cells in pair) or not (pair[1][0][both] != 0).all():
        return None
    return estimate([cells * both for cells in pair], lambda a, b: number.finish(a) / number.finish(b))


def pairwise(value: Callable[[BenchRun, BenchRun], float], ones: Runs, others: Runs) -> Estimate:
    """A number of two contenders' runs on the same prompt in the same round: its mean over prompts, as the median over
    rounds. Runs without a partner do not count."""
    partners = {(run.round, run.prompt): run for run in others}
    both = [run for run in ones if (run.round, run.prompt) in partners]
    number = Number("", lambda run: (value(run, partners[run.round, run.prompt]), 1.0))
    return estimate([_cells(both, number, _axes(both))], number.finish)


def _axes(runs: Runs) -> tuple[list[int], list[int]]:
    return sorted({run.round for run in runs}), sorted({run.prompt for run in runs})


def _cells(runs: Runs, number: Number, axes: tuple[list[int], list[int]]) -> np.ndarray:
    """[2, rounds, prompts]: what to add up, and what to divide by."""
    rounds, prompts = axes
    cells = np.zeros((2, len(rounds), len(prompts)))
    for run in runs:
        cells[:, rounds.index(run.round), prompts.index(run.prompt)] += number.parts(run)
    return cells
