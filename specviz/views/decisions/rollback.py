"""Big Little Decoder's check: how much each token of the small model surprises the target, against a threshold.

No coin. Below each token, how sure the small model was when it wrote the token.
"""

from collections.abc import Sequence
from functools import partial
from math import inf

import plotly.graph_objects as go

from specviz.errors import ReplayError
from specviz.trace.decisions import RollbackTest
from specviz.trace.record import Trace
from specviz.views.decisions.coin import own_words, probabilities_panel
from specviz.views.facts.follows import follows
from specviz.views.facts.scene_parts import Drawing, Moment, Shown, Telling, join
from specviz.views.facts.tokens import label, markup, number, pair, quoted
from specviz.views.plot import palette
from specviz.views.plot.marks import outcome_marks


def rollback_formula(decision: RollbackTest) -> str:
    """The check with the numbers put in."""
    surprise, threshold = surprises(decision)
    within = decision.surprise is not None and decision.surprise <= decision.threshold
    verdict = "stays" if decision.passes else "roll back to here"
    made = "−log target =" if is_surprise(decision) else "by the method’s own rule:"
    return f"{made} {surprise} {'≤' if within else '>'} {threshold}: {verdict} (no coin is flipped)"


def is_surprise(decision: RollbackTest) -> bool:
    """Whether the surprise is -log of the raw target probability."""
    try:
        found = -decision.target.logprob(decision.token)
    except ReplayError:  # not among the tokens that the record lists
        return decision.surprise is None
    return found == inf if decision.surprise is None else follows(decision.surprise, lambda: found)


def surprises(decision: RollbackTest) -> tuple[str, ...]:
    """The surprise and how much is allowed, as they are written."""
    if decision.surprise is None:
        return "∞", number(decision.threshold)
    return pair(decision.surprise, decision.threshold)


def show_rollback(moment: Moment) -> Shown:
    """One token of the small model: does it surprise the large one too much?"""
    decision, trace, made = moment.decision, moment.trace, [d for d in moment.made if d.rule == "rollback"]
    total = sum(d.rule == "rollback" for d in moment.iteration.decisions)
    token, verdict = quoted(trace.vocabulary, decision.token), _verdict(decision)
    surprise, allowed = surprises(decision)
    telling = Telling(
        f"Token {decision.depth}, {token}: {verdict}",
        join(
            f"The small model was sure of itself here ({number(decision.confidence)}); the target is surprised by "
            f"{token} by {surprise} nats, {allowed} are allowed."
            if is_surprise(decision)
            else own_words(moment),
            moment.said.get("accept" if decision.passes else "reject", ""),
        ),
        rollback_formula(decision),
    )
    fallback = moment.option("fallback")
    figure = Drawing(
        partial(rollback_figure, trace, made, fallback, total=total), partial(rollback_text, trace, made, fallback)
    )
    return Shown(
        telling,
        {"probabilities": probabilities_panel(moment), "decision": (f"rollback-{moment.decision_index}", figure)},
    )


def _verdict(decision: RollbackTest) -> str:
    """What becomes of a token: one that passes after another failed is lost too."""
    if not decision.passes:
        return "rolled back"
    return "stays" if decision.kept else "passes, after the rollback"


def rollback_text(trace: Trace, decisions: Sequence[RollbackTest], fallback: float | None) -> str:
    """The checks so far in sentences."""
    lines = [f"At most {number(decisions[0].threshold)} nats of surprise are allowed."]
    for d in decisions:
        lines.append(
            f"{d.depth}, {quoted(trace.vocabulary, d.token)}: surprise {surprises(d)[0]}, "
            f"{'stays' if d.passes else 'rolled back'}; the small model's confidence was {number(d.confidence)}."
        )
    if fallback is not None:
        lines.append(f"Below a confidence of {number(fallback)} the small model does not write on.")
    return "\n".join(lines)


def rollback_figure(
    trace: Trace,
    decisions: Sequence[RollbackTest],
    fallback: float | None,
    *,
    total: int | None = None,
    dark: bool = False,
) -> go.Figure:
    """Surprise per token against the threshold, and below the small model's confidence when it wrote the token.

    Marks carry ``customdata``: the node. Infinite surprise stands at the top of the drawing.
    """
    total, colors, threshold = total or len(decisions), palette.theme(dark), decisions[0].threshold
    top = 1.2 * max([threshold, 1.0, *(d.surprise for d in decisions if d.surprise is not None)])
    heights = [top if d.surprise is None else d.surprise for d in decisions]
    ticks = {
        "range": [0.4, total + 0.6],
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
        notes=_notes(decisions, top, fallback),
        margin={"r": 64, "t": 22},
        bargap=0.5,
        xaxis={**ticks, "anchor": "y2"},
        yaxis={
            "range": [-0.08 * top, 1.12 * top],
            "domain": [0.42, 1],
            "title": {"text": "surprise, nats", "font": {"size": 12}},
        },
        yaxis2={"range": [0, 1.3], "tickvals": [0, 0.5, 1], "domain": [0, 0.3], "anchor": "x"},
        shapes=_lines(threshold, fallback, colors),
    )
    for decision, height in zip(decisions, heights, strict=True):
        stem = {"x0": decision.depth, "x1": decision.depth, "y0": 0, "y1": height, "layer": "below"}
        figure.add_shape(type="line", line={"color": colors.muted, "width": 2}, **stem)
    figure.add_traces(outcome_marks(decisions, heights, colors))
    figure.add_bar(
        x=[d.depth for d in decisions],
        y=[d.confidence for d in decisions],
        yaxis="y2",
        marker={"color": palette.DRAFT},
        text=[number(d.confidence) for d in decisions],
        textposition="outside",
        textangle=0,
        cliponaxis=False,
        hoverinfo="skip",
        name="confidence",
    )
    return figure


def _lines(threshold: float, fallback: float | None, colors: palette.Theme) -> list[dict]:
    """Across the surprises the threshold, across the confidences the one below which the small model stops."""
    across = {"type": "line", "xref": "paper", "x0": 0, "x1": 1}
    red, dots = {"color": palette.REJECTED, "width": 2, "dash": "dash"}, {"color": colors.muted, "dash": "dot"}
    lines = [across | {"y0": threshold, "y1": threshold, "line": red}]
    if fallback is not None:
        lines.append(across | {"y0": fallback, "y1": fallback, "yref": "y2", "line": dots})
    return lines


def _notes(decisions: Sequence[RollbackTest], top: float, fallback: float | None) -> list[dict]:
    """Words beside the lines, and over infinite surprise."""
    beside = {"xref": "paper", "x": 1, "xanchor": "left", "showarrow": False, "font": {"size": 12}}
    threshold = decisions[0].threshold
    notes = [beside | {"y": threshold, "text": f" at most<br> {number(threshold)}"}]
    if fallback is not None:
        notes.append(beside | {"yref": "y2", "y": fallback, "text": f" {number(fallback)}"})
    over = {"y": top, "yshift": 16, "text": "∞", "showarrow": False}
    return notes + [over | {"x": decision.depth} for decision in decisions if decision.surprise is None]
