"""Sweeps of the page: behind every race, kept run by run, bounded, and whatever is asked of them."""

import json
import logging
import resource
import threading
import time
from base64 import b64decode
from contextlib import contextmanager
from dataclasses import replace

import pytest

import specviz
from specviz.decoding.run.loop import Run
from specviz.errors import ModelError, SpecvizError
from specviz.lab.cards.card import CardChart
from specviz.lab.cards.points import USUAL
from specviz.lab.cards.recorded import recorded_rows
from specviz.lab.sweep.grid import as_grid
from specviz.lab.sweep.log import ROWS
from specviz.lab.sweep.plan import identity
from specviz.lab.sweep.prompts import SweepPrompt, built_in
from specviz.ui.island import answering
from specviz.ui.pages.lab import load_lab
from specviz.ui.pages.lab_sweeps import GRID, sweep_calls, sweep_setup
from specviz.ui.serving import limits
from specviz.ui.serving.budget import NetworkRateLimit
from specviz.ui.serving.device import Busy, Device, Visitor
from specviz.ui.serving.models import PairLoader
from specviz.ui.settings import Refusal
from specviz.ui.sweeps.asked import OFFLINE, Recipe, SweepForm, _bound, _recipe, read_sweep, recipe_of
from specviz.ui.sweeps.kept import Ended, KeptSweeps, too_many
from specviz.ui.sweeps.sweeps import SHARED, Sweeps
from tests.ui.test_messages import Letters

METHODS = '[[method]]\nname = "autoregressive"\n[[method]]\nname = "speculative"\ngamma = [2, 4]\n'
FORM = {"grid": METHODS, "prompts": ["tales"], "seeds": 1, "max_new_tokens": 6}
PATIENCE = 60.0  # seconds
CARDS = load_lab()


def loaded(pair) -> PairLoader:
    loader = PairLoader(lambda: pair).start()
    assert loader.wait(10)
    return loader


def tables(seed: int = 0) -> specviz.ModelPair:
    return specviz.ModelPair(specviz.TableLM.random(5, seed), specviz.TableLM.random(5, 9), tokenizer=Letters())


class Clock:
    """Time that passes only when somebody looks, a slice each time: so a slice is one iteration."""

    def __init__(self):
        self.now = 0.0

    def __call__(self) -> float:
        self.now += limits.SLICE
        return self.now


class Server:
    """Sweeps of one server; ``calls`` are the browser's, by name."""

    def __init__(self, folder=None, pair=None, device=None, cards=CARDS):
        self.cards = cards
        self.device, self.loader, self.clock = device or Device(together=4), loaded(pair or tables()), Clock()
        self.sweeps = Sweeps(self.loader, self.device, folder, self.clock)
        self._calls = sweep_calls(self.sweeps, self.loader, cards)

    def call(self, name, **request):
        return json.loads(answering(self._calls[name])(request))

    def start(self, form=FORM, visitor=Visitor()):  # noqa: B008
        return self.sweeps.start(visitor, *read_sweep(form, self.loader, self.cards))

    def until(self, name, *states):
        deadline = time.monotonic() + PATIENCE
        while (found := self.sweeps.status(name))["state"] not in states:
            assert time.monotonic() < deadline, found
            time.sleep(0.002)
        return found

    def until_gone(self, name):
        with pytest.raises(SpecvizError, match="no longer kept"):
            self.until(name)

    def rows(self, name):
        return list(self.sweeps.rows(name))


@pytest.fixture
def server():
    found = Server()
    yield found
    found.sweeps.close()


@pytest.fixture
def steps(monkeypatch):
    """Called with (number, run) before each iteration of a sweep, from 1; the test sets it."""
    step, hook = Run.step, {"count": 0, "do": lambda number, run: None}

    def counted(run):
        if threading.current_thread().name == "sweeps":
            hook["count"] += 1
            hook["do"](hook["count"], run)
        return step(run)

    monkeypatch.setattr(Run, "step", counted)
    return hook


def written(rows):
    assert len({row.key for row in rows}) == len(rows)
    return {row.key: row.token_ids for row in rows}


