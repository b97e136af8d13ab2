"""Target against draft at one position: paired bars, what they share solid, the excess of each hatched.

The solid length of either side is the overlap, sum of min(target, draft): how often a token of this draft is accepted.
The hatched excess of the target, renormalised, is the residual. Joint distributions of a layer of beams are shown in
the same way, a row for each beam and next token."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from specviz.trace.decisions import BeamCoin, SampledToken, UnderBoth
from specviz.trace.distribution import Distribution, JointDistribution, overlap
from specviz.trace.record import Iteration, Trace
from specviz.views.facts.iteration_facts import nodes_of, nodes_of_pairs
from specviz.views.facts.prefix_names import next_name
from specviz.views.facts.tokens import label, markup, number
from specviz.views.plot import palette
from specviz.views.plot.bars import OTHERS, REST, SHOWN, reach

_LABEL = 20

AnyDistribution = Distribution | JointDistribution
Key = int | tuple[int, int]
"""A token, or a pair of beam and token."""


@dataclass(frozen=True)
class BarRow:
    """One token, or pair of beam and token (None: all others): its target and draft probabilities, and the part they
    share."""

    key: Key | None
    target: float
    draft: float
    shared: float

    @property
    def token(self) -> int | None:
        """The token of the row."""
        return self.key[1] if isinstance(self.key, tuple) else self.key


def compare(target: AnyDistribution, draft: AnyDistribution, key: Key, shown: int = SHOWN) -> tuple[BarRow, ...]:
    """The union of both lists, likeliest under either first: ``shown`` rows and that of ``key``, then the rest.

    The shared part of the rest counts listed tokens alone, so all shared parts add up to the sum of min(target, draft).
    """
    p: dict[Key, float] = dict(target.table().items())
    q: dict[Key, float] = dict(draft.table().items())
    rows = [BarRow(k, p.get(k, 0.0), q.get(k, 0.0), min(p.get(k, 0.0), q.get(k, 0.0))) for k in dict.fromkeys((*p, *q))]
    rows = [row for row in rows if max(row.target, row.draft) > 0 or row.key == key]
    rows.sort(key=lambda row: -max(row.target, row.draft))
    kept = [row for rank, row in enumerate(rows) if rank < shown or row.key == key]
    hidden = [row for row in rows if row not in kept]
    rest = BarRow(
        None,
        target.rest + sum(row.target for row in hidden),
        draft.rest + sum(row.draft for row in hidden),
        sum(row.shared for row in hidden),
    )
    return tuple(kept) + ((rest,) if max(rest.target, rest.draft) > 1e-6 else ())


def key_of(decision: UnderBoth) -> Key:
    """What is judged, as a key of the decision's distributions: a token, or the pair of beam and token."""
    return (decision.parent, decision.token) if isinstance(decision, BeamCoin) else decision.token


def namer(trace: Trace, iteration: Iteration | None = None) -> Callable[[Key], str]:
    """How rows are called: tokens by their text, pairs by the end of their beam too (which needs the iteration)."""

    def name(key: Key) -> str:
        if isinstance(key, tuple):
            assert iteration is not None  # the pairs are of its beams
            return next_name(trace, iteration, *key)
        return label(trace.vocabulary, key, _LABEL)

    return name


def probabilities_text(trace: Trace, decision: UnderBoth, iteration: Iteration | None = None) -> str:
    """The pairs in a sentence, and the overlap. ``iteration`` is needed for the distributions of a layer."""
    parts, name = [], namer(trace, iteration)
    rows = compare(decision.target, decision.draft, key_of(decision))
    for row in rows:
        who = rest_name(rows) if row.key is None else f"“{name(row.key)}”"
        mark = " (drafted)" if row.key == key_of(decision) else ""
        parts.append(f"{who}{mark} target {number(row.target)}, draft {number(row.draft)}")
    shared = number(overlap(decision.target, decision.draft))
    return f"Depth {decision.depth}, next token: " + "; ".join(parts) + f". Target and draft share {shared}."


