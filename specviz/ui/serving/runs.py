"""Runs that visitors made or opened: their traces, for a while, and who asked to stop. Everything else forgets at once.

A run has an id: hex digits (a race run here), ``gallery:mtad,slim`` (recorded methods, one a lane), ``file:<sha256>``
(an opened file), ``lesson:lived`` (a lesson's own), ``pick:<run>.<lane>+...`` (lanes of several runs side by side).
"""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from hashlib import sha256
from weakref import ref

from specviz.errors import SpecvizError, as_given
from specviz.trace.record import Trace
from specviz.trace.store import trace_size
from specviz.ui.serving.limits import MAX_KEPT_BYTES, MAX_KEPT_RUNS, MAX_LANES, MAX_OPENED_BYTES

GALLERY = "gallery:"  # what the id of a recorded race begins with; the names of its methods follow
FILE = "file:"
PICK = "pick:"
LESSON = "lesson:"  # what the id of a lesson's own runs begins with; their names follow

Traces = tuple[Trace | None, ...]


def existing(traces: Sequence[Trace | None]) -> list[Trace]:
    """Those that are there, of lanes that may have none yet."""
    return [trace for trace in traces if trace is not None]


def recorded_run(names: Sequence[str]) -> str:
    """The id of the race of these recorded methods, one a lane."""
    return GALLERY + ",".join(names)


class Runs:
    """Traces by run id: the newest MAX_KEPT_RUNS races within MAX_KEPT_BYTES, opened files within MAX_OPENED_BYTES; the
    recorded ones stay. Files never drive races out. The newest of each is kept whatever its size. Safe to use from
    several threads."""

    def __init__(self, recorded: Sequence[Trace] = ()):
        self._recorded = {trace.header.method.name: trace for trace in recorded}
        self._always: dict[str, Traces] = {}
        self._races = _Shelf(MAX_KEPT_RUNS, MAX_KEPT_BYTES)
        self._files = _Shelf(MAX_KEPT_RUNS, MAX_OPENED_BYTES)
        self._stopped: OrderedDict[str, None] = OrderedDict()
        self._sizes: OrderedDict[int, tuple[ref[Trace], int]] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def recorded(self) -> tuple[str, ...]:
        """The names of the recorded methods."""
        return tuple(self._recorded)

    def keep(self, run: str, traces: Sequence[Trace | None]) -> None:
        """Remember the newest state of a run, one trace a lane (None: nothing yet)."""
        with self._lock:
            self._races.put(run, tuple(traces))

    def keep_always(self, run: str, traces: Sequence[Trace]) -> None:
        """Remember a run that is part of the install, such as a lesson's, for as long as the server runs."""
        self._always[run] = tuple(traces)

    def keep_file(self, content: bytes, traces: Sequence[Trace]) -> str:
        """Remember the traces of an opened file; its run id, which is the same for the same content."""
        run = FILE + sha256(content).hexdigest()
        with self._lock:
            self._files.put(run, tuple(traces))
        return run

    def traces(self, run: str) -> Traces:
        """The traces of a run, one a lane (None: nothing there), none when it is forgotten or unknown."""
        if run.startswith(PICK):
            return self._picked(run.removeprefix(PICK).split("+"))
        if run in self._always:
            return self._always[run]
        if run.startswith(GALLERY):
            names = run.removeprefix(GALLERY).split(",")[:MAX_LANES]
            found = tuple(self._recorded.get(name) for name in names)
            return found if any(found) else ()
        with self._lock:
            return self._files.get(run) if run.startswith(FILE) else self._races.get(run)

    def trace(self, run: str, lane: int) -> Trace:
        """The trace of a lane, from 0. Raises SpecvizError where there is none (any more)."""
        traces = self.traces(run)
        if not traces:
            raise SpecvizError(
                "This run is no longer kept on the server. Run the race again to look into it.", code="gone"
            )
        if not 0 <= lane < len(traces):
            raise SpecvizError(f"lane must be 1 to {len(traces)}, got {as_given(lane + 1, 20)}", argument="lane")
        found = traces[lane]
        if found is None:
            raise SpecvizError(
                f"lane must be one that was run: lane {lane + 1} has no run to look into yet", argument="lane"
            )
        return found

    def file_size(self, trace: Trace) -> int:
        """Bytes that a kept trace has as a file; counted once, as writing it takes a while."""
        with self._lock:
            known, size = self._sizes.get(id(trace), (None, 0))
        if known is None or known() is not trace:
            size = trace_size(trace)
            with self._lock:
                self._sizes[id(trace)] = ref(trace), size
                while len(self._sizes) > 20 * MAX_KEPT_RUNS:
                    self._sizes.popitem(last=False)
        return size

    def pick(self, lanes: Sequence[tuple[str, int]]) -> str:
        """The id of the run that shows these lanes, (run, lane), side by side: a plain one where it is a whole run."""
        runs = {run for run, _ in lanes}
        if len(runs) == 1:
            (run,) = runs
            if [lane for _, lane in lanes] == list(range(len(self.traces(run)))):
                return run
        if all(run.startswith(GALLERY) for run in runs):
            names = [run.removeprefix(GALLERY).split(",") for run, _ in lanes]
            return recorded_run([group[lane] for group, (_, lane) in zip(names, lanes, strict=True)])
        return PICK + "+".join(f"{run}.{lane}" for run, lane in lanes)

    def _picked(self, parts: Sequence[str]) -> Traces:
        found = []
        for part in parts[:MAX_LANES]:
            run, _, lane = part.rpartition(".")
            traces = () if run.startswith(PICK) else self.traces(run)
            if not (lane.isascii() and lane.isdigit() and len(lane) < 3 and int(lane) < len(traces)):
                return ()
            found.append(traces[int(lane)])
        return tuple(found)

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


class _Shelf:
    """Traces by run id, the oldest forgotten first: at most ``most`` runs and ``room`` bytes of JSON.

    A race grows while it runs, so the others are weighed when a new one comes, each state once."""

    def __init__(self, most: int, room: int):
        self.most, self.room = most, room
        self._traces: OrderedDict[str, Traces] = OrderedDict()
        self._weights: dict[str, tuple[Traces, int]] = {}

    def get(self, run: str) -> Traces:
        return self._traces.get(run, ())

    def put(self, run: str, traces: Traces) -> None:
        new = run not in self._traces
        self._traces[run] = traces
        self._traces.move_to_end(run)
        if new:
            self._trim()

    def _trim(self) -> None:
        while len(self._traces) > self.most:
            self._forget()
        while len(self._traces) > 1 and sum(map(self._weigh, self._traces)) > self.room:
            self._forget()

    def _forget(self) -> None:
        run, _ = self._traces.popitem(last=False)
        self._weights.pop(run, None)

    def _weigh(self, run: str) -> int:
        traces = self._traces[run]
        weighed = self._weights.get(run)
        if weighed is None or weighed[0] is not traces:
            weighed = traces, sum(map(trace_size, existing(traces)))
            self._weights[run] = weighed
        return weighed[1]
