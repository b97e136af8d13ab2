"""The door: headers on every answer, no fetching or files for strangers, bounded bodies, no reserved parameters."""

import asyncio
import json

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from specviz.ui.serving import bodies, limits
from specviz.ui.serving.guard import Guard


async def echo(request):
    return PlainTextResponse(f"{request.url.query} {len(await request.body())}")


def client(**options) -> TestClient:
    routes = [Route("/{path:path}", echo, methods=["GET", "POST"])]
    guard = Guard(Starlette(routes=routes), **options)
    return TestClient(guard, base_url="http://127.0.0.1", raise_server_exceptions=False)


LOGIN = {"content-type": "application/x-www-form-urlencoded"}
JSON = {"content-type": "application/json"}


@pytest.mark.parametrize("path", ["/", "/config", "/anything", "/gradio_api/file=http://example.org/x"])
def test_every_answer_carries_the_policy(path):
    headers = client().get(path).headers
    assert "default-src 'self'" in headers["content-security-policy"]
    assert headers["content-security-policy"].endswith("frame-ancestors 'self'")
    assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "same-origin"


def test_a_space_may_be_framed_by_its_host_alone():
    policy = client(on_space=True).get("/").headers["content-security-policy"]
    assert "frame-ancestors 'self' https://huggingface.co https://*.hf.space" in policy
    assert policy.count("https://") == 2


@pytest.mark.parametrize(
    "path", ["/gradio_api/file=http://a.example", "/gradio_api/FILE=HTTPS://a", "/gradio_api/proxy=x"]
)
def test_nothing_is_fetched_for_a_visitor(path):
    assert client().get(path).status_code == 403


LARGE = "/specviz/library/open"
SIZES = {
    LARGE: limits.MAX_REQUEST_BYTES,
    "/specviz/library/figure": limits.MAX_FORM_BYTES,
    "/gradio_api/queue/join": limits.MAX_FORM_BYTES,
    "/gradio_api/call/decode": limits.MAX_FORM_BYTES,
    "/specviz-room": limits.MAX_ROOM_REQUEST_BYTES,
    "/specviz-room/ABCD/": limits.MAX_ROOM_REQUEST_BYTES,
    "/login": limits.MAX_LOGIN_BYTES,
}


@pytest.fixture
def read(monkeypatch):
    """How many bytes of each body were parsed."""
    found, loads = [], json.loads
    monkeypatch.setattr(bodies.json, "loads", lambda body, **options: found.append(len(body)) or loads(body, **options))
    return found


@pytest.mark.parametrize("path", SIZES)
def test_each_route_has_its_size_past_which_nothing_is_read(path, read):
    headers, most = LOGIN if path == "/login" else JSON, SIZES[path]
    content = b'"%b"' % (b"a" * (most - 2))
    assert client().post(path, content=content, headers=headers).text == f" {most}"
    parts = (content[start : start + 100_000] for start in range(0, most, 100_000))
    assert client().post(path, content=parts, headers=headers).text == f" {most}"
    assert read == [most] * 2 * (path != "/login")
    for more in (content + b" ", iter([content, b" "])):
        assert client().post(path, content=more, headers=headers).status_code == 413
    assert len(read) == 2 * (path != "/login")


def test_only_what_brings_a_file_may_be_large():
    for path in ("/specviz/library/open", "/specviz/lab/sweep_check", "/specviz/lab/sweep_start"):
        assert path in bodies.WITH_FILES and client().post(path, json="a" * 300_000).status_code == 200
    for path in ("/specviz/library/figure", "/specviz/open", "/specviz/lab/sweep_stop", "/gradio_api/queue/join"):
        assert client().post(path, json="a" * 300_000).status_code == 413
        assert client().post(path, json="a" * 100_000).status_code == 200


M = limits.MAX_BODY_PARTS
HEAVY = {
    "lists": "[" + "[]," * M + "[]]",
    "objects": "[" + "{}," * M + "{}]",
    "numbers": "[" + "1," * M + "1]",
    "texts": "[" + '"",' * M + '""]',
    "deep": "[" * (limits.MAX_BODY_DEPTH + 1) + "]" * (limits.MAX_BODY_DEPTH + 1),
    "after an escape": '["\\\\"' + ",[]" * M + "]",
    "after a quote": '["\\""' + ",[]" * M + "]",
    "in a large file": '{"data": "' + "a" * 300_000 + '", "x": [' + "[]," * M + "[]]}",
}


@pytest.mark.parametrize("name", HEAVY)
def test_what_has_too_many_parts_or_is_too_deep_is_refused_before_it_is_parsed(name, read):
    assert json.loads(HEAVY[name]) and not read.clear()
    assert client().post(LARGE, content=HEAVY[name], headers=JSON).status_code == 400
    assert not read


@pytest.mark.parametrize("text", ["[" * 30_000, ", " * 30_000, '"' * 30_000, "\\" * 30_001, '\\"' * 20_000, "{[:"])
def test_a_text_has_no_parts_whatever_it_says(text, read):
    content = json.dumps({"data": text})
    assert client().post(LARGE, content=content, headers=JSON).text == f" {len(content)}" and read == [len(content)]


