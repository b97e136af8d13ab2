"""Files for a class: what is in them and, as important, what is not."""

import base64
import json
import re
import zlib

import pytest

from specviz.__main__ import main
from specviz.errors import SpecvizError
from specviz.lab.lessons.lesson import lesson_data
from specviz.lab.lessons.pack import all_document, handout_document, pack
from specviz.views.lessons.lesson import find_lesson, gallery_runs, lesson_names
from specviz.views.lessons.path import FILE, load_path, way

LARGEST = 8_000_000  # bytes of the file with all lessons


@pytest.fixture(scope="module")
def lessons():
    recorded = gallery_runs()
    return [find_lesson(name, recorded) for name in lesson_names()]


def held(text):
    """The data in a file."""
    return json.loads(re.search(r'id="specviz-data">(.*?)</script>', text, re.S)[1])


def test_all_lessons_are_in_one_file_that_is_small_enough(lessons):
    text = all_document(lessons)
    assert len(text.encode()) < LARGEST
    assert "default-src 'none'" in text
    data = held(text)["data"]
    assert [card["name"] for card in data["cards"]] == list(lesson_names())
    whole = json.loads(zlib.decompress(base64.b64decode(data["packed"])))
    assert [one["lesson"]["name"] for one in whole] == list(lesson_names())
    assert whole[2] == json.loads(json.dumps(lesson_data(lessons[2])))


def test_a_handout_has_the_questions_and_small_pictures(lessons):
    data = held(handout_document(lessons, answers=False))["data"]
    assert data["answers"] is False
    for lesson, paper in zip(lessons, data["lessons"], strict=True):
        assert paper["words"]["question"]["text"] == lesson.filled(
            lesson.script.question.text, lesson.script.question.ref
        )
        assert any(paper["steps"])
    assert held(handout_document(lessons[:1], answers=True))["data"]["title"] == "Why speculate?: answers"


def test_the_way_of_a_class_has_no_word_of_the_notes(lessons):
    path = load_path(lessons)
    shown = json.dumps(way(path))
    notes = pack("notes", lessons)[1]
    for part in path.parts:
        for said in (part.say, part.ask, part.wrong):
            assert said not in shown
            assert json.dumps(said)[1:-1] in notes
    begins = [part["begins"] for part in way(path)["parts"]]
    assert begins[0] == 0 and begins[-1] + path.parts[-1].minutes == path.minutes == 45


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("minutes = 45", "minutes = 44", "the parts take 45 minutes together, not 44"),
        ("steps = [1, 2, 3, 5]", "steps = [1, 9]", "parts.2: the lesson 'call' has no such steps"),
        ('lesson = "coin"', 'lesson = "no"', "parts.3: the lesson 'no' has no such steps"),
        ("steps = [1, 2, 3, 5]", "", "belong together"),
        ('title = "The coin"', "title = 3", "title"),
    ],
)
def test_a_damaged_path_is_refused_with_the_reason(lessons, tmp_path, old, new, said):
    text = FILE.read_text()
    assert old in text
    (tmp_path / "path.toml").write_text(text.replace(old, new))
    with pytest.raises(SpecvizError, match=said):
        load_path(lessons, tmp_path / "path.toml")


def test_the_command_writes_them(tmp_path, capsys):
    out = tmp_path / "paper.html"
    assert main(["lesson", "coin", "--handout", "--out", str(out)]) == 0
    assert [paper["words"]["name"] for paper in held(out.read_text())["data"]["lessons"]] == ["coin"]
    assert main(["lesson", "coin", "--notes", "--out", str(out)]) == 2
    assert "--notes is of all lessons" in capsys.readouterr().err
