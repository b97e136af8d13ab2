"""Files for a class: what is in them and, as important, what is not."""

import json
import re

import pytest

from specviz.__main__ import main
from specviz.errors import SpecvizError
from specviz.lab.lessons.lesson import lesson_data
from specviz.lab.lessons.pack import all_document, handout_document, pack
from specviz.views.lessons.lesson import find_lesson, gallery_runs, lesson_names
from specviz.views.lessons.path import FILE, load_path, way
from specviz.views.lessons.payload import lesson_words
from tests.saved_file import held


@pytest.fixture(scope="module")
def lessons():
    recorded = gallery_runs()
    return [find_lesson(name, recorded) for name in lesson_names()]


@pytest.mark.full
def test_all_lessons_are_in_one_file(lessons):
    text = all_document(lessons)
    assert "default-src 'none'" in text
    data = held(text)["data"]
    assert [card["name"] for card in data["cards"]] == list(lesson_names())
    assert [one["lesson"]["name"] for one in data["lessons"]] == list(lesson_names())
    assert data["lessons"][2] == json.loads(json.dumps(lesson_data(lessons[2])))


def test_a_handout_has_the_questions_and_small_pictures(lessons):
    data = held(handout_document(lessons, answers=False))["data"]
    assert data["answers"] is False
    for lesson, paper in zip(lessons, data["lessons"], strict=True):
        assert paper["question"] == lesson.filled(lesson.script.question.text, lesson.script.question.ref)
        assert paper["steps"] and any(step["thoughts"] for step in paper["steps"])
    assert any(step["picture"] for paper in data["lessons"] for step in paper["steps"])
    assert held(handout_document(lessons[:1], answers=True))["data"]["title"] == "Why speculate?: answers"


def answers_of(words):
    """Everything in a lesson's words that tells an answer."""
    told = [choice["answer"] for choice in words["question"]["choices"]] + [words["goal"], words["takeaway"]]
    told += [step["say"] for step in words["steps"]]
    return told + [one["but"] for step in words["steps"] for one in step["misconceptions"]]


def leaves(value, path=""):
    """(path, value) of everything in a JSON value that is neither an object nor a list."""
    if isinstance(value, dict | list):
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(one, f"{path}.{key}")
    else:
        yield path, value


@pytest.mark.full
def test_no_answer_is_anywhere_in_the_file_of_a_students_handout(lessons):
    papers = {answers: handout_document(lessons, answers=answers) for answers in (False, True)}
    data = {answers: held(text)["data"]["lessons"] for answers, text in papers.items()}
    source = json.dumps(held(papers[False]), ensure_ascii=False)
    for lesson, paper, whole in zip(lessons, data[False], data[True], strict=True):
        for answer in answers_of(lesson_words(lesson)):
            assert json.dumps(answer, ensure_ascii=False)[1:-1] not in source and answer not in papers[False]
            assert answer in [value for _, value in leaves(whole)]
        telling = re.compile(r"\.(right|answer|verdict|say|but|goal|takeaway)$")
        assert {value for path, value in leaves(paper) if telling.search(path)} == {None}
        states = {value for path, value in leaves(paper) if path.endswith(".state")}
        assert not states & {"accepted", "rejected", "unjudged", "dropped", "spare"}
        assert [choice["right"] for choice in whole["choices"]].count(True) == 1
    assert {step["verdict"] for paper in data[True] for step in paper["steps"]} == {"accepted", "rejected", None}


SHOWN = {  # what notes call a panel
    "tree": r"tree|chain",
    "mask": r"mask",
    "probabilities": r"\bbars\b",
    "decision": r"decision",
}


def test_the_notes_say_what_the_screen_shows_at_each_step(lessons):
    by_name = {lesson.name: lesson.script for lesson in lessons}
    path = load_path(lessons)
    notes = held(pack("notes", lessons)[1])["data"]["parts"]
    assert [part["screen"] for part in notes] == [list(part.screen) for part in path.parts]
    for part in path.parts:
        for step, said in zip(part.steps, part.screen, strict=bool(part.steps)):
            script = by_name[part.lesson]
            look = script.question if step == 1 else script.steps[step - 2]
            named = {panel for panel, words in SHOWN.items() if re.search(words, said)}
            assert named == set(look.panels), (part.lesson, step)
            assert bool(look.lanes) == ("runs" in said) and bool(look.costs) == ("chart" in said)
            assert getattr(look, "breaks", False) == ("switches" in said) and (step == 1) == ("question with" in said)


def test_the_way_has_trees_and_mtad_in_it(lessons):
    assert {"tree", "joint"} <= {part.lesson for part in load_path(lessons).parts}


def test_the_way_of_a_class_has_no_word_of_the_notes(lessons):
    path = load_path(lessons)
    shown = json.dumps(way(path))
    notes = json.dumps(held(pack("notes", lessons)[1]))
    for part in path.parts:
        for said in (*part.screen, part.say, part.ask, part.wrong):
            assert said not in shown
            assert json.dumps(said)[1:-1] in notes
    begins = [part["begins"] for part in way(path)["parts"]]
    assert begins[0] == 0 and begins[-1] + path.parts[-1].minutes == path.minutes == 45


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("minutes = 45", "minutes = 44", "the parts take 45 minutes together, not 44"),
        ("steps = [1, 3, 5]", "steps = [1, 3, 9]", "parts.2: the lesson 'call' has no such steps"),
        ("steps = [1, 3, 5]", "steps = [1, 3]", "parts.2: screen says what is shown at each step"),
        ('lesson = "coin"', 'lesson = "no"', "parts.3: the lesson 'no' has no such steps"),
        ("steps = [1, 3, 5]", "", "belong together"),
        ('title = "The coin"', "title = 3", "title"),
    ],
)
def test_a_damaged_path_is_refused_with_the_reason(lessons, tmp_path, old, new, said):
    text = FILE.read_text()
    assert old in text
    (tmp_path / "path.toml").write_text(text.replace(old, new))
    with pytest.raises(SpecvizError, match=said):
        load_path(lessons, tmp_path / "path.toml")


@pytest.mark.full
def test_the_command_writes_them(tmp_path, capsys):
    out = tmp_path / "paper.html"
    assert main(["lesson", "coin", "--handout", "--out", str(out)]) == 0
    assert [paper["title"] for paper in held(out.read_text())["data"]["lessons"]] == ["The coin"]
    assert main(["lesson", "coin", "--notes", "--out", str(out)]) == 2
    assert "--notes is of all lessons" in capsys.readouterr().err
