"""Runs that visitors made or opened: their traces, kept for a while, and requests to stop. No other module keeps them.

A run has an id: hex digits (a race run here), ``gallery:mtad,slim`` (recorded methods, one a lane; those of an opening
are ``greedy/mtad``), ``file:<sha256>`` (an opened file), ``lesson:sailor`` (a lesson's own), ``pick:<run>.<lane>+...``
(lanes of several runs side by side).
"""

import pickle
import threading
import zlib
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from types import MappingProxyType
from typing import Any, TypeVar

from cachetools import LRUCache

from specviz.errors import SpecvizError, as_given
from specviz.trace.record import Trace
from specviz.ui.serving.device import Visitor
from specviz.ui.serving.limits import (
    MAX_KEPT_BYTES,
    MAX_KEPT_FILES,
    MAX_LANES,
    MAX_OPENED_BYTES,
    MAX_RECIPES,
    MAX_UNPACKED_RUNS,
    MAX_VISITORS_BYTES,
)
from specviz.ui.serving.store import RUN, Store

GALLERY = "gallery:"  # what the id of a recorded race begins with; the names of its methods follow
FILE = "file:"
PICK = "pick:"
LESSON = "lesson:"  # what the id of a lesson's own runs begins with; their names follow

NONE: Mapping[str, Sequence[Trace]] = MappingProxyType({})
Traces = tuple[Trace | None, ...]
T = TypeVar("T")
Name = TypeVar("Name", bound=Hashable)


def existing(traces: Sequence[Trace | None]) -> list[Trace]:
    """The traces that exist; a lane may have none yet."""
    return [trace for trace in traces if trace is not None]


def pack(traces: Traces) -> bytes:
    """A run as bytes for this process, a tenth of its objects' size or less. Unlike a file it has no limits on
    prompts."""
    return zlib.compress(pickle.dumps(traces, pickle.HIGHEST_PROTOCOL), 1)


def unpack(packed: bytes) -> Traces:
    """The inverse of ``pack``; never called on bytes from outside."""
    return pickle.loads(zlib.decompress(packed))


def recorded_run(names: Sequence[str], opening: str = "") -> str:
    """The id of the race of these recorded methods, one a lane: those of the gallery, or of an ``opening``."""
    return GALLERY + ",".join(f"{opening}/{name}" if opening else name for name in names)


