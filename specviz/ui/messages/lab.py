"""The Lab: cards with their charts and promises, the runs behind a point."""

from typing import Any, TypedDict

from specviz.ui.messages.sweeps import SweepSetup
from specviz.views.story.payload_types import DrawnFigure


class LabPromise(TypedDict):
    """What a paper says, its number, the numbers here, and whether it holds."""

    card: str
    says: str
    paper: str
    number: str
    here: list[str]
    verdict: str
    """holds, fails or untested."""
    clear: bool
    """Whether the intervals leave no doubt that it holds, or fails."""
    words: str


class LabEntry(TypedDict):
    """A card in the list."""

    name: str
    title: str
    paper: str


class LabSetup(TypedDict):
    """Of the Lab."""

    cards: list[LabEntry]
    sweeps: SweepSetup


class LabPromises(TypedDict):
    """Of all cards."""

    promises: list[LabPromise]
    made: str
    """When and where the rows that ship were made."""


class TheoryPoint(TypedDict):
    """A setting of a card, for the theory to be held against: agreement, guesses, and medians of what was measured
    (costs of a draft call ``c`` and of a target call on a draft ``v``, speed and arithmetic, all in those of plain
    decoding; None where that was not timed)."""

    name: str
    card: str
    alpha: float
    gamma: int
    c: float | None
    v: float | None
    tokens: float
    speed: float | None
    arithmetic: float | None


class LabFigure(TypedDict):
    """A chart of one number, with words."""

    key: str
    label: str
    help: str
    figure: DrawnFigure
    words: str


class LabPoint(TypedDict):
    """A setting: a value with its interval ("" where there is none) for every column."""

    number: int
    name: str
    best: bool
    runs: int
    left_out: int
    values: list[tuple[str, str]]


class LabView(TypedDict):
    """What the rows of a card, or of a sweep of one's own, say, on all prompts or those of a ``category`` ("": all);
    ``categories``: those there are, none where all prompts are of one. Promises are about all prompts."""

    title: str
    paper: str
    asks: str
    say: str
    grid: str
    seconds: float
    """Of computing, that all runs took."""
    category: str
    categories: list[str]
    figures: list[LabFigure]
    columns: list[str]
    points: list[LabPoint]
    promises: list[LabPromise]
    made: str


class RunMade(TypedDict):
    """What tells whether a run that is made again is the one that was recorded."""

    tokens: int
    tokens_per_target_call: float | None
    perplexity: float | None


class LabRun(TypedDict):
    """A run behind a point, and the race whose first lane makes it again."""

    prompt: str
    text: str
    category: str
    seed: int
    disturbed: str | None
    values: list[str]
    made: RunMade
    form: dict[str, Any]


class LabRuns(TypedDict):
    """The runs behind a point."""

    name: str
    columns: list[str]
    rows: list[LabRun]
    left_out: int
    """Rows beyond those shown."""