def test_a_sweep_makes_the_rows_of_the_command_line(server):
    name = server.start()
    grid = {"method": [{"name": "autoregressive"}, {"name": "speculative", "gamma": [2, 4]}], "max_new_tokens": 6}
    rows = list(specviz.sweep(tables(), grid, "tales", 1))
    assert server.until(name, "done") == {
        "id": name,
        "title": "autoregressive, speculative",
        "card": "",
        "state": "done",
        "done": len(rows),
        "total": len(rows),
        "setting": "",
        "seconds_left": None,
        "others": 0,
        "message": "",
        "lasts": False,
    }
    assert written(server.rows(name)) == written(rows)
    assert all(row.disturbed != SHARED for row in server.rows(name))


def test_a_sweep_is_of_the_pair_that_its_form_names(server):
    second, first = tables(3), server.loader.pair
    server.loader.others = (PairLoader(lambda: second, "second"),)
    assert server.loader.of("second").wait(10)
    assert "there are , second" in server.call("sweep_check", **FORM, pair="third")["error"]
    name = server.start(FORM | {"pair": "second"})
    server.until(name, "done")
    assert server.sweeps._find(name).models == identity(second) != identity(first)
    assert server.sweeps.recipe(name).pair == "second"
    of_first, of_second = (read_sweep(FORM | {"pair": pair}, server.loader, CARDS)[1] for pair in ("", "second"))
    assert server.sweeps.seconds(of_second) > 0 and server.sweeps.seconds(of_first) is None  # other models, other pace
    run = server.call("sweep_runs", id=name, setting="autoregressive", category="")["rows"][0]
    assert run["form"]["pair"] == "second"


def test_a_race_that_comes_has_the_device_after_the_iteration_under_way_until_it_ends(server, steps):
    came, tickets, at = threading.Event(), [], []

    def arrive(number, run):
        counts = number > 36  # three settings were warmed up, and ran, with at most six iterations each
        if counts and not tickets and run.method.name == "autoregressive" and len(run.emitted) == 3:
            tickets.append(server.device.ticket(Visitor("192.0.2.1", "page")))
            at.append(number)
            came.set()

    steps["do"] = arrive
    name = server.start()
    assert came.wait(PATIENCE)
    (race,) = tickets
    assert (race.before, race.sharing, len(server.device)) == (0, 1, 1)  # a sweep takes no place and counts for nobody
    with race.slice():
        assert [steps["count"]] == at
    assert server.until(name, "waiting")["state"] == "waiting"
    others = [server.device.ticket() for _ in range(3)]
    assert [other.before for other in others] == [0, 0, 0] and [steps["count"]] == at
    for ticket in (race, *others):
        ticket.give_back()
    server.until(name, "done")
    assert [row.disturbed for row in server.rows(name)].count(SHARED) == 1
    alone = server.start()
    server.until(alone, "done")
    assert written(server.rows(alone)) == written(server.rows(name))  # tokens are never disturbed


def test_a_sweep_that_is_stopped_keeps_its_rows_and_goes_on_with_the_others(server, steps):
    stopped = threading.Event()

    def stop(number, run):
        if number == 40:
            server.sweeps.stop(name)
            stopped.set()

    with server.device.ticket():
        name = server.start()
        steps["do"] = stop
    assert stopped.wait(PATIENCE)
    found = server.until(name, "stopped")
    assert steps["count"] == 40 and 0 < found["done"] < found["total"]
    assert found["message"] == f"Stopped: {found['done']} of {found['total']} runs are kept."
    first = server.rows(name)
    assert len(first) == found["done"]
    server.sweeps.go_on(name)
    assert server.until(name, "done")["done"] == found["total"]
    assert server.rows(name)[: len(first)] == first and len(written(server.rows(name))) == found["total"]
    server.sweeps.go_on(name)
    server.sweeps.stop(name)
    assert server.sweeps.status(name)["state"] == "done"


