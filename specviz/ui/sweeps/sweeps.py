"""Sweeps with the lowest priority: they use the device while no race wants it, go on when the page is closed, and keep
every finished run."""

import atexit
import logging
import secrets
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from specviz.decoding.run.loop import Run
from specviz.errors import SpecvizError, without_folders
from specviz.lab.cards.recorded import RunPace
from specviz.lab.sweep.plan import Plan, Task, identity
from specviz.lab.sweep.row import Row
from specviz.lab.sweep.running import Rows, Runner, run_plan
from specviz.lm.pair import ModelPair
from specviz.trace.record import Trace
from specviz.ui.messages.sweeps import SweepState
from specviz.ui.serving import limits
from specviz.ui.serving.budget import NetworkRateLimit
from specviz.ui.serving.device import Busy, Device, Visitor
from specviz.ui.serving.models import PairLoader
from specviz.ui.sweeps.asked import OFFLINE, Recipe
from specviz.ui.sweeps.kept import Ended, KeptSweeps, too_many

log = logging.getLogger(__name__)
LOOK = 0.2  # seconds between two checks whether to stop, while races run
SHARED = "shared"
"""Of a row that is disturbed: others used the device in the middle of its run."""
ALL = ""
_PACES = 50  # runs from which the next sweep's time is estimated


def new_key() -> str:
    """A key to stop a sweep and to continue it, for whoever starts it: 32 hexadecimal digits."""
    return secrets.token_hex(16)


def id_of(key: str) -> str:
    """The id of the sweep started with a key, which lets others look at it: the key cannot be derived from it."""
    return sha256(key.encode()).hexdigest()[:32]


def seconds_at(paces: Iterable[RunPace], plan: Plan) -> float | None:
    """How long a plan takes at the pace of runs of its methods, or of all runs for a method without; None: no runs."""
    tokens, seconds = defaultdict[str, int](int), defaultdict[str, float](float)
    for method, written, used in paces:
        for name in (method, ALL):
            tokens[name] += written
            seconds[name] += used
    if not tokens:
        return None
    like = [setting.method if setting.method in tokens else ALL for setting in plan.grid.settings]
    per_token = sum(seconds[name] / max(1, tokens[name]) for name in like)
    return per_token * plan.grid.max_new_tokens * len(plan.prompts) * len(plan.grid.seeds)


class _SweepEnds(Exception):
    """Ends a sweep before its last run, for this reason."""


@dataclass(eq=False)
class _Sweep:
    """``seconds`` of the device were used since it was last told to go on, by ``runs`` runs."""

    id: str
    recipe: Recipe
    total: int
    models: Any
    done: int = 0
    state: Literal["waiting", "running", "done", "stopped", "failed"] = "waiting"
    message: str = ""
    setting: str = ""
    owner: Visitor = field(default_factory=Visitor)
    asked: float = 0.0
    stopping: bool = False
    seconds: float = 0.0
    runs: int = 0

    @property
    def active(self) -> bool:
        return self.state in ("waiting", "running")

    @property
    def kept(self) -> str:
        return f"{self.done} of {self.total} runs are kept."

    def end(self, state: Literal["done", "stopped", "failed"], message: str) -> None:
        self.state, self.message, self.setting = state, message, ""


