"""Typical acceptance on given distributions: the threshold, trees, what is recorded."""

import math

import pytest

from specviz.dice import SeededDice
from specviz.rules.typical import TypicalVerifier
from specviz.trace.forest import Forest
from tests.by_hand import dense, scored, scored_chain

OPEN, SURE = [0.25, 0.25, 0.25, 0.25], [0.97, 0.01, 0.01, 0.01]


def verdict_of(target_rows, tokens, epsilon=0.09, delta=0.3, temperature=1.0, ends=frozenset()):
    scored = scored_chain(target_rows, [OPEN] * len(tokens), tokens)
    return TypicalVerifier(epsilon, delta, temperature, ends).verify(scored, SeededDice(0))


def test_a_flat_distribution_asks_less():
    """A token of .085 passes where the next token is open: delta exp(-H) is about .082, though epsilon is .09."""
    probs = [0.085, 0.305, 0.305, 0.305]
    entropy = -sum(p * math.log(p) for p in probs)
    test = verdict_of([probs, OPEN], [0]).decisions[0]
    assert test.entropy == pytest.approx(entropy) and test.threshold == pytest.approx(0.3 * math.exp(-entropy))
    assert test.threshold < 0.085 and test.target_prob == pytest.approx(0.085) and test.passes
    sure = verdict_of([SURE, OPEN], [1]).decisions[0]
    assert sure.threshold == 0.09 and not sure.passes


def test_the_longest_accepted_prefix_and_nothing_after_a_failure():
    verdict = verdict_of([OPEN, SURE, OPEN, OPEN], [1, 2, 3])
    tests = verdict.decisions[:-1]
    assert [test.passes for test in tests] == [True, False, True]
    assert [test.kept for test in tests] == [True, False, False]
    assert verdict.path == [0] and verdict.offered == 3
    sampled = verdict.sampled
    assert sampled.origin == "target" and sampled.source is sampled.target and sampled.after == 0


def test_the_threshold_itself_does_not_pass():
    assert verdict_of([OPEN, OPEN], [0], epsilon=0.25, delta=1.0).path == []
    assert verdict_of([OPEN, OPEN], [0], epsilon=0.2499, delta=1.0).path == [0]


def test_the_bonus_and_the_end():
    assert verdict_of([OPEN, OPEN], [2]).sampled.origin == "bonus"
    assert verdict_of([OPEN, OPEN], [2], ends=frozenset({2})).sampled is None
    nothing = verdict_of([OPEN], [])
    assert nothing.sampled.origin == "target" and nothing.offered == 0


def tree(*rows):
    """Two roots, each with one child; the target's distributions at the root and after the four nodes."""
    forest = Forest()
    for token, parent in ((0, -1), (1, -1), (2, 0), (2, 1)):
        forest.add(token, parent, dense(OPEN))
    forest.submit()
    return scored(forest, {prefix: dense(row) for prefix, row in enumerate(rows, -1)})


def test_the_longest_path_of_a_tree():
    """The first branch fails at its second token, the second does not."""
    verdict = TypicalVerifier(0.09, 0.3, 1.0).verify(tree(OPEN, SURE, OPEN, OPEN, OPEN), SeededDice(0))
    assert verdict.path == [1, 3] and verdict.offered == 2 and verdict.sampled.origin == "bonus"
    assert [test.kept for test in verdict.decisions[:-1]] == [False, True, False, True]


def test_ties_go_to_the_likelier_path_then_to_the_first():
    likelier = TypicalVerifier(0.09, 0.3, 1.0).verify(tree([0.3, 0.4, 0.2, 0.1], *[OPEN] * 4), SeededDice(0))
    assert likelier.path == [1, 3]
    assert TypicalVerifier(0.09, 0.3, 1.0).verify(tree(*[OPEN] * 5), SeededDice(0)).path == [0, 2]


def test_a_branch_that_stops_inside_a_tree_gets_the_targets_own_word():
    verdict = TypicalVerifier(0.09, 0.3, 1.0).verify(tree(OPEN, SURE, SURE, OPEN, OPEN), SeededDice(0))
    assert verdict.path == [0] and verdict.sampled.origin == "target"


def test_the_temperature_alone_softens_the_test():
    """At temperature 1/2 a distribution of (.6, .4) becomes (.36, .16) / .52."""
    test = verdict_of([[0.6, 0.4], [0.5, 0.5]], [1], temperature=0.5).decisions[0]
    assert test.target_prob == pytest.approx(0.16 / 0.52)
    assert verdict_of([[0.6, 0.4], [0.5, 0.5]], [1], temperature=0.0).path == []
    assert verdict_of([[0.6, 0.4], [0.5, 0.5]], [0], temperature=0.0).path == [0]
