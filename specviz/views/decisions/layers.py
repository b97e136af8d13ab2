"""A layer of beams: how wide it is to be, and the beams that are drawn for it.

The width is the largest K for which at least K drafts are accepted with the required probability (dsbd.txt, section
3.3): a falling curve over K, the threshold across it, the width a bracket under it."""

from specviz.trace.decisions import BeamCoin, BeamWidth, SampledBeam
from specviz.trace.distribution import JointDistribution, overlap
from specviz.trace.record import Iteration, Trace
from specviz.views.decisions.cumulative import UNDER_STRIP, Key, draw_strip, other_tone
from specviz.views.facts.follows import is_left_over, is_same
from specviz.views.facts.iteration_facts import nodes_of_pairs
from specviz.views.facts.prefix_names import after_name, next_name, quoted_next
from specviz.views.facts.scene_parts import Moment, Shown, Telling, join
from specviz.views.facts.tokens import count, drafts_left, number, pair
from specviz.views.pictures.bars import OTHERS, Choice, bars_picture, bars_text, origin_entry
from specviz.views.pictures.charts import quarters, round_ticks, ticks_at
from specviz.views.pictures.pairs import (
    NOTHING,
    compare,
    namer,
    nodes_after,
    paired_bars,
    pairs_picture,
    shared_notes,
)
from specviz.views.pictures.shapes import Axis, Bracket, Chart, Column, Entry, Level, Picture, Setting

OWN = "own"
"""The kind of a distribution that is neither the target's nor a residual of it."""
_NAMED = 12  # widths with a tick of their own, at most


def layer_formula(decision: BeamWidth) -> str:
    """How the width follows, with the numbers put in."""
    if decision.threshold is None:
        always = decision.width == decision.least
        return f"width = {decision.least}, always" if always else f"width, by the method’s own rule: {decision.width}"
    reached = [
        k for k, probability in enumerate(decision.at_least, start=1) if probability >= decision.threshold - 1e-12
    ]
    largest = max(reached, default=0)
    beyond = decision.at_least[largest : largest + 1]
    values = (*decision.at_least[largest - 1 : largest], decision.threshold, *beyond)
    texts = pair(*values)
    if largest:
        told = f"P(at least {largest} accepted) = {texts[0]} ≥ {texts[1]}"
        told += f" > P(at least {largest + 1}) = {texts[2]}" if beyond else ""
    else:
        told = f"P(at least 1 accepted) = {texts[1]} < {texts[0]}" if beyond else "no draft is left"
    if decision.width != max(decision.least, largest):
        return f"width, by the method’s own rule: {decision.width}"
    return f"{told}; width = max({decision.least}, {largest}) = {decision.width}"


def layer_text(decision: BeamWidth) -> str:
    """The curve in sentences."""
    if not decision.offered:
        return f"No draft extends a beam that is left, so nothing is judged; the layer is {decision.width} wide."
    curve = ", ".join(f"{k}: {number(probability)}" for k, probability in enumerate(decision.at_least, start=1))
    asked = "" if decision.threshold is None else f" The threshold is {number(decision.threshold)}."
    return (
        f"The probability that at least K of {count(decision.offered, 'draft')} are accepted, by K: {curve}.{asked} "
        f"The layer is {decision.width} wide."
    )


def layer_picture(decision: BeamWidth) -> Picture:
    """P(at least K accepted) over K, the threshold, and the width as a bracket under the axis."""
    most, threshold = max(decision.offered, decision.width, 1), decision.threshold
    left, right = 0.4, most + 0.6
    chart = Chart(
        Axis(left, right, ticks_at(*range(1, most + 1)) if most <= _NAMED else round_ticks(left, right)),
        Axis(0.0, 1.14, quarters()),
        columns=tuple(
            Column(k, probability, "accepted", number(probability), hollow=k > decision.width)
            for k, probability in enumerate(decision.at_least, start=1)
        ),
        levels=()
        if threshold is None
        else (Level(threshold, f"t = {number(threshold)}", setting=Setting("threshold")),),
        bracket=Bracket(0.7, decision.width + 0.3, f"width {decision.width}"),
    )
    key = (Entry("accepted", "", "probability that at least K are accepted"),)
    return Picture((chart,), layer_text(decision), key, ("across: K", "bracket: the width of the layer"))


def pairs_of(trace: Trace, iteration: Iteration, decision: BeamWidth) -> Picture:
    """Target and draft over the pairs of beam and token; the target's alone where no draft is left."""
    if decision.draft is None:
        choices = _choices(trace, iteration, decision.target, None)
        words = bars_text("Target, beam and next token", choices, "drawn", OTHERS)
        return bars_picture("target", choices, origin_entry("target"), "target", words, others=OTHERS)
    name, rows = namer(trace, iteration), compare(decision.target, decision.draft, NOTHING)
    parts = [
        f"{OTHERS if row.key is None else f'“{name(row.key)}”'} target {number(row.target)}, draft {number(row.draft)}"
        for row in rows
    ]
    shared = number(overlap(decision.target, decision.draft))
    words = f"Layer {decision.depth}, beam and next token: {'; '.join(parts)}. Target and draft share {shared}."
    bars = paired_bars(rows, NOTHING, name, nodes_after(iteration))
    return pairs_picture([bars], words, shared_notes(decision.target, decision.draft))


