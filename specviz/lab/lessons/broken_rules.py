"""Break it: speculative decoding's rule with one part deliberately wrong, and how far from the target's distribution
that leads.

Each break is a real verifier that runs in the real decoder; none of them is in the catalog. A break changes one thing
and leaves the rest right, so that what goes wrong is due to it alone.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from specviz.decoding.exact.distance import N_TOKENS, PROMPTS, SIZES, reference_pair
from specviz.decoding.exact.distribution import exact_distribution, target_distribution
from specviz.decoding.registry.method import Method
from specviz.decoding.registry.methods.speculative import SPECULATIVE
from specviz.decoding.registry.parts import find_verifier
from specviz.dice import Dice, explore
from specviz.drafting.drafter import ScoredForest
from specviz.errors import OptionError, TraceError
from specviz.facts.tokens import quoted
from specviz.options import Options
from specviz.rules.token import Coin, TokenVerifier
from specviz.trace.distribution import Distribution, residual, total_variation
from specviz.trace.forest import Forest
from specviz.trace.record import Trace

WARP: Options = {"temperature": 0.7}
"""Of the reference pair: without a warp, stale and right probabilities would be the same."""
COMPLETE = 1e-6
"""Probability that a record may leave out and still count as complete: what rounding takes."""

BrokenJudgement = tuple[list[int], list[Coin], Distribution | None]


class FromTarget(TokenVerifier):
    """Draws what replaces a rejected token from the target's distribution p."""

    def judge(self, scored: ScoredForest, chain: Sequence[int], dice: Dice) -> BrokenJudgement:
        path, coins, source = super().judge(scored, chain, dice)
        return path, coins, None if source is None else coins[-1].target


class FromDraft(TokenVerifier):
    """Draws what replaces a rejected token from the draft's distribution q, once more."""

    def judge(self, scored: ScoredForest, chain: Sequence[int], dice: Dice) -> BrokenJudgement:
        path, coins, source = super().judge(scored, chain, dice)
        return path, coins, None if source is None else coins[-1].draft


class StaleDraft(TokenVerifier):
    """Flips its coins by the draft's raw probabilities, though the tokens were drawn from the warped ones. The
    residual stays right."""

    def judge(self, scored: ScoredForest, chain: Sequence[int], dice: Dice) -> BrokenJudgement:
        nodes = scored.forest.nodes
        raw = [replace(node, draft=node.draft.with_probs(np.exp(node.draft.logprobs))) for node in nodes]
        stale = replace(scored, forest=replace(scored.forest, nodes=raw))
        path, coins, source = super().judge(stale, chain, dice)
        if source is not None:
            source = residual(coins[-1].target, nodes[coins[-1].node].draft)
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
        "What the coin rejects and what the residual puts back cancel exactly.",
        TokenVerifier,
    ),
    "target": Break(
        "Resample from the target",
        "A rejected token is replaced by a draw from the target instead of the residual. "
        "The tokens that both models like then have two ways to come out: they come out too often.",
        FromTarget,
    ),
    "draft": Break(
        "Skip the residual",
        "A rejected token is replaced by another draw from the draft. "
        "Rejected tokens come back as replacements, and what the draft never proposes is never written.",
        FromDraft,
    ),
    "stale": Break(
        "Stale q",
        "The coin uses the draft's probabilities before temperature, top-k and top-p, but the draft drew its tokens "
        "after them. The coin uses a distribution that no token was drawn from, so it keeps the wrong share.",
        StaleDraft,
    ),
}
"""The switches by name, in the order they are shown; ``none`` is the rule as it should be."""


def broken(name: str) -> Method:
    """Speculative decoding with the break ``name`` of ``NAMES``. Raises OptionError for another name."""
    kind = _find(name).verifier
    spec = replace(find_verifier("token"), build=lambda context, options: kind(end_tokens=context.end_tokens))
    return replace(SPECULATIVE, title=f"{SPECULATIVE.title}: {NAMES[name].title}", verifier=spec)


def distance(name: str) -> float:
    """Total variation, 0 to 1, between the distribution of the first two tokens of the broken decoder and the target's,
    on the reference pair at temperature .7, gamma 2; the mean over its three prompts. No sampling: every coin is
    enumerated. Raises OptionError for an unknown name."""
    pair, method = reference_pair(), broken(name)
    options: Options = {"gamma": SIZES["gamma"]} | WARP
    distances = []
    for prompt in PROMPTS:
        distribution = exact_distribution(pair, method, prompt, N_TOKENS, restart=True, **options)
        distances.append(total_variation(distribution, target_distribution(pair, prompt, N_TOKENS, **WARP)))
    return sum(distances) / len(distances)


