"""Traversal verification: a tree judged from its leaves to its root (Weng et al. 2025, Traversal Verification for
Speculative Tree Decoding, arXiv 2505.12398).

Block verification's weights, on a tree. Let w be the weight of a prefix, 1 at the root, and p' what is left of the
target's distribution after it, at first p. A child x drawn from q begins with the weight min(w p'(x) / q(x), 1). What
grows below it is judged before it; a node under which nothing was accepted is accepted with the weight that it has by
then, and the text goes on with a token drawn from its p', a leaf's from p. A rejected child leaves to its parent

    p' <- norm((w p' - q)+),   w <- S / (S + 1 - w),   S = sum (w p' - q)+,

and its next sibling is judged. At the root w stays 1. On a chain this is block verification, on a single layer of
candidates recursive rejection.
"""

from dataclasses import dataclass
from typing import Literal

from specviz.dice import Dice
from specviz.drafting.drafter import ScoredForest
from specviz.facts.follows import follows
from specviz.facts.iteration_facts import nodes_of, siblings
from specviz.facts.tokens import count, number, pair, quoted, worked
from specviz.pictures.charts import failing, passing
from specviz.pictures.shapes import Picture
from specviz.pictures.shown import Moment, Shown, Telling, join
from specviz.rules.block import excess, keeping_probability
from specviz.rules.coin import coin_reason, gives, is_below, probabilities_panel, two_sided
from specviz.rules.draw import Residual, residual_of
from specviz.rules.recursive import toss
from specviz.rules.spec import VerifierSpec
from specviz.rules.verdict import Verdict, Verifier, sample_after
from specviz.trace.decisions import ByChance, OfBoth, PrefixTest
from specviz.trace.distribution import Distribution, residual
from specviz.trace.ranges import Depth, NodeNumber, Probability, Token
from specviz.trace.record import Iteration


@dataclass(frozen=True)
class TraversalTest(OfBoth, PrefixTest, ByChance):
    """Of the path that ends in one node, when nothing below it was accepted: it ``passes``, and is ``kept``, with
    ``acceptance_probability``, the weight that is left of its own. ``target`` is p' after its parent when its turn
    came, ``share`` the parent's weight w then."""

    node: NodeNumber
    depth: Depth
    token: Token
    share: Probability
    acceptance_probability: Probability
    uniform: Probability | None
    passes: bool
    kept: bool
    target: Distribution
    draft: Distribution
    rule: Literal["traversal"] = "traversal"
    jumps = True

    def show(self, moment: Moment) -> Shown:
        """The coin of one path."""
        token, verdict = moment.token, "kept" if self.passes else "not kept"
        title = f"Path of {count(self.depth, 'token')}, ending in {token}: {verdict}"
        words = join(_weighed(token, self, left=_is_left(moment)), _fall(self), coin_reason(moment))
        telling = Telling(title, words, traversal_formula(self))
        panels = {"probabilities": probabilities_panel(moment)}
        if self.uniform is not None:
            strip = two_sided(self, ("✓ kept", "the path is kept"), ("✗ not kept", "the path is not kept"))
            text = f"The path that ends in {quoted(moment.trace.vocabulary, self.token)}. {_fall(self)}"
            picture = Picture((strip,), text, (passing("the path is kept"), failing("not")))
            panels["decision"] = (f"traversal-{moment.decision_index}", picture)
        return Shown(telling, panels)