def test_a_kept_sweep_that_is_damaged_keeps_no_server_from_starting(tmp_path, caplog):
    kept = KeptSweeps(tmp_path)
    good = Recipe("speculative", {"speculative": {}}, (SweepPrompt("1", "x", "abc"),))
    kept.add("f" * 32, good, 3, {})
    about = (tmp_path / ("f" * 32) / "sweep.json").read_text()
    damages = [('"total": 3', f'"total": {total}') for total in ("1e999", "-1e999", "NaN", "1e3", '"3"', "true")]
    damages += [('"abc"', '"\\ud800"'), ('"abc"', "1e999"), ('"models": {}', '"models": {"a": 1e308}')]
    for number, damage in enumerate(damages):
        folder = tmp_path / f"{number:032x}"
        folder.mkdir()
        (folder / "sweep.json").write_text(about.replace(*damage))
    with caplog.at_level("WARNING"):
        assert [(name, recipe, total) for name, recipe, total, *_ in kept.found()] == [("f" * 32, good, 3)]
    assert len(caplog.records) == len(damages) and "total: is inf, numbers lie from" in caplog.text
    assert "total: is True, no number of runs" in caplog.text and "holds half a character" in caplog.text


def ended_in_the_middle(folder, steps, pair=None):
    """A server that ends while it makes a sweep; the sweep's id and the rows that it left."""
    server, enough = Server(folder, pair), threading.Event()
    steps["do"] = lambda number, run: enough.set() if number == 40 else None
    name = server.start()
    assert enough.wait(PATIENCE)
    server.sweeps.close()
    steps["do"] = lambda number, run: None
    return name, server.rows(name)


def test_a_server_that_keeps_finds_a_sweep_again_and_goes_on_only_when_told(tmp_path, steps):
    name, rows = ended_in_the_middle(tmp_path, steps)
    with (tmp_path / name / ROWS).open("ab") as file:
        file.write(b'{"key": "half a li')  # as of a process that was killed
    (tmp_path / ("a" * 32)).mkdir()
    (tmp_path / ("a" * 32) / "sweep.json").write_text("[]")
    again = Server(tmp_path)
    found = again.sweeps.status(name)
    assert (found["state"], found["done"], found["lasts"]) == ("stopped", len(rows), True) and rows
    assert "started anew" in found["message"] and again.rows(name) == rows
    with pytest.raises(SpecvizError, match="no longer kept"):
        again.sweeps.status("a" * 32)
    again.sweeps.go_on(name)
    total = again.until(name, "done")["total"]
    assert len(written(again.rows(name))) == total and again.rows(name)[: len(rows)] == rows
    again.sweeps.close()
    assert Server(tmp_path).sweeps.status(name)["state"] == "done"


def test_a_sweep_of_other_models_is_shown_but_not_gone_on_with(tmp_path, steps):
    name, rows = ended_in_the_middle(tmp_path, steps)
    other = Server(tmp_path, tables(3))
    with pytest.raises(SpecvizError, match="other models"):
        other.sweeps.go_on(name)
    assert other.rows(name) == rows


def test_the_temporary_folder_goes_with_the_server(server):
    name = server.start()
    server.until(name, "done")
    folder = server.sweeps._kept.path(name)
    assert (folder / ROWS).exists()
    server.sweeps.close()
    assert not folder.parent.exists()


@contextmanager
def small_disk(room: int):
    """No file may be longer than this."""
    import signal

    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_a_full_disk_ends_a_sweep_with_words_and_it_goes_on_when_there_is_room(server):
    with small_disk(9000):
        name = server.start()
        found = server.until(name, "failed")
        with pytest.raises(SpecvizError, match="cannot keep a sweep"), small_disk(10):
            server.start()
    assert found["message"].startswith(f"{ROWS}: a row cannot be written") and 0 < found["done"] < found["total"]
    assert len(server.rows(name)) == found["done"]
    server.sweeps.go_on(name)
    assert server.until(name, "done")["total"] == len(written(server.rows(name)))


def test_a_run_that_fails_ends_its_sweep_and_no_other(server, steps, caplog):
    wrong = {20: ModelError("out of memory on cpu", code="out_of_memory"), 60: ZeroDivisionError("a defect")}

    def fail(number, run):
        if number in wrong:
            raise wrong[number]

    steps["do"] = fail
    with server.device.ticket():
        names = [server.start() for _ in range(3)]
    ends = [server.until(name, "done", "failed") for name in names]
    assert sorted(end["state"] for end in ends) == ["done", "failed", "failed"]
    said = " ".join(end["message"] for end in ends)
    assert "prompt tales-" in said and "out of memory on cpu" in said and "The sweep failed: ZeroDivisionError" in said
    assert "a sweep failed" in caplog.text


