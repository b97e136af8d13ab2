"""The rows of a target call: the recorded distributions, one bar for every token that was read."""

import pytest

from specviz.facts import iteration_facts as facts
from specviz.facts.tokens import label
from specviz.views.drafts.rows import MOST_ROWS, SHOWN, rows_picture, rows_text, scored_rows
from specviz.views.lessons.lesson import gallery_runs
from specviz.views.story.scenes import scenes


@pytest.fixture(scope="module")
def gallery():
    return gallery_runs()


def test_every_row_has_its_likeliest_tokens(gallery):
    trace = gallery["speculative"]
    iteration = trace.iterations[5]
    rows = scored_rows(iteration)
    assert rows == facts.read_prefixes(iteration) == (-1, 0, 1, 2, 3)
    for row, strip in zip(rows, rows_picture(trace, 5).shapes, strict=True):
        table = iteration.forest.target[row].table()
        best = sorted(table.values(), reverse=True)[:SHOWN]
        assert [part.end for part in strip.parts] == pytest.approx([sum(best[: n + 1]) for n in range(len(best))])
        assert strip.label.startswith("after ") and strip.uniform is None
    assert rows_text(trace, 5).count("\n") == len(rows)


def test_a_part_that_was_drafted_is_linked_to_its_node(gallery):
    trace = gallery["speculative"]
    nodes = facts.nodes_of(trace.iterations[5])
    linked = 0
    for row, strip in zip(scored_rows(trace.iterations[5]), rows_picture(trace, 5).shapes, strict=True):
        for part in strip.parts:
            if part.node is not None:
                assert label(trace.vocabulary, nodes[part.node].token, 9) == part.name
                assert nodes[part.node].parent == row
                linked += 1
    assert linked


def test_a_large_call_shows_some_rows_and_says_how_many_more_it_read(gallery):
    trace = gallery["specinfer"]
    iteration = max(trace.iterations, key=lambda one: len(facts.read_prefixes(one)))
    assert len(scored_rows(iteration)) == MOST_ROWS < len(facts.read_prefixes(iteration))
    notes = rows_picture(trace, trace.iterations.index(iteration)).notes
    assert notes[-1] == f"the call read {len(facts.read_prefixes(iteration)) - MOST_ROWS} more"


def test_only_a_call_whose_rows_are_recorded_shows_them(gallery):
    for name, wanted in (("speculative", True), ("autoregressive", False)):
        target = next(scene for scene in scenes(gallery[name], 0) if scene.key == "target")
        assert ("probabilities" in target.panels) is wanted
