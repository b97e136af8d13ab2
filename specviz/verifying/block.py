"""Block verification: the tokens of a chain judged together (Sun et al. 2024, Block Verification Accelerates
Speculative Decoding).

With p and q the target's and the draft's distribution of each token, w_0 = 1 and w_i = min(w_(i-1) p(x_i) / q(x_i), 1):
of the drafts that begin with prefix i, the share that keeps it. Let S_i = sum (w_i p - q)+ over the tokens that may
follow x_i. Prefix i passes with probability h_i = S_i / (S_i + 1 - w_i), the whole chain with h_gamma = w_gamma, each
by a coin of its own; the longest passing prefix is kept, even where a shorter one failed. The next token is drawn from
norm((w_i p - q)+), after the whole chain from p. (The paper writes p_i for w_i.)
"""

from collections.abc import Sequence

import numpy as np

from specviz.dice import Dice
from specviz.drafting.drafter import ScoredForest
from specviz.trace.decisions import BlockTest
from specviz.trace.distribution import Distribution, residual
from specviz.verifying.recursive import toss
from specviz.verifying.token import finish
from specviz.verifying.verdict import Verdict, Verifier


class BlockVerifier(Verifier):
    """Judges one chain. The text follows the target's distribution, and no verifier of one chain accepts more tokens on
    average. A chain that ended early plays gamma with its last token."""

    reads = "all"

    def __init__(self, end_tokens: frozenset[int] = frozenset()):
        self._end_tokens = end_tokens

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        nodes, chain = scored.forest.nodes, scored.forest.submitted
        weights = prefix_weights(scored)
        tests: list[tuple[float, float | None, float, float | None, bool]] = []
        for i, number in enumerate(chain, 1):
            after = nodes[chain[i]].draft if i < len(chain) else None
            left = None if after is None else excess(weights[i], scored.target_at(number), after)
            probability = keeping_probability(weights[i], left)
            uniform, passes = toss(dice, probability, nodes[number].draft)
            tests.append((weights[i], left, probability, uniform, passes))
        length = kept_length([test[-1] for test in tests])
        verdict = Verdict(path=list(chain[:length]), offered=len(chain))
        for i, (number, test) in enumerate(zip(chain, tests, strict=True), 1):
            node = nodes[number]
            both = (scored.target_at(node.parent), node.draft)
            verdict.decisions.append(BlockTest(number, node.depth, node.token, *test, i <= length, *both))
        if length == len(chain):
            return finish(verdict, scored, dice, self._end_tokens)
        last = chain[length - 1] if length else -1
        source = residual(scored.target_at(last), nodes[chain[length]].draft, weights[length])
        verdict.sample_next(dice, scored, last, "resampled", source)
        return verdict


def kept_length(passes: Sequence[bool]) -> int:
    """The largest i whose prefix passes, 0 when none does."""
    return max((i for i, passed in enumerate(passes, 1) if passed), default=0)


def prefix_weights(scored: ScoredForest) -> list[float]:
    """w_0 .. w_gamma of the submitted chain: w_i = min(w_(i-1) p(x_i) / q(x_i), 1), each from 0 to 1."""
    weights = [1.0]
    for node in (scored.forest.nodes[number] for number in scored.forest.submitted):
        weights.append(min(weights[-1] * scored.target_at(node.parent).prob(node.token) / node.draft_prob, 1.0))
    return weights


def excess(weight: float, target: Distribution, draft: Distribution) -> float:
    """S_i = sum (w_i p - q)+, 0 to 1."""
    return float(np.maximum(weight * target.probs - draft.probs_of(target.tokens), 0.0).sum())


def keeping_probability(weight: float, left: float | None) -> float:
    """h_i = S_i / (S_i + 1 - w_i) from w_i and S_i, w_i itself at the last token (S_i is None). Where both vanish the
    prefix is as likely as can be and so is the next token: it passes."""
    if left is None or weight == 1.0:
        return weight
    return left / (left + 1.0 - weight)
