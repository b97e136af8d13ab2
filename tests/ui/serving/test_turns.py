"""Slices of long work: bounded, and the next one for whoever had none for longest."""

import asyncio
import inspect
from types import SimpleNamespace

import pytest

import specviz
from specviz.decoding.exact.judge import judging
from specviz.errors import SpecvizError, TooManyOutcomes
from specviz.ui import api
from specviz.ui.pages import forest
from specviz.ui.serving import turns
from specviz.ui.serving.device import Device
from specviz.ui.serving.limits import SLICE
from specviz.ui.serving.models import PairLoader
from specviz.ui.serving.runs import KeptRuns
from specviz.ui.serving.turns import DeviceTurns, Slices
from specviz.ui.settings import read
from tests.ui.test_messages import Letters


class Clock:
    """So much passes between two looks that the fourth step is the last of a slice."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        self.now += SLICE / 3.5
        return self.now


def steps(count, done):
    for number in range(count):
        done.append(number)
        yield
    return "over"


def test_a_slice_is_some_steps_and_all_of_them_are_bounded():
    done = []
    slices = Slices(steps(10, done), 1e9, Clock())
    assert slices.next() == [] and len(done) == 4
    while not (found := slices.next()):
        pass
    assert found == ["over"] and len(done) == 10
    endless = Slices(steps(10**9, done := []), 2 * SLICE, Clock())
    assert endless.next() == endless.next() == []
    with pytest.raises(TooManyOutcomes, match="Stopped after 0.2 s of computing"):
        endless.next()
    assert len(done) == 8


def test_addresses_have_slices_by_turns_whoever_asks_for_more():
    order = []

    async def scene():
        line = DeviceTurns()

        def work(name, slices):
            left = iter(range(slices))

            def one():
                order.append(name)
                return [] if next(left, None) is not None and slices > 1 and order.count(name) < slices else [name]

            return one

        heavy = [asyncio.create_task(line.finish("a", work(f"a{number}", 5))) for number in range(4)]
        await asyncio.sleep(0)
        light = asyncio.create_task(line.finish("b", work("b", 2)))
        heavy[3].cancel()
        found = await asyncio.gather(light, *heavy, return_exceptions=True)
        assert found[:4] == ["b", "a0", "a1", "a2"] and isinstance(found[4], asyncio.CancelledError)
        assert await line.finish("c", lambda: [1]) == 1 and not line._busy

    asyncio.run(scene())
    assert [at for at, name in enumerate(order) if name == "b"][-1] <= 4  # at most one slice of a before each of b's
    assert all(order.count(f"a{number}") == 5 for number in range(3)) and "a3" not in order


def test_what_goes_wrong_in_a_slice_is_raised_and_the_next_one_goes_on():
    async def scene():
        line = DeviceTurns()

        def fail():
            raise SpecvizError("no")

        with pytest.raises(SpecvizError, match="no"):
            await line.finish("a", fail)
        assert await line.finish("b", lambda: ["yes"]) == "yes"

    asyncio.run(scene())


PLAIN = {"drafts": 2, "gamma": 2, "top_k": None, "top_p": None}
ASKED = {"prompt": "abc", "drafter": "sequences", "verifiers": ["kseq"], "options": PLAIN, "seed": 0}


@pytest.fixture(scope="module")
def loader():
    tables = specviz.TableLM.random(5, 0), specviz.TableLM.random(5, 1)
    loader = PairLoader(lambda: specviz.ModelPair(*tables, tokenizer=Letters())).start()
    assert loader.wait(60)
    return loader


def told(loader, device):
    asked = read(api.JudgeRequest, ASKED)
    with device.ticket() as ticket:
        yield from api._messages(loader, ticket, lambda pair: api._judge(pair, asked, PLAIN))


def test_one_verdict_gives_the_device_back_between_two_outcomes(loader, monkeypatch):
    monkeypatch.setattr(turns, "SLICE", 0.0)  # a step each
    device = Device(together=4)
    *before, last = told(loader, device)
    scored = specviz.score_forest(loader.pair, "abc", "sequences", **PLAIN)
    outcomes = sum(1 for _ in judging(scored, "kseq", options={}))
    assert outcomes > 10 and [message["kind"] for message in before] == ["running"] * (outcomes + 2)
    assert device.slices == outcomes + 3
    wanted = specviz.judge(scored, "kseq").expected_accepted
    assert last["result"]["verdicts"][0]["expected_accepted"] == pytest.approx(wanted)


def test_one_verdict_ends_with_the_time_of_its_call(loader, monkeypatch):
    monkeypatch.setattr(turns, "SLICE", 0.0)
    with pytest.raises(SpecvizError, match="all a call gets here") as stopped:
        list(told(loader, Device(run_seconds=1e-9)))
    assert stopped.value.code == "stopped"


def test_a_forest_is_opened_while_verdicts_are_worked_out(loader, monkeypatch):
    asked = {}
    monkeypatch.setattr(forest, "island", lambda name, calls, **_: asked.update(calls) or SimpleNamespace(draft=None))
    monkeypatch.setattr(forest, "stream", lambda *_: None)
    forest.build_forest(loader, KeptRuns(), Device())
    assert {"open_forest", "race_of", "kept_draft"} < asked.keys()
    apart = {name for name, call in asked.items() if inspect.iscoroutinefunction(call)}
    assert apart == {"judge_forest", "compare_verdicts"}
