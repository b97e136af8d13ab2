"""The automatic gamma: Theorem 3.8's best, from what was accepted so far."""

import pytest

from specviz.decoding.registry.registry import find_method
from specviz.decoding.run.loop import Run, iterations
from specviz.dice import SeededDice
from specviz.drafting.stopping import BestGamma
from specviz.measure.theory import speed_up
from tests.decoding.methods.models import equal_pair, random_pair


@pytest.mark.parametrize("cost_ratio", [0.01, 0.08, 0.3, 1.0])
@pytest.mark.parametrize("prior", [0.0, 0.3, 0.8, 0.95])
def test_the_choice_is_the_theorems(cost_ratio, prior):
    best = max(range(1, 17), key=lambda gamma: speed_up(prior, gamma, cost_ratio))
    assert BestGamma(cost_ratio, prior=prior).choose() == best


def test_full_acceptance_takes_the_longest_draft():
    assert BestGamma(0.1, most=9, prior=1.0).choose() == 9


def test_gamma_follows_the_acceptance():
    def gammas(pair):
        pair.cost_ratio = 0.1
        options = {"gamma": "auto"}
        run = Run(pair, find_method("speculative"), [0], options=options, max_new_tokens=60, dice=SeededDice(0))
        return [int(iteration.notes["gamma"]) for iteration in iterations(run)]

    agreeing, differing = gammas(equal_pair(4, 1)), gammas(random_pair(4, 9, sharpness=4.0))
    assert agreeing[-1] > agreeing[0] > differing[-1]
