"""The Lessons page: the browser asks for one lesson at a time and steps through it by itself."""

import logging
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

import gradio as gr

from specviz.errors import SpecvizError, as_given
from specviz.lab.lessons.lesson import lesson_data, lesson_document
from specviz.lab.lessons.pack import KINDS, pack
from specviz.trace.record import Trace
from specviz.ui.island import island, to_json
from specviz.ui.messages.library import LessonsSetup
from specviz.ui.pages.library import shown_race
from specviz.ui.serving.runs import GALLERY, LESSON, KeptRuns
from specviz.ui.settings import CheckedRequest, read, says
from specviz.views.lessons.lesson import FOLDER, Lesson, lesson_files, load_lesson
from specviz.views.lessons.path import load_path, way
from specviz.views.lessons.payload import lesson_card, lesson_words
from specviz.views.race.race_types import RaceMessage
from specviz.views.story.payload_types import TeachingPath

log = logging.getLogger(__name__)


def load_lessons(gallery: Sequence[Trace], folder: Path = FOLDER) -> tuple[Lesson, ...]:
    """The lessons of a folder, in order; one that is damaged, or whose recorded run is not in the gallery, is left out,
    with a line in the log."""
    recorded = {trace.header.method.name: trace for trace in gallery}
    lessons = []
    for path in lesson_files(folder):
        try:
            lessons.append(load_lesson(path, recorded))
        except SpecvizError as error:
            log.warning("a lesson is left out: %s", error)
    return tuple(lessons)


def build_lessons(runs: KeptRuns, lessons: Sequence[Lesson]) -> gr.HTML:
    """The page's component, wired; call it inside a Blocks context. The lessons' own runs are kept in ``runs``."""
    by_name = {lesson.name: lesson for lesson in lessons}
    for one in lessons:
        for run, traces in own_runs(one).items():
            runs.keep_always(run, traces)

    @lru_cache(maxsize=len(by_name) or None)
    def written(name: str) -> str:
        return to_json(lesson_data(by_name[name]))

    def lesson(request: Any) -> str:
        """Called by the browser with {name}: a lesson with its pictures, or {"error": why not}."""
        return written(find_lesson(by_name, request).name)

    def lesson_file(request: Any) -> dict[str, str]:
        """Called by the browser with {name}: {name, text} of a file that opens offline, or {"error": why not}."""
        name = find_lesson(by_name, request).name
        return {"name": f"specviz-lesson-{name}.html", "text": lesson_document(by_name[name])}

    def lesson_race(run: Any) -> RaceMessage:
        """Called by the browser with the id of recorded runs: the race message that shows them, or {"error": ...}."""
        return find_race(runs, run)

    def lesson_pack(kind: Any) -> dict[str, str]:
        """Called by the browser with one of KINDS: {name, text} of a file for a class, or {"error": why not}."""
        if kind not in KINDS or not lessons:
            raise SpecvizError("This is no file for a class.", argument="kind", code="unknown_name")
        name, text = packed(kind)
        return {"name": name, "text": text}

    @lru_cache(maxsize=len(KINDS))
    def packed(kind: str) -> tuple[str, str]:
        return pack(kind, lessons)

    setup: LessonsSetup = {"lessons": [lesson_card(lesson) for lesson in lessons], "path": _path(lessons)}
    calls = {call.__name__: call for call in (lesson, lesson_file, lesson_pack, lesson_race)}
    return island("lessons", setup=setup, calls=calls)


def _path(lessons: Sequence[Lesson]) -> TeachingPath | None:
    """The way through the lessons for a class, without its notes; None where a lesson of it is left out."""
    try:
        return way(load_path(lessons))
    except SpecvizError as error:
        log.warning("the path for a class is left out: %s", error)
        return None


class LessonRequest(CheckedRequest):
    """A lesson."""

    name: Annotated[str, says("There is no lesson called {value}.", code="unknown_name")]


def find_lesson(lessons: Mapping[str, Lesson], data: Any) -> LessonRequest:
    """The lesson that a request names. Raises SpecvizError where there is none of that name."""
    request = read(LessonRequest, data if isinstance(data, Mapping) else {})
    if request.name not in lessons:
        raise SpecvizError(
            f"There is no lesson called {as_given(request.name, 40)}.", argument="name", code="unknown_name"
        )
    return request


def own_runs(lesson: Lesson) -> dict[str, tuple[Trace, ...]]:
    """The runs of a lesson that are no part of the gallery, by the ids under which the page shows them."""
    words = lesson_words(lesson)
    runs = {}
    for look, said in zip(
        (lesson.script.question, *lesson.script.steps), (words["question"], *words["steps"]), strict=True
    ):
        where = said["look"]["where"]
        if where and where["run"].startswith(LESSON):
            names = (look.ref.run,) if look.ref else look.lanes
            runs[where["run"]] = tuple(lesson.runs[name] for name in names)
    return runs


def find_race(runs: KeptRuns, run: Any) -> RaceMessage:
    """The message that shows a recorded run of a lesson on the Race page. Raises SpecvizError for any other."""
    if not isinstance(run, str) or not run.startswith((GALLERY, LESSON)):
        raise SpecvizError("This is no recorded run of a lesson.", argument="run")
    return shown_race(runs, run)
