"""The law of whole decoders, every coin enumerated: lossless methods equal the target's law to 1e-9."""

from dataclasses import replace

import pytest

from specviz.decoding.catalog import METHODS, find
from specviz.decoding.exact import exact_law, law_of, target_law, total_variation
from specviz.dice import Pick
from specviz.drafting.forest import Drafter, Law
from specviz.errors import OptionError
from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM
from specviz.verifying import token as token_rules
from specviz.verifying.token import TokenVerifier
from specviz.verifying.verdict import Coin
from tests.decoding.models import PAIRS, random_pair

EXACT = 1e-9
LOSSLESS = [
    ("autoregressive", {}),
    *[("speculative", {"gamma": gamma}) for gamma in (1, 2, 3)],
    *[("speculative", {"gamma": 2, "draft": kind}) for kind in ("unigram", "bigram", "prompt", "random")],
]
WARPS = [{}, {"temperature": 0.7, "top_k": 2}, {"top_p": 0.6}, {"temperature": 2.0}]


def product_law(pair: ModelPair, prompt, n_tokens):
    """The target's law straight from the chain rule, without any decoder."""
    law = {(): 1.0}
    for _ in range(n_tokens):
        law = {
            (*so_far, token): probability * p
            for so_far, probability in law.items()
            for token, p in enumerate(pair.target.probabilities((*prompt, *so_far)))
            if p > 0
        }
    return law


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
@pytest.mark.parametrize(("method", "options"), LOSSLESS, ids=str)
def test_two_tokens_follow_the_target(method, options, pair):
    assert find(method).law_for(**options) == "target"
    law = exact_law(pair, method, [0, 1, 0], 2, restart=options.get("gamma") == 3, **options)
    assert sum(law.values()) == pytest.approx(1, abs=EXACT)
    assert total_variation(law, product_law(pair, (0, 1, 0), 2)) < EXACT


@pytest.mark.parametrize("pair", ["random", "zeros", "disjoint"])
@pytest.mark.parametrize(("method", "options"), LOSSLESS, ids=str)
def test_three_tokens_follow_the_target(method, options, pair):
    long = options.get("gamma") == 3 or pair == "zeros"
    law = exact_law(PAIRS[pair], method, [1, 0], 3, restart=long, **options)
    assert total_variation(law, product_law(PAIRS[pair], (1, 0), 3)) < EXACT


@pytest.mark.parametrize("warp", WARPS, ids=str)
@pytest.mark.parametrize(("method", "options"), LOSSLESS[2:5], ids=str)
def test_the_warped_law_is_kept_too(method, options, warp):
    pair = random_pair(4, 9)
    law = exact_law(pair, method, [2, 0], 2, **options, **warp)
    assert total_variation(law, target_law(pair, [2, 0], 2, **warp)) < EXACT


def test_automatic_gamma_keeps_the_law():
    pair = random_pair(3, 11)
    pair.cost_ratio = 0.25  # small enough a gamma to enumerate
    law = exact_law(pair, "speculative", [0], 2, gamma="auto")
    assert total_variation(law, target_law(pair, [0], 2)) < EXACT


@pytest.mark.parametrize("gamma", [1, 2])
def test_a_text_that_ends_keeps_the_law(gamma):
    """An end token in the middle of a draft: nothing follows it, and no bonus is drawn."""
    pair = random_pair(3, 12)
    pair = ModelPair(pair.target, pair.draft, end_tokens=frozenset({2}))
    law = exact_law(pair, "speculative", [0], 3, gamma=gamma)
    assert total_variation(law, target_law(pair, [0], 3)) < EXACT
    assert any(len(text) < 3 for text in law) and all(2 not in text[:-1] for text in law)


@pytest.mark.parametrize("pair", ["random", "zeros"])
def test_temperature_zero_is_the_greedy_text(pair):
    for method, options in LOSSLESS:
        law = exact_law(PAIRS[pair], method, [0, 1], 3, temperature=0.0, **options)
        (text,) = law
        greedy = ()
        for _ in range(3):
            greedy = (*greedy, int(PAIRS[pair].target.probabilities((0, 1, *greedy)).argmax()))
        assert text == greedy and law[text] == 1.0


@pytest.mark.parametrize("lenience", [0.3, 0.6, 0.9])
def test_lenience_bounds_every_token(lenience):
    pair = random_pair(4, 49, sharpness=2.0)
    law = exact_law(pair, "speculative", [0], 1, gamma=1, lenience=lenience)
    p = pair.target.probabilities((0,))
    assert find("speculative").law_for(lenience=lenience) == "lossy"
    assert all(law.get((token,), 0.0) <= p[token] / lenience + EXACT for token in range(4))
    assert total_variation(law, target_law(pair, [0], 1)) > 0.01


# Negative controls: each pitfall put into the real verifier, on models of a fixed seed.


def _fresh_sample(target: Law, draft: Law) -> Law:
    return target


def _only_the_token_zeroed(target: Law, draft: Law, token: int) -> Law:
    probs = target.probs.copy()
    probs[token] = 0.0
    return Law(probs / probs.sum(), target.logits) if probs.sum() > 0 else target


class _ZeroesOnlyTheToken(TokenVerifier):
    def verify(self, scored, dice):
        verdict = super().verify(scored, _NoPick(dice))
        return _redraw(
            verdict, dice, lambda coin: _only_the_token_zeroed(coin.target, coin.draft, _token(scored, coin))
        )


