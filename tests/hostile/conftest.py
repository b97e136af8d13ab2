"""A real server with the tiny pair, and one whole process of it: what strangers and crowds meet."""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpx
import pytest

from specviz.lm.loading.pairs import load_pair
from specviz.ui.page import build_page
from specviz.ui.serving.device import Device
from specviz.ui.serving.limits import MAX_TOGETHER
from specviz.ui.serving.models import PairLoader
from specviz.ui.serving.server import build_server
from tests.browser.conftest import running
from tests.conftest import TRIED
from tests.tiny_pair import write_pair
from tests.traces import autoregressive_trace, mtad_trace, speculative_trace

Site = Callable[..., "contextmanager[str]"]


@pytest.fixture(autouse=True)
def tried(request, monkeypatch) -> dict[str, int]:
    """What the test tries, by kind (TRIED); the sums of all tests are said at the end. Marked ``tries("requests")``, a
    test counts what it sends by httpx; ``tries(kind)`` is one of another kind, or so many as ``count`` says."""
    tried = dict.fromkeys(TRIED, 0)
    request.node.user_properties.append(("tried", tried))
    send = httpx.Client.send

    def counted(client, *args, **kwargs):
        tried["requests"] += 1
        return send(client, *args, **kwargs)

    for mark in request.node.iter_markers("tries"):
        (kind,) = mark.args
        if kind == "requests":
            monkeypatch.setattr(httpx.Client, "send", counted)
        else:
            tried[kind] += mark.kwargs.get("count", 1)
    return tried


@pytest.fixture(scope="session")
def paths(tmp_path_factory):
    return write_pair(tmp_path_factory.mktemp("pair"))


@pytest.fixture(scope="session")
def loader(paths):
    pair = load_pair(*paths, device="cpu")
    loader = PairLoader(lambda: pair).start()
    assert loader.wait(60)
    return loader


@pytest.fixture(scope="session")
def site(loader) -> Iterator[Site]:
    """``with site(access=...) as url``: the page with the tiny pair on a free port."""
    gallery = autoregressive_trace(), speculative_trace(), mtad_trace()

    @contextmanager
    def serve(device: Device | None = None, **options) -> Iterator[str]:
        device = Device(together=MAX_TOGETHER) if device is None else device
        page = build_page(loader, gallery, device)
        with running(build_server(page, loader=loader, device=device, **options)) as url:
            yield url

    yield serve


@pytest.fixture(scope="session")
def url(site) -> Iterator[str]:
    """The page as ``specviz app`` serves it on this machine."""
    with site() as url:
        yield url


@pytest.fixture
def client(url) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=url) as client:
        yield client


@pytest.fixture
def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