def test_sweeps_take_turns_run_by_run_and_tell_the_time_left(server):
    with server.device.ticket():
        one, two = server.start(), server.start()
        found = server.sweeps.status(one)
        assert (found["state"], found["others"], found["seconds_left"]) == ("waiting", 1, None)
    for name in (one, two):
        server.until(name, "done")
    order = sorted([*server.rows(one), *server.rows(two)], key=lambda row: row.date)
    assert len(order) == 2 * len(server.rows(one))
    assert server.sweeps.seconds(read_sweep(FORM, server.loader, server.cards)[1]) > 0


def test_the_time_left_is_that_of_the_runs_so_far(server, steps):
    seen = []

    def look(number, run):
        found = server.sweeps.status(name)
        seen.append((found["done"], found["seconds_left"], found["setting"]))

    with server.device.ticket():
        name = server.start()
        steps["do"] = look
    total = server.until(name, "done")["total"]
    assert [left for done, left, _ in seen if not done] and all(left is None for done, left, _ in seen if not done)
    assert all(left > 0 for done, left, _ in seen if 0 < done < total)
    assert {setting for *_, setting in seen} == {"autoregressive", "speculative gamma=2", "speculative gamma=4"}


def test_a_sweep_ends_after_its_time_on_the_device_and_may_be_told_to_go_on(server, monkeypatch):
    monkeypatch.setattr(limits, "MAX_SWEEP_SECONDS", 100 * limits.SLICE)
    name = server.start()
    found = server.until(name, "stopped")
    assert 0 < found["done"] < found["total"] and "all a sweep gets here at a time" in found["message"]
    assert OFFLINE in found["message"]
    monkeypatch.setattr(limits, "MAX_SWEEP_SECONDS", 1e9)
    server.sweeps.go_on(name)
    server.until(name, "done")


def test_few_sweeps_run_at_the_same_time(server):
    with server.device.ticket():
        for address in "ab":
            for _ in range(limits.MAX_SWEEPS_OF_ADDRESS):
                name = server.start(visitor=Visitor(address))
            with pytest.raises(Busy, match=r"2 sweeps from your network" if address == "a" else "network"):
                server.start(visitor=Visitor(address))
        with pytest.raises(Busy, match="4 sweeps are under way on this server") as busy:
            server.start(visitor=Visitor("c"))
        assert busy.value.code == "queue_full"
        server.sweeps.stop(name)
        server.until(name, "stopped")
        server.start(visitor=Visitor("c"))
        with pytest.raises(Busy):
            server.sweeps.go_on(name, Visitor("b"))


def test_ended_sweeps_go_after_a_day_or_when_there_are_too_many(server, monkeypatch):
    monkeypatch.setattr(limits, "MAX_SWEEPS", 2)
    names = []
    for _ in range(3):
        names.append(server.start())
        server.until(names[-1], "done")
    with pytest.raises(SpecvizError) as gone:
        server.sweeps.status(names[0])
    assert gone.value.code == "gone" and not server.sweeps._kept.path(names[0]).exists()
    server.clock.now += limits.SWEEP_KEPT_SECONDS / 2
    server.sweeps.status(names[2])
    server.clock.now += limits.SWEEP_KEPT_SECONDS / 2
    with pytest.raises(SpecvizError):
        server.sweeps.status(names[1])
    assert server.sweeps.status(names[2])["state"] == "done"
    monkeypatch.setattr(limits, "MAX_SWEEPS_BYTES", 1)
    name = server.start()
    server.until(name, "done")
    server.until_gone(names[2])


def ended(server, visitor, *, done):
    """A sweep of a visitor that is over, or was stopped (where another has the device: without a row)."""
    name = server.start(visitor=visitor)
    if done:
        server.until(name, "done")
    else:
        server.sweeps.stop(name)
        server.until(name, "stopped")
    return name


