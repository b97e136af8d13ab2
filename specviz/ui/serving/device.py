"""Whose turn it is on a device: a queue of tickets in which everybody sees their position, and time slices for those at
its head, so that nobody waits for a long race to end before their own begins."""

import asyncio
import math
import threading
import time
from collections import Counter, deque
from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

import anyio

from specviz.errors import SpecvizError
from specviz.ui.messages.race import WaitingMessage
from specviz.ui.serving.journal import Journal
from specviz.ui.serving.limits import (
    MAX_RUNS_OF_ADDRESS,
    MAX_RUNS_OF_SESSION,
    MAX_WAITING_RUNS,
)
from specviz.ui.serving.models import PairLoader

Message = TypeVar("Message", bound=Mapping[str, Any])
POLL = 0.2  # seconds between two checks of one's position in the queue
ALIVE = 1.0  # seconds between two messages while the position stays the same: they reveal a closed tab


class Busy(SpecvizError):
    """The device is not available: too many are waiting, or the wait was too long."""

    usual_code = "queue_full"


class Visitor(NamedTuple):
    """A visitor: an address (``network_of``), which a whole school may share, and the session of one page."""

    address: str = ""
    session: str = ""


class Ticket:
    """A position in the queue of a Device, until ``give_back``; a context manager that gives it back."""

    def __init__(self, device: "Device", visitor: Visitor):
        self._device = device
        self.visitor = visitor
        self.began = time.monotonic()
        self.waited = 0.0
        self.used = 0.0
        self.about: dict[str, Any] = {}  # for the journal: what, methods, tokens, ended, prompt

    @property
    def before(self) -> int:
        """How many are before this one, counting those that share the device; 0: it is one of those.

        Raises SpecvizError for a ticket that was given back."""
        return self._device._before(self)

    @property
    def sharing(self) -> int:
        """How many take turns on the device now, this one included."""
        return self._device._sharing()

    @property
    def is_over(self) -> bool:
        """Whether the device was used for as long as one run may."""
        return self.used >= self._device.run_seconds

    def wait(self, seconds: float) -> bool:
        """Block up to ``seconds`` until this ticket shares the device. Returns whether it does."""
        return self._device._wait(self, seconds)

    @contextmanager
    def slice(self) -> Iterator[None]:
        """The device for the body of ``with``, after those who asked before: keep it for a moment (SLICE) only. The
        seconds count as ``used``. Only for a ticket whose ``before`` is 0."""
        self._device._take(self)
        began = time.monotonic()
        try:
            yield
        finally:
            self.used += time.monotonic() - began
            self._device._hand_on()

    def give_back(self) -> None:
        """Leave the queue, or let the next one have the device. May be called twice."""
        self._device._remove(self)

    def __enter__(self) -> "Ticket":
        return self

    def __exit__(self, *_: object) -> None:
        self.give_back()


