"""The distribution of whole decoders, every coin enumerated: that of lossless methods is the target's to 1e-9."""

import numpy as np
import pytest

import specviz
from specviz.decoding.exact.distribution import distribution_of, exact_distribution, target_distribution
from specviz.decoding.registry.registry import find_method
from specviz.dice import Pick
from specviz.drafting.drafter import Drafter
from specviz.errors import OptionError
from specviz.lm.pair import ModelPair
from specviz.lm.parts.correlation import Correlation
from specviz.lm.table import TableLM
from specviz.rules import token as token_rules
from specviz.rules.token import Coin, TokenVerifier
from specviz.trace.distribution import Distribution, total_variation
from tests.decoding.methods.models import PAIRS, random_pair
from tests.decoding.registry.variants import variant

EXACT = 1e-9
LOSSLESS = [
    ("autoregressive", {}),
    *[("speculative", {"gamma": gamma}) for gamma in (1, 2, 3)],
    *[("speculative", {"gamma": 2, "draft": kind}) for kind in ("unigram", "bigram", "prompt", "random")],
]
WARPS = [{}, {"temperature": 0.7, "top_k": 2}, {"top_p": 0.6}, {"temperature": 2.0}]


def product_distribution(pair: ModelPair, prompt, n_tokens):
    """The target's distribution straight from the chain rule, without any decoder."""
    distribution = {(): 1.0}
    for _ in range(n_tokens):
        distribution = {
            (*so_far, token): probability * p
            for so_far, probability in distribution.items()
            for token, p in enumerate(pair.target.probabilities((*prompt, *so_far)))
            if p > 0
        }
    return distribution


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
@pytest.mark.parametrize(("method", "options"), LOSSLESS, ids=str)
def test_two_tokens_follow_the_target(method, options, pair):
    assert find_method(method).guarantee_for(**options) == "target"
    distribution = exact_distribution(pair, method, [0, 1, 0], 2, restart=options.get("gamma") == 3, **options)
    assert sum(distribution.values()) == pytest.approx(1, abs=EXACT)
    assert total_variation(distribution, product_distribution(pair, (0, 1, 0), 2)) < EXACT


@pytest.mark.parametrize("pair", ["random", "zeros", "disjoint"])
@pytest.mark.parametrize(("method", "options"), LOSSLESS, ids=str)
def test_three_tokens_follow_the_target(method, options, pair):
    long = options.get("gamma") == 3 or pair == "zeros" or options.get("draft") == "random"
    distribution = exact_distribution(PAIRS[pair], method, [1, 0], 3, restart=long, **options)
    assert total_variation(distribution, product_distribution(PAIRS[pair], (1, 0), 3)) < EXACT


@pytest.mark.every(3)
@pytest.mark.parametrize("warp", WARPS, ids=str)
@pytest.mark.parametrize(("method", "options"), LOSSLESS[2:5], ids=str)
def test_the_warped_distribution_is_kept_too(method, options, warp):
    pair = random_pair(4, 9)
    distribution = exact_distribution(pair, method, [2, 0], 2, restart=options.get("gamma") == 3, **options, **warp)
    assert total_variation(distribution, target_distribution(pair, [2, 0], 2, **warp)) < EXACT


@pytest.mark.full
@pytest.mark.parametrize("kind", ["unigram", "bigram"])
def test_drafts_from_a_table_keep_the_distribution(kind):
    target = random_pair(3, 13).target
    table = Correlation.from_counts(np.array([1, 3, 5]), np.array([4, 9, 2]), 3)  # 0 1, 1 0 and 1 2; nothing after 2
    pair = ModelPair(target, target, correlation=table)
    distribution = exact_distribution(pair, "speculative", [0], 3, gamma=2, draft=kind)
    assert total_variation(distribution, target_distribution(pair, [0], 3)) < EXACT
    drafted = specviz.decode(pair, "speculative", [0], gamma=1, draft=kind, max_new_tokens=4).iterations[0].forest.nodes
    assert drafted[0].draft.prob(1) == (1.0 if kind == "bigram" else 4 / 15)


