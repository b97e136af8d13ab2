"""Target against draft at one place: paired bars, what they share solid, the excess of each hatched.

The solid length of either side is the overlap, sum of min(target, draft): how often a token of this draft is accepted.
The hatched excess of the target, renormalised, is the residual.
"""

from dataclasses import dataclass

import plotly.graph_objects as go

from specviz.trace.record import CoinDecision, Distribution, JointDecision, Trace
from specviz.views import palette
from specviz.views.bars import REST, SHOWN, reach
from specviz.views.reading import table_of
from specviz.views.tokens import label, markup, number

_LABEL = 20


@dataclass(frozen=True)
class Row:
    """One token (None: the rest of the vocabulary): its target and draft probabilities and the part they share."""

    token: int | None
    target: float
    draft: float
    shared: float


def compare(target: Distribution, draft: Distribution, token: int, shown: int = SHOWN) -> tuple[Row, ...]:
    """The union of both lists, likeliest under either first: ``shown`` rows and ``token``'s, then the rest.

    The shared part of the rest counts listed tokens alone, so all shared parts add up to the sum of min(target, draft).
    """
    p, q = table_of(target), table_of(draft)
    rows = [Row(t, p.get(t, 0.0), q.get(t, 0.0), min(p.get(t, 0.0), q.get(t, 0.0))) for t in dict.fromkeys((*p, *q))]
    rows = [row for row in rows if max(row.target, row.draft) > 0 or row.token == token]
    rows.sort(key=lambda row: -max(row.target, row.draft))
    kept = [row for place, row in enumerate(rows) if place < shown or row.token == token]
    hidden = [row for row in rows if row not in kept]
    rest = Row(
        None,
        target.rest + sum(row.target for row in hidden),
        draft.rest + sum(row.draft for row in hidden),
        sum(row.shared for row in hidden),
    )
    return tuple(kept) + ((rest,) if max(rest.target, rest.draft) > 1e-6 else ())


def overlap(target: Distribution, draft: Distribution) -> float:
    """Sum of min(target, draft) over the listed tokens, 0 to 1."""
    q = table_of(draft)
    return sum(min(prob, q.get(token, 0.0)) for token, prob in table_of(target).items())


def probabilities_text(trace: Trace, decision: CoinDecision | JointDecision) -> str:
    """The pairs in a sentence, and the overlap."""
    parts = []
    for row in compare(decision.target, decision.draft, decision.token):
        name = REST if row.token is None else f"“{label(trace.vocabulary, row.token, _LABEL)}”"
        mark = " (drafted)" if row.token == decision.token else ""
        parts.append(f"{name}{mark} target {number(row.target)}, draft {number(row.draft)}")
    shared = number(overlap(decision.target, decision.draft))
    return f"Depth {decision.depth}, next token: " + "; ".join(parts) + f". Target and draft share {shared}."


def probabilities_figure(trace: Trace, decision: CoinDecision | JointDecision, *, dark: bool = False) -> go.Figure:
    """Paired bars at the place of one decision. Bars carry ``customdata``: the token id (null for the rest)."""
    rows = compare(decision.target, decision.draft, decision.token)
    colors = palette.theme(dark)
    names = [REST if row.token is None else markup(label(trace.vocabulary, row.token, _LABEL)) for row in rows]
    marked = [
        f"<b>▸ {name}</b>" if row.token == decision.token else name for name, row in zip(names, rows, strict=True)
    ]
    note = f"solid: shared, {number(overlap(decision.target, decision.draft))} in all; hatched: excess; ▸ drafted"
    figure = palette.canvas(
        dark,
        30 + 32 * len(rows),
        palette.Key(((palette.TARGET, "", "target"), (palette.DRAFT, "", "draft")), note),
        margin={"r": 48},
        barmode="stack",
        hovermode="y",
        bargap=0.25,
        xaxis={"range": [0, reach(max(row.target, row.draft) for row in rows)]},
        yaxis={
            "tickvals": list(range(len(rows))),
            "ticktext": marked,
            "range": [len(rows) - 0.4, -0.6],
            "showgrid": False,
        },
    )
    for side, color in (("target", palette.TARGET), ("draft", palette.DRAFT)):
        whole = [getattr(row, side) for row in rows]
        excess = [value - row.shared for value, row in zip(whole, rows, strict=True)]
        for part, lengths in (("shared", [row.shared for row in rows]), ("excess", excess)):
            hatch = {"shape": "/", "fgcolor": color, "bgcolor": palette.CLEAR, "size": 6, "solidity": 0.35}
            figure.add_bar(
                name=f"{side}, {part}",
                orientation="h",
                offsetgroup=side,
                x=lengths,
                y=list(range(len(rows))),
                marker={"color": color, "line": {"color": color, "width": 1}}
                | ({"pattern": hatch} if part == "excess" else {}),
                text=[number(value) for value in whole] if part == "excess" else None,
                textposition="outside",
                textfont={"color": colors.ink, "size": 11},
                cliponaxis=False,
                customdata=[row.token for row in rows],
                hovertext=[f"{side} {number(value)}" for value in whole] if part == "excess" else None,
                hoverinfo="text" if part == "excess" else "skip",
            )
    return figure
