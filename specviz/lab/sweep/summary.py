"""What follows from a sweep's rows: a median over rounds for each setting, with an interval.

A metric is taken over all prompts of a round together, as ``METRIC_HELP`` defines it (tokens per second are all tokens
over all seconds). Its interval is a bootstrap over prompts and seeds together: both are drawn anew with replacement,
the median taken again, and the middle 95 % of such medians kept. So it says how far the number would move with other
prompts of this kind and other seeds; fewer than six rounds, or a single prompt, give none. Runs that other programs
disturbed are left out of speeds and energy, and counted. Scores of different kinds are never averaged.
"""

from array import array
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from warnings import catch_warnings

import numpy as np

from specviz.errors import OptionError, as_given
from specviz.lab.sweep.grid import ROUNDS
from specviz.lab.sweep.numbers import TIMED
from specviz.lab.sweep.row import Row

SAMPLES, COVERAGE = 2000, 0.95
BLOCK = 4_000_000  # numbers at a time


@dataclass(frozen=True)
class Estimate:
    """The ``median`` over ``rounds`` (None: no run has the number) and its interval ``low`` .. ``high`` (None: too few
    rounds or ``prompts`` to say)."""

    median: float | None
    low: float | None
    high: float | None
    rounds: int
    prompts: int


@dataclass(frozen=True)
class Summary(Estimate):
    """A ``metric`` of a setting, on prompts of ``category`` (None: all). ``runs`` count, ``left_out`` were disturbed.
    ``kinds`` are those of the scores; where they are several, the median is None."""

    setting: str
    category: str | None
    metric: str
    runs: int
    left_out: int
    kinds: tuple[str, ...] = ()


def summaries(
    rows: Iterable[Row], metrics: Sequence[str], *, by_category: bool = False, samples: int = SAMPLES, seed: int = 0
) -> list[Summary]:
    """For every setting in the order of its first row (and every category of prompts), a summary of each metric, which
    are among ``TIMED``.

    Two settings are the same where method, options, models, number of tokens and machine are. The rows are read once;
    of each run some twenty bytes a metric are kept. Raises OptionError for a metric that there is not.
    """
    groups = grouped(rows, metrics, by_category=by_category)
    return [group.summary(metric, samples, seed) for group in groups for metric in metrics]


def grouped(rows: Iterable[Row], metrics: Sequence[str], *, by_category: bool = False) -> "list[Group]":
    """The runs of each setting, as ``summaries`` tells them apart, with what they say of these metrics."""
    for metric in metrics:
        if metric not in TIMED:
            text = f"metrics must be among {', '.join(TIMED)}, got {as_given(metric)}"
            raise OptionError(text, argument="metrics")
    metrics = tuple(dict.fromkeys(metrics))
    groups: dict[tuple[object, ...], Group] = {}
    axes: dict[str | None, tuple[dict[str, int], dict[int, int]]] = {}
    for row in rows:
        category = row.category if by_category else None
        if (about := (setting_of(row), category)) not in groups:
            groups[about] = Group(row, category, metrics, *axes.setdefault(category, ({}, {})))
        groups[about].add(row)
    return list(groups.values())


def setting_of(row: Row) -> tuple[object, ...]:
    """What two rows of the same setting share."""
    return row.method, repr((row.options, row.models, row.machine)), row.max_new_tokens


def check_kinds(kinds: Collection[str], where: str) -> None:
    """Raises OptionError for scores of several kinds, which are not averaged or compared."""
    if len(kinds) > 1:
        raise OptionError(
            f"{where} has scores of several kinds, {', '.join(sorted(kinds))}, which are not averaged: take them by "
            "category, or a sweep for each kind",
            argument="by_category",
        )


