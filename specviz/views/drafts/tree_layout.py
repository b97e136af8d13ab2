"""Where a draft tree, or forest, stands: its graph, and tidy coordinates for every node that no stage moves."""

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
    """Where everything in the tree of an iteration."""
    return tidy_layout(tree_graph(iteration))


def tidy_layout(graph: nx.DiGraph) -> Coordinates:
    """Coordinates for a forest: x is depth; leaves take rows 0, -1, -2 ..., parents the middle of theirs."""
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


def shown_roots(iteration: Iteration) -> list[int]:
    """The roots, one for copies of a text."""
    first = facts.first_of_text(iteration)
    return [root for root in facts.roots_of(iteration) if first[root] == root]
