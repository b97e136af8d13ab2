"""Connections: how many, how long they may keep the server waiting, and what happens when no more can be opened.

uvicorn answers requests; this refuses those who hold a connection without sending one, without reading their answer, or
who hold too many. Streams of events live as long as somebody reads them.
"""

import errno
import logging
import os
import socket
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from specviz.ui.serving.access import network_of
from specviz.ui.serving.limits import MAX_CONNECTIONS, MAX_CONNECTIONS_OF_ADDRESS

HEAD_SECONDS = 10.0  # for the head of a request
BODY_SECONDS = 60.0  # for its body
UNREAD_SECONDS = 30.0  # that an answer may stay unread
LOOK = 1.0  # seconds between two checks of a connection
GONE_SECONDS = 15  # until a peer that acknowledges nothing counts as gone
RESERVE = 128  # file handles for everything else: files, models, the browser that draws
_BUSY = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain\r\nconnection: close\r\nretry-after: 60\r\n"
    b"content-length: %d\r\n\r\n%b"
)
_FULL = b"this server has too many connections right now: try again in a minute"
_MANY = b"your address has too many connections to this server: close some pages"

log = logging.getLogger(__name__)

try:
    import resource
except ImportError:  # a system without such limits
    resource = None


class Connections:
    """Who is connected. ``most`` in all and ``of_address`` of one address (``network_of``); addresses that ``exempt``
    names, such as a proxy, are only counted in all."""

    def __init__(self, most: int, of_address: int = MAX_CONNECTIONS_OF_ADDRESS, exempt: Any = lambda address: False):
        self.most, self.of_address, self.exempt = most, of_address, exempt
        self.open: Counter[str] = Counter()

    def refusal(self, address: str) -> bytes:
        """Why one more is not served; empty where it is. Ask after it was counted."""
        if self.open.total() > self.most:
            return _FULL
        return _MANY if self.open[network_of(address)] > self.of_address and not self.exempt(address) else b""

    def add(self, address: str) -> None:
        self.open[network_of(address)] += 1

    def remove(self, address: str) -> None:
        network = network_of(address)
        self.open[network] -= 1
        if not self.open[network]:
            del self.open[network]


def room_for_connections() -> int:
    """How many connections the system lets this process have, MAX_CONNECTIONS at most; raises its own limit of file
    handles as far as it may and needs to."""
    if resource is None:
        return MAX_CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_CONNECTIONS + RESERVE
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MAX_CONNECTIONS if soft == resource.RLIM_INFINITY else max(8, min(MAX_CONNECTIONS, soft - RESERVE))


def protocol(connections: Connections) -> type[H11Protocol]:
    """uvicorn's protocol with deadlines, whose connections are counted in ``connections``."""

    class Watched(_WatchedProtocol):
        book = connections

    return Watched


class _WatchedProtocol(H11Protocol):
    book: Connections
    _address: str | None = None
    _since = 0.0
    _state: Any = None
    _look: Any = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        address = self.client[0] if self.client else ""
        self._address = address
        self.book.add(address)
        _notice_the_dead(transport.get_extra_info("socket"))
        refusal = self.book.refusal(address)
        if refusal:
            transport.write(_BUSY % (len(refusal), refusal))
            transport.close()
            return
        self._since = time.monotonic()
        self._look = self.loop.call_later(LOOK, self._check)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._look is not None:
            self._look.cancel()
        if self._address is not None:
            self.book.remove(self._address)
            self._address = None
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if not self.transport.is_closing():  # what comes after a refusal is not read
            super().data_received(data)

    def _check(self) -> None:
        """Close the connection if it has been in the same state for too long. The clock starts when the state begins,
        so a byte now and then does not help."""
        state, seconds = self._waits_for()
        now = time.monotonic()
        if state != self._state:
            self._state, self._since = state, now
        elif seconds is not None and now - self._since > seconds:
            self.transport.abort()
            return
        self._look = self.loop.call_later(LOOK, self._check)

    def _waits_for(self) -> tuple[Any, float | None]:
        """The state of the connection and the seconds it may last; None if it is the server's turn."""
        if self.flow.write_paused:
            return "unread", UNREAD_SECONDS
        served = 0 if self.cycle is None else id(self.cycle)
        if self.conn.their_state is h11.IDLE:
            return ("head", served), HEAD_SECONDS
        if self.conn.their_state is h11.SEND_BODY:
            return ("body", served), BODY_SECONDS
        return ("answer", served), None


def _notice_the_dead(sock: socket.socket) -> None:
    """Notice a peer that vanished silently, such as a closed laptop, within about GONE_SECONDS."""
    settings = {"TCP_KEEPIDLE": 5, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 2, "TCP_USER_TIMEOUT": GONE_SECONDS * 1000}
    with suppress(OSError, AttributeError):
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in settings.items():
            if hasattr(socket, name):
                sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


class Door(socket.socket):
    """A listening socket that, when the process can open no more files, turns visitors away instead of leaving them in
    the queue, where they would wake the server again and again. One file handle is kept in reserve for that."""

    _spare = -1
    _said = 0.0

    def listen(self, *backlog: int) -> None:
        super().listen(*backlog)
        self._keep_spare()

    def close(self) -> None:
        super().close()
        if self._spare >= 0:
            os.close(self._spare)
            self._spare = -1

    def _keep_spare(self) -> None:
        if self._spare < 0:
            with suppress(OSError):
                self._spare = os.open(os.devnull, os.O_RDONLY)

    def accept(self) -> tuple[socket.socket, Any]:
        try:
            return super().accept()
        except OSError as error:
            if error.errno not in (errno.EMFILE, errno.ENFILE):
                raise
        self._turn_away()
        raise BlockingIOError  # to asyncio: nobody is there now

    def _turn_away(self) -> None:
        if self._spare >= 0:
            os.close(self._spare)
            self._spare = -1
            with suppress(OSError):
                super().accept()[0].close()
        self._keep_spare()
        if self._spare < 0:
            time.sleep(0.05)  # another thread has it: trying again at once would only burn CPU time
        if time.monotonic() - self._said > 60:
            self._said = time.monotonic()
            log.warning("no file handles are left: visitors are turned away until some are free")


def listening(host: str, port: int) -> Door:
    """The socket that the server listens on. Raises OSError where the address cannot be had."""
    family, kind, number, _, address = socket.getaddrinfo(
        host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    door = Door(family, kind, number)
    try:
        if os.name == "posix":  # on Windows it would share the port with another server
            door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            door.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, int(host != "::"))
        door.bind(address)
        door.listen(512)
        door.setblocking(False)
    except OSError:
        door.close()
        raise
    return door


class Calm(logging.Filter):
    """Lets a few log records of one place in the code through every ``seconds`` of the ``clock``, and says how many it
    dropped."""

    def __init__(self, most: int = 20, seconds: float = 60.0, clock: Callable[[], float] = time.monotonic):
        super().__init__()
        self.most, self.seconds, self._clock = most, seconds, clock
        self._seen: dict[tuple[str, int], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        key, now = (record.pathname, record.lineno), self._clock()
        began, count = self._seen.get(key, (now, 0))
        if now - began > self.seconds:
            if count > self.most:
                record.msg = f"{record.getMessage()} ({count - self.most} more like this were left out)"
                record.args = ()
            began, count = now, 0
        self._seen[key] = began, count + 1
        if len(self._seen) > 1000:
            self._seen.clear()
        return count < self.most
