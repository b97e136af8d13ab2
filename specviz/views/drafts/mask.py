"""The attention mask of the one target pass: rows are the tokens put in, columns what each of them may look at.

The earlier context is one column (all rows look at all of it); where several beams are read, each has a column for
those of its own tokens that the others do not share. After them come the tokens put in: each beam's last token, the
submitted nodes. ``before``: the mask as it would be without the reduction, pruned nodes included.
"""

from specviz.facts import iteration_facts as facts
from specviz.facts.prefix_names import beam_number, prefix_name
from specviz.facts.tokens import count, label, quoted
from specviz.pictures.shapes import SEEN, KeyEntry, Mask, MaskRow, Picture
from specviz.trace.record import Iteration, Trace

CONTEXT, ANCESTOR, SELF = (
    KeyEntry("muted", "○", "context"),
    KeyEntry("draft", "●", "ancestor"),
    KeyEntry("accepted", "■", "self"),
)
"""What a row may see, with the tone and the glyph of such cells."""
LEFT_OUT = KeyEntry("waiting", "·", "left out by the reduction")
_LABEL = 12


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
    """Each cell as one of ``SEEN``. Rows as in ``mask_rows``; column 0 is the earlier context, then the beams' own
    tokens, then the tokens of the rows. The cells of a row that the reduction drops are ``left out``."""
    nodes, rows, own = facts.nodes_of(iteration), mask_rows(iteration, before=before), own_columns(iteration)
    first = facts.first_of_text(iteration)
    gone = {row for row in rows if row >= 0 and not nodes[row].submitted}
    matrix = []
    for row in rows:
        path = {first[prefix] for prefix in facts.ancestors(nodes, row)}
        root = first[facts.root_of(nodes, row)]
        cells = ["context", *("context" if key == root else "hidden" for key in own)]
        cells += ["self" if key == row else "ancestor" if key in path else "hidden" for key in rows]
        matrix.append(["left out" if row in gone and cell != "hidden" else cell for cell in cells])
    return matrix


def earlier(iteration: Iteration) -> int:
    """How many context tokens come before the tokens put in, without those that only some beams have."""
    roots = [row for row in mask_rows(iteration) if row < 0]
    return iteration.context_length - (not any(facts.own_tokens(iteration, root) for root in roots))


def mask_text(trace: Trace, index: int, *, fate: bool = False, before: bool = False) -> str:
    """The mask in sentences, one line per row; ``fate`` adds which rows stay in the cache."""
    iteration = facts.iteration_of(trace, index)
    rows, staying = mask_rows(iteration, before=before), facts.kept_prefixes(iteration)
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
            line += "; its cache row stays" if row in staying else "; its cache row is freed"
        lines.append(line[0].upper() + line[1:] + ".")
    lines += [f"{count(total - len(rows), 'row')} not shown."] if total > len(rows) else []
    return "\n".join(lines)


def mask_picture(trace: Trace, index: int, *, fate: bool = False, before: bool = False) -> Picture:
    """The mask of one iteration's target pass; ``fate`` tells which rows stay in the cache and which are freed,
    ``before`` adds the rows that the reduction leaves out. Raises SpecvizError for an unknown iteration."""
    iteration = facts.iteration_of(trace, index)
    rows, staying = mask_rows(iteration, before=before), facts.kept_prefixes(iteration)
    drawn = tuple(
        mask_row(trace, iteration, row, cells, stays=row in staying if fate else None)
        for row, cells in zip(rows, mask_matrix(iteration, before=before), strict=True)
    )
    own = [f"beam {-root} own ×{len(facts.own_tokens(iteration, root)) - 1}" for root in own_columns(iteration)]
    columns = (f"context ×{earlier(iteration)}", *own, *(row.label for row in drawn))
    key = (CONTEXT, ANCESTOR, SELF, LEFT_OUT) if before else (CONTEXT, ANCESTOR, SELF)
    notes = ("no glyph: hidden", "faint: row freed") if fate else ("no glyph: hidden",)
    return Picture((Mask(drawn, columns),), mask_text(trace, index, fate=fate, before=before), key, notes)


def mask_row(trace: Trace, iteration: Iteration, row: int, cells: list[str], *, stays: bool | None = None) -> MaskRow:
    """A prefix and what its last token sees."""
    name = beam_number(iteration, row) + label(trace.vocabulary, facts.token_at(iteration, row), _LABEL)
    return MaskRow(name, facts.position(iteration, row), cells_of(cells), row, stays)


def cells_of(cells: list[str]) -> str:
    """The kinds of cells, encoded as in a row of ``Mask``."""
    return "".join(str(SEEN.index(cell)) for cell in cells)
