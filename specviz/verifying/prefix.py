"""What the threshold rules share: they keep a prefix of the draft without a coin, then draw one token from the target.

MTAD, typical acceptance and the Big Little Decoder differ in which prefixes they find good enough; none has a residual.
"""

from collections.abc import Collection, Iterable

from specviz.dice import Dice
from specviz.drafting.forest import ScoredForest
from specviz.verifying.verdict import Verdict


def longest_path(scored: ScoredForest, ends: Iterable[int]) -> list[int]:
    """The path to the deepest of ``ends``, nodes in the order drafted; [] where there is none.

    Among equally deep ones the path with the greatest joint likelihood under the target, unwarped; then the first.
    """
    forest, ends = scored.forest, list(ends)
    depth = max((forest.depths[node] for node in ends), default=0)
    deepest = [node for node in ends if forest.depths[node] == depth]
    if len(deepest) > 1:
        return forest.path(max(deepest, key=lambda node: joint_logprob(scored, node)))
    return forest.path(deepest[0]) if deepest else []


def joint_logprob(scored: ScoredForest, node: int) -> float:
    """Unwarped joint log-probability of the path to ``node`` under the target; minus infinity possible."""
    forest = scored.forest
    return sum(scored.law_at(forest.parents[i]).logprob(forest.tokens[i]) for i in forest.path(node))


def submitted_depth(scored: ScoredForest) -> int:
    """Depth of the submitted forest: the drafted tokens that one path can have."""
    return max((scored.forest.depths[node] for node in scored.forest.submitted), default=0)


def draw_after(verdict: Verdict, scored: ScoredForest, dice: Dice, end_tokens: Collection[int]) -> Verdict:
    """Draw one token from the target after the kept path: a bonus where the draft ends with it, the target's own word
    where the draft went on and was turned down (or there was none). Nothing follows an end token."""
    forest, path = scored.forest, verdict.path
    last = path[-1] if path else -1
    if last >= 0 and forest.tokens[last] in end_tokens:
        return verdict
    whole = last >= 0 and last not in {forest.parents[node] for node in forest.submitted}
    verdict.draw_next(dice, last, "bonus" if whole else "target", scored.law_at(last))
    return verdict
