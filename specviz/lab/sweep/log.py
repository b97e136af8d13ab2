"""The rows of a sweep on disk: a line of JSON each, appended as a run ends.

A process that is killed while it writes leaves half a line at most, which the next one cuts off: the run of that line
is made again, and no other.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Self

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

from specviz.errors import SpecvizError, unfit
from specviz.lab.sweep.row import Row, row_of
from specviz.options import Value

ROWS = "rows.jsonl"


class RowLog:
    """``with RowLog(folder) as log``: the rows there, open to be appended to by this process alone.

    ``key in log`` says whether a run is there, ``log.keys`` are those of all its rows. Raises SpecvizError,
    naming file and line, for a folder that cannot be made, a file that another sweep is writing to, and a line
    that cannot be read or is there twice; such a file is left as it is.
    """

    def __init__(self, folder: str | Path):
        self.path = Path(os.path.expanduser(folder)) / ROWS
        self.keys = set[bytes]()
        self._file: FileIO | None = None
        self._size = 0
        self._cost_ratios: dict[tuple[str, Value], float] = {}

    def __enter__(self) -> Self:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = FileIO(os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666), "r+b")
        except OSError as error:
            raise SpecvizError(f"{self.path} cannot be opened ({error.strerror})") from None
        try:
            self._lock(self._file)
            self._scan(self._file)
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(self, *_error: object) -> None:
        if self._file is not None:
            self._file.close()

    def __contains__(self, key: str) -> bool:
        return bytes.fromhex(key) in self.keys

    def append(self, row: Row) -> None:
        """Write a row; it outlives the process from here on. Raises SpecvizError where it cannot be written, a full
        disk for example: the rows before it are as they were."""
        assert self._file is not None, "a log is used in a with block"
        line, written = (json.dumps(row.flat()) + "\n").encode(), 0
        try:
            while written < len(line):
                written += self._file.write(line[written:])
        except OSError as error:
            with suppress(OSError):
                self._file.truncate(self._size)
            raise self.broken_off(f"{self.path}: a row cannot be written ({error.strerror})") from None
        self._size += written
        self.keys.add(bytes.fromhex(row.key))

    def broken_off(self, why: str) -> SpecvizError:
        """What a sweep that cannot write says."""
        return SpecvizError(
            f"{why}; the {len(self.keys)} rows before it are safe, and the same sweep goes on from there"
        )

    def cost_ratio(self, models: Mapping[str, Mapping[str, str]], draft: str) -> float | None:
        """What rows of these models were made with whose option ``draft`` is this one; None where it was not measured.
        Drafts with gamma="auto" depend on it, so that a resumed sweep must not measure it anew."""
        return self._cost_ratios.get((_named(models), draft))

    def _lock(self, file: FileIO) -> None:
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise SpecvizError(f"{self.path}: another sweep is writing to this file") from None

    def _scan(self, file: FileIO) -> None:
        """Note every row, and cut half a line off the end."""
        for number, (row, end) in enumerate(_lines(self.path), 1):
            key = bytes.fromhex(row.key)
            if key in self.keys:
                raise SpecvizError(f"{self.path}: line {number} is a run that is there already")
            self.keys.add(key)
            self._size = end
            if row.cost_ratio is not None:
                self._cost_ratios[_named(row.models), row.options.get("draft")] = row.cost_ratio
        file.truncate(self._size)
        file.seek(self._size)


def read_rows(folder: str | Path) -> Iterator[Row]:
    """The rows of a sweep, one at a time, also while it is running. Raises SpecvizError, naming file and line, for what
    is no row; half a line at the end is none yet."""
    return (row for row, _ in _lines(Path(os.path.expanduser(folder)) / ROWS))


def _lines(path: Path) -> Iterator[tuple[Row, int]]:
    """The row of each whole line, and the bytes up to its end."""
    try:
        with path.open("rb") as file:
            end = 0
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    return
                end += len(line)
                yield read_line(line, f"{path}: line {number} "), end
    except OSError as error:
        raise SpecvizError(f"{path} cannot be read ({error.strerror})") from None


def read_line(line: bytes, where: str) -> Row:
    """The row of a line. Raises SpecvizError, with ``where`` before its sentence, for what is none."""
    try:
        parsed = json.loads(line)
        if problem := unfit(parsed):
            raise SpecvizError(f"is damaged: {problem}")
        row = row_of(parsed)
        if len(bytes.fromhex(row.key)) != 16:
            raise SpecvizError(f"has the key {row.key!r}")
        return row
    except SpecvizError as error:
        raise error.within(where) from None
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        raise SpecvizError(f"{where}is damaged: it is no row of a sweep") from None


def _named(models: Mapping[str, Mapping[str, str]]) -> str:
    return json.dumps(models, sort_keys=True)
