"""The browser that draws figures: it fetches nothing whatever a figure names, and leaves no profile behind."""

import http.server
import os
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import suppress

import plotly.graph_objects as go
import pytest

from specviz.views.plot.images import figure_image


@pytest.fixture
def visited():
    """The paths that anybody asked for, at ``port`` of this machine."""
    asked = []

    class Listening(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Listening)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1], asked
    server.shutdown()


@pytest.mark.full
def test_a_figure_fetches_nothing(visited):
    port, asked = visited
    names = [f"http://{host}:{port}/{host}.png" for host in ("127.0.0.1", "localhost", "a.localhost")]
    box = {"xref": "paper", "yref": "paper", "x": 0, "y": 1, "sizex": 1, "sizey": 1}
    figure = go.Figure(go.Scatter(y=[1, 2]), {"images": [box | {"source": name} for name in names]})
    with suppress(ValueError):  # a picture, or a refusal: what counts is whether it was fetched
        figure_image(figure)
    assert asked == []
    assert figure_image(go.Figure(go.Scatter(y=[1, 2]))).startswith(b"\x89PNG")


DRAW = """
    import os, plotly.graph_objects as go, signal
    from specviz.views.plot.images import figure_image
    figure_image(go.Figure(go.Scatter(y=[1, 2])))
    print("drawn", flush=True)
    input()
    os.kill(os.getpid(), signal.{signal})
    signal.pause()
"""


@pytest.mark.tries("faults")
@pytest.mark.parametrize("signal", ["SIGKILL", pytest.param("SIGTERM", marks=pytest.mark.full)])
def test_the_profile_is_gone_however_the_server_ends(signal, tmp_path):
    code = textwrap.dedent(DRAW.format(signal=signal))
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code], env=environment, **pipes) as process:
        assert process.stdout.readline() == b"drawn\n"
        assert len(list(tmp_path.glob("specviz-figures-*"))) == 1
        process.communicate(b"go on\n", timeout=60)
    end = time.monotonic() + 60
    while found := list(tmp_path.glob("specviz-figures-*")):
        assert time.monotonic() < end, found
        time.sleep(0.1)
