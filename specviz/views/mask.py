"""The attention mask of the one target pass: rows are the tokens put in, columns what each of them may look at.

The context is one column (all rows look at all of it); after it come the last context token and the submitted nodes.
"""

import plotly.graph_objects as go

from specviz.trace.record import Iteration, Trace
from specviz.views import palette, reading
from specviz.views.tokens import count, label, markup, quoted

CATEGORIES = ("hidden", "context", "ancestor", "self")
_GLYPHS = ("", "○", "●", "■")
_LABEL = 12


def mask_rows(iteration: Iteration) -> tuple[int, ...]:
    """The tokens put into the target pass, top to bottom: -1 (the last context token), then the submitted nodes."""
    return (reading.ROOT, *reading.submitted(reading.nodes_of(iteration)))


def mask_matrix(iteration: Iteration) -> list[list[str]]:
    """The category of each cell. Rows as in ``mask_rows``; column 0 is the earlier context, then the same tokens."""
    nodes, rows = reading.nodes_of(iteration), mask_rows(iteration)
    above = {row: set(reading.ancestors(nodes, row)) for row in rows}
    return [
        ["context", *("self" if key == row else "ancestor" if key in above[row] else "hidden" for key in rows)]
        for row in rows
    ]


def _token(iteration: Iteration, row: int) -> int:
    return iteration.context_tail[-1] if row == reading.ROOT else reading.nodes_of(iteration)[row].token


def _depth(iteration: Iteration, row: int) -> int:
    return 0 if row == reading.ROOT else reading.nodes_of(iteration)[row].depth


def mask_text(trace: Trace, index: int, *, fate: bool = False) -> str:
    """The mask in sentences, one line per row; ``fate`` adds which rows stay in the cache."""
    iteration = reading.iteration_of(trace, index)
    rows, kept = mask_rows(iteration), reading.kept_nodes(iteration)
    earlier = iteration.context_length - 1
    lines = [
        f"One target pass over {count(len(rows), 'token')}: the last context token"
        + (f" and {count(len(rows) - 1, 'drafted token')}." if len(rows) > 1 else ".")
    ]
    for row, cells in zip(rows, mask_matrix(iteration), strict=True):
        who = "the last context token" if row == reading.ROOT else f"node {row}"
        seen = [f"{count(earlier, 'earlier context token')}"] if earlier else []
        for key, cell in zip(rows, cells[1:], strict=True):
            if cell == "ancestor":
                seen.append("the last context token" if key == reading.ROOT else f"node {key}")
        where = f"position {reading.position(iteration, _depth(iteration, row))}"
        token = quoted(trace.vocabulary, _token(iteration, row))
        line = f"{who} {token}, {where}, sees " + ", ".join([*seen, "itself"])
        if fate:
            line += "; its cache row stays" if row in kept or row == reading.ROOT else "; its cache row is freed"
        lines.append(line[0].upper() + line[1:] + ".")
    return "\n".join(lines)


def mask_figure(trace: Trace, index: int, *, fate: bool = False, dark: bool = False) -> go.Figure:
    """The mask of one iteration's target pass; ``fate`` marks the rows that stay in the cache and those freed.

    Position ids stand beside the rows. Every cell carries ``customdata``: the node number of its row (-1 for the last
    context token). Raises SpecvizError for an unknown iteration.
    """
    iteration = reading.iteration_of(trace, index)
    colors = palette.theme(dark)
    rows, matrix = mask_rows(iteration), mask_matrix(iteration)
    kept = reading.kept_nodes(iteration) | {reading.ROOT}
    levels = [[CATEGORIES.index(cell) for cell in row] for row in matrix]
    short = [markup(label(trace.vocabulary, _token(iteration, row), _LABEL)) for row in rows]
    places = [reading.position(iteration, _depth(iteration, row)) for row in rows]
    names = [f"{text}  pos {place}" for text, place in zip(short, places, strict=True)]
    if fate:
        names = [f"{name}  {'stays' if row in kept else 'freed'}" for row, name in zip(rows, names, strict=True)]
        levels = [cells if row in kept else [None] * len(cells) for row, cells in zip(rows, levels, strict=True)]
    fills = (colors.faint, palette.VERIFY, palette.DRAFT, palette.ACCEPTED)
    scale = [[edge / 4, fill] for n, fill in enumerate(fills) for edge in (n, n + 1)]
    earlier = iteration.context_length - 1
    columns = [f"context ×{earlier}", *short]
    figure = palette.canvas(
        dark,
        min(640, 90 + 28 * len(rows)),
        _key(fills, fate),
        margin={"r": 30, "t": 80},
        xaxis=_ticks(columns) | {"side": "top", "tickangle": -40},
        yaxis=_ticks(names) | {"autorange": "reversed"},
    )
    figure.add_heatmap(
        z=levels,
        text=[["" if level is None else _GLYPHS[level] for level in row] for row in levels],
        texttemplate="%{text}",
        textfont={"color": "#111111"},
        hovertext=matrix,
        hovertemplate="%{y}<br>looks at %{x}: %{hovertext}<extra></extra>",
        customdata=[[row] * len(columns) for row in rows],
        colorscale=scale,
        zmin=0,
        zmax=3,
        showscale=False,
        xgap=2,
        ygap=2,
    )
    return figure


def _ticks(names: list[str]) -> dict:
    return {"tickvals": list(range(len(names))), "ticktext": names, "showgrid": False}


def _key(fills: tuple[str, ...], fate: bool) -> palette.Key:
    """The categories by colour and glyph."""
    entries = tuple((fills[level], _GLYPHS[level], CATEGORIES[level]) for level in (1, 2, 3))
    return palette.Key(entries, "no glyph: hidden" + ("; no cells at all: row freed" if fate else ""))