def test_sweeps_begun_and_stopped_drive_out_none_that_is_done(server, monkeypatch):
    monkeypatch.setattr(limits, "MAX_SWEEPS", 2)
    monkeypatch.setattr(limits, "MAX_UNFINISHED_SWEEPS", 2)
    theirs = [ended(server, Visitor(address), done=True) for address in "ab"]
    with server.device.ticket():  # nothing is run meanwhile
        stopped = [ended(server, Visitor(f"c{number % 2}"), done=False) for number in range(6)]
    assert all(server.sweeps.status(name)["state"] == "done" for name in theirs)
    assert all(server.sweeps.status(name)["state"] == "stopped" for name in stopped[-2:])
    server.until_gone(stopped[-3])


A, A2, B, C, NOBODY = Visitor("a", "1"), Visitor("a", "2"), Visitor("b", "1"), Visitor("c"), Visitor()


def over(*owners, done=True, rows=1, size=1):
    return [
        Ended(f"{'done' if done else 'open'}{number}{owner.address}", owner, done, rows, size)
        for number, owner in enumerate(owners)
    ]


@pytest.mark.parametrize(
    ("sweeps", "gone"),
    [
        (
            over(B, A, A2, B, A, C),
            ["done1a", "done0b", "done2a"],
        ),  # of the network with the most, then all have as many
        (over(A, A, A, B), ["done0a"]),
        (over(NOBODY, NOBODY, A, NOBODY, A), ["done2a", "done0"]),
        (over(A, B, C) + over(B, B, B, done=False), ["open0b"]),
        (over(A, B, C) + over(B, C, done=False) + over(A, done=False, rows=0), ["open0a"]),
        (over(A, A) + over(B, size=40, done=False) + over(C, size=70), ["open0b"]),
        (over(A, B, size=60), ["done0a"]),
        (over(A, size=200), []),  # the last one is kept
        (over(A, size=20) + over(B, size=200), ["done0a"]),
        (over(A, size=20) + over(B, size=200, done=False), ["open0b"]),
    ],
)
def test_who_has_most_loses_first_and_what_is_done_goes_last(sweeps, gone, monkeypatch):
    for name, most in (("MAX_SWEEPS", 3), ("MAX_UNFINISHED_SWEEPS", 2), ("MAX_SWEEPS_BYTES", 110)):
        monkeypatch.setattr(limits, name, most)
    assert too_many(sweeps) == gone


def test_sweeps_of_an_earlier_server_are_each_somebodys(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "MAX_SWEEPS", 3)
    first = Server(tmp_path)
    kept = [ended(first, Visitor("a"), done=True) for _ in range(2)]
    first.sweeps.close()
    second = Server(tmp_path)
    for _ in range(3):
        ended(second, Visitor("b"), done=True)
    assert [second.sweeps.status(name)["state"] for name in kept] == ["done"] * 2
    second.sweeps.close()


def test_a_network_begins_so_many_sweeps_one_after_the_other(server):
    now = [0.0]
    server.sweeps._starts = NetworkRateLimit(limits.MAX_STARTED_SWEEPS, limits.SWEEP_STARTING_SECONDS, lambda: now[0])
    with server.device.ticket():
        for _ in range(limits.MAX_STARTED_SWEEPS):
            begun = server.start(visitor=Visitor("a"))
            server.sweeps.stop(begun)
            server.until(begun, "stopped")
        for again in (lambda: server.start(visitor=Visitor("a")), lambda: server.sweeps.go_on(begun, Visitor("a"))):
            with pytest.raises(Busy, match="10 sweeps from your network were begun one after the other: wait 15 sec"):
                again()
        server.sweeps.stop(server.start(visitor=Visitor("b")))
        now[0] += limits.SWEEP_STARTING_SECONDS
        server.sweeps.stop(server.start(visitor=Visitor("a")))


LINE = '{"question_id": %d, "category": "x", "turns": ["abc"]}\n'