@dataclass
class Group:
    """The runs of one setting, of which ``first`` is the first: for each the numbers of its prompt and seed, which all
    settings share, and each metric's parts."""

    first: Row
    category: str | None
    metrics: Sequence[str]
    prompts: dict[str, int]
    seeds: dict[int, int]
    cells: array = field(default_factory=lambda: array("q"))
    disturbed: array = field(default_factory=lambda: array("b"))
    parts: dict[str, array] = field(default_factory=dict)
    kinds: set[str] = field(default_factory=set)

    def add(self, row: Row) -> None:
        self.cells.append(self.prompts.setdefault(row.prompt, len(self.prompts)))
        self.cells.append(self.seeds.setdefault(row.seed, len(self.seeds)))
        self.disturbed.append(row.disturbed is not None)
        if row.score_kind is not None:
            self.kinds.add(row.score_kind)
        for metric in self.metrics:
            self.parts.setdefault(metric, array("d")).extend(TIMED[metric].parts(row))

    def has(self, metric: str) -> bool:
        """Whether any of the runs has the number, disturbed or not."""
        return any(self.parts[metric][1::2])

    def summary(self, metric: str, samples: int = SAMPLES, seed: int = 0) -> Summary:
        """The metric's number, over everything that was run."""
        cells, used, left_out = self._cells(metric)
        kinds = tuple(sorted(self.kinds)) if metric == "score" else ()
        number = estimate([cells], TIMED[metric].finish, samples, seed)
        if len(kinds) > 1:
            number = replace(number, median=None, low=None, high=None)
        about = {"setting": self.first.setting, "category": self.category, "metric": metric, "kinds": kinds}
        return Summary(**vars(number), **about, runs=used, left_out=left_out)

    def resampled(self, metric: str, samples: int, seed: int) -> np.ndarray:
        """The metric's number in each draw of the prompts and rounds of all settings, which are the same draws for each
        of them: [samples]. nan where nothing that was drawn counts."""
        return _resampled([self._cells(metric)[0]], TIMED[metric].finish, samples, seed)

    def over(self, other: "Group", metric: str, samples: int = SAMPLES, seed: int = 0) -> Estimate:
        """The metric's number over that of another setting, taken within each round, over the prompts and seeds that
        both were run on; infinite or nan where the other's is 0."""
        finish = TIMED[metric].finish
        with np.errstate(divide="ignore", invalid="ignore"):
            cells = _of_all([(self, metric), (other, metric)])
            return estimate(cells, lambda a, b: finish(a) / finish(b), samples, seed)

    def over_equals(
        self, others: "Sequence[Group]", metric: str, at: str, samples: int = SAMPLES, seed: int = 0
    ) -> Estimate:
        """The metric's number over the one that ``others`` have where their number ``at`` is as good as this setting's:
        on the straight line between the two of them next to it. Where its own is better than all of theirs, over that
        of the best of them; where it is worse than all, the ratio is as bad as can be: 0, or infinite where lower is
        better. Within each round, as ``over``."""
        about = [(group, name) for group in (self, *others) for name in (metric, at)]
        sign = -1 if TIMED[at].better == "lower" else 1
        none = 0.0 if TIMED[metric].better == "lower" else np.inf

        def ratio(*numbers: np.ndarray) -> np.ndarray:
            estimates = [TIMED[name].finish(values) for (_, name), values in zip(about, numbers, strict=True)]
            values, qualities = np.array(estimates[::2]), sign * np.array(estimates[1::2])
            return values[0] / value_at(qualities[0], qualities[1:], values[1:], none)

        with np.errstate(divide="ignore", invalid="ignore"):
            return estimate(_of_all(about), ratio, samples, seed)

    def texts(self, *metrics: str) -> list[np.ndarray]:
        """Of every prompt its runs as rows of these numbers, [runs, metrics]; runs that lack one are left out."""
        parts = np.array([np.array(self.parts[metric]).reshape(-1, 2) for metric in metrics])  # [metrics, runs, 2]
        there, prompt = (parts[:, :, 1] > 0).all(axis=0), np.array(self.cells[::2])
        sums, weights = parts[:, there].transpose(2, 1, 0)  # [runs, metrics] each
        values = [TIMED[name].finish(column) for name, column in zip(metrics, (sums / weights).T, strict=True)]
        return [np.array(values).T[prompt[there] == number] for number in np.unique(prompt[there])]

    def _cells(self, metric: str) -> tuple[np.ndarray, int, int]:
        """[2, rounds, prompts]: sums and what to divide them by; how many runs they are of; how many are left out."""
        prompt, turn = np.array(self.cells).reshape(-1, 2).T
        parts = np.array(self.parts[metric]).reshape(-1, 2)
        left_out = np.array(self.disturbed, dtype=bool) & TIMED[metric].timed
        used = ~left_out & (parts[:, 1] > 0)
        cells = np.zeros((2, len(self.seeds), len(self.prompts)))
        for of, values in zip(cells, parts.T, strict=True):
            np.add.at(of, (turn[used], prompt[used]), values[used])
        return cells, int(used.sum()), int(left_out.sum())


