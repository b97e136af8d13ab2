"""Pages of other sites, rebound names, proxies that are believed or not, and who must go on working all the same."""

import http.server
import json
import re
import shutil
import subprocess
import threading
import urllib.error
import urllib.request
from contextlib import contextmanager
from types import SimpleNamespace
from urllib.parse import urlsplit

import gradio as gr
import httpx
import pytest
from gradio_client import Client
from starlette.testclient import TestClient

from specviz.errors import OptionError
from specviz.ui.island import island
from specviz.ui.pages.race import found_view, race_messages
from specviz.ui.serving import audience
from specviz.ui.serving.access import Access, access_for, network_of
from specviz.ui.serving.device import Device
from specviz.ui.serving.runs import KeptRuns
from specviz.ui.serving.server import build_server
from tests.measures.visitors import messages, race_event

FOREIGN = [
    {"origin": "https://evil.example"},
    {"origin": "null"},
    {"origin": "http://localhost.evil.example"},
    {"origin": "http://127.0.0.1:1"},
    {"origin": "chrome-extension://abc"},
    {"host": "rebound.example"},
    {"host": "127.0.0.1.rebound.example"},
    {"host": "192.0.2.7"},
    {"host": ""},
    {"sec-fetch-site": "cross-site", "sec-fetch-mode": "cors"},
    {"sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors"},
]
ROUTES = [
    ("GET", "config"),
    ("POST", "gradio_api/queue/join"),
    ("GET", "gradio_api/queue/data"),
    ("POST", "specviz-room"),
]


@pytest.mark.tries("requests")
@pytest.mark.parametrize("headers", FOREIGN, ids=str)
@pytest.mark.parametrize("method, path", ROUTES, ids=[path for _, path in ROUTES])
def test_what_is_foreign_is_refused_in_a_sentence(client, method, path, headers):
    answer = client.request(method, path, headers=headers, json={} if method == "POST" else None)
    assert answer.status_code == 403 and len(answer.json()["detail"].split()) > 4
    assert not any(name.startswith("access-control") for name in answer.headers)


def test_what_is_our_own_is_served(client, url):
    port = urlsplit(url).port
    for name in ("127.0.0.1", "localhost", "LOCALHOST.", "[::1]"):
        own = {"host": f"{name}:{port}", "origin": f"http://{name.lower().rstrip('.')}:{port}"}
        assert client.get("config", headers=own).status_code == 200
    link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert client.get("?prompt=a", headers=link).status_code == 200


@pytest.mark.tries("requests")
@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
@pytest.mark.parametrize("path", ["gradio_api/queue/join", "specviz/race/stop", "gradio_api/cancel"])
def test_only_json_is_taken_where_json_is_expected(client, path, kind):
    answer = client.post(path, content=b'{"data": []}', headers={"content-type": kind})
    assert answer.status_code == 415 and "JSON" in answer.json()["detail"]


def test_no_answer_lets_other_sites_read(site):
    with site(access=Access(names=frozenset({"class.example"}))) as url:
        for origin in ("http://class.example", "https://other.example"):
            headers = {"host": "class.example", "origin": origin}
            answer = httpx.get(f"{url}config", headers=headers)
            assert not any(name.startswith("access-control") for name in answer.headers)
        assert httpx.options(f"{url}config", headers=headers | {"access-control-request-method": "POST"}).is_error


def test_forwarded_headers_are_believed_from_the_proxy_alone(client, site):
    told = {"x-forwarded-host": "class.example", "x-forwarded-proto": "https", "x-forwarded-for": "192.0.2.9"}
    root = client.get("config", headers=told).json()["root"]
    assert "class.example" not in root and not root.startswith("https")
    with site(access=access_for("127.0.0.1", allow=["class.example"], proxies=["127.0.0.1"])) as url:
        assert httpx.get(f"{url}config", headers=told).json()["root"] == "https://class.example"
        assert httpx.get(f"{url}config", headers=told | {"x-forwarded-host": "evil.example"}).status_code == 403


def scope(headers, peer="203.0.113.5"):
    listed = [(name.encode(), value.encode()) for name, value in headers.items()]
    return {"type": "http", "method": "GET", "scheme": "http", "client": (peer, 5), "headers": listed}