@pytest.mark.parametrize(
    ("changes", "field", "said"),
    [
        ({"grid": None}, "grid", "say what to run"),
        ({"card": "x"}, "grid", "say what to run"),
        ({"card": "x", "grid": None}, "card", "card must be one of"),
        ({"grid": "a = \n"}, "grid", "the grid is no TOML file: Invalid value \\(at line 1"),
        ({"grid": "[" * 10_000}, "grid", "the grid is no TOML file"),
        ({"grid": "x" * 20_001}, "grid", "20,000 characters at most"),
        ({"grid": '[[method]]\nname = "greedy"'}, "grid", "method 1: .*'greedy'"),
        ({"grid": '[[method]]\nname = "speculative"\ngamma = 1000'}, "grid", "gamma must be"),
        ({"grid": "max_new_tokens = 513\n" + METHODS, "max_new_tokens": None}, "grid", "at most 512 here, got 513"),
        ({"grid": METHODS.replace("[2, 4]", str([*range(1, 16)])), "seeds": 50}, "grid", "runs; this page makes up to"),
        ({"grid": '[[method]]\nname = "medusa"'}, "grid", "heads"),
        ({"seeds": 0}, "seeds", "from 1 to 100, got 0"),
        ({"seeds": 10**400}, "seeds", "from 1 to 100, got 1000"),
        ({"max_new_tokens": 513}, "max_new_tokens", "from 1 to 512, got 513"),
        ({"numbers": []}, "numbers", "choose 1 to 8 numbers to draw"),
        ({"numbers": ["alpha"] * 9}, "numbers", "choose 1 to 8 numbers to draw"),
        ({"numbers": ["alpha", "beauty"]}, "numbers", "numbers must be among tokens, .* got 'beauty'"),
        ({"prompts": ["none"]}, "prompts", "must be a file or among tales"),
        ({"prompts": []}, "prompts", "names of built-in sets"),
        ({"file": LINE % 1}, "prompts", "not both"),
        ({"prompts": None, "file": ""}, "file", "the file has no prompt"),
        (
            {"prompts": None, "file": LINE % 1 + "{}\n\nx\n" + LINE % 1},
            "file",
            "line 2: .* line 4: .* line 5: question_id",
        ),
        ({"prompts": None, "file": "".join(LINE % i for i in range(201))}, "file", "line 201 is one prompt more than"),
        ({"prompts": None, "file": "x\n" * 10**6}, "file", "line 10: .*; and more"),
        ({"prompts": None, "file": LINE % 1 + "x" * 4_000_000}, "file", "4.0 MB; this page takes up to 4 MB"),
        ({"prompts": None, "file": (LINE % 1).replace("abc", "a" * 8001)}, "file", "prompt 1 has 8,001 characters"),
        ({"prompts": None, "file": (LINE % 1).replace("1", f'"{"i" * 201}"')}, "file", "question_id of prompt ii"),
    ],
)
def test_what_cannot_be_run_is_refused_beside_its_field(server, changes, field, said):
    with pytest.raises(Refusal, match=said) as refused:
        server.start({**FORM, **changes})
    assert refused.value.field == f"sweep-{field}" and len(str(refused.value)) < 1500
    told = server.call("sweep_check", **{**FORM, **changes})
    assert told["field"] == f"sweep-{field}" and told["error"] == str(refused.value) and told["code"]


@pytest.mark.parametrize("given", [None, 7, [], "x", True, {}, {"grid": 3}, {"grid": METHODS, "x": 1}, {"prompts": 7}])
def test_what_is_no_form_is_refused(server, given):
    with pytest.raises(Refusal):
        read_sweep(given, server.loader, server.cards)


@pytest.mark.parametrize("name", ["", "x", "a" * 32, "../" * 11, "A" * 32, None, 7, ["a" * 32], "a" * 10**6])
def test_who_does_not_know_the_id_gets_nothing(server, name):
    server.until(server.start(), "done")
    for call in ("sweep_state", "sweep_file"):
        more = {"format": "csv"} if call == "sweep_file" else {}
        told = server.call(call, id=name, **more)
        assert told["code"] == "gone" and len(told["error"]) < 200


@pytest.mark.parametrize("key", ["", "x", "a" * 32, "A" * 32, None, 7, ["a" * 32], "a" * 10**6])
def test_only_who_began_a_sweep_stops_it_and_goes_on(server, key):
    with server.device.ticket():
        name = server.call("sweep_start", **FORM)["id"]
        for call in ("sweep_stop", "sweep_continue"):
            for told in (server.call(call, key=key), server.call(call, key=name), server.call(call, id=name)):
                assert told["code"] in ("gone", "not_allowed") and len(told["error"]) < 200
        assert server.call("sweep_state", id=name)["state"] == "waiting"
    server.until(name, "done")


