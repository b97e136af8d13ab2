"""Classes over HTTP: one address for a page's requests, one for its stream of messages.

- ``POST /specviz-room``: ``{"address": the page's own}`` -> ``OpenedClass``.
- ``POST /specviz-room/{code}``: ``{"do": name, ...}``, a method of ``Rooms`` (publish, ask, show, answer, close, end,
  vote) with its arguments by name -> ``{}``.
- ``GET /specviz-room/{code}/events``: ``ClassMessage`` after ``ClassMessage`` as server-sent events; with the token in
  the header TOKEN the teacher's.

Refusals are ``{"error": sentence, "code": kind}`` (``errors.py``); a refused stream says ``ended``, since browsers
would report any other answer as an error of the page. The first stream of a browser gives it the cookie BROWSER, which
browsers send to the addresses of this class alone: its pages have one vote together. Without cookies every stream has a
vote, within the limits of its network.
"""

import asyncio
import json
import re
import secrets
from collections.abc import AsyncIterator
from typing import Annotated, Any
from urllib.parse import urlsplit

import segno
from anyio import to_thread
from fastapi import Body, FastAPI, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from specviz.errors import SpecvizError, as_given
from specviz.ui.classroom.rooms import Rooms
from specviz.ui.messages.rooms import ClassMessage, OpenedClass
from specviz.ui.serving import limits
from specviz.ui.serving.access import network_of
from specviz.ui.serving.reach import HERE_ONLY, MAX_CHARACTERS, Reach

TOKEN = "x-specviz-token"  # a header, so that no log of addresses contains it
BROWSER = "specviz-student"
ClassBody = Annotated[Any, Body()]
BEAT = 5.0  # seconds between two keep-alive messages of a stream
_STATUS = {"gone": 404, "not_allowed": 403, "too_many": 429, "too_large": 413}  # others: 400
_ARGUMENTS = {
    "publish": ("token", "address", "moment"),
    "ask": ("token", "question", "choices", "right", "about"),
    "show": ("token",),
    "answer": ("token",),
    "close": ("token",),
    "end": ("token",),
    "vote": ("member", "poll", "choice"),
}


def add_room_routes(server: FastAPI, rooms: Rooms, reach: Reach | None = None, *, beat: float = BEAT) -> None:
    """Serve ``rooms``, which phones join as ``reach`` says (default: none can); ``beat`` is the time between keep-alive
    messages in seconds."""
    reach = reach or Reach()

    @server.exception_handler(SpecvizError)
    async def refuse(_: Request, error: SpecvizError) -> Response:
        return JSONResponse({"error": str(error), "code": error.code}, _STATUS.get(error.code, 400))

    @server.post("/specviz-room", response_model=None)
    async def open_room(request: Request, body: ClassBody = None) -> OpenedClass:
        return await _open(rooms, reach, _arguments(body).get("address"), _network(request))

    @server.post("/specviz-room/{code}")
    async def act(code: str, body: ClassBody = None) -> dict[str, Any]:
        return _act(rooms, code, _arguments(body))

    @server.get("/specviz-room/{code}/events")
    async def events(code: str, request: Request) -> Response:
        known = re.fullmatch(r"[\w-]{22}", request.cookies.get(BROWSER, ""), re.ASCII)
        browser = known[0] if known else secrets.token_urlsafe(16)
        messages = _told(rooms, code, request.headers.get(TOKEN), beat, network=_network(request), browser=browser)
        stream = StreamingResponse(messages, media_type="text/event-stream", headers={"cache-control": "no-store"})
        if not known:
            secure = request.url.scheme == "https"
            stream.set_cookie(BROWSER, browser, path=None, secure=secure, httponly=True, samesite="lax")
        return stream


def _network(request: Request) -> str:
    return network_of(request.client.host) if request.client else ""


def _arguments(body: Any) -> dict[str, Any]:
    if not isinstance(body, dict):
        raise SpecvizError("A class is asked in a JSON object.")
    return body


async def _open(rooms: Rooms, reach: Reach, address: Any, network: str) -> OpenedClass:
    page, unreachable = reach.join(_page_address(address))
    code, token = rooms.open(network)
    join = f"{page}?room={code}"
    return {
        "code": code,
        "token": token,
        "address": join,
        "picture": "" if unreachable else await to_thread.run_sync(qr_picture, join),  # tens of milliseconds
        "unreachable": unreachable,
        "restart": reach.restart if unreachable == HERE_ONLY else "",
    }


def _page_address(value: Any) -> str:
    allowed = isinstance(value, str) and re.fullmatch("[!-~]+", value) and not {"?", "#"} & set(value)
    try:
        parts = urlsplit(value) if allowed else None
    except ValueError:  # malformed brackets
        parts = None
    plain = parts and parts.scheme in ("http", "https") and parts.netloc and "@" not in parts.netloc
    if not plain or len(value) > MAX_CHARACTERS:
        raise SpecvizError(
            f"address must be that of a page, http(s)://host/path in up to {MAX_CHARACTERS} characters, got "
            f"{as_given(value)}",
            argument="address",
        )
    return value


def qr_picture(text: str) -> str:
    """A QR code, dark on light whatever the page's colours, as the data URI of an SVG."""
    return segno.make(text, error="m", micro=False).svg_data_uri(border=4, light="#fff", xmldecl=False)


def _act(rooms: Rooms, code: str, arguments: dict[str, Any]) -> dict[str, Any]:
    name = arguments.get("do")
    if not isinstance(name, str) or name not in _ARGUMENTS:
        raise SpecvizError(f"do must be one of {', '.join(_ARGUMENTS)}, got {as_given(name)}", argument="do")
    getattr(rooms, name)(code, *(arguments.get(argument) for argument in _ARGUMENTS[name]))
    return {}


class _Mailbox:
    """Messages that a page has not read yet. For a page that reads too slowly they are replaced by None, which ends its
    stream: it connects again and begins with the present state."""

    def __init__(self) -> None:
        self._unread: asyncio.Queue[ClassMessage | None] = asyncio.Queue(limits.MAX_UNREAD)

    def put(self, message: ClassMessage) -> None:
        if not self._unread.full():
            return self._unread.put_nowait(message)
        while not self._unread.empty():
            self._unread.get_nowait()
        return self._unread.put_nowait(None)

    async def get(self, seconds: float) -> ClassMessage | None:
        """The next message. Raises TimeoutError if there is none in time."""
        return await asyncio.wait_for(self._unread.get(), seconds)


async def _told(rooms: Rooms, code: str, token: str | None, beat: float, **whose: str) -> AsyncIterator[str]:
    """The stream of one page, which is in the room until the stream ends or is cancelled."""
    mail = _Mailbox()
    try:
        member = rooms.join(code, mail.put, token, **whose)
    except SpecvizError as error:
        yield _event({"kind": "ended", "text": str(error)})
        return
    try:
        while True:
            try:
                message = await mail.get(beat)
            except TimeoutError:
                rooms.tidy()
                yield ": still here\n\n"
                continue
            if message is None:
                return
            yield _event(message)
            if message["kind"] == "ended":
                return
    finally:
        rooms.leave(code.upper(), member)


def _event(message: ClassMessage) -> str:
    return f"data: {json.dumps(message)}\n\n"
