"""The Lessons page's messages: lessons by name, runs to show elsewhere, and what is refused."""

import logging
import shutil

import pytest

from specviz.errors import SpecvizError
from specviz.ui.pages.lessons import find_lesson, find_race, load_lessons, own_runs
from specviz.ui.serving.runs import KeptRuns
from specviz.views.lessons.lesson import FOLDER, lesson_names
from tests.recorded import load_gallery


@pytest.fixture(scope="module")
def gallery():
    return load_gallery()


@pytest.fixture(scope="module")
def lessons(gallery):
    return load_lessons(gallery)


def test_all_lessons_load_in_order(lessons):
    assert [lesson.name for lesson in lessons] == list(lesson_names())


def test_a_damaged_lesson_is_left_out_and_the_log_says_so(gallery, tmp_path, caplog):
    for path in FOLDER.glob("0[34]-*.toml"):
        shutil.copy(path, tmp_path)
    good = (tmp_path / "04-residual.toml").read_text()
    (tmp_path / "04-residual.toml").write_text(good.replace("accepted == false", "accepted == true"))
    with caplog.at_level(logging.WARNING):
        assert [lesson.name for lesson in load_lessons(gallery, tmp_path)] == ["coin"]
    assert "04-residual.toml" in caplog.text
    assert "accepted == true" in caplog.text


def test_lessons_whose_runs_are_not_recorded_are_left_out():
    others = ["why", "call", "block", "joint", "losing"]  # an opening's, or their own
    assert [lesson.name for lesson in load_lessons(())] == others


@pytest.mark.parametrize("request_", [None, {}, {"name": "nope"}, {"name": ["coin"]}, {"name": None}, "coin"])
def test_an_unknown_lesson_is_refused(lessons, request_):
    with pytest.raises(SpecvizError, match="There is no lesson called"):
        find_lesson({lesson.name: lesson for lesson in lessons}, request_)


def test_a_lessons_runs_open_as_a_race(gallery, lessons):
    runs = KeptRuns(gallery)
    by_name = {lesson.name: lesson for lesson in lessons}
    own = own_runs(by_name["losing"])
    assert all(run.startswith("lesson:wood/") for run in own)
    for run, traces in own.items():
        runs.keep_always(run, traces)
    chain = "lesson:wood/2-speculative,wood/3-mcsd"
    race = find_race(runs, chain)
    assert (race["run"], race["state"], len(race["lanes"])) == (chain, "opened", 2)
    assert race["lanes"][1]["method"] == "mcsd"
    assert own_runs(by_name["coin"]) == {}
    race = find_race(runs, "gallery:speculative,autoregressive")
    assert (race["state"], race["lanes"][0]["method"]) == ("recorded", "speculative")


def test_a_lessons_own_runs_are_never_forgotten(gallery, lessons):
    runs = KeptRuns(gallery)
    ((joint, kept),) = own_runs(next(lesson for lesson in lessons if lesson.name == "joint")).items()
    runs.keep_always(joint, kept)
    for number in range(100):
        runs.keep(f"{number:032x}", (gallery[0],))
    assert runs.traces(joint)[0].header.method.name == "mtad"


@pytest.mark.parametrize(
    "run", [None, 3, "", "file:abc", "0" * 32, "pick:gallery:mtad.0", "lesson:unknown", "gallery:no"]
)
def test_only_recorded_runs_open(gallery, run):
    with pytest.raises(SpecvizError):
        find_race(KeptRuns(gallery), run)
