"""The door: headers on every answer, no fetching or files for strangers, bounded bodies, no reserved parameters."""

import json

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from specviz.ui.serving.guard import Guard
from specviz.ui.serving.limits import MAX_REQUEST_BYTES


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


def test_bodies_are_bounded():
    assert client().post("/login", content=b"a" * MAX_REQUEST_BYTES, headers=LOGIN).status_code == 200
    assert client().post("/login", content=b"a" * (MAX_REQUEST_BYTES + 1), headers=LOGIN).status_code == 413
    chunks = (b"a" * 100_000 for _ in range(MAX_REQUEST_BYTES // 100_000 + 2))
    assert client().post("/login", content=chunks, headers=LOGIN).status_code == 413


def test_a_body_arrives_whole():
    assert client().post("/login", content=(b"a" * 70_000 for _ in range(3)), headers=LOGIN).text == " 210000"


FILE = {"path": "/dev/zero", "meta": {"_type": "gradio.FileData"}}
ROUTES = (
    "/gradio_api/call/decode",
    "/gradio_api/call/v2/decode",
    "/gradio_api/queue/join",
    "/gradio_api/component_server/",
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
    for kind in ("application/json", "APPLICATION/JSON; charset=utf-16"):
        assert client().post(ROUTES[0], content=content, headers={"content-type": kind}).status_code == 403
    parts = (content[i : i + 1] for i in range(len(content)))
    assert client().post(ROUTES[0], content=parts, headers=JSON).status_code == 403


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
    assert client().post(ROUTES[0], content=b"[" * 1_000_000, headers=JSON).status_code == 400


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
