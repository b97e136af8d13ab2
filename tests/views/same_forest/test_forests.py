"""Several beams, first tokens and slices: coordinates, masks, brackets, rings, and what the story says of them."""

from dataclasses import replace

import pytest

from specviz.facts import iteration_facts as facts
from specviz.pictures.pairs import probabilities_picture, probabilities_text
from specviz.rules.beams.search import search_picture
from specviz.rules.beams.width import layer_formula, layer_picture, layer_text
from specviz.views import mask_figure
from specviz.views.drafts import node_states
from specviz.views.drafts.forest import edge_weights
from specviz.views.drafts.mask import mask_matrix, mask_picture, mask_rows, mask_text
from specviz.views.drafts.mask_slice import planned_matrix, planned_tokens, slice_picture
from specviz.views.drafts.tree import tree_figure
from specviz.views.drafts.tree_layout import tidy_layout, tree_graph
from specviz.views.drafts.tree_words import node_text, tree_text
from specviz.views.story.scenes import iteration_payload, scenes, words_of
from tests.beam_traces import layers_trace, search_trace
from tests.rule_traces import cascade_trace, fork_trace, heads_trace, joint_tree_trace


def told(trace, index=0):
    return {scene.key: scene for scene in scenes(trace, index)}


def test_beams_stand_in_one_column():
    trace = search_trace()
    iteration = trace.iterations[0]
    coordinates = tidy_layout(tree_graph(iteration))
    assert {name for name, (x, _) in coordinates.items() if x == 0} == {-1, -2}
    assert len(set(coordinates.values())) == len(coordinates)
    assert facts.root_of(iteration.forest.nodes, 1) == -2 + 1  # node 1 grows from the first beam
    assert [facts.position(iteration, prefix) for prefix in (-1, 0)] == [
        4,
        5,
    ]  # its own token comes after the context
    marks = next(t for t in tree_figure(trace, 0).data if t.customdata is not None and -2 in t.customdata)
    assert set(marks.customdata) == {-1, -2}


def test_copies_are_one_beam():
    trace = search_trace()
    first, second = trace.iterations[0].inputs
    twins = replace(trace.iterations[0], inputs=(first, first, second))
    assert [root for root in tree_graph(twins) if isinstance(root, int) and root < 0] == [-1, -3]
    assert mask_rows(twins) == (-1, 0, 1)
    graph = tree_graph(replace(twins, forest=replace(twins.forest, nodes=_moved(twins, -2))))
    assert set(graph.successors(-1)) == {0, 1}  # drafted below the copy, drawn below its twin


def _moved(iteration, parent):
    return tuple(replace(node, parent=parent) for node in iteration.forest.nodes)


def test_every_beam_has_its_own_context():
    iteration = search_trace().iterations[0]
    open_beams = (
        replace(iteration.inputs[0], tokens=(2, 3), last=3),
        replace(iteration.inputs[1], tokens=(4, 9), finished=False),
    )
    two = replace(iteration, inputs=open_beams)
    nodes = (iteration.forest.nodes[0], replace(iteration.forest.nodes[1], parent=-2))
    two = replace(two, forest=replace(two.forest, nodes=nodes))
    assert mask_rows(two) == (-1, -2, 0, 1)
    assert mask_matrix(two) == [
        ["context", "context", "hidden", "self", "hidden", "hidden", "hidden"],
        ["context", "hidden", "context", "hidden", "self", "hidden", "hidden"],
        ["context", "context", "hidden", "ancestor", "hidden", "self", "hidden"],
        ["context", "hidden", "context", "hidden", "ancestor", "hidden", "self"],
    ]
    trace = replace(search_trace(), iterations=(two,))
    assert "Beam 1 “·name”, position 5, sees 4 earlier context tokens, 1 token of its own beam, itself." in mask_text(
        trace, 0
    )
    (mask,) = mask_picture(trace, 0).shapes
    assert mask.columns[:3] == ("context ×4", "beam 1 own ×1", "beam 2 own ×1")
    assert [row.label.partition(":")[0] for row in mask.rows[:2]] == ["1", "2"]
    assert mask_figure(trace, 0).layout.xaxis.ticktext[:3] == mask.columns[:3]


def test_an_ended_beam_is_not_read():
    assert mask_rows(search_trace().iterations[0]) == (-1, 0, 1)
    assert "“</s>” −1.02 (ended)" in told(search_trace())["context"].sentence