def show_layer(moment: Moment) -> Shown:
    """How many beams a layer is to have."""
    decision, trace, iteration = moment.decision, moment.trace, moment.iteration
    extend = drafts_left(decision.offered)
    if not decision.offered:
        what = "No draft extends a beam that is left: every beam of this layer comes from the target."
    elif decision.threshold is None:
        what = f"{extend}; the layer is always {decision.least} wide."
    else:
        what = (
            f"{extend}. The layer is as wide as it can be with a "
            f"probability of {number(decision.threshold)} to fill it with accepted drafts"
        )
        reached = any(probability >= decision.threshold - 1e-12 for probability in decision.at_least)
        what += "" if reached else ". No width has that probability, so it gets the least"
        what += f": {decision.width}."
    panels = {
        "probabilities": (f"probabilities-{moment.decision_index}", pairs_of(trace, iteration, decision)),
        "decision": (f"layer-{moment.decision_index}", layer_picture(decision)),
    }
    telling = Telling(
        f"Layer {decision.depth}: {decision.width} wide",
        join(what, moment.said.get("rule", "") if len(moment.tests) == 1 else ""),
        layer_formula(decision),
    )
    return Shown(telling, panels)


def _choices(trace: Trace, iteration: Iteration, source: JointDistribution, drawn: Key | None) -> tuple[Choice, ...]:
    node_of = nodes_of_pairs(iteration)
    return tuple(
        Choice(next_name(trace, iteration, *key), prob, key == drawn, node_of(*key))
        for key, prob in source.table().items()
    )


def beam_source(iteration: Iteration, decision: SampledBeam) -> str:
    """What a beam was drawn from: ``target``, ``residual``, or ``OWN`` where the layer's record says another thing."""
    before = iteration.decisions[: [one is decision for one in iteration.decisions].index(True)]
    layer = next((one for one in before if isinstance(one, BeamWidth) and one.depth == decision.depth), None)
    if decision.origin != "resampled":
        return "target" if layer is None or is_same(decision.source, layer.target) else OWN
    last = next((one for one in reversed(before) if isinstance(one, BeamCoin) and one.depth == decision.depth), None)
    left = last is not None and not last.accepted and is_left_over(decision.source, last.target, last.draft)
    return "residual" if left else OWN


def _title(iteration: Iteration, decision: SampledBeam) -> str:
    kind = beam_source(iteration, decision)
    return f"{'distribution of the method’s own' if kind == OWN else kind} over beam and next token"


def beam_draw_picture(trace: Trace, iteration: Iteration, decision: SampledBeam) -> Picture:
    """Bars of the joint distribution over pairs of beam and token, the drawn one marked with the look of its origin,
    and above them the strip on which the random number fell."""
    choices = _choices(trace, iteration, decision.source, (decision.parent, decision.token))
    title = _title(iteration, decision)
    how, word = ("Drawn from", "drawn") if decision.uniform is not None else ("From", "taken")
    words = bars_text(f"{how} the {title}", choices, word, OTHERS)
    words += "" if decision.uniform is None else f" The uniform number was {number(decision.uniform)}."
    strip = draw_strip(iteration, decision, lambda key: next_name(trace, iteration, *key, 16))
    origin, plain = origin_entry(decision.origin), other_tone(decision)
    return bars_picture(title, choices, origin, plain, words, others=OTHERS, shown=UNDER_STRIP, above=strip)


def show_beam_draw(moment: Moment) -> Shown:
    """One beam is drawn."""
    decision, trace, iteration = moment.decision, moment.trace, moment.iteration
    prob = number(decision.source.prob(decision.parent, decision.token))
    beam = f"“{next_name(trace, iteration, decision.parent, decision.token, 16)}”"
    where = "this one" if decision.parent < 0 and len(iteration.inputs) < 2 else after_name(iteration, decision.parent)
    random, kind = decision.uniform is not None, beam_source(iteration, decision)
    sources = {"residual": "what the rejections left of the target", OWN: "a distribution that is the method's own"}
    source = sources.get(kind, "the target")
    comes = "is drawn" if random else "comes"
    sentence = (
        f"A beam {comes} from {source}, jointly over beams and next tokens: {where} goes on with "
        f"{quoted_next(trace, decision.token)}, with probability {prob}."
    )
    last = moment.decision_index == len(iteration.decisions)
    drawn = f"; drawn with random number {number(decision.uniform)}" if random else ""
    picture = beam_draw_picture(trace, iteration, decision)
    telling = Telling(
        f"Layer {decision.depth}, {'by its own rule' if kind == OWN else f'from the {kind}'}: {beam}",
        join(sentence, "" if random else "Nothing is random here.", moment.said.get("finish", "") if last else ""),
        f"{f'probability of {beam}' if kind == OWN else f'{kind}({beam})'} = {prob}{drawn}",
    )
    return Shown(telling, {"decision": (f"draw-{moment.decision_index}", picture)})