def test_half_characters_in_a_prompt_end_in_a_sentence(server):
    told = server.call("sweep_start", **{**FORM, "prompts": None, "file": (LINE % 1).replace("abc", "\\ud800")})
    said = "the file: line 1: turns[0]: holds half a character, '\\ud800' at 0, which is no text"
    assert (told["error"], told["field"]) == (said, "sweep-file")


@pytest.mark.full
def test_the_browser_checks_starts_looks_stops_goes_on_and_saves(server):
    checked = server.call("sweep_check", **FORM)
    assert checked["settings"] == ["autoregressive", "speculative gamma=2", "speculative gamma=4"]
    assert checked["runs"] == 3 * checked["prompts"] * checked["seeds"] and checked["seconds"] is None
    with server.device.ticket():
        begun = server.call("sweep_start", **FORM)
        name, key = begun["id"], begun["key"]
        assert "key" not in server.call("sweep_state", id=name) and key not in str(server.sweeps.status(name))
        assert server.call("sweep_state", id=name)["state"] == "waiting"
        server.call("sweep_stop", key=key)
        assert server.until(name, "stopped")["done"] == 0
        assert server.call("sweep_continue", key=key)["state"] == "waiting"
    server.until(name, "done")
    files = {kind: server.call("sweep_file", id=name, format=kind) for kind in ("csv", "jsonl", "parquet")}
    assert all(answer["name"] == f"specviz-sweep-{name[:8]}.{kind}" for kind, answer in files.items())
    contents = {kind: b64decode(answer["base64"]) for kind, answer in files.items()}
    assert contents["jsonl"].count(b"\n") == checked["runs"] == contents["csv"].count(b"\n") - 1
    assert contents["parquet"].startswith(b"PAR1")
    assert server.call("sweep_check", **FORM)["seconds"] > 0  # known by now
    assert server.call("sweep_file", id=name, format="xls")["error"].startswith("format must be one of csv")
    charts = server.call("sweep_charts", id=name, dark=False)
    assert [point["name"] for point in charts["points"]] == checked["settings"]
    assert [figure["key"] for figure in charts["figures"]] == [*USUAL, "front"]
    runs = server.call("sweep_runs", id=name, setting="autoregressive")
    assert len(runs["rows"]) == checked["prompts"] and all(run["text"] for run in runs["rows"])
    assert server.call("sweep_figure", id=name, key="none")["code"] == "unknown_name"
    assert server.call("sweep_figure", id=name, key="front")["name"].endswith("-front.pdf")


def test_the_numbers_that_are_chosen_are_drawn_and_recorded_where_they_need_it(server):
    for chosen, recorded in ((["ms_per_target_call", "tokens"], False), (["alpha", "ms_per_target_call"], True)):
        name = server.start({**FORM, "numbers": [*chosen, chosen[0]]})
        server.until(name, "done")
        charts = server.call("sweep_charts", id=name)
        assert [figure["key"] for figure in charts["figures"]] == chosen
        assert any(row.metrics.alpha is not None for row in server.rows(name)) == recorded
        recipe = server.sweeps.recipe(name)
        assert recipe_of(json.loads(json.dumps(recipe.flat()))) == recipe and recipe.numbers == tuple(chosen)


def test_the_prompts_of_one_kind_are_looked_at_alone(server):
    lines = [f'{{"question_id": {at}, "category": "{kind}", "turns": ["abc"]}}' for at, kind in enumerate("xxy")]
    name = server.start({**FORM, "prompts": None, "file": "\n".join(lines)})
    server.until(name, "done")
    for category, count in (("", 3), ("x", 2), ("y", 1), ("z", 3)):
        charts = server.call("sweep_charts", id=name, category=category)
        assert charts["categories"] == ["x", "y"] and {point["runs"] for point in charts["points"]} == {count}
        assert charts["category"] == (category if category in "xy" else "")
        runs = server.call("sweep_runs", id=name, setting="autoregressive", category=category)["rows"]
        assert [run["category"] for run in runs] == [
            kind for kind in "xxy" if category not in ("x", "y") or kind == category
        ]
    assert "no such prompts" in server.call("sweep_charts", id=name, category="x" * 201)["error"]


