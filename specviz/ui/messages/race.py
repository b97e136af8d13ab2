"""The Race page: its setup, a race on its way and at its end, as a file."""

from typing import Any, Literal, NotRequired, TypedDict

from specviz.ui.messages.header import (
    ExampleSetup,
    FamilySetup,
    GuaranteeBadge,
    MethodSetup,
    ModelPrints,
    OptionSetup,
    RaceLegend,
)
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


class LaneForm(TypedDict):
    """A lane: its method with the options that are set."""

    method: str
    options: dict[str, Any]


class RaceStart(TypedDict):
    """What the form of a race holds when the page opens."""

    prompt: str
    lanes: list[LaneForm]
    shared: dict[str, Any]
    seed: NotRequired[int]
    max_new_tokens: NotRequired[int]
    pair: NotRequired[str]


class OpeningSetup(TypedDict):
    """A recorded race that the page can open with; "": the gallery's."""

    name: str
    label: str


class RaceLimits(TypedDict):
    """Of a race."""

    prompt: int
    min_lanes: int
    max_lanes: int


class RaceSetup(TypedDict):
    """Of the Race page."""

    families: list[FamilySetup]
    methods: list[MethodSetup]
    shared: list[OptionSetup]
    numbers: list[OptionSetup]
    intro: str
    legend: RaceLegend
    examples: list[ExampleSetup]
    start: RaceStart
    recorded: bool
    openings: list[OpeningSetup]
    limits: RaceLimits


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


class RaceMotion(TypedDict):
    """The lanes of a race, as they move; null for a lane that has none."""

    lanes: list[LaneMotion | None]


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


class WaitingMessage(TypedDict):
    """A run or a draft waits for the models or for the device."""

    kind: Literal["waiting"]
    form: str
    queue_position: int
    text: str


class RefusedMessage(TypedDict):
    """A form cannot be run, and which field is at fault."""

    kind: Literal["refused"]
    form: str | None
    field: str
    code: NotRequired[str]
    """The kind of trouble (specviz/errors.py); none for a defect."""
    message: str