def probabilities_data(
    trace: Trace, decision: UnderBoth, iteration: Iteration | None = None, *, dark: bool = False
) -> dict[str, Any]:
    """Paired bars at the position of one decision, as plain ``data`` and ``layout``. Bars carry ``customdata``: the
    token id (null for the rest), and ``meta.nodes``. ``iteration`` is needed for the distributions of a layer, and for
    the nodes."""
    key = key_of(decision)
    rows = compare(decision.target, decision.draft, key)
    note = f"solid: shared, {number(overlap(decision.target, decision.draft))} in all; hatched: excess; ▸ drafted"
    nodes = row_nodes(rows, iteration, decision)
    return pairs_data(rows, row_names(rows, key, namer(trace, iteration)), note, dark, nodes)


def row_nodes(
    rows: Sequence[BarRow], iteration: Iteration | None, decision: UnderBoth | SampledToken | None = None
) -> tuple[int | None, ...]:
    """The drafted node behind each row, None where there is none: of a token, after the prefix of the decision."""
    if iteration is None:
        return (None,) * len(rows)
    node_of = nodes_of_pairs(iteration)
    node = getattr(decision, "node", None)
    prefix = nodes_of(iteration)[node].parent if node is not None and node >= 0 else getattr(decision, "after", None)

    def found(key: Key | None) -> int | None:
        if isinstance(key, tuple):
            return node_of(*key)
        return None if key is None or prefix is None else node_of(prefix, key)

    return tuple(found(row.key) for row in rows)


def row_names(rows: Sequence[BarRow], key: Key, name: Callable[[Key], str]) -> list[str]:
    """Plotly markup beside the rows; what is judged is marked."""
    rest = rest_name(rows)
    names = [rest if row.key is None else markup(name(row.key)) for row in rows]
    return [f"<b>▸ {text}</b>" if row.key == key else text for text, row in zip(names, rows, strict=True)]


def rest_name(rows: Sequence[BarRow]) -> str:
    """What the row of all others is called."""
    return OTHERS if any(isinstance(row.key, tuple) for row in rows) else REST


def pairs_data(
    rows: Sequence[BarRow], names: Sequence[str], note: str, dark: bool, nodes: Sequence[int | None]
) -> dict[str, Any]:
    """Paired bars of rows under their names, as plain ``data`` and ``layout``; ``nodes`` are the drafted nodes behind
    them."""
    layout = palette.frame(
        dark,
        30 + 32 * len(rows),
        palette.Key(((palette.TARGET, "", "target"), (palette.DRAFT, "", "draft")), note),
        margin={"r": 48},
        barmode="stack",
        hovermode="y",
        bargap=0.25,
        xaxis={"range": [0, reach(max(row.target, row.draft) for row in rows)]},
        yaxis=rows_axis(names),
    )
    return {"data": paired_bars(rows, dark, nodes), "layout": layout}


def rows_axis(names: Sequence[str]) -> dict:
    """An axis with one named row below the other."""
    ticks = {"tickvals": list(range(len(names))), "ticktext": list(names)}
    return ticks | {"range": [len(names) - 0.4, -0.6], "showgrid": False}


def paired_bars(
    rows: Sequence[BarRow], dark: bool, nodes: Sequence[int | None], axis: str = ""
) -> list[dict[str, Any]]:
    """The bars of some rows, on the axes x and y of that number ("" is the first)."""
    bars = []
    for side, color in (("target", palette.TARGET), ("draft", palette.DRAFT)):
        whole = [getattr(row, side) for row in rows]
        excess = [value - row.shared for value, row in zip(whole, rows, strict=True)]
        for part, lengths in (("shared", [row.shared for row in rows]), ("excess", excess)):
            hatch = {"shape": "/", "fgcolor": color, "bgcolor": palette.CLEAR, "size": 6, "solidity": 0.35}
            bar = {
                "type": "bar",
                "name": f"{side}, {part}",
                "orientation": "h",
                "offsetgroup": side,
                "x": lengths,
                "y": list(range(len(rows))),
                "xaxis": f"x{axis}",
                "yaxis": f"y{axis}",
                "marker": {"color": color, "line": {"color": color, "width": 1}},
                "textposition": "outside",
                "textfont": {"color": palette.theme(dark).ink, "size": 11},
                "cliponaxis": False,
                "customdata": [row.token for row in rows],
                "meta": {"nodes": list(nodes)},
                "hoverinfo": "skip",
            }
            if part == "excess":
                words = [number(value) for value in whole]
                bar |= {"text": words, "hovertext": [f"{side} {word}" for word in words], "hoverinfo": "text"}
                bar["marker"]["pattern"] = hatch
            bars.append(bar)
    return bars
