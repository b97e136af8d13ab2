"""Forks on given laws: which chain is kept, and the law it leaves for the next roots."""

import numpy as np
import pytest

from specviz.dice import SeededDice
from specviz.drafting.forest import Forest, ScoredForest
from specviz.verifying.fork import ForkVerifier
from specviz.verifying.token import GreedyTokenVerifier, TokenVerifier
from tests.verifying.test_joint import law

EVEN, ZERO, ONE, TWO = [1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1]


def fork(roots, chains, draft, target, root_law=EVEN):
    """A fork drafted layer by layer: ``chains`` are the tokens under each root, ``draft`` and ``target`` the rows of
    both laws by (chain, depth): the law of the token at this depth of the chain, one more for the target."""
    forest, after, tips = Forest(planned_depth=3), {}, {}
    for c, token in enumerate(roots):
        tips[c] = forest.add(token, -1, law(*root_law))
        forest.roots[tips[c]] = "target"
        after[tips[c]] = law(*target[c][0])
    for depth in range(max(map(len, chains))):
        for c, chain in enumerate(chains):
            if depth < len(chain):
                tips[c] = forest.add(chain[depth], tips[c], law(*draft[c][depth]))
                after[tips[c]] = law(*target[c][depth + 1])
    forest.submitted = list(range(len(forest)))
    return ScoredForest(forest, (law(*root_law),), after)


def tokens(scored, verdict):
    return [scored.forest.tokens[node] for node in verdict.path]


def test_the_chain_that_goes_furthest_is_kept_whole():
    """The first chain is rejected at its second token, the second nowhere."""
    target = [[ZERO, ONE, EVEN], [ZERO, ZERO, TWO]]
    scored = fork([1, 2], [[0, 0], [0, 0]], [[ZERO, ZERO]] * 2, target)
    verdict = ForkVerifier(TokenVerifier()).verify(scored, SeededDice(0))
    assert tokens(scored, verdict) == [2, 0, 0] and verdict.drawn is None
    assert (verdict.accepted, verdict.offered) == (2, 2)
    assert verdict.next_origin == "bonus" and verdict.next_law is scored.law_at(verdict.path[-1])
    assert [coin.accepted for coin in verdict.decisions] == [True, False, True, True]


def test_the_residual_of_the_kept_chain_is_left():
    target, draft = [[EVEN, [0.0, 0.4, 0.6], EVEN], [ONE, ONE, ONE]], [[EVEN, [1.0, 0.5, 0.0]], [ZERO, ZERO]]
    scored = fork([1, 2], [[0, 0], [0, 0]], draft, target)
    verdict = ForkVerifier(TokenVerifier()).verify(scored, SeededDice(0))
    assert tokens(scored, verdict) == [1, 0] and (verdict.accepted, verdict.offered) == (1, 2)
    assert verdict.next_origin == "resampled"
    assert verdict.next_law.probs == pytest.approx(np.array([0.0, 0.4 - 1 / 3, 0.6]) / (1 - 1 / 3))


def test_the_first_of_equals_is_kept():
    scored = fork([2, 1], [[0], [0]], [[ZERO]] * 2, [[ZERO, EVEN]] * 2)
    assert tokens(scored, ForkVerifier(TokenVerifier()).verify(scored, SeededDice(0))) == [2, 0]
    rejected = fork([2, 1], [[0], [0]], [[ZERO]] * 2, [[ONE, EVEN]] * 2)
    verdict = ForkVerifier(TokenVerifier()).verify(rejected, SeededDice(0))
    assert tokens(rejected, verdict) == [2] and (verdict.accepted, verdict.offered) == (0, 1)


def test_an_ended_text_leaves_no_law():
    scored = fork([1, 0], [[2], []], [[TWO], []], [[TWO, EVEN], [EVEN]])
    verdict = ForkVerifier(TokenVerifier(), frozenset({2})).verify(scored, SeededDice(0))
    assert tokens(scored, verdict) == [1, 2] and verdict.next_law is None
    only = fork([2], [[]], [[]], [[EVEN]])
    verdict = ForkVerifier(TokenVerifier(), frozenset({2})).verify(only, SeededDice(0))
    assert tokens(only, verdict) == [2] and verdict.next_law is None and verdict.decisions == []


def test_greedy_judgement_shows_no_coin():
    scored = fork([0, 1], [[0], [1]], [[ZERO], [ONE]], [[ONE, EVEN], [ONE, EVEN]])
    verdict = ForkVerifier(GreedyTokenVerifier()).verify(scored, SeededDice(0))
    assert tokens(scored, verdict) == [1, 1]
    assert all(coin.draw is None and coin.chance == float(coin.accepted) for coin in verdict.decisions)
