"""A draw like a coin: the probabilities of all tokens end to end from 0 to 1, and the random number on one of them."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from specviz.trace.decisions import SampledToken
from specviz.trace.record import Trace
from specviz.views.decisions.chance import chance
from specviz.views.facts.tokens import label, markup, number, quoted
from specviz.views.plot import palette

ROOM = 58  # pixels above the bars
STRIP = (8, 26)  # pixels above the bars, from and to
NAMED = 0.09  # of the strip: wide enough for a name


def spans(draw: SampledToken) -> list[tuple[int, float, float]]:
    """(token, from, to) in the order in which the dice lay the tokens end to end, 0 to 1; none where the record lists
    only some of them."""
    source = draw.source
    if source.rest > 0.0:
        return []
    ends = source.probs.cumsum(dtype=np.float64)
    ends /= ends[-1]
    found = zip(source.tokens.tolist(), [0.0, *ends[:-1].tolist()], ends.tolist(), strict=True)
    return [(token, start, end) for token, start, end in found if end > start]


def with_strip(figure: go.Figure, trace: Trace, draw: SampledToken, *, dark: bool) -> go.Figure:
    """The figure with the strip above it, the drawn token in the colour of its origin and the number as a needle; as it
    is where no number was needed, or where not all tokens are known."""
    found = spans(draw)
    if draw.uniform is None or not found:
        return figure
    colors, mark = palette.theme(dark), palette.ORIGINS[draw.origin]
    plain = colors.pending if draw.origin == "target" else palette.TARGET
    shapes, notes = [], []
    for at, (token, start, end) in enumerate(found):
        color = mark.color if token == draw.token else plain
        edge = {"color": colors.ink if token == draw.token else colors.grid, "width": 1}
        shapes.append(_across("rect", start, end, *STRIP, fillcolor=color, opacity=1.0 - 0.35 * (at % 2), line=edge))
        if end - start >= NAMED:
            notes.append(_note(markup(label(trace.vocabulary, token, 8)), (start + end) / 2, sum(STRIP) / 2, 11))
    needle = {"color": colors.ink, "width": 3}
    shapes.append(_across("line", draw.uniform, draw.uniform, STRIP[0] - 5, STRIP[1] + 6, line=needle))
    where = "left" if draw.uniform < 0.5 else "right"
    notes.append(_note(f"random number {number(draw.uniform)}", draw.uniform, STRIP[1] + 15, 12, xanchor=where))
    layout = figure.layout
    ends = (
        (end, quoted(trace.vocabulary, token), "drawn" if token == draw.token else "other") for token, _, end in found
    )
    figure.update_layout(
        meta=layout.meta | chance(draw.uniform, "paper", ends),
        height=layout.height + ROOM,
        margin_t=(layout.margin.t or 0) + ROOM,
        shapes=[*layout.shapes, *shapes],
        annotations=[*layout.annotations, *notes],
    )
    return figure


def _across(kind: str, start: float, end: float, low: int, high: int, **more: Any) -> dict[str, Any]:
    """A shape over the bars: from ``start`` to ``end`` of their width, between two heights in pixels."""
    over = {"xref": "paper", "yref": "paper", "ysizemode": "pixel", "yanchor": 1}
    return {"type": kind, "x0": start, "x1": end, "y0": low, "y1": high} | over | more


def _note(text: str, x: float, up: float, size: int, **more: Any) -> dict[str, Any]:
    over = {"xref": "paper", "yref": "paper", "y": 1, "yshift": up, "yanchor": "middle", "showarrow": False}
    return {"text": text, "x": x, "font": {"size": size}} | over | more
