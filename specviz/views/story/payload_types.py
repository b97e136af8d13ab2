"""The data that views pass to the player: the payload of an iteration, lessons, exported files.

The scripts' types (assets/player/src/payload.d.ts) are made from these classes and from those of
``views/race/race_types.py`` and ``specviz/ui/messages``; ``tests/player/typescript.py`` says how.
"""

from typing import Any, Literal, NotRequired, TypedDict

ScenePhase = Literal["context", "draft", "target", "verify", "draw", "commit"]


class Scene(TypedDict):
    """One step of the story of an iteration."""

    key: str
    """Unique: context, draft-1 .., reduction, target, decision-1 .., draw (or draw-3 .., one for each beam), commit."""
    phase: ScenePhase
    title: str
    sentence: str
    formula: str
    """"" where there is none."""
    focus: int | None
    """The node the scene is about; -1 the last context token; null none."""
    panels: dict[str, str]
    """Panel name to the key of a picture, or of the tree a stage; a panel may be missing."""


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
    """Of that decision, where its scene tells another; else ""."""


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


class ForestRoot(TypedDict):
    """What a forest grows from: the end of the text, or of a beam; ``y`` in rows from the top."""

    name: int
    label: str
    y: float


class PlacedToken(TypedDict):
    """A drafted or drawn token of a forest, and where it stands."""

    name: str
    """A node's number, or that of something drawn."""
    label: str
    parent: str
    """The name of what it follows."""
    x: float
    """Its depth."""
    y: float
    """In rows from the top."""
    weight: float
    """0 to 1: how likely the draft found it."""


class ForestGuess(PlacedToken):
    """One of the Microscope's, or of Same forest's."""

    node: int | None
    """Null for what was drawn."""
    tail: str
    """After the label, and never cut: which draft model, an estimate."""
    words: str


ForestMark = tuple[str, str, str]
"""A mark of a forest and what it means: state, glyph, word."""


class ForestKey(TypedDict):
    """What the marks of a forest mean."""

    marks: list[ForestMark]
    notes: list[str]


class ForestPicture(TypedDict):
    """The forest of an iteration, with all that any stage shows (``views/drafts/forest.py``)."""

    look: str
    depth: int
    rows: int
    roots: list[ForestRoot]
    guesses: list[ForestGuess]
    """First the drafted ones, as many as ``nodes`` of the payload and in their order."""
    below: NotRequired[str]
    """The name of what has the last row to itself where there is little space."""
    key: ForestKey


class ForestStage(TypedDict):
    """How a forest stands in a scene."""

    states: list[int | None]
    """What has come of each node, by number in ``outcomes``; null: not there."""
    drawn: dict[str, tuple[str, int]]
    """Of what has been drawn the origin, and by how many beams."""
    folded: dict[str, int]
    """How many guesses stand below a token that are only counted."""
    ends: list[str]
    """Where beams that go on end."""
    widths: list[tuple[int, str]]
    """Over a depth: how wide its layer is."""
    kept: NotRequired[list[tuple[float, str]]]
    """How often each node is kept over all coins, 0 to 1 and as a percentage, where that is told."""


class IterationPayload(TypedDict):
    """One iteration: everything a player needs to step through it (``scenes.py``)."""

    iteration: int
    scenes: list[Scene]
    pictures: dict[str, list[Any]]
    """By the keys that scenes have as their panels, the tree's left out: each a Picture without its words, as
    ``pictures/data.py`` packs it."""
    fields: list[list[str]]
    """Of what the pictures are made of, by number, from 1."""
    texts: dict[str, list[int]]
    """What each panel shows, in words, by the same keys, the tree's too: numbers of ``phrases``."""
    phrases: list[str]
    nodes: list[NodeRecord]
    roots: list[PrefixRecord]
    outcomes: list[tuple[str, str, str]]
    """What can have come of a node: its name, its mark, in words."""
    forest: ForestPicture
    stages: dict[str, ForestStage]
    """By the key that scenes have as their tree panel."""
    mask_rows: int
    rows_read: int
    """Tokens that the target call read."""
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


