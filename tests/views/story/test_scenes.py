"""The payload: small, complete, harmless, and its words carry the numbers."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from specviz.errors import SpecvizError
from specviz.pictures.data import unpacked
from specviz.trace.store import load_trace
from specviz.views.story.scenes import Told, iteration_payload, scenes
from tests.beam_traces import BEAM_TRACES
from tests.rule_traces import RULE_TRACES
from tests.traces import VOCABULARY, autoregressive_trace, mtad_trace, speculative_trace

GALLERY = sorted((Path(__file__).resolve().parents[3] / "assets" / "gallery").glob("*.json"))
PLAIN = {"autoregressive": autoregressive_trace, "speculative": speculative_trace, "mtad": mtad_trace}
TRACES = PLAIN | RULE_TRACES | BEAM_TRACES
CASES = [(name, index) for name, make in TRACES.items() for index in range(len(make().iterations))]
MARKUP = re.compile(r"<(b|/b|br|sup|/sup|span|/span|extra)>")


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}-{case[1]}")
def payload(request):
    name, index = request.param
    return json.loads(json.dumps(iteration_payload(TRACES[name](), index)))


def pictures_of(payload):
    """The pictures as dicts."""
    return {key: unpacked(picture, payload["fields"]) for key, picture in payload["pictures"].items()}


def strings(value):
    """All strings."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def test_every_panel_has_a_picture_with_words(payload):
    used = {key for scene in payload["scenes"] for key in scene["panels"].values()}
    assert used == set(payload["pictures"]) | set(payload["stages"])
    assert set(payload["texts"]) == used and all(payload["texts"].values()) and all(payload["phrases"])
    assert {at for text in payload["texts"].values() for at in text} == set(range(len(payload["phrases"])))
    for scene in payload["scenes"]:
        assert set(scene["panels"]) <= {"tree", "mask", "probabilities", "decision"}
        assert scene["title"] and scene["sentence"]
    assert len({scene["key"] for scene in payload["scenes"]}) == len(payload["scenes"])


def test_pictures_are_small_and_without_colours(payload):
    assert len(json.dumps(payload)) < 60_000
    for picture in pictures_of(payload).values():
        assert picture["shapes"] and (picture.get("key") or picture.get("notes"))
    told = json.dumps(payload["pictures"])
    assert "rgb" not in told and not re.search(r'"#[0-9a-f]{6}"', told)


def test_a_step_is_small():
    """On average over every fifth iteration of the recorded runs that ship."""
    traces = [load_trace(path) for path in GALLERY]
    sample = [(trace, index) for trace in traces for index in range(len(trace.iterations))][::5]
    payloads = [iteration_payload(trace, index) for trace, index in sample]
    sizes = [len(json.dumps(one, ensure_ascii=False, separators=(",", ":")).encode()) for one in payloads]
    assert len(sizes) > 2 * len(traces) and sum(sizes) < 40_000 * len(sizes)


def test_texts_are_plain(payload):
    for text in strings(payload):
        assert not MARKUP.search(text) and "&lt;" not in text, text


def test_hostile_tokens_are_there_as_they_are():
    assert "<img" in json.dumps(iteration_payload(speculative_trace(), 0)["pictures"])


def test_focus_is_a_node(payload):
    numbers = {record["node"] for record in payload["nodes"]} | {-1, None}
    assert {scene["focus"] for scene in payload["scenes"]} <= numbers
    for record in payload["nodes"]:
        assert record["ancestors"][-1] < 0
        assert len(record["ancestors"]) == record["depth"]


def check_links(payload):
    """Every link between panels leads somewhere, and the numbers of a node are those of the pictures."""
    keys = {scene["key"]: scene for scene in payload["scenes"]}
    numbers = {record["node"] for record in payload["nodes"]}
    roots = {record["node"] for record in payload["roots"]}
    assert roots and max(roots) == -1
    (mask,) = pictures_of(payload)["mask"]["shapes"]
    rows = len(mask["rows"])
    assert all(len(row["cells"]) == len(mask["columns"]) for row in mask["rows"])
    for record in payload["nodes"]:
        assert isinstance(record["token"], int)
        assert set(record["ancestors"]) <= numbers | roots
        assert record["row"] is None or 0 <= record["row"] < rows
        assert {"draft", "target", "formula"} <= {key for key, value in record.items() if isinstance(value, str)}
        if record["scene"] is None:
            assert record["formula"] == ""
        else:
            assert keys[record["scene"]]["phase"] == "verify"
            told = keys[record["scene"]]["formula"]
            assert not (record["formula"] and told)  # several tests without effect are told in one scene
    assert payload["mask_rows"] == rows
    for one in payload["text"]["emitted"]:
        assert one["node"] is None or one["node"] >= 0
        assert one["origin"] in ("accepted", "resampled", "bonus", "target")
    labels = {record["node"]: record["label"] for record in payload["nodes"]}
    for shape in (shape for picture in pictures_of(payload).values() for shape in picture["shapes"]):
        for row in shape["rows"] if shape["kind"] == "bars" else ():
            if row.get("node") in labels:
                label = row["label"].rpartition(" → ")[2]
                assert label == labels[row["node"]] or label.endswith("…"), (label, labels[row["node"]])


