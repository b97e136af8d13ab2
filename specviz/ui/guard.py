"""The door: response headers that keep the page to itself, and refusals of requests that no visitor needs."""

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from specviz.ui.limits import MAX_REQUEST_BYTES

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
    methods than GET, HEAD and POST (405) and oversized bodies (413); those of unstated length are counted while they
    arrive. It belongs outside of everything else, so that errors carry the headers, too.
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
        return await self.app(_without_reserved(scope), _bounded(receive), guarded_send)

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
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or int(length) > MAX_REQUEST_BYTES:
            return JSONResponse({"detail": f"a request may have {MAX_REQUEST_BYTES} bytes at most"}, 413)
        return None


def _without_reserved(scope: Scope) -> Scope:
    """A page request without the query parameters that only gradio's own features use."""
    if scope["path"] != "/" or not scope["query_string"]:
        return scope
    kept = [part for part in scope["query_string"].split(b"&") if not part.startswith(_RESERVED)]
    return {**scope, "query_string": b"&".join(kept)}


def _bounded(receive: Receive) -> Receive:
    """``receive`` that hangs up once more than MAX_REQUEST_BYTES have arrived."""
    total = 0

    async def counted() -> Message:
        nonlocal total
        message = await receive()
        total += len(message.get("body", b""))
        return {"type": "http.disconnect"} if total > MAX_REQUEST_BYTES else message

    return counted
