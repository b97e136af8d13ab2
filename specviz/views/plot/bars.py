"""Ranked bars: one distribution, most probable first, with the drawn tokens marked and the rest of the vocabulary."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import plotly.graph_objects as go

from specviz.trace.record import Iteration
from specviz.views.facts.iteration_facts import nodes_of_pairs
from specviz.views.facts.tokens import markup, number
from specviz.views.plot import palette

REST, OTHERS = "rest of vocabulary", "all others"
SHOWN = 12  # bars beside the rest


@dataclass(frozen=True)
class Bar:
    """One bar: its plain label, its probability, whether it was drawn, the token id behind it, and the drafted node
    that is this token after this prefix, if there is one."""

    label: str
    prob: float
    drawn: bool
    name: int
    node: int | None = None


def shortlist(bars: Sequence[Bar], shown: int = SHOWN) -> tuple[tuple[Bar, ...], int]:
    """The ``shown`` most probable bars and every drawn one, most probable first, and how many are left out."""
    ranked = sorted((bar for bar in bars if bar.prob > 0 or bar.drawn), key=lambda bar: -bar.prob)
    kept = tuple(bar for rank, bar in enumerate(ranked) if rank < shown or bar.drawn)
    return kept, len(ranked) - len(kept)


def linked(bars: Sequence[Bar], iteration: Iteration | None, prefix: int) -> tuple[Bar, ...]:
    """The bars of the distribution after a prefix, each with its node; as they are without an iteration."""
    if iteration is None:
        return tuple(bars)
    node_of = nodes_of_pairs(iteration)
    return tuple(replace(bar, node=node_of(prefix, bar.name)) for bar in bars)


def reach(probs: Iterable[float]) -> float:
    """Where an axis of probabilities ends: a little past the largest, never past 1."""
    return min(1.0, 1.2 * max(probs, default=1.0))


def bars_text(title: str, bars: Sequence[Bar], drawn_word: str, others: str = REST) -> str:
    """The same numbers in a sentence; ``others`` names the rest."""
    kept, hidden = shortlist(bars)
    parts = [f"“{bar.label}” {number(bar.prob)}" + (f" ({drawn_word})" if bar.drawn else "") for bar in kept]
    rest = max(0.0, 1.0 - sum(bar.prob for bar in kept))
    if hidden or rest > 1e-6:
        parts.append(f"{others} {number(rest)}")
    return f"{title}: " + ", ".join(parts) + "."


def bars_figure(
    bars: Sequence[Bar],
    mark: palette.MarkStyle,
    plain: str,
    title: str,
    dark: bool,
    others: str = REST,
    shown: int = SHOWN,
) -> go.Figure:
    """Bars from ``shortlist`` and the rest to one; drawn ones in the mark's colour with its glyph, others ``plain``.

    Bars carry ``customdata``: ``Bar.name`` (null for the rest), and ``meta.nodes``: ``Bar.node``.
    """
    kept, hidden = shortlist(bars, shown)
    rest = max(0.0, 1.0 - sum(bar.prob for bar in kept))
    colors = palette.theme(dark)
    rows: list[tuple[str, float, bool, int | None]] = [
        (markup(bar.label), bar.prob, bar.drawn, bar.name) for bar in kept
    ]
    nodes: list[int | None] = [bar.node for bar in kept]
    if hidden or rest > 1e-6:
        rows.append((others, rest, False, None))
        nodes.append(None)
    figure = palette.canvas(
        dark,
        36 + 24 * len(rows),
        palette.Key(((plain, "", title), (mark.color, mark.glyph, mark.word))),
        margin={"r": 48},
        xaxis={"range": [0, reach(prob for _, prob, _, _ in rows)]},
        yaxis={
            "tickvals": list(range(len(rows))),
            "ticktext": [f"<b>{mark.glyph} {text}</b>" if drawn else text for text, _, drawn, _ in rows],
            "range": [len(rows) - 0.4, -0.6],
            "showgrid": False,
        },
    )
    figure.add_bar(
        orientation="h",
        x=[prob for _, prob, _, _ in rows],
        y=list(range(len(rows))),
        marker={
            "color": [mark.color if drawn else plain for _, _, drawn, _ in rows],
            "line": {"color": colors.ink, "width": [2 if drawn else 0 for _, _, drawn, _ in rows]},
        },
        text=[number(prob) for _, prob, _, _ in rows],
        textposition="outside",
        cliponaxis=False,
        customdata=[name for _, _, _, name in rows],
        meta={"nodes": nodes},
        hovertext=[f"{text}: {number(prob)}" for text, prob, _, _ in rows],
        hoverinfo="text",
    )
    return figure
