"""The time that a whole training may take: reading, measuring and interrupted runs included."""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


class TimeLimit:
    """Minutes by ``clock`` (in seconds), from the moment that this is made."""

    def __init__(self, minutes: float, clock: Callable[[], float] = time.monotonic):
        self.seconds = minutes * 60
        self._clock, self._started = clock, clock()

    def spent_before(self, seconds: float) -> None:
        """Count what an interrupted run took."""
        self._started -= seconds

    def elapsed(self) -> float:
        """The seconds spent."""
        return self._clock() - self._started

    def passed(self, share: float) -> bool:
        """Whether this share (0 to 1) of the time is over."""
        return self.elapsed() >= share * self.seconds

    def within(self, items: Iterable[Item], until: float) -> Iterator[Item]:
        """The items, at least one, as long as another one that takes as long as the longest so far would end within the
        share ``until`` of the time."""
        longest = 0.0
        for number, item in enumerate(items):
            begun = self.elapsed()
            if number and begun + longest > until * self.seconds:
                return
            yield item
            longest = max(longest, self.elapsed() - begun)