class KeptRuns:
    """Traces by run id: races within MAX_KEPT_BYTES, those of one visitor within MAX_VISITORS_BYTES; opened files
    within MAX_OPENED_BYTES; the recorded ones stay: a gallery, and ``openings`` by their names. Files never drive races
    out, nor does a visitor with many of either those of others. The newest of each is kept whatever its size. Safe to
    use from several threads.

    An evicted run is read from the ``store``, if there is one; else ``again`` (set by the page, which has the models)
    makes it again from its recipe."""

    def __init__(
        self,
        recorded: Sequence[Trace] = (),
        store: Store | None = None,
        openings: Mapping[str, Sequence[Trace]] = NONE,
    ):
        self.recorded = tuple(trace.header.method.name for trace in recorded)
        """The names of the gallery's methods."""
        self.openings = {name: tuple(trace.header.method.name for trace in race) for name, race in openings.items()}
        """The names of each opening's methods."""
        self._always = {
            recorded_run([trace.header.method.name], name): _KeptRun((trace,))
            for name, race in {"": recorded, **openings}.items()
            for trace in race
        }
        self._races = _RunShelf(MAX_KEPT_BYTES, MAX_VISITORS_BYTES)
        self._files = _RunShelf(MAX_OPENED_BYTES, MAX_OPENED_BYTES, MAX_KEPT_FILES)
        self._store = store
        self._made = LRUCache[str, str](MAX_RECIPES)  # fingerprint of a form -> the run that was made from it
        self._claims = LRUCache[str, _Claim](MAX_RECIPES)
        self.again: Callable[[Any], Sequence[Trace]] | None = None
        self._stopped = LRUCache[str, None](MAX_RECIPES)
        self._lock = threading.Lock()

    def claim(self, run: str, recipe: Any, visitor: Visitor = Visitor()) -> None:  # noqa: B008
        """Begin a run of the ``visitor`` with this id, made from ``recipe``. Raises SpecvizError where the id is none,
        or somebody's already: a link to a run shows that run for ever."""
        if not RUN.fullmatch(run):
            raise SpecvizError("the run has no valid id: reload the page")
        taken = bool(self.traces(run))
        with self._lock:
            if taken or run in self._claims:
                raise SpecvizError("there is a run with this id already: reload the page")
            self._claims[run] = _Claim(recipe, visitor)

    def recipe(self, run: str) -> Any:
        """What a run of this server was made from; None if that is not known (any more)."""
        with self._lock:
            claim = self._claims.get(run)
        return claim and claim.recipe

    def keep(self, run: str, traces: Sequence[Trace | None]) -> None:
        """Remember the newest state of a run, one trace a lane (None: nothing yet)."""
        with self._lock:
            claim = self._claims.get(run, _Claim())
            claim.begun = True
            self._races.put(run, tuple(traces), claim.visitor)

    def made(self, form: str, run: str) -> None:
        """Remember that a run is over, and was made from the form with this fingerprint; on disk, too, where there is
        one to remember it."""
        with self._lock:
            self._made[form] = run
            traces = self._races.get(run)
        if self._store is not None and traces:
            self._store.put(run, form, traces)

    def made_from(self, form: str) -> str:
        """The id of the newest run made from this form; empty where none is known. It may be gone meanwhile."""
        with self._lock:
            known = self._made.get(form, "")
        return known or (self._store.made_from(form) if self._store else "")

    def keep_always(self, run: str, traces: Sequence[Trace]) -> None:
        """Remember a run that is part of the install, such as a lesson's, for as long as the server runs."""
        self._always[run] = _KeptRun(tuple(traces))

    def keep_file(self, content: bytes, traces: Sequence[Trace], visitor: Visitor = Visitor()) -> str:  # noqa: B008
        """Remember the traces of a file that the ``visitor`` opened; its run id, the same for the same content."""
        run = FILE + sha256(content).hexdigest()
        with self._lock:
            self._files.put(run, tuple(traces), visitor)
        return run

    def traces(self, run: str) -> Traces:
        """The traces of a run, one a lane (None: nothing there), none when it is forgotten or unknown."""
        if run.startswith(PICK):
            return self._picked(run.removeprefix(PICK).split("+"))
        if run in self._always:
            return self._always[run].traces or ()
        if run.startswith(GALLERY):
            names = run.removeprefix(GALLERY).split(",")[:MAX_LANES]
            recorded = [self._always.get(recorded_run([name])) for name in names]
            traces = tuple((state.traces or (None,))[0] if state else None for state in recorded)
            return traces if any(traces) else ()
        with self._lock:
            traces = self._files.get(run) if run.startswith(FILE) else self._races.get(run)
        if not traces and self._store is not None and (traces := self._store.get(run)):
            self.keep(run, traces)
        return traces

    def traces_again(self, run: str) -> Traces:
        """The same; a run of this server that is gone is made again, which may take as long as the run did. One that
        never began has MAX_LANES lanes without a trace. Raises SpecvizError where the models cannot be had."""
        traces = self.traces(run)
        with self._lock:
            claim = self._claims.get(run)
        if traces or claim is None or self.again is None:
            return traces
        if not claim.begun:
            return (None,) * MAX_LANES
        made = tuple(self.again(claim.recipe))
        self.keep(run, made)
        return made

    def trace(self, run: str, lane: int) -> Trace:
        """The trace of a lane, from 0. Raises SpecvizError where there is none (any more)."""
        traces = self.traces_again(run)
        if not traces:
            raise SpecvizError(
                "This run is no longer kept on the server. Run the race again to look into it.", code="gone"
            )
        if not 0 <= lane < len(traces):
            raise SpecvizError(
                f"There is no lane {as_given(lane + 1, 20)}: this race has {len(traces)}.", argument="lane"
            )
        trace = traces[lane]
        if trace is None:
            raise SpecvizError(
                f"Lane {lane + 1} has not written anything yet: wait for it, or choose another lane.", argument="lane"
            )
        return trace

    def summary(self, run: str, make: Callable[[Traces], T]) -> T | None:
        """What ``make`` (always the same) says of a run, remembered while the run is kept as it is; None where it is
        gone."""
        with self._lock:
            state = self._always.get(run) or self._files.find(run) or self._races.find(run)
        if state is not None and state.summary is not None:
            return state.summary
        traces = self.traces(run)
        made = make(traces) if traces else None
        if state is not None:
            state.summary = made  # if the run grew meanwhile, this state is not used any more
        return made

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
        picked = []
        for part in parts[:MAX_LANES]:
            run, _, lane = part.rpartition(".")
            traces = () if run.startswith(PICK) else self.traces(run)
            if not (lane.isascii() and lane.isdigit() and len(lane) < 3 and int(lane) < len(traces)):
                return ()
            picked.append(traces[int(lane)])
        return tuple(picked)

    def stop(self, run: str) -> None:
        """Ask a run to stop, whether it is running or still waiting; ignores anything that is not the id of a run."""
        if RUN.fullmatch(run):
            with self._lock:
                self._stopped[run] = None

    def is_stopped(self, run: str) -> bool:
        """Whether a run was asked to stop."""
        with self._lock:
            return run in self._stopped


