"""Whether anybody still listens to the messages in Gradio's queue.

Gradio ends a visitor's call when their stream of events is cut. It would go on computing for a visitor who never opens
a stream or stops reading it, so we look at the messages that nobody has read. A call begins when its first message is
read; until then it takes nobody's place.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any
from weakref import WeakSet

from gradio.context import LocalContext

from specviz.ui.serving.access import network_of
from specviz.ui.serving.device import Visitor
from specviz.ui.serving.limits import MAX_UNHEARD

PATIENCE = 8.0  # seconds without a message being read
FETCHED_WITHIN = 60.0  # seconds in which somebody must begin to read their messages
LOOK = 10.0  # seconds between two checks for unread messages
GLANCE = 0.01  # seconds between two checks whether somebody listens


class Unfetched:
    """Begins the calls that somebody listens to and drops what nobody reads: of each function's calls without a
    listener all but the last MAX_UNHEARD, and messages the first of which has waited for FETCHED_WITHIN seconds.
    ``queue`` is Gradio's, ``clock`` gives seconds."""

    def __init__(self, queue: Any, clock: Callable[[], float] = time.monotonic):
        self._queue, self._clock = queue, clock
        self._first: dict[str, tuple[Any, float]] = {}  # session -> its first message, and when it was seen
        self._heard: WeakSet[Any] = WeakSet()  # events
        self._glanced = -GLANCE

    def sweep(self) -> None:
        """Drop what nobody reads. To be called on the queue's event loop."""
        now, waiting = self._clock(), self._queue.pending_messages_per_session
        firsts = {session: unread._queue[0] for session, unread in waiting.items() if unread.qsize()}
        for session, message in firsts.items():
            known, since = self._first.get(session, (None, now))
            self._first[session] = message, since if known is message else now
            if now - self._first[session][1] >= FETCHED_WITHIN:
                self._let_go(session)
        self._first = {session: self._first[session] for session in firsts if session in waiting}

    async def watch(self, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        """Sweep every LOOK seconds, until it is cancelled."""
        while True:
            await sleep(LOOK)
            self.sweep()

    def next_events(self) -> tuple[list[Any], bool, str] | None:
        """In place of the queue's ``get_events``, which it asks every millisecond: what begins now, if anything."""
        now = self._clock()
        if now - self._glanced < GLANCE:
            return None
        lines = list(self._queue.event_queue_per_concurrency_id.values())
        random.shuffle(lines)
        for line in lines:
            self._heard.update(event for event in line.queue if self._is_read(event))
            heard = [event for event in line.queue if event in self._heard]
            if heard and (line.concurrency_limit is None or line.current_concurrency < line.concurrency_limit):
                line.queue.remove(heard[0])
                return heard[:1], False, line.concurrency_id
            unheard = [event for event in line.queue if event not in self._heard]
            for event in unheard[:-MAX_UNHEARD]:
                self._let_go(event.session_hash)
        self._glanced = now
        return None

    def _is_read(self, event: Any) -> bool:
        """Whether all messages of an event were read; the first is there from the start."""
        unread = self._queue.pending_messages_per_session.get(event.session_hash)
        return unread is not None and all(message.event_id != event._id for message in unread._queue)

    def _let_go(self, session: str) -> None:
        self._queue.pending_messages_per_session.pop(session, None)
        for name in self._queue.pending_event_ids_session.pop(session, ()):
            self._queue.event_ids_to_events.pop(name, None)
        for line in self._queue.event_queue_per_concurrency_id.values():
            line.queue[:] = [event for event in line.queue if event.session_hash != session]


CALLER = ContextVar("CALLER", default="")
"""The network whose call of the page is under way (``server.py``)."""


def caller() -> Visitor:
    """Whose call of the page is under way: their network; nobody says which page."""
    return Visitor(CALLER.get())


class Audience:
    """The visitor who waits for the answer of the call under way, in Gradio's ``page``; ``clock`` gives seconds."""

    def __init__(self, page: Any, clock: Callable[[], float] = time.monotonic):
        self._queue = page._queue
        self._event = self._queue.event_ids_to_events.get(LocalContext.event_id.get() or "")
        self._clock, self._read_at = clock, clock()
        self._next: Any = None  # message to be read

    @property
    def visitor(self) -> Visitor:
        """Whose call it is."""
        if self._event is None:
            return Visitor()
        client = getattr(self._event.request, "client", None)
        return Visitor(network_of(client.host) if client else "", self._event.session_hash)

    def listens(self) -> bool:
        """Whether the caller is still there. Ask after every message."""
        event = self._event
        if event is None or not event.alive or event._id not in self._queue.event_ids_to_events:
            return False
        unread = self._queue.pending_messages_per_session.get(event.session_hash)
        if unread is None:
            return False
        next_one, now = unread._queue[0] if unread.qsize() else None, self._clock()
        if next_one is None or next_one is not self._next:
            self._next, self._read_at = next_one, now
        return now - self._read_at < PATIENCE
