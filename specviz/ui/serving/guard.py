"""Security: response headers that keep the page to itself, and refusals of requests that no visitor needs."""

from urllib.parse import urlencode

from anyio import CapacityLimiter, to_thread
from starlette.datastructures import Headers, QueryParams
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from specviz.ui.serving.access import Access
from specviz.ui.serving.bodies import UnfitBody, most_bytes, oversized, parsed
from specviz.ui.serving.calls import Calls
from specviz.ui.serving.limits import MAX_BODIES_BYTES, MAX_FORM_BYTES
from specviz.ui.serving.login import Login

# gr.HTML builds its templates with Function(), hence 'unsafe-eval'; nothing outside the own origin is ever allowed
_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; "
    "object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors {ancestors}"
)
_RESERVED = ("page", "deep_link")  # Gradio answers these with an error if there is no such page
_FETCHES = ("/file=http:", "/file=https:", "/proxy=")  # routes that would fetch URLs for a visitor
_METHODS = ("GET", "HEAD", "POST")
_FORM = "application/x-www-form-urlencoded"  # of a login; everything else is JSON
_CORS = b"access-control-"  # Gradio would let other sites' pages read these
# What the page, a login and gradio_client ask for; every other route of gradio is closed: uploads, files of the server,
# recordings, run histories, monitoring, calls past the queue
_OPEN = frozenset(
    "/ /healthz /metrics /specviz-room /config /login /logout /favicon.ico /robots.txt /manifest.json /theme.css "
    "/gradio_api/app_id /gradio_api/cancel /gradio_api/info /gradio_api/login_check /gradio_api/openapi.json "
    "/gradio_api/queue/data /gradio_api/queue/join /gradio_api/queue/status /gradio_api/reset "
    "/gradio_api/startup-events /gradio_api/theme.css /gradio_api/token /gradio_api/user".split()
)
_OPEN_FOLDERS = tuple(
    "/specviz/ /specviz-room/ /assets/ /static/ /svelte/ /gradio_api/call/ /gradio_api/heartbeat/".split()
)


def content_security_policy(*, on_space: bool) -> str:
    """The policy of every response; a Hugging Face Space is shown inside huggingface.co, anything else in no frame."""
    return _POLICY.format(ancestors="'self' https://huggingface.co https://*.hf.space" if on_space else "'self'")


