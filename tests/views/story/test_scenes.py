"""The payload: small, complete, harmless, and its words carry the numbers."""

import json
from dataclasses import replace
from pathlib import Path

import plotly.graph_objects as go
import pytest

from specviz.errors import SpecvizError
from specviz.trace.store import load_trace
from specviz.views.story.scenes import drawings, iteration_payload, scenes
from tests.beam_traces import BEAM_TRACES
from tests.rule_traces import RULE_TRACES
from tests.traces import VOCABULARY, autoregressive_trace, mtad_trace, speculative_trace

GALLERY = sorted((Path(__file__).resolve().parents[3] / "assets" / "gallery").glob("*.json"))
PLAIN = {"autoregressive": autoregressive_trace, "speculative": speculative_trace, "mtad": mtad_trace}
TRACES = PLAIN | RULE_TRACES | BEAM_TRACES
CASES = [(name, index) for name, make in TRACES.items() for index in range(len(make().iterations))]
TAGS = (
    "<b>",
    "</b>",
    "<br>",
    "<sup>",
    "</sup>",
    "</span>",
    "<extra>",
    "</extra>",
)  # the markup that the views themselves write


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}-{case[1]}")
def payload(request):
    name, index = request.param
    return json.loads(json.dumps(iteration_payload(TRACES[name](), index)))


def strings(value):
    """All strings, but for ``meta``: that is for the scripts, which put its words into the page as text."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            if key != "meta":
                yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def test_every_panel_has_a_figure_and_a_text(payload):
    used = {key for scene in payload["scenes"] for key in scene["panels"].values()}
    assert used == set(payload["figures"]) == set(payload["texts"])
    assert all(payload["texts"].values())
    for scene in payload["scenes"]:
        assert set(scene["panels"]) <= {"tree", "mask", "probabilities", "decision"}
        assert scene["title"] and scene["sentence"]
    assert len({scene["key"] for scene in payload["scenes"]}) == len(payload["scenes"])


def test_figures_are_small_and_bare(payload):
    assert len(json.dumps(payload)) < 150_000
    assert {number for figure in payload["figures"].values() for number in figure["data"]} == set(
        range(len(payload["parts"]))
    )
    for figure in payload["figures"].values():
        assert set(figure) == {"data", "layout", "legend"}
        assert "template" not in figure["layout"]
        assert figure["layout"]["paper_bgcolor"] == "rgba(0,0,0,0)"
        assert 100 <= figure["layout"]["height"] <= 800


def test_no_token_reaches_plotly_as_markup(payload):
    for text in strings([payload["figures"], payload["parts"]]):
        bare = text
        for tag in TAGS:
            bare = bare.replace(tag, "")
        bare = bare.replace('<span style="color:#', "")
        assert "<" not in bare, text


def test_hostile_tokens_are_there_and_escaped():
    payload = iteration_payload(speculative_trace(), 0)
    figures = json.dumps([payload["figures"], payload["parts"]])
    assert "&lt;img" in figures
    assert "<img" not in figures


def test_focus_is_a_node(payload):
    numbers = {record["node"] for record in payload["nodes"]} | {-1, None}
    assert {scene["focus"] for scene in payload["scenes"]} <= numbers
    for record in payload["nodes"]:
        assert record["ancestors"][-1] < 0
        assert len(record["ancestors"]) == record["depth"]


def check_links(payload):
    """Every link between panels leads somewhere, and the numbers of a node are those of the figures."""
    keys = {scene["key"]: scene for scene in payload["scenes"]}
    numbers = {record["node"] for record in payload["nodes"]}
    roots = {record["node"] for record in payload["roots"]}
    assert roots and max(roots) == -1
    (mask,) = payload["figures"]["mask"]["data"]
    rows = len(payload["parts"][mask]["z"])
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
            assert record["formula"] == told or told == ""  # several tests without effect are told in one scene
    assert payload["mask_rows"] == rows
    for one in payload["text"]["emitted"]:
        assert one["node"] is None or one["node"] >= 0
        assert one["origin"] in ("accepted", "resampled", "bonus", "target")
    for part in payload["parts"]:
        if "meta" in part:
            assert len(part["meta"]["nodes"]) == len(part["x"]) == len(part["customdata"])
            tokens = {record["node"]: record["token"] for record in payload["nodes"]}
            for node, token in zip(part["meta"]["nodes"], part["customdata"], strict=True):
                assert node is None or node not in tokens or tokens[node] == token


def test_every_link_leads_somewhere(payload):
    check_links(payload)


def test_states_are_those_that_the_trees_show(payload):
    trees = {key for key in payload["figures"] if key.startswith("tree-")}
    assert set(payload["states"]) == trees
    for key in trees:
        parts = [payload["parts"][part] for part in payload["figures"][key]["data"]]
        shown = {node: part["name"] for part in parts for node in part.get("customdata", ()) if node is not None}
        states = [None if state is None else payload["outcomes"][state] for state in payload["states"][key]]
        assert states == [shown.get(record["node"]) for record in payload["nodes"]]


def test_legends_are_data_and_no_part_of_the_drawing(payload):
    for key, figure in payload["figures"].items():
        legend = figure["legend"]
        assert (legend["entries"] or legend["notes"]) and legend["lines"] > 0
        assert all(set(entry) == {"color", "glyph", "word"} and entry["word"] for entry in legend["entries"])
        assert not [note for note in figure["layout"]["annotations"] if note.get("name")]
        if key == "tree-commit":
            shown = {payload["outcomes"][state] for state in payload["states"][key] if state is not None}
            assert shown <= {one["word"] for one in legend["entries"]}


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


def test_a_node_carries_the_formula_of_its_judge():
    payload = iteration_payload(mtad_trace(), 0)
    record = payload["nodes"][3]
    assert (record["scene"], record["draft"], record["target"], record["row"]) == ("decision-2", "0.60", "0.02", 2)
    assert record["formula"].startswith("log(0.02 / 0.60) = −3.40; sum so far 0.22 − 3.40 = −3.18")
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
    for number in payload["figures"]["probabilities-2"]["data"]:
        part = payload["parts"][number]
        linked = dict(zip(part["customdata"], part["meta"]["nodes"], strict=True))
        assert linked[3] == 3 and linked[6] == 4  # the candidates after node 0
        assert set(linked.values()) <= {3, 4, None}


def test_plain_figures_are_valid_plotly_figures(payload):
    for figure in payload["figures"].values():
        go.Figure(data=[payload["parts"][number] for number in figure["data"]], layout=figure["layout"])


def test_order_of_the_phases():
    phases = [scene.phase for scene in scenes(mtad_trace(), 0)]
    assert phases == ["context", *["draft"] * 3, "target", *["verify"] * 3, "draw", "commit"]
    assert [scene.phase for scene in scenes(autoregressive_trace(), 0)] == ["context", "target", "draw", "commit"]


def test_a_coin_is_shown_only_where_one_was_flipped():
    chain, beams = scenes(speculative_trace(), 0), scenes(mtad_trace(), 0)
    assert [s.panels["decision"] for s in chain if s.phase == "verify"] == ["coin-1", "coin-2"]
    assert [s.panels["decision"] for s in beams if s.phase == "verify"] == ["staircase-1", "staircase-2", "staircase-3"]
    assert not [key for key in drawings(mtad_trace(), 0) if key.startswith("coin")]
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
    for text in strings([payload["scenes"], payload["texts"], payload["nodes"]]):
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
