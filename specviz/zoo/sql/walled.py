"""Untrusted queries, of visitors or models, in a process of their own, which is killed if one takes too much.

SQLite looks at its bounds between two steps, never within one call of a function. So what a query may take is bounded
from outside: time on the clock, time of the processor, memory. One process answers one query after the other, behind
everything else that wants the processor.
"""

import atexit
import json
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from specviz.errors import SpecvizError
from specviz.zoo.sql.query import STEP_LIMIT, PlainTable, RefusedQuery

_SCRIPT = Path(__file__).with_name("query.py")
_PROCESSOR = getattr(signal, "SIGPROF", 0)  # ends what used more of it than it may


class Unmade(ValueError):
    """Tables of which no database can be made."""


@dataclass(frozen=True)
class Walls:
    """What one question may take: ``steps`` of SQLite for each gold query, ``processor`` and ``clock`` seconds and
    ``memory``, bytes of addresses, in all. Where the system has no such bounds the clock's holds alone."""

    steps: int = STEP_LIMIT
    processor: float = 2.0
    clock: float = 10.0
    memory: int = 256_000_000


class Child:
    """A process that runs queries within walls; it begins with the first question, and anew after one that had to be
    ended. Safe to use from several threads, of which one at a time is answered."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._memory = 0
        self._lock = threading.Lock()

    def ask(
        self, databases: Sequence[Sequence[PlainTable]], gold: str, predicted: str | None = None, walls: Walls = Walls()
    ) -> tuple[bool, float]:
        """Whether both queries give the same rows on every database (without ``predicted``: True), and the seconds of
        the processor that this took. Raises Unmade for tables that SQLite does not take, RefusedQuery where ``gold``
        does not run or all took too much, and SpecvizError where no process can be had."""
        question = {"databases": databases, "gold": gold, "predicted": predicted, "steps": walls.steps}
        with self._lock:
            result = self._answer(json.dumps([question, walls.processor]).encode() + b"\n", walls)
        if "unmade" in result:
            raise Unmade(f"database {result['database']} cannot be made: {result['unmade']}")
        if "refused" in result:
            raise RefusedQuery(f"database {result['database']}: {result['refused']}")
        return result["same"], result["seconds"]

    def close(self) -> None:
        """The process ends."""
        self._end()

    def _answer(self, line: bytes, walls: Walls) -> dict[str, Any]:
        process, too_late = self._started(walls.memory), threading.Event()
        assert process.stdin is not None and process.stdout is not None, "both are pipes"

        def end() -> None:
            too_late.set()
            process.kill()

        clock, reply = threading.Timer(walls.clock, end), b""
        clock.start()
        try:
            process.stdin.write(line)
            process.stdin.flush()
            reply = process.stdout.readline()
        except OSError:  # it ended before it had read all
            pass
        finally:
            clock.cancel()
            clock.join()
        if reply.endswith(b"\n") and not too_late.is_set():
            return json.loads(reply)
        code = self._end()
        if too_late.is_set():
            raise RefusedQuery(f"no answer within {walls.clock:g} s")
        if code == -_PROCESSOR:
            raise RefusedQuery(f"more than {walls.processor:g} s of the processor")
        raise RefusedQuery(f"its process ended ({code}), which may have {walls.memory / 1e6:.0f} MB")

    def _end(self) -> int | None:
        process, self._process = self._process, None
        if process is None:
            return None
        process.kill()  # where it has not ended already
        with suppress(OSError):  # of what it was never sent
            process.communicate()
        return process.returncode

    def _started(self, memory: int) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None or self._memory != memory:
            self._end()
            command = [sys.executable, "-I", "-S", "-B", str(_SCRIPT), str(memory)]
            pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
            try:
                self._process = subprocess.Popen(
                    command, stdin=pipe, stdout=pipe, stderr=nowhere, start_new_session=True
                )
            except OSError as error:
                raise SpecvizError(f"queries cannot be run: no process can be had ({error.strerror})") from None
            self._memory = memory
        return self._process


CHILD = Child()
"""What everybody here asks."""
atexit.register(CHILD.close)
