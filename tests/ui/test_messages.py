"""What the page is told: about a recorded race, a running one, one that is refused, and about one iteration."""

import json
import threading
from dataclasses import replace

import pytest

from specviz.decoding.exact.own_parts import claim_holds
from specviz.decoding.registry.registry import methods
from specviz.decoding.run.loop import decode
from specviz.errors import ModelError, SpecvizError
from specviz.facts.tokens import END
from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM
from specviz.ui.pages.microscope import StepRequest, find_step, payload_of
from specviz.ui.pages.race import race_messages, recorded_view
from specviz.ui.serving.device import Device
from specviz.ui.serving.limits import MAX_WAITING_RUNS
from specviz.ui.serving.models import PairLoader
from specviz.ui.serving.runs import KeptRuns, recorded_run
from specviz.ui.settings import read
from specviz.views.drafts.node_records import text_strip
from specviz.views.race.race_view import guarantee_badge, lane_view
from specviz.views.story.scenes import iteration_payload
from tests.traces import autoregressive_trace, mtad_trace, speculative_trace

TRACES = autoregressive_trace(), speculative_trace(), mtad_trace()
NAMES = tuple(trace.header.method.name for trace in TRACES)
RECORDED = recorded_run(NAMES)
FORM = {
    "run": "f" * 32,
    "prompt": "abc",
    "lanes": [{"method": "autoregressive", "options": {}}, {"method": "mtad", "options": {"beams": 2}}],
    "shared": {},
    "max_new_tokens": 6,
    "seed": 0,
}


class Letters:
    """A tokenizer of five letters."""

    def __call__(self, text, **_):
        return {"input_ids": [ord(letter) % 5 for letter in text], "special_tokens_mask": [0] * len(text)}

    def decode(self, tokens, **_):
        return "".join("abcde"[token] for token in tokens)

    def get_vocab(self):
        return {letter: token for token, letter in enumerate("abcde")}


@pytest.fixture
def loader():
    pair = ModelPair(TableLM.random(5, 0), TableLM.random(5, 1), tokenizer=Letters())
    loader = PairLoader(lambda: pair).start()
    assert loader.wait(10)
    return loader


def test_a_recorded_race_says_what_its_traces_say():
    view = json.loads(json.dumps(recorded_view(KeptRuns(TRACES), RECORDED)))
    assert view["state"] == "recorded" and view["run"] == RECORDED and view["verdict"]
    for lane, trace in zip(view["lanes"], TRACES, strict=True):
        assert "".join(token[0] for token in lane["tokens"]) == trace.text
        assert lane["tokens"][-1][2] == len(trace.iterations) - 1 == lane["iterations"] - 1
        assert lane["clock"] == trace.iterations[-1].segments[-1].end
        assert lane["title"] == trace.header.method.title
    assert [lane["guarantee"]["exact"] for lane in view["lanes"]] == [True, True, False]


def test_recorded_lanes_may_be_any_methods_and_those_without_a_recording_are_empty():
    runs = KeptRuns(TRACES)
    view = recorded_view(runs, recorded_run(["mtad", "slim", "mtad"]))
    assert [lane and lane["method"] for lane in view["lanes"]] == ["mtad", None, "mtad"]
    assert runs.traces(view["run"]) == (TRACES[2], None, TRACES[2])
    nothing = recorded_view(runs, recorded_run(["slim", "slim"]))
    assert nothing["lanes"] == [None, None] and runs.traces(nothing["run"]) == ()


def test_a_race_is_told_until_it_is_finished_and_its_traces_are_kept(loader):
    runs = KeptRuns()
    messages = list(race_messages(loader, runs, Device(), FORM))
    assert [message["state"] for message in messages[-2:]][-1] == "finished"
    assert all(message["state"] == "running" for message in messages[:-1])
    assert [message["update"] for message in messages] == list(range(1, len(messages) + 1))
    assert [len(lane["tokens"]) for lane in messages[-1]["lanes"]] == [6, 6]
    assert [trace.text for trace in runs.traces(FORM["run"])] == [
        "".join(token[0] for token in lane["tokens"]) for lane in messages[-1]["lanes"]
    ]
    assert messages[-1]["verdict"] and not messages[0]["verdict"]


def test_a_stopped_race_ends_with_what_there_is(loader):
    runs = KeptRuns()
    messages = race_messages(loader, runs, Device(), FORM)
    next(messages)
    runs.stop(FORM["run"])
    rest = list(messages)
    assert rest[-1]["state"] == "stopped"
    assert sum(len(lane["tokens"]) for lane in rest[-1]["lanes"] if lane) < 12


