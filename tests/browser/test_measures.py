"""The page's measures in a real browser, on the tiny pair: they measure, and they see what is wrong."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from specviz.lab.lessons.lesson import lesson_document
from specviz.views.lessons.lesson import find_lesson, gallery_runs, lesson_names
from tests.measures import page
from tests.measures.server import serving
from tests.measures.stopwatches import STREAM
from tests.measures.table import report
from tests.tiny_pair import write_pair

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    target, draft = write_pair(tmp_path_factory.mktemp("pair"))
    with serving([f"--target={target}", f"--draft={draft}", "--device=cpu"]) as (url, _):
        yield url


@pytest.mark.full
def test_everything_that_feels_is_measured(served, browser):
    assert [len(page.big_trees(most)) for most in (1, 3)] == [1, 3]
    steps = page.steps(browser, served, 1, 0, 1)
    assert len(steps) > 3 and min(steps) > 0
    assert min(page.usable(browser, served, 1) + page.first_token(browser, served, 1)) > 0
    (motion,) = page.slow_motion(browser, served, 1, factor=5)
    assert 0 <= motion < 100
    assert page.streamed(browser, served, 1) == [0.0]
    loses = STREAM.replace("bench.updates.push", "if (race.update % 2) bench.updates.push")
    assert page.streamed(browser, served, 1, loses) > [0.0]


def test_a_line_says_whether_the_median_is_within_the_aim():
    held, missed = page.line("a", "ms", 2, [1.0, 2.0, 3.0] * 3), page.line("b", "ms", 1, [3.0, 1.5])
    assert (held["median"], held["holds"], held["low"], held["high"]) == (2.0, True, 1.0, 3.0)
    assert (missed["median"], missed["holds"], missed["low"]) == (2.25, False, None)


def test_what_is_measured_is_printed_and_saved(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["page", "--json", str(tmp_path / "page.json"), "--rounds", "2"])
    report(lambda given: [page.line("a step", "ms", 2, [0.5] * given.rounds)], "How it feels.\n\nMore.")
    (line,) = json.loads((tmp_path / "page.json").read_text())
    assert (line["measure"], line["median"], line["values"]) == ("a step", 0.5, 2)
    told = capsys.readouterr().out
    assert all(word in told for word in ("How it feels.", "a step", "0.5", "torch"))


@pytest.mark.full
@pytest.mark.parametrize("works", [False, True], ids=["not there", "does not start"])
def test_no_browser_is_said_with_what_to_do(works, tmp_path):
    fake = tmp_path / "chromium"
    if works:
        fake.write_text("#!/bin/sh\nexit 1\n")
        fake.chmod(0o755)
    command = [sys.executable, "-m", "tests.measures.page"]
    told = subprocess.run(command, env=os.environ | {"CHROMIUM": str(fake)}, cwd=ROOT, capture_output=True, text=True)
    assert told.returncode == 1 and "needs Chromium: install it, name it in CHROMIUM" in told.stderr


@pytest.mark.full
def test_no_lesson_asks_anything_of_others(browser, tmp_path):
    """Of a file, opened from disk and stepped through."""

    def asked(name, text):
        (tmp_path / name).write_text(text, encoding="utf-8")
        own, addresses, opened = (tmp_path / name).as_uri(), [], browser.new_page()
        opened.on("request", lambda request: addresses.append(request.url))
        opened.goto(own)
        opened.locator("h1").first.wait_for()
        for _ in range(12):
            opened.keyboard.press("ArrowRight")
            opened.wait_for_timeout(50)
        opened.close()
        return [one for one in addresses if not one.startswith((own, "data:", "blob:"))]

    assert (
        len(asked("loud.html", "<h1>Hello</h1><img src='http://127.0.0.1:9/x.png'><script src='o.js'></script>")) == 2
    )
    runs = gallery_runs()
    for name in lesson_names():
        assert asked(f"{name}.html", lesson_document(find_lesson(name, runs))) == []
