"""The width of a layer: the recursion of dsbd.txt, Eqs. 2 to 7, against every sequence of coins."""

import itertools

import numpy as np
import pytest

from specviz.rules.beams.width import layer_width, probabilities_of_accepting, probabilities_of_at_least


def by_coins(acceptances):
    """The distribution of the number of accepted drafts: each coin falls with the probability that the rejections
    before leave it."""
    distribution = np.zeros(len(acceptances) + 1)
    for coins in itertools.product((True, False), repeat=len(acceptances)):
        probability, rejected = 1.0, 0
        for accepted in coins:
            heads = acceptances[rejected]
            probability *= heads if accepted else 1.0 - heads
            rejected = 0 if accepted else rejected + 1
        distribution[sum(coins)] += probability
    return distribution


@pytest.mark.parametrize("drafts", range(7))
def test_the_recursion_equals_all_coins(drafts):
    for seed in range(5):
        acceptances = np.random.default_rng(seed).random(drafts).tolist()
        assert probabilities_of_accepting(acceptances) == pytest.approx(by_coins(acceptances), abs=1e-12)
    for certain in ([0.0] * drafts, [1.0] * drafts, [1.0, 0.0, 0.5, 1.0, 0.0, 0.3][:drafts]):
        assert probabilities_of_accepting(certain) == pytest.approx(by_coins(certain), abs=1e-12)


def test_at_least_falls_from_any_to_all():
    at_least = probabilities_of_at_least([0.6, 0.3, 0.2])
    assert at_least[0] == pytest.approx(1 - 0.4 * 0.7 * 0.8)
    assert at_least[2] == pytest.approx(0.6**3)
    assert at_least == sorted(at_least, reverse=True) and probabilities_of_at_least([]) == []


def test_the_width_is_the_most_that_reach_the_threshold():
    at_least = [0.9, 0.7, 0.2]
    assert layer_width(at_least, 0.7, 1) == 2
    assert layer_width(at_least, 0.7 + 1e-13, 1) == 2  # rounding does not cost a beam
    assert layer_width(at_least, 0.71, 1) == 1
    assert layer_width(at_least, 0.95, 2) == 2
    assert layer_width(at_least, 0.0, 1) == 3
    assert layer_width(at_least, None, 2) == 2
    assert layer_width([], 0.5, 3) == 3