def test_the_visitors_address_is_the_last_one_that_no_trusted_proxy_has():
    access = access_for("127.0.0.1", proxies=["127.0.0.1", "10.0.0.0/8"])
    listed = {"host": "localhost", "x-forwarded-for": "198.51.100.1, 192.0.2.9, 10.1.2.3"}
    assert access.seen(scope(listed, "127.0.0.1"))["client"][0] == "192.0.2.9"
    assert access.seen(scope(listed))["client"][0] == "203.0.113.5"
    assert access.seen(scope(listed | {"x-forwarded-for": "nonsense"}, "127.0.0.1"))["client"][0] == "127.0.0.1"


@pytest.mark.parametrize(
    "address, network",
    [
        ("192.0.2.9", "192.0.2.9"),
        ("2001:db8:0:1::7", "2001:db8:0:1::/64"),
        ("2001:db8:0:1:ffff:ffff:ffff:ffff", "2001:db8:0:1::/64"),
        ("2001:db8:0:2::7", "2001:db8:0:2::/64"),
        ("::ffff:192.0.2.9", "192.0.2.9"),  # of IPv4, as a socket for both tells it
        ("fe80::1%eth0", "fe80::/64"),
        ("testclient", "testclient"),
        ("", ""),
    ],
)
def test_one_machine_counts_as_one_visitor(address, network):
    assert network_of(address) == network


def test_whoever_calls_is_known_by_their_network(monkeypatch):
    with gr.Blocks() as blocks:
        island("race", calls={"who": lambda _: audience.caller().address})
    for address in ("2001:db8:0:1::7", "2001:db8:0:1::8"):
        client = TestClient(build_server(blocks), base_url="http://127.0.0.1", client=(address, 5))
        assert client.post("/specviz/race/who", json=1).text == "2001:db8:0:1::/64"
        request = SimpleNamespace(client=SimpleNamespace(host=address))
        event = SimpleNamespace(request=request, session_hash="page")
        page = SimpleNamespace(_queue=SimpleNamespace(event_ids_to_events={"a": event}))
        monkeypatch.setattr(audience, "LocalContext", SimpleNamespace(event_id=Kept("a")))
        assert audience.Audience(page).visitor == ("2001:db8:0:1::/64", "page")


class Kept:
    """A variable of a context."""

    def __init__(self, value):
        self._value = value

    def get(self, default=None):
        return self._value or default


def test_a_proxy_of_ipv4_is_trusted_where_the_server_speaks_both():
    access = access_for("::", proxies=["127.0.0.1"])
    listed = {"host": "localhost", "x-forwarded-for": "192.0.2.9"}
    assert access.seen(scope(listed, "::ffff:127.0.0.1"))["client"][0] == "192.0.2.9"
    assert access.lets_watch("::ffff:127.0.0.1") and not access.lets_watch("::ffff:192.0.2.9")


def test_a_server_for_everybody_answers_to_addresses_and_to_names_it_was_given():
    everywhere = access_for("0.0.0.0", allow=["class.example"])
    assert everywhere.knows("192.168.1.5") and everywhere.knows("class.example") and not everywhere.knows("a.example")
    assert not access_for("127.0.0.1").knows("192.168.1.5") and access_for("192.168.1.5").knows("192.168.1.5")


def test_a_space_answers_to_its_own_name_through_its_proxy():
    access = access_for("0.0.0.0", environment={"SPACE_HOST": "me-specviz.hf.space"})
    headers = {"host": "me-specviz.hf.space", "origin": "https://me-specviz.hf.space", "x-forwarded-proto": "https"}
    seen = access.seen(scope(headers | {"x-forwarded-for": "192.0.2.9, 10.16.9.9"}, "10.16.3.4"))
    assert not access.refusal(seen) and seen["client"][0] == "192.0.2.9" and seen["scheme"] == "https"
    assert access.root == "https://me-specviz.hf.space"


@pytest.mark.parametrize(
    "wrong", [{"allow": ["a b"]}, {"proxies": ["x"]}, {"root": "//evil"}, {"root": "?a"}, {"root": "http://["}]
)
def test_wrong_settings_are_refused(wrong):
    with pytest.raises(OptionError):
        access_for("127.0.0.1", **wrong)


