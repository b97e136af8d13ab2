"""The mask shows exactly who sees whom."""

from dataclasses import replace

from specviz.pictures.shapes import SEEN
from specviz.views.drafts.mask import mask_matrix, mask_picture, mask_rows, mask_text
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


def test_the_picture_matches_the_matrix():
    trace = speculative_trace()
    (mask,) = mask_picture(trace, 0).shapes
    assert [[SEEN[int(cell)] for cell in row.cells] for row in mask.rows] == mask_matrix(trace.iterations[0])
    assert [row.node for row in mask.rows] == [-1, 0, 1, 2]
    assert [row.position for row in mask.rows] == [3, 4, 5, 6]
    assert mask.columns == ("context ×3", *(row.label for row in mask.rows))
    assert {row.stays for row in mask.rows} == {None}


def test_rows_stay_or_are_freed():
    (mask,) = mask_picture(speculative_trace(), 0, fate=True).shapes
    assert [row.stays for row in mask.rows] == [True, True, False, False]


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
