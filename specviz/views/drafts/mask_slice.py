"""The mask of a fork, built once for its full depth, and the slice of it that is used when drafting stops early.

Rows and columns are the last context token, then every chain's first, second, ... token, as far as planned: what was
drafted comes first, so the slice is the corner at the beginning (improved-mcsd.txt, section 3.2).
"""

from collections import Counter

from specviz.facts import iteration_facts as facts
from specviz.facts.tokens import count
from specviz.pictures.shapes import KeyEntry, Mask, MaskRow, Picture
from specviz.trace.record import Iteration, Trace
from specviz.views.drafts.mask import ANCESTOR, SELF, cells_of, earlier, mask_matrix, mask_row, mask_rows

_LARGEST = 1_200  # rows of a full mask that is drawn


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
    """What each cell of the full mask is, without the context's column; what was not drafted is ``left out``
    where it would be visible. Chains that were cut short keep their order."""
    nodes, rows = facts.nodes_of(iteration), mask_rows(iteration)
    chain = {row: root_above(iteration, row) for row in rows}
    lengths = Counter(root_above(iteration, number) for number in range(len(nodes)))
    full = 1 + _planned_depth(iteration)
    missing = sorted((step, root) for root, length in lengths.items() for step in range(length, full))
    grown = [cells[1:] + ["hidden"] * len(missing) for cells in mask_matrix(iteration)]
    for step, root in missing:
        drafted = ["left out" if row == facts.ROOT or chain[row] == root else "hidden" for row in rows]
        planned = ["left out" if r == root and s <= step else "hidden" for s, r in missing]
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


def slice_picture(trace: Trace, index: int) -> Picture:
    """The full mask, without the context's column, with the used slice framed. Tokens that were only planned have no
    label."""
    iteration = facts.iteration_of(trace, index)
    rows, matrix = mask_rows(iteration), planned_matrix(iteration)
    used, size = len(rows), len(matrix)
    drawn = [mask_row(trace, iteration, row, cells) for row, cells in zip(rows, matrix, strict=False)]
    drawn += [MaskRow("", None, cells_of(cells)) for cells in matrix[used:]]
    key = ANCESTOR, SELF, KeyEntry("waiting", "·", "planned, not drafted")
    notes = f"framed: the slice used, {used} of {size} rows", f"not shown: the context of {earlier(iteration)}"
    mask = Mask(tuple(drawn), tuple(row.label for row in drawn), framed=used)
    return Picture((mask,), slice_text(trace, index), key, notes)
