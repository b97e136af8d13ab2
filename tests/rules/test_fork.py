"""Forks on given distributions: which chain is kept, and the distribution it leaves for the next roots."""

import numpy as np
import pytest

from specviz.dice import SeededDice
from specviz.rules.fork import ForkVerifier
from specviz.rules.token import GreedyTokenVerifier, TokenVerifier
from specviz.trace.forest import Forest
from tests.by_hand import dense, scored

EVEN, ZERO, ONE, TWO = [1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1]


def fork(roots, chains, draft, target, root_distribution=EVEN):
    """A fork drafted layer by layer: ``chains`` are the tokens under each root, ``draft`` and ``target`` the
    distributions by (chain, depth) of the token at this depth of the chain, one more for the target."""
    root = dense(root_distribution)
    forest, after, tips = Forest(planned_depth=3), {-1: root}, {}
    for c, token in enumerate(roots):
        tips[c] = forest.add(token, -1, root)
        forest.nodes[tips[c]].root = "target"
        after[tips[c]] = dense(target[c][0])
    for depth in range(max(map(len, chains))):
        for c, chain in enumerate(chains):
            if depth < len(chain):
                tips[c] = forest.add(chain[depth], tips[c], dense(draft[c][depth]))
                after[tips[c]] = dense(target[c][depth + 1])
    forest.submit()
    return scored(forest, after)


def tokens(judged, verdict):
    return [judged.forest.nodes[node].token for node in verdict.path]


def test_the_chain_that_goes_furthest_is_kept_whole():
    """The first chain is rejected at its second token, the second nowhere."""
    target = [[ZERO, ONE, EVEN], [ZERO, ZERO, TWO]]
    forked = fork([1, 2], [[0, 0], [0, 0]], [[ZERO, ZERO]] * 2, target)
    verdict = ForkVerifier(TokenVerifier()).verify(forked, SeededDice(0))
    assert tokens(forked, verdict) == [2, 0, 0] and verdict.sampled is None
    assert (verdict.accepted, verdict.offered) == (2, 2)
    assert verdict.next_origin == "bonus" and verdict.next_distribution is forked.target_at(verdict.path[-1])
    assert [coin.accepted for coin in verdict.decisions] == [True, False, True, True]


def test_the_residual_of_the_kept_chain_is_left():
    target, draft = [[EVEN, [0.0, 0.4, 0.6], EVEN], [ONE, ONE, ONE]], [[EVEN, [1.0, 0.5, 0.0]], [ZERO, ZERO]]
    forked = fork([1, 2], [[0, 0], [0, 0]], draft, target)
    verdict = ForkVerifier(TokenVerifier()).verify(forked, SeededDice(0))
    assert tokens(forked, verdict) == [1, 0] and (verdict.accepted, verdict.offered) == (1, 2)
    assert verdict.next_origin == "resampled"
    assert verdict.next_distribution.probs == pytest.approx(np.array([0.0, 0.4 - 1 / 3, 0.6]) / (1 - 1 / 3))


def test_the_first_of_equals_is_kept():
    forked = fork([2, 1], [[0], [0]], [[ZERO]] * 2, [[ZERO, EVEN]] * 2)
    assert tokens(forked, ForkVerifier(TokenVerifier()).verify(forked, SeededDice(0))) == [2, 0]
    rejected = fork([2, 1], [[0], [0]], [[ZERO]] * 2, [[ONE, EVEN]] * 2)
    verdict = ForkVerifier(TokenVerifier()).verify(rejected, SeededDice(0))
    assert tokens(rejected, verdict) == [2] and (verdict.accepted, verdict.offered) == (0, 1)


def test_an_ended_text_leaves_no_distribution():
    forked = fork([1, 0], [[2], []], [[TWO], []], [[TWO, EVEN], [EVEN]])
    verdict = ForkVerifier(TokenVerifier(), frozenset({2})).verify(forked, SeededDice(0))
    assert tokens(forked, verdict) == [1, 2] and verdict.next_distribution is None
    only = fork([2], [[]], [[]], [[EVEN]])
    verdict = ForkVerifier(TokenVerifier(), frozenset({2})).verify(only, SeededDice(0))
    assert tokens(only, verdict) == [2] and verdict.next_distribution is None and verdict.decisions == []


def test_greedy_judgement_shows_no_coin():
    forked = fork([0, 1], [[0], [1]], [[ZERO], [ONE]], [[ONE, EVEN], [ONE, EVEN]])
    verdict = ForkVerifier(GreedyTokenVerifier()).verify(forked, SeededDice(0))
    assert tokens(forked, verdict) == [1, 1]
    assert all(
        coin.uniform is None and coin.acceptance_probability == float(coin.accepted) for coin in verdict.decisions
    )