def step_distance(trace: Trace, index: int, decision_index: int, name: str) -> dict[str, Any]:
    """What the break ``name`` would make of one recorded coin: decision ``decision_index`` (from 1) of iteration
    ``index``.

    Computed from the recorded distributions p and q at that position, over every token that the draft could have drawn
    there: ``distribution`` and ``target`` {token id: probability} of the token that comes out and of the target's own;
    ``distance`` their total variation, 0 to 1; ``acceptance`` the probability that the drafted token is kept; and a
    ``sentence``.

    Raises OptionError for an unknown name, and TraceError where there is no such decision, it is not one coin for one
    drafted token, or the record does not list the whole distributions.
    """
    verifier = _find(name).verifier()
    coin = _coin(trace, index, decision_index)
    target, draft = _whole(coin.target), _whole(coin.draft)
    broken, acceptance = step_distribution(target, draft, verifier)
    tokens = sorted({*target.tokens.tolist(), *draft.tokens.tolist()})
    own = {token: target.prob(token) for token in tokens}
    distribution = {token: broken.get(token, 0.0) for token in tokens}
    away = total_variation(distribution, own)
    return {
        "distribution": {token: prob for token, prob in distribution.items() if prob > 0},
        "target": {token: prob for token, prob in own.items() if prob > 0},
        "distance": away,
        "acceptance": acceptance,
        "sentence": _sentence(distribution, own, away, trace.vocabulary),
    }


def step_distribution(
    target: Distribution, draft: Distribution, verifier: TokenVerifier
) -> tuple[dict[int, float], float]:
    """The distribution of the token that ``verifier`` lets out, token to probability, where the target says ``target``
    and one token was drawn from ``draft``; and the probability that the drafted one is kept."""
    distribution: dict[int, float] = defaultdict(float)
    acceptance = 0.0
    for token, drawn in draft.table().items():
        if drawn <= 0.0:
            continue
        forest = Forest(target={-1: target})
        forest.add(token, -1, draft)
        scored = ScoredForest(forest, ())
        for probability, (_, _, source) in explore(lambda dice, scored=scored: verifier.judge(scored, [0], dice)):
            weight = drawn * probability
            if source is None:
                distribution[token] += weight
                acceptance += weight
            else:
                for other, prob in source.table().items():
                    distribution[other] += weight * prob
    return dict(distribution), acceptance


def _find(name: str) -> Break:
    if name not in NAMES:
        raise OptionError(
            f"break must be one of {', '.join(NAMES)}, got {name!r}", argument="name", code="unknown_name"
        )
    return NAMES[name]


def _coin(trace: Trace, index: int, decision_index: int) -> Coin:
    """The decision, if it is one that a break has a meaning for."""
    if not 0 <= index < len(trace.iterations):
        raise TraceError(f"index must be 0 to {len(trace.iterations) - 1}, got {index}", argument="index")
    decisions = trace.iterations[index].decisions
    if not 1 <= decision_index <= len(decisions):
        raise TraceError(
            f"decision must be 1 to {len(decisions)} in iteration {index}, got {decision_index}",
            argument="decision_index",
        )
    decision = decisions[decision_index - 1]
    if not isinstance(decision, Coin) or decision.uniform is None:
        raise TraceError(
            f"decision {decision_index} of iteration {index} flips no coin: its rule is {decision.rule!r}",
            argument="decision_index",
        )
    if decision.candidates > 1:
        raise TraceError(
            f"decision {decision_index} of iteration {index} judges one of {decision.candidates} candidates: "
            "a break is about one drafted token and what replaces it",
            argument="decision_index",
        )
    if trace.header.options.get("lenience", 1.0) != 1.0:
        raise TraceError(f"lenience is {trace.header.options['lenience']}: the rule is lossy there without any break")
    return decision


def _whole(recorded: Distribution) -> Distribution:
    """A recorded distribution in float64, without the rounding of its sum."""
    if recorded.rest > COMPLETE:
        raise TraceError(
            f"the record leaves out {recorded.rest:.2g} of a distribution: only with top_k of 256 or less is it whole"
        )
    probs = recorded.probs.astype(np.float64)
    return recorded.with_probs(probs / probs.sum())


def _sentence(distribution: dict[int, float], target: dict[int, float], distance: float, pieces: dict[int, str]) -> str:
    if distance < COMPLETE:
        return "The token that comes out has exactly the target's distribution."
    gaps = {token: distribution[token] - target[token] for token in distribution}
    often, rarely = max(gaps, key=gaps.__getitem__), min(gaps, key=gaps.__getitem__)
    return (
        f"The distribution of the token that comes out is {distance:.3f} away from the target's: "
        f"{quoted(pieces, often)} has probability {distribution[often]:.3f}, where the target gives it "
        f"{target[often]:.3f}; "
        f"{quoted(pieces, rarely)} has {distribution[rarely]:.3f} instead of {target[rarely]:.3f}."
    )