class Guard:
    """ASGI middleware: adds the security headers, and lets only what a visitor needs pass.

    It refuses hosts and pages that ``access`` does not know (403), routes that fetch (403), routes that nobody needs
    (404), other methods than GET, HEAD and POST (405), with a ``login`` everything of those who have not logged in
    (401), oversized bodies (413; each route has its size, and those of unstated length are counted while they arrive),
    bodies that do not call themselves JSON (415), are none, or have too many parts (400), data that gradio would take
    for a file (403), and what is not among the ``calls`` (400). What is behind it sees requests as their visitors made
    them, at the top of the server (``Access``).
    It belongs outside of everything else, so that errors carry the headers, too.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        access: Access | None = None,
        login: Login | None = None,
        calls: Calls | None = None,
        on_space: bool = False,
    ):
        self.app = app
        self.access, self.login, self.calls = access or Access(), login, calls
        self._held = 0  # bytes of bodies
        self._large = CapacityLimiter(1)
        self.headers = [
            (b"content-security-policy", content_security_policy(on_space=on_space).encode()),
            (b"x-content-type-options", b"nosniff"),
            (b"referrer-policy", b"same-origin"),
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)

        async def guarded_send(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = [header for header in message.get("headers", []) if not header[0].lower().startswith(_CORS)]
                message["headers"] = [*own, *self.headers]
            await send(message)

        scope = self._at_the_top(self.access.seen(scope))
        answer = self._refusal(scope)
        path = scope["path"].rstrip("/")
        if answer is None and not self._may_enter(scope, path):
            answer = self.login.ask(scope) if self.login else JSONResponse({"detail": "there is nothing here"}, 404)
        if answer is None and not self._is_told(scope):
            answer = JSONResponse({"detail": "there is nothing to tell: it is over, or was never asked for"}, 404)
        if answer is None and scope["method"] == "POST":
            return await self._with_body(scope, receive, guarded_send)
        if answer is None and self.login is not None and path in ("/login", "/logout"):
            answer = self.login.leave(scope) if path == "/logout" else self.login.home()
        return await (answer or self.app)(_without_reserved(scope), receive, guarded_send)

    def _may_enter(self, scope: Scope, path: str) -> bool:
        """Whether the path is public, the visitor is logged in, or may read the counters."""
        if path == "/metrics" and self.access.lets_watch((scope.get("client") or ("", 0))[0]):
            return True
        if self.login is None:
            return path != "/metrics"
        return path in ("/login", "/healthz") or self.login.knows(scope)

    def _is_told(self, scope: Scope) -> bool:
        if self.calls is None or scope["method"] not in ("GET", "HEAD"):
            return True
        return self.calls.knows_stream(scope["path"], scope["query_string"])

    async def _with_body(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request with a body, once all of it is there."""
        body, most = bytearray(), most_bytes(scope["path"])
        try:
            async for part in Request(scope, receive).stream():
                body += part
                self._held += len(part)
                if len(body) > most:
                    return await _oversized(most)(scope, receive, send)
                if self._held > MAX_BODIES_BYTES:
                    busy = "too many large requests are being answered right now: try again in a minute"
                    return await JSONResponse({"detail": busy}, 503)(scope, receive, send)
            answer = await self._unfit(scope, bytes(body))
            if answer is None and self.login is not None and scope["path"].rstrip("/") == "/login":
                answer = await self.login.enter(scope, bytes(body))
            await (answer or self.app)(scope, _again(bytes(body), receive), send)
        except ClientDisconnect:
            return None
        finally:
            self._held -= len(body)

    async def _unfit(self, scope: Scope, body: bytes) -> JSONResponse | None:
        """The refusal of a body that is not JSON, contains an object that Gradio would take for a file, or calls
        something that does not exist; None for any other.

        It is parsed by the parser of Gradio's routes, so both find the same objects. Large bodies are parsed on a
        thread, one at a time.
        """
        path = scope["path"]
        if path.rstrip("/") == "/login":
            return None
        try:
            if len(body) <= MAX_FORM_BYTES:
                content = parsed(body)
            else:
                content = await to_thread.run_sync(parsed, body, limiter=self._large)
        except UnfitBody as unfit:
            return JSONResponse({"detail": str(unfit)}, unfit.status)
        unknown = self.calls.refusal(path, content) if self.calls else ""
        return JSONResponse({"detail": unknown}, 400) if unknown else None

    def _at_the_top(self, scope: Scope) -> Scope:
        """The request without the path prefix under which visitors reach the server, which some proxies leave in."""
        prefix, path = self.access.prefix, scope["path"]
        if not prefix or not path.startswith(f"{prefix}/"):
            return scope
        return {**scope, "path": path.removeprefix(prefix), "raw_path": scope.get("raw_path", b"")[len(prefix) :]}

    def _refusal(self, scope: Scope) -> Response | None:
        path, headers = scope["path"].lower(), Headers(scope=scope)
        unknown = self.access.refusal(scope)
        if unknown:
            return JSONResponse({"detail": unknown}, 403)
        if path == self.access.prefix and path:
            return RedirectResponse(f"{self.access.prefix}/")
        if any(fetch in path for fetch in _FETCHES):
            return JSONResponse({"detail": "this server fetches nothing for its visitors"}, 403)
        if (path.rstrip("/") or "/") not in _OPEN and not path.startswith(_OPEN_FOLDERS):
            return JSONResponse({"detail": "there is nothing here"}, 404)
        if scope["method"] not in _METHODS:
            return JSONResponse({"detail": f"methods are {', '.join(_METHODS)}"}, 405)
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        wanted = _FORM if path.rstrip("/") == "/login" else "application/json"
        if scope["method"] == "POST" and kind != wanted:
            return JSONResponse({"detail": "this server takes JSON (application/json), and no files"}, 415)
        length, most = headers.get("content-length", "0"), most_bytes(scope["path"])
        return _oversized(most) if not length.isdecimal() or int(length) > most else None


def _oversized(most: int) -> JSONResponse:
    return JSONResponse({"detail": str(oversized(most))}, 413)


def _without_reserved(scope: Scope) -> Scope:
    """A page request without the query parameters that only gradio's own features use."""
    if scope["path"] != "/" or not scope["query_string"]:
        return scope
    query = QueryParams(scope["query_string"]).multi_items()
    others = [(name, value) for name, value in query if name not in _RESERVED]
    return {**scope, "query_string": urlencode(others).encode()}


def _again(body: bytes, receive: Receive) -> Receive:
    """A ``receive`` that first returns the body already read."""
    messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        return messages.pop() if messages else await receive()

    return replayed
