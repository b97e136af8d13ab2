"""K-SEQ: rho against a fine grid, one prefix with every coin enumerated, and its edges."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specviz.dice import SeededDice
from specviz.drafting.tree import independent, likeliest, without_replacement
from specviz.rules.kseq import SequenceVerifier, leftover, passing, solve_rho, tries
from specviz.rules.token import TokenVerifier
from specviz.trace.distribution import residual
from specviz.trace.forest import Forest
from tests.by_hand import dense, scored
from tests.rules.siblings import KINDS, distance, distributions_of_kind, siblings_of, token_distribution
from tests.rules.test_token import FixedDice

EXACT = 1e-9


def gap(p, q, k, rho):
    """1 - (1 - beta)^k - rho beta: positive below the root, negative above it."""
    beta = np.minimum(q, p / rho).sum()
    return 1 - (1 - beta) ** k - rho * beta


@pytest.mark.parametrize("kind", KINDS[:4])
@pytest.mark.parametrize("k", [1, 2, 3, 4, 8])
def test_rho_against_a_fine_grid(k, kind):
    for seed in range(5):
        target, draft = distributions_of_kind(kind, 5, seed)
        p, q = target.probs, draft.probs
        rho = solve_rho(p, q, k)
        assert 1 <= rho <= k
        if not np.minimum(p, q).any():
            continue
        grid = np.linspace(1, k, 20001)
        gaps = np.array([gap(p, q, k, value) for value in grid])
        beyond = grid[gaps <= 1e-15]
        assert abs(rho - (beyond[0] if len(beyond) else k)) <= grid[-1] / 10000
        assert abs(gap(p, q, k, rho)) < 1e-12


distributions = st.lists(st.floats(0, 1), min_size=4, max_size=4).filter(lambda row: sum(row) > 0.01)


@settings(max_examples=200)
@given(distributions, distributions, st.integers(1, 16))
def test_the_upper_end_leaves_no_negative_residual(p, q, k):
    """Not even by the rounding of the bisection."""
    p, q = dense(p).probs, dense(q).probs
    rho = solve_rho(p, q, k)
    beta = passing(p, q, rho)
    assert tries(beta, k) <= rho
    assert (p - np.minimum(q, p / rho) * tries(beta, k)).min() >= -1e-15


def test_below_the_root_the_residual_goes_negative():
    p, q = np.array([0.3, 0.7]), np.array([0.8, 0.2])
    rho = solve_rho(p, q, 2)
    below = rho - 1e-6
    assert (p - np.minimum(q, p / below) * tries(passing(p, q, below), 2)).min() < -1e-8
    assert (p - np.minimum(q, p / rho) * tries(passing(p, q, rho), 2)).min() == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize("k", [1, 3])
def test_distributions_in_common_with_nothing_draw_from_the_target(k):
    target, draft = distributions_of_kind("disjoint", 4)
    rho = solve_rho(target.probs, draft.probs, k)
    np.testing.assert_array_equal(leftover(target, draft, rho, k).probs, target.probs)
    (*tests, drawn) = SequenceVerifier().verify(siblings_of(target, [(3, draft)] * k), FixedDice(*[0.0] * k)).decisions
    assert [(test.acceptance_probability, test.beta, test.accept_any, test.accepted) for test in tests] == [
        (0.0, 0.0, 0.0, False)
    ] * k
    assert drawn.source.probs.tolist() == target.probs.tolist()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("k", "vocab_size"), [(1, 5), (2, 3), (3, 3), (3, 4), (4, 5)], ids=str)
def test_the_token_follows_the_target(k, vocab_size, kind):
    target, draft = distributions_of_kind(kind, vocab_size)
    found = token_distribution(target, lambda dice: islice(independent(draft, dice), k), SequenceVerifier())
    assert distance(found, target.probs) < EXACT


@pytest.mark.parametrize("kind", KINDS)
def test_one_candidate_is_token_verification(kind):
    for seed in range(10):
        target, draft = distributions_of_kind(kind, 5, seed)
        scored = siblings_of(target, islice(independent(draft, SeededDice(seed)), 1))
        ours, theirs = (verifier.verify(scored, SeededDice(seed)) for verifier in (SequenceVerifier(), TokenVerifier()))
        assert ours.decisions[0].rho == 1.0
        assert ours.decisions[0].acceptance_probability == theirs.decisions[0].acceptance_probability
        assert ours.path == theirs.path and ours.sampled.token == theirs.sampled.token
        np.testing.assert_allclose(leftover(target, draft, 1.0, 1).probs, residual(target, draft).probs, atol=1e-12)


@pytest.mark.parametrize(
    "draws", [without_replacement, lambda draft, dice: likeliest(draft, 3)], ids=["without", "top"]
)
def test_drafts_that_are_not_independent_are_caught(draws, record_property):
    target, draft = distributions_of_kind("random", 4, seed=3)
    found = token_distribution(
        target, lambda dice: [(token, draft) for token, _ in islice(draws(draft, dice), 3)], SequenceVerifier()
    )
    record_property("total_variation", float(distance(found, target.probs)))
    print(f"K-SEQ with drafts that are not i.i.d.: total variation {distance(found, target.probs):.3f}")
    assert distance(found, target.probs) > 0.02


def test_an_accepted_copy_goes_on_with_all_sequences_of_its_token():
    """Two sequences 0 1 and 0 0: the first fails its coin, the second passes; both are judged after it."""
    target, draft, forest = dense([0.3, 0.7]), dense([0.8, 0.2]), Forest()
    first, _copy = forest.add(0, -1, draft), forest.add(0, -1, draft)
    below = [forest.add(1, first, draft), forest.add(0, first, draft)]
    forest.submit()
    judged = scored(forest, dict.fromkeys((-1, *forest.submitted), target))
    verdict = SequenceVerifier().verify(judged, FixedDice(0.99, 0.0, 0.0, 0.5))
    tests = verdict.decisions[:-1]
    assert [(test.node, test.accepted, test.candidates) for test in tests] == [
        (0, False, 2),
        (1, True, 2),
        (2, True, 2),
    ]
    assert verdict.path == [first, below[0]] and verdict.sampled.origin == "bonus" and verdict.offered == 2
    assert tests[0].accept_any == pytest.approx(tests[0].rho * tests[0].beta)


def test_no_coin_where_nothing_is_left_to_chance():
    certain, other = dense([1.0, 0.0]), dense([0.0, 1.0])
    agreeing = SequenceVerifier().verify(siblings_of(certain, [(0, certain)] * 3), SeededDice(0))
    assert [(d.uniform, d.accepted, d.rho) for d in agreeing.decisions[:-1]] == [(None, True, 1.0)]
    differing = SequenceVerifier().verify(siblings_of(other, [(0, certain)] * 3), SeededDice(0))
    assert [(d.uniform, d.accepted) for d in differing.decisions[:-1]] == [(None, False)] * 3
    assert differing.sampled.token == 1 and differing.sampled.uniform is None


def test_nothing_is_drawn_after_an_accepted_end():
    end = dense([0.0, 1.0])
    verdict = SequenceVerifier(frozenset({1})).verify(siblings_of(end, [(1, end)] * 2), SeededDice(0))
    assert verdict.path == [0] and verdict.sampled is None
