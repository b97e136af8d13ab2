"""The draft tree, or forest: x is depth, edges as wide as the draft's probability, outcomes by colour, glyph, outline.

Several input beams stand in one left column, copies of a text as one; edges of a deterministic draft are as wide as its
ranking of the node. Beams that go on are ringed, the width of a layer stands over its column.
"""

from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as go

from specviz.trace.record import Iteration, Trace
from specviz.views.drafts import node_states
from specviz.views.drafts.tree_labels import labels, lettering, reaches
from specviz.views.drafts.tree_layout import Coordinates, shown_roots, tidy_coordinates
from specviz.views.facts import iteration_facts as facts
from specviz.views.facts.iteration_facts import Drawn
from specviz.views.facts.prefix_names import next_token, root_label
from specviz.views.facts.tokens import markup, number, quoted
from specviz.views.plot import palette

_SCATTER = {"type": "scatter"}
_CROWDED = 30  # rows from which marks are smaller


def tree_figure(trace: Trace, index: int, states: Mapping[int, str] | None = None, **arguments) -> go.Figure:
    """``tree_data`` as a plotly figure."""
    return palette.figure_of(tree_data(trace, index, states, **arguments))


def tree_data(
    trace: Trace,
    index: int,
    states: Mapping[int, str] | None = None,
    *,
    made: int | None = None,
    final: bool = False,
    dark: bool = False,
) -> dict[str, Any]:
    """The draft tree of one iteration, as plain ``data`` and ``layout``.

    ``states`` gives the nodes to show and how (``node_states.py``; default: all with their outcomes); ``made``
    how many decisions have been made (default: all), so that what they drew is there; ``final`` rings the beams that go
    on. Coordinates do not depend on the stage, so stages can be stepped through. Marks carry ``customdata``: the node's
    number, -1 - i for input beam i (-1: the context), null for what was drawn; ``layout.meta.last`` is the height of
    what was drawn last.
    """
    iteration = facts.iteration_of(trace, index)
    every = node_states.final_states(iteration) if states is None else states
    states = _shown(iteration, every)
    coordinates = tidy_coordinates(iteration)
    drawn = [one for one in facts.drawn_tokens(iteration, made) if one.name in coordinates]
    depth = int(max(x for x, _ in coordinates.values()))
    lowest = min(y for _, y in coordinates.values())
    notes, brackets = _widths(iteration, made)
    layout = palette.frame(
        dark,
        _height(1 - lowest),
        _key(trace, iteration, dark),
        notes=notes,
        shapes=[line | {"line": {"color": palette.theme(dark).ink, "width": 2}} for line in brackets],
        margin={"t": 20 if not _layers(iteration) else 40},
        xaxis={
            "range": [-lettering(iteration).room, max(depth, 1) + 0.8],
            "tickvals": list(range(depth + 1)),
            "ticktext": [
                "context" if len(iteration.inputs) < 2 else "beams",
                *(f"depth {d}" for d in range(1, depth + 1)),
            ],
            "showgrid": False,
        },
        yaxis={"range": [lowest - 0.6, max(1.4, 0.04 * (1 - lowest))], "visible": False},
    )
    layout["meta"] |= {"labels": reaches(trace, iteration, coordinates)}
    layout["meta"] |= {"last": coordinates[drawn[-1].name][1]} if drawn else {}
    data = _edges(iteration, states, coordinates, drawn, dark)
    data += _marks(trace, iteration, states, coordinates, drawn, dark)
    data += labels(trace, iteration, states, coordinates, drawn, dark, every.keys() - states.keys())
    data += _rings(iteration, coordinates, dark) if final else []
    if 1 - lowest > _CROWDED:
        for one in data:
            if "marker" in one:
                one["marker"]["size"] = min(one["marker"]["size"], 15)
    return {"data": data, "layout": layout}


def _height(rows: float) -> int:
    """Room for every row; where there are many, no less than their marks need."""
    return int(min(60 + 38 * rows, max(720, 60 + 17 * rows)))


def _shown(iteration: Iteration, states: Mapping[int, str]) -> dict[int, str]:
    """The states of the nodes that are shown."""
    shown = facts.prominent(facts.nodes_of(iteration))
    return {name: state for name, state in states.items() if name in shown}


