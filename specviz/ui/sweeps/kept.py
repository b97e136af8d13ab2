"""The files of the page's sweeps: a folder each, with its recipe and a row for every finished run."""

import json
import logging
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from specviz.errors import SpecvizError, as_given, unfit
from specviz.lab.sweep.log import ROWS, read_rows
from specviz.lab.sweep.row import Row
from specviz.ui.serving import limits
from specviz.ui.serving.device import Visitor
from specviz.ui.serving.runs import oldest_of_heaviest
from specviz.ui.sweeps.asked import Recipe, recipe_of

log = logging.getLogger(__name__)
ID = re.compile(r"[0-9a-f]{32}")
_ABOUT = "sweep.json"


class KeptSweeps:
    """Sweeps by id in folders below ``folder``; None: in a temporary one, which goes when the server ends."""

    def __init__(self, folder: Path | None):
        self._folder = folder
        self._temporary: tempfile.TemporaryDirectory[str] | None = None

    @property
    def lasts(self) -> bool:
        """Whether they survive a restart of the server."""
        return self._folder is not None

    def path(self, sweep: str) -> Path:
        """The folder of a sweep, whether or not it is there."""
        if self._folder is None:
            self._temporary = self._temporary or tempfile.TemporaryDirectory(prefix="specviz-sweeps-")
            return Path(self._temporary.name) / sweep
        return self._folder / sweep

    def add(self, sweep: str, recipe: Recipe, total: int, models: Mapping[str, Any]) -> None:
        """Write what a sweep runs. Raises SpecvizError where that cannot be written."""
        about = json.dumps({"recipe": recipe.flat(), "total": total, "models": models})
        folder = self.path(sweep)
        try:
            folder.mkdir(parents=True)
            (folder / _ABOUT).write_text(about, encoding="utf-8")
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise SpecvizError(f"the server cannot keep a sweep ({error.strerror}): nothing was started") from None

    def found(self) -> Iterator[tuple[str, Recipe, int, Mapping[str, Any], int]]:
        """The sweeps of an earlier server, oldest first: id, recipe, runs in all, models, runs made. A damaged one is
        left out, with a line in the log."""
        if self._folder is None or not self._folder.is_dir():
            return
        folders = [folder for folder in self._folder.iterdir() if ID.fullmatch(folder.name)]
        for folder in sorted(folders, key=lambda folder: folder.stat().st_mtime):
            try:
                about = json.loads((folder / _ABOUT).read_text(encoding="utf-8"))
                if (problem := unfit(about)) or type(about["total"]) is not int:
                    raise ValueError(problem or f"total: is {as_given(about['total'])}, no number of runs")
                rows = folder / ROWS
                made = rows.read_bytes().count(b"\n") if rows.exists() else 0
                yield folder.name, recipe_of(about["recipe"]), about["total"], about["models"], made
            except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
                log.warning("a kept sweep is left out: %s: %s", folder.name, error)

    def rows(self, sweep: str) -> Iterator[Row]:
        """The rows of a sweep so far."""
        folder = self.path(sweep)
        return read_rows(folder) if (folder / ROWS).exists() else iter(())

    def size(self, sweep: str) -> int:
        """Bytes of its files."""
        try:
            return sum(file.stat().st_size for file in self.path(sweep).iterdir())
        except OSError:
            return 0

    def remove(self, sweep: str) -> None:
        """Delete its files."""
        shutil.rmtree(self.path(sweep), ignore_errors=True)

    def close(self) -> None:
        """Delete the temporary folder."""
        if self._temporary is not None:
            self._temporary.cleanup()
            self._temporary = None


@dataclass(frozen=True)
class Ended:
    """A sweep that has ended, with all of its runs (``done``) or not: whose it is, ``rows`` and bytes."""

    id: str
    owner: Visitor
    done: bool
    rows: int
    size: int


def too_many(ended: Sequence[Ended]) -> list[str]:
    """The ended sweeps to delete because there are too many or they are too large; ``ended`` is in the order last asked
    for.

    Unfinished sweeps go first and never displace finished ones. Among each, the owner who has most loses the sweep that
    nobody has asked for for longest, one without rows first. The last sweep of all stays if it is done. A sweep of an
    earlier server, which has no owner, counts as an owner of its own.
    """
    dropped, remaining = list[str](), list(ended)
    for done, most in ((False, limits.MAX_UNFINISHED_SWEEPS), (True, limits.MAX_SWEEPS)):
        while group := [sweep for sweep in remaining if sweep.done == done and not (sweep.done and sweep is ended[-1])]:
            count = sum(sweep.done == done for sweep in remaining)
            if count <= most and sum(sweep.size for sweep in remaining) <= limits.MAX_SWEEPS_BYTES:
                break
            owners = {
                sweep.id: sweep.owner if sweep.owner.address else Visitor(sweep.id)
                for sweep in remaining
                if sweep.done == done
            }
            sizes = {sweep.id: 1 if count > most else sweep.size for sweep in remaining}
            empty = {sweep.id: owners[sweep.id] for sweep in group if not sweep.rows}
            name = oldest_of_heaviest(empty or owners, sizes)
            if name not in {sweep.id for sweep in group}:
                name = oldest_of_heaviest({sweep.id: owners[sweep.id] for sweep in group}, sizes)
            dropped.append(name)
            remaining = [sweep for sweep in remaining if sweep.id != name]
    return dropped
