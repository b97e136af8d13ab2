"""The law of the first token that a verifier emits: over all coins, and over all guesses that could have stood there.

With the guesses frozen even a lossless verifier strays from the target's law: it has these guesses to go by. What it
promises holds over the draft's own draws as well. So the first layer of guesses is drawn in every possible way here,
from the laws it was drawn from, and each is judged under every coin. What follows the first layer is left out: the
deeper guesses have no say in the law of the first token of a lossless verifier.
"""

from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np

from specviz.decoding.judge import named_verifier
from specviz.dice import Dice, Flip, Pick, explore
from specviz.drafting.forest import Forest, Law, ScoredForest
from specviz.errors import OptionError
from specviz.verifying.verdict import Verdict


class FirstToken(NamedTuple):
    """``law``: token to probability, summing to one. ``guesses``: how many first guesses were drawn in every possible
    way, of ``offered``; the others were left out because there are too many ways."""

    law: dict[int, float]
    guesses: int
    offered: int


class _Unpicked:
    """Dice whose ``pick`` opens no branches: the law it would draw from is read off the verdict instead."""

    def __init__(self, dice: Dice):
        self._dice = dice

    def flip(self, chance: float) -> Flip:
        return self._dice.flip(chance)

    def pick(self, weights: np.ndarray) -> Pick:
        return Pick(int(np.argmax(weights)), None)


def first_token_law(
    scored: ScoredForest,
    verifier: str,
    *,
    end_tokens: frozenset[int] = frozenset(),
    limit: int = 500,
    **options: Any,
) -> FirstToken | None:
    """The exact law of the first token that ``verifier`` emits when the first layer of guesses is drawn anew.

    ``scored``, ``verifier`` and ``options`` are those of ``judge``. Of the first guesses as many are counted as can be
    drawn in at most ``limit`` ways, the first one in any case. None where nobody knows the chance of each guess: a
    search chose them. Raises what ``judge`` raises.
    """
    forest = scored.forest
    first = forest.children().get(-1, [])
    named_verifier(scored, verifier, end_tokens, options)
    if forest.drawing == "search":
        return None
    guesses = _countable(forest, first, limit)

    def run(dice: Dice) -> tuple[Verdict, Forest]:
        drawn = _draw(forest, first[:guesses], dice)
        shallow = ScoredForest(drawn, scored.roots, dict.fromkeys(drawn.submitted, scored.root), scored.beams)
        rule, seen = named_verifier(shallow, verifier, end_tokens, options)
        return rule.verify(seen, _Unpicked(dice)), drawn

    law: dict[int, float] = defaultdict(float)
    for probability, (verdict, drawn) in explore(run):
        if verdict.path:
            law[drawn.tokens[verdict.path[0]]] += probability
            continue
        source = verdict.drawn.source.probs.astype(np.float64)
        for token in np.flatnonzero(source):
            law[int(token)] += probability * float(source[token] / source.sum())
    return FirstToken(dict(law), guesses, len(first))


def _countable(forest: Forest, first: list[int], limit: int) -> int:
    """How many of the first guesses can be drawn in at most ``limit`` ways; at least one, where there is one."""
    if forest.drawing == "certain":
        return len(first)
    ways, guesses = 1, 0
    for node in first:
        ways *= int(np.count_nonzero(forest.draft_laws[node].probs))
        if guesses and ways > limit:
            break
        guesses += 1
    return guesses


def _draw(forest: Forest, first: list[int], dice: Dice) -> Forest:
    """The first layer drawn anew, the way it was drawn."""
    drawn = Forest(drawing=forest.drawing)
    taken: list[int] = []
    for node in first:
        law = forest.draft_laws[node]
        if forest.drawing == "certain":
            drawn.add(forest.tokens[node], -1, law)
            continue
        if forest.drawing == "distinct":
            law = _without(forest.draft_laws[first[0]], taken)
        taken.append(dice.pick(law.probs).index)
        drawn.add(taken[-1], -1, law)
    drawn.submitted = list(range(len(drawn)))
    return drawn


def _without(law: Law, taken: list[int]) -> Law:
    """What earlier siblings left of a law, renormalised."""
    if not taken:
        return law
    probs = law.probs.copy()
    probs[taken] = 0.0
    if not probs.any():
        raise OptionError("the draft's law has no further guess: fewer first guesses could have been drawn")
    return law.with_probs(probs / probs.sum())
