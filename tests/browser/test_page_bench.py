"""The page benchmark's stopwatches in a real browser, on the tiny pair: they measure, and they see what is wrong."""

import pytest

from specviz.lab.page import bench as bench
from specviz.lab.page.bench import big_trees
from specviz.lab.page.server import serving
from tests.tiny_pair import write_pair


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    target, draft = write_pair(tmp_path_factory.mktemp("pair"))
    with serving([f"--target={target}", f"--draft={draft}", "--device=cpu"]) as page:
        yield page


@pytest.mark.full
def test_steps_of_a_big_tree_are_all_measured(served, browser, monkeypatch):
    monkeypatch.setattr(bench, "PAUSE", 50)
    monkeypatch.setattr(bench, "big_trees", lambda: big_trees(1))
    slow, fast = bench.steps(served.url, browser, 1)
    assert len(slow.values) == len(fast.values) > 3
    assert all(value > 0 for value in slow.values + fast.values) and "60 nodes" in slow.note


@pytest.mark.full
def test_first_screen_and_first_token(served, browser):
    (usable,) = bench.usable(served.url, browser, 1)
    (first,) = bench.first_token(served.url, browser, 1)
    assert len(usable.values) == len(first.values) == 1
    assert usable.values[0] > 0 and first.values[0] > 0


@pytest.mark.full
def test_a_stream_is_whole_and_the_stopwatch_sees_what_is_not(served, browser, monkeypatch):
    (whole,) = bench.streamed(served.url, browser, 1)
    assert whole.values == (0.0,) and whole.holds
    assert int(whole.note.split(", ")[1].split()[0]) >= bench.ITERATIONS
    loses = bench.STREAM.replace("bench.updates.push", "if (race.update % 2) bench.updates.push")
    monkeypatch.setattr(bench, "STREAM", loses)
    (half,) = bench.streamed(served.url, browser, 1)
    assert half.values[0] > 0 and not half.holds


@pytest.mark.full
def test_frames_of_slow_motion_are_counted(served, browser):
    (motion,) = bench.slow_motion(served.url, browser, 1, factor=5)
    assert len(motion.values) == 1 and 0 <= motion.values[0] < 100
    assert int(motion.note.split()[0]) > 10


@pytest.mark.full
def test_frames_that_are_missing_are_seen():
    whole = [1000 / 60 * frame for frame in range(121)]
    assert bench.dropped_frames(whole) == 0
    assert bench.dropped_frames(whole[:50] + whole[56:]) == pytest.approx(100 * 6 / 120)
    assert bench.dropped_frames(whole[:1]) == pytest.approx(100)


def test_a_file_that_asks_outside_is_caught(browser, tmp_path):
    quiet, loud = tmp_path / "quiet.html", tmp_path / "loud.html"
    quiet.write_text("<h1>Hello</h1><img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>")
    loud.write_text("<h1>Hello</h1><img src='http://127.0.0.1:9/x.png'><script src='other.js'></script>")
    assert bench._outside(browser, quiet) == 0 and bench._outside(browser, loud) == 2
