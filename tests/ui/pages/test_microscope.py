"""What the Microscope is told: steps, steps judged again, files to save; and the refusal of everything else by name."""

import json
import math
import re
from base64 import b64decode
from dataclasses import replace as changed
from xml.etree import ElementTree

import pytest

from specviz.decoding.replay.judge_again import changeable, replay
from specviz.decoding.run.loop import decode
from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM
from specviz.trace.store import save_trace, trace_from_json
from specviz.ui.island import answering
from specviz.ui.pages import saving
from specviz.ui.pages.microscope import microscope_calls
from specviz.ui.serving.runs import KeptRuns
from specviz.views.story.scenes import Told, iteration_payload
from tests.saved_file import held
from tests.traces import autoregressive_trace, mtad_trace, speculative_trace

RUN = "ab" * 16
WARP = {"temperature": 1.0, "top_k": None, "top_p": None}
HUGE = 10**400


class Letters:
    """A tokenizer of six letters."""

    def __call__(self, text, **_):
        return {"input_ids": [ord(letter) % 6 for letter in text], "special_tokens_mask": [0] * len(text)}

    def decode(self, tokens, **_):
        return "".join("abcdef"[token] for token in tokens)

    def get_vocab(self):
        return {letter: token for token, letter in enumerate("abcdef")}


@pytest.fixture(scope="module")
def lived():
    """Real runs, with all that a replay needs: speculative, mtad, autoregressive, dsbd."""
    pair = ModelPair(TableLM.random(6, 0), TableLM.random(6, 1), tokenizer=Letters())
    made = {"beams": 3, "gamma": 3, "tau": 0.5}
    return (
        decode(pair, "speculative", "abc", max_new_tokens=12, seed=3, gamma=3, **WARP),
        decode(pair, "mtad", "abc", max_new_tokens=12, seed=3, **made, **WARP),
        decode(pair, "autoregressive", "abc", max_new_tokens=3, seed=3, **WARP),
        decode(pair, "dsbd", "abc", max_new_tokens=6, seed=3, gamma=2, draft_beams=3, **WARP),
    )


@pytest.fixture(scope="module")
def call(lived):
    """``call(name, **request)``: what the browser gets; lanes of RUN are those of ``lived``."""
    runs = KeptRuns((autoregressive_trace(), speculative_trace(), mtad_trace()))
    runs.keep(RUN, (*lived, None))
    calls = {name: answering(call) for name, call in microscope_calls(runs).items()}
    return lambda name, **request: json.loads(calls[name]({"run": RUN, "lane": 0, "iteration": 0} | request))


def first_coin(trace, index=0):
    return changeable(trace, index)["coins"][0]


def flipped(coin, trace, index=0):
    """A number that turns the decision of this coin around."""
    decision = trace.iterations[index].decisions[coin["decision"] - 1]
    return 0.0 if not decision.accepted else (1 + decision.acceptance_probability) / 2


NOT_THERE = [
    ({"run": "cd" * 16}, "no longer kept"),
    ({"run": 7}, "no longer kept"),
    ({"run": None}, "no longer kept"),
    ({"run": "gallery:nothing"}, "no longer kept"),
    ({"run": "pick:x.y+"}, "no longer kept"),
    ({"lane": 5}, "lane"),
    ({"lane": -1}, "lane"),
    ({"lane": True}, "lane"),
    ({"lane": 0.5}, "lane"),
    ({"lane": "0"}, "lane"),
    ({"lane": [0]}, "lane"),
    ({"lane": HUGE}, "lane"),
    ({"lane": 4}, "Lane 5 has not written"),
    ({"iteration": 99}, "iteration"),
    ({"iteration": -1}, "iteration"),
    ({"iteration": None}, "iteration"),
    ({"iteration": "0"}, "iteration"),
    ({"iteration": {"a": 1}}, "iteration"),
]


