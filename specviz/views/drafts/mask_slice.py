"""The mask of a fork, built once for its full depth, and the slice of it that is used when drafting stops early.

Rows and columns are the last context token, then every chain's first, second, ... token, as far as planned: what was
drafted comes first, so the slice is the corner at the beginning (improved-mcsd.txt, section 3.2).
"""

from collections import Counter

import plotly.graph_objects as go

from specviz.trace.record import Iteration, Trace
from specviz.views.drafts.mask import earlier, mask_matrix, mask_rows
from specviz.views.facts import iteration_facts as facts
from specviz.views.facts.tokens import count
from specviz.views.plot import palette

_LARGEST = 1_200  # rows of a full mask that is drawn
_LEVELS = ("hidden", "context", "ancestor", "self", "planned")


def planned_tokens(iteration: Iteration) -> int:
    """Tokens below the roots that were planned and not drafted; 0 for a forest that is no fork, was not cut
    short, or has a mask that is not drawn whole."""
    nodes, depth = facts.nodes_of(iteration), _planned_depth(iteration)
    roots = sum(node.root is not None for node in nodes)
    if not roots or drafted_depth(iteration) >= depth:
        return 0
    planned = roots * (1 + depth)
    whole = planned <= _LARGEST and len(mask_rows(iteration)) == len(facts.read_prefixes(iteration))
    return planned - len(nodes) if whole else 0


def _planned_depth(iteration: Iteration) -> int:
    """The depth that the mask was built for, 0 where none was planned."""
    return (iteration.forest.planned_depth or 0) if iteration.forest else 0


def drafted_depth(iteration: Iteration) -> int:
    """Tokens drafted below a root, at most."""
    nodes = facts.nodes_of(iteration)
    return max((sum(prefix >= 0 for prefix in facts.ancestors(nodes, n)) for n in range(len(nodes))), default=0)


def planned_matrix(iteration: Iteration) -> list[list[str]]:
    """The category of each cell of the full mask, without the context's column; what was not drafted is ``planned``
    where it would be visible. Chains that were cut short keep their order."""
    nodes, rows = facts.nodes_of(iteration), mask_rows(iteration)
    chain = {row: root_above(iteration, row) for row in rows}
    lengths = Counter(root_above(iteration, number) for number in range(len(nodes)))
    full = 1 + _planned_depth(iteration)
    missing = sorted((step, root) for root, length in lengths.items() for step in range(length, full))
    grown = [cells[1:] + ["hidden"] * len(missing) for cells in mask_matrix(iteration)]
    for step, root in missing:
        drafted = ["planned" if row == facts.ROOT or chain[row] == root else "hidden" for row in rows]
        planned = ["planned" if r == root and s <= step else "hidden" for s, r in missing]
        grown.append(drafted + planned)
    return grown


def root_above(iteration: Iteration, row: int) -> int | None:
    """The root of the chain that a node belongs to; None for the context."""
    path = (row, *facts.ancestors(facts.nodes_of(iteration), row))
    return path[-2] if len(path) > 1 else None


def slice_text(trace: Trace, index: int) -> str:
    """The full mask and its slice in sentences."""
    iteration = facts.iteration_of(trace, index)
    used, left = len(mask_rows(iteration)), planned_tokens(iteration)
    roots = sum(node.root is not None for node in facts.nodes_of(iteration))
    return (
        f"The mask was built once for {count(_planned_depth(iteration), 'token')} below each of "
        f"{count(roots, 'first token')}: {used + left} rows. Drafting stopped after {drafted_depth(iteration)}, so its "
        f"first {used} rows and columns are used."
    )


def slice_figure(trace: Trace, index: int, *, dark: bool = False) -> go.Figure:
    """The full mask, the used slice framed. Cells carry ``customdata``: their row's prefix (null: planned)."""
    iteration = facts.iteration_of(trace, index)
    rows, matrix = mask_rows(iteration), planned_matrix(iteration)
    size, used = len(matrix), len(rows)
    fills = (palette.EMPTY, palette.VERIFY, palette.DRAFT, palette.ACCEPTED, palette.LEFT_OUT)
    entries = (
        (palette.DRAFT, "", "ancestor"),
        (palette.ACCEPTED, "", "self"),
        (palette.LEFT_OUT, "", "planned, not drafted"),
    )
    frame = {
        "x0": -0.5,
        "x1": used - 0.5,
        "y0": -0.5,
        "y1": used - 0.5,
        "line": {"color": palette.REJECTED, "width": 3},
    }
    figure = palette.canvas(
        dark,
        min(640, 60 + (28 if size <= 20 else 8) * size),
        palette.Key(
            entries, f"framed: the slice used, {used} of {size} rows; not shown: the context of {earlier(iteration)}"
        ),
        margin={"r": 20, "t": 14},
        xaxis={"showticklabels": False, "showgrid": False, "range": [-0.8, size - 0.2]},
        yaxis={"showticklabels": False, "showgrid": False, "range": [size - 0.2, -0.8]},
        shapes=[{"type": "rect"} | frame],
    )
    figure.add_heatmap(
        z=[[_LEVELS.index(cell) for cell in cells] for cells in matrix],
        customdata=[[row] * size for row in (*rows, *[None] * (size - used))],
        colorscale=[[edge / 5, fill] for n, fill in enumerate(fills) for edge in (n, n + 1)],
        zmin=0,
        zmax=4,
        showscale=False,
        hoverinfo="none",
        xgap=1,
        ygap=1,
    )
    return figure
