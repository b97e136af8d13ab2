"""Fair time slices: the next slice is for the address that has waited longest since its last, so neither many requests
nor long ones keep others waiting for long."""

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Generator
from typing import Any, Generic, TypeVar

from anyio import to_thread

from specviz.errors import TooManyOutcomes
from specviz.ui.serving.limits import SLICE

T = TypeVar("T")


class Slices(Generic[T]):
    """Runs a generator, which yields wherever it may be paused, in slices of SLICE seconds and at least one step; in
    all it may use ``most`` seconds. ``clock`` gives seconds, by default CPU time of the current thread."""

    def __init__(self, steps: Generator[None, None, T], most: float, clock: Callable[[], float] = time.thread_time):
        self._steps, self._most, self._clock = steps, most, clock
        self.used = 0.0

    def next(self) -> list[T]:
        """Run a slice: ``[result]`` if it was the last, else ``[]``. Raises TooManyOutcomes past ``most`` seconds, and
        what the generator raises."""
        if self.used >= self._most:
            self._steps.close()
            raise TooManyOutcomes(
                f"Stopped after {self._most:g} s of computing, all a verdict gets here: use fewer candidates, or a "
                "smaller top-k."
            )
        began = self._clock()
        try:
            while True:
                next(self._steps)
                if self._clock() - began >= SLICE:
                    return []
        except StopIteration as done:
            return [done.value]
        finally:
            self.used += self._clock() - began


class DeviceTurns:
    """One slice at a time, on a thread. Next is the address that had a slice longest ago, and of one address the
    request that came first. For one event loop."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self._busy = False

    async def finish(self, address: str, work: Callable[[], list[Any]]) -> Any:
        """Call ``work`` slice by slice until it has a result. Raises what ``work`` raises."""
        result: list[Any] = []
        while not result:
            await self._take(address)
            try:
                result = await to_thread.run_sync(work)
            finally:
                self._hand_on()
        return result[0]

    async def _take(self, address: str) -> None:
        if not self._busy:
            self._busy = True
            return
        mine = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(address, deque()).append(mine)
        try:
            await mine
        except asyncio.CancelledError:
            if mine.done() and not mine.cancelled():
                self._hand_on()  # its turn had come
            raise

    def _hand_on(self) -> None:
        while self._waiting:
            address, line = self._waiting.popitem(last=False)
            mine = line.popleft()
            if line:
                self._waiting[address] = line  # behind all others
            if not mine.done():
                return mine.set_result(None)
        self._busy = False
        return None
