"""A sample against a distribution: what sampling noise shows, and what is left without it."""

import numpy as np
import pytest

from specviz.lab.guarantees.sample_distance import FEWEST, compare

GENERATOR_SEED = 7
PROBABILITIES = dict(enumerate(np.random.default_rng(1).dirichlet(np.full(40, 0.3)).tolist()))
OTHER = dict(enumerate(np.random.default_rng(2).dirichlet(np.full(40, 0.3)).tolist()))


def mixed(share):
    """A distribution on the way from PROBABILITIES to OTHER, and how far it is from PROBABILITIES."""
    distribution = {key: (1 - share) * PROBABILITIES[key] + share * OTHER[key] for key in PROBABILITIES}
    return distribution, sum(abs(distribution[key] - PROBABILITIES[key]) for key in PROBABILITIES) / 2


def many(distribution, count=60, size=1000):
    generator = np.random.default_rng(GENERATOR_SEED)
    draws = generator.choice(len(distribution), p=list(distribution.values()), size=(count, size))
    return [compare(draw.tolist(), PROBABILITIES, seed=number) for number, draw in enumerate(draws)]


def test_a_sample_of_the_distribution_itself_is_as_far_as_chance_says():
    found = many(PROBABILITIES)
    inside = sum(one.low <= one.tv <= one.high for one in found)
    assert inside >= 52  # of 60, where 57 are expected
    assert np.mean([one.tv for one in found]) == pytest.approx(found[0].expected_tv, abs=0.002)
    assert np.mean([one.excess for one in found]) == pytest.approx(0, abs=0.01)
    assert sum(abs(one.excess) <= one.error for one in found) >= 52
    assert np.mean([one.as_far for one in found]) == pytest.approx(0.5, abs=0.12)


@pytest.mark.parametrize("share", [0.3, 0.6, 1.0])
def test_the_distance_of_another_distribution_is_found_within_its_error(share):
    distribution, distance = mixed(share)
    found = many(distribution)
    assert np.mean([one.excess for one in found]) == pytest.approx(distance, abs=0.02)
    assert np.mean([one.excess for one in found]) <= distance + 0.005  # never more on average
    assert sum(one.excess - one.error <= distance for one in found) >= 52
    assert all(one.as_far == 0 and one.tv > one.high for one in found)


def test_what_the_distribution_does_not_have_counts_in_full():
    found = compare(["new"] * 500 + ["old"] * 500, {"old": 1.0})
    assert found.tv == pytest.approx(0.5) and found.excess == pytest.approx(0.5, abs=0.02)
    assert found.expected_tv == found.low == found.high == 0


def test_the_same_sample_gives_the_same_numbers():
    outcomes = [0, 1, 2, 0, 1, 0, 0, 3, 0, 1, 5, 0]
    assert compare(outcomes, PROBABILITIES) == compare(outcomes, PROBABILITIES)
    with pytest.raises(ValueError, match=f"at least {FEWEST}, got 3"):
        compare([0, 1, 2], PROBABILITIES)