def test_beams_that_go_on_are_ringed():
    trace = layers_trace()
    assert facts.ends(trace.iterations[0]) == {0: 1, "drawn-0": 1}
    assert facts.kept_prefixes(trace.iterations[0]) == {-1}  # the newest tokens have no row yet
    ring = next(t for t in tree_figure(trace, 0).data if t.name == "goes on")
    coordinates = tidy_layout(tree_graph(trace.iterations[0]))
    assert set(zip(ring.x, ring.y, strict=True)) == {(x, -y) for x, y in (coordinates[0], coordinates["drawn-0"])}
    assert "goes on" not in [t.name for t in tree_figure(trace, 0, "tree-target").data]
    assert tree_text(trace, 0).endswith("Beams that go on end in: node 0, the drawn token after the context.")


def test_equal_draws_are_counted():
    trace = layers_trace()
    assert [(d.token, d.count) for d in facts.drawn_tokens(trace.iterations[1])] == [(8, 2)]
    assert [(d.token, d.count) for d in facts.drawn_tokens(trace.iterations[1], 1)] == [(8, 1)]
    assert "Then, at depth 1: “,” 2 times after beam 1, from the target." in tree_text(trace, 1)


def test_the_width_of_a_layer():
    trace = layers_trace()
    layer = trace.iterations[0].decisions[0]
    (chart,) = layer_picture(layer).shapes
    assert [(column.height, column.hollow) for column in chart.columns] == [(0.9, False), (0.4, False), (0.05, True)]
    assert [(level.at, level.words) for level in chart.levels] == [(0.3, "t = 0.30")]
    assert (chart.bracket.start, chart.bracket.end, chart.bracket.word) == (0.7, 2.3, "width 2")
    assert [tick.word for tick in chart.x.ticks] == ["1", "2", "3"]
    assert layer_formula(layer) == (
        "P(at least 2 accepted) = 0.40 ≥ 0.30 > P(at least 3) = 0.05; width = max(1, 2) = 2"
    )
    assert layer_formula(replace(layer, threshold=None, width=1)) == "width = 1, always"
    assert layer_formula(replace(layer, threshold=0.95, width=1)) == (
        "P(at least 1 accepted) = 0.90 < 0.95; width = max(1, 0) = 1"
    )
    assert layer_text(layer).endswith("The threshold is 0.30. The layer is 2 wide.")
    over = [note.text for note in tree_figure(trace, 0).layout.annotations]
    assert "width 2 of 3" in over
    assert "width 2 of 3" not in [n.text for n in tree_figure(trace, 0, "tree-target").layout.annotations]


def test_pairs_of_beam_and_token():
    trace = layers_trace()
    iteration = trace.iterations[0]
    coin = iteration.decisions[2]
    (bars,) = probabilities_picture(trace, iteration, coin).shapes
    target = next(row for row in bars.rows if row.label == "↵ → ·name").bars[0]
    assert (target.length, target.solid) == (pytest.approx(0.6), pytest.approx(0.3))
    assert [row.label for row in bars.rows if row.mark] == ["↵ → ·SELECT"]
    assert "“↵ → ·SELECT” (drafted) target 0.20, draft 0.50" in probabilities_text(trace, coin, iteration)
    scene = told(trace)["decision-3"]
    assert scene.title == "Layer 1, beam “↵ → ·SELECT”: rejected"
    assert scene.formula == "min(1, 0.20 / 0.50) = 0.40; coin 0.60 ≥ 0.40: reject"
    assert scene.panels["decision"] == "coin-3"
    assert told(trace)["draw-4"].formula == "residual(“↵ → ·FROM”) = 0.40; drawn with random number 0.90"


def test_what_becomes_output_of_several_beams():
    first, second = (told(layers_trace(), index)["commit"] for index in (0, 1))
    assert first.title == "Committed: nothing yet"
    assert "The beams differ in their first open token, so nothing becomes output yet." in first.sentence
    assert "the logarithm of their probability before temperature, top-k and top-p: “·name” −0.62, “·FROM” −1.71." in (
        first.sentence
    )
    assert "The run ends: what the most likely beam has becomes output, “·name” “,”" in second.sentence


def test_the_search_joins_what_both_lists_have():
    trace = search_trace()
    iteration = trace.iterations[0]
    step = iteration.decisions[0]
    picture = search_picture(trace, iteration, step)
    (lists,) = picture.shapes
    assert lists.joins == ((1, 0),)  # the target's second best is the draft's first
    assert [entry.node for entry in lists.left] == [None, 0] and [entry.node for entry in lists.right] == [0, 1]
    assert picture.words.split("\n")[0].endswith("“·SELECT → ·FROM” −1.31 (drafted).")
    assert told(trace)["decision-1"].title == "Search, depth 1: the draft falls short"
    assert node_states.judged_states(iteration, 1) == {0: "accepted", 1: "rejected"}


