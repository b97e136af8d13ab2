"""The Same forest page: drafts, every rule's verdict, and what two rules make of one forest."""

from typing import Literal, TypedDict

from specviz.pictures.shapes import Picture
from specviz.ui.messages.header import ExampleSetup, OptionSetup
from specviz.ui.messages.microscope import WarpOption
from specviz.views.race.race_types import GuaranteeBadge
from specviz.views.story.payload_types import ForestGuess, ForestMark, ForestPicture, ForestStage


class DraftedMessage(TypedDict):
    """A forest was drafted, and is kept under an id."""

    kind: Literal["drafted"]
    form: str
    id: str


class KeptDraft(TypedDict):
    """The id of a forest that was drafted before."""

    id: str


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


class OpenedForest(TypedDict):
    """A forest before any verdict."""

    before: list[str]
    drawn: str
    forest: ForestPicture
    outcomes: list[ForestMark]
    """What a stage's numbers stand for."""
    rows: list[ForestRow]
    limit: float | None
    """How often a rule that keeps the target's distribution can keep a first guess at most, over all guesses that the
    draft could have drawn; null where nobody knows."""
    title: str
    steps: list[int]
    warp: WarpSetup


class WrittenToken(TypedDict):
    """A token that some coins write."""

    piece: str
    origin: str


class VerdictAnswer(TypedDict):
    """One row of the table: with these coins, and exact numbers over all coins."""

    guarantee: GuaranteeBadge
    emitted: list[WrittenToken]
    words: str
    accepted: float
    tokens: float
    lengths: list[float]
    distance: float | None
    distance_words: str
    first: float | None
    """How often one of the first guesses is kept, over all guesses and coins; null where not all were counted."""
    stage: ForestStage
    emits: ForestGuess | None
    """What these coins draw, where it stands in the forest."""
    marks: list[ForestMark]
    lead: str
    said: dict[str, str]
    """A sentence about each guess, by node."""


class FirstTokenPicture(TypedDict):
    """The distribution of the first token, and how far each verifier's is from the target's, in words."""

    picture: Picture
    distances: list[str]


class ComparedVerdicts(TypedDict):
    """Two verifiers side by side; ``free`` over all guesses, ``frozen`` with these guesses only."""

    counts: Picture
    free: FirstTokenPicture | None
    frozen: FirstTokenPicture
    notes: list[str]
