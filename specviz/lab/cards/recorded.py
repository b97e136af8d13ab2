"""The rows of a card, packed as they ship: NAME.jsonl.gz beside NAME.toml, without the texts that were written."""

import gzip
import json
import zlib
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from specviz.errors import SpecvizError
from specviz.lab.cards.card import FOLDER, Card
from specviz.lab.sweep.log import read_line
from specviz.lab.sweep.row import Row

RunPace = tuple[str, int, float]
"""Of a run: its method, the tokens that it wrote, and the seconds that it took."""

FILE = "{name}.jsonl.gz"
LARGEST = 64_000_000
"""Bytes of rows that are read, unpacked."""


def packed(rows: Iterable[Row]) -> bytes:
    """The rows, a line of JSON each, without tokens and text, which the seed gives again, and parts, which no card
    shows. The same rows, the same bytes."""
    lines = (json.dumps(replace(row, token_ids=(), text="", parts={}).flat()) + "\n" for row in rows)
    return gzip.compress("".join(lines).encode(), compresslevel=9, mtime=0)


def recorded_rows(card: Card, folder: Path = FOLDER) -> tuple[Row, ...]:
    """The rows that ship with a card, if any. Raises SpecvizError, naming file and line, for a file that is damaged."""
    path = folder / FILE.format(name=card.name)
    return _rows(path, path.stat().st_mtime_ns) if path.exists() else ()


def recorded_paces(cards: Iterable[Card], target: str) -> list[RunPace]:
    """Of the runs that ship with the cards and were made with this target, by its fingerprint, undisturbed. Raises
    SpecvizError for rows that are damaged."""
    return [
        (row.method, row.metrics.tokens, row.wall_seconds)
        for card in cards
        for row in recorded_rows(card)
        if row.models["target"]["fingerprint"] == target and row.disturbed is None
    ]


@lru_cache(maxsize=32)
def _rows(path: Path, _changed: int) -> tuple[Row, ...]:
    try:
        with gzip.open(path) as file:
            text = file.read(LARGEST + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise SpecvizError(f"{path.name} cannot be read ({type(error).__name__})") from None
    if len(text) > LARGEST:
        raise SpecvizError(f"{path.name} has more than {LARGEST} bytes of rows")
    lines = enumerate(text.splitlines(), 1)
    return tuple(read_line(line, f"{path.name}: line {number} ") for number, line in lines)