def test_first_tokens_are_text_without_being_judged():
    trace = fork_trace()
    iteration = trace.iterations[0]
    assert node_states.judged_states(iteration, 0) == {0: "root", 1: "root", 2: "pending", 3: "pending"}
    assert node_states.final_states(iteration) == {0: "spare", 1: "root", 2: "rejected", 3: "accepted"}
    scene = told(trace)
    assert scene["decision-1"].title == "Chain of “·SELECT”, draft 1, “·FROM”: rejected"
    assert "The chain of “·name” has 1 accepted draft, the best of the others 0." in scene["commit"].sentence
    assert "estimated acceptance 0.30" in node_text(trace, iteration, 2)
    assert "≈0.30" in str(tree_figure(trace, 0).to_plotly_json())


def test_the_slice_of_a_fork():
    trace = fork_trace()
    iteration = trace.iterations[0]
    assert planned_tokens(iteration) == 2
    matrix = planned_matrix(iteration)
    assert [row[:5] for row in matrix[:5]] == [row[1:] for row in mask_matrix(iteration)]
    out = "left out"
    assert matrix[5] == [out, out, "hidden", out, "hidden", out, "hidden"]
    assert matrix[6] == [out, "hidden", out, "hidden", out, "hidden", out]
    picture = slice_picture(trace, 0)
    (mask,) = picture.shapes
    assert (mask.framed, len(mask.rows), len(mask.columns)) == (5, 7, 7)
    assert [(row.label, row.position, row.node) for row in mask.rows[5:]] == [("", None, None)] * 2
    assert picture.words.endswith("7 rows. Drafting stopped after 1, so its first 5 rows and columns are used.")
    assert told(trace)["target"].panels["decision"] == "slice"
    whole = replace(iteration, forest=replace(iteration.forest, planned_depth=1))
    assert planned_tokens(whole) == 0 and planned_tokens(heads_trace().iterations[0]) == 0


def test_the_mask_before_the_reduction():
    iteration = heads_trace().iterations[0]
    assert mask_rows(iteration) == (-1, 0, 1, 2)
    assert mask_rows(iteration, before=True) == (-1, 0, 1, 2, 3, 4)
    assert mask_matrix(iteration, before=True)[4] == [
        "left out",
        "left out",
        "hidden",
        "left out",
        "hidden",
        "left out",
        "hidden",
    ]
    text = mask_text(heads_trace(), 0, before=True)
    assert text.startswith("Before the reduction, one target pass would read 6 tokens")
    assert text.count("it is left out by the reduction") == 2


def test_edges_follow_the_ranking_of_a_deterministic_draft():
    assert edge_weights(facts.nodes_of(heads_trace().iterations[0])) == pytest.approx(
        {0: 1, 1: 0.6, 2: 0.3, 3: 0.08, 4: 0.02}
    )
    assert edge_weights(facts.nodes_of(cascade_trace().iterations[0]))[0] == 0.6


def test_several_draft_models_are_told_apart():
    trace = cascade_trace()
    labels = [text for t in tree_figure(trace, 0).data if t.text and t.customdata is None for text in t.text]
    assert sum("[2]" in text for text in labels) == 1 and sum("[1]" in text for text in labels) == 2
    assert "2 from draft-2 [1], 1 from draft-1 [2]" in told(trace)["draft-1"].sentence
    alone = str(tree_figure(joint_tree_trace(), 0).to_plotly_json())
    assert "[1]" not in alone and "draft model" not in alone and "draft model" in str(tree_figure(trace, 0).layout)


def test_the_deepest_likeliest_prefix_of_a_tree():
    trace = joint_tree_trace()
    iteration = trace.iterations[0]
    assert node_states.judged_states(iteration, 3) == {0: "accepted", 1: "dropped", 2: "accepted", 3: "pending"}
    assert node_states.judged_states(iteration, 4) == {0: "dropped", 1: "accepted", 2: "dropped", 3: "accepted"}
    lines = words_of(iteration_payload(trace, 0), "staircase-4").split("\n")
    assert lines[1].startswith("Prefix of length 1, ending in “·name”")
    assert "It is the best so far" in told(trace)["decision-4"].sentence


def test_siblings_of_an_accepted_candidate_are_never_judged():
    iteration = cascade_trace().iterations[1]
    assert node_states.judged_states(iteration, 1) == {0: "accepted", 1: "unjudged", 2: "pending"}
