"""Files for a class: all lessons in one, handouts with answers and without, speaker's notes. Each opens offline."""

import base64
import json
import zlib
from collections.abc import Sequence

from specviz.lab.lessons.lesson import lesson_data
from specviz.views.lessons.lesson import Lesson
from specviz.views.lessons.path import load_path, notes
from specviz.views.lessons.payload import lesson_card, lesson_words
from specviz.views.lessons.sketch import look_sketch
from specviz.views.story.document import document
from specviz.views.story.payload_types import PaperLesson

KINDS = ("all", "handout", "answers", "notes")
"""What ``pack`` writes."""


def pack(kind: str, lessons: Sequence[Lesson]) -> tuple[str, str]:
    """(file name, HTML) of one of ``KINDS``. Raises SpecvizError where a lesson or the path is damaged."""
    if kind == "all":
        return "specviz-lessons.html", all_document(lessons)
    if kind == "notes":
        titles = {lesson.name: lesson.script.title for lesson in lessons}
        told = notes(load_path(lessons), titles)
        return "specviz-speaker-notes.html", document(f"specviz: {told['title']}", "notes", told)
    answers = kind == "answers"
    return f"specviz-handout{'-answers' if answers else ''}.html", handout_document(lessons, answers=answers)


def all_document(lessons: Sequence[Lesson]) -> str:
    """Every lesson in one HTML file, with the same player. What the lessons show is packed: deflated,
    and unpacked by the browser."""
    data = json.dumps([lesson_data(lesson) for lesson in lessons], separators=(",", ":"), allow_nan=False)
    packed = base64.b64encode(zlib.compress(data.encode(), 9)).decode()
    title = "All lessons"
    note = "All lessons in one file, made by specviz with: python -m specviz lesson --all"
    cards = [lesson_card(lesson) for lesson in lessons]
    return document(f"specviz: {title}", "lessons", {"title": title, "note": note, "cards": cards, "packed": packed})


def handout_document(lessons: Sequence[Lesson], *, answers: bool) -> str:
    """A printable file of the lessons: questions, guesses and small pictures; with the ``answers``, or lines to write
    them on."""
    one = lessons[0].script.title if len(lessons) == 1 else "Speculative decoding"
    title = f"{one}: {'answers' if answers else 'handout'}"
    note = "Made by specviz. Print it, or save it as PDF."
    papers = [_paper(lesson) for lesson in lessons]
    return document(
        f"specviz: {title}", "handout", {"title": title, "note": note, "answers": answers, "lessons": papers}
    )


def _paper(lesson: Lesson) -> PaperLesson:
    script = lesson.script
    return {
        "words": lesson_words(lesson),
        "question": look_sketch(lesson, script.question),
        "steps": [look_sketch(lesson, step) for step in script.steps],
    }
