"""A password for the whole server: every route asks for it, guesses are slow, and the right one always gets in."""

import argparse
import asyncio

import httpx
import pytest
from gradio_client import Client

from specviz.commands import app
from specviz.errors import OptionError
from specviz.ui.serving import login as module
from specviz.ui.serving.access import access_for
from specviz.ui.serving.limits import MAX_COUNTED_NETWORKS, MAX_LOGIN_WAITING
from specviz.ui.serving.login import Login

AUTH = ("class", "pass:wörd")
RIGHT = {"username": "class", "password": "pass:wörd"}
ROUTES = [
    ("GET", "config"),
    ("GET", "specviz/page.js"),
    ("GET", "gradio_api/heartbeat/abc"),
    ("GET", "gradio_api/queue/data?session_hash=abc"),
    ("GET", "gradio_api/queue/status"),
    ("GET", "specviz-room/BCDF/events"),
    ("GET", "theme.css"),
    ("POST", "gradio_api/cancel"),
    ("POST", "gradio_api/queue/join"),
    ("POST", "specviz/race/stop"),
    ("POST", "specviz-room"),
]


@pytest.fixture(scope="module")
def locked(site):
    with site(auth=AUTH, access=access_for("127.0.0.1", proxies=["127.0.0.1"])) as url:
        yield url


@pytest.mark.tries("requests")
@pytest.mark.parametrize("method, path", ROUTES, ids=[path for _, path in ROUTES])
def test_every_route_needs_the_login(locked, method, path):
    answer = httpx.request(method, locked + path, json={} if method == "POST" else None, timeout=60)
    assert answer.status_code == 401 and answer.json()["detail"] == module.LOG_IN


def test_the_page_says_what_this_is_and_comes_back_to_the_link(locked):
    with httpx.Client(base_url=locked, headers={"accept": "text/html"}) as client:
        asked = client.get("?prompt=%3Cb%3E&seed=1")
        assert asked.status_code == 401 and "speculative decoding" in asked.text and "<b>" not in asked.text
        wrong = client.post("login", data=RIGHT | {"password": "x"})
        assert wrong.status_code == 401 and "do not belong together" in wrong.text
        query = "prompt=%3Cb%3E&seed=1"
        entered = client.post("login", data=RIGHT | {"query": query})
        assert (entered.status_code, entered.headers["location"]) == (303, f"/?{query}")
        assert client.get("config").status_code == 200 and client.get("login").status_code == 303
        assert client.get("config").status_code == 200  # asking for the login page again is no farewell
        assert client.get("logout").status_code == 303 and client.get("config").status_code == 401


@pytest.mark.parametrize("scheme, secure", [("http", False), ("https", True)])
def test_the_cookie_is_for_this_server_alone(locked, scheme, secure):
    answer = httpx.post(f"{locked}login", data=RIGHT, headers={"x-forwarded-proto": scheme})
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=lax" in cookie and ("secure" in cookie) == secure


def test_the_api_client_logs_in(locked):
    client = Client(locked, auth=AUTH, verbose=False)
    assert "mtad" in client.predict(api_name="/methods")
    with pytest.raises(Exception, match="(?i)credentials"):
        Client(locked, auth=("class", "wrong"), verbose=False)


def scope(address="192.0.2.1"):
    return {"type": "http", "method": "POST", "path": "/login", "scheme": "http", "client": (address, 1), "headers": []}


def wrong(login, address="192.0.2.1"):
    return login.enter(scope(address), b"username=class&password=no")


def right(login, address="192.0.2.1"):
    return login.enter(scope(address), b"username=class&password=yes")


def test_guesses_are_slow_also_all_at_once_and_the_right_one_gets_in(monkeypatch):
    slept, asleep, together = [], 0, 0

    async def sleep(seconds):
        nonlocal asleep, together
        slept.append(seconds)
        asleep += 1
        together = max(together, asleep)
        await asyncio.sleep(0)
        asleep -= 1

    monkeypatch.setattr(module, "sleep", sleep)

    async def scene():
        login = Login("class", "yes")
        tried = [wrong(login) for _ in range(module.FREE + MAX_LOGIN_WAITING)]
        answers = await asyncio.gather(*tried, right(login, "198.51.100.7"), wrong(login))
        assert [answer.status_code for answer in answers] == [401] * len(tried) + [200, 429]
        assert slept[:3] == [0.5, 1.0, 2.0] and max(slept) == module.SLOWEST
        assert sum(slept) > 3 * MAX_LOGIN_WAITING and together == 1  # each waits for the one before
        assert (await right(login)).status_code == 200

    asyncio.run(scene())


