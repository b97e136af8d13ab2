"""What is kept of runs: by bytes and fairly, on disk across kills, made again when gone; what nobody fetches."""

import asyncio
import multiprocessing
import random
import threading
import time
from collections import OrderedDict, defaultdict
from contextlib import suppress
from types import SimpleNamespace

import pytest

from specviz.errors import SpecvizError
from specviz.ui.page import build_page
from specviz.ui.pages.race import found_view, made_again, race_messages
from specviz.ui.serving import audience, guard
from specviz.ui.serving import runs as module
from specviz.ui.serving.audience import CALLER, FETCHED_WITHIN, Unfetched
from specviz.ui.serving.device import Busy, Device, Visitor
from specviz.ui.serving.runs import KeptRuns, existing, pack
from specviz.ui.serving.server import build_server
from specviz.ui.serving.store import Store
from specviz.ui.settings import read_settings
from tests.browser.conftest import running
from tests.hostile.writer import write
from tests.traces import autoregressive_trace, mtad_trace, speculative_trace

A, S, M = autoregressive_trace(), speculative_trace(), mtad_trace()
LANE = {"method": "speculative", "options": {}}
FORM = {"run": "cd" * 16, "prompt": "abc", "lanes": [LANE, LANE], "shared": {}, "max_new_tokens": 6, "seed": 1}


def run(number) -> str:
    return f"{number:032x}"


def fill(runs, owners):
    for number, owner in enumerate(owners):
        runs.claim(run(number), None, Visitor(*owner))
        runs.keep(run(number), (M,))
    return [bool(runs.traces(run(number))) for number in range(len(owners))]


def test_who_keeps_much_loses_their_own_runs_first(monkeypatch):
    monkeypatch.setattr(module, "MAX_VISITORS_BYTES", 2 * len(pack((M,))))
    assert fill(KeptRuns(), [("a", "1"), ("b", "2"), ("b", "2"), ("b", "2")]) == [True, False, True, True]
    monkeypatch.setattr(module, "MAX_KEPT_BYTES", 3 * len(pack((M,))))
    assert fill(KeptRuns(), [("a", "1"), ("b", "2"), ("b", "3"), ("b", "4")]) == [True, False, True, True]


@pytest.mark.parametrize("wrong", ["", "a" * 31, "A" * 32, "a" * 32 + "\n", "../" + "a" * 29, "gallery:mtad", "g" * 32])
def test_an_id_is_32_hex_digits_and_nothing_else(wrong):
    runs = KeptRuns()
    with pytest.raises(SpecvizError, match="valid id"):
        runs.claim(wrong, None)
    runs.stop(wrong)
    assert not runs.is_stopped(wrong)
    assert race_refused(FORM | {"run": wrong})


def race_refused(form, runs=None) -> bool:
    from specviz.ui.serving.models import PairLoader

    (told,) = race_messages(PairLoader(lambda: None), runs or KeptRuns(), Device(), form)
    return told["kind"] == "refused"


def test_nobody_replaces_the_run_that_a_link_shows(loader, tmp_path):
    runs = KeptRuns(store=Store(tmp_path))
    *_, last = race_messages(loader, runs, Device(), FORM)
    assert last["state"] == "finished" and race_refused(FORM, runs)
    assert race_refused(FORM, KeptRuns(store=Store(tmp_path)))  # after a restart, too


def test_a_run_that_is_gone_is_made_again_without_a_word(loader):
    runs, device = KeptRuns(), Device()
    runs.again = lambda settings: made_again(loader, device, settings)
    list(race_messages(loader, runs, device, FORM))
    texts = [trace.tokens for trace in runs.traces(FORM["run"])]
    runs._races.own = 0
    runs.keep(run(1), (A,))
    assert runs.traces(FORM["run"]) == ()
    assert runs.trace(FORM["run"], 1).tokens == texts[1] and len(device) == 0
    assert [trace.tokens for trace in runs.traces(FORM["run"])] == texts
    with pytest.raises(SpecvizError, match="no longer kept"):
        runs.trace(run(99), 0)


def test_looking_at_a_run_that_never_began_does_not_run_it():
    """It still waits, was refused, or was stopped while it waited."""
    runs = KeptRuns()
    runs.again = lambda settings: pytest.fail("it was run")
    runs.claim(FORM["run"], read_settings(FORM), Visitor("a"))
    runs.stop(FORM["run"])
    for lane in (0, 1):
        with pytest.raises(SpecvizError, match=f"Lane {lane + 1} has not written anything yet"):
            runs.trace(FORM["run"], lane)
    assert not existing(runs.traces_again(FORM["run"])) and not runs.traces(FORM["run"])


def test_whoever_has_runs_made_again_has_so_many_places_in_the_queue(loader, monkeypatch):
    monkeypatch.setattr("specviz.ui.serving.device.MAX_RUNS_OF_ADDRESS", 1)
    device = Device()
    asking = CALLER.set("a")
    try:
        with device.ticket(Visitor("a")), pytest.raises(Busy, match="from your network"):
            made_again(loader, device, read_settings(FORM))
    finally:
        CALLER.reset(asking)


def test_a_kept_run_outlives_the_server(loader, tmp_path):
    store = Store(tmp_path)
    list(race_messages(loader, KeptRuns(store=store), Device(), FORM))
    store.close()
    runs = KeptRuns(store=Store(tmp_path))
    assert found_view(runs, FORM)["run"] == FORM["run"]
    assert runs.trace(FORM["run"], 1).header.seed == 1
    assert read_settings(FORM).form == read_settings(FORM | {"run": "0" * 32}).form


