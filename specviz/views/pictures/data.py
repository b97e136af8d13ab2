"""Pictures as JSON data: what is as usual is left out, numbers have as many digits as can be seen."""

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

DIGITS = 5
"""Significant digits of a number."""
KIND = "kind"
"""The field that says which shape it is: never left out."""


def as_data(value: Any) -> Any:
    """A shape, or lists and dicts of shapes and JSON data, as JSON data; fields that have their default are missing."""
    if is_dataclass(value):
        told = {one.name: (getattr(value, one.name), one.default) for one in fields(value)}
        return {k: as_data(v) for k, (v, default) in told.items() if k == KIND or default is MISSING or v != default}
    if isinstance(value, float):
        short = float(f"{value:.{DIGITS}g}")
        return int(short) if short.is_integer() else short
    if isinstance(value, dict):
        return {key: as_data(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_data(item) for item in value]
    return value


def in_lines(texts: Mapping[str, str]) -> tuple[dict[str, list[int]], list[str]]:
    """Texts by key as numbers of lines, and the lines: texts about the same thing have many in common."""
    numbers: dict[str, int] = {}
    found = {k: [numbers.setdefault(line, len(numbers)) for line in t.split("\n")] for k, t in texts.items() if t}
    return found, list(numbers)
