"""A random number like a coin: what it may lead to end to end from 0 to 1, and the number on one of them."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from specviz.trace.decisions import BlockTest, SampledBeam, SampledToken
from specviz.trace.distribution import Distribution, JointDistribution
from specviz.views.decisions.chance import chance
from specviz.views.facts.tokens import markup, number
from specviz.views.plot import palette

ROOM = 58  # pixels above the bars
STRIP = (8, 26)  # pixels above the bars, from and to
UNDER_STRIP = 7  # bars, beside the rest: the strip has all of them
LETTER = 0.02  # of the strip: what a letter of a name needs

Key = tuple[int, int]


class Span(NamedTuple):
    """One outcome: its ``name`` on the strip and in ``words``, its kind and color, and from where to where it lies."""

    name: str
    words: str
    kind: str
    color: str
    start: float
    end: float


def spans(draw: SampledToken | SampledBeam) -> list[tuple[Key, float, float]]:
    """((prefix, token), from, to) in the order in which the dice lay the outcomes end to end, 0 to 1; none where the
    record lists only some of them. The prefix of a token that is drawn alone is that of the draw."""
    source: Distribution | JointDistribution = draw.source
    if source.rest > 0.0:
        return []
    ends = source.probs.cumsum(dtype=np.float64)
    ends /= ends[-1]
    prefixes = source.prefixes.tolist() if isinstance(source, JointDistribution) else [_before(draw)] * len(ends)
    keys = zip(prefixes, source.tokens.tolist(), strict=True)
    found = zip(keys, [0.0, *ends[:-1].tolist()], ends.tolist(), strict=True)
    return [(key, start, end) for key, start, end in found if end > start]


def with_draw(
    figure: go.Figure, draw: SampledToken | SampledBeam, names: Iterable[tuple[str, str]], *, dark: bool
) -> go.Figure:
    """The figure with the strip of a draw above it, the drawn outcome in the color of its origin; ``names`` are those
    of ``spans(draw)``, short and in words. As it is where no number was needed, or where not all outcomes are known."""
    found = spans(draw)
    if draw.uniform is None or not found:
        return figure
    key = (_before(draw), draw.token)
    plain = palette.theme(dark).pending if draw.origin == "target" else palette.TARGET
    looks = {True: ("drawn", palette.ORIGINS[draw.origin].color), False: ("other", plain)}
    parts = [Span(*name, *looks[own == key], start, end) for name, (own, start, end) in zip(names, found, strict=True)]
    return _with_strip(figure, parts, draw.uniform, "random number", dark)


def _before(draw: SampledToken | SampledBeam) -> int:
    return draw.parent if isinstance(draw, SampledBeam) else draw.after


def with_coin(figure: go.Figure, test: BlockTest, *, dark: bool) -> go.Figure:
    """The figure with the strip of a prefix's own coin above it; as it is where none was flipped."""
    if test.uniform is None:
        return figure
    chance_of = test.acceptance_probability
    sides = (
        Span("✓ passes", "the prefix passes", "accepted", palette.ACCEPTED, 0.0, chance_of),
        Span("✗ fails", "the prefix fails", "rejected", palette.REJECTED, chance_of, 1.0),
    )
    return _with_strip(figure, sides, test.uniform, "coin", dark)


def _with_strip(figure: go.Figure, parts: Sequence[Span], uniform: float, what: str, dark: bool) -> go.Figure:
    colors, shapes, notes = palette.theme(dark), [], []
    for at, part in enumerate(parts):
        hit = part.kind == "drawn"
        edge = {"color": colors.ink if hit else colors.grid, "width": 1}
        shade = 1.0 - 0.35 * (at % 2) if part.kind in ("drawn", "other") else 0.4
        shapes.append(_across("rect", part.start, part.end, *STRIP, fillcolor=part.color, opacity=shade, line=edge))
        if part.end - part.start >= LETTER * (len(part.name) + 1):
            notes.append(_note(markup(part.name), (part.start + part.end) / 2, sum(STRIP) / 2, 11))
    needle = {"color": colors.ink, "width": 3}
    shapes.append(_across("line", uniform, uniform, STRIP[0] - 5, STRIP[1] + 6, line=needle))
    where = "left" if uniform < 0.5 else "right"
    notes.append(_note(f"{what} {number(uniform)}", uniform, STRIP[1] + 15, 12, xanchor=where))
    layout = figure.layout
    figure.update_layout(
        meta=layout.meta | chance(uniform, "paper", ((part.end, part.words, part.kind) for part in parts)),
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