def test_what_is_on_disk_is_bounded_the_oldest_goes(tmp_path):
    Store(tmp_path).put(run(0), "form", (A, None))
    (size,) = Store(tmp_path)._file.execute("select size from runs").fetchone()
    store = Store(tmp_path, most=3 * size)
    for number in range(1, 30):
        store.put(run(number), "form", (A, None))
    assert [bool(store.get(run(number))) for number in range(30)] == [False] * 27 + [True] * 3
    assert store.get(run(29)) == (A, None) and store.made_from("form") == run(29)
    before = (tmp_path / "runs.sqlite").stat().st_size
    for number in range(30, 60):
        store.put(run(number), "form", (A, None))
    assert (tmp_path / "runs.sqlite").stat().st_size <= before + 8192


@pytest.mark.tries("files", count=2)
def test_a_damaged_run_is_gone_and_a_folder_that_is_none_is_said(tmp_path):
    store = Store(tmp_path)
    store.put(run(0), "form", (A,))
    with store._file:
        store._file.execute("update runs set body = ?", (b"\x00nonsense",))
    assert store.get(run(0)) == () == store.get("' or 1=1 --")
    (tmp_path / "file").write_text("")
    with pytest.raises(SpecvizError, match="cannot be kept"):
        Store(tmp_path / "file" / "folder")


WRITERS = multiprocessing.get_context("forkserver")
WRITERS.set_forkserver_preload(["tests.hostile.writer"])


def kill_a_writer(folder, first, seconds) -> int:
    """The last run that a writer said to be kept before it was killed."""
    here, there = WRITERS.Pipe(duplex=False)
    process = WRITERS.Process(target=write, args=(folder, first, there))
    process.start()
    there.close()
    last = here.recv()
    time.sleep(seconds)
    process.kill()
    try:
        while True:
            last = here.recv()
    except EOFError:
        process.join()
        return last


@pytest.mark.parametrize("times", [3, pytest.param(20, marks=pytest.mark.full)])
def test_a_writer_killed_at_any_moment_leaves_whole_runs(tmp_path, times, tried):
    chance, last = random.Random(times), -1
    tried["faults"] += times
    for _ in range(times):
        first = last + 2  # the one after the last may be there, too
        last = kill_a_writer(tmp_path, first, chance.uniform(0.0, 0.3))
        store = Store(tmp_path)
        assert store._file.execute("pragma integrity_check").fetchone() == ("ok",)
        for number in range(first, last + 1):
            assert store.get(run(number)) == (A, None, S)
        assert store.get(run(last + 1)) in ((), (A, None, S)) and store.get(run(last + 2)) == ()
        store.close()


def test_results_that_nobody_fetches_are_let_go_as_time_goes_by():
    now, waiting = [0.0], OrderedDict()
    queue = SimpleNamespace(
        pending_messages_per_session=waiting,
        pending_event_ids_session=defaultdict(set, left={"event"}),
        event_ids_to_events={"event": 1},
        event_queue_per_concurrency_id={"race": SimpleNamespace(queue=[SimpleNamespace(session_hash="left")])},
    )
    for name in ("left", "read", "empty"):
        waiting[name] = asyncio.Queue()
    waiting["left"].put_nowait("a")
    waiting["read"].put_nowait("a")
    unfetched = Unfetched(queue, lambda: now[0])

    async def sleep(seconds):
        now[0] += seconds
        if now[0] == 3 * audience.LOOK:
            waiting["read"].put_nowait("b")
            waiting["read"].get_nowait()
        left[now[0]] = set(waiting)
        if now[0] > 3 * FETCHED_WITHIN:
            raise asyncio.CancelledError

    left = {}
    with suppress(asyncio.CancelledError):
        asyncio.run(unfetched.watch(sleep))
    begin = audience.LOOK  # the first look
    assert left[begin + FETCHED_WITHIN] == {"left", "read", "empty"}
    assert left[begin + FETCHED_WITHIN + audience.LOOK] == {"read", "empty"} and not queue.event_ids_to_events
    assert not queue.event_queue_per_concurrency_id["race"].queue
    assert left[3 * audience.LOOK + FETCHED_WITHIN] == {"read", "empty"} and set(waiting) == {"empty"}


def test_a_server_looks_for_them_by_itself(loader, monkeypatch):
    page, swept = build_page(loader), threading.Event()
    monkeypatch.setattr(audience, "LOOK", 0.01)
    monkeypatch.setattr(audience.Unfetched, "sweep", lambda unfetched: unfetched._queue is page._queue and swept.set())
    with running(build_server(page, loader=loader)):
        assert swept.wait(60)


def test_bodies_are_bounded_in_all(monkeypatch):
    monkeypatch.setattr(guard, "MAX_BODIES_BYTES", 1000)
    answers, release = [], asyncio.Event()

    async def slow(scope, receive, send):
        await release.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def post(door):
        sent = [{"type": "http.request", "body": b"[%b]" % (b" " * 600)}]
        head = [(b"host", b"localhost"), (b"content-type", b"application/json")]
        scope = {"type": "http", "method": "POST", "path": "/gradio_api/queue/join", "headers": head, "scheme": "http"}

        async def receive():
            return sent.pop()

        async def send(message):
            answers.append(message.get("status"))

        await door(scope | {"query_string": b"", "client": ("127.0.0.1", 1)}, receive, send)

    async def scene():
        door = guard.Guard(slow)
        first = asyncio.create_task(post(door))
        await asyncio.sleep(0.01)
        await post(door)
        assert answers[0] == 503
        release.set()
        await first
        await post(door)
        assert answers[-1] == 200 and door._held == 0

    asyncio.run(scene())
