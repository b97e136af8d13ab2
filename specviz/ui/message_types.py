"""What goes between the server and the page's islands: their setups, the messages of races and drafts, the answers.

The scripts' types are made from these classes (``specviz/views/story/payload_types.py`` says how).
"""

from typing import Any, Literal, NotRequired, TypedDict

from specviz.views.story.payload_types import Dial, DrawnFigure, IterationPayload, LessonCard, Pace


class OptionSetup(TypedDict):
    """An option of the catalog, as a field of a form."""

    name: str
    label: str
    kind: str
    default: Any
    low: float | None
    high: float | None
    choices: list[Any]
    optional: bool
    used_by: list[str]
    help: str


class ExampleSetup(TypedDict):
    """A button of a form: its label and the prompt it types."""

    label: str
    prompt: str


class Guarantee(TypedDict):
    """What the distribution of a method's text is."""

    kind: str
    """Of the registry's guarantees (target, greedy, beam, ...), "always greedy" where the temperature has no say."""
    name: str
    help: str
    exact: bool


class PageName(TypedDict):
    """A page of the navigation."""

    name: str
    title: str


class Interval(TypedDict):
    """A measured number with its 95 % interval."""

    low: float
    value: float
    high: float


class MeterWords(TypedDict):
    """What a guarantee meter says of its marks."""

    exact: str
    measured: str
    distance: str
    made: str
    short: str


class ModelPrints(TypedDict):
    """The fingerprints of a pair of models."""

    target: str | None
    draft: str | None


class MeterEntry(TypedDict):
    """What a guarantee meter shows of a method; ``exact`` and ``measured`` are distances, 0 to 1."""

    title: str
    guarantee: Guarantee
    word: str
    number: str
    exact: float
    measured: Interval
    says: MeterWords
    defaults: dict[str, Any]
    pair: ModelPrints


Guarantees = dict[str, MeterEntry]


class HeaderSetup(TypedDict):
    """Of the top of the page."""

    pages: list[PageName]
    glossary: dict[str, str]
    guarantees: Guarantees


class Status(TypedDict):
    """How far the models are, and which ones."""

    state: str
    text: str
    pair: ModelPrints | None


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
    """What the colours of a race mean."""

    origins: list[OriginKey]
    phases: list[PhaseKey]


class MethodSetup(TypedDict):
    """A method of the catalog."""

    name: str
    title: str
    summary: str
    paper: str
    options: list[OptionSetup]


class FamilySetup(TypedDict):
    """Methods by family."""

    title: str
    methods: list[str]


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
    limits: RaceLimits


class LaneView(TypedDict):
    """A lane of a race."""

    method: str
    title: str
    summary: str
    paper: str
    guarantee: Guarantee
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
    stop: str
    recorded: bool
    dials: list[Dial]
    pace: Pace | None


class RaceMessage(TypedDict):
    """A race as it stands: recorded, running, finished, stopped or opened."""

    kind: Literal["race"]
    run: str
    state: str
    prompt: str | None
    seed: int | None
    device: str | None
    lanes: list[LaneView | None]
    verdict: list[str]
    care: str
    note: NotRequired[str]
    form: NotRequired[str]
    update: NotRequired[int]


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


class DraftedMessage(TypedDict):
    """A forest was drafted, and is kept under an id."""

    kind: Literal["drafted"]
    form: str
    id: str


class CoinSetup(TypedDict):
    """A coin of a step that a replay may change."""

    decision: int
    scene: str
    uniform: float
    label: str
    help: NotRequired[str]


class ChangeableOption(TypedDict):
    """An option of a step that a replay may change."""

    name: str
    value: Any
    low: float | None
    high: float | None
    help: str
    kind: str
    whole: bool
    optional: bool
    choices: list[Any]
    label: NotRequired[str]


class WarpOption(ChangeableOption):
    """Temperature, top-k or top-p of a recorded forest."""


class Changeable(TypedDict):
    """What a replay may change of a step, and why nothing."""

    coins: list[CoinSetup]
    options: list[ChangeableOption]
    reason: str | None


class MicroscopePayload(IterationPayload):
    """An iteration with what a replay may change of it."""

    changeable: Changeable


class ReplayAnswer(TypedDict):
    """A step judged again; lines are [piece, origin], one line or one for each beam."""

    payload: IterationPayload
    said: str
    recorded: list[list[tuple[str, str | None]]]
    now: list[list[tuple[str, str | None]]]
    coins: list[CoinSetup]


class FileAnswer(TypedDict):
    """A file to save: text, or bytes in base64."""

    name: str
    text: NotRequired[str]
    base64: NotRequired[str]


class RecordedForest(TypedDict):
    """A recorded run, and its steps that have a forest."""

    run: str
    method: str
    title: str
    steps: list[int]


class ForestStart(TypedDict):
    """The recorded step that the page opens with."""

    run: str
    lane: int
    step: int


class DrafterSetup(TypedDict):
    """A drafter to choose."""

    name: str
    about: str


class ForestLimits(TypedDict):
    """Of a drafted forest."""

    prompt: int
    nodes: int
    seed: int


class ForestSetup(TypedDict):
    """Of the Same forest page."""

    intro: str
    recorded: list[RecordedForest]
    start: ForestStart | None
    pair: tuple[str, str]
    coins: int
    drafters: list[DrafterSetup]
    options: list[OptionSetup]
    seed: OptionSetup
    examples: list[ExampleSetup]
    limits: ForestLimits


class ForestRow(TypedDict):
    """A verifier, and why it cannot judge these guesses."""

    name: str
    title: str
    rule: str
    method: str | None
    options: list[OptionSetup]
    refused: str | None


class WarpSetup(TypedDict):
    """What can be changed of how the guesses were drawn, and why nothing."""

    options: list[WarpOption]
    reason: str | None


class DrawingWidth(TypedDict):
    """Pixels that a drawing needs, and takes."""

    least: int
    most: int


class OpenedForest(TypedDict):
    """A forest before any verdict."""

    before: list[str]
    drawn: str
    width: DrawingWidth
    rows: list[ForestRow]
    title: str
    steps: list[int]
    warp: WarpSetup


class WrittenToken(TypedDict):
    """A token that some coins write."""

    piece: str
    origin: str


class VerdictAnswer(TypedDict):
    """One row of the table: with these coins, and exact numbers over all coins."""

    verifier: str
    guarantee: Guarantee
    emitted: list[WrittenToken]
    words: str
    accepted: float
    tokens: float
    lengths: list[float]
    distance: float | None
    distance_words: str
    figure: DrawnFigure
    text: str


class WordedFigure(TypedDict):
    """A figure, and the same in words."""

    figure: DrawnFigure
    text: str


class FirstTokenFigure(WordedFigure):
    """The distribution of the first token, and how far each verifier's is from the target's, in words."""

    distances: list[str]


class ComparedVerdicts(TypedDict):
    """Two verifiers side by side; ``free`` over all guesses, ``frozen`` with these guesses only."""

    counts: WordedFigure
    free: FirstTokenFigure | None
    frozen: FirstTokenFigure
    notes: list[str]


class LessonsSetup(TypedDict):
    """Of the Lessons page."""

    lessons: list[LessonCard]


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
    guarantee: Guarantee
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
