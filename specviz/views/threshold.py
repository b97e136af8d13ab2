"""Tests without a coin: typical acceptance against the entropy, the small model's surprise against a threshold."""

from collections.abc import Sequence
from functools import partial
from math import exp, log

import plotly.graph_objects as go

from specviz.trace.decisions import RollbackDecision, TypicalDecision
from specviz.trace.record import Trace
from specviz.views import palette
from specviz.views.bars import Bar, bars_figure, bars_text
from specviz.views.block import coin_marks
from specviz.views.coin import gives, probabilities_panel
from specviz.views.names import log_number
from specviz.views.telling import Drawing, Moment, Shown, Telling, join
from specviz.views.tokens import label, markup, number, pair, quoted

_FLOOR = 1e-4  # where probabilities of zero stand on a logarithmic axis


def typical_formula(decision: TypicalDecision, epsilon: float | None, delta: float | None) -> str:
    """The test with the numbers put in."""
    prob, threshold = pair(decision.target_prob, decision.threshold)
    how = (
        f" = min({number(epsilon)}, {number(delta)} exp(−{number(decision.entropy)}))"
        if epsilon is not None and delta is not None
        else ""
    )
    sign, verdict = (">", "accept") if decision.passes else ("≤", "reject")
    return f"p = {prob} {sign} {threshold}{how}: {verdict} (no coin is flipped)"


def _made(moment: Moment, rule: str) -> list:
    return [decision for decision in moment.made if decision.rule == rule]


def show_typical(moment: Moment) -> Shown:
    """One token against the threshold that the entropy of its place makes."""
    decision, trace, made = moment.decision, moment.trace, _made(moment, "typical")
    token, verdict = quoted(trace.vocabulary, decision.token), "accepted" if decision.passes else "rejected"
    prob, threshold = pair(decision.target_prob, decision.threshold)
    epsilon, delta = moment.option("epsilon"), moment.option("delta")
    rule = epsilon is not None and delta is not None
    open_ = ""
    if rule:
        bound = "the entropy" if delta * exp(-decision.entropy) < epsilon else "the fixed bound"
        open_ = f" There the law has {number(decision.entropy)} nats of entropy, and {bound} sets the threshold."
    telling = Telling(
        f"Token {decision.depth}, {token}: {verdict}",
        join(
            f"The target gives {token} probability {prob} (temperature alone); the threshold is {threshold}.{open_}",
            moment.said.get("accept" if decision.passes else "reject", ""),
        ),
        typical_formula(decision, epsilon, delta),
    )
    curve = Drawing(partial(typical_figure, made, epsilon, delta), partial(typical_text, trace, made))
    bars = Drawing(
        partial(law_figure, trace, decision, moment.option("temperature")),
        partial(law_text, trace, decision, moment.option("temperature")),
    )
    panels = {"probabilities": (f"probabilities-{moment.place}", bars), "decision": (f"typical-{moment.place}", curve)}
    return Shown(telling, panels)


def softened(decision: TypicalDecision, temperature: float | None) -> dict[int, float]:
    """The listed tokens under the law of the test, the target's after the temperature alone, from their unwarped
    log-probabilities: exact up to the listing."""
    heat = 1.0 if temperature is None else temperature
    logs = dict(zip(decision.target.tokens, decision.target.logprobs, strict=True))
    if heat <= 0.0 or decision.target_prob <= 0.0 or logs.get(decision.token) is None:
        if heat == 1.0:
            return {t: exp(value) for t, value in logs.items() if value is not None}
        return dict(zip(decision.target.tokens, decision.target.probs, strict=True))
    shift = log(decision.target_prob) - logs[decision.token] / heat
    return {token: exp(value / heat + shift) for token, value in logs.items() if value is not None}


def _bars(trace: Trace, decision: TypicalDecision, temperature: float | None) -> tuple[Bar, ...]:
    table = softened(decision, temperature) | {decision.token: decision.target_prob}
    return tuple(Bar(label(trace.vocabulary, t, 20), prob, t == decision.token, t) for t, prob in table.items())


def law_text(trace: Trace, decision: TypicalDecision, temperature: float | None) -> str:
    """The law and the threshold in sentences."""
    text = bars_text("Target, temperature alone", _bars(trace, decision, temperature), "drafted")
    return f"{text} The threshold is {number(decision.threshold)}."


