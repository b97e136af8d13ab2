"""The draft tree: x is depth, edges as wide as the draft's probability, outcomes by colour, glyph and outline."""

from collections.abc import Mapping

import networkx as nx
import plotly.graph_objects as go

from specviz.trace.record import Iteration, Trace
from specviz.views import palette, reading
from specviz.views.tokens import count, label, markup, number, quoted

DRAWN = "drawn"  # the graph's name for the token drawn at the end, which is no drafted node
_LABEL = 16  # characters of a token shown in the drawing; the hover shows more


def tree_graph(iteration: Iteration) -> nx.DiGraph:
    """The last context token (-1), the nodes shown by number, and the drawn token, with an edge from each parent."""
    graph, nodes = nx.DiGraph(), reading.nodes_of(iteration)
    graph.add_node(reading.ROOT)
    graph.add_edges_from((nodes[number].parent, number) for number in sorted(reading.prominent(nodes)))
    draw = reading.draw_of(iteration.decisions)
    if draw:
        graph.add_edge(reading.draw_parent(iteration, draw), DRAWN)
    return graph


def tidy_layout(graph: nx.DiGraph) -> dict[int | str, tuple[float, float]]:
    """Places for a tree rooted at -1: x is depth; leaves take rows 0, -1, -2 ..., parents the middle of theirs."""
    depths = nx.single_source_shortest_path_length(graph, reading.ROOT)
    rows: dict[int | str, float] = {}
    leaves = 0
    for name in nx.dfs_postorder_nodes(graph, reading.ROOT):
        below = [rows[child] for child in graph.successors(name)]
        rows[name] = (min(below) + max(below)) / 2 if below else float(-leaves)
        leaves += not below
    return {name: (float(depths[name]), rows[name]) for name in graph}


def node_text(trace: Trace, iteration: Iteration, name: int, state: str | None = None) -> str:
    """One sentence about a drafted node (or -1); ``state`` stands for its outcome at an earlier stage."""
    if name == reading.ROOT:
        last = quoted(trace.vocabulary, iteration.context_tail[-1])
        return f"the last context token {last}, position {reading.position(iteration, 0)}"
    node = reading.nodes_of(iteration)[name]
    parent = "the context" if node.parent == reading.ROOT else f"node {node.parent}"
    word = palette.OUTCOMES[state or node.outcome].word
    return (
        f"node {name}: {quoted(trace.vocabulary, node.token)} after {parent}, depth {node.depth}, "
        f"position {reading.position(iteration, node.depth)}, draft probability {number(node.draft_prob)}, {word}"
    )


def tree_text(trace: Trace, index: int, states: Mapping[int, str] | None = None, *, drawn: bool = True) -> str:
    """The tree in sentences, one line per depth, nodes grouped by outcome. Arguments as for ``tree_figure``.

    Pruned nodes are only counted: the texts of the drafting stages, where they appear, give their numbers.
    """
    iteration = reading.iteration_of(trace, index)
    nodes = reading.nodes_of(iteration)
    every = reading.final_states(iteration) if states is None else states
    states = _shown(iteration, every)
    lines = [f"Draft tree of iteration {index}: {count(len(every), 'node')} after {node_text(trace, iteration, -1)}."]
    for depth in sorted({nodes[name].depth for name in states}):
        groups: dict[str, list[str]] = {}
        for name in sorted(n for n in states if nodes[n].depth == depth):
            parent = "the context" if nodes[name].parent == reading.ROOT else f"node {nodes[name].parent}"
            token, prob = quoted(trace.vocabulary, nodes[name].token), number(nodes[name].draft_prob)
            groups.setdefault(states[name], []).append(f"node {name} {token} {prob} after {parent}")
        ghosts = groups.pop("pruned", [])
        parts = [f"{palette.OUTCOMES[state].word}: {', '.join(layer)}" for state, layer in groups.items()]
        parts += [f"{palette.OUTCOMES['pruned'].word}: {count(len(ghosts), 'node')}"] if ghosts else []
        lines.append(f"Depth {depth} (draft probability after each token). {'; '.join(parts)}.")
    if len(states) < len(every):
        lines.append(f"{count(len(every) - len(states), 'less likely node')} not shown.")
    draw = reading.draw_of(iteration.decisions)
    if drawn and draw:
        word = palette.ORIGINS[draw.origin].word
        lines.append(f"Then, at depth {draw.depth}: {quoted(trace.vocabulary, draw.token)}, {word}.")
    return "\n".join(lines)


