"""Calls of the browser: a crowd at one of them stops nobody else, and none of them can leave the browser unanswered."""

import asyncio
import json
import re
import threading

import anyio
import gradio as gr
import httpx
import pytest

from specviz.ui.island import AT_ONCE, calls_of, island
from specviz.ui.serving.models import PairLoader
from tests.browser.conftest import served
from tests.traces import autoregressive_trace, mtad_trace, speculative_trace


def test_a_crowd_at_one_call_takes_no_threads_from_others():
    release, inside = threading.Event(), []

    def slow(request):
        inside.append(request)
        release.wait(20)
        return request

    def quick(request):
        return request

    with gr.Blocks() as page:
        island("race", calls={"slow": slow, "quick": quick})
    calls = calls_of(page)

    async def crowd():
        waiting = [asyncio.create_task(calls["race/slow"](number)) for number in range(100)]
        try:
            with anyio.fail_after(10):
                while len(inside) < AT_ONCE:
                    await asyncio.sleep(0.01)
                assert await calls["race/quick"]("me") == "me"
                assert await anyio.to_thread.run_sync(lambda: "a race") == "a race"
            assert len(inside) == AT_ONCE
        finally:
            release.set()
        assert await asyncio.gather(*waiting) == [str(number) for number in range(100)]

    asyncio.run(crowd())


def test_a_call_that_fails_says_so(caplog):
    def broken(request):
        raise KeyError("7 is not in the vocabulary")

    with gr.Blocks() as page:
        island("race", calls={"broken": broken})
    answer = json.loads(asyncio.run(calls_of(page)["race/broken"]({})))
    assert answer["error"].startswith("This cannot be shown: KeyError") and "7 is not" in answer["error"]
    assert "the call broken failed" in caplog.text


@pytest.fixture(scope="module")
def site():
    with served(PairLoader(dict), (autoregressive_trace(), speculative_trace(), mtad_trace())) as url:
        yield url


STEP = {"run": "gallery:speculative", "lane": 0, "iteration": 0, "step": 0}
SOURCE = {"source": STEP, "verifier": "token", "options": {"lenience": 0.5}, "seed": 1, "pair": [{"verifier": "token"}]}
LIBRARY = {"lanes": [["gallery:mtad", 0]], "screen": {"view": "race"}, "run": "gallery:mtad", "key": "dials"}
REQUEST = (
    STEP | SOURCE | LIBRARY | {"coins": {"1": 0.5}, "name": "coin", "runs": [], "methods": ["mtad"], "figure": "x"}
)
PAST_END = f"pick:gallery:mtad.{'9' * 5000}"
GARBAGE = (10**400, "\ud800", PAST_END, [[]], {"__proto__": []})
LARGE = ("step", "lesson_file")  # their answers are whole HTML files


def paths(value, path=()):
    yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from paths(part, (*path, key))


def put(value, path, new):
    if not path:
        return new
    changed = value.copy()
    changed[path[0]] = put(value[path[0]], path[1:], new)
    return changed


@pytest.mark.full
def test_garbage_in_any_call_is_answered_and_no_defect(site, caplog):
    said = httpx.get(f"{site}config").text
    listed = re.findall(r"specviz\.server\('(\w+)', \[([^]]+)\]\)", said)
    calls = [f"{island}/{name}" for island, names in listed for name in re.findall(r"\w+", names) if name not in LARGE]
    assert len(calls) > 15
    kind = {"content-type": "application/json"}
    with httpx.Client(base_url=site, timeout=60, headers=kind) as client:
        for call in calls:
            for path in paths(REQUEST):
                for new in GARBAGE:
                    answer = client.post(f"specviz/{call}", content=json.dumps(put(REQUEST, path, new)))
                    told = (call, path, str(new)[:40])
                    assert answer.status_code in (200, 400), told  # 400: the door's, in a sentence
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []
