"""One run at a time on a device: a queue of tickets, first come, first served, in which everybody sees their
position."""

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Generator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import anyio

from specviz.errors import SpecvizError
from specviz.ui.serving.limits import MAX_WAITING_RUNS
from specviz.ui.serving.models import PairLoader

Message = TypeVar("Message", bound=Mapping[str, Any])
POLL = 0.2  # seconds between two looks at one's position in the queue
ALIVE = 1.0  # seconds between two messages to somebody whose position stays: they notice a closed tab


class Busy(SpecvizError):
    """The device cannot be had: too many are waiting, or it took too long."""

    usual_code = "queue_full"


class Ticket:
    """A position in the queue of a Device, until ``give_back``; a context manager that gives it back."""

    def __init__(self, device: "Device"):
        self._device = device

    @property
    def before(self) -> int:
        """How many are before this one, who has the device included; 0: the device is yours.

        Raises SpecvizError for a ticket that was given back."""
        return self._device._before(self)

    def wait(self, seconds: float) -> bool:
        """Block up to ``seconds`` until the device is yours; whether it is."""
        return self._device._wait(self, seconds)

    def give_back(self) -> None:
        """Leave the queue, or let the next one have the device. Giving back twice is fine."""
        self._device._remove(self)

    def __enter__(self) -> "Ticket":
        return self

    def __exit__(self, *_: object) -> None:
        self.give_back()


class Device:
    """Who may run a model now. Safe to use from several threads.

    Whoever runs a model holds a ticket whose ``before`` is 0, and gives it back whatever happens. Three ways to wait:

    - ``with device.turn(seconds):`` blocks a thread until it is your turn (a short call of the page);
    - ``with device.ticket() as ticket:`` in a generator that tells ``ticket.before`` as often as it is asked (``paced``
      asks gently): the visitor sees the position, and may close the tab;
    - the same in a coroutine that looks at ``ticket.before`` every ``POLL`` seconds.

    ``most_waiting`` bounds the queue, the one who runs not counted.
    """

    def __init__(self, most_waiting: int = MAX_WAITING_RUNS):
        self._most_waiting = most_waiting
        self._line: list[Ticket] = []
        self._moved = threading.Condition()

    def __len__(self) -> int:
        """How many hold a ticket: the one who runs and those who wait."""
        with self._moved:
            return len(self._line)

    def ticket(self) -> Ticket:
        """The last position of the queue. Raises Busy when it is full."""
        ticket = Ticket(self)
        with self._moved:
            if len(self._line) > self._most_waiting:
                raise Busy(
                    f"Too many people want the models right now: {self._most_waiting} are waiting, and no more can. "
                    "Nothing was lost: try again in a minute."
                )
            self._line.append(ticket)
        return ticket

    @contextmanager
    def turn(self, seconds: float = 30.0) -> Iterator[Ticket]:
        """The device for the body of ``with``, after waiting for it up to ``seconds``; then raises Busy."""
        with self.ticket() as ticket:
            if not ticket.wait(seconds):
                raise Busy(f"The models are busy: {people_before(ticket.before)}. Try again in a moment.")
            yield ticket

    def _before(self, ticket: Ticket) -> int:
        with self._moved:
            if ticket not in self._line:
                raise SpecvizError("this ticket was given back: take a new one")
            return self._line.index(ticket)

    def _wait(self, ticket: Ticket, seconds: float) -> bool:
        with self._moved:
            return self._moved.wait_for(lambda: self._line[0] is ticket, seconds)

    def _remove(self, ticket: Ticket) -> None:
        with self._moved:
            if ticket in self._line:
                self._line.remove(ticket)
                self._moved.notify_all()


def people_before(count: int) -> str:
    """``2 people are before you``."""
    return "one person is before you" if count == 1 else f"{count} people are before you"


def until_ready(ticket: Ticket, loader: PairLoader) -> Iterator[int]:
    """How many are before, again and again, until the device is the ticket's and the models are loaded, well or badly
    (0: only the models are missing). It never blocks: let ``paced`` ask."""
    while (queue_position := ticket.before) or not loader.wait(0.0):
        yield queue_position


async def paced(messages: Generator[Message]) -> AsyncGenerator[Message]:
    """The messages of a generator that may answer ``{"kind": "waiting", ...}`` again and again while it waits.

    It is asked on a thread, every ``POLL`` seconds while it waits, so that those who wait occupy no thread; what they
    are told is repeated only when it changes, or after ``ALIVE`` seconds. Closing this closes the generator.
    """
    told: Message | None = None
    when = 0.0
    try:
        while (message := await anyio.to_thread.run_sync(next, messages, None)) is not None:
            waits = message["kind"] == "waiting"
            if not waits or message != told or time.monotonic() - when >= ALIVE:
                yield message
                told, when = message, time.monotonic()
            if waits:
                await asyncio.sleep(POLL)
    finally:
        await _close(messages)


async def _close(messages: Generator[Message]) -> None:
    while True:
        try:
            return messages.close()
        except ValueError:  # cancelled while a thread was busy with the next message: once it has that, it can close
            await asyncio.sleep(POLL / 4)