class CallCost(TypedDict):
    """The median seconds of target calls that read so many tokens, and how many calls that were."""

    tokens: int
    seconds: float
    calls: int


class TheoryNumbers(TypedDict):
    """Where a lane stands among the theory's curves, all measured; null where there is no such number."""

    alpha: float
    c: float | None
    """A draft call for each guess, in target calls on one token."""
    v: float | None
    """A target call on all guesses, in the same."""
    gamma: float
    """Tokens guessed in an iteration, on average."""
    operations: float | None
    """c^: arithmetic of the draft for a token, in the target's."""
    tokens: float
    """Of an iteration."""
    speed: float | None
    """Over plain decoding's."""
    arithmetic: float | None
    """For a token, over plain decoding's."""


class LaneTheory(TypedDict):
    """What theory expects of a lane beside what was measured, as text; an en dash where there is no such number.
    ``numbers`` has them for a drawing."""

    name: str
    alpha: str
    draft_cost: str
    """c, in target calls on one token."""
    verify_cost: str
    """v, in the same."""
    gamma: str
    tokens: tuple[str, str]
    """An iteration: expected, measured."""
    speed: tuple[str, str]
    """Over plain decoding's: expected, measured."""
    best_gamma: str
    why: str
    """Whether the two agree, and if not, why."""
    numbers: TheoryNumbers


class MeasuredCosts(TypedDict):
    """What calls cost by the tokens they read, and where and when that was measured."""

    calls: list[CallCost]
    source: str


class LessonLook(TypedDict):
    """What a step of a lesson shows."""

    picture: int | None
    scene: str | None
    panels: list[str]
    light: int | None
    lanes: list[LessonLane]
    costs: MeasuredCosts | None
    where: Where | None


class Guess(TypedDict):
    """A drafted token that a step judges, to be predicted before the step is shown."""

    label: str
    verdict: Literal["accepted", "rejected"]


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
    predict: Guess | None


class LessonTry(TypedDict):
    """Something to try on the other pages."""

    text: str
    link: str


class SketchBar(TypedDict):
    """A line of a small picture: bars by what they stand for (target, draft, accepted), 0 to 1."""

    label: str
    lengths: list[tuple[str, float]]
    marked: bool


class SketchNode(TypedDict):
    """A token of a small tree: where it stands, 0 to 1, after which other of the list, and what has come of it."""

    x: float
    y: float
    parent: int | None
    label: str
    state: str


class Sketch(TypedDict):
    """A small picture (``views/lessons/sketch.py``): bars, or a tree."""

    bars: list[SketchBar]
    nodes: list[SketchNode]


class LessonAbout(TypedDict):
    """A lesson's name and what it is about."""

    name: str
    title: str
    minutes: int
    asks: str
    goal: str


class LessonCard(LessonAbout):
    """A lesson in the list of all."""

    steps: int
    """The question included."""
    asked: int
    """Questions and guesses that count for its score."""
    sketch: Sketch | None


class LessonWords(LessonAbout):
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
    """A whole lesson, with the iterations that its steps show by number."""

    lesson: LessonWords
    breaks: dict[str, list[BreakSwitch]]
    pictures: list[IterationPayload]


class StepDocument(TypedDict):
    """What exported steps show: one of ``payloads`` at a time, beginning with the ``first`` (default 0), ``at`` a
    scene's key."""

    title: str
    payloads: list[IterationPayload]
    note: NotRequired[str]
    first: NotRequired[int]
    at: NotRequired[str]
    pins: NotRequired[list[int]]


class LessonDocument(LessonData):
    """What an exported lesson shows."""

    title: str
    note: NotRequired[str]


class LessonsDocument(TypedDict):
    """What an exported file with all lessons shows."""

    title: str
    note: str
    cards: list[LessonCard]
    lessons: list[LessonData]


