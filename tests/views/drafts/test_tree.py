"""The draft tree: tidy coordinates, every node once, outcomes by colour, glyph and symbol."""

import pytest

from specviz.errors import SpecvizError
from specviz.facts import iteration_facts as facts
from specviz.views.drafts import node_states
from specviz.views.drafts.forest import forest_picture
from specviz.views.drafts.tree import tree_figure
from specviz.views.drafts.tree_layout import tidy_layout, tree_graph
from specviz.views.drafts.tree_words import tree_text
from specviz.views.plot import palette
from tests.recorded import load_gallery
from tests.traces import mtad_trace, speculative_trace


def marks(figure):
    """Node number (or None for the drawn token) to the trace that draws it."""
    return {name: trace for trace in figure.data if trace.customdata is not None for name in trace.customdata}


def test_layout_is_tidy():
    graph = tree_graph(mtad_trace().iterations[0])
    coordinates = tidy_layout(graph)
    assert len(set(coordinates.values())) == len(coordinates)
    for parent, child in graph.edges:
        assert coordinates[child][0] == coordinates[parent][0] + 1
    for name in graph:
        below = [coordinates[child][1] for child in graph.successors(name)]
        assert not below or min(below) <= coordinates[name][1] <= max(below)


def test_where_a_guess_stands_tells_nothing_of_what_will_be_drawn():
    asked = 0
    for trace in load_gallery():
        for index, iteration in enumerate(trace.iterations):
            if len(facts.drawn_tokens(iteration)) > 1 or not facts.nodes_of(iteration):
                continue
            graph = tree_graph(iteration).copy()
            graph.remove_nodes_from([name for name in graph if isinstance(name, str)])
            alone, picture = tidy_layout(graph), forest_picture(trace, index)
            guesses = {one["node"]: (one["x"], -one["y"]) for one in picture["guesses"] if one["node"] is not None}
            assert guesses == {name: place for name, place in alone.items() if name >= 0}
            assert picture["depth"] == 1 + max(x for x, _ in alone.values())
            assert picture["rows"] == 2 - min(y for _, y in alone.values())
            places = [(one["x"], one["y"]) for one in picture["guesses"]]
            assert len(set(places)) == len(places)
            asked += 1
    assert asked > 50


def test_every_node_is_drawn_once_with_its_outcome():
    trace = speculative_trace()
    drawn = marks(tree_figure(trace, 0))
    assert set(drawn) == {-1, 0, 1, 2, None}
    for number, node in enumerate(trace.iterations[0].forest.nodes):
        mark = palette.OUTCOMES[node.outcome]
        assert (drawn[number].marker.color, drawn[number].text, drawn[number].marker.symbol) == (
            mark.color,
            mark.glyph,
            mark.symbol,
        )
    assert drawn[None].marker.color == palette.RESAMPLED


def test_outcomes_differ_in_every_way():
    judged = [palette.OUTCOMES[name] for name in ("accepted", "rejected", "unjudged", "pruned")]
    for look in ({m.glyph for m in judged}, {(m.symbol, m.outline, m.outline_width) for m in judged}):
        assert len(look) == len(judged)


def test_wider_edges_are_likelier():
    widths = {}
    trace = mtad_trace()
    for line in tree_figure(trace, 0).data:
        if line.mode == "lines":
            widths |= dict.fromkeys(zip(line.x[1::3], line.y[1::3], strict=True), line.line.width)
    places = {guess["node"]: (guess["x"], guess["y"]) for guess in forest_picture(trace, 0)["guesses"]}
    assert widths[places[3]] > widths[places[4]]  # 0.6 against 0.3


def test_stages_keep_their_places():
    trace = mtad_trace()
    early = tree_figure(trace, 0, "tree-draft-1")
    late = tree_figure(trace, 0)
    assert early.layout.xaxis.range == late.layout.xaxis.range
    assert early.layout.height == late.layout.height
    where = {n: (t.x[t.customdata.index(n)], t.y[t.customdata.index(n)]) for n, t in marks(early).items()}
    assert set(where) == {-1, 0, 1, 2}
    for n, coordinate in where.items():
        trace_of = marks(late)[n]
        assert coordinate == (trace_of.x[trace_of.customdata.index(n)], trace_of.y[trace_of.customdata.index(n)])


def test_beams_left_behind_are_ghosts():
    iteration = mtad_trace().iterations[0]
    assert node_states.drafting_states(iteration, 2) == {0: "pending", 1: "pending", 2: "pruned"} | dict.fromkeys(
        (3, 4, 5), "pending"
    )
    assert node_states.judged_states(iteration, 0)[4] == "pruned"


def test_judged_stages():
    mtad, chain = mtad_trace().iterations[0], speculative_trace().iterations[0]
    path = [[node_states.judged_states(mtad, n)[node] for node in (0, 3, 6)] for n in (1, 2, 3)]
    assert path == [
        ["accepted", "pending", "pending"],
        ["accepted", "rejected", "pending"],
        ["accepted", "accepted", "accepted"],  # the third prefix passes and takes the second along
    ]
    assert node_states.judged_states(chain, 2) == {0: "accepted", 1: "rejected", 2: "unjudged"}


def test_large_forests_show_the_submitted_and_the_likeliest():
    nodes = mtad_trace().iterations[0].forest.nodes
    shown = facts.likeliest(nodes, 5)
    assert len(shown) == 5 and {0, 3, 6, 1} <= shown
    assert all(nodes[n].parent in shown | {-1} for n in shown)


def test_text():
    assert tree_text(speculative_trace(), 0) == (
        "Draft tree of iteration 1: 3 nodes after the last context token “↵”, position 3.\n"
        "Depth 1 (draft probability after each token). accepted: node 0 “·SELECT” 0.50 after the context.\n"
        "Depth 2 (draft probability after each token). rejected: node 1 “<img·src=x·onerror=alert(1)>” 0.60 after "
        "node 0.\n"
        "Depth 3 (draft probability after each token). never judged: node 2 “·FROM” 0.80 after "
        "node 1.\n"
        "Then, at depth 2: “·name”, resampled."
    )


def test_pruned_nodes_are_told_when_they_appear():
    trace = mtad_trace()
    drafting = tree_text(trace, 0, "tree-draft-1")
    assert "drafted, waiting: node 0 “·SELECT” 0.40 after the context, node 1 “🙂” 0.35 after the context" in drafting
    assert "accepted: node 3 “·name” 0.60 after node 0; not offered to the target: 2 nodes." in tree_text(trace, 0)


def test_unknown_iteration():
    with pytest.raises(SpecvizError, match="0 to 2, got 3"):
        tree_figure(speculative_trace(), 3)
    with pytest.raises(SpecvizError, match="stage must be one of tree-context, .*, got 'tree-nope'"):
        tree_figure(speculative_trace(), 0, "tree-nope")
