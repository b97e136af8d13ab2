"""Runs that visitors made: their traces, for a while, and who asked to stop. Everything else forgets at once."""

import threading
from collections import OrderedDict
from collections.abc import Sequence

from specviz.trace.record import Trace
from specviz.ui.limits import MAX_KEPT_RUNS

GALLERY = "gallery:"  # what the id of a recorded race begins with; the names of its methods follow


def recorded_run(names: Sequence[str]) -> str:
    """The id of the race of these recorded methods, one a lane."""
    return GALLERY + ",".join(names)


class Runs:
    """Traces by run id, the newest MAX_KEPT_RUNS of them; the recorded ones stay. Safe to use from several threads."""

    def __init__(self, recorded: Sequence[Trace] = ()):
        self._recorded = {trace.header.method.name: trace for trace in recorded}
        self._traces: OrderedDict[str, tuple[Trace | None, ...]] = OrderedDict()
        self._stopped: OrderedDict[str, None] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, run: str, traces: Sequence[Trace | None]) -> None:
        """Remember the newest state of a run, one trace a lane (None: nothing yet)."""
        with self._lock:
            self._traces[run] = tuple(traces)
            self._traces.move_to_end(run)
            while len(self._traces) > MAX_KEPT_RUNS:
                self._traces.popitem(last=False)

    def traces(self, run: str) -> tuple[Trace | None, ...]:
        """The traces of a run, one a lane (None: nothing there), none when it is forgotten or unknown."""
        if run.startswith(GALLERY):
            found = tuple(self._recorded.get(name) for name in run.removeprefix(GALLERY).split(","))
            return found if any(found) else ()
        with self._lock:
            return self._traces.get(run, ())

    def stop(self, run: str) -> None:
        """Ask a run to stop, whether it is running or still waiting."""
        with self._lock:
            self._stopped[run] = None
            while len(self._stopped) > 10 * MAX_KEPT_RUNS:
                self._stopped.popitem(last=False)

    def is_stopped(self, run: str) -> bool:
        """Whether a run was asked to stop."""
        with self._lock:
            return run in self._stopped
