"""The API as a notebook uses it: gradio_client against a live server, same limits and refusals as the page."""

import json
import re
import time
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError
from plotly.graph_objects import Figure

import specviz
from specviz.lm.loading.pairs import load_pair
from specviz.trace.store import trace_from_json, trace_to_json
from specviz.ui import api
from specviz.ui.serving.device import Device
from specviz.ui.serving.limits import MAX_NEW_TOKENS, MAX_REQUEST_BYTES, MAX_SEED, MAX_WAITING_RUNS
from specviz.ui.serving.models import PairLoader
from tests.browser.conftest import served
from tests.tiny_pair import write_pair

DOCS = Path(__file__).resolve().parents[2] / "docs/python.md"


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    return load_pair(*write_pair(tmp_path_factory.mktemp("pair")), device="cpu")


@pytest.fixture(scope="module")
def device():
    return Device()


@pytest.fixture(scope="module")
def url(pair, device):
    loader = PairLoader(lambda: pair).start()
    assert loader.wait(60)
    with served(loader, device=device) as address:
        yield address


@pytest.fixture(scope="module")
def client(url):
    made = Client(url, verbose=False)
    yield made
    made.close()


def call(client, name, *arguments, **named):
    return client.predict(*arguments, **named, api_name=f"/{name}")


def test_the_api_is_typed_and_documented_and_has_nothing_else(url):
    info = httpx.get(f"{url}gradio_api/info").json()
    assert sorted(info["named_endpoints"]) == ["/decode", "/judge", "/methods"] and info["unnamed_endpoints"] == {}
    every = httpx.get(f"{url}gradio_api/info?all_endpoints=true").json()
    assert sorted(every["named_endpoints"]) == ["/decode", "/judge", "/methods"]
    decode = info["named_endpoints"]["/decode"]
    names = {
        one["parameter_name"]: (one["python_type"]["type"], one["parameter_default"]) for one in decode["parameters"]
    }
    assert names["prompt"] == ("str", None) and names["method"] == ("str", "mtad")
    assert names["max_new_tokens"] == ("int", 64) and names["seed"] == ("int", 0)
    for endpoint in info["named_endpoints"].values():
        assert len(endpoint["description"]) > 60 and "dict" in endpoint["returns"][0]["python_type"]["type"]
    for name in names:
        assert f"``{name}``" in decode["description"]


def test_methods_are_those_of_the_catalog(client):
    found = call(client, "methods")
    assert list(found) == list(specviz.methods())
    assert found["mtad"]["options"]["tau"]["high"] == 1 and found["speculative"]["guarantee"] == "target"


@pytest.mark.every(3)
@pytest.mark.parametrize("method", specviz.methods())
def test_every_method_decodes_or_says_what_it_lacks(client, pair, method):
    try:
        expected = specviz.decode(pair, method, "abc", max_new_tokens=6, seed=3)
    except specviz.ModelError as error:
        with pytest.raises(AppError) as refusal:
            call(client, "decode", "abc", method, None, 6, 3)
        assert str(refusal.value) == str(error)
        return
    data = call(client, "decode", "abc", method, None, 6, 3)
    trace = trace_from_json(json.dumps(data))
    assert trace.tokens == expected.tokens and trace.header == expected.header
    assert json.loads(trace_to_json(trace)) == data  # exactly what save writes


def test_a_decode_with_options(client):
    data = call(
        client, "decode", prompt="abc", method="speculative", options={"gamma": 2, "top_k": None}, max_new_tokens=5
    )
    assert data["header"]["options"]["gamma"] == 2 and data["header"]["options"]["top_k"] is None
    assert data["metrics"]["tokens"] == 5


REFUSED = [
    ({"prompt": " "}, "The prompt is empty"),
    ({"prompt": "x" * 9000}, "9,000 characters"),
    ({"prompt": "x" * 2000}, "context"),
    ({"prompt": 7}, "must be text"),
    ({"method": "nope"}, "method must be one of"),
    ({"method": ["mtad"]}, "method must be one of"),
    ({"options": {"tau": 7}}, r"tau must be a number in \[0, 1\], got 7"),
    ({"options": {"nope": 1}}, "no option 'nope'"),
    ({"options": [1]}, "options could not be read"),
    ({"max_new_tokens": MAX_NEW_TOKENS + 1}, f"from 1 to {MAX_NEW_TOKENS}"),
    ({"max_new_tokens": 2.5}, "whole number"),
    ({"seed": -1}, f"from 0 to {MAX_SEED}"),
    ({"method": "slim"}, "prediction heads"),
]


@pytest.mark.parametrize(("change", "said"), REFUSED, ids=str)
def test_refusals_of_decode_are_those_of_the_page(client, change, said):
    with pytest.raises(AppError, match=said):
        call(client, "decode", **({"prompt": "abc", "max_new_tokens": 4} | change))