def law_figure(trace: Trace, decision: TypicalDecision, temperature: float | None, *, dark: bool = False) -> go.Figure:
    """Bars of the law, the drafted token marked, the threshold a line across."""
    outcome = palette.OUTCOMES["accepted" if decision.passes else "rejected"]
    mark = palette.Mark(f"drafted, {outcome.word}", outcome.color, outcome.glyph, "", "", 0.0)
    title = f"target, temperature alone; dashed: the threshold, {number(decision.threshold)}"
    figure = bars_figure(_bars(trace, decision, temperature), mark, palette.TARGET, title, dark)
    line = {"color": palette.REJECTED, "width": 2, "dash": "dash"}
    figure.add_shape(type="line", yref="paper", y0=0, y1=1, x0=decision.threshold, x1=decision.threshold, line=line)
    return figure


def typical_text(trace: Trace, decisions: Sequence[TypicalDecision]) -> str:
    """The tests so far in sentences."""
    return "\n".join(
        f"{quoted(trace.vocabulary, d.token)} at depth {d.depth}: entropy {number(d.entropy)} nats, threshold "
        f"{number(d.threshold)}, target probability {number(d.target_prob)}: {'passes' if d.passes else 'fails'}."
        for d in decisions
    )


def typical_figure(
    decisions: Sequence[TypicalDecision], epsilon: float | None, delta: float | None, *, dark: bool = False
) -> go.Figure:
    """The threshold as a curve over the entropy, the tokens tested so far above or below it, the newest ringed.

    Both options unknown: the recorded thresholds alone. Tokens carry ``customdata``: the node.
    """
    colors, widest = palette.theme(dark), 1.15 * max(2.0, *(d.entropy for d in decisions))
    knots = [widest * step / 60 for step in range(61)]
    if epsilon is not None and delta is not None:
        curve = [(h, max(_FLOOR, min(epsilon, delta * exp(-h)))) for h in knots]
    else:
        curve = sorted((d.entropy, max(_FLOOR, d.threshold)) for d in decisions)
    heights = [log(max(_FLOOR, d.target_prob)) / log(10) for d in decisions]
    entries = (
        (palette.REJECTED, "", "threshold (dashed)"),
        (palette.ACCEPTED, "✓", "likely enough"),
        (palette.REJECTED, "✗", "not"),
    )
    note = "ringed: this token" + (
        f"; below {_FLOOR:g}: on the floor" if any(d.target_prob < _FLOOR for d in decisions) else ""
    )
    figure = palette.canvas(
        dark,
        230,
        palette.Key(entries, note),
        margin={"r": 20, "t": 12},
        xaxis={"range": [-0.04 * widest, widest], "title": {"text": "entropy of the target, nats", "standoff": 4}},
        yaxis={
            "range": [-4.3, 0.25],
            "tickvals": [-4, -3, -2, -1, 0],
            "ticktext": ["0.0001", "0.001", "0.01", "0.1", "1"],
            "title": {"text": "probability"},
        },
    )
    line = {"color": palette.REJECTED, "width": 2.5, "dash": "dash"}
    figure.add_scatter(
        x=[h for h, _ in curve],
        y=[log(t) / log(10) for _, t in curve],
        mode="lines",
        line=line,
        hoverinfo="skip",
        name="threshold",
    )
    ring = {"size": 30, "color": palette.CLEAR, "line": {"color": colors.ink, "width": 2}}
    last = decisions[-1]
    figure.add_scatter(x=[last.entropy], y=heights[-1:], mode="markers", marker=ring, hoverinfo="skip", name="newest")
    marks = coin_marks(decisions, heights, colors)
    for marked, passes in zip(marks, (True, False), strict=True):
        marked.x = [d.entropy for d in decisions if d.passes is passes]
    figure.add_traces(marks)
    return figure


def rollback_formula(decision: RollbackDecision) -> str:
    """The check with the numbers put in."""
    threshold, surprise = number(decision.threshold), log_number(decision.surprise).replace("−∞", "∞")
    if decision.surprise is not None:
        surprise, threshold = pair(decision.surprise, decision.threshold)
    sign, verdict = ("≤", "stays") if decision.passes else (">", "roll back to here")
    return f"−log target = {surprise} {sign} {threshold}: {verdict} (no coin is flipped)"


