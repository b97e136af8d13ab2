"""MTAD's joint rule: keep the longest draft prefix whose joint likelihood ratio exceeds a threshold.

mtad.txt, section 3.2, Algorithm 1 (which prints ``eta <- j`` for ``eta <- i`` and starts eta at -1 for 0).
"""

import math

from specviz.dice import Dice
from specviz.drafting.forest import ScoredForest
from specviz.verifying.prefix import draw_after, longest_path, submitted_depth
from specviz.verifying.verdict import JointTest, Verdict


class JointVerifier:
    """For each prefix x_1..x_i: min(1, prod p / prod q) > tau, with p and q warped per token.

    Computed as min(0, sum log p - sum log q) > log tau, with no stop at a failing prefix: a longer one may pass. The
    longest passing prefix is kept and one token is drawn from p after it; no coin, no residual. tau in [0, 1]:
    0 keeps the longest prefix that the target gives any probability, 1 keeps nothing.

    On a tree every node is the end of a prefix and judged alike; of the deepest that pass, the one with the greatest
    joint likelihood under the target is kept (the paper's stated future work).
    """

    def __init__(self, tau: float, end_tokens: frozenset[int] = frozenset()):
        self._log_tau = math.log(tau) if tau > 0.0 else -math.inf
        self._end_tokens = end_tokens

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        forest, ratios, steps, passes = scored.forest, {-1: 0.0}, {}, {}
        for node in forest.submitted:
            steps[node] = self._step_log_ratio(scored, node)
            ratios[node] = ratios[forest.parents[node]] + steps[node]
            passes[node] = self._passes(ratios[node])
        path = longest_path(scored, (node for node in forest.submitted if passes[node]))
        verdict = Verdict(path=path, offered=submitted_depth(scored))
        for node in forest.submitted:
            token, target, draft = forest.tokens[node], scored.law_at(forest.parents[node]), forest.draft_laws[node]
            p, q = float(target.probs[token]), float(draft.probs[token])
            test = (steps[node], ratios[node], self._log_tau, passes[node], node in path)
            verdict.decisions.append(JointTest(node, target, draft, p, q, *test))
        return draw_after(verdict, scored, dice, self._end_tokens)

    def _passes(self, log_ratio: float) -> bool:
        return min(0.0, log_ratio) > self._log_tau

    @staticmethod
    def _step_log_ratio(scored: ScoredForest, node: int) -> float:
        forest, token = scored.forest, scored.forest.tokens[node]
        target_prob = float(scored.law_at(forest.parents[node]).probs[token])
        draft_prob = float(forest.draft_laws[node].probs[token])
        return math.log(target_prob) - math.log(draft_prob) if target_prob > 0.0 else -math.inf
