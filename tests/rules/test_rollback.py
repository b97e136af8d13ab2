"""The rollback on given distributions: its threshold, the earliest failure, what is recorded."""

import math

import pytest

from specviz.dice import SeededDice
from specviz.rules.rollback import RollbackVerifier
from tests.by_hand import scored_chain


def verdict_of(target_rows, tokens, threshold, ends=frozenset()):
    scored = scored_chain(target_rows, [[0.9, 0.05, 0.05]] * len(tokens), tokens)
    return RollbackVerifier(threshold, ends).verify(scored, SeededDice(0))


def test_back_to_the_earliest_surprise():
    """Surprises .7, 3, .7, 4.6 against 2: everything from the second token on is taken back."""
    low, odd = [0.5, 0.3, 0.2], [0.05, 0.9, 0.05]
    verdict = verdict_of([low, odd, low, [0.01, 0.9, 0.09], low], [0, 0, 0, 0], 2.0)
    tests = verdict.decisions[:-1]
    assert [test.passes for test in tests] == [True, False, True, False]
    assert [test.kept for test in tests] == [True, False, False, False]
    assert tests[1].surprise == pytest.approx(-math.log(0.05)) and tests[1].threshold == 2.0
    assert tests[0].confidence == pytest.approx(0.9)
    assert verdict.path == [0] and verdict.offered == 4
    sampled = verdict.sampled
    assert sampled.origin == "target" and sampled.source is sampled.target and sampled.after == 0


def test_the_ends_of_the_threshold():
    certain, undecided = [0.0, 1.0, 0.0], [0.5, 0.5, 0.0]
    assert verdict_of([certain, certain, undecided], [1, 1], 0.0).path == [0, 1]
    assert verdict_of([certain, undecided, undecided], [1, 1], 0.0).path == [0]
    impossible = verdict_of([undecided, undecided], [2], 100.0)
    assert impossible.path == [] and impossible.decisions[0].surprise is None
    half = -math.log(0.5)
    assert verdict_of([undecided, undecided], [0], half + 1e-12).path == [0]
    assert verdict_of([undecided, undecided], [0], half - 1e-12).path == []


def test_the_target_goes_on_by_itself():
    undecided = [0.5, 0.5, 0.0]
    assert verdict_of([undecided, undecided], [1], 2.0).sampled.origin == "bonus"
    assert verdict_of([undecided], [], 2.0).sampled.origin == "target"
    assert verdict_of([undecided, undecided], [1], 2.0, ends=frozenset({1})).sampled is None
