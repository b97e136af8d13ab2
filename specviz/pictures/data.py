"""Pictures and words as JSON data in few bytes: what is as usual is left out, what comes again is sent once."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from itertools import groupby
from typing import Any

DIGITS = 5
"""Significant digits of a number."""
KIND = "kind"
"""The field that says which shape it is: never left out."""
_PHRASE = re.compile(r"(?<=[,;:.] )|(?<=\n)")


def packed(value: Any, names: dict[tuple[str, ...], int]) -> Any:
    """A shape as a list: the number, from 1, of its fields' ``names``, then their values; several as 0, then each.

    Fields that have their default are missing. Fields that no shape before had get the next number.
    """
    if is_dataclass(value):
        values = {field.name: getattr(value, field.name) for field in fields(value)}
        values = {
            field.name: values[field.name]
            for field in fields(value)
            if field.name == KIND or values[field.name] != field.default
        }
        number = names.setdefault(tuple(values), len(names) + 1)
        return [number, *(packed(item, names) for item in values.values())]
    if isinstance(value, float):
        return short(value)
    return [0, *(packed(item, names) for item in value)] if isinstance(value, tuple) else value


def short(value: float) -> float:
    """A number with DIGITS significant digits, a whole one without a fraction."""
    rounded = float(f"{value:.{DIGITS}g}")
    return int(rounded) if rounded.is_integer() else rounded


def unpacked(value: Any, names: Sequence[Sequence[str]]) -> Any:
    """What ``packed`` was given as dicts and lists; ``names`` in the order of their numbers."""
    if not isinstance(value, list):
        return value
    number, *items = value
    items = [unpacked(item, names) for item in items]
    return dict(zip(names[number - 1], items, strict=True)) if number else items


def as_data(value: Any) -> Any:
    """A shape alone, as dicts and lists without the fields that have their default."""
    names: dict[tuple[str, ...], int] = {}
    return unpacked(packed(value, names), list(names))


def in_phrases(texts: Mapping[str, str]) -> tuple[dict[str, list[int]], list[str]]:
    """Texts by key as numbers of phrases, and the phrases: texts about the same thing have many in common."""
    parts = {key: list(filter(None, _PHRASE.split(text))) for key, text in texts.items()}
    times = Counter(part for text in parts.values() for part in text)
    numbers: dict[str, int] = {}
    phrases = {
        key: [
            numbers.setdefault("".join(group), len(numbers))
            for _, group in groupby(text, lambda part: part if times[part] > 1 else "")  # others in a row are one
        ]
        for key, text in parts.items()
    }
    return phrases, list(numbers)
