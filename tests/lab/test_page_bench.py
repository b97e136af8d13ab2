"""The page benchmark: its stopwatches in a real browser on the tiny pair, its table, and what it says where it cannot."""

import json
from pathlib import Path

import pytest
from rich.console import Console

from specviz.__main__ import _parser, main
from specviz.commands.show_page import page_heading, page_table
from specviz.errors import SpecvizError
from specviz.lab import page_bench as bench
from specviz.lab import page_server
from specviz.lab.load import Load, Visit
from specviz.lab.page_bench import Measure, big_trees, crowded, page_report
from specviz.lab.page_server import chromium, serving
from tests.tiny_pair import write_pair


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    target, draft = write_pair(tmp_path_factory.mktemp("pair"))
    with serving([f"--target={target}", f"--draft={draft}", "--device=cpu"]) as page:
        yield page


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


def test_steps_of_a_big_tree_are_all_measured(served, browser, monkeypatch):
    monkeypatch.setattr(bench, "PAUSE", 50)
    monkeypatch.setattr(bench, "big_trees", lambda: big_trees(1))
    slow, fast = bench.steps(served.url, browser, 1)
    assert len(slow.values) == len(fast.values) > 3
    assert all(value > 0 for value in slow.values + fast.values) and "60 nodes" in slow.note


def test_first_screen_and_first_token(served, browser):
    (usable,) = bench.usable(served.url, browser, 1)
    (first,) = bench.first_token(served.url, browser, 1)
    assert len(usable.values) == len(first.values) == 1
    assert usable.values[0] > 0 and first.values[0] > 0


def test_a_stream_is_whole_and_the_stopwatch_sees_what_is_not(served, browser, monkeypatch):
    (whole,) = bench.streamed(served.url, browser, 1)
    assert whole.values == (0.0,) and whole.holds
    assert int(whole.note.split(", ")[1].split()[0]) >= bench.ITERATIONS
    loses = bench.STREAM.replace("bench.updates.push", "if (race.update % 2) bench.updates.push")
    monkeypatch.setattr(bench, "STREAM", loses)
    (half,) = bench.streamed(served.url, browser, 1)
    assert half.values[0] > 0 and not half.holds


def test_a_file_that_asks_outside_is_caught(browser, tmp_path):
    quiet, loud = tmp_path / "quiet.html", tmp_path / "loud.html"
    quiet.write_text("<h1>Hello</h1><img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>")
    loud.write_text("<h1>Hello</h1><img src='http://127.0.0.1:9/x.png'><script src='other.js'></script>")
    assert bench._outside(browser, quiet) == 0 and bench._outside(browser, loud) == 2


def test_big_trees_have_about_sixty_nodes():
    trees = big_trees()
    assert len(trees) >= 2
    assert all(abs(nodes - bench.NODES) <= bench.WITHIN and index >= 0 for _, index, nodes in trees)


def test_a_crowd_in_numbers():
    visits = (Visit("finished", "", (2, 1), (1, 2), 0.0, 1.0), Visit("refused", "full", (), (), 0.0, 0.0))
    found = {one.name: one for one in crowded(Load(2, visits, 500_000_000, (510_000_000, 520_000_000)))}
    assert all(one.holds for one in found.values())
    assert "1 finished, 1 refused" in found["runs of a crowd that failed"].note
    assert found["memory that a crowd left"].values == (20.0,)
    assert "memory that a crowd left" not in {one.name for one in crowded(Load(2, visits, None, ()))}


def test_the_table_and_the_report_say_what_holds(browser):
    measures = [
        Measure("fast", "ms", 33, (20.0, 30.0, 25.0, 26.0, 27.0, 28.0)),
        Measure("slow", "s", 2, (3.0,), "once"),
        Measure("free", "", None, (1.0, 2.0)),
    ]
    assert [one.holds for one in measures] == [True, False, None]
    report = json.loads(json.dumps(page_report(measures, browser)))
    assert report["measures"][0]["estimate"]["median"] == 26.5 and report["measures"][1]["holds"] is False
    assert report["versions"]["gradio"] and report["versions"]["chromium"]
    console = Console(width=160, record=True, file=open("/dev/null", "w"))
    console.print(page_heading(report), page_table(measures))
    text = console.export_text()
    assert "26 ms" in text and "does not hold" in text and "≤ 2.00 s" in text and "once" in text
    assert "20 .. 30" in text and "(50 %)" in text


def test_no_browser_is_said_with_what_to_do(monkeypatch, tmp_path):
    fake = tmp_path / "chromium"
    fake.write_text("#!/bin/sh\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("CHROMIUM", str(fake))
    with pytest.raises(SpecvizError, match="needs Chromium: install it"), chromium():
        pass


def test_an_app_that_does_not_start_is_said_with_its_reason():
    with pytest.raises(SpecvizError, match="did not start: .*--dtype"), serving(["--dtype=int8"]):
        pass


def test_nothing_is_left_running():
    with serving(["--device=cpu"]) as page:
        status = Path(f"/proc/{page.process}/status")
        assert status.exists() or not Path("/proc/self").exists()
    assert not status.exists()


def test_the_command(monkeypatch, capsys):
    assert _parser().parse_args(["bench", "--page", "--rounds", "2"]).page
    assert main(["bench", "--page", "--rounds", "0"]) == 2
    monkeypatch.setattr(page_server, "CHROMIUMS", ())
    monkeypatch.setenv("CHROMIUM", "/nowhere/chromium")
    assert main(["bench", "--page"]) == 2
    assert "needs Chromium" in capsys.readouterr().err