def test_automatic_gamma_keeps_the_distribution():
    pair = random_pair(3, 11)
    pair.cost_ratio = 0.25  # small enough a gamma to enumerate
    distribution = exact_distribution(pair, "speculative", [0], 2, gamma="auto")
    assert total_variation(distribution, target_distribution(pair, [0], 2)) < EXACT


@pytest.mark.parametrize("gamma", [1, 2])
def test_a_text_that_ends_keeps_the_distribution(gamma):
    """An end token in the middle of a draft: nothing follows it, and no bonus is drawn."""
    pair = random_pair(3, 12)
    pair = ModelPair(pair.target, pair.draft, end_tokens=frozenset({2}))
    distribution = exact_distribution(pair, "speculative", [0], 3, gamma=gamma)
    assert total_variation(distribution, target_distribution(pair, [0], 3)) < EXACT
    assert any(len(text) < 3 for text in distribution) and all(2 not in text[:-1] for text in distribution)


@pytest.mark.parametrize("pair", ["random", "zeros"])
def test_temperature_zero_is_the_greedy_text(pair):
    for method, options in LOSSLESS:
        distribution = exact_distribution(PAIRS[pair], method, [0, 1], 3, temperature=0.0, **options)
        (text,) = distribution
        greedy = ()
        for _ in range(3):
            greedy = (*greedy, int(PAIRS[pair].target.probabilities((0, 1, *greedy)).argmax()))
        assert text == greedy and distribution[text] == 1.0


@pytest.mark.parametrize("lenience", [0.3, 0.6, 0.9])
def test_lenience_bounds_every_token(lenience):
    pair = random_pair(4, 49, sharpness=2.0)
    distribution = exact_distribution(pair, "speculative", [0], 1, gamma=1, lenience=lenience)
    p = pair.target.probabilities((0,))
    assert find_method("speculative").guarantee_for(lenience=lenience) == "lossy"
    assert all(distribution.get((token,), 0.0) <= p[token] / lenience + EXACT for token in range(4))
    assert total_variation(distribution, target_distribution(pair, [0], 1)) > 0.01


# Negative controls: each pitfall put into the real verifier, on models of a fixed seed.


def _fresh_sample(target: Distribution, draft: Distribution) -> Distribution:
    return target


def _only_the_token_zeroed(target: Distribution, token: int) -> Distribution:
    probs = target.probs.copy()
    probs[target.index(token)] = 0.0
    return target.with_probs(probs / probs.sum()) if probs.sum() > 0 else target


class _ZeroesOnlyTheToken(TokenVerifier):
    def verify(self, scored, dice):
        verdict = super().verify(scored, _NoPick(dice))
        return _redraw(verdict, scored, dice, lambda coin: _only_the_token_zeroed(coin.target, coin.token))


class _Noise:
    """What the drafter of one run and its verifier share: a uniform number, on a grid fine enough to show the fault."""

    GRID = 75

    def __init__(self):
        self.uniform = 0.0

    def draw(self, dice):
        return (dice.pick([1.0] * self.GRID).index + 0.5) / self.GRID


class _NoisyDrafter(Drafter):
    """Draws the draft token with one uniform number and leaves it to the verifier."""

    def __init__(self, drafter, noise):
        self._drafter, self._noise = drafter, noise
        self.depth, self.commit = drafter.depth, drafter.commit

    def draft(self, beams, dice):
        self._noise.uniform = self._noise.draw(dice)
        return self._drafter.draft(beams, _Inverse(dice, self._noise.uniform))


class _NoisyVerifier:
    """Draws the residual's token with the number that drew the draft; ``fresh``, its control, with a new one."""

    def __init__(self, verifier, noise, fresh):
        self._verifier, self._noise, self._fresh = verifier, noise, fresh

    def verify(self, scored, dice):
        uniform = self._noise.draw(dice) if self._fresh else self._noise.uniform
        return self._verifier.verify(scored, _Inverse(dice, uniform))


def _shared_noise(fresh=False):
    noise = _Noise()
    return variant(
        "speculative",
        drafter=lambda drafter: _NoisyDrafter(drafter, noise),
        verifier=lambda verifier: _NoisyVerifier(verifier, noise, fresh),
    )