class PaperChoice(TypedDict):
    """An answer to choose, on paper; what is said about it and whether it is right only for the teacher."""

    text: str
    answer: str | None
    right: bool | None


class PaperThought(TypedDict):
    """What people often think, on paper; what is said to that (``but``) only for the teacher."""

    think: str
    but: str | None


class PaperStep(TypedDict):
    """A step on paper: a ``guess`` to predict and things to think about; the rest only for the teacher."""

    picture: Sketch | None
    guess: str | None
    verdict: Literal["accepted", "rejected"] | None
    say: str | None
    thoughts: list[PaperThought]


class PaperLesson(TypedDict):
    """A lesson on paper; ``picture`` is of its question; goal and takeaway only for the teacher, since they tell."""

    title: str
    goal: str | None
    picture: Sketch | None
    question: str
    choices: list[PaperChoice]
    steps: list[PaperStep]
    takeaway: str | None


class PaperDocument(TypedDict):
    """A handout; with the ``answers``, or without any in the file."""

    title: str
    note: str
    answers: bool
    lessons: list[PaperLesson]


class PathPart(TypedDict):
    """A part of a way through several lessons: minutes it takes and begins at, and the steps of a lesson (from 1, the
    question) that are shown; none for a part without the page."""

    begins: int
    minutes: int
    title: str
    lesson: str | None
    steps: list[int]


class NotedPart(PathPart):
    """The same with the speaker's notes; ``screen``: what each step shows."""

    screen: list[str]
    say: str
    ask: str
    wrong: str


class TeachingPath(TypedDict):
    """A way through several lessons for a class."""

    title: str
    minutes: int
    about: str
    parts: list[PathPart]


class NotesDocument(TypedDict):
    """A printable page of speaker's notes."""

    title: str
    note: str
    about: str
    parts: list[NotedPart]


class GuessMotion(PlacedToken):
    """One of the film's: when, on the lane's own clock, it appears and its fate is settled."""

    appears: float
    settles: float
    fate: str
    """An outcome, or for what was drawn, its origin."""
    slot: int | None
    """Which token of the lane's output it became, from 0."""


class IterationMotion(TypedDict):
    """One iteration, as it moves (``views/race/motion.py``)."""

    phases: dict[str, tuple[float, float]]
    """Draft, target and verify: from when to when, seconds of the lane's clock."""
    depth: int
    rows: int
    roots: list[ForestRoot]
    guesses: list[GuessMotion]
    folded: int
    """Drafted tokens that are not drawn."""
    asked: int
    """Drafted tokens in the target call."""
    offered: int
    accepted: int
    reads: list[tuple[str, int]]
    """The rows of the target call: what each reads, and the row that it follows; -1: none but the context."""
    decisions: int
    tokens: int
    """Output tokens once it is over."""


class LaneMotion(TypedDict):
    """A lane, as it moves. ``dials``: by iteration the text, the unit and the value of each dial once it is over."""

    look: str
    iterations: list[IterationMotion]
    dials: list[list[tuple[str, str, float | None]]]


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


class StandaloneLessons(TypedDict):
    """The data of an exported file with all lessons."""

    kind: Literal["lessons"]
    glossary: dict[str, str]
    data: LessonsDocument


class StandaloneHandout(TypedDict):
    """The data of a handout."""

    kind: Literal["handout"]
    glossary: dict[str, str]
    data: PaperDocument


class StandaloneNotes(TypedDict):
    """The data of a page of notes."""

    kind: Literal["notes"]
    glossary: dict[str, str]
    data: NotesDocument


class Dial(TypedDict):
    """A number of a lane, as a person reads it."""

    key: str
    label: str
    value: float | None
    unit: str
    text: str
    help: str
    usual: bool


class Pace(TypedDict):
    """A lane against the autoregressive one; or disturbed, and not to be compared."""

    kind: Literal["faster", "slower", "disturbed"]
    text: str
