"""What a draft reads that is of EAGLE's kind: layers and agreement in the picture, and in words."""

from dataclasses import replace

import pytest

import specviz
from specviz.measure.summary import agreement_by_depth
from specviz.views.drafts.listening import independent_beside, listening_draft, listening_picture
from specviz.views.story.scenes import iteration_payload, words_of
from tests.lm.eagle3 import draft_weights, write_draft, write_target


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    folder = tmp_path_factory.mktemp("eagle")
    target = write_target(folder / "target")
    draft = write_draft(folder / "draft", draft_weights())
    return specviz.load_pair(str(target), str(draft), drafts=[str(target)], device="cpu", dtype="float32")


@pytest.fixture(scope="module")
def lanes(pair):
    """One that reads states, and one with the target as its own draft, which always agrees."""
    options = {"max_new_tokens": 24, "seed": 3, "gamma": 3, "top_k": None, "top_p": None}
    return [specviz.decode(pair, "speculative", [5, 9, 2, 7], draft=draft, **options) for draft in ("model", "2")]


def test_a_trace_says_which_layers_its_draft_reads(lanes, tmp_path):
    reading, independent = lanes
    assert reading.header.draft.reads == (2, 4, 5) and independent.header.draft.reads == ()
    specviz.save_trace(reading, tmp_path / "t.json")
    assert specviz.load_trace(tmp_path / "t.json").header.draft.reads == (2, 4, 5)


def test_the_picture_has_the_layers_and_the_agreement_of_each_guess(lanes):
    reading, independent = lanes
    picture = listening_picture(reading, 4, independent)
    layers, agreement = picture.shapes
    assert picture.title == "What the draft reads"
    assert [(point.x, point.y) for point in layers.points if point.tone == "target"] == [(1, 2), (1, 4), (1, 5)]
    assert [point.x for point in layers.points if point.tone == "draft"] == [2, 3]
    mean = agreement_by_depth(reading.iterations)
    assert [column.height for column in agreement.columns] == pytest.approx(mean)
    first = [min(1.0, sum(min(p, d.draft.prob(t)) for t, p in d.target.table().items())) for d in judged(reading)]
    assert mean[0] == pytest.approx(sum(first) / len(first), abs=1e-6)
    assert [y for _, y in agreement.lines[0].points] == pytest.approx([1.0] * 3, abs=0.01)  # of what a trace keeps
    assert "after layers 2, 4 and 5 of 8" in picture.words and "in place of its states" in picture.words


def judged(trace):
    """The decisions on first guesses."""
    return [d for i in trace.iterations for d in i.decisions if getattr(d, "node", None) == 0]


def test_only_the_first_two_guesses_say_what_they_read(lanes):
    payload = iteration_payload(lanes[0], 1)
    said = {scene["key"]: scene["sentence"] for scene in payload["scenes"] if scene["phase"] == "draft"}
    assert "after layers 2, 4 and 5 of 8, joined into one" in said["draft-1"]
    assert "the draft reads its own" in said["draft-2"] and "reads" not in said["draft-3"]
    assert all(scene["panels"]["decision"] == "listening" for scene in payload["scenes"] if scene["key"] in said)
    assert words_of(payload, "listening").startswith("It reads the target's hidden states")


def test_a_draft_that_reads_tokens_alone_has_no_such_picture(lanes):
    _, independent = lanes
    assert listening_draft(independent, independent.iterations[0]) is None
    payload = iteration_payload(independent, 0)
    assert "listening" not in payload["pictures"]
    assert not any("hidden" in scene["sentence"] for scene in payload["scenes"])


def test_the_lane_beside_has_the_same_prompt_and_target(lanes):
    reading, independent = lanes
    other = replace(independent, header=replace(independent.header, prompt_tokens=(1, 2)))
    assert independent_beside(reading, (reading, None, other, independent)) is independent
    assert independent_beside(reading, (reading, other)) is None is independent_beside(independent, (independent,))