class _Inverse:
    """Coins as ever; picks by inverting the cumulative weights at a given number."""

    def __init__(self, dice, u):
        self.flip, self._u = dice.flip, u

    def pick(self, weights):
        return Pick(int((weights.cumsum() <= self._u * weights.sum()).sum()), None)


class _NoPick:
    """Passes coins on and answers picks with the first possible index, without a branch."""

    def __init__(self, dice):
        self.flip = dice.flip

    def pick(self, weights):
        return Pick(int((weights > 0).argmax()), None)


def _redraw(verdict, scored, dice, source_of):
    coins = [decision for decision in verdict.decisions if isinstance(decision, Coin)]
    sampled = verdict.sampled
    source = source_of(coins[-1]) if coins and not coins[-1].accepted else sampled.source
    verdict.decisions.pop()
    verdict.sample_next(dice, scored, sampled.after, sampled.origin, source)
    return verdict


class _GreedyDraft(Drafter):
    """Drafts the likeliest token but hands over the softmax as if it had been sampled."""

    def __init__(self, drafter):
        self._drafter, self.depth = drafter, drafter.depth
        self.commit = drafter.commit

    def draft(self, beams, dice):
        class Best:
            @staticmethod
            def pick(weights):
                return Pick(int(weights.argmax()), None)

        return self._drafter.draft(beams, Best)


PITFALLS = {
    "residual after zeroing only the drafted token": variant("speculative", verifier=lambda _: _ZeroesOnlyTheToken()),
    "greedy draft judged with p/q": variant("speculative", drafter=_GreedyDraft),
    "same noise for draft and residual": _shared_noise(),
}


@pytest.mark.parametrize("name", [*PITFALLS, "fresh sample from p on rejection"])
def test_every_pitfall_is_caught(name, monkeypatch, record_property):
    pair = random_pair(3, 26, sharpness=2.0)
    method = PITFALLS.get(name, "speculative")
    if name.startswith("fresh"):
        monkeypatch.setattr(token_rules, "residual", _fresh_sample)
    distribution = exact_distribution(pair, method, [0], 1, gamma=1)
    distance = total_variation(distribution, target_distribution(pair, [0], 1))
    record_property("total_variation", float(distance))
    print(f"{name}: total variation {distance:.3f}")
    assert distance > 0.05


@pytest.mark.full
def test_the_control_group_is_clean():
    """The machinery of the controls changes nothing by itself."""
    pair = random_pair(3, 26, sharpness=2.0)
    unchanged = variant("speculative", verifier=lambda verifier: verifier, drafter=lambda drafter: drafter)
    assert (
        total_variation(exact_distribution(pair, unchanged, [0], 2, gamma=1), target_distribution(pair, [0], 2)) < EXACT
    )
    on_a_grid = exact_distribution(pair, _shared_noise(fresh=True), [0], 1, gamma=1)
    assert total_variation(on_a_grid, target_distribution(pair, [0], 1)) < 0.01


def test_greedy_lenience_accepts_near_ties_and_falls_back_to_the_best():
    target = TableLM(lambda context: [0.5, 0.45, 0.05], 3)
    draft = TableLM(lambda context: [0.1, 0.8, 0.1] if len(context) == 1 else [0.1, 0.1, 0.8], 3)
    options = {"temperature": 0.0, "gamma": 2, "lenience": 0.8}
    assert exact_distribution(ModelPair(target, draft), "speculative", [0], 2, **options) == {(1, 0): 1.0}
    assert exact_distribution(ModelPair(target, draft), "speculative", [0], 2, **(options | {"lenience": 1.0})) == {
        (0, 0): 1.0
    }


def test_distribution_of_sums_equal_outcomes():
    assert distribution_of(lambda dice: (dice.pick([1, 1]).index + dice.pick([1, 1]).index,)) == {
        (0,): 0.25,
        (1,): 0.5,
        (2,): 0.25,
    }


def test_wrong_requests_are_refused():
    with pytest.raises(OptionError, match=r"n_tokens must be a whole number in \[1, 1000\], got 0"):
        exact_distribution(PAIRS["random"], "speculative", [0], 0)
    with pytest.raises(OptionError, match="method must be one of autoregressive, beam, .*slim, .*custom, got 'magic'"):
        exact_distribution(PAIRS["random"], "magic", [0], 1)
