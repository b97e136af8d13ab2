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


def content_security_policy(*, on_space: bool) -> str:
    """The policy of every response; a Hugging Face Space is shown inside huggingface.co, anything else in no frame."""
    return _POLICY.format(ancestors="'self' https://huggingface.co https://*.hf.space" if on_space else "'self'")


class Guard:
    """ASGI middleware: adds the security headers; refuses fetching routes (403) and oversized bodies (413).

    Bodies of unstated length are counted while they arrive.
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
        path = scope["path"].lower()
        if any(fetch in path for fetch in _FETCHES):
            return JSONResponse({"detail": "this server fetches nothing for its visitors"}, 403)
        length = dict(scope["headers"]).get(b"content-length", b"0")
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