def test_every_link_leads_somewhere(payload):
    check_links(payload)


def test_stages_are_of_what_the_forest_has(payload):
    forest, names = payload["forest"], [name for name, _, _ in payload["outcomes"]]
    drafted = [guess for guess in forest["guesses"] if guess["node"] is not None]
    assert [guess["node"] for guess in drafted] == [record["node"] for record in payload["nodes"]]
    places = [(guess["x"], guess["y"]) for guess in forest["guesses"]]
    assert len(set(places)) == len(places) and all(0 <= y < forest["rows"] for _, y in places)
    known = {guess["name"] for guess in forest["guesses"]} | {str(root["name"]) for root in forest["roots"]}
    assert {guess["parent"] for guess in forest["guesses"]} <= known
    for key, stage in payload["stages"].items():
        assert len(stage["states"]) == len(drafted)
        assert set(stage["drawn"]) | set(stage["ends"]) | set(stage["folded"]) <= known
        if key == "tree-commit":
            shown = {names[state] for state in stage["states"] if state is not None}
            shown |= {origin for origin, _ in stage["drawn"].values()}
            assert shown <= {name for name, _, _ in forest["key"]["marks"]}


def test_keys_are_marks_with_words(payload):
    for picture in pictures_of(payload).values():
        assert all(set(entry) == {"tone", "glyph", "word"} and entry["word"] for entry in picture.get("key", ()))


@pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)
def test_every_link_of_a_recorded_run_leads_somewhere(path):
    trace = load_trace(path)
    for index in {0, len(trace.iterations) - 1}:
        payload = json.loads(json.dumps(iteration_payload(trace, index)))
        check_links(payload)
        judged = [record for record in payload["nodes"] if record["scene"]]
        assert bool(judged) == any(getattr(d, "node", -1) >= 0 or d.rule == "search" for d in decisions(trace, index))


def decisions(trace, index):
    return [d for d in trace.iterations[index].decisions if d.rule != "search" or d.drafted]


def test_a_node_leads_to_the_scene_that_judges_it():
    payload = iteration_payload(mtad_trace(), 0)
    record = payload["nodes"][3]
    assert (record["scene"], record["draft"], record["target"], record["row"]) == ("decision-2", "0.60", "0.02", 2)
    (judge,) = [scene for scene in payload["scenes"] if scene["key"] == record["scene"]]
    assert judge["formula"].startswith("log(0.02 / 0.60) = −3.40; sum so far 0.22 − 3.40 = −3.18")
    assert payload["nodes"][7]["scene"] is None and payload["nodes"][7]["formula"] == ""


def test_the_text_is_the_end_of_the_context_and_what_was_written():
    first, second = (iteration_payload(speculative_trace(), index)["text"] for index in (0, 1))
    assert first["context"] == ["<s>", "names", " the", "\n"]
    assert [(one["piece"], one["origin"], one["node"]) for one in first["emitted"]] == [
        (" SELECT", "accepted", 0),
        (" name", "resampled", None),
    ]
    assert second["context"] == [*first["context"], " SELECT", " name"]


def test_bars_know_their_node_at_its_own_prefix_alone():
    payload = iteration_payload(mtad_trace(), 0)
    (bars,) = pictures_of(payload)["probabilities-2"]["shapes"]
    linked = {row["label"]: row.get("node") for row in bars["rows"]}
    assert linked["·name"] == 3 and linked["\u2068שלום\u2069"] == 4  # the candidates after node 0
    assert set(linked.values()) <= {3, 4, None}