def test_refusals_name_the_field_and_the_run(loader):
    (message,) = race_messages(loader, KeptRuns(), Device(), FORM | {"prompt": ""})
    assert message["kind"] == "refused" and message["field"] == "prompt" and message["form"] == FORM["run"]


MISFITS = [
    (("slim", {}), "lane-2-method", "Lane 2: slim needs a pair with prediction heads"),
    (("improved-mcsd", {"decision": "hidden"}), "lane-2-decision", "use decision=None"),
    (("specinfer", {"drafts": 2}), "lane-2-drafts", "2 draft models"),
    (("specinfer", {"k_config": "8,8,8,8"}), "lane-2-k_config", "at most 256 nodes"),
    (("speculative-beam", {"draft_beams": 1}), "lane-2-draft_beams", "at least beams"),
    (("custom", {"verifier": "token"}), "lane-2-verifier", "judges one chain"),
    (("custom", {"drafter": "dynamic-tree", "verifier": "kseq"}), "lane-2-verifier", "would not be fair"),
    (("custom", {"drafter": "heads-tree", "verifier": "greedy"}), "lane-2-method", "prediction heads"),
]


@pytest.mark.parametrize(("lane", "field", "said"), MISFITS, ids=str)
def test_a_lane_that_does_not_fit_is_refused_at_its_own_field(loader, lane, field, said):
    lanes = [FORM["lanes"][0], {"method": lane[0], "options": lane[1]}]
    (message,) = race_messages(loader, KeptRuns(), Device(), FORM | {"lanes": lanes})
    assert (message["kind"], message["field"]) == ("refused", field)
    assert message["message"].startswith("Lane 2: ") and said in message["message"]


def test_an_end_token_is_a_word_and_no_empty_piece(loader):
    pair = replace(loader.pair, end_tokens=frozenset({2}))
    traces = [decode(pair, "speculative", "abc", max_new_tokens=40, seed=seed) for seed in range(8)]
    trace = next(trace for trace in traces if trace.stop == "end")
    view = lane_view(trace, claim_holds, finished=True)
    assert [piece for piece, *_ in view["tokens"]].index(END) == len(view["tokens"]) - 1
    assert "".join(piece for piece, *_ in view["tokens"]) == trace.text + END
    assert text_strip(trace, len(trace.iterations) - 1)["emitted"][-1]["piece"] == END


def test_a_lane_of_beams_shows_what_is_not_settled_until_the_end(loader):
    shown = {True: 0, False: 0}
    for seed in range(8):
        trace = decode(loader.pair, "beam", "abc", max_new_tokens=8, seed=seed, beams=3)
        for count in range(1, len(trace.iterations) + 1):
            last = count == len(trace.iterations)
            part = replace(trace, iterations=trace.iterations[:count], stop=trace.stop if last else "stopped")
            view = lane_view(part, claim_holds, finished=last)
            best = max(part.iterations[-1].beams, key=lambda beam: beam.logprob)
            assert view["pending"] == ([] if last else [trace.vocabulary[token] for token in best.tokens])
            if not last:
                assert len(view["tokens"]) + len(view["pending"]) == count
            shown[last] += len(view["pending"])
        assert view["beams"] and len(view["tokens"]) == 8
    assert shown[True] == 0 < shown[False]
    lanes = [{"method": "beam", "options": {"beams": 3}}, FORM["lanes"][0]]
    messages = list(race_messages(loader, KeptRuns(), Device(), FORM | {"lanes": lanes}))
    assert not any(lane["pending"] for lane in messages[-1]["lanes"])


def test_every_guarantee_has_a_badge():
    badges = {name: guarantee_badge(method.record(method.resolve()), claim_holds) for name, method in methods().items()}
    assert all(badges[name]["exact"] == (method.guarantee != "lossy") for name, method in methods().items())
    assert {badges[name]["name"] for name in ("bpd", "medusa", "slim")} == {"always greedy, lossless"}
    assert "Whatever the temperature" in badges["slim"]["help"]
    for name, method in methods().items():
        assert (method.distance is not None) == ("total variation" in badges[name]["help"]), name
        assert method.distance is None or f"{method.distance:.2f}" in badges[name]["help"]
    assert badges["dsbd"]["name"] == badges["beam"]["name"] == "beam sampling, lossless"
    assert badges["speculative-beam"]["name"] == "beam search, lossless"


