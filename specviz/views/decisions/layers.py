"""A layer of beams: how wide it is to be, and the beams that are drawn for it.

The width is the largest K for which at least K drafts are accepted with the required probability (dsbd.txt, section
3.3): a falling curve over K, the threshold across it, the width a bracket under it."""

from functools import partial

import plotly.graph_objects as go

from specviz.trace.decisions import BeamCoin, BeamWidth, SampledBeam
from specviz.trace.distribution import overlap
from specviz.trace.record import Iteration, Trace
from specviz.views.decisions.cumulative import UNDER_STRIP, spans, with_draw
from specviz.views.facts.follows import is_left_over, is_same
from specviz.views.facts.iteration_facts import nodes_of_pairs
from specviz.views.facts.prefix_names import after_name, next_name, quoted_next
from specviz.views.facts.scene_parts import Drawing, Moment, Shown, Telling, join
from specviz.views.facts.tokens import count, drafts_left, number, pair
from specviz.views.plot import palette
from specviz.views.plot.bars import OTHERS, Bar, bars_figure, bars_text
from specviz.views.plot.probabilities import compare, namer, pairs_data, row_names, row_nodes

OWN = "own"
"""The kind of a distribution that is neither the target's nor a residual of it."""
_NOTHING = (0, -2)  # a key that no row has: there is no token -2


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


def layer_figure(decision: BeamWidth, *, dark: bool = False) -> go.Figure:
    """P(at least K accepted) over K, the threshold, and the width as a bracket under the axis."""
    colors, most = palette.theme(dark), max(decision.offered, decision.width, 1)
    shapes = []
    notes = [
        {
            "x": (1 + decision.width) / 2,
            "y": -0.2,
            "text": f"<b>width {decision.width}</b>",
            "showarrow": False,
            "yanchor": "top",
        }
    ]
    if decision.threshold is not None:
        line = {"color": palette.REJECTED, "width": 2, "dash": "dash"}
        across = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": decision.threshold, "y1": decision.threshold}
        shapes.append(across | {"line": line})
        beside = {"xref": "paper", "x": 1, "xanchor": "left", "showarrow": False, "font": {"size": 12}}
        notes.append(beside | {"y": decision.threshold, "text": f" t = {number(decision.threshold)}"})
    left, right = 1 - 0.3, decision.width + 0.3
    for x0, y0, x1, y1 in ((left, -0.1, left, -0.17), (left, -0.17, right, -0.17), (right, -0.17, right, -0.1)):
        shapes.append(
            {"type": "line", "x0": x0, "x1": x1, "y0": y0, "y1": y1, "line": {"color": colors.ink, "width": 2.5}}
        )
    figure = palette.canvas(
        dark,
        230,
        palette.Key(
            ((palette.ACCEPTED, "", "probability that at least K are accepted"),),
            "across: K; bracket: the width of the layer",
        ),
        notes=notes,
        margin={"r": 60, "t": 14},
        bargap=0.35,
        xaxis={
            "range": [0.4, most + 0.6],
            "tickvals": list(range(1, most + 1)),
            "showgrid": False,
        },
        yaxis={"range": [-0.36, 1.14], "tickvals": [0, 0.25, 0.5, 0.75, 1]},
        shapes=shapes,
    )
    widths = list(range(1, decision.offered + 1))
    inside = [decision.width >= k for k in widths]
    figure.add_bar(
        x=widths,
        y=list(decision.at_least),
        marker={
            "color": [palette.ACCEPTED if within else palette.CLEAR for within in inside],
            "line": {"color": palette.ACCEPTED, "width": 1.5},
        },
        text=[number(probability) for probability in decision.at_least],
        textposition="outside",
        cliponaxis=False,
        hovertext=[f"alpha {number(alpha)}" for alpha in decision.acceptances],
        hoverinfo="text",
        name="at least K",
    )
    return figure


