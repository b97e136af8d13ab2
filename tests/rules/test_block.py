"""Block verification on given distributions: its numbers by hand, one prefix enumerated, its edges."""

import numpy as np
import pytest

from specviz.dice import SeededDice
from specviz.rules import block
from specviz.rules.block import BlockVerifier, keeping_probability, prefix_weights
from specviz.rules.token import TokenVerifier
from specviz.trace.distribution import residual
from tests.by_hand import dense, scored_chain
from tests.rules.siblings import KINDS, distance, distributions_of_kind, picked, siblings_of, token_distribution
from tests.rules.test_token import FixedDice

HALF = [0.5, 0.5]


def unlikely_then_likely():
    """P(x_1)/Q(x_1) = 1/2, P(x_2)/Q(x_2) = 3: the second token makes up for the first."""
    return scored_chain([[0.4, 0.6], [0.6, 0.4], HALF], [[0.8, 0.2], [0.2, 0.8]], [0, 0])


def test_weights_excess_and_probabilities_by_hand():
    scored = unlikely_then_likely()
    assert prefix_weights(scored) == pytest.approx([1.0, 0.5, 1.0])
    first, second, drawn = BlockVerifier().verify(scored, FixedDice(0.9, 0.9)).decisions
    assert (first.weight, first.excess) == (pytest.approx(0.5), pytest.approx(0.5 * 0.6 - 0.2))
    assert first.acceptance_probability == pytest.approx(0.1 / (0.1 + 1 - 0.5))
    assert (second.weight, second.excess, second.acceptance_probability) == (
        pytest.approx(1.0),
        None,
        pytest.approx(1.0),
    )
    assert (first.passes, first.kept, second.passes, second.kept) == (False, True, True, True)
    assert drawn.origin == "bonus" and drawn.after == 1


def test_a_failing_prefix_inside_a_passing_one_is_kept(monkeypatch):
    dice = (0.9, 0.9)
    assert BlockVerifier().verify(unlikely_then_likely(), FixedDice(*dice)).path == [0, 1]
    monkeypatch.setattr(block, "kept_length", lambda passes: [*passes, False].index(False))
    assert BlockVerifier().verify(unlikely_then_likely(), FixedDice(*dice)).path == []


def test_the_next_token_comes_from_the_weighted_residual():
    scored = scored_chain([[0.4, 0.6], [0.3, 0.7], HALF], [[0.8, 0.2], [0.9, 0.1]], [0, 0])
    first, second, drawn = BlockVerifier().verify(scored, FixedDice(0.0, 0.99)).decisions
    assert (first.kept, second.kept) == (True, False)
    assert (drawn.origin, drawn.after) == ("resampled", 0)
    np.testing.assert_allclose(drawn.source.probs, [0.0, 1.0])
    np.testing.assert_allclose(drawn.target.probs, [0.3, 0.7])
    np.testing.assert_allclose(residual(dense(HALF), dense([0.1, 0.9]), 0.5).probs, [1.0, 0.0])


def test_equal_distributions_keep_everything():
    scored = scored_chain([HALF, HALF, HALF], [HALF, HALF], [0, 1])
    verdict = BlockVerifier().verify(scored, FixedDice(0.999, 0.999))
    assert verdict.path == [0, 1] and keeping_probability(1.0, 0.0) == 1.0
    assert residual(dense(HALF), dense(HALF), 1.0).probs.tolist() == HALF


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("vocab_size", [3, 5])
def test_one_token_follows_the_target(vocab_size, kind):
    target, draft = distributions_of_kind(kind, vocab_size)
    found = token_distribution(target, lambda dice: [(picked(draft, dice), draft)], BlockVerifier())
    assert distance(found, target.probs) < 1e-9


def test_a_chain_of_one_is_token_verification():
    for seed in range(10):
        target, draft = distributions_of_kind("random", 4, seed)
        scored = siblings_of(target, [(picked(draft, SeededDice(seed)), draft)])
        ours, theirs = (verifier.verify(scored, SeededDice(seed)) for verifier in (BlockVerifier(), TokenVerifier()))
        assert ours.path == theirs.path and ours.sampled.token == theirs.sampled.token
        assert ours.decisions[0].acceptance_probability == theirs.decisions[0].acceptance_probability


def test_no_coin_where_nothing_is_left_to_chance():
    certain, other = [1.0, 0.0], [0.0, 1.0]
    verdict = BlockVerifier().verify(scored_chain([certain, other, certain], [certain, certain], [0, 0]), SeededDice(0))
    assert [(test.uniform, test.passes) for test in verdict.decisions[:2]] == [(None, True), (None, False)]
    assert verdict.path == [0] and verdict.sampled.token == 1 and verdict.sampled.uniform is None


def test_nothing_is_drawn_after_an_accepted_end_and_an_empty_chain_draws_from_the_target():
    end = [0.0, 1.0]
    verdict = BlockVerifier(frozenset({1})).verify(scored_chain([end, HALF], [end], [1]), SeededDice(0))
    assert verdict.path == [0] and verdict.sampled is None
    assert BlockVerifier().verify(scored_chain([HALF], [], []), SeededDice(0)).sampled.origin == "target"