class Sweeps:
    """Sweeps by id, which cannot be guessed; whoever knows it may look. Thread-safe.

    One thread makes one run at a time, of all sweeps in turns, within ``device.spare``. Rows are kept below ``folder``,
    where a server that is started anew finds them, or else in a temporary folder. ``clock`` gives seconds.
    """

    def __init__(
        self,
        loader: PairLoader,
        device: Device,
        folder: Path | None = None,
        clock: Callable[[], float] = time.monotonic,
    ):
        self._loader, self._device, self._clock, self._kept = loader, device, clock, KeptSweeps(folder)
        self._lock = threading.RLock()
        self._sweeps: dict[str, _Sweep] = {}
        self._turns: deque[tuple[_Sweep, Generator[Row]]] = deque()
        self._paces: deque[tuple[str, RunPace]] = deque(maxlen=_PACES)  # with the target's fingerprint
        self._starts = NetworkRateLimit(limits.MAX_STARTED_SWEEPS, limits.SWEEP_STARTING_SECONDS, clock)
        self._worker: threading.Thread | None = None
        self._closing = False
        for name, recipe, total, models, done in self._kept.found():
            self._sweeps[name] = sweep = _Sweep(name, recipe, total, models, done, asked=clock())
            left = f"The server was started anew: {done} of {total} runs are kept. Go on to make the others."
            sweep.end("done" if done >= total else "stopped", "" if done >= total else left)

    def start(self, visitor: Visitor, recipe: Recipe, plan: Plan, key: str | None = None) -> str:
        """Begin a sweep that was read and checked (``read_sweep``); its id, that of the ``key`` (None: a new one).
        Raises SpecvizError where it cannot be kept, and Busy where enough run."""
        with self._lock:
            self._room(visitor)
            name, models = id_of(key or new_key()), identity(plan.pair)
            self._kept.add(name, recipe, len(plan), models)
            self._sweeps[name] = sweep = _Sweep(name, recipe, len(plan), models, owner=visitor, asked=self._clock())
            self._begin(sweep)
        return name

    def status(self, name: str) -> SweepState:
        """How far a sweep is. Raises SpecvizError for one that does not exist (any more), like all methods below."""
        sweep = self._find(name)
        with self._lock:
            others = sum(other.active for other in self._sweeps.values() if other is not sweep)
            return {
                "id": name,
                "title": sweep.recipe.title,
                "card": sweep.recipe.card,
                "state": sweep.state,
                "done": sweep.done,
                "total": sweep.total,
                "setting": sweep.setting,
                "seconds_left": self._seconds_left(sweep, others) if sweep.active else None,
                "others": others if sweep.active else 0,
                "message": sweep.message,
                "lasts": self._kept.lasts,
            }

    def recipe(self, name: str) -> Recipe:
        """What a sweep runs."""
        return self._find(name).recipe

    def rows(self, name: str) -> Iterator[Row]:
        """The rows of a sweep so far, also while it runs."""
        return self._kept.rows(self._find(name).id)

    def stop(self, name: str) -> None:
        """End a sweep within a slice of the device; its rows stay. One that has ended stays as it is."""
        sweep = self._find(name)
        with self._lock:
            sweep.stopping = sweep.active
            for turn in [turn for turn in self._turns if turn[0] is sweep]:  # between two runs
                self._turns.remove(turn)
                turn[1].close()
                sweep.end("stopped", f"Stopped: {sweep.kept}")
                self._trim(sweep)

    def go_on(self, name: str, visitor: Visitor = Visitor()) -> None:  # noqa: B008
        """Make the remaining runs of a sweep that was stopped or failed. Raises SpecvizError if the models have
        changed, and Busy if enough sweeps run."""
        sweep = self._find(name)
        models = identity(self._loader.of(sweep.recipe.pair).pair)
        with self._lock:
            if sweep.active or sweep.state == "done":
                return
            if models != sweep.models:
                raise SpecvizError(
                    "This sweep was begun with other models: its rows are kept, and no more can be made."
                )
            self._room(visitor)
            sweep.owner = visitor
            self._begin(sweep)

    def seconds(self, plan: Plan) -> float | None:
        """How long the runs of a plan would take if nobody else wanted the device, by the last ones of this server;
        None where there was none."""
        with self._lock:
            paces = [pace for target, pace in self._paces if target == plan.pair.target.fingerprint]
        return seconds_at(paces, plan)

    def close(self) -> None:
        """End all sweeps, after the iteration under way; temporary files go."""
        self._closing = True
        worker = self._worker
        if worker is not None:
            worker.join(10)
        self._kept.close()

    def _find(self, name: Any) -> _Sweep:
        with self._lock:
            self._expire()
            sweep = self._sweeps.get(name) if isinstance(name, str) else None
            if sweep is None:
                raise SpecvizError("This sweep is no longer kept on the server: run it again.", code="gone")
            sweep.asked = self._clock()
            return sweep

    def _room(self, visitor: Visitor) -> None:
        """Raises Busy where no sweep of the visitor can begin."""
        active = [sweep for sweep in self._sweeps.values() if sweep.active]
        mine = sum(bool(visitor.address) and sweep.owner.address == visitor.address for sweep in active)
        if mine >= limits.MAX_SWEEPS_OF_ADDRESS:
            raise Busy(f"{mine} sweeps from your network are under way, and no more can be: let one end, or stop it.")
        if visitor.address and not self._starts.allows(visitor.address):
            most, wait = limits.MAX_STARTED_SWEEPS, limits.SWEEP_STARTING_SECONDS
            raise Busy(f"{most} sweeps from your network were begun one after the other: wait {wait:.0f} seconds.")
        if len(active) >= limits.MAX_RUNNING_SWEEPS:
            raise Busy(f"{len(active)} sweeps are under way on this server, and no more can be: try again later.")

    def _expire(self) -> None:
        if self._kept.lasts:
            return
        for sweep in [*self._sweeps.values()]:
            if not sweep.active and self._clock() - sweep.asked >= limits.SWEEP_KEPT_SECONDS:
                self._drop(sweep)

    def _trim(self, newest: _Sweep) -> None:
        """Delete what exceeds the server's limits, now that the ``newest`` has ended."""
        self._expire()
        newest.asked = self._clock()
        ended = sorted((sweep for sweep in self._sweeps.values() if not sweep.active), key=lambda sweep: sweep.asked)
        about = [
            Ended(sweep.id, sweep.owner, sweep.state == "done", sweep.done, self._kept.size(sweep.id))
            for sweep in ended
        ]
        for name in too_many(about):
            self._drop(self._sweeps[name])

    def _drop(self, sweep: _Sweep) -> None:
        del self._sweeps[sweep.id]
        self._kept.remove(sweep.id)

    def _seconds_left(self, sweep: _Sweep, others: int) -> float | None:
        if not sweep.runs:
            return None
        return sweep.seconds / sweep.runs * (sweep.total - sweep.done) * (1 + others)

    def _begin(self, sweep: _Sweep) -> None:
        self._starts.spend(sweep.owner.address)
        sweep.state, sweep.message, sweep.stopping, sweep.seconds, sweep.runs = "waiting", "", False, 0.0, 0
        self._turns.append((sweep, self._made(sweep)))
        if self._worker is None:
            self._worker = threading.Thread(target=self._work, name="sweeps", daemon=True)
            self._worker.start()
            atexit.register(self.close)

    def _work(self) -> None:
        """The worker thread: a run of each sweep in turn, as long as there are any."""
        while True:
            with self._lock:
                if not self._turns or self._closing:
                    self._worker = None
                    atexit.unregister(self.close)
                    return
                sweep, rows = self._turns.popleft()
            goes_on = self._turn(sweep, rows)
            with self._lock:
                if goes_on:
                    self._turns.append((sweep, rows))
                else:
                    self._trim(sweep)

    def _turn(self, sweep: _Sweep, rows: Generator[Row]) -> bool:
        """The next run of a sweep, or its end; whether it goes on."""
        try:
            if next(rows, None) is not None:
                return True
            sweep.end("done", "")
        except _SweepEnds as ended:
            sweep.end("stopped", str(ended))
        except SpecvizError as error:
            sweep.end("failed", without_folders(error))
        except Exception as error:  # a defect, or the device: the page must not wait forever
            log.exception("a sweep failed")
            sweep.end("failed", f"The sweep failed: {type(error).__name__}: {without_folders(error)}"[:400])
        return False

    def _made(self, sweep: _Sweep) -> Generator[Row]:
        """Make the runs that are missing, and keep each."""
        plan = sweep.recipe.plan(self._loader.of(sweep.recipe.pair).pair)
        rows = run_plan(plan, self._kept.path(sweep.id), start=partial(self._runs, sweep))
        for row in rows:
            sweep.done += 1
            sweep.runs += 1
            yield row

    def _runs(self, sweep: _Sweep, pair: ModelPair) -> Rows:
        runner = Runner(pair, partial(self._walk, sweep))

        def rows(tasks: Iterable[Task], _recorded: bool) -> Iterator[tuple[Row, Trace | None]]:
            for task in tasks:
                sweep.setting, used, began = task.setting.name, sweep.seconds, self._clock()
                row, trace = runner.run(task, sweep.recipe.recorded)
                used, took = sweep.seconds - used, self._clock() - began
                pace = (task.setting.method, len(row.token_ids), used)
                self._paces.append((pair.target.fingerprint, pace))
                about = {"what": "sweep", "methods": [task.setting.method], "tokens": len(row.token_ids)}
                self._device.journal.note(about | {"ended": "finished"}, used, max(0.0, took - used))
                yield row, trace

        return rows

    def _walk(self, sweep: _Sweep, run: Iterator[Run]) -> tuple[Run, str | None]:
        """Take a run to its end in slices of spare time. Raises _SweepEnds if the sweep is to stop."""
        slices = None
        while True:
            self._may_go_on(sweep)
            with self._device.spare(LOOK) as had:
                sweep.state = "running" if had else "waiting"
                if not had:
                    continue
                slices = self._device.slices if slices is None else slices
                began = self._clock()
                state, over = self._for_a_while(run, began + limits.SLICE)
                sweep.seconds += self._clock() - began
                if over:
                    return state, None if self._device.slices == slices else SHARED

    def _for_a_while(self, run: Iterator[Run], end: float) -> tuple[Run, bool]:
        """One iteration at least, and more until ``end`` on the clock; whether the run is over."""
        state = next(run)
        while state.stop is None and self._clock() < end:
            state = next(run)
        return state, state.stop is not None

    def _may_go_on(self, sweep: _Sweep) -> None:
        if self._closing:
            raise _SweepEnds(f"The server ended: {sweep.kept}")
        if sweep.stopping:
            raise _SweepEnds(f"Stopped: {sweep.kept}")
        if sweep.seconds >= limits.MAX_SWEEP_SECONDS:
            minutes = limits.MAX_SWEEP_SECONDS / 60
            raise _SweepEnds(
                f"Stopped after {minutes:.0f} minutes of computing, all a sweep gets here at a time: {sweep.kept} "
                f"Go on, or run it with {OFFLINE}."
            )
