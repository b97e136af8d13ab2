"""The Lessons and the Library: shelves, opened and saved files."""

from typing import Any, NotRequired, TypedDict

from specviz.views.race.race_types import GuaranteeBadge, ModelPrints, RaceMessage
from specviz.views.story.payload_types import LessonCard, TeachingPath


class LessonsSetup(TypedDict):
    """Of the Lessons page."""

    lessons: list[LessonCard]
    path: TeachingPath | None


class LibrarySetup(TypedDict):
    """Of the Library page."""

    intro: str
    largest: int
    most: int
    help: dict[str, str]


class ShelfRow(TypedDict):
    """One lane in the Library's list."""

    run: str
    lane: int
    method: str
    title: str
    guarantee: GuaranteeBadge
    pair: ModelPrints
    options: dict[str, Any]
    set: str
    prompt: str
    numbers: dict[str, tuple[float | None, str]]
    """By column: value and text."""


class Shelf(TypedDict):
    """Rows of the Library, and the runs that are gone."""

    rows: list[ShelfRow]
    gone: list[str]


class ShownRace(TypedDict):
    """Lanes as a race."""

    race: RaceMessage


class OpenedFile(TypedDict):
    """A file that was opened: its race, its rows, and where it was looked at."""

    race: RaceMessage
    rows: list[ShelfRow]
    screen: dict[str, str]


class SavedFile(TypedDict):
    """A file of the Library."""

    name: str
    text: str
    note: NotRequired[str]


class RaceFigure(TypedDict):
    """A figure of a race as JSON text, with words; or a file in base64."""

    figure: NotRequired[str]
    text: NotRequired[str]
    file: NotRequired[str]
