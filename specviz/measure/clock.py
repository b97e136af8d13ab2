"""Clocks that count a decoder's own work and nothing else.

A lane's clock runs only inside its phases, so lanes that take turns on one device each have an axis of their own, and
what happens between phases (recording, drawing, another lane) costs a lane nothing. Work that a device does behind the
program's back is waited for at the end of each phase.
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter, thread_time

from specviz.trace.record import Phase, Segment


class PhaseClock:
    """One lane's own clock, in seconds since the lane first worked; a few microseconds a phase.

    ``with clock.phase("draft"): ...`` runs the clock; ``seconds`` reads it (inside a phase: up to the phase's start);
    ``take()`` hands out the segments finished since the last ``take()``. Segments of successive phases abut.
    ``synchronise`` is called before a phase ends: it returns when the device has finished its work. Phases do not nest.
    """

    def __init__(
        self,
        synchronise: Callable[[], None] | None = None,
        now: Callable[[], float] = perf_counter,
        thread_now: Callable[[], float] = thread_time,
    ):
        self.seconds = self._thread_seconds = 0.0
        self._synchronise = synchronise
        self._now, self._thread_now = now, thread_now
        self._segments: list[tuple[Phase, float, float]] = []
        self._running: Phase | None = None
        self._started = self._thread_started = 0.0

    def phase(self, phase: Phase) -> "PhaseClock":
        """Name the phase that the following ``with`` block belongs to."""
        if self._running is not None:
            raise RuntimeError(f"phase {phase!r} was begun inside phase {self._running!r}: phases do not nest")
        self._running = phase
        return self

    def __enter__(self) -> None:
        if self._running is None:
            raise RuntimeError("name the phase: with clock.phase(...)")
        self._started, self._thread_started = self._now(), self._thread_now()

    def __exit__(self, *_error: object) -> None:
        if self._synchronise is not None:
            self._synchronise()
        self._thread_seconds += self._thread_now() - self._thread_started
        start, self.seconds = self.seconds, self.seconds + (self._now() - self._started)
        assert self._running is not None
        self._segments.append((self._running, start, self.seconds))
        self._running = None

    @property
    def thread_seconds(self) -> float | None:
        """Processor time that the calling thread had in its phases; None where a device works behind its back."""
        return self._thread_seconds if self._synchronise is None else None

    def take(self) -> tuple[Segment, ...]:
        """The segments finished since the last call, in order, on the lane's own axis."""
        segments, self._segments = self._segments, []
        return tuple(Segment(phase, round(start, 9), round(end, 9)) for phase, start, end in segments)


class Stopwatch:
    """Seconds that one ``with`` block took, device work included: ``with stopwatch() as watch: ...; watch.seconds``."""

    seconds = 0.0


@contextmanager
def stopwatch(synchronise: Callable[[], None] | None = None, now: Callable[[], float] = perf_counter):
    """Time one stretch of work, such as reading the prompt; ``synchronise`` as in ``PhaseClock``."""
    watch, start = Stopwatch(), now()
    try:
        yield watch
    finally:
        if synchronise is not None:
            synchronise()
        watch.seconds = now() - start


@contextmanager
def tidy() -> Iterator[None]:
    """Leave what is there already out of garbage collection, so that collecting before each timed run is quick."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
