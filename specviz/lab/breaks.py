"""Break it: speculative decoding's rule with one part deliberately wrong, and how far from the target's law that leads.

Each break is a real verifier that runs in the real decoder; none of them is in the catalog. A break changes one thing
and leaves the rest right, so that what goes wrong is due to it alone.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from specviz.decoding.distance import N_TOKENS, PROMPTS, SIZES, reference_pair
from specviz.decoding.exact import exact_law, target_law, total_variation
from specviz.decoding.method import Method
from specviz.decoding.methods.speculative import SPECULATIVE
from specviz.dice import Dice, explore
from specviz.drafting.forest import Forest, Law, ScoredForest
from specviz.errors import OptionError, TraceError
from specviz.trace.decisions import CoinDecision, Distribution
from specviz.trace.record import Trace
from specviz.verifying.token import TokenVerifier, residual
from specviz.verifying.verdict import Coin
from specviz.views.tokens import quoted

WARP = {"temperature": 0.7}
"""Of the reference pair: without a warp, stale and right probabilities would be the same."""
COMPLETE = 1e-6
"""Probability that a record may leave out and still count as complete: what rounding takes."""

Judged = tuple[list[int], list[Coin], Law | None]


class FromTarget(TokenVerifier):
    """Draws what replaces a rejected token from the target's law p."""

    def judge(self, scored: ScoredForest, chain: Sequence[int], dice: Dice) -> Judged:
        path, coins, source = super().judge(scored, chain, dice)
        return path, coins, None if source is None else coins[-1].target


class FromDraft(TokenVerifier):
    """Draws what replaces a rejected token from the draft's law q, once more."""

    def judge(self, scored: ScoredForest, chain: Sequence[int], dice: Dice) -> Judged:
        path, coins, source = super().judge(scored, chain, dice)
        return path, coins, None if source is None else coins[-1].draft


class StaleDraft(TokenVerifier):
    """Flips its coins by the draft's unwarped probabilities, though the tokens were drawn from the warped ones. The
    residual stays right."""

    def judge(self, scored: ScoredForest, chain: Sequence[int], dice: Dice) -> Judged:
        forest = scored.forest
        stale = replace(forest, draft_laws=[law.with_probs(np.exp(law.logprobs())) for law in forest.draft_laws])
        path, coins, source = super().judge(replace(scored, forest=stale), chain, dice)
        if source is not None:
            source = residual(coins[-1].target, forest.draft_laws[coins[-1].node])
        return path, coins, source


@dataclass(frozen=True)
class Break:
    """One switch: its ``title``, what it does wrong in a ``sentence``, and the verifier that does it."""

    title: str
    sentence: str
    verifier: type[TokenVerifier]


NAMES: dict[str, Break] = {
    "none": Break(
        "Nothing broken",
        "A rejected token is replaced from the residual: what the target has more of than the draft. "
        "What the coin turns away and what the residual puts back cancel exactly.",
        TokenVerifier,
    ),
    "target": Break(
        "Resample from the target",
        "A rejected token is replaced by a draw from the target instead of the residual. "
        "The tokens that both models like have then had two chances: they come out too often.",
        FromTarget,
    ),
    "draft": Break(
        "Skip the residual",
        "A rejected token is replaced by another draw from the draft. "
        "What the coin turned away comes back through the other door, and what the draft never says is never written.",
        FromDraft,
    ),
    "stale": Break(
        "Stale q",
        "The coin uses the draft's probabilities before temperature, top-k and top-p, but the draft drew its tokens "
        "after them. The coin asks about a law that nobody drew from, so it keeps the wrong share.",
        StaleDraft,
    ),
}
"""The switches by name, in the order they are shown; ``none`` is the rule as it should be."""


def broken(name: str) -> Method:
    """Speculative decoding with the break ``name`` of ``NAMES``. Raises OptionError for another name."""
    verifier = _find(name).verifier

    def build(bench, options):
        return replace(SPECULATIVE.build(bench, options), verifier=verifier(end_tokens=bench.end_tokens))

    return replace(SPECULATIVE, title=f"{SPECULATIVE.title}: {NAMES[name].title}", build=build)


def distance(name: str) -> float:
    """Total variation, 0 to 1, between the law of the first two tokens of the broken decoder and the target's, on the
    reference pair at temperature .7, gamma 2; the mean over its three prompts. No sampling: every coin is enumerated.
    Raises OptionError for an unknown name."""
    pair, method = reference_pair(), broken(name)
    options: dict[str, Any] = {"gamma": SIZES["gamma"]} | WARP
    distances = []
    for prompt in PROMPTS:
        law = exact_law(pair, method, prompt, N_TOKENS, restart=True, **options)
        distances.append(total_variation(law, target_law(pair, prompt, N_TOKENS, **WARP)))
    return sum(distances) / len(distances)


