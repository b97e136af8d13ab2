"""Block verification: the weight of every prefix, its probability h_i of passing (each has its own coin), and the
longest prefix that passes.

w_i = min(w_(i-1) target / draft, 1) is the share of the drafts with this prefix that keep it. Like MTAD's staircase,
with coins: ringed is the longest passing prefix; failing ones inside it were jumped over.
"""

from collections.abc import Sequence

from specviz.trace.decisions import BlockTest
from specviz.trace.record import Trace
from specviz.views.decisions.coin import is_below, own_words, panels, two_sided
from specviz.views.decisions.staircase import consequence, longest_lines, longest_note, longest_passing
from specviz.views.facts.follows import follows
from specviz.views.facts.scene_parts import Moment, Shown, Telling, join
from specviz.views.facts.tokens import number, pair, quoted, worked
from specviz.views.pictures.charts import failing, passing, point_of, quarters, stairs, token_axis
from specviz.views.pictures.shapes import Axis, Chart, Column, Entry, Picture, Point, Strip


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
    key = (Entry("muted", "", "weight w of the prefix"), Entry("draft", "", "probability h"))
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


def show_block(moment: Moment) -> Shown:
    """The test of one prefix, with a coin of its own."""
    decision, made = moment.decision, moment.tests
    verdict = "passes" if decision.passes else "fails"
    before = made[-2].weight if len(made) > 1 else 1.0
    covers = f"Its weight is w = {number(decision.weight)}: the share of the drafts with this prefix that may be kept."
    if not all(by_the_rule(decision, before)):
        covers = own_words(moment)
    if decision.uniform is None:
        coin = f"No coin is needed: it {verdict}."
    else:
        uniform, probability = pair(decision.uniform, decision.acceptance_probability)
        side = "below" if is_below(decision) else "not below"
        coin = f"Its own coin falls at {uniform}, {side} its probability {probability}: it {verdict}."
    telling = Telling(
        f"Prefix of length {decision.depth}, ending in {moment.token}: {verdict}",
        join(covers, coin, consequence(moment, made)),
        block_formula(decision, before),
    )
    return Shown(telling, panels(moment, "block", block_picture(moment.trace, made, total=moment.total)))