def test_wrong_tries_are_forgotten_after_a_while(monkeypatch):
    slept, now = [], [0.0]

    async def sleep(seconds):
        slept.append(seconds)

    async def scene():
        login = Login("class", "yes", clock=lambda: now[0])
        for _ in range(module.FREE + 1):
            await wrong(login)
        assert slept == [0.5]
        now[0] += module.FORGIVEN + 1
        for _ in range(module.FREE):
            await wrong(login)
        assert slept == [0.5]

    monkeypatch.setattr(module, "sleep", sleep)
    asyncio.run(scene())


def with_cookie(answer):
    cookie = answer.headers["set-cookie"].partition(";")[0]
    return scope() | {"headers": [(b"cookie", cookie.encode())]}


def test_a_login_ends_by_time_by_logging_out_and_where_there_are_too_many(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(module, "MAX_LOGINS", 2)

    async def scene():
        login = Login("class", "yes", clock=lambda: now[0])
        first, second, third = [with_cookie(await right(login)) for _ in range(3)]
        assert [login.knows(one) for one in (first, second, third)] == [False, True, True]
        login.leave(second)
        assert not login.knows(second) and login.knows(third)  # who kept the cookie has nothing of it
        now[0] = module.SECONDS - 1.0
        assert login.knows(third)
        now[0] = module.SECONDS
        assert not login.knows(third)

    asyncio.run(scene())


@pytest.mark.parametrize("query, where", [("a=%261", "/sub/?a=&1"), ("a%0d%0ab: c", "/sub/"), ("%e4", "/sub/")])
def test_a_link_leads_into_this_page_and_its_cookie_stays_there(query, where):
    login = Login("class", "yes", prefix="/sub")
    asked = scope() | {"headers": [(b"accept", b"text/html")]}
    answer = asyncio.run(login.enter(asked, f"username=class&password=yes&query={query}".encode()))
    assert answer.headers["location"] == where and "path=/sub/;" in answer.headers["set-cookie"].lower()


@pytest.mark.tries("requests")
@pytest.mark.parametrize("body", [b"", b"&" * 100, b"a=1&" * 100 + b"username=class", b"\xff=\xff", b"username=%ff"])
def test_what_is_no_form_is_a_wrong_password(locked, body):
    answer = httpx.post(f"{locked}login", content=body, headers={"content-type": "application/x-www-form-urlencoded"})
    assert answer.status_code == 401 and answer.json()["detail"] == module.WRONG


def test_what_is_remembered_of_guesses_is_bounded(monkeypatch):
    async def scene():
        login = Login("class", "yes")
        for number in range(MAX_COUNTED_NETWORKS + 50):
            await wrong(login, f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}")
        assert len(login._tries) == MAX_COUNTED_NETWORKS
        for number in range(20):
            await asyncio.wait_for(right(login, f"2001:db8::{number:x}"), 60)
        assert len({key for key in login._tries if not key.startswith("10.")}) == 1  # one network, one visitor

    asyncio.run(scene())


def test_a_password_comes_from_a_file_or_the_environment(tmp_path, monkeypatch, capsys):
    (tmp_path / "auth").write_text("class:se:cret\nnot this\n")
    assert app._credentials_file(str(tmp_path / "auth")) == ("class", "se:cret")
    flags = argparse.Namespace(auth=None)
    monkeypatch.setenv(app.AUTH, "class:hidden")
    assert app._credentials_given(flags) == ("class", "hidden") and app._credentials_given(flags) is None
    monkeypatch.setenv(app.AUTH, "nonsense")
    with pytest.raises(OptionError, match="user:password"):
        app._credentials_given(flags)
    assert app._credentials_given(argparse.Namespace(auth=AUTH)) == AUTH
    assert "other users of this machine" in capsys.readouterr().err
    for text in ("", "nobody", "/nonexistent"):
        (tmp_path / "auth").write_text(text)
        with pytest.raises(argparse.ArgumentTypeError):
            app._credentials_file(text if text.startswith("/") else str(tmp_path / "auth"))