def pairs_text(trace: Trace, iteration: Iteration, decision: BeamWidth) -> str:
    """Target and draft over the pairs of beam and token."""
    name = namer(trace, iteration)
    if decision.draft is None:
        return bars_text("Target, beam and next token", _bars(trace, iteration, decision.target, None), "drawn", OTHERS)
    parts = [
        f"{OTHERS if row.key is None else f'“{name(row.key)}”'} target {number(row.target)}, draft {number(row.draft)}"
        for row in compare(decision.target, decision.draft, _NOTHING)
    ]
    shared = number(overlap(decision.target, decision.draft))
    return f"Layer {decision.depth}, beam and next token: {'; '.join(parts)}. Target and draft share {shared}."


def pairs_figure(trace: Trace, iteration: Iteration, decision: BeamWidth, *, dark: bool = False) -> go.Figure:
    """Paired bars over the pairs of beam and token; the target's alone where no draft is left."""
    if decision.draft is None:
        drawn = palette.ORIGINS["target"]
        return bars_figure(
            _bars(trace, iteration, decision.target, None), drawn, palette.TARGET, "target", dark, OTHERS
        )
    rows = compare(decision.target, decision.draft, _NOTHING)
    note = f"solid: shared, {number(overlap(decision.target, decision.draft))} in all; hatched: excess"
    nodes = row_nodes(rows, iteration)
    return palette.figure_of(pairs_data(rows, row_names(rows, _NOTHING, namer(trace, iteration)), note, dark, nodes))


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
    curve = Drawing(partial(layer_figure, decision), partial(layer_text, decision))
    distributions = Drawing(
        partial(pairs_figure, trace, iteration, decision), partial(pairs_text, trace, iteration, decision)
    )
    panels = {
        "probabilities": (f"probabilities-{moment.decision_index}", distributions),
        "decision": (f"layer-{moment.decision_index}", curve),
    }
    first = not any(d.rule == "layer" for d in moment.made[:-1])
    telling = Telling(
        f"Layer {decision.depth}: {decision.width} wide",
        join(what, moment.said.get("rule", "") if first else ""),
        layer_formula(decision),
    )
    return Shown(telling, panels)


def _bars(trace: Trace, iteration: Iteration, distribution, drawn: tuple[int, int] | None) -> tuple[Bar, ...]:
    node_of = nodes_of_pairs(iteration)
    return tuple(
        Bar(next_name(trace, iteration, *key), prob, key == drawn, key[1], node_of(*key))
        for key, prob in distribution.table().items()
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


def beam_draw_text(trace: Trace, iteration: Iteration, decision: SampledBeam) -> str:
    """The distribution and the draw in sentences."""
    bars = _bars(trace, iteration, decision.source, (decision.parent, decision.token))
    how, word = ("Drawn from", "drawn") if decision.uniform is not None else ("From", "taken")
    text = bars_text(f"{how} the {_title(iteration, decision)}", bars, word, OTHERS)
    return text if decision.uniform is None else f"{text} The uniform number was {number(decision.uniform)}."


def beam_draw_figure(trace: Trace, iteration: Iteration, decision: SampledBeam, *, dark: bool = False) -> go.Figure:
    """Bars of the joint distribution over pairs of beam and token, the drawn one marked with the look of its origin,
    and above them the strip on which the random number fell."""
    plain = palette.theme(dark).pending if decision.origin == "target" else palette.TARGET
    bars = _bars(trace, iteration, decision.source, (decision.parent, decision.token))
    title = _title(iteration, decision)
    figure = bars_figure(bars, palette.ORIGINS[decision.origin], plain, title, dark, OTHERS, UNDER_STRIP)
    names = (
        (next_name(trace, iteration, *key, 8), f"“{next_name(trace, iteration, *key, 16)}”")
        for key, *_ in spans(decision)
    )
    return with_draw(figure, decision, names, dark=dark)


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
    drawing = Drawing(
        partial(beam_draw_figure, trace, iteration, decision), partial(beam_draw_text, trace, iteration, decision)
    )
    telling = Telling(
        f"Layer {decision.depth}, {'by its own rule' if kind == OWN else f'from the {kind}'}: {beam}",
        join(sentence, "" if random else "Nothing is random here.", moment.said.get("finish", "") if last else ""),
        f"{f'probability of {beam}' if kind == OWN else f'{kind}({beam})'} = {prob}{drawn}",
    )
    return Shown(telling, {"decision": (f"draw-{moment.decision_index}", drawing)})
