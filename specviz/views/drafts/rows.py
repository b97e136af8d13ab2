"""The result of one target call: a bar for every token that it read, divided into the probabilities of what may follow.

The bars are the target's own distributions after temperature, top-k and top-p, as they are recorded with the forest."""

from itertools import accumulate

from specviz.facts import iteration_facts as facts
from specviz.facts.prefix_names import beam_number, prefix_name
from specviz.facts.tokens import count, label, number, quoted
from specviz.pictures.shapes import KeyEntry, Picture, Strip, StripPart
from specviz.trace.distribution import Distribution
from specviz.trace.record import Iteration, Trace
from specviz.views.drafts.mask import mask_rows

MOST_ROWS = 8
"""The most rows that fit on one screen with the tree and the mask."""
SHOWN = 3
"""The likeliest tokens of a row, each with a part of its own."""
_LABEL = 9


def scored_rows(iteration: Iteration) -> tuple[int, ...]:
    """The prefixes that the target call read and that its distributions are recorded for, as far as they are drawn."""
    known = iteration.forest.target if iteration.forest else {}
    return tuple(row for row in mask_rows(iteration) if row in known)[:MOST_ROWS]


def rows_text(trace: Trace, index: int) -> str:
    """The distributions in sentences, a line for every row."""
    iteration = facts.iteration_of(trace, index)
    rows = scored_rows(iteration)
    lines = [f"One target call gives the probabilities of what follows each of {count(len(rows), 'token')}."]
    for row in rows:
        token = quoted(trace.vocabulary, facts.token_at(iteration, row))
        said = ", ".join(
            f"{quoted(trace.vocabulary, following)} {number(prob)}" for following, prob in _likeliest(iteration, row)
        )
        lines.append(f"After {prefix_name(iteration, row)}, {token}: {said}.")
    return "\n".join(lines)


def rows_picture(trace: Trace, index: int) -> Picture:
    """A strip for every row. Needs ``scored_rows``."""
    iteration = facts.iteration_of(trace, index)
    rows = scored_rows(iteration)
    hidden = len(facts.read_prefixes(iteration)) - len(rows)
    notes = ("not filled: all others", *([f"the call read {hidden} more"] if hidden > 0 else []))
    key = (KeyEntry("target", "", "the target’s likeliest next tokens, after every token it read"),)
    return Picture(tuple(_strip(trace, iteration, row) for row in rows), rows_text(trace, index), key, notes)


def _strip(trace: Trace, iteration: Iteration, row: int) -> Strip:
    node_of, likeliest = facts.nodes_of_pairs(iteration), _likeliest(iteration, row)
    ends = accumulate(prob for _, prob in likeliest)
    parts = []
    for (token, prob), end in zip(likeliest, ends, strict=True):
        name = label(trace.vocabulary, token, _LABEL)
        parts.append(StripPart(min(1.0, end), name, f"{name}: {number(prob)}", "other", "target", node_of(row, token)))
    read = label(trace.vocabulary, facts.token_at(iteration, row), _LABEL)
    return Strip(tuple(parts), f"after {beam_number(iteration, row)}{read}")


def _likeliest(iteration: Iteration, row: int) -> list[tuple[int, float]]:
    assert iteration.forest is not None  # it has scored rows
    distribution: Distribution = iteration.forest.target[row]
    return sorted(distribution.table().items(), key=lambda pair: -pair[1])[:SHOWN]
