"""What goes from the views to the player: the payload of an iteration, lessons, exported files.

The scripts' types (assets/player/src/payload.d.ts) are made from these classes and from those of
``specviz/ui/message_types.py``; ``tests/player/typescript.py`` says how.
"""

from typing import Any, Literal, NotRequired, TypedDict

Phase = Literal["context", "draft", "target", "verify", "draw", "commit"]


class Scene(TypedDict):
    """One step of the story of an iteration."""

    key: str
    """Unique: context, draft-1 .., reduction, target, decision-1 .., draw (or draw-3 .., one for each beam), commit."""
    phase: Phase
    title: str
    sentence: str
    formula: str
    """"" where there is none."""
    focus: int | None
    """The node the scene is about; -1 the last context token; null none."""
    panels: dict[str, str]
    """Panel name to figure key; a panel may be missing."""


class LegendEntry(TypedDict):
    """A mark of a figure: colour, glyph, what it means; all plain text."""

    color: str
    glyph: str
    word: str


class Legend(TypedDict):
    """What a figure's marks mean."""

    entries: list[LegendEntry]
    notes: list[str]
    lines: int
    """Of text, that the figure's layout leaves space for below."""


class DrawnFigure(TypedDict):
    """A figure with its traces."""

    data: list[dict[str, Any]]
    layout: dict[str, Any]
    legend: Legend | None


class Figure(TypedDict):
    """A figure of a payload: its traces by their number in ``parts``."""

    data: list[int]
    layout: dict[str, Any]
    legend: Legend | None


class PrefixRecord(TypedDict):
    """What all panels share about a prefix that the forest grows from: the last context token, or an input beam."""

    node: int
    """-1 - i for input beam i."""
    label: str
    ancestors: list[int]
    position: int
    row: int | None
    """In the mask; null if it was not submitted."""
    text: str


class NodeRecord(PrefixRecord):
    """The same of a drafted node that the tree shows."""

    token: int
    parent: int
    depth: int
    draft: str
    """Its probability, "" where it is not known."""
    target: str
    scene: str | None
    """Which judges it; null if it is never judged."""
    formula: str
    """Of that decision, "" if there is none."""


class EmittedPiece(TypedDict):
    """A token that the iteration wrote."""

    piece: str
    origin: str
    node: int | None
    """Null if it was drawn."""


class TextStrip(TypedDict):
    """Pieces of text: the end of the context, and what this iteration wrote."""

    context: list[str]
    emitted: list[EmittedPiece]


class IterationPayload(TypedDict):
    """One iteration: everything a player needs to step through it (``scenes.py``)."""

    iteration: int
    scenes: list[Scene]
    figures: dict[str, Figure]
    parts: list[dict[str, Any]]
    texts: dict[str, str]
    """What every figure shows, in words."""
    nodes: list[NodeRecord]
    roots: list[PrefixRecord]
    outcomes: list[str]
    """What can have come of a node, in words."""
    states: dict[str, list[int | None]]
    """By figure key of a tree: what has come of each of ``nodes``, by number in ``outcomes``; null: not drawn."""
    mask_rows: int
    text: TextStrip


class Where(TypedDict):
    """The same step on the other pages, and its name for a reader without them."""

    run: str
    at: str | None
    words: str


class LaneNumber(TypedDict):
    """A number of a whole run; ``share`` of the largest, 0 to 1."""

    key: str
    label: str
    text: str
    unit: str
    help: str
    share: float


class LessonLane(TypedDict):
    """A whole run of a lesson."""

    method: str
    title: str
    options: str
    tokens: list[tuple[str, str]]
    """Piece and origin."""
    numbers: list[LaneNumber]


class LessonLook(TypedDict):
    """What a step of a lesson shows."""

    picture: int | None
    scene: str | None
    panels: list[str]
    light: int | None
    lanes: list[LessonLane]
    where: Where | None


class LessonChoice(TypedDict):
    """An answer to choose, and what is said about it."""

    text: str
    answer: str
    right: bool


class LessonQuestion(TypedDict):
    """What a lesson asks first."""

    text: str
    look: LessonLook
    choices: list[LessonChoice]


class Misconception(TypedDict):
    """What people often think, and what this step says to that."""

    think: str
    but: str


class LessonStep(TypedDict):
    """A step that answers the question."""

    say: str
    look: LessonLook
    misconceptions: list[Misconception]
    breaks: bool


class LessonTry(TypedDict):
    """Something to try on the other pages."""

    text: str
    link: str


class LessonCard(TypedDict):
    """A lesson in the list of all."""

    name: str
    title: str
    minutes: int
    asks: str
    goal: str


class LessonWords(LessonCard):
    """What a lesson says."""

    takeaway: str
    question: LessonQuestion
    steps: list[LessonStep]
    tries: list[LessonTry]


class BrokenToken(TypedDict):
    """A token's probability, and how often it comes out when the rule is broken."""

    token: str
    target: float
    broken: float


class BreakSwitch(TypedDict):
    """A way to break the rule of a step; distances are total variations from the target's distribution."""

    name: str
    title: str
    about: str
    sentence: str
    distance: float
    reference: float
    distribution: list[BrokenToken]


class LessonData(TypedDict):
    """A whole lesson; a theme that was not asked for is null."""

    lesson: LessonWords
    breaks: dict[str, list[BreakSwitch]]
    light: list[IterationPayload] | None
    dark: list[IterationPayload] | None


class StepDocument(TypedDict):
    """What an exported step shows."""

    title: str
    light: IterationPayload
    dark: IterationPayload
    note: NotRequired[str]
    at: NotRequired[str]
    pins: NotRequired[list[int]]


class LessonDocument(LessonData):
    """What an exported lesson shows."""

    title: str
    note: NotRequired[str]


class StandaloneStep(TypedDict):
    """The data of an exported file with a step."""

    kind: Literal["step"]
    glossary: dict[str, str]
    data: StepDocument


class StandaloneLesson(TypedDict):
    """The data of an exported file with a lesson."""

    kind: Literal["lesson"]
    glossary: dict[str, str]
    data: LessonDocument


StandaloneDocument = StandaloneStep | StandaloneLesson


class Dial(TypedDict):
    """A number of a lane, as a person reads it."""

    key: str
    label: str
    value: float | None
    unit: str
    text: str
    help: str


class Pace(TypedDict):
    """A lane against the autoregressive one; or disturbed, and not to be compared."""

    kind: Literal["faster", "slower", "disturbed"]
    text: str
