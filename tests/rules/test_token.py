"""The residual and the coin of token verification, on given distributions."""

import numpy as np
import pytest

from specviz.dice import Flip, Pick, SeededDice
from specviz.rules.token import GreedyTokenVerifier, TokenVerifier
from specviz.trace.distribution import residual
from tests.by_hand import dense, scored_chain


class FixedDice:
    """Answers coins from a list of draws and picks the likeliest."""

    def __init__(self, *draws):
        self.draws = list(draws)

    def flip(self, probability):
        uniform = self.draws.pop(0)
        return Flip(uniform < probability, uniform)

    def pick(self, weights):
        return Pick(int(np.argmax(weights)), 0.5)


def test_the_residual_is_the_excess_renormalised():
    left = residual(dense([0.5, 0.3, 0.2]), dense([0.2, 0.7, 0.1]))
    np.testing.assert_allclose(left.probs, [0.75, 0.0, 0.25])


def test_a_residual_of_nothing_is_the_target():
    same = dense([0.5, 0.5])
    assert residual(same, dense([0.5, 0.5])) is same


def test_verifying_changes_no_distribution():
    scored = scored_chain([[0.5, 0.5], [0.5, 0.5]], [[0.9, 0.1]], [0])
    target, draft = scored.root, scored.forest.nodes[0].draft
    before = target.probs.copy(), draft.probs.copy()
    TokenVerifier().verify(scored, FixedDice(0.99))
    assert (target.probs == before[0]).all() and (draft.probs == before[1]).all()


def test_the_coin_decides_and_the_record_says_how():
    scored = scored_chain([[0.3, 0.7], [0.6, 0.4], [0.5, 0.5]], [[0.6, 0.4], [0.5, 0.5]], [0, 0])
    verdict = TokenVerifier().verify(scored, FixedDice(0.49, 0.999))
    first, second, drawn = verdict.decisions
    assert (first.acceptance_probability, first.uniform, first.accepted) == (pytest.approx(0.5), 0.49, True)
    assert (second.acceptance_probability, second.accepted) == (1.0, True)
    assert verdict.path == [0, 1] and drawn.origin == "bonus" and verdict.offered == 2
    verdict = TokenVerifier().verify(scored, FixedDice(0.51))
    first, drawn = verdict.decisions
    assert not first.accepted and verdict.path == [] and (drawn.origin, drawn.token) == ("resampled", 1)


def test_lenience_widens_the_coin():
    scored = scored_chain([[0.3, 0.7], [0.5, 0.5]], [[0.6, 0.4]], [0])
    assert TokenVerifier(lenience=0.5).verify(scored, FixedDice(0.99)).path == [0]


def test_greedy_flips_no_coin():
    scored = scored_chain([[0.0, 1.0], [1.0, 0.0]], [[1.0, 0.0]], [0])
    verdict = GreedyTokenVerifier().verify(scored, SeededDice(0))
    assert [decision.uniform for decision in verdict.decisions] == [None, None]
    assert verdict.sampled.token == 1
