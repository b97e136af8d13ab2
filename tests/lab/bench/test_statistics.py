"""Medians and their intervals."""

import random

import pytest

from specviz.lab.bench.statistics import estimate


@pytest.mark.parametrize(
    ("count", "low", "high", "coverage"),
    [
        (1, None, None, None),
        (5, None, None, None),
        (6, 1, 6, 0.96875),
        (9, 2, 8, 0.9609375),
        (20, 6, 15, 0.958610534667969),
    ],
)
def test_ranks_and_coverage_are_the_textbook_ones(count, low, high, coverage):
    found = estimate([float(value) for value in range(count, 0, -1)])
    assert (found.low, found.high) == (low, high)
    assert found.median == (count + 1) / 2
    assert found.coverage == pytest.approx(coverage)


def test_the_interval_covers_the_median_as_often_as_it_says():
    rng = random.Random(1)
    found = [estimate([rng.expovariate(1.0) for _ in range(9)]) for _ in range(4000)]
    covered = sum(one.low <= 0.6931 <= one.high for one in found) / len(found)
    assert covered == pytest.approx(found[0].coverage, abs=0.01)


def test_nothing_has_no_median():
    with pytest.raises(ValueError, match="at least one value"):
        estimate([])
