"""Rejection sampling in place of speculative sampling, non-iterative (speculative-decoding.txt, appendix A.2).

With M = max p(x) / q(x) over all tokens, a drafted token x is accepted with probability p(x) / (M q(x)); after the
first rejection one token is drawn from p itself, not from a residual; when all pass, a bonus token is drawn from p. A
token stays with probability 1 / M = min q / p on average, which is never more than the sum min(p, q) of the residual's
rule: where the draft rules out one token that the target may write, M is infinite and nothing stays.
"""

import numpy as np

from specviz.dice import Dice
from specviz.drafting.drafter import ScoredForest
from specviz.rules.recursive import toss
from specviz.rules.spec import LINE, VerifierSpec
from specviz.rules.token import Coin
from specviz.rules.verdict import Verdict, Verifier, sample_after
from specviz.trace.distribution import Distribution


class RejectionVerifier(Verifier):
    """Judges one chain; the text follows the target's distribution."""

    reads = "judged"

    def __init__(self, end_tokens: frozenset[int] = frozenset()):
        self._end_tokens = end_tokens

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        chain = scored.forest.submitted
        verdict = Verdict(offered=len(chain))
        for index in chain:
            node = scored.forest.nodes[index]
            target = scored.target_at(node.parent)
            probability = min(1.0, target.prob(node.token) / node.draft_prob * least_ratio(target, node.draft))
            uniform, accepted = toss(dice, probability, node.draft)
            verdict.decisions.append(
                Coin(index, node.depth, node.token, probability, uniform, accepted, target, node.draft)
            )
            if not accepted:
                verdict.sample_next(dice, scored, node.parent, "resampled")
                return verdict
            verdict.path.append(index)
        return sample_after(verdict, scored, dice, self._end_tokens)


def least_ratio(target: Distribution, draft: Distribution) -> float:
    """1 / M = min q(x) / p(x) over the tokens that the target may write, 0 to 1."""
    possible = target.probs > 0.0
    p, q = target.probs[possible].astype(np.float64), draft.probs_of(target.tokens)[possible]
    return min(1.0, float((q / p).min()))


SPEC = VerifierSpec(
    "rejection",
    "rejection sampling without a residual",
    lambda context, options: RejectionVerifier(context.end_tokens),
    judges=("chain",),
    exact=LINE,
    title="Rejection sampling",
    sentence="One coin for each guess, with a probability made so small that after a rejection the target's own "
    "distribution may be drawn from, without a residual. Exact, and far fewer guesses stay.",
)
