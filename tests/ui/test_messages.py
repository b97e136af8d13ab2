"""What the page is told: about a recorded race, a running one, one that is refused, and about one iteration."""

import json
import threading

import pytest

from specviz.errors import ModelError, SpecvizError
from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM
from specviz.ui.limits import MAX_KEPT_RUNS
from specviz.ui.microscope import find_payload
from specviz.ui.models import PairLoader
from specviz.ui.race import race_messages, recorded_view
from specviz.ui.runs import GALLERY, Runs
from specviz.views.scenes import iteration_payload
from tests.traces import autoregressive_trace, mtad_trace, speculative_trace

TRACES = autoregressive_trace(), speculative_trace(), mtad_trace()
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
        return {"input_ids": [ord(letter) % 5 for letter in text]}

    def decode(self, tokens, **_):
        return "".join("abcde"[token] for token in tokens)


@pytest.fixture
def loader():
    pair = ModelPair(TableLM.random(5, 0), TableLM.random(5, 1), tokenizer=Letters())
    loader = PairLoader(lambda: pair).start()
    assert loader.wait(10)
    return loader


def test_a_recorded_race_says_what_its_traces_say():
    view = json.loads(json.dumps(recorded_view(TRACES)))
    assert view["state"] == "recorded" and view["run"] == GALLERY and view["verdict"]
    for lane, trace in zip(view["lanes"], TRACES, strict=True):
        assert "".join(token[0] for token in lane["tokens"]) == trace.text
        assert lane["tokens"][-1][2] == len(trace.iterations) - 1 == lane["iterations"] - 1
        assert lane["clock"] == trace.iterations[-1].segments[-1].end
        assert lane["title"] == trace.header.method.title
    assert [lane["law"]["exact"] for lane in view["lanes"]] == [True, True, False]


def test_a_race_is_told_until_it_is_finished_and_its_traces_are_kept(loader):
    runs = Runs()
    messages = list(race_messages(loader, runs, FORM))
    assert [message["state"] for message in messages[-2:]][-1] == "finished"
    assert all(message["state"] == "running" for message in messages[:-1])
    assert [len(lane["tokens"]) for lane in messages[-1]["lanes"]] == [6, 6]
    assert [trace.text for trace in runs.traces(FORM["run"])] == [
        "".join(token[0] for token in lane["tokens"]) for lane in messages[-1]["lanes"]
    ]
    assert messages[-1]["verdict"] and not messages[0]["verdict"]


def test_a_stopped_race_ends_with_what_there_is(loader):
    runs = Runs()
    messages = race_messages(loader, runs, FORM)
    next(messages)
    runs.stop(FORM["run"])
    rest = list(messages)
    assert rest[-1]["state"] == "stopped"
    assert sum(len(lane["tokens"]) for lane in rest[-1]["lanes"] if lane) < 12


def test_refusals_name_the_field_and_the_run(loader):
    (message,) = race_messages(loader, Runs(), FORM | {"prompt": ""})
    assert message["kind"] == "refused" and message["field"] == "prompt" and message["form"] == FORM["run"]


def test_a_defect_is_told_and_not_raised():
    loader = PairLoader(lambda: object()).start()
    loader._pair, _ = object(), loader.wait(10)
    (message,) = race_messages(loader, Runs(), FORM)
    assert message["kind"] == "refused" and message["message"].startswith("The run failed")


def test_a_run_waits_for_the_models_and_can_be_stopped_while_it_waits():
    release = threading.Event()
    loader = PairLoader(lambda: release.wait(10)).start()
    runs = Runs()
    messages = race_messages(loader, runs, FORM)
    assert next(messages)["kind"] == "waiting"
    runs.stop(FORM["run"])
    assert [message["kind"] for message in messages] == ["refused"]
    release.set()


def test_the_loader_says_how_it_went():
    def fail():
        raise ModelError("no such model")

    loader = PairLoader(fail)
    assert loader.status.state == "loading"
    assert loader.start().wait(10)
    assert loader.status.state == "failed" and "no such model" in loader.status.text
    with pytest.raises(SpecvizError, match="no such model"):
        _ = loader.pair


def test_runs_are_forgotten_oldest_first_but_the_recorded_one_stays():
    runs = Runs(TRACES)
    for number in range(MAX_KEPT_RUNS + 1):
        runs.keep(str(number), TRACES[:1])
    assert runs.traces("0") == () and runs.traces("1") == TRACES[:1]
    assert runs.traces(GALLERY) == TRACES


def test_an_iteration_is_found():
    request = {"run": GALLERY, "lane": 2, "iteration": 1, "dark": True}
    assert find_payload(Runs(TRACES), request) == iteration_payload(TRACES[2], 1, dark=True)


@pytest.mark.parametrize(
    "request_, said",
    [
        ({"run": "gone", "lane": 0, "iteration": 0}, "no longer kept"),
        ({"run": GALLERY, "lane": 3, "iteration": 0}, "lane must be"),
        ({"run": GALLERY, "lane": True, "iteration": 0}, "lane must be"),
        ({"run": GALLERY, "lane": 0, "iteration": -1}, "iteration must be"),
        ({"run": GALLERY, "lane": 0, "iteration": 99}, "iteration must be"),
        ({"run": [GALLERY], "lane": 0, "iteration": 0}, "no longer kept"),
        ("x", "reload"),
    ],
)
def test_iterations_that_are_not_there_are_refused(request_, said):
    with pytest.raises(SpecvizError, match=said):
        find_payload(Runs(TRACES), request_)


def test_half_characters_and_control_characters_pass_as_text(loader):
    messages = list(race_messages(loader, Runs(), FORM | {"prompt": "a\ud83d\u0000\u202e<img src=x>"}))
    assert messages[-1]["state"] == "finished"
    assert json.dumps(messages[-1]).isascii()
