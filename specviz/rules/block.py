"""Block verification: the tokens of a chain judged together (Sun et al. 2024, Block Verification Accelerates
Speculative Decoding).

With p and q the target's and the draft's distribution of each token, w_0 = 1 and w_i = min(w_(i-1) p(x_i) / q(x_i), 1):
of the drafts that begin with prefix i, the share that keeps it. Let S_i = sum (w_i p - q)+ over the tokens that may
follow x_i. Prefix i passes with probability h_i = S_i / (S_i + 1 - w_i), the whole chain with h_gamma = w_gamma, each
by a coin of its own; the longest passing prefix is kept, even where a shorter one failed. The next token is drawn from
norm((w_i p - q)+), after the whole chain from p. (The paper writes p_i for w_i.)

The picture is like MTAD's staircase, with coins: ringed is the longest passing prefix; failing ones inside it were
jumped over.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from specviz.dice import Dice
from specviz.drafting.drafter import ScoredForest
from specviz.facts.follows import follows
from specviz.facts.tokens import number, pair, quoted, worked
from specviz.pictures.charts import failing, passing, point_of, quarters, stairs, token_axis
from specviz.pictures.shapes import Axis, Chart, Column, KeyEntry, Picture, Point, Strip
from specviz.pictures.shown import Moment, Shown, Telling, join
from specviz.rules.coin import is_below, own_words, panels, two_sided
from specviz.rules.draw import Residual, residual_of
from specviz.rules.joint import consequence, longest_lines, longest_note, longest_passing
from specviz.rules.recursive import toss
from specviz.rules.spec import LINE, VerifierSpec
from specviz.rules.verdict import Verdict, Verifier, sample_after
from specviz.trace.decisions import ByChance, OfBoth, PrefixTest
from specviz.trace.distribution import Distribution, residual
from specviz.trace.ranges import Amount, Depth, NodeNumber, Probability, Token
from specviz.trace.record import Iteration, Trace


@dataclass(frozen=True)
class BlockTest(OfBoth, PrefixTest, ByChance):
    """Block verification's test of one prefix: ``weight`` is w_i, ``excess`` S_i (None at the last token),
    ``acceptance_probability`` h_i; it ``passes`` by its own coin; ``kept``: in the longest passing prefix."""

    node: NodeNumber
    depth: Depth
    token: Token
    weight: Probability
    excess: Amount | None
    acceptance_probability: Probability
    uniform: Probability | None
    passes: bool
    kept: bool
    target: Distribution
    draft: Distribution
    rule: Literal["block"] = "block"
    jumps = True

    def show(self, moment: Moment) -> Shown:
        """The test of one prefix, with a coin of its own."""
        made = moment.tests
        verdict = "passes" if self.passes else "fails"
        before = made[-2].weight if len(made) > 1 else 1.0
        covers = f"Its weight is w = {number(self.weight)}: the share of the drafts with this prefix that may be kept."
        if not all(by_the_rule(self, before)):
            covers = own_words(moment)
        if self.uniform is None:
            coin = f"No coin is needed: it {verdict}."
        else:
            uniform, probability = pair(self.uniform, self.acceptance_probability)
            side = "below" if is_below(self) else "not below"
            coin = f"Its own coin falls at {uniform}, {side} its probability {probability}: it {verdict}."
        telling = Telling(
            f"Prefix of length {self.depth}, ending in {moment.token}: {verdict}",
            join(covers, coin, consequence(moment, made)),
            block_formula(self, before),
        )
        return Shown(telling, panels(moment, "block", block_picture(moment.trace, made, total=moment.total)))


class BlockVerifier(Verifier):
    """Judges one chain. The text follows the target's distribution, and no verifier of one chain accepts more tokens on
    average. A chain that ended early plays gamma with its last token."""

    reads = "all"

    def __init__(self, end_tokens: frozenset[int] = frozenset()):
        self._end_tokens = end_tokens

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        nodes, chain = scored.forest.nodes, scored.forest.submitted
        weights = prefix_weights(scored)
        tests: list[tuple[float, float | None, float, float | None, bool]] = []
        for i, index in enumerate(chain, 1):
            after = nodes[chain[i]].draft if i < len(chain) else None
            left = None if after is None else excess(weights[i], scored.target_at(index), after)
            probability = keeping_probability(weights[i], left)
            uniform, passes = toss(dice, probability, nodes[index].draft)
            tests.append((weights[i], left, probability, uniform, passes))
        length = kept_length([test[-1] for test in tests])
        verdict = Verdict(path=list(chain[:length]), offered=len(chain))
        for i, (index, test) in enumerate(zip(chain, tests, strict=True), 1):
            node = nodes[index]
            both = (scored.target_at(node.parent), node.draft)
            verdict.decisions.append(BlockTest(index, node.depth, node.token, *test, i <= length, *both))
        if length == len(chain):
            return sample_after(verdict, scored, dice, self._end_tokens)
        last = chain[length - 1] if length else -1
        source = residual(scored.target_at(last), nodes[chain[length]].draft, weights[length])
        verdict.sample_next(dice, scored, last, "resampled", source)
        return verdict


def kept_length(passes: Sequence[bool]) -> int:
    """The largest i whose prefix passes, 0 when none does."""
    return max((i for i, passed in enumerate(passes, 1) if passed), default=0)


def prefix_weights(scored: ScoredForest) -> list[float]:
    """w_0 .. w_gamma of the submitted chain: w_i = min(w_(i-1) p(x_i) / q(x_i), 1), each from 0 to 1."""
    weights = [1.0]
    for node in (scored.forest.nodes[index] for index in scored.forest.submitted):
        weights.append(min(weights[-1] * scored.target_at(node.parent).prob(node.token) / node.draft_prob, 1.0))
    return weights


def excess(weight: float, target: Distribution, draft: Distribution) -> float:
    """S_i = sum (w_i p - q)+, 0 to 1."""
    return float(np.maximum(weight * target.probs - draft.probs_of(target.tokens), 0.0).sum())


def keeping_probability(weight: float, left: float | None) -> float:
    """h_i = S_i / (S_i + 1 - w_i) from w_i and S_i, w_i itself at the last token (S_i is None). Where both vanish the
    prefix is as likely as can be and so is the next token: it passes."""
    if left is None or weight == 1.0:
        return weight
    return left / (left + 1.0 - weight)


SPEC = VerifierSpec(
    "block",
    "the chain as a block",
    lambda context, options: BlockVerifier(context.end_tokens),
    judges=("chain",),
    exact=LINE,
    title="As a block",
    sentence="Weighs the whole chain: a strong guess later on can make up for a weak one before it, and the "
    "longest prefix that passes its coin stays.",
)


def block_formula(decision: BlockTest, before: float) -> str:
    """Weight, probability and coin with the numbers put in; ``before`` is the weight of the prefix one shorter."""
    weight, uniform, probability = number(decision.weight), "", number(decision.acceptance_probability)
    if decision.uniform is not None:
        uniform, probability = pair(decision.uniform, decision.acceptance_probability)
    factors = before, decision.target_prob, decision.draft_prob
    earlier, target, draft = worked(weight, lambda w, p, q: min(w * p / q, 1.0), *factors)
    of_prefix, passing = by_the_rule(decision, before)
    parts = [f"w = min({earlier} × {target} / {draft}, 1) = {weight}" if of_prefix else f"w = {weight}"]
    if not passing:
        parts.append(f"h, by the method’s own rule: {probability}")
    elif decision.weight == 1.0 and decision.excess is not None:
        parts.append("h = 1, for w = 1")
    elif decision.excess is not None:
        excess, left = worked(probability, lambda s, w: s / (s + 1 - w), decision.excess, decision.weight)
        parts.append(f"S = Σ max(0, w × target − draft) = {excess}")
        parts.append(f"h = S / (S + 1 − w) = {excess} / ({excess} + 1 − {left}) = {probability}")
    else:
        parts.append(f"h = w = {probability} at the last position")
    verdict = "passes" if decision.passes else "fails"
    if decision.uniform is None:
        return "; ".join([*parts, f"the prefix {verdict} (no coin is flipped)"])
    sign = "<" if is_below(decision) else "≥"
    return "; ".join([*parts, f"coin {uniform} {sign} {probability}: the prefix {verdict}"])


def by_the_rule(decision: BlockTest, before: float) -> tuple[bool, bool]:
    """Whether block verification gives the weight, and the probability of passing."""
    weight, excess = decision.weight, decision.excess
    made = follows(weight, lambda: min(before * decision.target_prob / decision.draft_prob, 1.0))
    if excess is None or weight == 1.0:
        return made, follows(decision.acceptance_probability, lambda: weight)
    return made, follows(decision.acceptance_probability, lambda: excess / (excess + 1.0 - weight))


def block_text(trace: Trace, decisions: Sequence[BlockTest]) -> str:
    """The staircase in sentences; ``decisions`` are those made so far, in order."""
    lines = []
    for decision in decisions:
        uniform = "no coin" if decision.uniform is None else f"coin {number(decision.uniform)}"
        lines.append(
            f"Prefix of length {decision.depth}, ending in {quoted(trace.vocabulary, decision.token)}: weight "
            f"{number(decision.weight)}, probability {number(decision.acceptance_probability)}, {uniform}: "
            f"{'passes' if decision.passes else 'fails'}."
        )
    return "\n".join([*lines, *longest_lines(decisions)])


def block_picture(trace: Trace, decisions: Sequence[BlockTest], *, total: int) -> Picture:
    """Weights as stairs, probabilities as columns, coins as marks in them, for the decisions made so far, one at least,
    of ``total``; above them the strip of the last one's coin. Without a coin, a mark stands at 0 or 1."""
    longest = longest_passing(decisions)
    chart = Chart(
        token_axis(trace, decisions, total, start=True),
        Axis(-0.06, 1.08, quarters()),
        columns=tuple(Column(d.depth, d.acceptance_probability, "draft") for d in decisions),
        lines=(stairs([1.0, *(d.weight for d in decisions)]),),
        points=tuple(_coin_point(d, ringed=d.depth == longest) for d in decisions),
    )
    key = (KeyEntry("muted", "", "weight w of the prefix"), KeyEntry("draft", "", "probability h"))
    key += (passing("its coin passes"), failing("its coin fails"))
    return Picture((*_strip(decisions[-1]), chart), block_text(trace, decisions), key, longest_note(decisions))


def _coin_point(test: BlockTest, *, ringed: bool) -> Point:
    height = test.uniform if test.uniform is not None else (0.0 if test.passes else 1.0)
    words = f"{test.depth}: probability {number(test.acceptance_probability)}"
    words += "" if test.uniform is None else f", coin {number(test.uniform)}"
    return point_of(test, test.depth, height, words, ringed=ringed)


def _strip(test: BlockTest) -> tuple[Strip, ...]:
    """The strip of a prefix's own coin; none where none was flipped."""
    if test.uniform is None:
        return ()
    return (two_sided(test, ("✓ passes", "the prefix passes"), ("✗ fails", "the prefix fails")),)


@residual_of.register
def _(test: BlockTest, iteration: Iteration) -> Residual:
    before = iteration.forest.nodes[test.node].parent if iteration.forest else -1
    tests = (decision for decision in iteration.decisions if isinstance(decision, BlockTest))
    weight = next((test.weight for test in tests if test.node == before), 1.0)
    return Residual(test.target, test.draft, weight, "(p target − draft)+")
