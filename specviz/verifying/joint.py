"""MTAD's joint rule: keep the longest draft prefix whose joint likelihood ratio exceeds a threshold.

mtad.txt, section 3.2, Algorithm 1 (which prints ``eta <- j`` for ``eta <- i`` and starts eta at -1 for 0).
"""

import math

from specviz.dice import Dice
from specviz.drafting.drafter import ScoredForest
from specviz.trace.decisions import JointRatioTest
from specviz.trace.forest import finite
from specviz.verifying.prefix import longest_path, sample_after
from specviz.verifying.verdict import Verdict, Verifier


class JointVerifier(Verifier):
    """For each prefix x_1..x_i: min(1, prod p / prod q) > tau, with p and q warped per token.

    Computed as min(0, sum log p - sum log q) > log tau, with no stop at a failing prefix: a longer one may pass. The
    longest passing prefix is kept and one token is drawn from p after it; no coin, no residual. tau in [0, 1]:
    0 keeps the longest prefix that the target gives any probability, 1 keeps nothing.

    On a tree every node is the end of a prefix and judged alike; of the deepest that pass, the one with the greatest
    joint likelihood under the target is kept (the paper's stated future work).
    """

    reads = "all"

    def __init__(self, tau: float, end_tokens: frozenset[int] = frozenset()):
        self._log_tau = math.log(tau) if tau > 0.0 else -math.inf
        self._end_tokens = end_tokens

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        forest, submitted = scored.forest, scored.forest.submitted
        ratios, steps = {-1: 0.0}, {}
        for number in submitted:
            node = forest.nodes[number]
            p, q = scored.target_at(node.parent).prob(node.token), node.draft_prob
            steps[number] = math.log(p) - math.log(q) if p > 0.0 else -math.inf
            ratios[number] = ratios[node.parent] + steps[number]
        passes = {number: min(0.0, ratios[number]) > self._log_tau for number in submitted}
        path = longest_path(scored, (number for number in submitted if passes[number]))
        verdict = Verdict(path=path, offered=forest.submitted_depth)
        for number in submitted:
            node = forest.nodes[number]
            logs = (finite(steps[number]), finite(ratios[number]), finite(self._log_tau))
            both = (scored.target_at(node.parent), node.draft)
            verdict.decisions.append(
                JointRatioTest(number, node.depth, node.token, *logs, passes[number], number in path, *both)
            )
        return sample_after(verdict, scored, dice, self._end_tokens)
