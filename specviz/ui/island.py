"""A mount point for our own JavaScript: a constant template, and data as a JSON string that is never read as HTML."""

import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import aclosing
from functools import wraps
from hashlib import sha256
from inspect import iscoroutinefunction, signature
from pathlib import Path
from types import MappingProxyType
from typing import Any
from weakref import WeakKeyDictionary

import gradio as gr
import plotly
from anyio import CapacityLimiter, to_thread
from gradio.context import Context

from specviz.assets import ASSETS
from specviz.errors import SpecvizError, without_folders
from specviz.ui.serving.audience import Audience
from specviz.ui.serving.device import Visitor, paced
from specviz.ui.settings import CheckedRequest, Refusal, read

log = logging.getLogger(__name__)

BrowserCall = Callable[[Any], Awaitable[str]]
"""Answers JSON data with a JSON text."""
_CALLS = WeakKeyDictionary[gr.Blocks, dict[str, BrowserCall]]()
AT_ONCE = 2  # calls of one function answered at the same time
PLAYER = ASSETS / "player"
PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
SCRIPT = PLAYER / "dist" / "page.js"  # made by npm run build (assets/player/README.md)
STYLES = (
    "page.css",
    "meter.css",
    "race.css",
    "stage.css",
    "draw.css",
    "player.css",
    "microscope.css",
    "forest.css",
    "lessons.css",
    "lab.css",
    "library.css",
    "class.css",
    "print.css",
)


def _address(file: Path) -> str:
    """The URL of a file; the fingerprint makes browsers fetch it again when it changes."""
    return f"specviz/{file.name}?v={sha256(file.read_bytes()).hexdigest()[:12]}"


def to_json(data: Any) -> str:
    """JSON for a component's value, without "<", so that nothing in it can be taken for markup."""
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def answering(answer: Callable[[Any], Any]) -> Callable[[Any], str]:
    """A call for the browser: it is asked with the model that ``answer`` takes, read from JSON data, and its answer is
    JSON (a text is JSON already), or a refusal ``{"error": sentence, "code": kind}`` (``errors.py``), with the
    ``field`` of the form that is at fault, if any (``settings.Refusal``)."""
    (model,) = (parameter.annotation for parameter in signature(answer).parameters.values())
    checked = isinstance(model, type) and issubclass(model, CheckedRequest)

    @wraps(answer)
    def call(request: Any) -> str:
        try:
            reply = answer(read(model, request) if checked else request)
            return reply if isinstance(reply, str) else to_json(reply)
        except SpecvizError as error:
            return refused(error)

    return call


def refused(error: SpecvizError) -> str:
    """The answer to a call that is refused."""
    field = {"field": error.field} if isinstance(error, Refusal) and error.argument else {}
    return to_json({"error": without_folders(error), "code": error.code, **field})


def head() -> str:
    """The tags every page loads before anything of ours runs: styles, where plotly.js is, our script."""
    styles = [f'<link rel="stylesheet" href="{_address(PLAYER / name)}">' for name in STYLES]
    later = f'<link rel="prefetch" as="script" href="{_address(PLOTLY)}" data-plotly>'  # needed with the first figure
    return "\n".join([*styles, later, f'<script src="{_address(SCRIPT)}"></script>'])


def island(
    name: str,
    *,
    value: str = "",
    setup: Any = None,
    events: Sequence[str] = (),
    calls: Mapping[str, Callable[[Any], Any]] = MappingProxyType({}),
) -> gr.HTML:
    """A component run by ``specviz.mount[name]`` (assets/player/src/page.js).

    ``value`` is a JSON string that the server may replace at any time; ``setup`` is constant JSON data; ``events`` are
    the names that the script may trigger; ``calls`` what it may call on the server, each with one value (``answering``,
    or a coroutine).
    """
    _CALLS.setdefault(_page(), {}).update({f"{name}/{called}": _apart(called, call) for called, call in calls.items()})
    triggers = ", ".join(f"'{event}': data => trigger('{event}', data)" for event in events)
    return gr.HTML(
        value=value,
        html_template="<div class='sv-island'></div>",
        js_on_load=f"specviz.mount.{name}(element.querySelector('.sv-island'), "
        f"{{props, watch, server: specviz.server('{name}', {[*calls]}), triggers: {{{triggers}}}}});",
        head=head(),
        apply_default_css=False,
        setup=to_json(setup),
        elem_id=f"sv-{name}",
        elem_classes=["sv-host"],
    )


def calls_of(page: gr.Blocks) -> Mapping[str, BrowserCall]:
    """What the scripts of a page may call, by ``island/name``."""
    return _CALLS.get(page, {})


def _page() -> gr.Blocks:
    page = Context.root_block
    assert page is not None, "inside a Blocks context"
    return page


def stream(
    event: Callable[..., Any],
    component: gr.HTML,
    messages: Callable[[Any, Visitor], Generator[Mapping[str, Any]]],
) -> None:
    """Wire an event of an island's script to messages that become its value, one after the other. ``messages`` gets the
    event's data and the visitor; it waits in the device's own queue and ends when the visitor leaves."""
    page = _page()

    async def run(data: gr.EventData) -> AsyncIterator[str]:
        audience = Audience(page)
        async with aclosing(paced(messages(data._data, audience.visitor))) as updates:
            async for message in updates:
                yield to_json(message)
                if not audience.listens():
                    return

    event(
        run,
        None,
        component,
        concurrency_limit=None,  # the device has its own queue
        trigger_mode="multiple",
        show_progress="hidden",
        api_visibility="private",
    )


def _apart(name: str, call: Callable[[Any], Any]) -> BrowserCall:
    """The call on AT_ONCE threads of its own, so that many of them hold up neither races nor other calls; a coroutine
    takes care of that itself. Any other error is reported, too, such as one from a file that no decoder wrote."""
    threads, told = CapacityLimiter(AT_ONCE), answering(call)

    async def answer(request: Any) -> str:
        try:
            if iscoroutinefunction(call):
                return to_json(await call(request))
            return await to_thread.run_sync(told, request, limiter=threads)
        except SpecvizError as error:
            return refused(error)
        except Exception as error:
            log.exception("the call %s failed", name)
            return to_json({"error": f"This cannot be shown: {type(error).__name__}: {without_folders(error)}"[:300]})

    return answer
