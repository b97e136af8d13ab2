"""A coin: the strip from 0 to 1, shaded up to the chance of acceptance, a needle at the recorded draw."""

import plotly.graph_objects as go

from specviz.trace.record import CoinDecision, Trace
from specviz.views import palette
from specviz.views.tokens import number, pair, quoted


def coin_formula(decision: CoinDecision, lenience: float = 1.0) -> str:
    """The acceptance test with the numbers put in."""
    target, draft = number(decision.target_prob), number(decision.draft_prob)
    verdict = "accept" if decision.accepted else "reject"
    if decision.draw is None:
        return f"target {target}, draft {draft}: {verdict} (no coin is flipped)"
    draw, chance = pair(decision.draw, decision.chance)
    below = draft if lenience == 1.0 else f"({number(lenience)} × {draft})"
    sign = "<" if decision.accepted else "≥"
    return f"min(1, {target} / {below}) = {chance}; coin {draw} {sign} {chance}: {verdict}"


def coin_text(trace: Trace, decision: CoinDecision) -> str:
    """The coin in a sentence."""
    token = quoted(trace.vocabulary, decision.token)
    verdict = "accepted" if decision.accepted else "rejected"
    if decision.draw is None:
        return f"{token} is {verdict}; no coin is flipped."
    draw, chance = pair(decision.draw, decision.chance)
    side = "below" if decision.accepted else "not below"
    return f"{token} is accepted with chance {chance}. The coin fell at {draw}, {side} the chance: {verdict}."


def coin_figure(decision: CoinDecision, *, dark: bool = False) -> go.Figure:
    """The strip of a coin that was flipped (``decision.draw`` is not None)."""
    colors = palette.theme(dark)
    draw, chance = pair(decision.draw, decision.chance)
    needle = {"x": decision.draw, "y": 0.5, "yanchor": "bottom", "text": f"<b>▼ coin {draw}</b>", "showarrow": False}
    sides = (
        (decision.chance, palette.ACCEPTED, f"✓ accept, {chance}", ""),
        (1.0 - decision.chance, palette.REJECTED, "✗ reject", "/"),
    )
    figure = palette.canvas(
        dark,
        90,
        palette.Key(tuple((color, "", word) for _, color, word, _ in sides)),
        notes=[needle],
        margin={"l": 24, "r": 24, "t": 34},
        barmode="stack",
        xaxis={"range": [0, 1], "tickvals": [0, 0.25, 0.5, 0.75, 1], "showgrid": False},
        yaxis={"visible": False, "range": [-0.5, 0.5]},
        shapes=[
            {
                "type": "line",
                "x0": decision.draw,
                "x1": decision.draw,
                "y0": -0.5,
                "y1": 0.5,
                "line": {"color": colors.ink, "width": 4},
            }
        ],
    )
    for length, color, word, hatch in sides:
        pattern = {"pattern": {"shape": hatch, "fgcolor": color, "bgcolor": palette.CLEAR}} if hatch else {}
        marker = {"color": color, "line": {"color": color, "width": 1}} | pattern
        figure.add_bar(x=[length], y=[0], orientation="h", name=word, marker=marker, width=0.8, hoverinfo="name")
    return figure