def test_a_defect_is_told_and_not_raised():
    loader = PairLoader(lambda: object()).start()
    loader._pair, _ = object(), loader.wait(10)
    (message,) = race_messages(loader, KeptRuns(), Device(), FORM)
    assert message["kind"] == "refused" and message["message"].startswith("The run failed")


def test_a_run_waits_for_the_models_and_can_be_stopped_while_it_waits():
    release = threading.Event()
    loader = PairLoader(lambda: release.wait(10)).start()
    runs, device = KeptRuns(), Device()
    messages = race_messages(loader, runs, device, FORM)
    first = next(messages)
    assert first["kind"] == "waiting" and first["queue_position"] == 0
    assert first["text"] == "The models are still loading; your race starts by itself …"
    runs.stop(FORM["run"])
    (last,) = messages
    assert last["kind"] == "refused" and last["message"].startswith("Stopped before") and len(device) == 0
    release.set()


def test_two_runs_take_turns_and_the_second_is_told_its_place(loader):
    runs, device = KeptRuns(), Device()
    first = race_messages(loader, runs, device, FORM)
    assert next(first)["kind"] == "race"
    second = race_messages(loader, runs, device, FORM | {"run": "a" * 32})
    told = next(second)
    assert (told["kind"], told["queue_position"], told["form"]) == ("waiting", 1, "a" * 32)
    assert told["text"] == "One person is before you; your race starts by itself …"
    assert list(first)[-1]["state"] == "finished"
    assert list(second)[-1]["state"] == "finished" and runs.traces("a" * 32) and len(device) == 0


def test_a_run_that_is_not_read_on_gives_the_device_back(loader):
    device = Device()
    messages = race_messages(loader, KeptRuns(), device, FORM)
    next(messages)
    assert len(device) == 1
    messages.close()
    assert len(device) == 0


def test_a_full_line_is_refused_politely(loader):
    device = Device()
    for _ in range(MAX_WAITING_RUNS + 1):
        device.ticket()
    (message,) = race_messages(loader, KeptRuns(), device, FORM)
    assert message["kind"] == "refused" and message["field"] == "form" and message["form"] == FORM["run"]
    assert f"{MAX_WAITING_RUNS} are waiting" in message["message"]


@pytest.mark.parametrize("change", [{"prompt": ""}, {"lanes": [FORM["lanes"][0], {"method": "slim", "options": {}}]}])
def test_a_refused_run_holds_nothing(loader, change):
    device = Device()
    assert [m["kind"] for m in race_messages(loader, KeptRuns(), device, FORM | change)] == ["refused"]
    assert len(device) == 0


def test_the_loader_says_how_it_went():
    def fail():
        raise ModelError("no such model")

    loader = PairLoader(fail)
    assert loader.status.state == "loading"
    assert loader.start().wait(10)
    assert loader.status.state == "failed" and "no such model" in loader.status.text
    with pytest.raises(SpecvizError, match="no such model"):
        _ = loader.pair


def test_an_iteration_is_found():
    request = {"run": RECORDED, "lane": 2, "iteration": 1}
    found = payload_of(find_step(KeptRuns(TRACES), read(StepRequest, request)))
    assert found | iteration_payload(TRACES[2], 1) == found


@pytest.mark.parametrize(
    "request_, said",
    [
        ({"run": "gone", "lane": 0, "iteration": 0}, "no longer kept"),
        ({"run": RECORDED, "lane": 3, "iteration": 0}, "no lane 4: this race has 3"),
        ({"run": RECORDED, "lane": True, "iteration": 0}, "A lane is asked for by its number"),
        ({"run": RECORDED, "lane": 0, "iteration": -1}, "An iteration is asked for by its number"),
        ({"run": RECORDED, "lane": 0, "iteration": 99}, "no iteration 100: this lane has"),
        ({"run": [RECORDED], "lane": 0, "iteration": 0}, "no longer kept"),
        ("x", "reload"),
    ],
)
def test_iterations_that_are_not_there_are_refused(request_, said):
    with pytest.raises(SpecvizError, match=said):
        find_step(KeptRuns(TRACES), read(StepRequest, request_))


def test_control_characters_pass_as_text_and_half_a_character_is_named(loader):
    messages = list(race_messages(loader, KeptRuns(), Device(), FORM | {"prompt": "a\u0000\u202e<img src=x>"}))
    assert messages[-1]["state"] == "finished"
    assert json.dumps(messages[-1]).isascii()
    (refused,) = race_messages(loader, KeptRuns(), Device(), FORM | {"prompt": "a\ud83d"})
    assert refused["kind"] == "refused" and "half a character" in json.dumps(refused)
