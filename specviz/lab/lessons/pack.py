"""Files for a class: all lessons in one, handouts with answers and without, speaker's notes. Each opens offline."""

from collections.abc import Sequence

from specviz.lab.lessons.lesson import lesson_data
from specviz.views.lessons.lesson import Lesson
from specviz.views.lessons.path import load_path, notes
from specviz.views.lessons.payload import lesson_card, lesson_words
from specviz.views.lessons.sketch import look_sketch
from specviz.views.story.document import document
from specviz.views.story.payload_types import LessonStep, PaperLesson, PaperStep, Sketch

KINDS = ("all", "handout", "answers", "notes")
"""What ``pack`` writes."""


def pack(kind: str, lessons: Sequence[Lesson]) -> tuple[str, str]:
    """(file name, HTML) of one of ``KINDS``. Raises SpecvizError where a lesson or the path is damaged."""
    if kind == "all":
        return "specviz-lessons.html", all_document(lessons)
    if kind == "notes":
        titles = {lesson.name: lesson.script.title for lesson in lessons}
        speaker_notes = notes(load_path(lessons), titles)
        return "specviz-speaker-notes.html", document(f"specviz: {speaker_notes['title']}", "notes", speaker_notes)
    answers = kind == "answers"
    return f"specviz-handout{'-answers' if answers else ''}.html", handout_document(lessons, answers=answers)


def all_document(lessons: Sequence[Lesson]) -> str:
    """Every lesson in one HTML file, with the same player."""
    title = "All lessons"
    note = "All lessons in one file, made by specviz with: python -m specviz lesson --all"
    cards = [lesson_card(lesson) for lesson in lessons]
    contents = [lesson_data(lesson) for lesson in lessons]
    return document(f"specviz: {title}", "lessons", {"title": title, "note": note, "cards": cards, "lessons": contents})


def handout_document(lessons: Sequence[Lesson], *, answers: bool) -> str:
    """A printable file of the lessons: questions, guesses and small pictures; with the ``answers``, or with lines to
    write them on and no answer anywhere in the file."""
    subject = lessons[0].script.title if len(lessons) == 1 else "Speculative decoding"
    title = f"{subject}: {'answers' if answers else 'handout'}"
    note = "Made by specviz. Print it, or save it as PDF."
    papers = [_paper(lesson, answers=answers) for lesson in lessons]
    return document(
        f"specviz: {title}", "handout", {"title": title, "note": note, "answers": answers, "lessons": papers}
    )


def _paper(lesson: Lesson, *, answers: bool) -> PaperLesson:
    words, script = lesson_words(lesson), lesson.script
    question = words["question"]
    steps = [
        _paper_step(step_words, look_sketch(lesson, step, outcomes=answers), answers=answers)
        for step_words, step in zip(words["steps"], script.steps, strict=True)
    ]
    return {
        "title": words["title"],
        "goal": words["goal"] if answers else None,
        "picture": look_sketch(lesson, script.question),
        "question": question["text"],
        "choices": [
            {
                "text": choice["text"],
                "answer": choice["answer"] if answers else None,
                "right": choice["right"] if answers else None,
            }
            for choice in question["choices"]
        ],
        "steps": [step for step in steps if step["guess"] or step["say"] or step["thoughts"]],
        "takeaway": words["takeaway"] if answers else None,
    }


def _paper_step(step: LessonStep, picture: Sketch | None, *, answers: bool) -> PaperStep:
    guess = step["predict"]
    return {
        "picture": picture if guess or answers else None,
        "guess": guess and guess["label"],
        "verdict": guess["verdict"] if guess and answers else None,
        "say": step["say"] if answers else None,
        "thoughts": [
            {"think": misconception["think"], "but": misconception["but"] if answers else None}
            for misconception in step["misconceptions"]
        ],
    }
