"""Marks that tests share: one for every test at its height, passing or failing, and a ring around one of them."""

from collections.abc import Sequence

import plotly.graph_objects as go

from specviz.trace.decisions import PrefixTest
from specviz.views.facts.tokens import number
from specviz.views.plot import palette


def outcome_marks(decisions: Sequence[PrefixTest], heights: Sequence[float], colors: palette.Theme) -> list[go.Scatter]:
    """A mark for every test at its height: passing and failing ones."""
    found = []
    for name, passes, mark in (
        ("passes", True, palette.OUTCOMES["accepted"]),
        ("fails", False, palette.OUTCOMES["rejected"]),
    ):
        points = [(d, y) for d, y in zip(decisions, heights, strict=True) if d.passes is passes]
        outline = {"color": mark.outline or colors.ink, "width": mark.outline_width}
        found.append(
            go.Scatter(
                x=[d.depth for d, _ in points],
                y=[y for _, y in points],
                mode="markers+text",
                text=mark.glyph,
                textfont={"color": mark.glyph_color, "size": 12},
                marker={"symbol": mark.symbol, "size": 20, "color": mark.color, "line": outline},
                customdata=[d.node for d, _ in points],
                hovertext=[f"{d.depth}: {number(y)}" for d, y in points],
                hovertemplate=f"%{{hovertext}}<extra>{name}</extra>",
                name=name,
            )
        )
    return found


def ring(x: float, y: float, colors: palette.Theme) -> go.Scatter:
    """A ring around a mark."""
    marker = {"size": 30, "color": palette.CLEAR, "line": {"color": colors.ink, "width": 2}}
    return go.Scatter(x=[x], y=[y], mode="markers", marker=marker, hoverinfo="skip", name="longest")
