"""What the server remembers: races and files within bounds, recorded runs for ever, picks as long as their runs."""

from dataclasses import replace

import pytest

from specviz.ui.serving import runs as module
from specviz.ui.serving.device import Visitor
from specviz.ui.serving.limits import MAX_KEPT_FILES, MAX_LANES, MAX_RECIPES, MAX_UNPACKED_RUNS
from specviz.ui.serving.runs import KeptRuns, pack, recorded_run
from tests.traces import autoregressive_trace, mtad_trace, speculative_trace

A, S, M = autoregressive_trace(), speculative_trace(), mtad_trace()


def test_races_are_kept_by_bytes_and_files_do_not_drive_them_out():
    runs = KeptRuns([A])
    for number in range(100):
        runs.keep(f"{number:x}", (A,))
    for number in range(3 * MAX_KEPT_FILES):
        runs.keep_file(b"%d" % number, (S,))
    assert all(runs.traces(f"{number:x}") == (A,) for number in range(100))
    assert runs.traces("gallery:autoregressive") == (A,)


@pytest.mark.parametrize("kind", ["races", "files"])
def test_bytes_are_bounded_too(monkeypatch, kind):
    size = len(pack((M,)))
    monkeypatch.setattr(module, "MAX_KEPT_BYTES", 3 * size)
    monkeypatch.setattr(module, "MAX_OPENED_BYTES", 3 * size)
    runs, ids = KeptRuns(), []
    for number in range(5):
        if kind == "races":
            ids.append(f"{number:x}")
            runs.keep(ids[-1], (M,))
        else:
            ids.append(runs.keep_file(b"%d" % number, (M,)))
    assert [bool(runs.traces(run)) for run in ids] == [False, False, True, True, True]


def test_a_race_that_grew_is_weighed_again_and_the_newest_stays_whatever_its_size(monkeypatch):
    monkeypatch.setattr(module, "MAX_KEPT_BYTES", len(pack((M, M, M, M))))
    runs = KeptRuns()
    runs.keep("a", (None, None))
    runs.keep("b", (A,))  # weighs "a" while it holds nothing
    runs.keep("a", (M, M, M, M))
    assert runs.traces("a") and runs.traces("b")
    runs.keep("c", (A,))
    assert runs.traces("a") == runs.traces("b") == ()
    runs.keep("d", (M, M, M, M))
    assert runs.traces("c") == () and runs.traces("d") == (M, M, M, M)


def test_the_races_of_an_opening_have_its_name():
    runs = KeptRuns([A, S], openings={"greedy": [S, M]})
    assert (runs.recorded, runs.openings) == (("autoregressive", "speculative"), {"greedy": ("speculative", "mtad")})
    assert recorded_run(["speculative", "mtad"], "greedy") == "gallery:greedy/speculative,greedy/mtad"
    assert runs.traces("gallery:greedy/speculative,mtad,greedy/mtad,speculative") == (S, None, M, S)
    assert runs.traces("gallery:greedy/slim") == runs.traces("gallery:sampled/mtad") == ()
    assert runs.pick([("gallery:greedy/mtad", 0), ("gallery:speculative", 0)]) == "gallery:greedy/mtad,speculative"


def test_the_same_file_is_kept_once():
    runs = KeptRuns()
    assert runs.keep_file(b"one", (A,)) == runs.keep_file(b"one", (A,)) != runs.keep_file(b"two", (A,))


def test_lanes_of_several_runs_stand_side_by_side():
    runs = KeptRuns([A, S, M])
    runs.keep("ab", (S, None, M))
    file = runs.keep_file(b"x", (A, M))
    pick = runs.pick([("gallery:mtad", 0), ("ab", 2), (file, 0), (file, 1)])
    assert runs.traces(pick) == (M, M, A, M)
    assert runs.pick([(file, 0), (file, 1)]) == file
    assert runs.pick([(file, 1), (file, 0)]) != file
    assert runs.pick([("gallery:mtad", 0), ("gallery:autoregressive,speculative", 1)]) == recorded_run(
        ["mtad", "speculative"]
    )
    for number in range(MAX_KEPT_FILES + 1):
        runs.keep_file(b"%d" % number, (A,))
    assert runs.traces(pick) == ()  # one of its runs is gone


@pytest.mark.parametrize(
    "run",
    [
        "",
        "x",
        "file:",
        "file:x",
        "pick:",
        "pick:ab",
        "pick:ab.",
        "pick:ab.9",
        "pick:ab.-1",
        "pick:ab.٣",
        "pick:pick:ab.0.0",
        "gallery:none",
    ],
)
def test_ids_that_name_nothing_have_no_traces(run):
    runs = KeptRuns([A])
    runs.keep("ab", (A,))
    assert runs.traces(run) == ()


def test_what_is_said_of_a_run_is_made_once_for_each_of_its_states():
    runs, asked = KeptRuns([A]), []

    def lanes(traces):
        asked.append(traces)
        return len(traces)

    runs.keep("ab", (S,))
    file = runs.keep_file(b"x", (A, M))
    for run, count in (("ab", 1), (file, 2), ("gallery:autoregressive", 1), ("cd", None)):
        assert [runs.summary(run, lanes) for _ in range(3)] == [count] * 3
    runs.keep("ab", (S, M))
    assert runs.summary("ab", lanes) == 2 and len(asked) == 4


def test_all_but_the_last_runs_are_bytes_and_come_back_equal():
    runs, count = KeptRuns(), 3 * MAX_UNPACKED_RUNS
    half = replace(S, header=replace(S.header, prompt_text="half a character: \ud83d"))  # no file can hold that
    for number in range(count):
        runs.keep(f"{number:x}", (half, None, M))
    shelf = runs._races

    def unpacked():
        return [run for run, kept in shelf._kept.items() if kept.traces is not None]

    assert unpacked() == [f"{number:x}" for number in range(count - MAX_UNPACKED_RUNS, count)]
    found = runs.traces("0")
    assert found == (half, None, M) and all(one is other for one, other in zip(found, runs.traces("0"), strict=True))
    assert "0" in unpacked() and len(unpacked()) == MAX_UNPACKED_RUNS
    runs.keep("0", (A,))  # a race that is still running
    for number in range(count):
        runs.traces(f"{number:x}")
    assert runs.traces("0") == (A,)


def test_an_endless_id_is_cut():
    runs = KeptRuns([A])
    assert len(runs.traces("gallery:" + ",".join(["autoregressive"] * 10_000))) == MAX_LANES
    assert len(runs.traces("pick:" + "+".join(["gallery:autoregressive.0"] * 10_000))) == MAX_LANES


def test_a_stopped_run_is_remembered_for_a_while():
    runs, run = KeptRuns(), "a" * 32
    assert not runs.is_stopped(run)
    runs.stop(run)
    assert runs.is_stopped(run)
    for number in range(MAX_RECIPES):
        runs.stop(f"{number:032x}")
    assert not runs.is_stopped(run)


def test_a_visitor_who_opens_many_files_drives_out_their_own():
    runs = KeptRuns()
    theirs = runs.keep_file(b"theirs", (A,), Visitor("a"))
    for number in range(3 * MAX_KEPT_FILES):
        last = runs.keep_file(b"%d" % number, (A,), Visitor("b"))
    assert runs.traces(theirs) and runs.traces(last)
    assert len(runs._files._kept) == MAX_KEPT_FILES
