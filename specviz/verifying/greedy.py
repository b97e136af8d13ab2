"""Greedy verification: a drafted token is right when it is what the target would have written (slim.txt, Eq. 1)."""

from specviz.dice import Dice
from specviz.drafting.forest import ScoredForest
from specviz.verifying.prefix import draw_after, longest_path, submitted_depth
from specviz.verifying.verdict import Match, Verdict


class GreedyVerifier:
    """Keep the longest hypothesis with ``x_j = argmax f([h, x_1:j-1])`` at every j (slim.txt, Eq. 1), then write the
    target's own argmax after it: the greedy text, whatever was drafted. No coin, no residual.

    The target's laws are to be warped at temperature 0: one-hot at the argmax, the first of equals. Judged are the
    submitted children, in the order drafted, of every place whose way there is right.
    """

    def __init__(self, end_tokens: frozenset[int] = frozenset()):
        self._end_tokens = end_tokens

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        forest, right = scored.forest, {-1}
        verdict = Verdict(offered=submitted_depth(scored))
        for place, nodes in forest.children().items():
            if place not in right:
                continue
            target = scored.law_at(place)
            best = int(target.probs.argmax())
            for candidate, node in enumerate(nodes):
                token = forest.tokens[node]
                prob, matches = float(target.probs[token]), token == best
                verdict.decisions.append(Match(node, target, best, prob, matches, candidate, len(nodes)))
                if matches:
                    right.add(node)
        verdict.path = longest_path(scored, sorted(right - {-1}))
        return draw_after(verdict, scored, dice, self._end_tokens)