class Device:
    """Who may run a model now. Safe to use from several threads.

    ``together`` tickets are at the head of the queue: their runs take turns on the device, slice by slice. Behind them
    ``most_waiting`` may wait. Those who wait are let in fairly: first the first run of every address, then the second
    of every one, who had a turn longest ago first; of one address likewise the pages. ``run_seconds`` of slices are a
    run's; the ``journal`` hears of every run that says what it is about.

    Whoever runs a model does so within ``ticket.slice()``, holds a ticket whose ``before`` is 0, and gives it back
    whatever happens. Three ways to wait:

    - ``with device.turn(seconds):`` blocks a thread until it is your turn (a short call of the page);
    - ``with device.ticket() as ticket:`` in a generator that tells ``ticket.before`` as often as it is asked (``paced``
      asks gently): the visitor sees the position, and may close the tab;
    - the same in a coroutine that looks at ``ticket.before`` every ``POLL`` seconds.

    Work that nobody waits for takes what is left over (``spare``).
    """

    def __init__(
        self,
        most_waiting: int = MAX_WAITING_RUNS,
        *,
        together: int = 1,
        run_seconds: float = math.inf,
        journal: Journal | None = None,
    ):
        self._most_waiting, self._together, self.run_seconds = most_waiting, together, run_seconds
        self.journal = journal or Journal()
        self._running: list[Ticket] = []
        self._waiting: list[Ticket] = []
        self._served: dict[Visitor | str, int] = {}  # page or address -> the number of its newest turn
        self._count = 0
        self._most_running = 0
        self._asking: deque[Ticket] = deque()  # for the next slice
        self._holder: object = None
        self._slices = 0
        self._moved = threading.Condition()
        self.journal.running.set_function(lambda: len(self._running))
        self.journal.running_most.set_function(lambda: self._most_running)
        self.journal.waiting.set_function(lambda: len(self._waiting))

    def __len__(self) -> int:
        """The number of tickets, running and waiting."""
        with self._moved:
            return len(self._running) + len(self._waiting)

    def ticket(self, visitor: Visitor = Visitor()) -> Ticket:  # noqa: B008 (it cannot be changed)
        """The last position of the queue. Raises Busy when it is full, or the visitor has enough places in it."""
        ticket = Ticket(self, visitor)
        with self._moved:
            self._check(visitor)
            self._waiting.append(ticket)
            self._let_in()
        return ticket

    def _check(self, visitor: Visitor) -> None:
        if len(self._waiting) >= self._most_waiting + max(0, self._together - len(self._running)):
            raise Busy(
                f"Too many people want the models right now: {self._most_waiting} are waiting, and no more can. "
                "Nothing was lost: try again in a minute."
            )
        owners = [ticket.visitor for ticket in (*self._running, *self._waiting)]
        own = sum(holder == visitor for holder in owners if visitor.session)
        if own >= MAX_RUNS_OF_SESSION:
            raise Busy(f"{own} runs of this page are under way: let them finish, or stop one.")
        shared = sum(holder.address == visitor.address for holder in owners if visitor.address)
        if shared >= MAX_RUNS_OF_ADDRESS:
            raise Busy(f"{shared} runs from your network are under way, and no more can be: try again in a minute.")

    @contextmanager
    def turn(self, seconds: float = 30.0) -> Iterator[Ticket]:
        """The device for the body of ``with``, after waiting for it up to ``seconds``; then raises Busy."""
        with self.ticket() as ticket:
            if not ticket.wait(seconds):
                raise Busy(f"The models are busy: {people_before(ticket.before)}. Try again in a moment.")
            with ticket.slice():
                yield ticket

    @contextmanager
    def spare(self, seconds: float) -> Iterator[bool]:
        """The device for the body of ``with``, as soon as nobody runs or waits: keep it for a moment (SLICE) only,
        since whoever comes meanwhile waits for it. False where it was not to be had for so many ``seconds``: the body
        must leave the models alone then. Who has it is in no queue, and nobody's position counts them."""
        with self._moved:
            had = self._moved.wait_for(self._is_free, seconds)
            if had:
                self._holder = self
        try:
            yield had
        finally:
            if had:
                self._hand_on()

    def _is_free(self) -> bool:
        return not (self._running or self._waiting) and self._holder is None

    @property
    def slices(self) -> int:
        """How many the tickets had so far: it stays the same while only spare time is used."""
        return self._slices

    def _order(self) -> list[Ticket]:
        """The waiting tickets, next one first. Sorting is stable, so equals stay in order of arrival."""
        everybody = [*self._running, *self._waiting]
        page = _places(everybody, lambda ticket: ticket.visitor)
        turn = sorted(everybody, key=lambda ticket: (page[ticket], self._served.get(ticket.visitor, 0)))
        network = _places(turn, lambda ticket: ticket.visitor.address)
        waiting = [ticket for ticket in turn if ticket in self._waiting]
        return sorted(waiting, key=lambda ticket: (network[ticket], self._served.get(ticket.visitor.address, 0)))

    def _let_in(self) -> None:
        while self._waiting and len(self._running) < self._together:
            ticket = self._order()[0]
            self._waiting.remove(ticket)
            self._running.append(ticket)
            self._count += 1
            self._most_running = max(self._most_running, len(self._running))
            if ticket.visitor.address:
                self._served[ticket.visitor] = self._served[ticket.visitor.address] = self._count
            ticket.waited = time.monotonic() - ticket.began
        if len(self._served) > MAX_WAITING_RUNS and not self._waiting:
            self._served.clear()
        self._moved.notify_all()

    def _before(self, ticket: Ticket) -> int:
        with self._moved:
            if ticket in self._running:
                return 0
            if ticket not in self._waiting:
                raise SpecvizError("this ticket was given back: take a new one")
            return len(self._running) + self._order().index(ticket)

    def _sharing(self) -> int:
        with self._moved:
            return len(self._running)

    def _wait(self, ticket: Ticket, seconds: float) -> bool:
        with self._moved:
            return self._moved.wait_for(lambda: ticket in self._running, seconds)

    def _take(self, ticket: Ticket) -> None:
        with self._moved:
            self._asking.append(ticket)
            self._moved.wait_for(lambda: self._holder is None and self._asking[0] is ticket)
            self._holder = self._asking.popleft()
            self._slices += 1

    def _hand_on(self) -> None:
        with self._moved:
            self._holder = None
            self._moved.notify_all()

    def _remove(self, ticket: Ticket) -> None:
        with self._moved:
            held = [line for line in (self._running, self._waiting) if ticket in line]
            for line in held:
                line.remove(ticket)
            self._let_in()
        if held and ticket.about:
            wait = ticket.waited if self._running in held else time.monotonic() - ticket.began
            self.journal.note(ticket.about, ticket.used, wait)


def _places(tickets: Iterable[Ticket], of: Callable[[Ticket], Any]) -> dict[Ticket, int]:
    """How many tickets of the same page, or address, are before each; 0 for those without an address, of whom nobody
    knows whether they are the same."""
    counts: Counter[Any] = Counter()
    places = {}
    for ticket in tickets:
        places[ticket] = counts[of(ticket)]
        counts[of(ticket)] += bool(ticket.visitor.address)
    return places


def people_before(count: int) -> str:
    """``2 people are before you``."""
    return "one person is before you" if count == 1 else f"{count} people are before you"


def until_ready(ticket: Ticket, loader: PairLoader) -> Iterator[int]:
    """How many are before, again and again, until the ticket shares the device and the models are loaded, well or badly
    (0: only the models are missing). It never blocks: let ``paced`` ask."""
    while (queue_position := ticket.before) or not loader.wait(0.0):
        yield queue_position


def waiting(ticket: Ticket, loader: PairLoader, form: str, what: str) -> Iterator[WaitingMessage]:
    """``until_ready`` as the page is told it: what of the ``form`` waits, such as ``your race``, and for whom."""
    for queue_position in until_ready(ticket, loader):
        before = f"{people_before(queue_position)}; " if queue_position else ""
        models = "" if loader.wait(0.0) else "the models are still loading; "
        text = f"{before}{models}{what} starts by itself …"
        yield {"kind": "waiting", "form": form, "queue_position": queue_position, "text": text[0].upper() + text[1:]}


async def paced(messages: Generator[Message]) -> AsyncGenerator[Message]:
    """The messages of a generator that may answer ``{"kind": "waiting", ...}`` again and again while it waits.

    It is asked on a thread, every ``POLL`` seconds while it waits, so that those who wait occupy no thread; what they
    are told is repeated only when it changes, or after ``ALIVE`` seconds. Closing this closes the generator.
    """
    last: Message | None = None
    when = 0.0
    try:
        while (message := await anyio.to_thread.run_sync(next, messages, None)) is not None:
            waits = message["kind"] == "waiting"
            if not waits or message != last or time.monotonic() - when >= ALIVE:
                yield message
                last, when = message, time.monotonic()
            if waits:
                await asyncio.sleep(POLL)
    finally:
        await _close(messages)


async def _close(messages: Generator[Message]) -> None:
    while True:
        try:
            return messages.close()
        except ValueError:  # cancelled while a thread computes the next message: close after that
            await asyncio.sleep(POLL / 4)
