"""Recursive rejection sampling after one prefix: every coin enumerated, the token follows the target."""

from itertools import islice

import numpy as np
import pytest

from specviz.dice import SeededDice
from specviz.drafting.tree import independent, likeliest, without_replacement
from specviz.rules import recursive
from specviz.rules.recursive import RecursiveVerifier
from specviz.trace.distribution import Distribution, residual
from tests.by_hand import dense
from tests.rules.siblings import KINDS, distance, distributions_of_kind, picked, siblings_of, token_distribution
from tests.rules.test_token import FixedDice

EXACT = 1e-9
SIZES = [(2, 3), (3, 3), (3, 4), (4, 5)]  # candidates, vocabulary


def _by_turns(distributions, count, dice):
    return [
        (picked(distribution, dice), distribution)
        for distribution, _ in zip(distributions * count, range(count), strict=False)
    ]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("k", "vocab_size"), [(1, 5), *SIZES], ids=str)
@pytest.mark.parametrize("draws", [independent, without_replacement])
def test_the_token_follows_the_target(draws, k, vocab_size, kind):
    target, draft = distributions_of_kind(kind, vocab_size)
    found = token_distribution(target, lambda dice: islice(draws(draft, dice), k), RecursiveVerifier())
    assert distance(found, target.probs) < EXACT


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("k", "vocab_size"), SIZES[:3], ids=str)
def test_candidates_of_several_models_by_turns(k, vocab_size, kind):
    target, *drafts = distributions_of_kind(kind, vocab_size, count=3)
    found = token_distribution(target, lambda dice: _by_turns(drafts, k, dice), RecursiveVerifier())
    assert distance(found, target.probs) < EXACT


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [1, 2, 4, 5])
def test_candidates_taken_for_certain(k, kind):
    target, draft = distributions_of_kind(kind, 5)
    found = token_distribution(target, lambda dice: likeliest(draft, k), RecursiveVerifier())
    assert distance(found, target.probs) < EXACT


def test_without_replacement_stops_when_the_draft_is_exhausted():
    draft = dense([0.5, 0.5, 0.0])
    drawn = list(without_replacement(draft, SeededDice(1)))
    assert sorted(token for token, _ in drawn) == [0, 1]
    assert drawn[0][1] is draft and drawn[1][1].probs[drawn[1][0]] == 1.0


# Pitfalls, on distributions of a fixed seed.


def _without(distribution: Distribution, tokens) -> Distribution:
    probs = distribution.probs.copy()
    probs[list(tokens)] = 0.0
    return distribution.with_probs(probs / probs.sum()) if probs.sum() > 0 else distribution


def _iid_as_without(draft, dice):
    drawn = []
    for token, distribution in islice(independent(draft, dice), 3):
        yield token, _without(distribution, drawn)
        drawn.append(token)


def _without_as_iid(draft, dice):
    return [(token, draft) for token, _ in islice(without_replacement(draft, dice), 3)]


def _one_array_for_all(draft, dice):
    """Draws without replacement, zeroing in place the very array that every candidate hands over."""
    shared, drawn = draft.with_probs(draft.probs.copy()), []
    for _ in range(3):
        drawn.append((picked(shared, dice), shared))
        if len(drawn) < 3:
            shared.probs[drawn[-1][0]] = 0.0
            shared.probs[:] /= shared.probs.sum()
    return drawn


PITFALLS = {
    "i.i.d. drafts judged as without replacement": _iid_as_without,
    "drafts without replacement judged as i.i.d.": _without_as_iid,
    "a distribution changed in place while drawing": _one_array_for_all,
}


@pytest.mark.parametrize("name", PITFALLS)
def test_wrong_distributions_are_caught(name, record_property):
    target, draft = distributions_of_kind("random", 4, seed=3)
    found = token_distribution(target, lambda dice: PITFALLS[name](draft, dice), RecursiveVerifier())
    record_property("total_variation", float(distance(found, target.probs)))
    print(f"{name}: total variation {distance(found, target.probs):.3f}")
    assert distance(found, target.probs) > 0.02