def show_rollback(moment: Moment) -> Shown:
    """One token of the small model: does it surprise the large one too much?"""
    decision, trace, made = moment.decision, moment.trace, _made(moment, "rollback")
    places = sum(d.rule == "rollback" for d in moment.iteration.decisions)
    token, verdict = quoted(trace.vocabulary, decision.token), "stays" if decision.passes else "rolled back"
    surprise = "∞" if decision.surprise is None else number(decision.surprise)
    telling = Telling(
        f"Token {decision.depth}, {token}: {verdict}",
        join(
            f"The small model was sure of itself here ({number(decision.confidence)}); the target is surprised by {token} by "
            f"{surprise} nats, {number(decision.threshold)} are allowed.",
            moment.said.get("accept" if decision.passes else "reject", ""),
        ),
        rollback_formula(decision),
    )
    fallback = moment.option("fallback")
    figure = Drawing(
        partial(rollback_figure, trace, made, fallback, places=places), partial(rollback_text, trace, made, fallback)
    )
    return Shown(
        telling, {"probabilities": probabilities_panel(moment), "decision": (f"rollback-{moment.place}", figure)}
    )


def rollback_text(trace: Trace, decisions: Sequence[RollbackDecision], fallback: float | None) -> str:
    """The checks so far in sentences."""
    lines = [f"At most {number(decisions[0].threshold)} nats of surprise are allowed."]
    for d in decisions:
        surprise = "∞" if d.surprise is None else number(d.surprise)
        lines.append(
            f"{d.depth}, {quoted(trace.vocabulary, d.token)}: surprise {surprise}, {'stays' if d.passes else 'rolled back'}; "
            f"the small model's confidence was {number(d.confidence)}."
        )
    if fallback is not None:
        lines.append(f"Below a confidence of {number(fallback)} the small model does not write on.")
    return "\n".join(lines)


def rollback_figure(
    trace: Trace,
    decisions: Sequence[RollbackDecision],
    fallback: float | None,
    *,
    places: int | None = None,
    dark: bool = False,
) -> go.Figure:
    """Surprise per token against the threshold, and below the small model's confidence when it wrote the token.

    Marks carry ``customdata``: the node. Infinite surprise stands at the top of the drawing.
    """
    places, colors, threshold = places or len(decisions), palette.theme(dark), decisions[0].threshold
    top = 1.2 * max([threshold, 1.0, *(d.surprise for d in decisions if d.surprise is not None)])
    heights = [top if d.surprise is None else d.surprise for d in decisions]
    dash = {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "line": {"color": palette.REJECTED, "width": 2, "dash": "dash"},
    }
    shapes = [dash | {"y0": threshold, "y1": threshold}]
    beside = {"xref": "paper", "x": 1, "xanchor": "left", "showarrow": False, "font": {"size": 12}}
    notes = [beside | {"y": threshold, "text": f" at most<br> {number(threshold)}"}]
    if fallback is not None:
        shapes.append(
            dash | {"y0": fallback, "y1": fallback, "yref": "y2", "line": {"color": colors.muted, "dash": "dot"}}
        )
        notes.append(beside | {"yref": "y2", "y": fallback, "text": f" {number(fallback)}"})
    notes += [
        {"x": d.depth, "y": top, "yshift": 16, "text": "∞", "showarrow": False} for d in decisions if d.surprise is None
    ]
    ticks = {
        "range": [0.4, places + 0.6],
        "tickvals": [d.depth for d in decisions],
        "ticktext": [f"{d.depth} {markup(label(trace.vocabulary, d.token, 10))}" for d in decisions],
        "showgrid": False,
    }
    entries = (
        (palette.ACCEPTED, "✓", "surprise: stays"),
        (palette.REJECTED, "✗", "rolled back"),
        (palette.DRAFT, "", "the small model's confidence"),
    )
    figure = palette.canvas(
        dark,
        290,
        palette.Key(entries),
        notes=notes,
        margin={"r": 64, "t": 22},
        bargap=0.5,
        xaxis={**ticks, "anchor": "y2"},
        yaxis={"range": [-0.08 * top, 1.12 * top], "domain": [0.42, 1], "title": {"text": "surprise, nats"}},
        yaxis2={"range": [0, 1.05], "domain": [0, 0.3], "anchor": "x"},
        shapes=shapes,
    )
    stems = [
        value for d, y in zip(decisions, heights, strict=True) for value in ((d.depth, 0.0), (d.depth, y), (None, None))
    ]
    figure.add_scatter(
        x=[x for x, _ in stems],
        y=[y for _, y in stems],
        mode="lines",
        line={"color": colors.muted, "width": 2},
        hoverinfo="skip",
        name="surprise",
    )
    figure.add_traces(coin_marks(decisions, heights, colors))
    figure.add_bar(
        x=[d.depth for d in decisions],
        y=[d.confidence for d in decisions],
        yaxis="y2",
        marker={"color": palette.DRAFT},
        text=[number(d.confidence) for d in decisions],
        textposition="inside",
        hoverinfo="skip",
        name="confidence",
    )
    return figure