class _SharedNoise(Drafter):
    """Draws the draft token and, after a rejection, the residual's token with one uniform number, on a grid fine
    enough to show the fault. ``fresh=True`` is its control: the same grid, a new number for the residual."""

    GRID = 150

    def __init__(self, decoder, fresh=False):
        self._drafter, self._verifier, self._fresh = decoder.drafter, decoder.verifier, fresh
        self.depth, self.commit = self._drafter.depth, self._drafter.commit

    def _uniform(self, dice):
        return (dice.pick([1.0] * self.GRID).index + 0.5) / self.GRID

    def draft(self, context, dice):
        self._u = self._uniform(dice)
        return self._drafter.draft(context, _Inverse(dice, self._u))

    def verify(self, scored, dice):
        noise = _Inverse(dice, self._uniform(dice) if self._fresh else self._u)
        return self._verifier.verify(scored, noise)


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


def _token(scored, coin: Coin) -> int:
    return scored.forest.tokens[coin.node]


def _redraw(verdict, dice, source_of):
    coins = [decision for decision in verdict.decisions if isinstance(decision, Coin)]
    drawn = verdict.drawn
    source = source_of(coins[-1]) if coins and not coins[-1].accepted else drawn.source
    verdict.decisions.pop()
    verdict.draw_next(dice, drawn.after, drawn.origin, drawn.target, source)
    return verdict


def _with(method: str, *, verifier=None, drafter=None, noise=None):
    stock = find(method)

    def build(bench, options):
        decoder = stock.build(bench, options)
        if noise is not None:
            shared = noise(decoder)
            decoder = replace(decoder, drafter=shared, verifier=shared)
        if verifier is not None:
            decoder = replace(decoder, verifier=verifier(decoder.verifier))
        if drafter is not None:
            decoder = replace(decoder, drafter=drafter(decoder.drafter))
        return decoder

    return replace(stock, build=build)


class _GreedyDraft(Drafter):
    """Drafts the likeliest token but hands over the softmax as if it had been sampled."""

    def __init__(self, drafter):
        self._drafter, self.depth = drafter, drafter.depth
        self.commit = drafter.commit

    def draft(self, context, dice):
        class Best:
            @staticmethod
            def pick(weights):
                return Pick(int(weights.argmax()), None)

        return self._drafter.draft(context, Best)


PITFALLS = {
    "residual after zeroing only the drafted token": _with("speculative", verifier=lambda _: _ZeroesOnlyTheToken()),
    "greedy draft judged with p/q": _with("speculative", drafter=_GreedyDraft),
    "same noise for draft and residual": _with("speculative", noise=_SharedNoise),
}


@pytest.mark.parametrize("name", [*PITFALLS, "fresh sample from p on rejection"])
def test_every_pitfall_is_caught(name, monkeypatch, record_property):
    pair = random_pair(3, 26, sharpness=2.0)
    method = PITFALLS.get(name, METHODS["speculative"])
    if name.startswith("fresh"):
        monkeypatch.setattr(token_rules, "residual", _fresh_sample)
    law = exact_law(pair, method, [0], 1, gamma=1)
    distance = total_variation(law, target_law(pair, [0], 1))
    record_property("total_variation", distance)
    print(f"{name}: total variation {distance:.3f}")
    assert distance > 0.05


def test_the_control_group_is_clean():
    """The machinery of the controls changes nothing by itself."""
    pair = random_pair(3, 26, sharpness=2.0)
    unchanged = _with("speculative", verifier=lambda verifier: verifier, drafter=lambda drafter: drafter)
    assert total_variation(exact_law(pair, unchanged, [0], 2, gamma=1), target_law(pair, [0], 2)) < EXACT
    on_a_grid = _with("speculative", noise=lambda decoder: _SharedNoise(decoder, fresh=True))
    assert total_variation(exact_law(pair, on_a_grid, [0], 1, gamma=1), target_law(pair, [0], 1)) < 0.01


def test_greedy_lenience_accepts_near_ties_and_falls_back_to_the_best():
    target = TableLM(lambda context: [0.5, 0.45, 0.05], 3)
    draft = TableLM(lambda context: [0.1, 0.8, 0.1] if len(context) == 1 else [0.1, 0.1, 0.8], 3)
    options = {"temperature": 0.0, "gamma": 2, "lenience": 0.8}
    assert exact_law(ModelPair(target, draft), "speculative", [0], 2, **options) == {(1, 0): 1.0}
    assert exact_law(ModelPair(target, draft), "speculative", [0], 2, **(options | {"lenience": 1.0})) == {(0, 0): 1.0}


def test_law_of_sums_equal_outcomes():
    assert law_of(lambda dice: (dice.pick([1, 1]).index + dice.pick([1, 1]).index,)) == {
        (0,): 0.25,
        (1,): 0.5,
        (2,): 0.25,
    }


def test_wrong_requests_are_refused():
    with pytest.raises(OptionError, match="n_tokens must be at least 1, got 0"):
        exact_law(PAIRS["random"], "speculative", [0], 0)
    with pytest.raises(OptionError, match="method must be one of autoregressive, beam, .*slim, custom, got 'magic'"):
        exact_law(PAIRS["random"], "magic", [0], 1)
