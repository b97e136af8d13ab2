"""Types that say what a number of a trace may be. The check of a trace, the file's schema and the documentation follow
from them.

``Probability | None``, ``tuple[Amount, ...]`` are types like ``float | None``, ``tuple[float, ...]``, and say more:
which numbers make sense there, or what a whole number is the number of.
"""

import math
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

ROUNDING = 1e-6  # of float32


@dataclass(frozen=True)
class Range:
    """Finite numbers from ``low`` to ``high``; the message for one outside is ``is <number>, <otherwise>``."""

    otherwise: str
    low: float = -math.inf
    high: float = math.inf

    def holds(self, value: float) -> bool:
        """Whether the number is one of them."""
        return math.isfinite(value) and self.low <= value <= self.high

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: Any) -> dict[str, Any]:
        bounds = {"minimum": self.low, "maximum": self.high}
        return handler(core_schema) | {name: bound for name, bound in bounds.items() if math.isfinite(bound)}


@dataclass(frozen=True)
class NumberOf:
    """Whole numbers that stand for a ``token`` of the vocabulary, a ``node`` of the forest, or a ``prefix`` (a node, or
    -1 - i for input beam i). ``stays``: a token may be -1, and its node a prefix, where a finished beam stays as it
    is."""

    what: Literal["token", "node", "prefix"]
    stays: bool = False


Probability = Annotated[float, Range("a probability lies from 0 to 1", 0.0, 1.0 + ROUNDING)]
Amount = Annotated[float, Range("it cannot be negative", -ROUNDING)]
LogProb = Annotated[float, Range("a log-probability is at most 0", high=1e3 * ROUNDING)]
AnyNumber = Annotated[float, Range("it must be finite")]
Count = Annotated[int, Range("it cannot be negative", 0)]
Depth = Annotated[int, Range("depths are counted from 1", 1)]
Token = Annotated[int, NumberOf("token")]
NodeNumber = Annotated[int, NumberOf("node")]
Prefix = Annotated[int, NumberOf("prefix")]
BeamToken = Annotated[int, NumberOf("token", stays=True)]
BeamNode = Annotated[int, NumberOf("node", stays=True)]
RANGES = "Probability, Amount, LogProb, AnyNumber, Count, Depth, Token, NodeNumber, Prefix"
"""The types to choose from, for a sentence."""


@cache
def ranges_of(kind: type) -> dict[str, Range]:
    """The fields of a dataclass that hold a number in a range, or several in a tuple or a dict."""
    return {name: marked[1] for name, marked in _numbers(kind).items() if isinstance(marked[1], Range)}


@cache
def numbers_of(kind: type) -> dict[str, NumberOf]:
    """The fields of a dataclass that hold the number of a token, a node or a prefix, or several of them."""
    return {name: marked[1] for name, marked in _numbers(kind).items() if isinstance(marked[1], NumberOf)}


def without_range(kind: type) -> tuple[str, ...]:
    """The fields of a dataclass that hold numbers (int or float) of which their types do not say what they may be."""
    return tuple(name for name, (_, mark) in _numbers(kind).items() if mark is None)


def values_of(thing: Any, name: str) -> tuple[tuple[str, Any], ...]:
    """The numbers in a field of a dataclass, each with its path (``name``, ``name[0]``, ...); None left out."""
    value = getattr(thing, name)
    if isinstance(value, tuple | list | dict):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        return tuple((f"{name}[{at}]", item) for at, item in items if item is not None)
    return () if value is None else ((name, value),)


def _numbers(kind: type) -> dict[str, tuple[type, Range | NumberOf | None]]:
    """The fields that hold numbers: int or float, and what else their types say."""
    numbers = {name: _number(hint) for name, hint in get_type_hints(kind, include_extras=True).items()}
    return {name: number for name, number in numbers.items() if number is not None}


def _number(hint: Any) -> tuple[type, Range | NumberOf | None] | None:
    if hint in (int, float):
        return hint, None
    if get_origin(hint) is Annotated:
        kind, *marks = get_args(hint)
        mark = next((mark for mark in marks if isinstance(mark, Range | NumberOf)), None)
        return (kind, mark) if kind in (int, float) else _number(kind)
    if get_origin(hint) in (Literal, type):
        return None
    parts = get_args(hint)[1:] if get_origin(hint) is dict else get_args(hint)
    return next((marked for part in parts if (marked := _number(part)) is not None), None)
