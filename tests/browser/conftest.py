"""A real server and a real browser. Nothing here skips: a machine without Chromium fails these tests."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from starlette.types import ASGIApp

from specviz.lm.loading.pairs import load_pair
from specviz.ui.page import build_page
from specviz.ui.serving.connections import listening
from specviz.ui.serving.device import Device
from specviz.ui.serving.models import PairLoader
from specviz.ui.serving.runs import NONE
from specviz.ui.serving.server import build_server, web_server
from tests.measures.server import chromium
from tests.recorded import load_gallery
from tests.tiny_pair import write_pair
from tests.traces import autoregressive_trace, mtad_trace, speculative_trace

SLOWEST = 30_000  # milliseconds that a page may take for anything on a machine that does something else
expect.set_options(timeout=SLOWEST)


@contextmanager
def served(loader: PairLoader, gallery=(), device: Device | None = None, openings=NONE) -> Iterator[str]:
    """The page on a free port of this machine, in a thread."""
    with running(build_server(build_page(loader, gallery, device, openings=openings))) as url:
        yield url


@contextmanager
def running(server: ASGIApp) -> Iterator[str]:
    """A server on a free port of this machine, in a thread."""
    door = listening("127.0.0.1", 0)
    port = door.getsockname()[1]
    web = web_server(server)
    thread = threading.Thread(target=web.run, kwargs={"sockets": [door]}, daemon=True)
    thread.start()
    deadline = time.monotonic() + 60
    while not web.started:
        assert time.monotonic() < deadline and thread.is_alive(), "the server did not start"
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port}/"
    web.should_exit = True
    thread.join(10)


@pytest.fixture(scope="session")
def gallery():
    return autoregressive_trace(), speculative_trace(), mtad_trace()


@pytest.fixture(scope="session")
def recorded():
    """The page with the recorded runs it ships with; no model is ever loaded."""
    with served(PairLoader(threading.Event().wait).start(), load_gallery()) as url:
        yield url


@pytest.fixture(scope="session")
def tiny_pair(tmp_path_factory):
    target, draft = write_pair(tmp_path_factory.mktemp("pair"))
    return load_pair(target, draft, device="cpu")


@pytest.fixture(scope="session")
def site(tiny_pair, gallery) -> Iterator[str]:
    """The page with a tiny random pair, loaded."""
    loader = PairLoader(lambda: tiny_pair).start()
    assert loader.wait(60)
    with served(loader, gallery) as url:
        yield url


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One for all browser tests, and gone after them: its event loop would be in the way of asyncio.run elsewhere."""
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="package")
def profile(browser) -> Iterator[BrowserContext]:
    """A reader's profile with what browsers keep of scripts: a page opens in half the time."""
    with browser.new_context() as context:
        yield context


@pytest.fixture
def visit(browser, profile) -> Iterator[Callable[..., Page]]:
    """Open a page: ``visit(url, width=, height=, dark=)``; it is there once ``ready`` is. Each is another reader, who
    has kept nothing. Fails on requests to outside, console errors and dialogs."""
    contexts, pages, trouble = [], [], []

    def new_page(url: str, width: int, height: int, colours: str, options: dict) -> Page:
        if options or pages:
            context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=colours, **options)
            contexts.append(context)
            return context.new_page()
        page = profile.new_page()
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=colours)
        kept = {"origin": "/".join(url.split("/", 3)[:3]), "storageTypes": "cookies,local_storage,indexeddb"}
        profile.new_cdp_session(page).send("Storage.clearDataForOrigin", kept)
        return page

    def open_page(
        url: str, *, width: int = 1280, height: int = 720, dark: bool = False, ready: str = ".sv-header", **options
    ) -> Page:
        page = new_page(url, width, height, "dark" if dark else "light", options)
        pages.append(page)
        page.set_default_timeout(SLOWEST)
        inside = (url.split("?")[0], "data:", "blob:")
        page.on("request", lambda r: None if r.url.startswith(inside) else trouble.append(f"outside: {r.url}"))
        page.on("console", lambda m: trouble.append(f"console: {m.text}") if m.type == "error" else None)
        page.on("pageerror", lambda error: trouble.append(f"page error: {error}"))
        page.on("dialog", lambda dialog: (trouble.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.goto(url)
        page.locator(ready).wait_for(state="attached")
        return page

    yield open_page
    for opened in [*pages, *contexts]:
        opened.close()
    assert trouble == []
