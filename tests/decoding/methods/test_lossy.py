"""Typical acceptance and the Big Little Decoder: their distributions by brute force, pitfalls, temperature 0, ends."""

import math
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest

from specviz.decoding.exact.distribution import exact_distribution, target_distribution
from specviz.decoding.registry.methods.lossy import BILD, TYPICAL
from specviz.drafting.chain import ChainDrafter
from specviz.drafting.confident import ConfidentDrafter, confidence
from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM
from specviz.trace.distribution import Distribution, total_variation
from tests.decoding.methods.brute_force import repeated, sequences, warped, with_next
from tests.decoding.methods.models import PAIRS, random_pair
from tests.decoding.registry.variants import as_kind, variant

EXACT = 1e-9
WARPS = [{}, {"temperature": 0.6}, {"temperature": 1.7, "top_k": 2}]


def entropy(probs):
    return -sum(p * math.log(p) for p in probs if p > 0)


def typical_distribution(pair, prompt, n_tokens, gamma, epsilon, delta, temperature=1.0, top_k=None):
    """Accept while p(x) > min(eps, delta exp(-H(p))), p after temperature only; one more from the whole warp's p."""
    p, q = (warped(m.probabilities, temperature, top_k) for m in (pair.target, pair.draft))
    soft, ends = warped(pair.target.probabilities, temperature), pair.end_tokens

    def accepted(context, token):
        distribution = soft(context)
        return distribution[token] > min(epsilon, delta * math.exp(-entropy(distribution)))

    def iteration(context):
        kept = defaultdict(float)
        for draft, probability in sequences(q, context, gamma, ends).items():
            i = 0
            while i < len(draft) and accepted((*context, *draft[:i]), draft[i]):
                i += 1
            kept[draft[:i]] += probability
        return with_next(kept, p, context, ends)

    return repeated(iteration, prompt, n_tokens, ends)


def bild_distribution(pair, prompt, n_tokens, gamma, fallback, rollback, temperature=1.0, top_k=None):
    """Draft while the unwarped max q >= fallback; go back to the first -log p(x) > rollback, unwarped; one from p."""
    p, q = (warped(m.probabilities, temperature, top_k) for m in (pair.target, pair.draft))
    raw_p, raw_q, ends = pair.target.probabilities, pair.draft.probabilities, pair.end_tokens

    def fails(context, token):
        prob = raw_p(context)[token]
        return prob == 0 or -math.log(prob) > rollback

    def iteration(context):
        kept = defaultdict(float)
        for draft, probability in sequences(q, context, gamma, ends, lambda c: max(raw_q(c)) >= fallback).items():
            failing = [i for i, token in enumerate(draft) if fails((*context, *draft[:i]), token)]
            kept[draft[: min(failing, default=len(draft))]] += probability
        return with_next(kept, p, context, ends)

    return repeated(iteration, prompt, n_tokens, ends)


@pytest.mark.parametrize("warp", WARPS, ids=str)
@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
@pytest.mark.parametrize(("epsilon", "delta"), [(0.09, 0.3), (0.3, 1.0)])
def test_typical_equals_brute_force(epsilon, delta, pair, warp):
    options = {"epsilon": epsilon, "delta": delta, **warp}
    for gamma, n_tokens in ((1, 2), (2, 3)):
        distribution = exact_distribution(pair, TYPICAL, [0], n_tokens, restart=True, gamma=gamma, **options)
        assert total_variation(distribution, typical_distribution(pair, (0,), n_tokens, gamma, **options)) < EXACT


@pytest.mark.parametrize("warp", WARPS, ids=str)
@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
@pytest.mark.parametrize(("fallback", "rollback"), [(0.0, 1.0), (0.6, 2.0)])
def test_bild_equals_brute_force(fallback, rollback, pair, warp):
    options = {"fallback": fallback, "rollback": rollback, **warp}
    for gamma, n_tokens in ((1, 2), (2, 3)):
        distribution = exact_distribution(pair, BILD, [0], n_tokens, restart=True, gamma=gamma, **options)
        assert total_variation(distribution, bild_distribution(pair, (0,), n_tokens, gamma, **options)) < EXACT