@pytest.mark.parametrize(
    "name, wrong, named",
    [
        (name, *case)
        for name in ("iteration", "replay", "step", "figure", "trace")
        for case in NOT_THERE
        if name != "trace" or "iteration" not in case[0]  # a lane's trace has none
    ],
)
def test_what_is_not_there_is_refused_by_name(call, name, wrong, named):
    answer = call(name, **wrong)
    assert set(answer) == {"error", "code"} and named in answer["error"] and len(answer["error"]) < 300


@pytest.mark.parametrize("request_", [None, [], "run", 3, {}, {"run": RUN}])
def test_a_request_that_is_none_is_refused(lived, request_):
    runs = KeptRuns()
    runs.keep(RUN, lived)
    for ask in microscope_calls(runs).values():
        assert set(json.loads(answering(ask)(request_))) == {"error", "code"}


def test_an_iteration_comes_with_what_can_be_changed(call, lived):
    for lane, trace in enumerate(lived):
        answer = call("iteration", lane=lane)
        known, there = answer.pop("changeable"), answer.pop("places")
        assert [place["at"] for place in there] == ([] if lane == 3 else [*range(len(trace.iterations[0].emitted))])
        assert answer == json.loads(json.dumps(iteration_payload(trace, 0)))
        wanted = changeable(trace, 0)
        assert [one["decision"] for one in known["coins"]] == [one["decision"] for one in wanted["coins"]]
        assert [one["name"] for one in known["options"]] == [one["name"] for one in wanted["options"]]
        assert all(one["label"] for one in known["options"])
        assert known["reason"] == wanted["reason"]
    assert "error" in call("iteration", dark=True)  # one payload for light and dark pages


def test_what_can_be_changed_is_named_in_few_words(lived):
    for trace in lived:
        known = changeable(changed(trace, vocabulary=dict.fromkeys(trace.vocabulary, "ab" * 5000)), 0)
        assert all(len(coin["label"]) < 200 for coin in known["coins"])


def test_another_coin_gives_another_verdict_and_says_so(call, lived):
    coin = first_coin(lived[0])
    draw = flipped(coin, lived[0])
    answer = call("replay", coins={str(coin["decision"]): draw})
    again = replay(lived[0], 0, coins={coin["decision"]: draw})
    assert answer["payload"] == json.loads(json.dumps(iteration_payload(again, 0)))
    first, second = lived[0].iterations[0].decisions[0], again.iterations[0].decisions[0]
    assert first.accepted is not second.accepted
    assert answer["recorded"] == [[[one.piece, one.origin] for one in lived[0].iterations[0].emitted]]
    assert answer["now"] == [[[one.piece, one.origin] for one in again.iterations[0].emitted]]
    assert coin["label"].partition(":")[0] in answer["said"] and "instead of" in answer["said"]
    counts = [len(one.iterations[0].emitted) for one in (lived[0], again)]
    assert re.findall(r"(\d+) tokens?", answer["said"].split("Recorded:")[1]) == [str(count) for count in counts]
    assert [one["decision"] for one in answer["coins"]] == [one["decision"] for one in changeable(again, 0)["coins"]]


def test_another_threshold_gives_another_verdict_and_says_so(call, lived):
    index, again = next(
        (index, again)
        for index in range(len(lived[1].iterations))
        if (again := replay(lived[1], index, tau=0.0)).iterations[index].accepted != lived[1].iterations[index].accepted
    )
    answer = call("replay", lane=1, iteration=index, options={"tau": 0.0})
    assert "Threshold τ 0 instead of 0.50" in answer["said"]
    assert len(answer["now"][0]) == len(again.iterations[index].emitted) > len(answer["recorded"][0])


def test_beams_are_told_as_beams(call, lived):
    options = changeable(lived[3], 0)["options"]
    name = options[0]["name"]
    answer = call("replay", lane=3, options={name: options[0]["value"]})
    beams = lived[3].iterations[0].beams
    assert answer["recorded"] == answer["now"] and len(answer["recorded"]) == len(beams)
    assert f"{len(beams)} beam" in answer["said"]


