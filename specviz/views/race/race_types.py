"""The data of a race that views pass to the player: its lanes, its verdict, and the file of one."""

from typing import Any, Literal, NotRequired, TypedDict

from specviz.views.story.payload_types import (
    CallCost,
    Dial,
    LaneMotion,
    LaneTheory,
    Pace,
    StandaloneHandout,
    StandaloneLesson,
    StandaloneLessons,
    StandaloneNotes,
    StandaloneStep,
)


class GuaranteeBadge(TypedDict):
    """What the distribution of a method's text is."""

    kind: str
    """Of the registry's guarantees (target, greedy, beam, ...), "always greedy" where the temperature has no say,
    "unchecked" where a method of one's own has not been held to what it promises."""
    name: str
    help: str
    exact: bool


class ModelPrints(TypedDict):
    """The fingerprints of a pair of models; ``draft`` is null where a method asks none."""

    target: str | None
    draft: str | None


class OriginKey(TypedDict):
    """Where a token came from: its look and what it means."""

    name: str
    glyph: str
    word: str
    help: str


class PhaseKey(TypedDict):
    """A phase of the clock."""

    name: str
    word: str


class RaceLegend(TypedDict):
    """What the colours of a race mean; ``outcomes`` are those of guesses."""

    origins: list[OriginKey]
    outcomes: list[OriginKey]
    phases: list[PhaseKey]


class LaneView(TypedDict):
    """A lane of a race."""

    method: str
    title: str
    summary: str
    guarantee: GuaranteeBadge
    pair: ModelPrints
    options: dict[str, Any]
    tokens: list[tuple[str, str, int, float | None]]
    """Piece, origin, iteration, log-probability."""
    beams: bool
    """Whether tokens become output in the iteration that settles them."""
    pending: list[str]
    """Pieces not settled so far."""
    segments: list[tuple[str, float, float, int]]
    """Phase, start, end (seconds of the lane's clock), iteration."""
    iterations: int
    clock: float
    finished: bool
    model: str
    """The target's name."""
    dials: list[Dial]
    pace: Pace | None
    newest: LaneMotion | None
    """Its last iteration."""


class ForkView(TypedDict):
    """Where a lane, here called by its ``name``, leaves another one: numbers of lanes from 0, the output tokens that
    they share, what was changed, in a few words, and what came of it, in a sentence or two ("" as long as it is being
    written)."""

    name: str
    lane: int
    of: int
    position: int
    change: str
    said: str


class RaceMessage(TypedDict):
    """A race as it stands: recorded, running, finished, stopped or opened."""

    kind: Literal["race"]
    run: str
    state: str
    prompt: str | None
    seed: int | None
    pair: str | None
    """The name of the models, "" for the first of the page; null where nobody knows."""
    lanes: list[LaneView | None]
    verdict: list[str]
    calls: list[CallCost]
    about_calls: str
    theory: list[LaneTheory]
    care: str
    lesson: str
    """The one that explains what is odd about this race; "" for none."""
    forks: list[ForkView]
    """Where lanes leave others; none of a race."""
    branches: NotRequired[list[dict[str, Any]]]
    """The same as the form has it."""
    turns: NotRequired[list[tuple[str, str]]]
    """What was said before the prompt: a question and its answer each."""
    system: NotRequired[str]
    """What the models were told to be; "" for what their template says."""
    unfamiliar: NotRequired[str]
    """That its models cannot know what they are asked; "" where they may."""
    note: NotRequired[str]
    form: NotRequired[str]
    update: NotRequired[int]


class RaceDocument(TypedDict):
    """What an exported race shows."""

    title: str
    race: RaceMessage
    legend: RaceLegend
    motion: list[LaneMotion | None]
    note: NotRequired[str]


class StandaloneRace(TypedDict):
    """The data of an exported file with a race."""

    kind: Literal["race"]
    glossary: dict[str, str]
    data: RaceDocument


StandaloneDocument = (
    StandaloneStep | StandaloneLesson | StandaloneLessons | StandaloneHandout | StandaloneNotes | StandaloneRace
)
