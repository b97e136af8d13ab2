"""Sockets that say nothing, read nothing or come in masses, and a process without file handles."""

import logging
import queue
import socket
import subprocess
import sys
import textwrap
import time
from urllib.parse import urlsplit

import httpx
import pytest

from specviz.ui.serving import connections as module
from specviz.ui.serving.connections import Calm, Connections
from specviz.ui.serving.server import web_server

LONG = 60.0  # seconds that anything may take on a machine that does something else


@pytest.fixture
def impatient(monkeypatch):
    for name in ("HEAD_SECONDS", "BODY_SECONDS", "UNREAD_SECONDS"):
        monkeypatch.setattr(module, name, 0.6)
    monkeypatch.setattr(module, "LOOK", 0.1)


def connect(url) -> socket.socket:
    place = urlsplit(url)
    return socket.create_connection((place.hostname, place.port), timeout=LONG)


def is_closed(sock, drip=b"") -> bool:
    """Whether the server closes the connection, though ``drip`` comes now and then."""
    sock.settimeout(0.1)
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        try:
            if drip:
                sock.send(drip)
            if not sock.recv(4096):
                return True
        except TimeoutError:
            continue
        except OSError:
            return True
    return False


HEAD = b"POST /specviz-room HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 900\r\n"


@pytest.mark.tries("faults")
@pytest.mark.parametrize(
    "sent, drip",
    [(b"", b""), (b"GET / HT", b""), (HEAD, b"x: y\r\n"), (HEAD + b"\r\n", b""), (HEAD + b"\r\n{", b" ")],
    ids=["nothing", "half a line", "headers without end", "no body", "a body byte by byte"],
)
def test_whoever_does_not_go_on_is_let_go(url, impatient, sent, drip):
    with connect(url) as sock:
        sock.sendall(sent)
        assert is_closed(sock, drip)


@pytest.mark.tries("faults")
def test_an_answer_that_nobody_reads_is_given_up(url, impatient, monkeypatch):
    wanted, size = 6, 0  # more than what the systems of both sides take in
    lost, given_up = module._WatchedProtocol.connection_lost, {}

    def noted(protocol, exc):
        given_up.setdefault(protocol.client, queue.Queue()).put(exc)
        lost(protocol, exc)

    monkeypatch.setattr(module._WatchedProtocol, "connection_lost", noted)
    with connect(url) as sock:
        ours = given_up.setdefault(sock.getsockname(), queue.Queue())
        sock.sendall(b"GET /specviz/plotly.min.js HTTP/1.1\r\nhost: localhost\r\n\r\n" * wanted)
        assert ours.get(timeout=LONG) is None  # by us; the system does so, too, some time later, with an error
        try:
            while read := sock.recv(1 << 20):
                size += len(read)
        except OSError:
            pass
    whole = len(httpx.get(f"{url}specviz/plotly.min.js").content)
    assert size < wanted * whole


@pytest.mark.full
def test_streams_of_events_stay(url, impatient):
    with httpx.Client(base_url=url) as client:
        room = client.post("specviz-room", json={"address": "http://localhost/"}).json()
        with client.stream("GET", f"specviz-room/{room['code']}/events", timeout=LONG) as stream:
            began, lines = time.monotonic(), stream.iter_lines()
            for line in lines:
                if line.startswith(": still here"):
                    break
            assert time.monotonic() - began > 3 and client.get("config").status_code == 200


def test_an_address_has_so_many_connections_and_a_proxy_any_number():
    book = Connections(most=5, of_address=2, exempt=lambda address: address == "10.0.0.1")
    for _ in range(3):
        book.add("192.0.2.1")
    assert b"your address" in book.refusal("192.0.2.1") and not book.refusal("192.0.2.2")
    for _ in range(3):
        book.add("10.0.0.1")
    assert b"this server" in book.refusal("10.0.0.1")
    for _ in range(3):
        book.remove("192.0.2.1")
    assert not book.refusal("10.0.0.1") and dict(book.open) == {"10.0.0.1": 3}


def test_the_addresses_of_one_machine_share_its_connections():
    book = Connections(most=9, of_address=2)
    for number in range(3):
        book.add(f"2001:db8:0:1::{number}")
    assert b"your address" in book.refusal("2001:db8:0:1:ffff::")
    book.add("2001:db8:0:2::")
    assert not book.refusal("2001:db8:0:2::")
    for number in range(3):
        book.remove(f"2001:db8:0:1::{number}")
    assert dict(book.open) == {"2001:db8:0:2::/64": 1}


SERVER = """
    import asyncio, resource, sys, uvicorn
    from specviz.ui.serving.connections import Connections, listening, protocol
    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})
    door = listening("127.0.0.1", 0)
    most = int(sys.argv[1])
    config = uvicorn.Config(app, http=protocol(Connections(most, most)), loop="asyncio", lifespan="off")
    resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
    print(door.getsockname()[1], flush=True)
    uvicorn.Server(config).run(sockets=[door])
"""


@pytest.mark.tries("faults")
@pytest.mark.parametrize(
    "most, said",
    [(10_000, b""), pytest.param(15, b"503", marks=pytest.mark.full)],
    ids=["no file handles left", "bounded before"],
)
def test_a_crowd_of_connections_is_refused_quietly_and_then_all_is_well(most, said):
    command = [sys.executable, "-c", textwrap.dedent(SERVER), str(most)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        url = f"http://127.0.0.1:{int(process.stdout.readline())}/"
        try:
            assert httpx.get(url).text == "ok"
            crowd = [connect(url) for _ in range(120)]
            before = processor_seconds(process.pid)
            time.sleep(1.5)
            assert processor_seconds(process.pid) - before < 0.75
            crowd.append(connect(url))  # the others came faster than a slow server refuses
            assert crowd[-1].recv(100)[9:12] == said
            for sock in crowd:
                sock.close()
            assert answered(url) == "ok"
        finally:
            process.terminate()
        assert len(process.stderr.read().splitlines()) < 15


def answered(url) -> str:
    end = time.monotonic() + LONG
    while True:
        try:
            return httpx.get(url).raise_for_status().text
        except httpx.HTTPError:
            assert time.monotonic() < end, "nobody is served any more"
            time.sleep(0.05)


def processor_seconds(process: int) -> float:
    with open(f"/proc/{process}/stat") as file:
        return sum(map(int, file.read().rsplit(")", 1)[1].split()[11:13])) / 100


def test_a_log_does_not_run_away():
    now = 0.0
    calm, passed = Calm(most=3, seconds=60, clock=lambda: now), []
    logger = logging.Logger("x")
    handler = logging.Handler()
    handler.emit = lambda record: passed.append(record.getMessage())
    handler.addFilter(calm)
    logger.addHandler(handler)

    def shout():
        logger.warning("again %d", 1)

    for _ in range(50):
        shout()
    logger.warning("another")
    assert passed == ["again 1"] * 3 + ["another"]
    now = 61.0
    shout()
    assert passed[-1] == "again 1 (47 more like this were left out)"


def test_what_the_server_logs_is_calmed(monkeypatch):
    monkeypatch.setattr(logging, "lastResort", logging.StreamHandler())
    web_server(lambda *_: None)
    assert any(isinstance(one, Calm) for one in logging.lastResort.filters)
