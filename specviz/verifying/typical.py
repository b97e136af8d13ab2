"""Typical acceptance: keep a drafted token that the target finds likely enough for how open the next token is.

Medusa's rule (Cai et al. 2024), in mtad.txt's comparison of baselines: where the target is undecided it asks less of a
token than where it is sure.
"""

import math

from specviz.dice import Dice
from specviz.drafting.drafter import ScoredForest
from specviz.trace.decisions import TypicalTest
from specviz.verifying.prefix import longest_path, sample_after
from specviz.verifying.verdict import Verdict, Verifier


class TypicalVerifier(Verifier):
    """A token x passes when p(x) > min(epsilon, delta exp(-H(p))), with p the target's distribution after the
    temperature alone (no top-k, no top-p) and H its entropy in nats.

    The longest path whose tokens all pass is kept; among equally long ones the likeliest under the target. One token
    is drawn from the target after it, with the whole warp: no coin, no residual. Chains and trees alike; what the draft
    was drawn from plays no part. ``epsilon`` and ``delta`` in [0, 1]; at temperature 0 p is one-hot, so exactly the
    argmax passes (where both are 1 nothing does) and the text is the greedy one.
    """

    reads = "nothing"

    def __init__(self, epsilon: float, delta: float, temperature: float, end_tokens: frozenset[int] = frozenset()):
        self._epsilon, self._delta, self._temperature = epsilon, delta, temperature
        self._end_tokens = end_tokens

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        forest, typical = scored.forest, {-1}
        tests: list[tuple[int, int, int, float, float, float, bool]] = []
        for number in forest.submitted:
            node = forest.nodes[number]
            target = scored.target_at(node.parent)
            probs, entropy = target.at_temperature(self._temperature)
            index = target.index(node.token)
            target_prob = 0.0 if index is None else float(probs[index])
            threshold = min(self._epsilon, self._delta * math.exp(-entropy))
            passes = target_prob > threshold
            tests.append((number, node.depth, node.token, target_prob, entropy, threshold, passes))
            if passes and node.parent in typical:
                typical.add(number)
        path = longest_path(scored, sorted(typical - {-1}))
        verdict = Verdict(path=path, offered=forest.submitted_depth)
        for test in tests:
            target = scored.target_at(forest.nodes[test[0]].parent)
            verdict.decisions.append(TypicalTest(*test, test[0] in path, target))
        return sample_after(verdict, scored, dice, self._end_tokens)