class TraversalVerifier(Verifier):
    """Judges a tree, the children of a node in the order drafted, each by the distribution it was drawn from. The text
    follows the target's distribution, and no fewer tokens are accepted on average than by recursive rejection."""

    reads = "all"

    def __init__(self, end_tokens: frozenset[int] = frozenset()):
        self._end_tokens = end_tokens

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        forest, children = scored.forest, scored.forest.children()
        verdict = Verdict(offered=forest.submitted_depth)

        def judge_below(prefix: int, weight: float) -> tuple[float, Distribution] | None:
            """What is left of the weight of ``prefix`` and of p after it when all below was rejected; None when a path
            was kept."""
            left = scored.target_at(prefix)
            for child in children.get(prefix, ()):
                node = forest.nodes[child]
                p, q = weight * left.prob(node.token), node.draft_prob
                remains = judge_below(child, 1.0 if p >= q else p / q)
                if remains is None:
                    return None
                uniform, passes = toss(dice, remains[0], node.draft)
                coin = (weight, remains[0], uniform, passes, passes, left, node.draft)
                verdict.decisions.append(TraversalTest(child, node.depth, node.token, *coin))
                if passes:
                    self._end(verdict, scored, dice, child, remains[1])
                    return None
                over = excess(weight, left, node.draft)
                left, weight = residual(left, node.draft, weight), keeping_probability(weight, over)
            return weight, left

        remains = judge_below(-1, 1.0)
        if remains is not None:
            self._end(verdict, scored, dice, -1, remains[1])
        return verdict

    def _end(self, verdict: Verdict, scored: ScoredForest, dice: Dice, kept: int, left: Distribution) -> None:
        """End the text after ``kept`` with a token of ``left``, or as after a full draft."""
        verdict.path = scored.forest.path(kept)
        if kept in scored.forest.children():
            verdict.sample_next(dice, scored, kept, "resampled", left)
        else:
            sample_after(verdict, scored, dice, self._end_tokens)


SPEC = VerifierSpec(
    "traversal",
    "a tree from its leaves to its root",
    lambda context, options: TraversalVerifier(context.end_tokens),
    exact=("independent", "without_replacement", "deterministic", "one_drawn"),
    title="From the leaves up",
    sentence="Weighs whole paths, the deepest first: a strong guess further down can make up for a weak one above it, "
    "and only when nothing below a guess is kept does its own coin decide.",
)


@residual_of.register
def _(test: TraversalTest, iteration: Iteration) -> Residual:
    return Residual(test.target, test.draft, test.share, "(w target − draft)+")


def _is_left(moment: Moment) -> bool:
    """Whether a sibling was rejected before, so that p' is no longer p."""
    parent = nodes_of(moment.iteration)[moment.decision.node].parent
    return siblings(moment.iteration, parent)[0] is not moment.decision


def _weighed(token: str, test: TraversalTest, *, left: bool) -> str:
    """Where the acceptance probability comes from."""
    target, draft, *_ = _ratio(test)
    said = gives(token, target, draft, left=left)
    if _begins(test):
        return said
    return f"{said} What was drafted below it was rejected, which changed its weight."


def _fall(test: TraversalTest) -> str:
    verdict = "kept" if test.passes else "not kept"
    if test.uniform is None:
        return f"No coin is needed: it is {verdict}."
    if test.acceptance_probability in (0.0, 1.0):
        return f"It is {verdict} wherever its coin falls."
    uniform, probability = pair(test.uniform, test.acceptance_probability)
    side = "below" if is_below(test) else "not below"
    return f"Its coin falls at {uniform}, {side} its weight {probability}: it is {verdict}."


def _begins(test: TraversalTest) -> bool:
    """Whether the node has the weight that it began with, min(w target / draft, 1)."""
    work = lambda: min(test.share * test.target_prob / test.draft_prob, 1.0)  # noqa: E731
    return follows(test.acceptance_probability, work)


def _ratio(test: TraversalTest) -> tuple[str, ...]:
    """Target, draft and the parent's weight as they are written."""
    values = test.target_prob, test.draft_prob, test.share
    return tuple(worked(number(test.acceptance_probability), lambda p, q, w: min(w * p / q, 1.0), *values))


def traversal_formula(test: TraversalTest) -> str:
    """The weight and the coin with the numbers put in."""
    target, draft, share = _ratio(test)
    uniform, weight = "", number(test.acceptance_probability)
    if test.uniform is not None:
        uniform, weight = pair(test.uniform, test.acceptance_probability)
    made = f"min({share} × {target} / {draft}, 1) = {weight}" if _begins(test) else f"{weight}, by what is below"
    verdict = "kept" if test.passes else "not kept"
    sign = "<" if is_below(test) else "≥"
    return f"w = {made}" + (f"; coin {uniform} {sign} {weight}: {verdict}" if uniform else f": {verdict} (no coin)")