def tree_figure(
    trace: Trace,
    index: int,
    states: Mapping[int, str] | None = None,
    *,
    drawn: bool = True,
    dark: bool = False,
) -> go.Figure:
    """The draft tree of one iteration.

    ``states`` gives the nodes to show and how (``views/reading.py``; default: all with their outcomes), ``drawn``
    whether the token drawn at the end is there. Places do not depend on the stage, so stages can be stepped through.
    Marks carry ``customdata``: the node's number, -1 for the context, null for the drawn token.
    """
    iteration = reading.iteration_of(trace, index)
    states = _shown(iteration, reading.final_states(iteration) if states is None else states)
    places = tidy_layout(tree_graph(iteration))
    draw = reading.draw_of(iteration.decisions) if drawn else None
    depth = int(max(x for x, _ in places.values()))
    lowest = min(y for _, y in places.values())
    figure = palette.canvas(
        dark,
        int(min(720, 60 + 34 * (1 - lowest))),
        _key(iteration, dark),
        margin={"t": 20},
        xaxis={
            "range": [-0.3, max(depth, 1) + 0.8],
            "tickvals": list(range(depth + 1)),
            "ticktext": ["context", *(f"depth {d}" for d in range(1, depth + 1))],
            "showgrid": False,
        },
        yaxis={"range": [lowest - 0.6, 1.4], "visible": False},
    )
    figure.add_traces(_edges(iteration, states, places, draw is not None, dark))
    figure.add_traces(_marks(trace, iteration, states, places, draw, dark))
    figure.add_traces(_labels(trace, iteration, states, places, draw, dark))
    return figure


def _shown(iteration: Iteration, states: Mapping[int, str]) -> dict[int, str]:
    """The states of the nodes that are shown."""
    shown = reading.prominent(reading.nodes_of(iteration))
    return {name: state for name, state in states.items() if name in shown}


def _edges(iteration: Iteration, states: Mapping, places: Mapping, drawn: bool, dark: bool) -> list[go.Scatter]:
    """Edges of one colour and width share a trace, their lines parted by None."""
    colors, nodes = palette.theme(dark), reading.nodes_of(iteration)
    groups: dict[tuple[str, float], list[tuple]] = {}
    for name, state in states.items():
        color = {"accepted": palette.ACCEPTED, "pruned": colors.grid}.get(state, colors.pending)
        width = round(1 + 7 * nodes[name].draft_prob)
        groups.setdefault((color, width), []).append((nodes[name].parent, name))
    draw = reading.draw_of(iteration.decisions)
    if drawn:
        color = palette.ORIGINS[draw.origin].color
        groups.setdefault((color, 2.0), []).append((reading.draw_parent(iteration, draw), DRAWN))
    traces = []
    for (color, width), edges in groups.items():
        x = [value for a, b in edges for value in (places[a][0], places[b][0], None)]
        y = [value for a, b in edges for value in (places[a][1], places[b][1], None)]
        line = {"color": color, "width": width}
        traces.append(go.Scatter(x=x, y=y, mode="lines", line=line, hoverinfo="skip"))
    return traces


