"""The Race page: its setup, and a race on its way."""

from typing import Any, Literal, NotRequired, TypedDict

from specviz.ui.messages.header import ExampleSetup, FamilySetup, MethodSetup, OptionSetup
from specviz.views.race.race_types import RaceLegend
from specviz.views.story.payload_types import LaneMotion


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


class RaceMotion(TypedDict):
    """The lanes of a race, as they move; null for a lane that has none."""

    lanes: list[LaneMotion | None]


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