def _residual_in_place(target: Distribution, draft: Distribution) -> Distribution:
    left = residual(target, draft)
    target.probs[:] = left.probs
    return target


def _changed(verifier) -> list[bool]:
    """Whether verifying changes a distribution that was handed in, or one that it recorded, on some seeds."""
    found = []
    for seed in range(20):
        target, draft = distributions_of_kind("random", 4, seed=seed)
        scored = siblings_of(target, islice(independent(draft, SeededDice(seed)), 3))
        before = target.probs.copy(), draft.probs.copy()
        coins = verifier.verify(scored, SeededDice(seed)).decisions
        same = (target.probs == before[0]).all() and (draft.probs == before[1]).all()
        told = [coin for coin in coins if hasattr(coin, "acceptance_probability")]
        agree = all(
            coin.acceptance_probability == pytest.approx(min(1.0, coin.target_prob / coin.draft_prob)) for coin in told
        )
        found.append(not (same and agree))
    return found


def test_records_keep_what_was_judged(monkeypatch):
    assert not any(_changed(RecursiveVerifier()))
    monkeypatch.setattr(recursive, "residual", _residual_in_place)
    assert any(_changed(RecursiveVerifier()))


# What the record says.


def test_candidates_are_judged_in_order_by_what_is_left():
    target, draft = dense([0.2, 0.5, 0.3]), dense([0.6, 0.2, 0.2])
    verdict = RecursiveVerifier().verify(
        siblings_of(target, [(0, draft), (0, draft), (1, draft)]), FixedDice(0.9, 0.0, 0.5)
    )
    first, copy, last, bonus = verdict.decisions
    assert (first.acceptance_probability, first.accepted, first.candidate, first.candidates) == (
        pytest.approx(1 / 3),
        False,
        0,
        3,
    )
    np.testing.assert_allclose(copy.target.probs, [0.0, 0.75, 0.25])
    assert (copy.acceptance_probability, copy.accepted) == (0.0, False)  # never, once its twin was rejected
    np.testing.assert_allclose(last.target.probs, [0.0, 11 / 12, 1 / 12])
    assert last.accepted and verdict.path == [2] and (bonus.origin, bonus.after) == ("bonus", 2)
    assert verdict.offered == 1


def test_none_accepted_draws_from_what_is_left():
    target, draft = dense([0.2, 0.5, 0.3]), dense([0.6, 0.2, 0.2])
    verdict = RecursiveVerifier().verify(siblings_of(target, [(0, draft), (0, draft)]), FixedDice(0.9, 0.9))
    drawn = verdict.decisions[-1]
    assert verdict.path == [] and (drawn.origin, drawn.after, drawn.token) == ("resampled", -1, 1)
    assert drawn.target is target
    np.testing.assert_allclose(drawn.source.probs, [0.0, 11 / 12, 1 / 12])


def test_no_coin_where_nothing_is_left_to_chance():
    target = dense([0.0, 1.0, 0.0])
    verdict = RecursiveVerifier().verify(siblings_of(target, likeliest(dense([0.6, 0.3, 0.1]), 2)), SeededDice(0))
    assert [(coin.uniform, coin.accepted) for coin in verdict.decisions[:2]] == [(None, False), (None, True)]
    unsure = RecursiveVerifier().verify(siblings_of(dense([0.5, 0.5]), likeliest(dense([0.6, 0.4]), 1)), SeededDice(0))
    assert unsure.decisions[0].uniform is not None


def test_nothing_is_drawn_after_an_accepted_end():
    end = dense([0.0, 1.0])
    verdict = RecursiveVerifier(frozenset({1})).verify(siblings_of(end, [(1, end)]), SeededDice(0))
    assert verdict.path == [0] and verdict.sampled is None