def test_before_the_first_run_the_time_is_that_of_the_runs_that_ship(server, monkeypatch):
    rows = [row for card in server.cards.values() for row in recorded_rows(card) if row.method == "speculative"]
    whose = rows[0].models["target"]["fingerprint"]
    used = [row for row in rows if row.disturbed is None and row.models["target"]["fingerprint"] == whose]
    form = {**FORM, "grid": '[[method]]\nname = "speculative"'}
    assert server.call("sweep_check", **form)["seconds"] is None  # they are of other models
    monkeypatch.setattr(server.loader.pair.target, "fingerprint", whose)
    checked = server.call("sweep_check", **form)
    a_token = sum(row.wall_seconds for row in used) / sum(row.metrics.tokens for row in used)
    assert checked["seconds"] == pytest.approx(checked["runs"] * 6 * a_token) and checked["recorded"]
    server.until(server.start(form), "done")
    checked = server.call("sweep_check", **form)
    plan = read_sweep(form, server.loader, server.cards)[1]
    assert not checked["recorded"] and checked["seconds"] == server.sweeps.seconds(plan)


def test_the_form_begins_with_a_grid_that_runs(server):
    setup = sweep_setup()
    form = {"grid": setup["grid"], "seeds": setup["seeds"], "max_new_tokens": setup["tokens"], "prompts": ["sums"]}
    assert setup["grid"] == GRID and "error" not in server.call("sweep_check", **form)


def test_a_line_a_run_in_the_journal_and_in_the_counters(server, caplog):
    caplog.set_level(logging.INFO, "specviz.runs")
    name = server.start()
    total = server.until(name, "done")["total"]
    assert sum(line.startswith("sweep methods=") and "tokens=6" in line for line in caplog.messages) == total
    assert server.device.journal.registry.get_sample_value("specviz_sweep_runs_total") == total


@pytest.mark.parametrize("card", CARDS.values(), ids=lambda card: card.name)
def test_every_card_is_within_what_the_page_runs(card):
    form = SweepForm(card=card.name)
    recipe = _recipe(form, CARDS, ["fable", "smollm2"])
    assert recipe.pair == (card.pair or None) and _recipe(form, CARDS, ["fable"]).pair is None
    _bound(recipe, as_grid(recipe.grid), form)
    assert (recipe.card, recipe.title, recipe.recorded) == (card.name, card.title, card.recorded)


def two_methods():
    return {"method": [{"name": "autoregressive"}, {"name": "speculative", "gamma": 2}]}


def test_a_card_of_the_page_is_drawn_as_a_card():
    """Whatever its folder holds besides."""
    small = replace(CARDS["draft"], name="small", grid={**two_methods(), "max_new_tokens": 4}, promises=())
    small = replace(small, chart=CardChart("setting", ("tokens_per_target_call",)), prompts=("sums",))
    server = Server(cards={small.name: small})
    name = server.call("sweep_start", card=small.name, seeds=1)["id"]
    found = server.until(name, "done")
    assert (found["card"], found["title"]) == (small.name, small.title)
    charts = server.call("sweep_charts", id=name, dark=True)
    assert [figure["key"] for figure in charts["figures"]] == ["tokens_per_target_call"] and charts["say"] == small.say
    assert server.call("sweep_runs", id=name, setting="autoregressive")["rows"]


def test_a_recorded_sweep_has_alpha_and_a_plain_one_has_none(server):
    recipe, plan = read_sweep(FORM, server.loader, server.cards)
    plain = server.start()
    recorded = server.sweeps.start(Visitor(), replace(recipe, recorded=True), plan)
    for name in (plain, recorded):
        server.until(name, "done")
    assert {row.metrics.alpha for row in server.rows(plain)} == {None}
    assert any(row.metrics.alpha is not None for row in server.rows(recorded))


def test_a_recipe_with_answers_outlives_the_server():
    recipe = Recipe("t", {"method": [{"name": "autoregressive"}]}, tuple(built_in("unseen-queries", "tales")))
    assert recipe_of(json.loads(json.dumps(recipe.flat()))) == recipe