def step_distance(trace: Trace, index: int, place: int, name: str) -> dict[str, Any]:
    """What the break ``name`` would make of one recorded coin: decision ``place`` (from 1) of iteration ``index``.

    Computed from the recorded laws p and q of that place, over every token that the draft could have drawn there:
    ``law`` and ``target`` {token id: probability} of the token that comes out and of the target's own; ``distance``
    their total variation, 0 to 1; ``acceptance`` the chance that the drafted token is kept; and a ``sentence``.

    Raises OptionError for an unknown name, and TraceError where there is no such decision, it is not one coin for one
    drafted token, or the record does not list the whole laws.
    """
    verifier = _find(name).verifier()
    coin = _coin(trace, index, place)
    tokens = sorted({*coin.target.tokens, *coin.draft.tokens})
    target, draft = _law(coin.target, tokens), _law(coin.draft, tokens)
    probs, acceptance = step_law(target, draft, verifier)
    law, own = (dict(zip(tokens, found.tolist(), strict=False)) for found in (probs, target.probs))
    found = total_variation(law, own)
    return {
        "law": {token: chance for token, chance in law.items() if chance > 0},
        "target": {token: chance for token, chance in own.items() if chance > 0},
        "distance": found,
        "acceptance": acceptance,
        "sentence": _sentence(law, own, found, trace.vocabulary),
    }


def step_law(target: Law, draft: Law, verifier: TokenVerifier) -> tuple[np.ndarray, float]:
    """The law [vocab_size] of the token that ``verifier`` lets out where the target says ``target`` and one token was
    drawn from ``draft``, and the chance that the drafted one is kept."""
    law, acceptance = np.zeros(len(target.probs)), 0.0
    for token in np.flatnonzero(draft.probs):
        forest = Forest()
        scored = ScoredForest(forest, (target,), {forest.add(int(token), -1, draft): target})
        for chance, (path, _, source) in explore(lambda dice, scored=scored: verifier.judge(scored, [0], dice)):
            weight = float(draft.probs[token]) * chance
            if path:
                law[token] += weight
                acceptance += weight
            else:
                law += weight * source.probs
    return law, acceptance


def _find(name: str) -> Break:
    if name not in NAMES:
        raise OptionError(f"break must be one of {', '.join(NAMES)}, got {name!r}")
    return NAMES[name]


def _coin(trace: Trace, index: int, place: int) -> CoinDecision:
    """The decision, if it is one that a break has a meaning for."""
    if not 0 <= index < len(trace.iterations):
        raise TraceError(f"index must be 0 to {len(trace.iterations) - 1}, got {index}")
    decisions = trace.iterations[index].decisions
    if not 1 <= place <= len(decisions):
        raise TraceError(f"place must be 1 to {len(decisions)} in iteration {index}, got {place}")
    decision = decisions[place - 1]
    if not isinstance(decision, CoinDecision) or decision.draw is None:
        raise TraceError(f"decision {place} of iteration {index} flips no coin: its rule is {decision.rule!r}")
    if decision.candidates > 1:
        raise TraceError(
            f"decision {place} of iteration {index} judges one of {decision.candidates} candidates: a break is about "
            "one drafted token and what replaces it"
        )
    if trace.header.options.get("lenience", 1.0) != 1.0:
        raise TraceError(f"lenience is {trace.header.options['lenience']}: the rule is lossy there without any break")
    return decision


def _law(recorded: Distribution, tokens: list[int]) -> Law:
    """A recorded law over ``tokens`` [n] and, at place n, all others, which have no probability after the warp."""
    if recorded.rest > COMPLETE:
        raise TraceError(
            f"the record leaves out {recorded.rest:.2g} of a law: only runs with top_k of 256 or less list whole laws"
        )
    listed = {token: i for i, token in enumerate(recorded.tokens)}
    probs, logits = np.zeros(len(tokens) + 1), np.full(len(tokens) + 1, -math.inf)
    for place, token in enumerate(tokens):
        if token in listed:
            logprob = recorded.logprobs[listed[token]]
            probs[place] = recorded.probs[listed[token]]
            logits[place] = -math.inf if logprob is None else logprob
    others = 1.0 - np.exp(logits).sum()
    logits[-1] = math.log(others) if others > 0 else -math.inf
    return Law(probs / probs.sum(), torch.from_numpy(logits))


def _sentence(law: dict[int, float], target: dict[int, float], distance: float, pieces: dict[int, str]) -> str:
    if distance < COMPLETE:
        return "The token that comes out follows the target's law exactly."
    gaps = {token: law[token] - target[token] for token in law}
    often, rarely = max(gaps, key=gaps.__getitem__), min(gaps, key=gaps.__getitem__)
    return (
        f"The law of the token that comes out is {distance:.3f} away from the target's: "
        f"{quoted(pieces, often)} has probability {law[often]:.3f}, where the target gives it {target[often]:.3f}; "
        f"{quoted(pieces, rarely)} has {law[rarely]:.3f} instead of {target[rarely]:.3f}."
    )
