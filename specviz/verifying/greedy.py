"""Greedy verification: a drafted token is right when it is what the target would have written (slim.txt, Eq. 1)."""

from specviz.dice import Dice
from specviz.drafting.drafter import ScoredForest
from specviz.trace.decisions import GreedyMatch
from specviz.verifying.prefix import longest_path, sample_after
from specviz.verifying.verdict import Verdict, Verifier


class GreedyVerifier(Verifier):
    """Keep the longest hypothesis with ``x_j = argmax f([h, x_1:j-1])`` at every j (slim.txt, Eq. 1), then write the
    target's own argmax after it: the greedy text, whatever was drafted. No coin, no residual.

    The target's distributions are to be warped at temperature 0: one-hot at the argmax, the first of equals. Judged are
    the submitted children, in the order drafted, of every prefix that is right.
    """

    reads = "nothing"

    def __init__(self, end_tokens: frozenset[int] = frozenset()):
        self._end_tokens = end_tokens

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        forest, right = scored.forest, {-1}
        verdict = Verdict(offered=forest.submitted_depth)
        for prefix, numbers in forest.children().items():
            if prefix not in right:
                continue
            target = scored.target_at(prefix)
            best = int(target.tokens[target.probs.argmax()])
            for candidate, number in enumerate(numbers):
                node = forest.nodes[number]
                matches = node.token == best
                verdict.decisions.append(
                    GreedyMatch(number, node.depth, node.token, best, matches, target, candidate, len(numbers))
                )
                if matches:
                    right.add(number)
        verdict.path = longest_path(scored, sorted(right - {-1}))
        return sample_after(verdict, scored, dice, self._end_tokens)
