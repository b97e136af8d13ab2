"""Block verification: the tokens of a chain judged together (Sun et al. 2024, Block Verification Accelerates
Speculative Decoding).

With P and Q the laws at each place, p_0 = 1 and p_i = min(p_(i-1) P(x_i) / Q(x_i), 1). Let S_i = sum (p_i P - Q)+ over
the tokens that may follow x_i. Prefix i passes with probability h_i = S_i / (S_i + 1 - p_i), the whole chain with
h_gamma = p_gamma, each by a coin of its own; the longest passing prefix is kept, whatever the shorter ones did. The
next token is drawn from norm((p_i P - Q)+), after the whole chain from P.
"""

from collections.abc import Sequence

import numpy as np

from specviz.dice import Dice
from specviz.drafting.forest import Law, ScoredForest
from specviz.verifying.recursive import toss
from specviz.verifying.token import finish
from specviz.verifying.verdict import BlockTest, Verdict


class BlockVerifier:
    """Judges one chain. The law of the text is the target's, and no verifier of one chain accepts more tokens on
    average. A chain that ended early plays gamma with its last token."""

    def __init__(self, end_tokens: frozenset[int] = frozenset()):
        self._end_tokens = end_tokens

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        forest, chain = scored.forest, scored.forest.submitted
        weights = prefix_weights(scored)
        tests = []
        for i, node in enumerate(chain, 1):
            target, draft, token = scored.law_at(forest.parents[node]), forest.draft_laws[node], forest.tokens[node]
            after = forest.draft_laws[chain[i]] if i < len(chain) else None
            left = None if after is None else float(excess(weights[i], scored.law_at(node), after).sum())
            chance = keeping_chance(weights[i], left)
            draw, passes = toss(dice, chance, draft, token)
            p, q = float(target.probs[token]), float(draft.probs[token])
            tests.append((node, target, draft, p, q, weights[i], left, chance, draw, passes))
        length = kept_length([test[-1] for test in tests])
        decisions = [BlockTest(*test, kept=i <= length) for i, test in enumerate(tests, 1)]
        verdict = Verdict(path=list(chain[:length]), decisions=decisions, offered=len(chain))
        if length == len(chain):
            return finish(verdict, scored, dice, self._end_tokens)
        place = chain[length - 1] if length else -1
        target, draft = scored.law_at(place), forest.draft_laws[chain[length]]
        verdict.draw_next(dice, place, "resampled", target, block_residual(weights[length], target, draft))
        return verdict


def kept_length(passes: Sequence[bool]) -> int:
    """The largest i whose prefix passes, 0 when none does."""
    return max((i for i, passed in enumerate(passes, 1) if passed), default=0)


def prefix_weights(scored: ScoredForest) -> list[float]:
    """p_0 .. p_gamma of the submitted chain: p_i = min(p_(i-1) P(x_i) / Q(x_i), 1), each from 0 to 1."""
    forest, weights = scored.forest, [1.0]
    for node in forest.submitted:
        token = forest.tokens[node]
        p, q = float(scored.law_at(forest.parents[node]).probs[token]), float(forest.draft_laws[node].probs[token])
        weights.append(min(weights[-1] * p / q, 1.0))
    return weights


def excess(weight: float, target: Law, draft: Law) -> np.ndarray:
    """(p_i P - Q)+, [vocab_size]."""
    return np.maximum(weight * target.probs - draft.probs, 0.0)


def keeping_chance(weight: float, left: float | None) -> float:
    """h_i = S_i / (S_i + 1 - p_i) from p_i and S_i, p_i itself at the last place (S_i is None). Where both vanish the
    prefix is as likely as can be and so is the next token: it passes."""
    if left is None or weight == 1.0:
        return weight
    return left / (left + 1.0 - weight)


def block_residual(weight: float, target: Law, draft: Law) -> Law:
    """norm((p_i P - Q)+), the law of the token after the kept prefix; P itself when nothing is left of it."""
    left = excess(weight, target, draft)
    total = left.sum()
    return target.with_probs(left / total) if total > 0.0 else target
