"""A real server and a real browser. Nothing here skips: a machine without Chromium fails these tests."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
import uvicorn
from playwright.sync_api import Browser, Page, expect

from specviz.lab.page.server import chromium
from specviz.lm.pair_loading import load_pair
from specviz.ui.page import build_page
from specviz.ui.serving.device import Device
from specviz.ui.serving.models import PairLoader
from specviz.ui.serving.server import build_server
from tests.tiny_pair import write_pair
from tests.traces import autoregressive_trace, mtad_trace, speculative_trace

SLOWEST = 30_000  # milliseconds that a page may take for anything on a machine that does something else
expect.set_options(timeout=SLOWEST)


@contextmanager
def served(loader: PairLoader, gallery=(), device: Device | None = None) -> Iterator[str]:
    """The page on a free port of this machine, in a thread."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    config = uvicorn.Config(
        build_server(build_page(loader, gallery, device)),
        host="127.0.0.1",
        port=port,
        log_level="warning",
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 60
    while not server.started:
        assert time.monotonic() < deadline and thread.is_alive(), "the server did not start"
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port}/"
    server.should_exit = True
    thread.join(10)


@pytest.fixture(scope="session")
def gallery():
    return autoregressive_trace(), speculative_trace(), mtad_trace()


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


@pytest.fixture
def visit(browser) -> Iterator[Callable[..., Page]]:
    """Open a page: ``visit(url, width=, height=, dark=)``. Fails on requests to outside, console errors and dialogs."""
    contexts, trouble = [], []

    def open_page(url: str, *, width: int = 1280, height: int = 720, dark: bool = False, **options) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light", **options
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(SLOWEST)
        inside = (url.split("?")[0], "data:", "blob:")
        page.on("request", lambda r: None if r.url.startswith(inside) else trouble.append(f"outside: {r.url}"))
        page.on("console", lambda m: trouble.append(f"console: {m.text}") if m.type == "error" else None)
        page.on("pageerror", lambda error: trouble.append(f"page error: {error}"))
        page.on("dialog", lambda dialog: (trouble.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.goto(url)
        page.locator(".sv-header").wait_for(state="attached")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert trouble == []
