"""The layout of a draft tree or forest: its graph, and tidy coordinates for every node, the same at all stages."""

import networkx as nx

from specviz.facts import iteration_facts as facts
from specviz.trace.record import Iteration

Coordinates = dict[int | str, tuple[float, float]]


@facts.once
def tree_graph(iteration: Iteration) -> nx.DiGraph:
    """The roots (-1 and below, one for copies), the nodes shown by number, and what was drawn after any of
    these, with an edge from each parent."""
    graph, nodes, first = nx.DiGraph(), facts.nodes_of(iteration), facts.first_of_text(iteration)
    graph.add_nodes_from(root for root in facts.roots_of(iteration) if first[root] == root)
    for number_ in sorted(facts.prominent(nodes)):
        parent = nodes[number_].parent
        graph.add_edge(first[parent] if parent < 0 else parent, number_)
    graph.add_edges_from((drawn.parent, drawn.name) for drawn in facts.drawn_tokens(iteration) if drawn.parent in graph)
    return graph


@facts.once
def tidy_coordinates(iteration: Iteration) -> Coordinates:
    """The coordinates of everything in the tree of an iteration."""
    return tidy_layout(tree_graph(iteration), last_drawn(iteration))


def last_drawn(iteration: Iteration) -> str | None:
    """The one token drawn after guesses were judged: no guess makes way for it, which would tell their verdicts before
    they fall. None where nothing was drafted or drawn, or where beams draw several."""
    drawn = facts.drawn_tokens(iteration)
    return drawn[0].name if len(drawn) == 1 and facts.nodes_of(iteration) else None


def tidy_layout(graph: nx.DiGraph, last: str | None = None) -> Coordinates:
    """Coordinates for a forest: x is depth; leaves take rows 0, -1, -2 ..., parents the middle of theirs. The token
    ``last`` stands behind its parent, below all others where a guess stands there."""
    if last is not None and last in graph:
        (parent,) = graph.predecessors(last)
        rest = graph.copy()
        rest.remove_node(last)
        places = tidy_layout(rest)
        x, y = places[parent]
        lowest = min(row for _, row in places.values())
        return places | {last: (x + 1, lowest - 1 if rest.out_degree(parent) else y)}
    depths: dict[int | str, int] = {}
    rows: dict[int | str, float] = {}
    leaves = 0
    for root in [name for name in graph if not graph.in_degree(name)]:
        depths |= nx.single_source_shortest_path_length(graph, root)
        for name in nx.dfs_postorder_nodes(graph, root):
            below = [rows[child] for child in graph.successors(name)]
            rows[name] = (min(below) + max(below)) / 2 if below else float(-leaves)
            leaves += not below
    return {name: (float(depths[name]), rows[name]) for name in graph}


def leaves_room(iteration: Iteration) -> bool:
    """Whether a column and a row are reserved for a drawn token, wherever it will be: if at most one is drawn, after
    guesses."""
    return bool(facts.nodes_of(iteration)) and len(facts.drawn_tokens(iteration)) <= 1


def extent(iteration: Iteration, places: Coordinates) -> tuple[int, int]:
    """The columns and rows that a forest takes."""
    room = leaves_room(iteration)
    taken = [place for name, place in places.items() if not room or isinstance(name, int)]
    return int(max(x for x, _ in taken)) + room, 1 + int(max(-y for _, y in taken)) + room


def shown_roots(iteration: Iteration) -> list[int]:
    """The roots, one for copies of a text."""
    first = facts.first_of_text(iteration)
    return [root for root in facts.roots_of(iteration) if first[root] == root]