def edge_weights(iteration: Iteration) -> dict[int, float]:
    """How wide the edge above each node is, 0 to 1: its draft probability, or its score as a share of the best one."""
    nodes = facts.nodes_of(iteration)
    best = max((node.score for node in nodes if node.score), default=1.0)
    return {n: node.draft_prob if node.score is None else node.score / best for n, node in enumerate(nodes)}


def _edges(
    iteration: Iteration, states: Mapping, coordinates: Coordinates, drawn: list[Drawn], dark: bool
) -> list[dict[str, Any]]:
    """Edges of one colour and width share a trace, their lines parted by None."""
    colors, nodes, weights = palette.theme(dark), facts.nodes_of(iteration), edge_weights(iteration)
    first = facts.first_of_text(iteration)
    groups: dict[tuple[str, float], list[tuple]] = {}
    for name, state in states.items():
        color = {"accepted": palette.ACCEPTED, "root": palette.TARGET, "pruned": colors.grid}.get(state, colors.pending)
        parent = nodes[name].parent
        edge = (first[parent] if parent < 0 else parent, name)
        groups.setdefault((color, round(1 + 7 * weights[name])), []).append(edge)
    for one in drawn:
        groups.setdefault((palette.ORIGINS[one.origin].color, 2.0), []).append((one.parent, one.name))
    traces = []
    for (color, width), edges in groups.items():
        x = [value for a, b in edges for value in (coordinates[a][0], coordinates[b][0], None)]
        y = [value for a, b in edges for value in (coordinates[a][1], coordinates[b][1], None)]
        line = {"color": color, "width": width}
        traces.append(dict(_SCATTER, x=x, y=y, mode="lines", line=line, hoverinfo="skip"))
    return traces


def _marks(
    trace: Trace, iteration: Iteration, states: Mapping, coordinates: Coordinates, drawn: list[Drawn], dark: bool
) -> list[dict[str, Any]]:
    """One trace of marks for the roots, one per outcome, one per origin of what was drawn."""
    nodes, roots = facts.nodes_of(iteration), shown_roots(iteration)
    colors = palette.theme(dark)
    word = "last context token" if len(iteration.inputs) < 2 else "a beam of the text so far"
    context = palette.MarkStyle(word, colors.ink, "", "square", "", 1.0)
    traces = [
        _mark(
            context,
            [coordinates[r] for r in roots],
            [root_label(trace, iteration, r, 40) for r in roots],
            roots,
            colors,
        )
    ]
    for state, mark in palette.OUTCOMES.items():
        names = [name for name in sorted(states) if states[name] == state]
        if names:
            texts = [f"{quoted(trace.vocabulary, nodes[n].token)}, {_chance(iteration, n)}" for n in names]
            traces.append(
                _mark(mark, [coordinates[name] for name in names], texts, names, colors, ghost=state == "pruned")
            )
    for origin in dict.fromkeys(one.origin for one in drawn):
        group = [one for one in drawn if one.origin == origin]
        texts = [f"“{next_token(trace, one.token)}”" + (f" ×{one.count}" if one.count > 1 else "") for one in group]
        traces.append(
            _mark(palette.ORIGINS[origin], [coordinates[one.name] for one in group], texts, [None] * len(group), colors)
        )
    return traces


def _chance(iteration: Iteration, name: int) -> str:
    """What the draft thought of a node, in words."""
    node = facts.nodes_of(iteration)[name]
    parts = [f"draft {number(node.draft_prob)}" if node.score is None else f"ranked by {number(node.score)}"]
    parts += [f"estimated acceptance {number(node.estimate)}"] if node.estimate is not None else []
    parts += [f"from draft model {node.model + 1}"] if facts.several_drafts(facts.nodes_of(iteration)) else []
    return ", ".join(parts)


