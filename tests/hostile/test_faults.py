"""Nonsense in every request, damaged files, full disks, other ways to start Python: a sentence, and it goes on."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import httpx
import pytest

from specviz.errors import ModelError, SpecvizError, without_folders
from specviz.lm.loading import embedded
from specviz.ui.serving.models import PairLoader
from specviz.ui.serving.reach import Reach
from specviz.ui.serving.server import serve
from tests.measures.visitors import race_event

JSON = {"content-type": "application/json"}
SESSION = {"session_hash": "abc"}


@pytest.mark.tries("requests")
@pytest.mark.parametrize(
    "address",
    ["?pag%65=x", "?%70age=nope&a=1", "?deep%5flink=x", "?+page=x", "?page=%ff", "?%00", "gradio_api/call/x/y"]
    + ["gradio_api/queue/data", "gradio_api/queue/data?session_hash=%ff", "specviz/%2e%2e/app.py", "theme.css?x=%zz"],
)
def test_odd_addresses_are_no_error_of_the_server(client, address):
    assert client.get(address, timeout=60).status_code < 500


def odd_bodies(event) -> list[tuple[str, object]]:
    join, call = "gradio_api/queue/join", "gradio_api/call/"
    numbers = (10**9, -1, None, "1", 1.5, True, [], {}, 10**30)
    return [
        *((join, {"data": [], "fn_index": number, **SESSION}) for number in numbers),
        ("specviz/race/__init__", 1),
        ("specviz/race/no", 1),
        ("specviz/no/stop", 1),
        ("specviz/race/stop", "\ud800"),
        ("specviz/race/stop", {"\ud800": []}),
        ("specviz/race/stop/", "abc"),
        ("gradio_api/component_server", {"data": 1, "component_id": event["trigger_id"], "fn_name": "stop", **SESSION}),
        (join, {"data": ["\ud800"], **event, **SESSION}),
        (join, {"data": [], **event, "session_hash": "a" * 10_000}),
        (join, []),
        (join, None),
        (join, "text"),
        (call + "nosuch", {"data": []}),
        (call + "__class__", {"data": []}),
        (call + "v2/nosuch", {}),
        (call + "decode", {"data": "text"}),
        (call + "decode", {"data": ["\udfff", "mtad"]}),
        (call + "decode", []),
        ("gradio_api/cancel", {"session_hash": {}, "fn_index": "x", "event_id": 3}),
        ("gradio_api/cancel", {"session_hash": "a", "fn_index": 0, "event_id": "\ud800"}),
        ("gradio_api/reset", {"event_id": ["x"]}),
    ]


@pytest.mark.tries("requests")
def test_odd_bodies_are_refused_in_a_sentence(client, url):
    for path, body in odd_bodies(race_event(url)):
        answer = client.post(path, content=json.dumps(body), headers=JSON, timeout=60)
        assert 400 <= answer.status_code < 500, (path, body, answer.text)
        assert answer.json()["detail"], (path, body)


@pytest.mark.tries("requests")
@pytest.mark.parametrize("body", ["NaN", '{"data": [NaN]}', '{"data": -Infinity}', "{", "", "nul", '"\\x"', "[1,]"])
def test_what_is_no_json_is_refused(client, body):
    answer = client.post("gradio_api/queue/join", content=body, headers=JSON)
    assert answer.status_code == 400 and len(answer.json()["detail"]) > 20


@pytest.mark.tries("requests")
@pytest.mark.parametrize("depth", [100, 900, 990, 5_000, 100_000])
def test_what_is_nested_is_no_error_of_the_server(client, depth):
    body = "[" * depth + "]" * depth
    assert client.post("specviz/race/motion", content=body, headers=JSON).status_code in (200, 400)


def copied(tmp_path):
    folder = tmp_path / "models"
    shutil.copytree(embedded.EMBEDDED, folder)
    return folder


@pytest.mark.tries("files", count=3)
def test_weights_are_those_that_were_shipped(tmp_path, caplog):
    embedded.check_models()
    assert all(embedded.part(name) for name in (embedded.HEADS, embedded.DECIDERS, embedded.CORRELATION))
    folder = copied(tmp_path)
    file = folder / "fable-heads" / "heads.safetensors"
    file.write_bytes(file.read_bytes()[:-1] + b"x")
    assert embedded.part(embedded.HEADS, folder) is None and "goes on without fable-heads" in caplog.text
    shutil.rmtree(folder / "fable-deciders")
    assert embedded.part(embedded.DECIDERS, folder) is None
    embedded.check_models(folder)
    (folder / "fable-draft" / "model.safetensors").unlink()
    with pytest.raises(ModelError, match="fable-draft/model.safetensors is missing or not"):
        embedded.check_models(folder)
    embedded.write_sums(folder)
    embedded.check_models(folder)


def test_a_visitor_reads_no_path_of_the_machine():
    def load():
        raise ModelError("target '/home/anna/secret models/llama' does not exist, see https://hub.example/a/b")

    loader = PairLoader(load).start()
    assert loader.wait(60)
    assert "/home" not in loader.status.text and "llama" in loader.status.text
    assert "https://hub.example/a/b" in loader.status.text
    assert without_folders("Qwen/Qwen3-8B and 3/4 of C:\\Users\\x.bin") == "Qwen/Qwen3-8B and 3/4 of x.bin"


def specviz(*words, **options):
    return subprocess.Popen([sys.executable, "-m", "specviz", *words], **options)


PIPES = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}


@pytest.mark.tries("faults")
def test_a_port_in_use_is_said_instead_of_an_address(url, capsys):
    port = int(url.rsplit(":", 1)[1].strip("/"))
    with pytest.raises(SpecvizError, match=f"http://127.0.0.1:{port} cannot be served: Address already in use"):
        serve(lambda: pytest.fail("nothing is to be loaded"), reach=Reach(), port=port)
    with pytest.raises(SpecvizError, match="cannot be served"):
        serve(lambda: pytest.fail("nothing is to be loaded"), reach=Reach(host="no.such.host.invalid"), port=port)
    assert capsys.readouterr() == ("", "")


@pytest.mark.full
def test_ctrl_c_ends_the_server_quietly(paths, free_port):
    words = ["app", f"--port={free_port}", f"--target={paths[0]}", f"--draft={paths[1]}", "--device=cpu"]
    process = specviz(*words, **PIPES, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    try:
        assert process.stdout.readline() == f"specviz is at http://127.0.0.1:{free_port}\n"
        assert wait_for(f"http://127.0.0.1:{free_port}/config") == 200
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=60)
        assert process.returncode == 130 and said == "specviz: stopped\n"
    finally:
        process.kill()


def wait_for(url) -> int:
    for _ in range(600):
        try:
            return httpx.get(url).status_code
        except httpx.HTTPError:
            time.sleep(0.1)
    raise AssertionError(f"{url} does not answer")


@pytest.mark.full
@pytest.mark.tries("faults")
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_full_disk_is_said():
    with open("/dev/full", "w") as full:
        process = specviz("methods", stdout=full, stderr=subprocess.PIPE, text=True)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 2 and "Traceback" not in said
    assert said == "specviz: error: the output cannot be written: No space left on device\n"


ROOT = Path(__file__).parents[2]
RACE = """
    import sys
    from importlib.machinery import FileFinder, SourceFileLoader

    class Bare(SourceFileLoader):
        def get_code(self, fullname):
            path = self.get_filename(fullname)
            return compile(self.get_data(path), path, "exec", dont_inherit=True, optimize=2)

    bare = FileFinder.path_hook((Bare, [".py"]))

    def ours(path):
        if not path.startswith(sys.argv[3]):
            raise ImportError
        return bare(path)

    sys.path_hooks.insert(0, ours)
    sys.path.insert(0, sys.argv[3])
    sys.path_importer_cache.clear()
    import specviz
    assert specviz.__doc__ is None
    from specviz.lm.loading.pairs import load_pair
    from specviz.ui.page import build_page
    from specviz.ui.pages.race import race_messages
    from specviz.ui.serving.device import Device
    from specviz.ui.serving.models import PairLoader
    from specviz.ui.serving.runs import KeptRuns
    from specviz.ui.serving.server import build_server
    pair = load_pair(sys.argv[1], sys.argv[2], device="cpu")
    loader = PairLoader(lambda: pair).start()
    loader.wait(60)
    build_server(build_page(loader))
    lanes = [{"method": name, "options": {}} for name in ("autoregressive", "speculative", "mtad")]
    form = {"run": "a" * 32, "prompt": "abc", "lanes": lanes, "shared": {}, "max_new_tokens": 4, "seed": 1}
    *_, last = race_messages(loader, KeptRuns(), Device(), form)
    print(last["state"])
"""


@pytest.mark.full
def test_python_without_asserts_and_docstrings(paths):
    """As with -OO, but the libraries are not compiled anew."""
    command = [sys.executable, "-c", textwrap.dedent(RACE), *map(str, paths), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.stdout.endswith("finished\n"), done.stderr[-2000:]


@pytest.mark.tries("faults")
def test_a_socket_that_is_not_http_is_no_error(url, client):
    port = int(url.rsplit(":", 1)[1].strip("/"))
    with socket.create_connection(("127.0.0.1", port)) as sock:
        sock.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 20 + b"\r\n\r\n")
        sock.settimeout(60)
        assert b"400" in sock.recv(1000)
    assert client.get("config").status_code == 200
