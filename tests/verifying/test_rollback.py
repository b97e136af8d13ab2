"""The rollback on given laws: its threshold, the earliest failure, what is recorded."""

import math

import pytest

from specviz.dice import SeededDice
from specviz.verifying.rollback import RollbackVerifier
from tests.verifying.test_joint import scored_chain


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
    assert (
        verdict.drawn.origin == "target" and verdict.drawn.source is verdict.drawn.target and verdict.drawn.after == 0
    )


def test_the_ends_of_the_threshold():
    certain, open_place = [0.0, 1.0, 0.0], [0.5, 0.5, 0.0]
    assert verdict_of([certain, certain, open_place], [1, 1], 0.0).path == [0, 1]
    assert verdict_of([certain, open_place, open_place], [1, 1], 0.0).path == [0]
    impossible = verdict_of([open_place, open_place], [2], 100.0)
    assert impossible.path == [] and impossible.decisions[0].surprise == math.inf
    half = -math.log(0.5)
    assert verdict_of([open_place, open_place], [0], half + 1e-12).path == [0]
    assert verdict_of([open_place, open_place], [0], half - 1e-12).path == []


def test_the_target_goes_on_by_itself():
    open_place = [0.5, 0.5, 0.0]
    assert verdict_of([open_place, open_place], [1], 2.0).drawn.origin == "bonus"
    assert verdict_of([open_place], [], 2.0).drawn.origin == "target"
    assert verdict_of([open_place, open_place], [1], 2.0, ends=frozenset({1})).drawn is None
