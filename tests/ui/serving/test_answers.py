"""Answers that are kept: sixty who ask for one step at the same moment get one answer, which is made once."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from specviz.errors import SpecvizError
from specviz.ui.island import answering
from specviz.ui.pages import microscope
from specviz.ui.serving.answers import answer_cache
from specviz.ui.serving.runs import KeptRuns
from tests.traces import mtad_trace, speculative_trace

FOLLOWERS = 60


def test_sixty_who_follow_get_one_answer(monkeypatch):
    made, slow = [], threading.Event()

    def payload(step):
        made.append(step.index)
        slow.wait(0.2)
        return {"iteration": step.index}

    monkeypatch.setattr(microscope, "payload_of", payload)
    iteration = answering(microscope.microscope_calls(KeptRuns((speculative_trace(),)))["iteration"])
    asked = {"run": "gallery:speculative", "lane": 0, "iteration": 0}
    with ThreadPoolExecutor(FOLLOWERS) as pool:
        answers = list(pool.map(iteration, [asked] * FOLLOWERS))
    assert made == [0] and {json.loads(answer)["iteration"] for answer in answers} == {0}
    assert json.loads(iteration(asked | {"iteration": 1}))["iteration"] == 1
    assert made == [0, 1]


def test_replays_are_told_apart_by_all_that_is_changed(monkeypatch):
    monkeypatch.setattr(microscope, "replay_of", lambda step, changes: [step.index, changes.coins, changes.options])
    replay = answering(microscope.microscope_calls(KeptRuns((speculative_trace(),)))["replay"])
    asked = {"run": "gallery:speculative", "lane": 0, "iteration": 0}
    changed = [{}, {"coins": {"1": 0.5}}, {"coins": {"2": 0.5}}, {"options": {"tau": 1}}, {"options": {"tau": True}}]
    said = [replay(asked | one) for one in changed + changed]
    assert len(set(said)) == len(changed) and said[: len(changed)] == said[len(changed) :]


def test_the_last_used_answers_stay_within_their_bytes():
    answer, trace = answer_cache(100), speculative_trace()
    made = []

    def ask(name, size=40):
        return answer(trace, name, lambda: (made.append(name), "x" * size)[1])

    for name in ("a", "b", "a", "c", "a", "b"):
        ask(name)
    assert made == ["a", "b", "c", "b"] and answer.cache.currsize == 80
    assert len(ask("huge", 200)) == 200 and answer.cache.currsize == 80  # handed out, but not kept


def test_another_trace_is_another_answer_and_an_error_is_not_remembered():
    answer, traces, turns = answer_cache(1000), (speculative_trace(), mtad_trace()), iter(range(9))
    assert [answer(trace, 0, lambda: str(next(turns))) for trace in (*traces, *traces)] == ["0", "1", "0", "1"]

    def fails():
        raise SpecvizError("no")

    for _ in range(2):
        with pytest.raises(SpecvizError, match="no"):
            answer(traces[0], 1, fails)
    assert answer(traces[0], 1, lambda: "yes") == "yes"
