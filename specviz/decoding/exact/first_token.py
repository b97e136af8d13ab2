"""The distribution of the first token that a verifier emits: over all coins, and over all guesses that could have been
drawn.

With the guesses frozen even a lossless verifier strays from the target's distribution: it has these guesses to go by.
What it promises holds over the draft's own draws as well. So the first layer of guesses is drawn in every possible way
here, from the distributions it was drawn from, and each is judged under every coin. What follows the first layer is
left out: the deeper guesses have no say in the first token of a lossless verifier.
"""

from collections import defaultdict
from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from specviz.decoding.exact.judge import finished, made_for
from specviz.decoding.registry.parts import find_verifier
from specviz.dice import Dice, Flip, Pick, explore
from specviz.drafting.drafter import ScoredForest
from specviz.drafting.tree import ONE_DRAWN
from specviz.errors import OptionError
from specviz.measure.limits import Drafting, acceptance_limit
from specviz.rules.spec import DRAWINGS, VerifierSpec
from specviz.rules.verdict import Verdict
from specviz.trace.distribution import Distribution, without
from specviz.trace.forest import Forest

MOST_WAYS = 500
"""Of drawing first guesses that are all walked."""


class FirstToken(NamedTuple):
    """``distribution``: token to probability, summing to one. ``accepted``: how often it is one of the first guesses,
    0 to 1. ``guesses``: how many of these were drawn in every possible way, of ``offered``; the others were left out
    because there are too many ways."""

    distribution: dict[int, float]
    accepted: float
    guesses: int
    offered: int


class _Unpicked:
    """Dice whose ``pick`` opens no branches: what it would draw from is read off the verdict instead."""

    def __init__(self, dice: Dice):
        self._dice = dice

    def flip(self, probability: float) -> Flip:
        return self._dice.flip(probability)

    def pick(self, weights: np.ndarray | Sequence[float]) -> Pick:
        return Pick(int(np.argmax(weights)), None)


def first_token_distribution(
    scored: ScoredForest,
    verifier: str | VerifierSpec,
    *,
    end_tokens: frozenset[int] = frozenset(),
    limit: int = MOST_WAYS,
    **options: Any,
) -> FirstToken | None:
    """The exact distribution of the first token that ``verifier`` emits when the first layer of guesses is drawn anew.

    ``scored``, ``verifier`` and ``options`` are those of ``judge``. Of the first guesses as many are counted as can be
    drawn in at most ``limit`` ways, the first one in any case. None where nobody knows the probability of each guess: a
    search chose them, or the drafter has a way of drawing of its own. Raises what ``judge`` raises.
    """
    return finished(first_token_steps(scored, verifier, end_tokens, limit, options))


def first_token_steps(
    scored: ScoredForest,
    verifier: str | VerifierSpec,
    end_tokens: frozenset[int],
    limit: int,
    options: Mapping[str, Any],
) -> Generator[None, None, FirstToken | None]:
    """``first_token_distribution``, which yields before each outcome."""
    spec, forest = find_verifier(verifier), scored.forest
    first = forest.children().get(-1, [])
    made_for(scored, spec, end_tokens, options)
    if not _drawn_anew(forest):
        return None
    guesses = _countable(forest, first, limit)

    def run(dice: Dice) -> tuple[Verdict, Forest]:
        drawn = _draw(forest, first[:guesses], dice)
        drawn.target = {-1: scored.root} | dict.fromkeys(drawn.submitted, scored.root)
        rule, seen = made_for(replace(scored, forest=drawn), spec, end_tokens, options)
        return rule.verify(seen, _Unpicked(dice)), drawn

    first_probs: dict[int, float] = defaultdict(float)
    accepted = 0.0
    for probability, (verdict, drawn) in explore(run):
        yield
        if verdict.path:
            first_probs[drawn.nodes[verdict.path[0]].token] += probability
            accepted += probability
            continue
        assert verdict.sampled is not None, "a verdict that accepts nothing draws a token"
        source = verdict.sampled.source
        probs = source.probs.astype(np.float64)
        for token, prob in zip(source.tokens.tolist(), (probs / probs.sum()).tolist(), strict=True):
            if prob > 0.0:
                first_probs[token] += probability * prob
    return FirstToken(dict(first_probs), accepted, guesses, len(first))


def first_token_limit(scored: ScoredForest) -> float | None:
    """The most, 0 to 1, that ``accepted`` can be for a rule that keeps the target's distribution, over all first
    guesses that could have been drawn (``measure/limits.py``). None where that is not known: there are no guesses, a
    search chose them or they come from several distributions, or there are too many ways."""
    forest = scored.forest
    first = [forest.nodes[number] for number in forest.children().get(-1, [])]
    if not first or not _drawn_anew(forest) or any(node.root for node in first):
        return None
    target, drafts = scored.root.table(), [node.draft.table() for node in first]
    if forest.drawing == "deterministic":
        return sum(target.get(token, 0.0) for token in {node.token for node in first})
    if forest.drawing == ONE_DRAWN:
        taken = {token for draft in drafts[1:] for token in draft}
        kept = sum(target.get(token, 0.0) for token in taken)
        return kept + sum(min(prob, target.get(token, 0.0)) for token, prob in drafts[0].items() if token not in taken)
    if forest.drawing == "independent" and any(draft != drafts[0] for draft in drafts):
        return None
    tokens = sorted({*target, *drafts[0]})
    replaced: Drafting = "independent" if forest.drawing == "independent" else "without_replacement"
    p, q = (np.array([table.get(token, 0.0) for token in tokens]) for table in (target, drafts[0]))
    try:
        return acceptance_limit(p, q, len(first), replaced)
    except OptionError:
        return None


def _drawn_anew(forest: Forest) -> bool:
    """Whether it is known how its first guesses could have been drawn."""
    return forest.drawing in DRAWINGS.keys() - {"search"} or forest.drawing == ONE_DRAWN


def _countable(forest: Forest, first: list[int], limit: int) -> int:
    """How many of the first guesses can be drawn in at most ``limit`` ways; at least one, where there is one."""
    if forest.drawing == "deterministic":
        return len(first)
    ways, guesses = 1, 0
    for number in first:
        ways *= int(np.count_nonzero(forest.nodes[number].draft.probs))
        if guesses and ways > limit:
            break
        guesses += 1
    return guesses


def _draw(forest: Forest, first: list[int], dice: Dice) -> Forest:
    """The first layer drawn anew, the way it was drawn."""
    drawn = Forest(drawing=forest.drawing)
    left: Distribution | None = None
    for node in (forest.nodes[number] for number in first):
        draft = node.draft
        if forest.drawing == "deterministic":
            drawn.add(node.token, -1, draft)
            continue
        if forest.drawing == "without_replacement":
            draft = left = draft if left is None else without(left, drawn.nodes[-1].token)
            if not draft.probs.any():
                raise OptionError(
                    "the draft has no further guess: fewer first guesses could have been drawn", code="incompatible"
                )
        drawn.add(int(draft.tokens[dice.pick(draft.probs).index]), -1, draft)
    drawn.submit()
    return drawn
