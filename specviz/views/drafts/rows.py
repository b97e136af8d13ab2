"""What one target call says: a bar for every token that it read, cut into the probabilities of what may follow it.

The bars are the target's own distributions after temperature, top-k and top-p, as they are recorded with the forest."""

from typing import Any

from specviz.trace.distribution import Distribution
from specviz.trace.record import Iteration, Trace
from specviz.views.drafts.mask import mask_rows
from specviz.views.facts import iteration_facts as facts
from specviz.views.facts.prefix_names import beam_number, prefix_name
from specviz.views.facts.tokens import count, label, markup, number, quoted
from specviz.views.plot import palette
from specviz.views.plot.probabilities import rows_axis

MOST_ROWS = 8
"""Rows that are drawn: as many as leave the tree and the mask on one screen with them."""
SHOWN = 3
"""Likeliest tokens of a row that have a part of their own."""
_SHADES = (1.0, 0.6, 0.4)
_LETTER = 0.025  # of a bar, in the narrowest panel of a large page: a part too short for its word has none
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


def rows_data(trace: Trace, index: int, *, dark: bool = False) -> dict[str, Any]:
    """The rows as stacked bars from 0 to 1, as plain ``data`` and ``layout``; ``customdata`` and ``meta.nodes`` as in
    ``views/plot/bars.py``. Needs ``scored_rows``."""
    iteration = facts.iteration_of(trace, index)
    rows, colors = scored_rows(iteration), palette.theme(dark)
    names = [
        "after " + beam_number(iteration, row) + markup(label(trace.vocabulary, facts.token_at(iteration, row), _LABEL))
        for row in rows
    ]
    hidden = len(facts.read_prefixes(iteration)) - len(rows)
    note = f"not filled: all others; the call read {hidden} more" if hidden > 0 else "not filled: all others"
    layout = palette.frame(
        dark,
        34 + 30 * len(rows),
        palette.Key(((palette.TARGET, "", "the target’s likeliest next tokens, after every token it read"),), note),
        barmode="stack",
        bargap=0.22,
        xaxis={"range": [0, 1], "showgrid": False},
        yaxis=rows_axis(names),
    )
    return {"data": [_part(trace, iteration, rows, rank, colors) for rank in range(SHOWN)], "layout": layout}


def _likeliest(iteration: Iteration, row: int) -> list[tuple[int, float]]:
    assert iteration.forest is not None  # it has scored rows
    distribution: Distribution = iteration.forest.target[row]
    return sorted(distribution.table().items(), key=lambda pair: -pair[1])[:SHOWN]


def _part(
    trace: Trace, iteration: Iteration, rows: tuple[int, ...], rank: int, colors: palette.Theme
) -> dict[str, Any]:
    """The token of this rank in every row."""
    node_of = facts.nodes_of_pairs(iteration)
    found: list[tuple[int | None, float]] = []
    for row in rows:
        likeliest = _likeliest(iteration, row)
        found.append(likeliest[rank] if rank < len(likeliest) else (None, 0.0))
    words = ["" if token is None else label(trace.vocabulary, token, _LABEL) for token, _ in found]
    probs = [prob for _, prob in found]
    return {
        "type": "bar",
        "orientation": "h",
        "x": probs,
        "y": list(range(len(rows))),
        "text": [markup(word) if prob > _LETTER * len(word) else "" for word, prob in zip(words, probs, strict=True)],
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "textfont": {"color": palette.LIGHT.ink if rank == 0 else colors.ink, "size": 12},
        "marker": {"color": palette.TARGET, "opacity": _SHADES[rank], "line": {"color": colors.paper, "width": 1.5}},
        "customdata": [token for token, _ in found],
        "meta": {
            "nodes": [
                None if token is None else node_of(row, token) for row, (token, _) in zip(rows, found, strict=True)
            ]
        },
        "hovertext": [f"{markup(word)}: {number(prob)}" for word, prob in zip(words, probs, strict=True)],
        "hoverinfo": "text",
    }
