"""What follows from a sweep's rows: a median over rounds for each setting, with an interval.

A metric is taken over all prompts of a round together, as ``METRIC_HELP`` defines it (tokens per second are all tokens
over all seconds). Its interval is a bootstrap over prompts and seeds together: both are drawn anew with replacement,
the median taken again, and the middle 95 % of such medians kept. So it says how far the number would move with other
prompts of this kind and other seeds; fewer than six rounds, or a single prompt, give none. Runs that other programs
disturbed are left out of speeds and energy, and counted.
"""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import exp, log

import numpy as np

from specviz.errors import OptionError
from specviz.lab.sweep.grid import ROUNDS
from specviz.lab.sweep.row import COLUMNS, METRICS, Row

SPEEDS = ("tokens_per_second", "seconds", "seconds_to_first_token", "joules_per_token")
SAMPLES, COVERAGE = 2000, 0.95
BLOCK = 4_000_000  # numbers at a time


@dataclass(frozen=True)
class Summary:
    """A ``metric`` of a setting, on prompts of ``category`` (None: all): the ``median`` over ``rounds`` (None: no run
    has the metric) and its interval ``low`` .. ``high`` (None: too few rounds or prompts to say). ``runs`` count,
    ``left_out`` were disturbed."""

    setting: str
    category: str | None
    metric: str
    median: float | None
    low: float | None
    high: float | None
    rounds: int
    prompts: int
    runs: int
    left_out: int


def summaries(
    rows: Iterable[Row], metrics: Sequence[str], *, by_category: bool = False, samples: int = SAMPLES, seed: int = 0
) -> list[Summary]:
    """For every setting in the order of its first row (and every category of prompts), a summary of each metric.

    Two settings are the same where method, options, models, number of tokens and machine are. The rows are read once;
    of each run some twenty bytes a metric are kept. Raises OptionError for a metric that there is not.
    """
    numbers = [metric for metric in METRICS if COLUMNS[metric] in (int, float)]
    for metric in metrics:
        if metric not in numbers:
            raise OptionError(f"metrics must be among {', '.join(numbers)}, got {metric!r}", argument="metrics")
    groups: dict[tuple[object, ...], _Group] = {}
    for row in rows:
        category = row.category if by_category else None
        about = (row.method, repr((row.options, row.models, row.machine)), row.max_new_tokens, category)
        groups.setdefault(about, _Group(row.setting, category, metrics)).add(row)
    return [group.summary(metric, samples, seed) for group in groups.values() for metric in metrics]


@dataclass
class _Group:
    """The runs of one setting: for each the numbers of its prompt and seed, and each metric's parts."""

    setting: str
    category: str | None
    metrics: Sequence[str]
    prompts: dict[str, int] = field(default_factory=dict)
    seeds: dict[int, int] = field(default_factory=dict)
    cells: array = field(default_factory=lambda: array("q"))
    disturbed: array = field(default_factory=lambda: array("b"))
    parts: dict[str, array] = field(default_factory=dict)

    def add(self, row: Row) -> None:
        self.cells.append(self.prompts.setdefault(row.prompt, len(self.prompts)))
        self.cells.append(self.seeds.setdefault(row.seed, len(self.seeds)))
        self.disturbed.append(row.disturbed is not None)
        for metric in self.metrics:
            self.parts.setdefault(metric, array("d")).extend(_parts(row, metric))

    def summary(self, metric: str, samples: int, seed: int) -> Summary:
        prompt, turn = np.array(self.cells).reshape(-1, 2).T
        value, weight = np.array(self.parts[metric]).reshape(-1, 2).T
        left_out = np.array(self.disturbed, dtype=bool) & (metric in SPEEDS)
        used = ~left_out & (weight > 0)
        values, weights = np.zeros((2, len(self.seeds), len(self.prompts)))
        np.add.at(values, (turn[used], prompt[used]), value[used])
        np.add.at(weights, (turn[used], prompt[used]), weight[used])
        some = np.ix_(weights.any(axis=1), weights.any(axis=0))
        values, weights = values[some], weights[some]
        rounds, prompts = values.shape
        median = low = high = None
        if rounds:
            median = float(np.median(values.sum(axis=1) / weights.sum(axis=1)))
            if rounds >= ROUNDS and prompts > 1:
                low, high = _interval(values, weights, samples, seed)
        if metric == "perplexity":
            median, low, high = (None if one is None else exp(one) for one in (median, low, high))
        counts = {"rounds": rounds, "prompts": prompts, "runs": int(used.sum()), "left_out": int(left_out.sum())}
        return Summary(self.setting, self.category, metric, median, low, high, **counts)


def _parts(row: Row, metric: str) -> tuple[float, float]:
    """What to add up over the runs of a round, and what to divide the sum by (0: the run says nothing)."""
    found = row.metrics
    value = getattr(found, metric)
    if value is None:
        return 0.0, 0.0
    match metric:
        case "tokens_per_second":
            return found.tokens, found.seconds
        case "tokens_per_target_call":
            return found.tokens, found.target_calls
        case "acceptance_rate":
            return row.accepted, row.offered
        case "perplexity":  # the mean of logarithms, over tokens
            return log(value) * found.tokens, found.tokens
        case "flops_per_token" | "bytes_per_token" | "joules_per_token":
            return value * found.tokens, found.tokens
        case _:
            return value, 1.0


def _interval(values: np.ndarray, weights: np.ndarray, samples: int, seed: int) -> tuple[float, float]:
    """Of the median over rounds; ``values`` and ``weights`` are [rounds, prompts]."""
    rounds, prompts = values.shape
    chance, medians, block = np.random.default_rng(seed), [], max(1, BLOCK // max(rounds, prompts))
    for start in range(0, samples, block):
        count = min(block, samples - start)
        times = chance.multinomial(prompts, np.full(prompts, 1 / prompts), size=count)  # [count, prompts]
        chosen = chance.integers(rounds, size=(count, rounds))
        with np.errstate(invalid="ignore"):  # a round in which none of the chosen prompts was run: nan
            per_round = (times @ values.T) / (times @ weights.T)  # [count, rounds]
        medians.append(np.nanmedian(np.take_along_axis(per_round, chosen, axis=1), axis=1))
    tail = (1 - COVERAGE) / 2
    low, high = np.nanquantile(np.concatenate(medians), (tail, 1 - tail))
    return float(low), float(high)
