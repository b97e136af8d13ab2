"""The door: headers on every answer, no fetching for strangers, no oversized bodies, no reserved parameters."""

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from specviz.ui.guard import Guard
from specviz.ui.limits import MAX_REQUEST_BYTES


async def echo(request):
    return PlainTextResponse(f"{request.url.query} {len(await request.body())}")


def client(**options) -> TestClient:
    routes = [Route("/{path:path}", echo, methods=["GET", "POST"])]
    return TestClient(Guard(Starlette(routes=routes), **options), raise_server_exceptions=False)


@pytest.mark.parametrize("path", ["/", "/config", "/anything", "/gradio_api/file=http://example.org/x"])
def test_every_answer_carries_the_policy(path):
    headers = client().get(path).headers
    assert "default-src 'self'" in headers["content-security-policy"]
    assert headers["content-security-policy"].endswith("frame-ancestors 'self'")
    assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "no-referrer"


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
    assert client().post("/login", content=b"a" * MAX_REQUEST_BYTES).status_code == 200
    assert client().post("/login", content=b"a" * (MAX_REQUEST_BYTES + 1)).status_code == 413
    chunks = (b"a" * 100_000 for _ in range(MAX_REQUEST_BYTES // 100_000 + 2))
    assert client().post("/login", content=chunks).status_code != 200


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
    assert client().post("/login", headers={"sec-fetch-site": "cross-site"}).status_code == 403
    assert client().post("/login", headers={"sec-fetch-site": "same-origin"}).status_code == 200
    assert client().get("/", headers={"sec-fetch-site": "cross-site"}).status_code == 200  # a link may lead here