def oldest_of_heaviest(owners: Mapping[Name, Visitor], sizes: Mapping[Name, int]) -> Name:
    """The oldest entry of the page that has most, among the pages of the address that has most."""
    names = list(owners)
    for part in (lambda owner: owner.address, lambda owner: owner):
        sums: Counter[Any] = Counter()
        for name in names:
            sums[part(owners[name])] += sizes[name]
        ((most, _),) = sums.most_common(1)
        names = [name for name in names if part(owners[name]) == most]
    return names[0]


@dataclass
class _Claim:
    """What is known of a run's id: its recipe, its owner, and whether the run began."""

    recipe: Any = None
    visitor: Visitor = Visitor()
    begun: bool = False


@dataclass(eq=False)
class _KeptRun:
    """A state of a run: as objects, as bytes, or both."""

    traces: Traces | None
    owner: Visitor = Visitor()
    packed: bytes | None = None
    summary: Any = None

    @property
    def size(self) -> int:
        """Bytes when packed."""
        if self.packed is None:
            self.packed = pack(self.traces or ())
        return len(self.packed)


class _Unpacked(LRUCache[str, _KeptRun]):
    """The runs that are there as objects; the one that it lets go is bytes from then on."""

    def popitem(self) -> tuple[str, _KeptRun]:
        run, state = super().popitem()
        if state.size:  # it is packed now
            state.traces = None
        return run, state


class _RunShelf:
    """Traces by run id, within ``room`` bytes when packed, those of one owner within ``own``, and ``most`` of them
    where it is told. Where all are too many, who has the most loses the oldest. The last MAX_UNPACKED_RUNS that were
    put or looked at are there as objects, too.

    A race grows while it runs, so the others are weighed when a new one comes, each state once."""

    def __init__(self, room: int, own: int, most: int | None = None):
        self.room, self.own, self.most = room, own, most
        self._kept: OrderedDict[str, _KeptRun] = OrderedDict()
        self._unpacked = _Unpacked(MAX_UNPACKED_RUNS)

    def find(self, run: str) -> _KeptRun | None:
        return self._kept.get(run)

    def get(self, run: str) -> Traces:
        state = self._kept.get(run)
        if state is None:
            return ()
        traces = state.traces
        if traces is None:
            traces = state.traces = unpack(state.packed or b"")
        self._unpacked[run] = state
        return traces

    def put(self, run: str, traces: Traces, owner: Visitor = Visitor()) -> None:  # noqa: B008
        new = run not in self._kept
        self._kept[run] = state = _KeptRun(traces, owner)
        self._kept.move_to_end(run)
        self._unpacked[run] = state
        if new:
            self._trim()

    def _trim(self) -> None:
        newest = next(reversed(self._kept))
        others = [run for run in self._kept if run != newest]
        while self.most is not None and len(self._kept) > self.most:
            oldest = oldest_of_heaviest(
                {run: kept.owner for run, kept in self._kept.items()}, dict.fromkeys(self._kept, 1)
            )
            self._forget(others[0] if oldest == newest else oldest)
            others = [run for run in self._kept if run != newest]
        sizes = {run: kept.size for run, kept in self._kept.items()}
        mine = [run for run in others if self._kept[run].owner == self._kept[newest].owner]
        while mine and sum(sizes[run] for run in (*mine, newest)) > self.own:
            self._forget(mine[0])
            others.remove(mine.pop(0))
        while others and sum(sizes[run] for run in (*others, newest)) > self.room:
            oldest = oldest_of_heaviest({run: self._kept[run].owner for run in others}, sizes)
            self._forget(oldest)
            others.remove(oldest)

    def _forget(self, run: str) -> None:
        del self._kept[run]
        self._unpacked.pop(run, None)