def _marks(trace: Trace, iteration: Iteration, states: Mapping, places: Mapping, draw, dark: bool) -> list[go.Scatter]:
    """One trace of marks per outcome, one for the context and one for the drawn token."""
    nodes = reading.nodes_of(iteration)
    colors = palette.theme(dark)
    context = palette.Mark("last context token", colors.ink, "", "square", "", 1.0)
    last = quoted(trace.vocabulary, iteration.context_tail[-1])
    traces = [_mark(context, [places[reading.ROOT]], [last], [reading.ROOT], colors)]
    for state, mark in palette.OUTCOMES.items():
        names = [name for name in sorted(states) if states[name] == state]
        if names:
            texts = [f"{quoted(trace.vocabulary, nodes[n].token)}, draft {number(nodes[n].draft_prob)}" for n in names]
            traces.append(_mark(mark, [places[name] for name in names], texts, names, colors, ghost=state == "pruned"))
    if draw:
        text = quoted(trace.vocabulary, draw.token)
        traces.append(_mark(palette.ORIGINS[draw.origin], [places[DRAWN]], [text], [None], colors))
    return traces


def _mark(mark: palette.Mark, places: list, texts: list, names: list, colors: palette.Theme, ghost=False) -> go.Scatter:
    fill = mark.color or colors.pending
    outline = mark.outline or (colors.muted if ghost else colors.ink)
    who = "" if names == [None] or names == [reading.ROOT] else "node %{customdata}: "
    return go.Scatter(
        x=[x for x, _ in places],
        y=[y for _, y in places],
        mode="markers+text" if mark.glyph else "markers",
        marker={
            "symbol": mark.symbol,
            "size": 15 if ghost else 20,
            "color": fill,
            "line": {"color": outline, "width": mark.outline_width},
        },
        text=mark.glyph or None,
        textfont={"color": mark.glyph_color or (colors.muted if ghost else colors.ink)} if mark.glyph else None,
        customdata=names,
        hovertext=[markup(text) for text in texts],
        hovertemplate=f"{who}%{{hovertext}}<extra>{mark.word}</extra>",
        name=mark.word,
    )


def _labels(trace: Trace, iteration: Iteration, states: Mapping, places: Mapping, draw, dark: bool) -> list[go.Scatter]:
    """Token texts: over a mark, or right of one that no edge leaves; quieter for pruned nodes."""
    colors, nodes = palette.theme(dark), reading.nodes_of(iteration)
    inner = {parent for parent, _ in tree_graph(iteration).edges}
    groups: dict[tuple[str, str], list[tuple]] = {}

    def token(name: int | str) -> int:
        if name == reading.ROOT:
            return iteration.context_tail[-1]
        return draw.token if name == DRAWN else nodes[name].token

    for name in [reading.ROOT, *sorted(states), *([DRAWN] if draw else [])]:
        text = markup(label(trace.vocabulary, token(name), _LABEL))
        style = (
            "top center" if name in inner else "middle right",
            colors.muted if states.get(name) == "pruned" else colors.ink,
        )
        groups.setdefault(style, []).append((*places[name], text + "<br> " if name in inner else "\u00a0" * 4 + text))
    return [
        go.Scatter(
            x=[x for x, _, _ in points],
            y=[y for _, y, _ in points],
            mode="text",
            text=[text for _, _, text in points],
            textposition=side,
            textfont={"color": color, "size": 12},
            hoverinfo="skip",
        )
        for (side, color), points in groups.items()
    ]


def _key(iteration: Iteration, dark: bool) -> palette.Key:
    """The marks that this iteration uses at any stage: the key stays the same while its stages pass by."""
    colors, draw = palette.theme(dark), reading.draw_of(iteration.decisions)
    outcomes = set(reading.final_states(iteration).values())
    marks = [mark for name, mark in palette.OUTCOMES.items() if name in outcomes or (name == "pending" and outcomes)]
    marks += [palette.ORIGINS[draw.origin]] if draw else []
    entries = []
    for mark in marks:
        hollow = mark.color == palette.CLEAR
        color = mark.outline or colors.muted if hollow else mark.color or colors.pending
        entries.append((color, mark.glyph, mark.word))
    note = "wider line: likelier under the draft" if outcomes else ""
    hidden = len(reading.nodes_of(iteration)) - len(_shown(iteration, reading.final_states(iteration)))
    return palette.Key(tuple(entries), note + (f"; {count(hidden, 'less likely node')} not shown" if hidden else ""))
