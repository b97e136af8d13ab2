"""The mask shows exactly who sees whom."""

from dataclasses import replace

from specviz.views.drafts.mask import mask_figure, mask_matrix, mask_rows, mask_text
from tests.traces import autoregressive_trace, mtad_trace, speculative_trace


def test_rows_are_the_last_context_token_and_the_submitted_nodes():
    assert mask_rows(mtad_trace().iterations[0]) == (-1, 0, 3, 6)
    assert mask_rows(autoregressive_trace().iterations[0]) == (-1,)


def test_siblings_do_not_see_each_other():
    iteration = mtad_trace().iterations[0]
    nodes = tuple(replace(node, submitted=number in (0, 3, 4)) for number, node in enumerate(iteration.forest.nodes))
    tree = replace(iteration, forest=replace(iteration.forest, nodes=nodes))
    assert mask_matrix(tree) == [
        ["context", "self", "hidden", "hidden", "hidden"],
        ["context", "ancestor", "self", "hidden", "hidden"],
        ["context", "ancestor", "ancestor", "self", "hidden"],
        ["context", "ancestor", "ancestor", "hidden", "self"],
    ]


def test_figure_matches_the_matrix():
    trace = speculative_trace()
    heatmap = mask_figure(trace, 0).data[0]
    words = ("hidden", "context", "ancestor", "self")
    assert [[words[level] for level in row] for row in heatmap.z] == mask_matrix(trace.iterations[0])
    assert [row[0] for row in heatmap.customdata] == [-1, 0, 1, 2]
    assert [name.split("pos ")[1] for name in mask_figure(trace, 0).layout.yaxis.ticktext] == ["3", "4", "5", "6"]


def test_freed_rows_are_empty():
    heatmap = mask_figure(speculative_trace(), 0, fate=True).data[0]
    assert [row[0] is None for row in heatmap.z] == [False, False, True, True]


def test_text():
    lines = mask_text(speculative_trace(), 0, fate=True).split("\n")
    assert lines[0] == "One target pass over 4 tokens: the last context token and 3 drafted tokens."
    assert lines[1] == (
        "The last context token “↵”, position 3, sees 3 earlier context tokens, itself; its cache row stays."
    )
    assert lines[3] == (
        "Node 1 “<img·src=x·onerror=alert(1)>”, position 5, sees 3 earlier context tokens, the last context token, "
        "node 0, itself; its cache row is freed."
    )