def test_at_every_token_the_targets_likeliest_are_named(call, lived):
    trace = lived[0]
    for index, iteration in enumerate(trace.iterations):
        prefix = -1
        for place, emitted in zip(call("iteration", iteration=index)["places"], iteration.emitted, strict=True):
            target = iteration.forest.target[prefix]
            logprobs = sorted((target.logprob(token) for token in target.tokens.tolist()), reverse=True)
            assert [prob for *_, prob in place["likeliest"]] == pytest.approx([math.exp(one) for one in logprobs])
            assert [token for token, *_ in place["likeliest"]][0] == target.best
            prefix = emitted.node


def test_nothing_changed_is_the_record(call, lived):
    coin = first_coin(lived[0])
    answer = call("replay", coins={str(coin["decision"]): coin["uniform"]})
    payload = call("iteration")
    del payload["changeable"], payload["places"]
    assert answer["payload"] == payload


@pytest.mark.parametrize(
    "wrong, named",
    [
        ({"coins": []}, "coins"),
        ({"coins": "1"}, "coins"),
        ({"coins": {"1": 1.5}}, "The coin of token 1, “"),
        ({"coins": {"1": -0.1}}, "The coin of token 1, “"),
        ({"coins": {"1": HUGE}}, "The coin of token 1, “"),
        ({"coins": {"1": None}}, "The coin of token 1, “"),
        ({"coins": {"1": True}}, "The coin of token 1, “"),
        ({"coins": {"1": "0.5"}}, "The coin of token 1, “"),
        ({"coins": {"1": [0.5]}}, "The coin of token 1, “"),
        ({"coins": {"0": 0.5}}, "from 1"),
        ({"coins": {"-1": 0.5}}, "from 1"),
        ({"coins": {"½": 0.5}}, "from 1"),
        ({"coins": {"1e9": 0.5}}, "from 1"),
        ({"coins": {"99": 0.5}}, "99"),
        ({"coins": {str(n): 0.5 for n in range(1, 200)}}, "coins"),
        ({"options": []}, "options"),
        ({"options": {"lenience": 2.0}}, "lenience"),
        ({"options": {"lenience": "much"}}, "lenience"),
        ({"options": {"lenience": {"a": 1}}}, "lenience"),
        ({"options": {"lenience": [0.5]}}, "lenience"),
        ({"options": {"temperature": -1}}, "temperature"),
        ({"options": {"temperature": 1e308}}, "temperature"),
        ({"options": {"top_k": -1}}, "top_k"),
        ({"options": {"tau": 0.1}}, "tau"),
        ({"options": {"gamma": 2}}, "gamma"),
        ({"options": {"coins": 2}}, "coins"),
        ({"options": {"trace": 1}}, "trace"),
        ({"options": {"index": 1}}, "index"),
        ({"options": {"__class__": 1}}, "__class__"),
        ({"options": {"x" * 5000: 1}}, "xxx"),
        ({"options": {"lenience": "x" * 5000}}, "lenience"),
    ],
)
def test_a_change_that_cannot_be_is_refused_by_name(call, wrong, named):
    for name, more in (("replay", {}), ("figure", {"figure": "mask", "format": "svg"})):
        answer = call(name, **wrong, **more)
        assert set(answer) == {"error", "code"} and named in answer["error"] and len(answer["error"]) < 600


def test_not_a_number_is_refused(call):
    assert "The coin of token 1, “" in call("replay", coins={"1": float("nan")})["error"]
    assert "lenience" in call("replay", options={"lenience": float("inf")})["error"]


def test_a_record_that_is_not_complete_says_what_is_missing(call):
    """The hand-made traces do not hold the distributions that a replay needs."""
    known = call("iteration", run="gallery:speculative")["changeable"]
    assert known["reason"] or known["coins"]
    answer = call("replay", run="gallery:speculative", options={"temperature": 0.5})
    assert set(answer) == {"error", "code"} and "record" in answer["error"]


