"""The attention mask of the one target pass: rows are the tokens put in, columns what each of them may look at.

The earlier context is one column (all rows look at all of it); where several beams are read, each has a column for
those of its own tokens that the others do not share. After them come the tokens put in: each beam's last token, the
submitted nodes. ``before``: the mask as it would be without the reduction, pruned nodes included.
"""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from specviz.trace.record import Iteration, Trace
from specviz.views.facts import iteration_facts as facts
from specviz.views.facts.prefix_names import beam_number, prefix_name
from specviz.views.facts.tokens import count, label, markup, quoted
from specviz.views.plot import palette

CATEGORIES = ("hidden", "context", "ancestor", "self", "pruned")
_GLYPHS = ("", "○", "●", "■", "·")
_LABEL = 12
_APART = 4  # rows between names, where there are many
_TILTED = 11  # columns up to which their names are tilted, not upright
_MANY = 22  # rows from which only the first of each position is named


def mask_rows(iteration: Iteration, *, before: bool = False) -> tuple[int, ...]:
    """The prefixes whose last tokens go into the target pass, top to bottom: roots (-1: the last context token), then
    submitted nodes, as far as they are drawn; ``before`` the reduction, the pruned ones too."""
    nodes = facts.nodes_of(iteration)
    shown = facts.prominent(nodes)
    pruned = [number for number, node in enumerate(nodes) if not node.submitted]
    rows = [row for row in facts.read_prefixes(iteration) if row < 0 or row in shown]
    return (*rows, *(pruned[: facts.MOST_SHOWN] if before else ()))


def own_columns(iteration: Iteration) -> tuple[int, ...]:
    """The roots of beams with tokens of their own between the common context and their last token."""
    return tuple(r for r in mask_rows(iteration) if r < 0 and len(facts.own_tokens(iteration, r)) > 1)


def mask_matrix(iteration: Iteration, *, before: bool = False) -> list[list[str]]:
    """The category of each cell. Rows as in ``mask_rows``; column 0 is the earlier context, then the beams' own, then
    the same tokens as the rows. A cell is ``pruned`` where a visible key or its row is left out by the reduction."""
    nodes, rows, own = facts.nodes_of(iteration), mask_rows(iteration, before=before), own_columns(iteration)
    first = facts.first_of_text(iteration)
    gone = {row for row in rows if row >= 0 and not nodes[row].submitted}
    matrix = []
    for row in rows:
        path = {first[prefix] for prefix in facts.ancestors(nodes, row)}
        root = first[facts.root_of(nodes, row)]
        cells = ["context", *("context" if key == root else "hidden" for key in own)]
        cells += ["self" if key == row else "ancestor" if key in path else "hidden" for key in rows]
        matrix.append(["pruned" if row in gone and cell != "hidden" else cell for cell in cells])
    return matrix


def earlier(iteration: Iteration) -> int:
    """How many context tokens come before the tokens put in, those that some beams have alone left out."""
    roots = [row for row in mask_rows(iteration) if row < 0]
    return iteration.context_length - (not any(facts.own_tokens(iteration, root) for root in roots))


def mask_text(trace: Trace, index: int, *, fate: bool = False, before: bool = False) -> str:
    """The mask in sentences, one line per row; ``fate`` adds which rows stay in the cache."""
    iteration = facts.iteration_of(trace, index)
    rows, kept = mask_rows(iteration, before=before), facts.kept_prefixes(iteration)
    nodes = facts.nodes_of(iteration)
    roots = [row for row in rows if row < 0]
    begin = "the last context token" if len(roots) == 1 else f"the last token of each of {count(len(roots), 'beam')}"
    total = len(facts.read_prefixes(iteration)) + (before and sum(not node.submitted for node in nodes))
    drafted = total - len(roots)
    lead = "Before the reduction, one target pass would read" if before else "One target pass over"
    more = f" and {count(drafted, 'drafted token')}" if drafted else ""
    lines = [f"{lead} {count(total, 'token')}: {begin}{more}."]
    for row, cells in zip(rows, mask_matrix(iteration, before=before), strict=True):
        seen = [f"{count(earlier(iteration), 'earlier context token')}"] if earlier(iteration) else []
        own = own_columns(iteration)
        for root, cell in zip(own, cells[1:], strict=False):
            if cell != "hidden":
                seen.append(f"{count(len(facts.own_tokens(iteration, root)) - 1, 'token')} of its own beam")
        for key, cell in zip(rows, cells[1 + len(own) :], strict=True):
            if key != row and cell != "hidden":
                seen.append(prefix_name(iteration, key))
        token = quoted(trace.vocabulary, facts.token_at(iteration, row))
        line = f"{prefix_name(iteration, row)} {token}, position {facts.position(iteration, row)}, sees "
        line += ", ".join([*seen, "itself"])
        if before and row >= 0 and not nodes[row].submitted:
            line += "; it is left out by the reduction"
        if fate:
            line += "; its cache row stays" if row in kept else "; its cache row is freed"
        lines.append(line[0].upper() + line[1:] + ".")
    lines += [f"{count(total - len(rows), 'row')} not shown."] if total > len(rows) else []
    return "\n".join(lines)


