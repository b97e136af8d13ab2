"""MTAD's joint rule: keep the longest draft prefix whose joint likelihood ratio exceeds a threshold.

mtad.txt, section 3.2, Algorithm 1 (which prints ``eta <- j`` for ``eta <- i`` and starts eta at -1 for 0).
"""

import math
from itertools import accumulate

from specviz.dice import Dice
from specviz.drafting.forest import ScoredForest
from specviz.verifying.verdict import JointTest, Verdict


class JointVerifier:
    """For each prefix x_1..x_i: min(1, prod p / prod q) > tau, with p and q warped per token.

    Computed as min(0, sum log p - sum log q) > log tau, with no stop at a failing prefix: a longer one may pass. The
    longest passing prefix is kept and one token is drawn from p after it; no coin, no residual. tau in [0, 1]:
    0 keeps the longest prefix that the target gives any probability, 1 keeps nothing.
    """

    def __init__(self, tau: float, end_tokens: frozenset[int] = frozenset()):
        self._log_tau = math.log(tau) if tau > 0.0 else -math.inf
        self._end_tokens = end_tokens

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        forest, path = scored.forest, scored.forest.submitted
        steps = [self._step_log_ratio(scored, node) for node in path]
        ratios = list(accumulate(steps))
        passes = [self._passes(log_ratio) for log_ratio in ratios]
        passing = max((i for i, passed in enumerate(passes, 1) if passed), default=0)
        verdict = Verdict(path=path[:passing], offered=len(path))
        for i, node in enumerate(path):
            token, target, draft = forest.tokens[node], scored.law_at(forest.parents[node]), forest.draft_laws[node]
            p, q = float(target.probs[token]), float(draft.probs[token])
            verdict.decisions.append(
                JointTest(node, target, draft, p, q, steps[i], ratios[i], self._log_tau, passes[i], i < passing)
            )
        last = verdict.path[-1] if verdict.path else -1
        if last < 0 or forest.tokens[last] not in self._end_tokens:
            origin = "bonus" if path and passing == len(path) else "target"
            verdict.draw_next(dice, last, origin, scored.law_at(last))
        return verdict

    def _passes(self, log_ratio: float) -> bool:
        return min(0.0, log_ratio) > self._log_tau

    @staticmethod
    def _step_log_ratio(scored: ScoredForest, node: int) -> float:
        forest, token = scored.forest, scored.forest.tokens[node]
        target_prob = float(scored.law_at(forest.parents[node]).probs[token])
        draft_prob = float(forest.draft_laws[node].probs[token])
        return math.log(target_prob) - math.log(draft_prob) if target_prob > 0.0 else -math.inf