def test_verdicts_on_one_forest(client, pair):
    names = ["recursive", "kseq", "joint", "typical", "greedy"]
    found = call(client, "judge", "abc", "tree", names, {"k_config": "2x2", "top_k": 4, "tau": 0.2}, 5)
    scored = specviz.score_forest(pair, "abc", "tree", seed=5, k_config="2x2", top_k=4)
    nodes = scored.forest.nodes
    assert [(node["token"], node["parent"]) for node in found["forest"]] == [(one.token, one.parent) for one in nodes]
    assert [node["submitted"] for node in found["forest"]] == [one.submitted for one in nodes]
    assert [verdict["verifier"] for verdict in found["verdicts"]] == names
    for verdict in found["verdicts"]:
        options = {"top_k": 4, "tau": 0.2} if verdict["verifier"] == "joint" else {"top_k": 4}
        own = specviz.judge(scored, verdict["verifier"], seed=5, end_tokens=pair.end_tokens, **options)
        assert verdict["tokens"] == list(own.tokens)
        assert verdict["expected_tokens"] == pytest.approx(own.expected_tokens)
        assert sum(kept["probability"] for kept in verdict["kept"]) == pytest.approx(1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("abc", "nope"), "drafter must be one of"),
        (("abc", ["chain"]), "drafter must be one of"),
        (("abc", "chain", [["token"]]), "verifier must be one of"),
        (("abc", "chain", ["nope"]), "verifier must be one of"),
        (("abc", "chain", []), r"1 to \d+ names"),
        (("abc", "chain", "token"), r"1 to \d+ names"),
        (("abc", "tree", ["token"]), "judges one chain"),
        (("abc", "tree", None, {"top_k": -1}), "top_k must be"),
        (("", "chain"), "empty"),
        (("abc", "posterior"), "prediction heads"),
    ],
    ids=str,
)
def test_refusals_of_judge(client, arguments, said):
    with pytest.raises(AppError, match=said):
        call(client, "judge", *arguments)


def test_a_verdict_with_too_many_ends_is_refused(client, monkeypatch):
    monkeypatch.setattr(api, "MAX_OUTCOMES", 50)
    with pytest.raises(AppError, match="'recursive' could end in more than 50 ways .* smaller top_k or fewer drafts"):
        call(client, "judge", "abc", "tree", ["recursive"], {"top_k": None, "top_p": None})


def until(condition):
    """Wait for something on the other side."""
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def long_call(client):
    """A call that the client could cancel: gradio_client loses what it cancels before it knows the event's name."""
    job = client.submit("abc", "autoregressive", None, 256, api_name="/decode")
    until(lambda: job.communicator.event_id)
    return job


def test_calls_take_turns_and_a_jobs_status_tells_the_place(client, device):
    with device.ticket(), device.ticket() as second:
        job = client.submit("abc", "autoregressive", None, 2, api_name="/decode")
        until(lambda: (job.status().log or [""])[0] == "2 people are before you.")
        second.give_back()
        until(lambda: (job.status().log or [""])[0] == "one person is before you.")
        assert not job.done()
    assert job.result(20)["metrics"]["tokens"] == 2 and len(device) == 0


def test_a_full_line_is_refused(client, device):
    with ExitStack() as stack:
        for _ in range(MAX_WAITING_RUNS + 1):
            stack.enter_context(device.ticket())
        with pytest.raises(AppError, match=f"{MAX_WAITING_RUNS} are waiting"):
            call(client, "decode", "abc")


def test_a_cancelled_call_gives_its_place_back(client, device):
    with device.ticket():
        job = long_call(client)
        until(lambda: len(device) == 2)
        job.cancel()
        until(lambda: len(device) == 1)
    job = long_call(client)
    until(lambda: len(device) == 1)
    job.cancel()
    until(lambda: len(device) == 0)


@pytest.mark.parametrize("busy", [True, False], ids=["waiting", "running"])
def test_a_client_that_goes_away_frees_its_place(url, device, busy):
    body = {"data": ["abc", "autoregressive", None, 256, 0, None]}
    with ExitStack() as stack:
        before = stack.enter_context(device.ticket()) if busy else None
        event = httpx.post(f"{url}gradio_api/call/decode", json=body).json()["event_id"]
        with httpx.stream("GET", f"{url}gradio_api/call/decode/{event}"):
            until(lambda: len(device) == (2 if busy else 1))
        until(lambda: len(device) == (1 if busy else 0))
        assert before is None or before.before == 0


def test_the_example_of_the_docs_runs(url, monkeypatch, capsys):
    blocks = re.findall(r"```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    (example,) = (block for block in blocks if "gradio_client" in block)
    assert len([line for line in example.splitlines() if line.strip()]) <= 20
    shown = []
    monkeypatch.setattr(Figure, "show", lambda figure: shown.append(figure))
    exec(example.replace("http://127.0.0.1:7860", url), {})
    said = capsys.readouterr().out
    assert len(shown) == 1 and shown[0].data
    for word in ("'mtad': 'MTAD'", "speculative:", "tokens per target call", "recursive: keeps", "typical: keeps"):
        assert word in said


def test_private_events_stay_private(client, url):
    with pytest.raises((AppError, ValueError)):
        client.predict({"run": "f" * 32}, api_name="/run")
    for path in ("run/run", "run/decode", "api/decode", "run/predict"):  # past the queue
        answer = httpx.post(f"{url}gradio_api/{path}", json={"data": ["abc"], "fn_index": 0})
        assert answer.status_code == 404, path


def test_errors_of_the_server_carry_the_policy(url):
    answer = httpx.post(f"{url}specviz/race/nosuch", json=1)
    assert answer.status_code == 404 and "default-src 'self'" in answer.headers["content-security-policy"]
    kind = {"content-type": "application/json"}
    big = httpx.post(f"{url}gradio_api/queue/join", content=b" " * (MAX_REQUEST_BYTES + 1), headers=kind)
    assert big.status_code == 413 and "content-security-policy" in big.headers
    files = {"files": ("x.txt", b"x")}
    assert httpx.post(f"{url}gradio_api/upload", files=files).status_code == 404


def test_a_file_is_refused_and_a_text_about_one_is_a_prompt(url, client):
    file = {"path": "/dev/zero", "meta": {"_type": "gradio.FileData"}}
    answer = httpx.post(
        f"{url}gradio_api/call/decode", json={"data": [file, "speculative", {}, 4, 0, None]}, timeout=10
    )
    assert answer.status_code == 403 and "takes no files" in answer.json()["detail"]
    trace = call(client, "decode", json.dumps(file), "speculative", max_new_tokens=4)
    assert trace["header"]["prompt_text"] == json.dumps(file)
