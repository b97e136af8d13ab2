"""Typical acceptance: the target's probability against a threshold that falls with the entropy at the position."""

from collections.abc import Sequence
from functools import partial
from math import exp, log
from typing import Any

import plotly.graph_objects as go

from specviz.trace.decisions import TypicalTest
from specviz.trace.record import Iteration, Trace
from specviz.views.facts.follows import follows
from specviz.views.facts.iteration_facts import nodes_of
from specviz.views.facts.scene_parts import Drawing, Moment, Shown, Telling, join
from specviz.views.facts.tokens import label, number, pair, quoted, worked
from specviz.views.plot import palette
from specviz.views.plot.bars import Bar, bars_figure, bars_text, linked
from specviz.views.plot.marks import outcome_marks, ring

_FLOOR = 1e-4  # where probabilities of zero stand on a logarithmic axis


def typical_formula(decision: TypicalTest, epsilon: float | None, delta: float | None) -> str:
    """The test with the numbers put in."""
    prob, threshold, *how = bound(decision, epsilon, delta)
    made = f" = min({how[0]}, {how[1]} exp(−{how[2]}))" if how else ""
    sign = ">" if decision.target_prob > decision.threshold else "≤"
    verdict = "accept" if decision.passes else "reject"
    return f"p = {prob} {sign} {threshold}{made}: {verdict} (no coin is flipped)"


def bound(decision: TypicalTest, epsilon: float | None, delta: float | None) -> tuple[str, ...]:
    """Probability and threshold as they are written; where both options are known, epsilon, delta and the entropy,
    with enough digits for a reader to find the threshold again."""
    prob, threshold = pair(decision.target_prob, decision.threshold)
    if epsilon is None or delta is None or not _sets(decision, epsilon, delta):
        return prob, threshold
    values = epsilon, delta, decision.entropy
    return prob, threshold, *worked(threshold, lambda e, d, h: min(e, d * exp(-h)), *values)


def _sets(decision: TypicalTest, epsilon: float, delta: float) -> bool:
    """Whether the threshold is min(epsilon, delta exp(-entropy))."""
    return follows(decision.threshold, lambda: min(epsilon, delta * exp(-decision.entropy)))


def show_typical(moment: Moment) -> Shown:
    """One token against the threshold that the entropy at its position makes."""
    decision, trace, made = moment.decision, moment.trace, [d for d in moment.made if d.rule == "typical"]
    token, verdict = quoted(trace.vocabulary, decision.token), _verdict(decision)
    epsilon, delta = moment.option("epsilon"), moment.option("delta")
    prob, threshold, *how = bound(decision, epsilon, delta)
    open_ = ""
    if how and epsilon is not None and delta is not None:
        sets = "the entropy" if delta * exp(-decision.entropy) < epsilon else "the fixed bound"
        open_ = f" There the distribution has {how[2]} nats of entropy, and {sets} sets the threshold."
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
        partial(temperature_figure, trace, decision, moment.option("temperature"), moment.iteration),
        partial(temperature_text, trace, decision, moment.option("temperature")),
    )
    panels = {
        "probabilities": (f"probabilities-{moment.decision_index}", bars),
        "decision": (f"typical-{moment.decision_index}", curve),
    }
    return Shown(telling, panels)


def _verdict(decision: TypicalTest) -> str:
    if not decision.passes:
        return "rejected"
    return "accepted" if decision.kept else "passes, but is not kept"


def at_temperature(decision: TypicalTest, temperature: float | None) -> dict[int, float]:
    """The listed tokens under the distribution of the test, the target's after the temperature alone, from their raw
    log-probabilities: exact up to the listing."""
    heat = 1.0 if temperature is None else temperature
    logs = decision.target.raw_logprobs()
    if heat <= 0.0 or decision.target_prob <= 0.0 or decision.token not in logs:
        return {t: exp(value) for t, value in logs.items()} if heat == 1.0 else decision.target.table()
    shift = log(decision.target_prob) - logs[decision.token] / heat
    return {token: exp(value / heat + shift) for token, value in logs.items()}


def _bars(trace: Trace, decision: TypicalTest, temperature: float | None) -> tuple[Bar, ...]:
    table = at_temperature(decision, temperature) | {decision.token: decision.target_prob}
    return tuple(Bar(label(trace.vocabulary, t, 20), prob, t == decision.token, t) for t, prob in table.items())


def temperature_text(trace: Trace, decision: TypicalTest, temperature: float | None) -> str:
    """The distribution and the threshold in sentences."""
    text = bars_text("Target, temperature alone", _bars(trace, decision, temperature), "drafted")
    return f"{text} The threshold is {number(decision.threshold)}."


def temperature_figure(
    trace: Trace,
    decision: TypicalTest,
    temperature: float | None,
    iteration: Iteration | None = None,
    *,
    dark: bool = False,
) -> go.Figure:
    """Bars of the distribution, the drafted token marked, the threshold a line across; ``iteration`` links bars to
    nodes."""
    outcome = palette.OUTCOMES["accepted" if decision.passes else "rejected"]
    mark = palette.MarkStyle(f"drafted, {outcome.word}", outcome.color, outcome.glyph, "", "", 0.0)
    title = f"target, temperature alone; dashed: the threshold, {number(decision.threshold)}"
    bars = _bars(trace, decision, temperature)
    if iteration is not None:
        bars = linked(bars, iteration, nodes_of(iteration)[decision.node].parent)
    figure = bars_figure(bars, mark, palette.TARGET, title, dark)
    drawn: Any = figure.data[0]
    for row, text in zip(drawn.y, drawn.text, strict=True):  # beside the line, not under it
        figure.add_annotation(xref="paper", x=1, xanchor="left", y=row, text=text, showarrow=False, font={"size": 12})
    figure.update_traces(textposition="none")
    line = {"color": palette.REJECTED, "width": 2, "dash": "dash"}
    figure.add_shape(type="line", yref="paper", y0=0, y1=1, x0=decision.threshold, x1=decision.threshold, line=line)
    return figure


def typical_text(trace: Trace, decisions: Sequence[TypicalTest]) -> str:
    """The tests so far in sentences."""
    return "\n".join(
        f"{quoted(trace.vocabulary, d.token)} at depth {d.depth}: entropy {number(d.entropy)} nats, threshold "
        f"{number(d.threshold)}, target probability {number(d.target_prob)}: {'passes' if d.passes else 'fails'}."
        for d in decisions
    )


def typical_figure(
    decisions: Sequence[TypicalTest], epsilon: float | None, delta: float | None, *, dark: bool = False
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
    note = "across: the target's entropy, nats; ringed: this token"
    note += f"; below {_FLOOR:g}: on the floor" if any(d.target_prob < _FLOOR for d in decisions) else ""
    figure = palette.canvas(
        dark,
        230,
        palette.Key(entries, note),
        margin={"r": 20, "t": 12},
        xaxis={"range": [-0.04 * widest, widest]},
        yaxis={
            "range": [-4.3, 0.25],
            "tickvals": [-4, -3, -2, -1, 0],
            "ticktext": ["0.0001", "0.001", "0.01", "0.1", "1"],
            "title": {"text": "probability", "font": {"size": 12}},
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
    figure.add_trace(ring(decisions[-1].entropy, heights[-1], colors))
    marks = outcome_marks(decisions, heights, colors)
    for marked, passes in zip(marks, (True, False), strict=True):
        marked.x = [d.entropy for d in decisions if d.passes is passes]
    figure.add_traces(marks)
    return figure
