"""The Microscope: a step with what can be changed of it, and what became of a change."""

from typing import Any, NotRequired, TypedDict

from specviz.views.story.payload_types import IterationPayload


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


class TokenPlace(TypedDict):
    """A token of the text that another one can be put in place of: how many of its iteration's come before it, and the
    likeliest there under the target, as [id, text, probability before temperature, top-k and top-p]."""

    at: int
    label: str
    likeliest: list[tuple[int, str, float]]


class MicroscopePayload(IterationPayload):
    """An iteration with what a replay may change of it, and where another token can be put (none: several texts are
    kept)."""

    changeable: Changeable
    places: list[TokenPlace]


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