@pytest.mark.full
@pytest.mark.parametrize(
    ("method", "options", "brute_force"),
    [
        (TYPICAL, {"gamma": 2, "epsilon": 0.3, "delta": 0.6}, typical_distribution),
        (BILD, {"gamma": 2, "fallback": 0.4, "rollback": 1.0}, bild_distribution),
    ],
    ids=["typical", "bild"],
)
def test_a_text_that_ends(method, options, brute_force):
    """An end token inside a draft: nothing is drafted or drawn after it. The run is whole, its caches cut back."""
    pair = random_pair(3, 12)
    pair = ModelPair(pair.target, pair.draft, end_tokens=frozenset({2}))
    distribution = exact_distribution(pair, method, [0], 3, **options)
    assert total_variation(distribution, brute_force(pair, (0,), 3, **options)) < EXACT
    assert any(len(text) < 3 for text in distribution) and all(2 not in text[:-1] for text in distribution)


class _OtherTargets:
    """A verifier that is handed other target distributions: ``change(distribution)`` of every one."""

    def __init__(self, verifier, change):
        self._verifier, self._change = verifier, change

    def verify(self, scored, dice):
        target = {prefix: self._change(given) for prefix, given in scored.forest.target.items()}
        return self._verifier.verify(replace(scored, forest=replace(scored.forest, target=target)), dice)


def _cut_to_two(given):
    """The test on p after top-k too: only the two likeliest tokens have a logit."""
    logits = np.where(given.logits >= np.sort(given.logits)[-2], given.logits, -np.inf)
    return Distribution(given.tokens, given.probs, logits, given.log_total, given.likeliest, True)


def _warped_logits(given):
    """The rollback's test on the warped p."""
    with np.errstate(divide="ignore"):
        logits = np.log(given.probs)
    return Distribution(given.tokens, given.probs, logits, 0.0, given.likeliest, True)


class _WarpedConfidence(ConfidentDrafter):
    """The fallback on the warped q, and the token under the threshold drafted all the same."""

    def choose(self, draft, text, dice):
        return ChainDrafter.choose(self, draft, text, dice) if draft.probs.max() >= self._fallback else None


class _DraftsUnderTheThreshold(ConfidentDrafter):
    """Looks after drawing: the token drawn under the threshold is drafted."""

    def choose(self, draft, text, dice):
        going, self._was_sure = self._was_sure, confidence(draft) >= self._fallback
        return ChainDrafter.choose(self, draft, text, dice) if going else None

    def draft(self, beams, dice):
        self._was_sure = True
        return super().draft(beams, dice)


PITFALLS = {
    "typical: the test on p after top-k": (TYPICAL, {"verifier": lambda built: _OtherTargets(built, _cut_to_two)}),
    "bild: warped confidence": (BILD, {"drafter": as_kind(_WarpedConfidence)}),
    "bild: a token under the fallback threshold drafted": (BILD, {"drafter": as_kind(_DraftsUnderTheThreshold)}),
    "bild: no fallback": (BILD, {"drafter": as_kind(ChainDrafter)}),
    "bild: surprise of the warped p": (BILD, {"verifier": lambda built: _OtherTargets(built, _warped_logits)}),
}


@pytest.mark.parametrize("name", PITFALLS)
def test_every_pitfall_is_caught(name, record_property):
    method, fault = PITFALLS[name]
    bild = {"fallback": 0.6, "rollback": 2.0, "temperature": 0.5}
    typical = {"epsilon": 0.3, "delta": 1.0, "temperature": 1.7}
    options = {"gamma": 2, "top_k": 2, **(bild if method is BILD else typical)}
    brute_force = bild_distribution if method is BILD else typical_distribution
    distances = []
    for seed in (31, 33, 35):  # models of fixed seeds; each fault shows on at least one
        pair = random_pair(3, seed, sharpness=1.0)
        expected = brute_force(pair, (0,), 2, **options)
        assert total_variation(exact_distribution(pair, method, [0], 2, restart=True, **options), expected) < EXACT
        distribution = exact_distribution(pair, variant(method, **fault), [0], 2, restart=True, **options)
        distances.append(float(total_variation(distribution, expected)))
    record_property("total_variation", float(max(distances)))
    print(f"{name}: total variation {[round(distance, 3) for distance in distances]}")
    assert max(distances) > 0.02