def test_a_lane_without_drafts_says_why_nothing_can_be_changed(call):
    known = call("iteration", lane=2)["changeable"]
    assert known["coins"] or known["options"] or known["reason"]


def test_a_step_is_one_file_that_asks_for_nothing(call):
    answer = call("step", iteration=1, scene="commit")
    assert answer["name"] == "specviz-speculative-iteration-2.html"
    text = answer["text"]
    data = held(text)["data"]
    payload = call("iteration", iteration=1)
    del payload["changeable"], payload["places"]
    assert data["payloads"] == [payload]
    assert data["at"] == "commit" and "Speculative decoding, iteration 2" in data["title"]
    assert "default-src 'none'" in text
    assert json.loads(json.dumps(call("step", scene={"a": 1})))["name"]  # an unknown scene: from the beginning


def test_hostile_tokens_stay_inside_the_data(call):
    text = call("step", run="gallery:speculative")["text"]
    assert "<img" in json.dumps(held(text)) and "<img" not in text
    assert call("iteration", run="gallery:speculative")["scenes"]


def test_a_trace_is_exactly_what_is_saved(call, lived, tmp_path):
    answer = call("trace", lane=1)
    save_trace(lived[1], tmp_path / "saved.json")
    assert answer == {"name": "specviz-mtad.json", "text": (tmp_path / "saved.json").read_text(encoding="utf-8")}
    assert trace_from_json(answer["text"]) == lived[1]


@pytest.mark.full
def test_figures_are_drawn_as_files(call, lived):
    told = Told(lived[0], 0)
    for key in (next(iter(told.pictures)), told.stages[-1]):
        answer = call("figure", figure=key, format="pdf", scene="target")
        assert answer["name"] == f"specviz-speculative-iteration-1-{key}.pdf"
        assert b64decode(answer["base64"]).startswith(b"%PDF")
    answer = call("figure", figure="mask", format="svg", scene="target", dark=True)
    said = "".join(ElementTree.fromstring(b64decode(answer["base64"])).itertext())
    assert "Speculative decoding, iteration 1: " in said and "replayed" not in said


def test_a_replayed_figure_says_that_it_is(call, lived):
    coin = first_coin(lived[0])
    answer = call("figure", figure="mask", format="svg", coins={str(coin["decision"]): flipped(coin, lived[0])})
    assert "replayed" in "".join(ElementTree.fromstring(b64decode(answer["base64"])).itertext())


@pytest.mark.parametrize(
    "wrong, named",
    [
        ({"figure": "nothing"}, "figure must be one of"),
        ({"figure": None}, "figure must be one of"),
        ({"figure": ["mask"]}, "figure must be one of"),
        ({"figure": "../../etc/passwd"}, "figure must be one of"),
        ({"format": "html"}, "format must be one of"),
        ({"format": None}, "format must be one of"),
        ({"format": ["pdf"]}, "format must be one of"),
        ({"format": "pdf\x00"}, "format must be one of"),
    ],
)
def test_a_figure_that_cannot_be_is_refused_by_name(call, wrong, named):
    answer = call("figure", **({"figure": "mask", "format": "pdf"} | wrong))
    assert set(answer) == {"error", "code"} and named in answer["error"]


def test_what_is_too_large_is_refused(call, monkeypatch):
    monkeypatch.setattr(saving, "MAX_SAVED_BYTES", 1000)
    for name in ("trace", "step"):
        error = call(name)["error"]
        assert "at most" in error and "specviz-speculative" in error


def test_names_of_files_are_plain(lived):
    method = changed(lived[0].header.method, name="../<Evil> name\n" + "x" * 99)
    trace = changed(lived[0], header=changed(lived[0].header, method=method))
    assert re.fullmatch(r"specviz-evil-name-x{10,40}-iteration-4", saving.file_stem(trace, 3))
