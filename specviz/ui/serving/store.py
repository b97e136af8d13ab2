"""Finished runs on disk, for servers told to keep them: one SQLite file, of bounded size, safe against crashes.

Nothing about a visitor is written but the run itself: its prompt, settings and traces.
"""

import json
import logging
import re
import sqlite3
import threading
import time
import zlib
from collections.abc import Sequence
from pathlib import Path

from specviz.errors import SpecvizError
from specviz.trace.record import Trace
from specviz.trace.store import trace_from_json, trace_to_json
from specviz.ui.serving.limits import MAX_STORED_BYTES, MAX_TRACE_BYTES

log = logging.getLogger(__name__)

RUN = re.compile(r"[0-9a-f]{32}")
_SCHEMA = """
create table if not exists runs (
    run text primary key, form text not null, made real not null, size integer not null, body blob not null
);
create index if not exists runs_form on runs (form);
create index if not exists runs_made on runs (made);
"""
_LARGEST = 8 * MAX_TRACE_BYTES  # unpacked


class Store:
    """Runs by id in ``folder``/runs.sqlite, the newest within ``most`` bytes. Safe to use from several threads; what
    was put is there whole or not at all, however the process ends. Raises SpecvizError where the folder cannot be
    used."""

    def __init__(self, folder: Path, most: int = MAX_STORED_BYTES):
        self.folder, self._most = folder, most
        self._lock = threading.Lock()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(folder / "runs.sqlite", timeout=10, check_same_thread=False)
            self._file.execute("pragma journal_mode = wal")
            self._file.execute("pragma synchronous = normal")
            self._file.executescript(_SCHEMA)
        except (OSError, sqlite3.Error) as error:
            raise SpecvizError(f"runs cannot be kept in {folder}: {error}", argument="keep") from None

    def put(self, run: str, form: str, traces: Sequence[Trace | None]) -> None:
        """Keep a run that was made from the form with this fingerprint. A disk that is full is said in the log, and the
        run lives in memory alone."""
        try:
            body = zlib.compress(json.dumps([trace and trace_to_json(trace) for trace in traces]).encode(), 3)
            with self._lock, self._file:
                self._file.execute(
                    "insert or ignore into runs values (?, ?, ?, ?, ?)", (run, form, time.time(), len(body), body)
                )
                self._trim()
        except (sqlite3.Error, SpecvizError) as error:
            log.warning("a run could not be kept on disk: %s", error)

    def _trim(self) -> None:
        (size,) = self._file.execute("select coalesce(sum(size), 0) from runs").fetchone()
        while size > self._most:
            run, freed = self._file.execute("select run, size from runs order by made, rowid limit 1").fetchone()
            self._file.execute("delete from runs where run = ?", (run,))
            size -= freed

    def get(self, run: str) -> tuple[Trace | None, ...]:
        """The traces of a run; none where there is none, or where it cannot be read."""
        row = self._one("select body from runs where run = ?", run) if RUN.fullmatch(run) else None
        if row is None:
            return ()
        try:
            unpacked = zlib.decompressobj()
            body = unpacked.decompress(row[0], _LARGEST)
            return tuple(text and trace_from_json(text) for text in json.loads(body))
        except (zlib.error, ValueError, TypeError, RecursionError) as error:
            log.warning("a kept run cannot be read: %s", error)
            return ()

    def made_from(self, form: str) -> str:
        """The newest run made from the form with this fingerprint; empty where there is none."""
        row = self._one("select run from runs where form = ? order by made desc limit 1", form)
        return row[0] if row else ""

    def _one(self, query: str, value: str) -> tuple | None:
        try:
            with self._lock:
                return self._file.execute(query, (value,)).fetchone()
        except sqlite3.Error as error:
            log.warning("the kept runs cannot be read: %s", error)
            return None

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._file.close()