def _mark(
    mark: palette.MarkStyle, coordinates: list, texts: list, names: list, colors: palette.Theme, ghost=False
) -> dict[str, Any]:
    fill = mark.color or colors.pending
    outline = mark.outline or (colors.muted if ghost else colors.ink)
    who = "node %{customdata}: " if any(isinstance(name, int) and name >= 0 for name in names) else ""
    ink = mark.glyph_color or (colors.muted if ghost else colors.ink)
    glyph = {"text": mark.glyph, "textfont": {"color": ink}} if mark.glyph else {}
    return dict(
        _SCATTER,
        x=[x for x, _ in coordinates],
        y=[y for _, y in coordinates],
        mode="markers+text" if mark.glyph else "markers",
        marker={
            "symbol": mark.symbol,
            "size": 15 if ghost else 20,
            "color": fill,
            "line": {"color": outline, "width": mark.outline_width},
        },
        **glyph,
        customdata=names,
        hovertext=[markup(text) for text in texts],
        hovertemplate=f"{who}%{{hovertext}}<extra>{mark.word}</extra>",
        name=mark.word,
    )


def _rings(iteration: Iteration, coordinates: Coordinates, dark: bool) -> list[dict[str, Any]]:
    """A ring around the end of every beam that goes on."""
    found = {name: n for name, n in facts.ends(iteration).items() if name in coordinates}
    if not found:
        return []
    ring = {"size": 30, "color": palette.CLEAR, "line": {"color": palette.theme(dark).ink, "width": 2}}
    points = [coordinates[name] for name in found]
    return [
        dict(
            _SCATTER,
            x=[x for x, _ in points],
            y=[y for _, y in points],
            mode="markers",
            marker=ring,
            hoverinfo="skip",
            name="goes on",
        )
    ]


def _layers(iteration: Iteration) -> list:
    return [decision for decision in iteration.decisions if decision.rule == "layer"]


def _widths(iteration: Iteration, made: int | None) -> tuple[list[dict], list[dict]]:
    """Over each layer's column a bracket and its width, once that has been decided: annotations and shapes."""
    decided = iteration.decisions[: len(iteration.decisions) if made is None else made]
    over = {"yref": "paper", "y": 1.02, "yanchor": "bottom", "showarrow": False, "font": {"size": 12}}
    notes, lines = [], []
    for layer in (decision for decision in decided if decision.rule == "layer"):
        left, right = layer.depth - 0.36, layer.depth + 0.36
        offered = f" of {layer.offered}" if layer.width <= layer.offered else ""
        notes.append(over | {"x": layer.depth, "text": f"width {layer.width}{offered}"})
        corners = ((left, 0.98), (left, 1.01), (right, 1.01), (right, 0.98))
        for (x0, y0), (x1, y1) in zip(corners, corners[1:], strict=False):
            lines.append({"type": "line", "yref": "paper", "x0": x0, "x1": x1, "y0": y0, "y1": y1})
    return notes, lines


def _key(trace: Trace, iteration: Iteration, dark: bool) -> palette.Key:
    """The marks that may come in this iteration: the same at all its stages, and telling nothing of how it ends."""
    colors, nodes = palette.theme(dark), facts.nodes_of(iteration)
    shown = facts.prominent(nodes)
    outcomes, origins = node_states.possible_marks(trace, iteration)
    marks = [mark for name, mark in palette.OUTCOMES.items() if name in outcomes]
    marks += [mark for name, mark in palette.ORIGINS.items() if name in origins and name != "accepted"]
    entries = []
    for mark in marks:
        hollow = mark.color == palette.CLEAR
        color = mark.outline or colors.muted if hollow else mark.color or colors.pending
        entries.append((color, mark.glyph, mark.word))
    notes = []
    if nodes:
        scored = any(node.score is not None for node in nodes)
        notes.append("wider line: ranked higher by the draft" if scored else "wider line: likelier under the draft")
    notes += ["≈: estimated acceptance"] if any(node.estimate is not None for node in nodes) else []
    notes += ["[1] [2]: which draft model"] if facts.several_drafts(nodes) else []
    notes += ["ringed at the end: a beam that goes on"] if iteration.beams else []
    hidden = len(nodes) - len(shown)
    notes += [f"+1, +2 ..: less likely guesses that are not drawn, {hidden} in all"] if hidden else []
    return palette.Key(tuple(entries), "; ".join(notes))
