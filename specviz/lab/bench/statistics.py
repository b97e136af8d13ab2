"""Medians with an interval that assumes nothing about how the measurements are distributed."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from statistics import median


@dataclass(frozen=True)
class Estimate:
    """A median and an interval that holds the true median with probability ``coverage``; all three None where there
    are too few values for one (with .95: below 6)."""

    median: float
    low: float | None = None
    high: float | None = None
    coverage: float | None = None


def estimate(values: Sequence[float], wanted: float = 0.95) -> Estimate:
    """The median of independent measurements, and the narrowest interval of order statistics that reaches ``wanted``.

    From the k-th smallest to the k-th largest of n values the coverage is 1 - 2 P(Binomial(n, 1/2) < k). Where even
    smallest to largest falls short of ``wanted``, there is none. Raises ValueError for no values.
    """
    if not values:
        raise ValueError("an estimate takes at least one value, got none")
    ordered, count = sorted(values), len(values)
    if _coverage(count, 1) < wanted:
        return Estimate(median(ordered))
    rank = 1
    while rank + 1 <= (count + 1) // 2 and _coverage(count, rank + 1) >= wanted:
        rank += 1
    return Estimate(median(ordered), ordered[rank - 1], ordered[count - rank], _coverage(count, rank))


def _coverage(count: int, rank: int) -> float:
    return 1.0 - 2.0 * sum(comb(count, k) for k in range(rank)) / 2.0**count
