"""A whole lesson: its switches agree with the breaks, and the file holds everything and asks for nothing."""

import json

import pytest

from specviz.__main__ import main
from specviz.lab.lessons.lesson import broken_rules, lesson_data, lesson_document, switches
from specviz.views.lessons.lesson import find_lesson, gallery_runs
from specviz.views.story.document import SCRIPT
from tests.saved_file import held


@pytest.fixture(scope="module")
def recorded():
    return gallery_runs()


@pytest.fixture(scope="module")
def residual(recorded):
    return find_lesson("residual", recorded)


@pytest.mark.full
def test_switches_tell_what_the_breaks_compute(residual, recorded):
    ref = residual.script.steps[2].ref
    shown, number = switches(residual, ref), int(ref.scene.removeprefix("decision-"))
    assert [one["name"] for one in shown] == list(broken_rules.NAMES)
    assert shown[0]["distance"] == pytest.approx(0, abs=1e-9)
    for one in shown:
        found = broken_rules.step_distance(recorded["speculative"], ref.iteration, number, one["name"])
        assert one["distance"] == found["distance"]
        assert one["reference"] == pytest.approx(broken_rules.distance(one["name"]))
        assert {row["token"] for row in one["distribution"]} == {row["token"] for row in shown[0]["distribution"]}
    assert all(one["distance"] > 0.05 for one in shown[1:])
    favourite = residual.filled("{favourite}", ref).strip("“”")
    resampled = next(row for row in shown[1]["distribution"] if row["token"] == favourite)
    said = residual.facts.value("favourite_twice", ref)
    assert resampled["broken"] == pytest.approx(said.raw)


def test_the_data_has_all_iterations_that_are_shown(residual):
    data = lesson_data(residual)
    assert len(data["pictures"]) == 3  # the question, and two iterations
    assert list(data["breaks"]) == ["2"]
    json.dumps(data, allow_nan=False)


def test_a_file_holds_everything_and_asks_for_nothing(residual):
    text = lesson_document(residual)
    assert "default-src 'none'" in text
    assert SCRIPT.read_text(encoding="utf-8") in text
    written = held(text)
    assert written["kind"] == "lesson"
    assert written["data"]["title"] == "The residual"
    assert written["data"]["pictures"]


def test_the_command_lists_and_writes_lessons(tmp_path, capsys):
    assert main(["lesson"]) == 0
    assert capsys.readouterr().out.split()[:3] == ["why", "call", "coin"]
    path = tmp_path / "coin.html"
    assert main(["lesson", "coin", "--out", str(path)]) == 0
    assert "The coin" in path.read_text(encoding="utf-8")


@pytest.mark.full
def test_the_command_refuses_what_is_not_there(tmp_path, capsys):
    assert main(["lesson", "nope"]) == 2
    assert "lesson must be one of why, call, coin" in capsys.readouterr().err
    assert main(["lesson", "coin", "--out", str(tmp_path / "no" / "coin.html")]) == 2
    assert "cannot be written" in capsys.readouterr().err