def test_the_api_client_of_the_readme_works(url):
    client = Client(url, verbose=False)
    answer = client.predict("Once", "speculative", {"gamma": 2}, max_new_tokens=4, seed=1, api_name="/decode")
    assert answer["header"]["method"]["name"] == "speculative"


NGINX = """
daemon off; pid {folder}/pid; error_log stderr crit; worker_processes 1;
events {{ worker_connections 64; }}
http {{
  access_log off; client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;
  uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
  server {{ listen 127.0.0.1:{port}; location /sub/ {{
    proxy_pass {target}; proxy_set_header Host $http_host; proxy_buffering off; proxy_http_version 1.1;
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; proxy_set_header X-Forwarded-Proto $scheme;
  }} }}
}}
"""


@contextmanager
def nginx(target, port, folder):
    (folder / "conf").write_text(NGINX.format(folder=folder, port=port, target=target))
    process = subprocess.Popen([shutil.which("nginx") or "/usr/sbin/nginx", "-c", str(folder / "conf")])
    try:
        yield
    finally:
        process.terminate()
        process.wait(60)


@contextmanager
def plain_proxy(target, port, folder):
    """The same in a few lines, for machines without nginx: it passes on line by line what comes."""

    class Passing(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = self.rfile.read(int(self.headers.get("content-length", 0))) or None
            headers = dict(self.headers) | {"X-Forwarded-For": self.client_address[0], "X-Forwarded-Proto": "http"}
            asked = urllib.request.Request(target + self.path.removeprefix("/sub/"), body, headers, method=self.command)
            try:
                answer = urllib.request.urlopen(asked)
            except urllib.error.HTTPError as error:
                answer = error
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                if name.lower() not in ("transfer-encoding", "connection"):
                    self.send_header(name, value)
            self.end_headers()
            while line := answer.readline():
                self.wfile.write(line)
                self.wfile.flush()

        do_POST = do_HEAD = do_GET

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Passing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield
    finally:
        server.shutdown()


def has_nginx() -> bool:
    return bool(shutil.which("nginx") or shutil.which("/usr/sbin/nginx"))


@pytest.mark.full
@pytest.mark.parametrize("strips", [True, False], ids=["path taken away", "path left"])
def test_a_proxy_may_show_the_page_under_a_path(site, free_port, tmp_path, strips):
    proxy = nginx if has_nginx() else plain_proxy
    access = access_for("127.0.0.1", proxies=["127.0.0.1"], root="/sub")
    with site(access=access) as url, proxy(url if strips or not has_nginx() else url[:-1], free_port, tmp_path):
        shown = f"http://127.0.0.1:{free_port}/sub/"
        page = answers(shown)
        found = re.search(r"specviz/page.js\?v=\w+", page)
        assert found and httpx.get(shown + found[0]).status_code == 200
        assert httpx.get(f"{shown}config").json()["root"] == shown.rstrip("/")
        answer = Client(shown, verbose=False).predict("Once", "mtad", {}, 3, 1, api_name="/decode")
        assert answer["header"]["method"]["name"] == "mtad"
        told = list(messages(shown, race_event(shown), FORM))
        assert told[-1]["state"] == "finished"


def answers(url) -> str:
    for _ in range(600):
        try:
            return httpx.get(url).raise_for_status().text
        except httpx.HTTPError:
            threading.Event().wait(0.1)
    raise AssertionError("the proxy does not answer")


LANE = {"method": "speculative", "options": {}}
FORM = {"run": "ab" * 16, "prompt": "abc", "lanes": [LANE, LANE], "shared": {}, "max_new_tokens": 3, "seed": 1}


def test_a_link_finds_the_race_that_is_kept_and_runs_nothing(loader):
    runs, device = KeptRuns(), Device()
    link = {name: value for name, value in FORM.items() if name != "run"}
    assert found_view(runs, link) is None and len(device) == 0
    list(race_messages(loader, runs, device, FORM))
    found = found_view(runs, json.loads(json.dumps(link)))
    assert found["run"] == FORM["run"] and found["state"] == "finished" and len(found["lanes"]) == 2
    for other in (link | {"seed": 2}, link | {"prompt": "abd"}, {}, None, [link]):
        assert found_view(runs, other) is None
