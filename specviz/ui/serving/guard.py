"""Security: response headers that keep the page to itself, and refusals of requests that no visitor needs."""

import json
from typing import Any

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from specviz.ui.serving.limits import MAX_REQUEST_BYTES

# gr.HTML builds its templates with Function(), hence 'unsafe-eval'; nothing outside the own origin is ever allowed
_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; "
    "object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors {ancestors}"
)
_RESERVED = (b"page=", b"deep_link=")  # gradio answers these with an error when it knows no such page
_FETCHES = ("/file=http:", "/file=https:", "/proxy=")  # routes that would fetch for a visitor
_METHODS = ("GET", "HEAD", "POST")
# What the page, a login and gradio_client ask for; every other route of gradio is closed: uploads, files of the server,
# recordings, run histories, monitoring, calls past the queue
_OPEN = frozenset(
    "/ /config /login /logout /favicon.ico /robots.txt /manifest.json /theme.css "
    "/gradio_api/app_id /gradio_api/cancel /gradio_api/component_server /gradio_api/info /gradio_api/login_check "
    "/gradio_api/openapi.json /gradio_api/queue/data /gradio_api/queue/join /gradio_api/queue/status /gradio_api/reset "
    "/gradio_api/startup-events /gradio_api/theme.css /gradio_api/token /gradio_api/user".split()
)
_OPEN_FOLDERS = tuple("/specviz/ /assets/ /static/ /svelte/ /gradio_api/call/ /gradio_api/heartbeat/".split())


def content_security_policy(*, on_space: bool) -> str:
    """The policy of every response; a Hugging Face Space is shown inside huggingface.co, anything else in no frame."""
    return _POLICY.format(ancestors="'self' https://huggingface.co https://*.hf.space" if on_space else "'self'")


class Guard:
    """ASGI middleware: adds the security headers, and lets only what a visitor needs pass.

    It refuses routes that fetch (403), what another site's page sends (403), routes that nobody needs (404), other
    methods than GET, HEAD and POST (405), oversized bodies (413; those of unstated length are counted while they
    arrive), forms with files (415), and data that gradio would take for a file (403). It belongs outside of everything
    else, so that errors carry the headers, too.
    """

    def __init__(self, app: ASGIApp, *, on_space: bool = False):
        self.app = app
        self.headers = [
            (b"content-security-policy", content_security_policy(on_space=on_space).encode()),
            (b"x-content-type-options", b"nosniff"),
            (b"referrer-policy", b"no-referrer"),
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)

        async def guarded_send(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *self.headers]
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            return await refusal(scope, receive, guarded_send)
        if scope["method"] == "POST":
            body = await _read(receive)
            if body is None:
                return None  # the visitor has gone
            refusal = _unfit(body)
            if refusal is not None:
                return await refusal(scope, receive, guarded_send)
            receive = _again(body, receive)
        return await self.app(_without_reserved(scope), receive, guarded_send)

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        path, headers = scope["path"].lower(), dict(scope["headers"])
        if any(fetch in path for fetch in _FETCHES):
            return JSONResponse({"detail": "this server fetches nothing for its visitors"}, 403)
        if (path.rstrip("/") or "/") not in _OPEN and not path.startswith(_OPEN_FOLDERS):
            return JSONResponse({"detail": "there is nothing here"}, 404)
        if scope["method"] not in _METHODS:
            return JSONResponse({"detail": f"methods are {', '.join(_METHODS)}"}, 405)
        if scope["method"] == "POST" and headers.get(b"sec-fetch-site") == b"cross-site":
            return JSONResponse({"detail": "this came from another site's page"}, 403)
        form = headers.get(b"content-type", b"").strip().lower().startswith(b"multipart/")
        if form and path.rstrip("/") != "/login":
            return JSONResponse({"detail": "this server takes no files"}, 415)
        length = headers.get(b"content-length", b"0")
        return _oversized() if not length.isdigit() or int(length) > MAX_REQUEST_BYTES else None


class _NamesFileError(Exception):
    """An object in a body would be a file to gradio."""


def _oversized() -> JSONResponse:
    return JSONResponse({"detail": f"a request may have {MAX_REQUEST_BYTES} bytes at most"}, 413)


def _without_reserved(scope: Scope) -> Scope:
    """A page request without the query parameters that only gradio's own features use."""
    if scope["path"] != "/" or not scope["query_string"]:
        return scope
    kept = [part for part in scope["query_string"].split(b"&") if not part.startswith(_RESERVED)]
    return {**scope, "query_string": b"&".join(kept)}


async def _read(receive: Receive) -> bytes | None:
    """The whole body, or as much of it as shows that it is too long; None when the visitor left before its end."""
    body = bytearray()
    while len(body) <= MAX_REQUEST_BYTES:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        body += message.get("body", b"")
        if not message.get("more_body", False):
            break
    return bytes(body)


def _unfit(body: bytes) -> JSONResponse | None:
    """The refusal of a body that is too long, or whose JSON holds an object that gradio would take for a file.

    Read by the parser that gradio's routes use, whatever the request calls its content: nothing is a file there that is
    none here. A text stays a text, whatever it says.
    """
    if len(body) > MAX_REQUEST_BYTES:
        return _oversized()
    try:
        json.loads(body, object_hook=_no_file)
    except _NamesFileError:
        return JSONResponse({"detail": "this server takes no files: an object with a path is not allowed"}, 403)
    except RecursionError:
        return JSONResponse({"detail": "this is nested too deeply"}, 400)
    except ValueError:
        pass  # no JSON, such as a login's form: whoever expects JSON refuses it
    return None


def _no_file(found: dict[str, Any]) -> None:
    """For gradio every object with a text as ``path`` is a file, in its newer form with ``meta`` besides."""
    if isinstance(found.get("path"), str):
        raise _NamesFileError


def _again(body: bytes, receive: Receive) -> Receive:
    """``receive`` that begins with the body that was read."""
    messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        return messages.pop() if messages else await receive()

    return replayed