def test_a_large_body_is_read_on_a_thread(monkeypatch):
    on_the_loop = {}

    def note(body):
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            on_the_loop[len(body) > 1000] = False
        else:
            on_the_loop[len(body) > 1000] = True

    monkeypatch.setattr(bodies, "check_shape", note)
    for size in (10, 300_000):
        assert client().post(LARGE, json="a" * size).status_code == 200
    assert on_the_loop == {False: True, True: False}


FILE = {"path": "/dev/zero", "meta": {"_type": "gradio.FileData"}}
ROUTES = (
    "/gradio_api/call/decode",
    "/gradio_api/call/v2/decode",
    "/gradio_api/queue/join",
    "/specviz/library/show",
    "/specviz-room",
)


@pytest.mark.parametrize("path", ROUTES)
@pytest.mark.parametrize(
    "body",
    [
        {"data": [FILE]},
        {"prompt": FILE},
        {"data": [{"options": [[{"a": FILE}]]}]},
        {"data": [], "event_data": FILE},
        {"data": [FILE | {"url": "http://169.254.169.254/", "is_stream": True, "orig_name": "a"}]},
        {"data": [{"path": "/etc/passwd"}]},
        [FILE],
        FILE,
    ],
)
def test_no_data_names_a_file_of_the_server(path, body):
    answer = client().post(path, json=body)
    assert answer.status_code == 403 and "takes no files" in answer.json()["detail"]
    assert "content-security-policy" in answer.headers


WRITTEN = json.dumps({"data": [FILE]})


@pytest.mark.parametrize(
    "content",
    [
        WRITTEN.replace("path", "\\u0070ath").encode(),
        WRITTEN.replace("/dev", "\\/dev").encode(),
        WRITTEN.replace('{"path"', '{"path": 3, "path"').encode(),
        WRITTEN.encode("utf-16"),
        WRITTEN.encode("utf-32"),
        WRITTEN.encode("utf-8-sig"),
        b" \n" + WRITTEN.encode(),
    ],
)
def test_however_a_file_is_written(content):
    status = 400 if b"\0" in content else 403  # JSON is UTF-8
    for kind in ("application/json", "APPLICATION/JSON; charset=utf-16"):
        assert client().post(ROUTES[0], content=content, headers={"content-type": kind}).status_code == status
    parts = (content[i : i + 1] for i in range(len(content)))
    assert client().post(ROUTES[0], content=parts, headers=JSON).status_code == status


@pytest.mark.parametrize(
    "body",
    [
        {"data": [json.dumps(FILE)]},
        {"data": [json.dumps([json.dumps({"iterations": [FILE]})])]},
        {"data": ['"path": "x"', "path"], "event_data": {"meta": {"_type": "gradio.FileData"}}},
        {"data": [["path", "/dev/zero"], {"path": None}, {"paths": "a"}]},
    ],
)
def test_a_text_may_say_what_it_likes(body):
    content = json.dumps(body)
    answer = client().post(ROUTES[0], content=content, headers=JSON)
    assert answer.status_code == 200 and answer.text == f" {len(content)}"


def test_forms_carry_no_files():
    for path in (*ROUTES, "/login"):
        assert client().post(path, files={"data": b"a"}).status_code == 415


def test_what_is_nested_without_end_is_refused():
    assert client().post(ROUTES[0], content=b"[" * 10_000, headers=JSON).status_code == 400


def test_reserved_parameters_of_a_page_are_dropped_and_others_stay():
    assert client().get("/?page=nope&view=race&deep_link=x").text.startswith("view=race ")
    assert client().get("/config?page=2").text.startswith("page=2 ")


@pytest.mark.parametrize("path", ["/", "/assets/index.js", "/specviz/page.css", "/gradio_api/queue/join", "/login/"])
def test_what_the_page_needs_is_open(path):
    assert client().get(path).status_code == 200


@pytest.mark.parametrize(
    "path",
    """/gradio_api/upload /gradio_api/upload/ /GRADIO_API/UPLOAD //gradio_api/upload /gradio_api/upload_progress
    /gradio_api/file=/etc/passwd /gradio_api/file/etc/passwd /gradio_api/run/predict /gradio_api/api/decode
    /gradio_api/stream/x /gradio_api/vibe-edit /gradio_api/process_recording /gradio_api/runs /gradio_api/deep_link
    /gradio_api/run-history/connect /gradio_api/profiling/clear /gradio_api/dev/reload /monitoring /docs
    /openapi.json""".split(),
)
def test_what_nobody_needs_is_closed(path):
    answer = client().post(path)
    assert answer.status_code == 404 and "content-security-policy" in answer.headers


def test_only_the_methods_that_browsers_use():
    assert client().put("/config").status_code == client().delete("/").status_code == 405


def test_another_sites_page_cannot_send_anything():
    assert client().post("/login", headers=LOGIN | {"sec-fetch-site": "cross-site"}).status_code == 403
    assert client().post("/login", headers=LOGIN | {"sec-fetch-site": "same-origin"}).status_code == 200
    assert client().get("/", headers={"sec-fetch-site": "cross-site"}).status_code == 200  # a link may lead here
