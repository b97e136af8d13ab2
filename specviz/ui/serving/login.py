"""One name and password for the whole server: the login page, the cookie, and delays for guesses.

Guessing is slowed down, not blocked: attempts of an address are answered one after the other, and after a few wrong
ones each takes longer. So the right password still gets in, even from a school's shared address.
"""

import time
from asyncio import Lock, sleep
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from html import escape
from secrets import compare_digest, token_hex, token_urlsafe
from urllib.parse import parse_qs

from cachetools import LRUCache, TTLCache
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import Scope

from specviz.ui.serving.access import network_of
from specviz.ui.serving.limits import MAX_COUNTED_NETWORKS, MAX_LOGIN_WAITING, MAX_LOGINS

SECONDS = 12 * 3600  # that a visitor stays logged in
FREE = 3  # wrong attempts without a delay
SLOWEST = 4.0  # the longest delay in seconds
FORGIVEN = 600.0  # seconds after which wrong attempts are forgotten
WRONG = "This name and password do not belong together. Try again; each wrong try takes longer."
FULL = "Too many tries to log in from your address at the same time. Try again in a minute."
LOG_IN = "log in to this server first"

_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>specviz: log in</title>
<style>
:root {{ color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }}
body {{ max-width: 26rem; margin: 12vh auto; padding: 0 1rem }}
label {{ display: block; margin: .8rem 0 }} input {{ display: block; width: 100%; font: inherit; padding: .4rem;
box-sizing: border-box }} button {{ font: inherit; padding: .4rem 1.2rem }} [role=alert] {{ font-weight: 600 }}
</style>
<h1>specviz</h1>
<p>This page shows speculative decoding at work: language models race, and every choice they make can be looked into.
Whoever runs this server gives its visitors a name and a password.</p>
{alert}<form method="post" action="{action}"><input type="hidden" name="query" value="{query}">
<label>Name <input name="username" autocomplete="username" required autofocus></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label>
<button>Log in</button></form></html>"""


@dataclass
class _Tries:
    wrong: int = 0
    last: float = 0.0
    waiting: int = 0
    turn: Lock = field(default_factory=Lock)


class Login:
    """Lets in visitors who know ``user`` and ``password``; ``prefix`` is the path under which they see the server,
    ``clock`` gives seconds. For one event loop."""

    def __init__(self, user: str, password: str, *, prefix: str = "", clock: Callable[[], float] = time.monotonic):
        self._expected = _digest(user, password)
        self._prefix, self._clock = prefix, clock
        self._cookie = f"specviz-{token_hex(4)}"  # other servers on this host, at other ports, see it, too
        self._tokens = TTLCache[str, None](MAX_LOGINS, SECONDS, clock)
        self._tries = LRUCache[str, _Tries](MAX_COUNTED_NETWORKS)

    def knows(self, scope: Scope) -> bool:
        """Whether the visitor has logged in."""
        return Request(scope).cookies.get(self._cookie) in self._tokens

    def ask(self, scope: Scope) -> Response:
        """The answer to a visitor who is not logged in: the login form at the page's address, a refusal elsewhere."""
        if scope["path"] == "/" and scope["method"] in ("GET", "HEAD"):
            return self._page(scope["query_string"].decode("latin-1"), "", 401)
        return JSONResponse({"detail": LOG_IN}, 401)

    async def enter(self, scope: Scope, body: bytes) -> Response:
        """The answer to a name and a password, in turn."""
        try:
            fields = parse_qs(body.decode("utf-8", "replace"), max_num_fields=20)
        except ValueError:  # too many fields: nobody who knows the password sends that
            fields = {}
        user, password, query = (fields.get(name, [""])[0] for name in ("username", "password", "query"))
        browser = "text/html" in Request(scope).headers.get("accept", "")
        tries = self._tries.setdefault(network_of((scope.get("client") or ("", 0))[0]), _Tries())
        if tries.waiting >= MAX_LOGIN_WAITING:
            return self._page(query, FULL, 429) if browser else JSONResponse({"detail": FULL}, 429)
        tries.waiting += 1
        try:
            async with tries.turn:
                right = compare_digest(_digest(user, password), self._expected)
                if not right:
                    await self._slow_down(tries)
        finally:
            tries.waiting -= 1
        if not right:
            return self._page(query, WRONG, 401) if browser else JSONResponse({"detail": WRONG}, 401)
        return self._welcome(scope, query, browser)

    def home(self) -> Response:
        """A redirect to the page, which is the login form for visitors who are not logged in."""
        return RedirectResponse(f"{self._prefix}/", 303)

    def leave(self, scope: Scope) -> Response:
        """Log out."""
        self._tokens.pop(Request(scope).cookies.get(self._cookie, ""), None)
        answer = self.home()
        answer.delete_cookie(self._cookie, path=f"{self._prefix}/")
        return answer

    def _welcome(self, scope: Scope, query: str, browser: bool) -> Response:
        where = f"{self._prefix}/" + (f"?{query}" if query and query.isascii() and query.isprintable() else "")
        answer = RedirectResponse(where, 303) if browser else JSONResponse({"success": True})
        token = token_urlsafe(24)
        self._tokens[token] = None
        secure = scope["scheme"] == "https"
        answer.set_cookie(
            self._cookie,
            token,
            max_age=SECONDS,
            path=f"{self._prefix}/",
            secure=secure,
            httponly=True,
            samesite="lax",
        )
        return answer

    async def _slow_down(self, tries: _Tries) -> None:
        now = self._clock()
        tries.wrong = 1 if now - tries.last > FORGIVEN else tries.wrong + 1
        tries.last = now
        if tries.wrong > FREE:
            await sleep(min(SLOWEST, 0.25 * 2 ** min(tries.wrong - FREE, 10)))

    def _page(self, query: str, alert: str, status: int) -> Response:
        said = f'<p role="alert">{escape(alert)}</p>' if alert else ""
        page = _PAGE.format(alert=said, action=escape(f"{self._prefix}/login"), query=escape(query))
        return HTMLResponse(page, status, {"cache-control": "no-store"})


def _digest(user: str, password: str) -> bytes:
    return sha256(repr((user.strip(), password)).encode()).digest()