def _of_all(about: Sequence[tuple[Group, str]]) -> list[np.ndarray]:
    """The cells of each group's metric, for the seeds and prompts that all were run on, empty where one has no run."""
    groups = [group for group, _ in about]
    seeds = [name for name in groups[0].seeds if all(name in group.seeds for group in groups)]
    prompts = [name for name in groups[0].prompts if all(name in group.prompts for group in groups)]
    cells = [
        group._cells(metric)[0][:, [group.seeds[name] for name in seeds]][
            :, :, [group.prompts[number] for number in prompts]
        ]
        for group, metric in about
    ]
    there = np.all([values[1] > 0 for values in cells], axis=0)
    return [values * there for values in cells]


def value_at(x: np.ndarray, xs: np.ndarray, ys: np.ndarray, none: float) -> np.ndarray:
    """The value at ``x`` [...] on the straight lines between the points ``xs``, ``ys`` [points, ...], of each further
    index by itself: that of the greatest of ``xs`` where x is beyond it, ``none`` where x is below the least. nan where
    any is."""
    order = np.argsort(xs, axis=0)
    xs, ys = np.take_along_axis(xs, order, axis=0), np.take_along_axis(ys, order, axis=0)
    heights = np.where(x >= xs[-1], ys[-1], none)
    for left, right, low, high in zip(xs, xs[1:], ys, ys[1:], strict=False):
        heights = np.where((left <= x) & (x < right), low + (high - low) * (x - left) / (right - left), heights)
    return np.where(np.isnan(x + xs.sum(axis=0) + ys.sum(axis=0)), np.nan, heights)


def estimate(cells: Sequence[np.ndarray], of: Callable[..., Any], samples: int = SAMPLES, seed: int = 0) -> Estimate:
    """The median over rounds of what ``of`` makes of each round's numbers, and its interval. ``cells`` are [2, rounds,
    prompts], one for each number: sums and what to divide them by (0: nothing was run there)."""
    weights = cells[0][1]
    some = np.ix_([True, True], weights.any(axis=1), weights.any(axis=0))
    cells = [cell[some] for cell in cells]
    _, rounds, prompts = cells[0].shape
    median = low = high = None
    if rounds:
        median = float(np.median(of(*(values.sum(axis=1) / weights.sum(axis=1) for values, weights in cells))))
        if rounds >= ROUNDS and prompts > 1 and np.isfinite(median):
            tail = (1 - COVERAGE) / 2
            resampled = _resampled(cells, of, samples, seed)
            low, high = map(
                float, np.nanquantile(resampled, (tail, 1 - tail), method="nearest")
            )  # some may be infinite
    return Estimate(median, low, high, rounds, prompts)


def _resampled(cells: Sequence[np.ndarray], of: Callable[..., Any], samples: int, seed: int) -> np.ndarray:
    """The median over rounds of ``samples`` draws of prompts and rounds. The same seed draws the same ones for all
    cells of this shape."""
    _, rounds, prompts = cells[0].shape
    chance, medians, block = np.random.default_rng(seed), [], max(1, BLOCK // max(rounds, prompts))
    for start in range(0, samples, block):
        count = min(block, samples - start)
        times = chance.multinomial(prompts, np.full(prompts, 1 / prompts), size=count)  # [count, prompts]
        chosen = chance.integers(rounds, size=(count, rounds))
        with np.errstate(invalid="ignore"), catch_warnings(action="ignore", category=RuntimeWarning):
            # a round in which none of the chosen prompts was run: nan; several may be all that was drawn
            per_round = of(*((times @ values.T) / (times @ weights.T) for values, weights in cells))  # [count, rounds]
            medians.append(np.nanmedian(np.take_along_axis(per_round, chosen, axis=1), axis=1))
    return np.concatenate(medians)
