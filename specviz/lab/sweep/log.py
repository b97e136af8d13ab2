"""The rows of a sweep on disk: a line of JSON each, appended as a run ends.

A process that is killed while it writes leaves half a line at most, which the next one cuts off: the run of that line
is made again, and no other.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Any, Generic, Protocol, Self, TypeVar

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

from specviz.errors import SpecvizError, unfit
from specviz.lab.sweep.row import Row, row_of
from specviz.options import Value

ROWS = "rows.jsonl"


class Kept(Protocol):
    """What a line holds: ``key`` is 32 hexadecimal digits that say what was run."""

    @property
    def key(self) -> str: ...

    def flat(self) -> dict[str, Any]:
        """JSON-ready."""
        ...


T = TypeVar("T", bound=Kept)


class LineLog(Generic[T]):
    """``with LineLog(path, read) as log``: the lines there, open to be appended to by this process alone; ``read``
    makes of a line's JSON what it holds. Iterating reads them.

    ``key in log`` says whether a run is there, ``log.keys`` are those of all its lines. Raises SpecvizError,
    naming file and line, for a folder that cannot be made, a file that another sweep is writing to, and a line
    that cannot be read or is there twice; such a file is left as it is.
    """

    def __init__(self, path: str | Path, read: Callable[[Any], T]):
        self.path = Path(os.path.expanduser(path))
        self.keys = set[bytes]()
        self._read = read
        self._file: FileIO | None = None
        self._size = 0

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

    def __iter__(self) -> Iterator[T]:
        return (found for found, _ in read_lines(self.path, self._read))

    def append(self, found: T) -> None:
        """Write a line; it outlives the process from here on. Raises SpecvizError where it cannot be written, a full
        disk for example: the lines before it are as they were."""
        assert self._file is not None, "a log is used in a with block"
        line, written = (json.dumps(found.flat()) + "\n").encode(), 0
        try:
            while written < len(line):
                written += self._file.write(line[written:])
        except OSError as error:
            with suppress(OSError):
                self._file.truncate(self._size)
            raise self.broken_off(f"{self.path}: a row cannot be written ({error.strerror})") from None
        self._size += written
        self.keys.add(bytes.fromhex(found.key))

    def broken_off(self, why: str) -> SpecvizError:
        """What a sweep that cannot write says."""
        return SpecvizError(
            f"{why}; the {len(self.keys)} rows before it are safe, and the same sweep goes on from there"
        )

    def _lock(self, file: FileIO) -> None:
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise SpecvizError(f"{self.path}: another sweep is writing to this file") from None

    def _scan(self, file: FileIO) -> None:
        """Note every line, and cut half a line off the end."""
        for number, (found, end) in enumerate(read_lines(self.path, self._read), 1):
            key = bytes.fromhex(found.key)
            if key in self.keys:
                raise SpecvizError(f"{self.path}: line {number} is a run that is there already")
            self.keys.add(key)
            self._size = end
            self._note(found)
        file.truncate(self._size)
        file.seek(self._size)

    def _note(self, found: T) -> None:
        """What else is to be known of a line that is there."""


class RowLog(LineLog[Row]):
    """The rows of a sweep in its folder."""

    def __init__(self, folder: str | Path):
        super().__init__(Path(folder) / ROWS, row_of)
        self._cost_ratios: dict[tuple[str, Value], float] = {}

    def cost_ratio(self, models: Mapping[str, Mapping[str, str]], draft: str) -> float | None:
        """What rows of these models were made with whose option ``draft`` is this one; None where it was not measured.
        Drafts with gamma="auto" depend on it, so that a resumed sweep must not measure it anew."""
        return self._cost_ratios.get((_named(models), draft))

    def _note(self, found: Row) -> None:
        if found.cost_ratio is not None:
            self._cost_ratios[_named(found.models), found.options.get("draft")] = found.cost_ratio


def read_rows(folder: str | Path) -> Iterator[Row]:
    """The rows of a sweep, one at a time, also while it is running. Raises SpecvizError, naming file and line, for what
    is no row; half a line at the end is none yet."""
    return (row for row, _ in read_lines(Path(os.path.expanduser(folder)) / ROWS, row_of))


def read_lines(path: Path, read: Callable[[Any], T]) -> Iterator[tuple[T, int]]:
    """What each whole line holds, and the bytes up to its end."""
    try:
        with path.open("rb") as file:
            end = 0
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    return
                end += len(line)
                yield read_line(line, read, f"{path}: line {number} "), end
    except OSError as error:
        raise SpecvizError(f"{path} cannot be read ({error.strerror})") from None


def read_line(line: bytes, read: Callable[[Any], T], where: str) -> T:
    """What a line holds. Raises SpecvizError, with ``where`` before its sentence, for what is no row."""
    try:
        parsed = json.loads(line)
        if problem := unfit(parsed):
            raise SpecvizError(f"is damaged: {problem}")
        found = read(parsed)
        if len(bytes.fromhex(found.key)) != 16:
            raise SpecvizError(f"has the key {found.key!r}")
        return found
    except SpecvizError as error:
        raise error.within(where) from None
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        raise SpecvizError(f"{where}is damaged: it is no row of a sweep") from None


def _named(models: Mapping[str, Mapping[str, str]]) -> str:
    return json.dumps(models, sort_keys=True)
