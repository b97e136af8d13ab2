"""A random number from 0 to 1 and what every value of it would lead to: data for a handle that a reader can drag."""

from collections.abc import Iterable
from typing import Any


def chance(uniform: float, axis: str, ends: Iterable[tuple[float, str, str]]) -> dict[str, Any]:
    """``{"chance": {"uniform", "axis", "outcomes"}}``, for a layout's ``meta``.

    ``axis`` is the axis from 0 to 1 that the number stands on, or "paper" for a strip over the bars (cumulative.py).
    ``ends`` are, in order, (where the outcome ends, 0 to 1; what happens, in words; its kind: accepted, rejected, drawn
    or other): a number leads to the first outcome whose end is above it.
    """
    outcomes = [{"end": end, "word": word, "kind": kind} for end, word, kind in ends]
    return {"chance": {"uniform": uniform, "axis": axis, "outcomes": outcomes}}