def mask_figure(trace: Trace, index: int, *, fate: bool = False, before: bool = False, dark: bool = False) -> go.Figure:
    """``mask_data`` as a plotly figure."""
    return palette.figure_of(mask_data(trace, index, fate=fate, before=before, dark=dark))


def mask_data(
    trace: Trace, index: int, *, fate: bool = False, before: bool = False, dark: bool = False
) -> dict[str, Any]:
    """The mask of one iteration's target pass, as plain ``data`` and ``layout``; ``fate`` marks the rows that stay in
    the cache and those freed, ``before`` adds the rows that the reduction leaves out.

    Position ids stand beside the rows. Every cell carries ``customdata``: its row's prefix (-1 for the last context
    token). Raises SpecvizError for an unknown iteration.
    """
    iteration = facts.iteration_of(trace, index)
    rows, matrix = mask_rows(iteration, before=before), mask_matrix(iteration, before=before)
    kept = facts.kept_prefixes(iteration)
    levels = [[CATEGORIES.index(cell) for cell in row] for row in matrix]
    short = [
        beam_number(iteration, row) + markup(label(trace.vocabulary, facts.token_at(iteration, row), _LABEL))
        for row in rows
    ]
    names = _row_names(iteration, rows, short)
    if fate:
        fates = ["stays" if row in kept else "freed" for row in rows]
        if len(rows) <= _MANY:
            names = [f"{name}  {word}" for name, word in zip(names, fates, strict=True)]
        levels = [cells if row in kept else [None] * len(cells) for row, cells in zip(rows, levels, strict=True)]
    columns = _column_names(iteration, short, len(rows) > _MANY)
    fills = (palette.EMPTY, palette.VERIFY, palette.DRAFT, palette.ACCEPTED, palette.LEFT_OUT)
    layout = palette.frame(
        dark,
        min(640, 90 + (28 if len(rows) <= _MANY else 9) * len(rows)),
        _key(fills, fate, before),
        margin={"r": _right_of(columns), "t": 80 if len(rows) <= _MANY else 24},
        xaxis=_ticks(columns)
        | ({"tickfont": {"size": 10}} if 14 < len(columns) <= _MANY else {})
        | {"side": "top", "tickangle": 0 if len(rows) > _MANY else -40 if len(columns) <= _TILTED else -90}
        | {"ticklabeloverflow": "allow"},
        yaxis=_ticks(names) | {"autorange": "reversed"},
    )
    heatmap = {
        "type": "heatmap",
        "z": levels,
        "customdata": [[row] * len(columns) for row in rows],
        "colorscale": [[edge / 5, fill] for n, fill in enumerate(fills) for edge in (n, n + 1)],
        "zmin": 0,
        "zmax": 4,
        "showscale": False,
    }
    if len(rows) <= _MANY:
        heatmap |= {
            "text": [["" if level is None else _GLYPHS[level] for level in row] for row in levels],
            "texttemplate": "%{text}",
            "textfont": {"color": "#111111"},
            "hovertext": matrix,
            "hovertemplate": "%{y}<br>looks at %{x}: %{hovertext}<extra></extra>",
            "xgap": 2,
            "ygap": 2,
        }
    else:
        heatmap |= {"hoverinfo": "none", "xgap": 1, "ygap": 1}
    return {"data": [heatmap], "layout": layout}


def _right_of(columns: Sequence[str]) -> int:
    """Pixels right of the last column: a tilted name over it goes on beyond it."""
    return max(30, round(5.5 * len(columns[-1]))) if len(columns) <= _TILTED else 30


def _row_names(iteration: Iteration, rows: Sequence[int], short: Sequence[str]) -> list[str]:
    """Token and position; of many rows only the first at a position is named, by the position."""
    positions = [facts.position(iteration, row) for row in rows]
    if len(rows) <= _MANY:
        return [f"{text}  pos {position}" for text, position in zip(short, positions, strict=True)]
    names, named = [""] * len(rows), -_APART
    for n, position in enumerate(positions):
        if position not in positions[:n] and n - named >= _APART:
            names[n], named = f"pos {position}", n
    return names


def _column_names(iteration: Iteration, short: Sequence[str], many: bool) -> list[str]:
    own = [f"beam {-root} own ×{len(facts.own_tokens(iteration, root)) - 1}" for root in own_columns(iteration)]
    return [f"context ×{earlier(iteration)}", *own, *([""] * len(short) if many else short)]


def _ticks(names: list[str]) -> dict:
    shown = [(at, name) for at, name in enumerate(names) if name]
    return {"tickvals": [at for at, _ in shown], "ticktext": [name for _, name in shown], "showgrid": False}


def _key(fills: tuple[str, ...], fate: bool, before: bool) -> palette.Key:
    """The categories by colour and glyph."""
    levels = (1, 2, 3, 4) if before else (1, 2, 3)
    words = (*CATEGORIES[:4], "left out by the reduction")
    entries = tuple((fills[level], _GLYPHS[level], words[level]) for level in levels)
    return palette.Key(entries, "no glyph: hidden" + ("; no cells at all: row freed" if fate else ""))