def test_order_of_the_phases():
    phases = [scene.phase for scene in scenes(mtad_trace(), 0)]
    assert phases == ["context", *["draft"] * 3, "target", *["verify"] * 3, "draw", "commit"]
    assert [scene.phase for scene in scenes(autoregressive_trace(), 0)] == ["context", "target", "draw", "commit"]


def test_a_coin_is_shown_only_where_one_was_flipped():
    chain, beams = scenes(speculative_trace(), 0), scenes(mtad_trace(), 0)
    assert [s.panels["decision"] for s in chain if s.phase == "verify"] == ["coin-1", "coin-2"]
    assert [s.panels["decision"] for s in beams if s.phase == "verify"] == ["staircase-1", "staircase-2", "staircase-3"]
    assert not [key for key in Told(mtad_trace(), 0).pictures if key.startswith("coin")]
    trace = speculative_trace()
    first = trace.iterations[0]
    greedy = tuple(replace(decision, uniform=None) for decision in first.decisions)
    certain = replace(trace, iterations=(replace(first, decisions=greedy),))
    assert "decision" not in next(s for s in scenes(certain, 0) if s.phase == "verify").panels


def test_the_story_of_a_rejection():
    told = {scene.key: scene for scene in scenes(speculative_trace(), 0)}
    rejected, draw, commit = told["decision-2"], told["draw"], told["commit"]
    assert rejected.title == "Token 2, “<img·src=x·onerror=alert(1)>”: rejected"
    assert rejected.sentence == (
        "The target gives “<img·src=x·onerror=alert(1)>” probability 0.15, the draft 0.60. So it is accepted with "
        "probability 0.25; the coin falls at 0.44, not below it: rejected. The coin fell above that: the token and all "
        "after it are dropped."
    )
    assert rejected.formula == "min(1, 0.15 / 0.60) = 0.25; coin 0.44 ≥ 0.25: reject"
    assert rejected.focus == 1
    assert draw.formula == "residual = (0.55 − 0.25) / 0.50 = 0.60; drawn with random number 0.52"
    assert draw.panels["probabilities"] == rejected.panels["probabilities"]
    assert commit.sentence == (
        "One target call gave “·SELECT” “·name”: 1 accepted, 1 resampled. The target's cache grew by 4 rows: 2 stay, 2 "
        "go, which makes 5; the last token has no row yet: the next target call reads it."
    )


def test_the_story_of_a_jump():
    told = {scene.key: scene for scene in scenes(mtad_trace(), 0)}
    assert "It fails, but that is no end" in told["decision-2"].sentence
    assert "Failing prefixes inside it are kept with it (length 2)." in told["decision-3"].sentence
    assert "6 drafted tokens of other beams are not sent." in told["target"].sentence


def test_words_hold_no_broken_token(payload):
    for text in strings([payload["scenes"], payload["pictures"], payload["stages"], payload["nodes"]]):
        assert "\ufffd" not in text and "\x00" not in text
    assert "\ufffd" in VOCABULARY.values()


def test_tokens_cut_by_the_length_limit():
    trace = speculative_trace()
    second = trace.iterations[1]
    nodes = second.forest.nodes
    cut_nodes = (nodes[0], nodes[1], replace(nodes[2], outcome="dropped"))
    cut = replace(second, emitted=second.emitted[:2], rows=7, forest=replace(second.forest, nodes=cut_nodes))
    told = {s.key: s for s in scenes(replace(trace, iterations=(trace.iterations[0], cut)), 1)}
    assert "2 tokens more would pass the end of the text." in told["commit"].sentence
    assert "2 stay, 2 go, which makes 7" in told["commit"].sentence
    assert told["commit"].panels["tree"] == "tree-commit"


def test_refusals():
    with pytest.raises(SpecvizError, match="0 to 2, got -1"):
        iteration_payload(speculative_trace(), -1)
    trace = speculative_trace()
    with pytest.raises(SpecvizError, match="record=False"):
        scenes(replace(trace, header=replace(trace.header, recorded=False)), 0)


def test_a_greedy_sequence_test_can_be_told():
    """Where target and draft share nothing, both curves of its picture are 0."""
    trace = load_trace(GALLERY[0].parents[1] / "openings" / "greedy" / "08-spectr.json")
    payloads = [iteration_payload(trace, index) for index in range(len(trace.iterations))]
    shapes = [shape for payload in payloads for one in pictures_of(payload).values() for shape in one["shapes"]]
    assert any(shape["kind"] == "chart" and shape["y"]["high"] == 1.08 for shape in shapes)
