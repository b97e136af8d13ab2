"""A teaching path through several lessons, with speaker's notes: one TOML file (assets/lessons/README.md).

The path itself is public; the notes contain answers, so they are on a page of their own (``notes``), never on the
Lessons page."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config

from specviz.errors import SpecvizError
from specviz.views.lessons.lesson import FOLDER, Lesson
from specviz.views.story.payload_types import NotedPart, NotesDocument, PathPart, TeachingPath

FILE = FOLDER / "paths" / "45-minutes.toml"
LIMIT = 64_000
"""Bytes that a path's file may have."""


@dataclass(frozen=True, kw_only=True)
class ClassPart:
    """Some ``minutes``: the ``steps`` of a lesson (from 1, the question) or, without a lesson, something else; what the
    ``screen`` shows at each step, what to ``say`` and to ``ask``, and what the class will get ``wrong``."""

    minutes: int
    title: str
    screen: tuple[str, ...]
    say: str
    ask: str
    wrong: str
    lesson: str | None = None
    steps: tuple[int, ...] = ()


@dataclass(frozen=True)
class Way:
    """A whole path; ``minutes`` is the sum of its parts'."""

    title: str
    minutes: int
    about: str
    parts: tuple[ClassPart, ...]


_FILE = TypeAdapter(with_config(ConfigDict(extra="forbid"))(Way))


def load_path(lessons: Sequence[Lesson], file: Path = FILE) -> Way:
    """Read and check a path. Raises SpecvizError, naming file and part, if its minutes do not add up, a lesson lacks a
    step, or ``screen`` does not describe each step."""
    try:
        with open(file, "rb") as opened:
            path = _FILE.validate_python(tomllib.loads(opened.read(LIMIT + 1)[:LIMIT].decode()))
    except OSError as error:
        raise SpecvizError(f"{file.name}: the file cannot be read ({error.strerror})") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, ValidationError) as error:
        raise SpecvizError(f"{file.name}: {str(error)[:300]}") from None
    total = sum(part.minutes for part in path.parts)
    if total != path.minutes:
        raise SpecvizError(f"{file.name}: the parts take {total} minutes together, not {path.minutes}")
    steps = {lesson.name: 1 + len(lesson.script.steps) for lesson in lessons}
    for number, part in enumerate(path.parts):
        if (part.lesson is None) != (not part.steps):
            raise SpecvizError(f"{file.name}: parts.{number}: a lesson and its steps belong together")
        if part.lesson is not None and not all(1 <= step <= steps.get(part.lesson, 0) for step in part.steps):
            raise SpecvizError(f"{file.name}: parts.{number}: the lesson {part.lesson[:40]!r} has no such steps")
        if not part.screen or part.steps and len(part.screen) != len(part.steps):
            raise SpecvizError(f"{file.name}: parts.{number}: screen says what is shown at each step, a sentence each")
    return path


def way(path: Way) -> TeachingPath:
    """What the page shows: the parts, without the notes."""
    parts: list[PathPart] = [_shown(part, begins) for part, begins in _begun(path)]
    return {"title": path.title, "minutes": path.minutes, "about": path.about, "parts": parts}


def notes(path: Way, titles: Mapping[str, str]) -> NotesDocument:
    """The printable page of speaker's notes; ``titles`` of the lessons by name."""
    parts: list[NotedPart] = [
        {
            **_shown(part, begins),
            "title": part.title if part.lesson is None else titles[part.lesson],
            "screen": list(part.screen),
            "say": part.say,
            "ask": part.ask,
            "wrong": part.wrong,
        }
        for part, begins in _begun(path)
    ]
    note = "Speaker’s notes: they tell the answers, so keep them off the class’s screen."
    return {"title": path.title, "note": note, "about": path.about, "parts": parts}


def _begun(path: Way) -> list[tuple[ClassPart, int]]:
    begins = accumulate((part.minutes for part in path.parts), initial=0)
    return list(zip(path.parts, begins, strict=False))


def _shown(part: ClassPart, begins: int) -> PathPart:
    return {
        "begins": begins,
        "minutes": part.minutes,
        "title": part.title,
        "lesson": part.lesson,
        "steps": list(part.steps),
    }
