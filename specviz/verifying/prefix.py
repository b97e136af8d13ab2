"""What the threshold rules share: they keep a prefix of the draft without a coin, then draw one token from the target.

MTAD, typical acceptance and the Big Little Decoder differ in which prefixes they find good enough; none has a residual.
"""

from collections.abc import Collection, Iterable

from specviz.dice import Dice
from specviz.drafting.drafter import ScoredForest
from specviz.verifying.verdict import Verdict


def longest_path(scored: ScoredForest, ends: Iterable[int]) -> list[int]:
    """The path to the deepest of ``ends``, nodes in the order drafted; [] where there is none.

    Among equally deep ones the path with the greatest joint likelihood under the target, raw; then the first.
    """
    forest, ends = scored.forest, list(ends)
    depth = max((forest.nodes[node].depth for node in ends), default=0)
    deepest = [node for node in ends if forest.nodes[node].depth == depth]
    if len(deepest) > 1:
        return forest.path(max(deepest, key=lambda node: joint_logprob(scored, node)))
    return forest.path(deepest[0]) if deepest else []


def joint_logprob(scored: ScoredForest, node: int) -> float:
    """Raw joint log-probability of the path to ``node`` under the target; minus infinity possible."""
    path = (scored.forest.nodes[number] for number in scored.forest.path(node))
    return sum(scored.target_at(one.parent).logprob(one.token) for one in path)


def sample_after(verdict: Verdict, scored: ScoredForest, dice: Dice, end_tokens: Collection[int]) -> Verdict:
    """Draw one token from the target after the kept path: a bonus where the draft ends with it, the target's own choice
    where the draft went on and was turned down (or there was none). Nothing follows an end token."""
    forest, path = scored.forest, verdict.path
    last = path[-1] if path else -1
    if last >= 0 and forest.nodes[last].token in end_tokens:
        return verdict
    whole = last >= 0 and last not in forest.children()
    verdict.sample_next(dice, scored, last, "bonus" if whole else "target")
    return verdict