@pytest.mark.parametrize("pair", ["random", "zeros", "disjoint"])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.09, 0.3), (0.0, 0.0), (1.0, 1.0)])
def test_typical_is_greedy_at_temperature_zero(epsilon, delta, pair):
    options = {"temperature": 0.0, "epsilon": epsilon, "delta": delta}
    assert TYPICAL.guarantee_for(**options) == "greedy"
    distribution = exact_distribution(PAIRS[pair], TYPICAL, [0, 1], 4, **options)
    assert distribution == exact_distribution(PAIRS[pair], "autoregressive", [0, 1], 4, temperature=0.0)


def test_bild_at_temperature_zero_keeps_what_does_not_surprise():
    """Greedy drafts that the target ranks second, at a surprise of .8, stay: lossy at temperature 0 too."""
    target = TableLM(lambda context: [0.55, 0.45], 2)
    pair = ModelPair(target, TableLM(lambda context: [0.05, 0.95], 2))
    assert BILD.guarantee_for(temperature=0.0) == "lossy"
    assert exact_distribution(pair, BILD, [0], 3, temperature=0.0, gamma=3) == {(1, 1, 1): 1.0}
    assert exact_distribution(pair, BILD, [0], 3, temperature=0.0, gamma=3, rollback=0.5) == {(0, 0, 0): 1.0}
    assert exact_distribution(pair, BILD, [0], 3, temperature=0.0, gamma=3, fallback=0.96) == {(0, 0, 0): 1.0}


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
@pytest.mark.parametrize("temperature", [1.0, 0.5, 0.0])
def test_a_rollback_threshold_of_zero_is_lossless(pair, temperature):
    """Only tokens that the target is certain of stay, and those it would have drawn itself."""
    options = {"rollback": 0.0, "temperature": temperature}
    assert BILD.guarantee_for(**options) == ("greedy" if temperature == 0 else "target")
    distribution = exact_distribution(pair, BILD, [0], 2, gamma=2, fallback=0.0, **options)
    assert total_variation(distribution, target_distribution(pair, [0], 2, temperature=temperature)) < EXACT


def test_both_say_that_they_are_lossy():
    assert TYPICAL.guarantee == BILD.guarantee == "lossy"
    pair = random_pair(3, 35, sharpness=2.0)
    for method, options in ((TYPICAL, {"gamma": 2}), (BILD, {"gamma": 2, "fallback": 0.5})):
        assert (
            total_variation(exact_distribution(pair, method, [0], 2, **options), target_distribution(pair, [0], 2))
            > 0.02
        )


def test_ends_of_the_thresholds():
    """Epsilon 0 keeps all that the target allows, 1 (and delta 1) nothing of an open place; fallback 0 always drafts,
    above the largest probability never."""
    pair = random_pair(3, 7)
    q_then_p = with_next(sequences(pair.draft.probabilities, (0,), 1), pair.target.probabilities, (0,))
    distribution = exact_distribution(pair, TYPICAL, [0], 2, gamma=1, epsilon=0.0)
    assert total_variation(distribution, q_then_p) < EXACT
    distribution = exact_distribution(pair, TYPICAL, [0], 2, gamma=1, epsilon=1.0, delta=0.0)
    assert total_variation(distribution, q_then_p) < EXACT
    distribution = exact_distribution(pair, BILD, [0], 2, gamma=1, fallback=0.0, rollback=100.0)
    assert total_variation(distribution, q_then_p) < EXACT
    distribution = exact_distribution(pair, BILD, [0], 2, gamma=1, fallback=1.0)
    assert total_variation(distribution, target_distribution(pair, [0], 2)) < EXACT
