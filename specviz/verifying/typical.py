"""Typical acceptance: keep a drafted token that the target finds likely enough for how open the place is.

Medusa's rule (Cai et al. 2024), in mtad.txt's comparison of baselines: a place where the target is undecided asks less
of a token than one where it is sure.
"""

import math

import numpy as np

from specviz.dice import Dice
from specviz.drafting.forest import Law, ScoredForest
from specviz.verifying.prefix import draw_after, longest_path, submitted_depth
from specviz.verifying.verdict import TypicalTest, Verdict


class TypicalVerifier:
    """A token x passes when p(x) > min(epsilon, delta exp(-H(p))), with p the target's law after the temperature alone
    (no top-k, no top-p) and H its entropy in nats.

    The longest path whose tokens all pass is kept; among equally long ones the likeliest under the target. One token
    is drawn from the target after it, with the whole warp: no coin, no residual. Chains and trees alike; the laws that
    the draft was drawn from play no part. ``epsilon`` and ``delta`` in [0, 1]; at temperature 0 p is one-hot, so
    exactly the argmax passes (where both are 1 nothing does) and the text is the greedy one.
    """

    def __init__(self, epsilon: float, delta: float, temperature: float, end_tokens: frozenset[int] = frozenset()):
        self._epsilon, self._delta, self._temperature = epsilon, delta, temperature
        self._end_tokens = end_tokens

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        forest, tests, typical = scored.forest, [], {-1}
        places: dict[int, tuple[np.ndarray, float, float]] = {}
        for node in forest.submitted:
            parent = forest.parents[node]
            if parent not in places:
                places[parent] = self._threshold(scored.law_at(parent))
            probs, entropy, threshold = places[parent]
            target_prob = float(probs[forest.tokens[node]])
            passes = target_prob > threshold
            tests.append((node, target_prob, entropy, threshold, passes))
            if passes and parent in typical:
                typical.add(node)
        path = longest_path(scored, sorted(typical - {-1}))
        verdict = Verdict(path=path, offered=submitted_depth(scored))
        for node, target_prob, entropy, threshold, passes in tests:
            target = scored.law_at(forest.parents[node])
            verdict.decisions.append(
                TypicalTest(node, target, target_prob, entropy, threshold, passes, node in verdict.path)
            )
        return draw_after(verdict, scored, dice, self._end_tokens)

    def _threshold(self, target: Law) -> tuple[np.ndarray, float, float]:
        """The target's law after the temperature [vocab_size], its entropy and what a token must exceed there."""
        probs, entropy = target.softened(self._temperature)
        return probs, entropy, min(self._epsilon, self._delta * math.exp(-entropy))
