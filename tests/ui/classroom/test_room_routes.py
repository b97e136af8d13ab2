"""Rooms over HTTP: sixty students on real streams, refusals at the door, and nothing left when the teacher goes."""

import asyncio
import json
import logging
import time

import gradio as gr
import httpx
import pytest
from fastapi import FastAPI

from specviz.ui.classroom import routes
from specviz.ui.classroom.rooms import Rooms
from specviz.ui.classroom.routes import BROWSER, TOKEN, add_room_routes, qr_picture
from specviz.ui.serving import limits
from specviz.ui.serving.guard import Guard
from specviz.ui.serving.reach import Reach
from specviz.ui.serving.server import build_server
from tests.browser.conftest import running

STUDENTS = 60
SCREENS = 25
PAGE = "http://class.example:7860/"
PLACE = "view=lessons&lesson=coin"
QUESTION = {"question": "?", "choices": ["a", "b"], "right": 1, "about": PLACE}
RESTART = "python app.py --host 0.0.0.0"
PATIENCE = 30.0  # seconds
GRACE = 10.0  # seconds of the rooms' clock, which only the tests move: how slow the machine is changes nothing


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def rooms(clock):
    return Rooms(grace=GRACE, clock=clock)


@pytest.fixture
def site(rooms):
    """The door and the rooms alone, on a port."""
    server = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    add_room_routes(server, rooms, Reach(restart=RESTART), beat=0.1)
    with running(Guard(server)) as url:
        yield url


@pytest.fixture
def client(site):
    with httpx.Client(base_url=site, timeout=PATIENCE) as client:
        yield client


def opened(client) -> dict:
    return client.post("specviz-room", json={"address": PAGE}).json()


class Listener:
    """A page that listens: everything it was told, newest last."""

    def __init__(self, client: httpx.AsyncClient, code: str, token: str | None = None, browser: str = ""):
        self.told: list[dict] = []
        self._client = client
        self._path = f"specviz-room/{code}/events"
        self._headers = {TOKEN: token} if token else {"cookie": f"{BROWSER}={browser}"}
        self._task = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        async with self._client.stream("GET", self._path, headers=self._headers) as answer:
            assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/event-stream")
            async for line in answer.aiter_lines():
                if line.startswith("data: "):
                    self.told.append(json.loads(line.removeprefix("data: ")))

    async def until(self, holds) -> None:
        """Wait until ``holds(the last message)``."""
        deadline = time.monotonic() + PATIENCE
        while not (self.told and holds(self.told[-1])):
            assert time.monotonic() < deadline, self.told[-3:]
            assert not self._task.done() or self._task.exception() is None
            await asyncio.sleep(0.01)

    async def leave(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    @property
    def addresses(self) -> list[str]:
        return [one["screen"]["address"] for one in self.told if one["kind"] == "screen"]


async def lesson(site: str, clock: Clock, students: int, screens: int) -> None:
    """A whole class: every student sees every screen in order, votes twice, and sees the tally."""
    bounds = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=site, timeout=PATIENCE, limits=bounds) as client:
        room = (await client.post("specviz-room", json={"address": PAGE})).json()
        path, token = f"specviz-room/{room['code']}", room["token"]

        async def teach(**asked) -> None:
            assert (await client.post(path, json={"token": token, **asked})).json() == {}

        async def vote(student: Listener, choice: int) -> None:
            body = {"do": "vote", "member": student.told[0]["member"], "poll": 1, "choice": choice}
            assert (await client.post(path, json=body)).json() == {}

        teacher = Listener(client, room["code"], token)
        class_ = [Listener(client, room["code"], browser=f"browser-{number:014}") for number in range(students)]
        await teacher.until(lambda last: last["students"] == students)
        wanted = [f"view=lessons&step={number}" for number in range(screens)]
        for address in wanted:
            await teach(do="publish", address=address, moment=None)
            clock.now += 1.01 / limits.MAX_SCREENS_A_SECOND
        for student in class_:
            await student.until(lambda last: last.get("screen", {}).get("address") == wanted[-1])
            assert student.addresses == wanted
        await teach(do="ask", question="Stays or goes?", choices=["It stays.", "It goes."], right=1, about=PLACE)
        await asyncio.gather(*(student.until(lambda last: last.get("poll")) for student in class_))
        await asyncio.gather(*(vote(student, 0) for student in class_))
        await asyncio.gather(*(vote(student, int(number % 3 == 0)) for number, student in enumerate(class_)))
        await teacher.until(lambda last: last["poll"]["votes"] == students)
        assert all("screen" in message or not (message["poll"] or {}).get("tally") for message in teacher.told)
        await teach(do="show")
        goes = (students + 2) // 3
        for student in (*class_, teacher):
            await student.until(lambda last: last["poll"]["tally"] == [students - goes, goes])
        await teach(do="end")
        for student in class_:
            await student.until(lambda last: last == {"kind": "ended", "text": "The class has ended."})
        assert len({student.told[0]["member"] for student in class_}) == students


def test_sixty_students_see_every_screen_in_order_and_their_votes_count_once(site, rooms, clock, caplog):
    with caplog.at_level(logging.INFO):
        asyncio.run(lesson(site, clock, STUDENTS, SCREENS))
    assert len(rooms) == 0 and vars(rooms)["_rooms"] == {}
    assert not [record for record in caplog.records if record.name.startswith(("specviz", "uvicorn"))]


def test_a_room_ends_when_its_teacher_leaves_and_students_hear_of_it(site, rooms, clock):
    async def scene():
        async with httpx.AsyncClient(base_url=site, timeout=PATIENCE) as client:
            room = (await client.post("specviz-room", json={"address": PAGE})).json()
            teacher, student = Listener(client, room["code"], room["token"]), Listener(client, room["code"])
            await teacher.until(lambda last: last["students"] == 1)
            clock.now += 2 * GRACE
            await asyncio.sleep(0.5)  # some signs of life, at which rooms are tidied
            assert len(rooms) == 1
            await teacher.leave()
            while vars(rooms)["_rooms"][room["code"]].alone is None:  # the server has noticed
                await asyncio.sleep(0.01)
            clock.now += GRACE
            await student.until(lambda last: last["kind"] == "ended")
            assert "its teacher has gone" in student.told[-1]["text"] and len(rooms) == 0

    asyncio.run(scene())


def test_a_teacher_loads_the_page_again_though_the_class_is_full(site, rooms, monkeypatch):
    monkeypatch.setattr(limits, "MAX_STUDENTS", 2)

    async def scene():
        async with httpx.AsyncClient(base_url=site, timeout=PATIENCE) as client:
            room = (await client.post("specviz-room", json={"address": PAGE})).json()
            students = [Listener(client, room["code"]) for _ in range(2)]
            for student in students:
                await student.until(lambda last: True)
            for _ in range(2):
                teacher = Listener(client, room["code"], room["token"])
                await teacher.until(lambda last: last["students"] == 2)
                stranger = Listener(client, room["code"])
                await stranger.until(lambda last: last["kind"] == "ended" and "is full" in last["text"])
                await teacher.leave()
            await client.post(f"specviz-room/{room['code']}", json={"do": "end", "token": room["token"]})
            for student in students:
                await student.until(lambda last: last["kind"] == "ended")

    asyncio.run(scene())


def test_one_browser_has_one_vote_however_many_pages_it_opens(site):
    async def scene():
        async with httpx.AsyncClient(base_url=site, timeout=PATIENCE) as client:
            room = (await client.post("specviz-room", json={"address": PAGE})).json()
            path, token = f"specviz-room/{room['code']}", room["token"]
            teacher = Listener(client, room["code"], token)
            async with client.stream("GET", f"{path}/events") as answer:
                cookie = answer.headers["set-cookie"]
            name, _, browser = cookie.partition(";")[0].partition("=")
            assert name == BROWSER and "httponly" in cookie.lower() and "path" not in cookie.lower()
            pages = [Listener(client, room["code"], browser=browser) for _ in range(5)]
            await teacher.until(lambda last: last["students"] == len(pages))
            await client.post(path, json={"do": "ask", "token": token, **QUESTION})
            await client.post(path, json={"do": "show", "token": token})
            for page in pages:
                vote = {"do": "vote", "member": page.told[0]["member"], "poll": 1, "choice": 1}
                assert (await client.post(path, json=vote)).json() == {}
            await teacher.until(lambda last: last["poll"]["tally"] == [0, 1])
            await client.post(path, json={"do": "end", "token": token})
            for page in (teacher, *pages):
                await page.until(lambda last: last["kind"] == "ended")

    asyncio.run(scene())


def test_guessing_codes_comes_to_an_end(client, rooms, clock):
    rooms.open("elsewhere")
    tries = [client.get(f"specviz-room/X{number:05}/events").text for number in range(limits.MAX_WRONG_CODES + 5)]
    assert ["Too many wrong codes" in text for text in tries] == [False] * limits.MAX_WRONG_CODES + [True] * 5


def test_classes_of_a_network_are_bounded_and_the_picture_is_drawn_off_the_loop(client, rooms, monkeypatch):
    drawn = []

    def draw(text):
        with pytest.raises(RuntimeError, match="no running event loop"):
            asyncio.get_running_loop()
        drawn.append(text)
        return "data:,"

    monkeypatch.setattr(routes, "qr_picture", draw)
    answers = [client.post("specviz-room", json={"address": PAGE}) for _ in range(limits.MAX_ROOMS_OF_NETWORK + 2)]
    assert [answer.status_code for answer in answers] == [200] * limits.MAX_ROOMS_OF_NETWORK + [429] * 2
    assert len(set(drawn)) == len(drawn) == limits.MAX_ROOMS_OF_NETWORK


def test_a_student_who_leaves_is_no_longer_counted(site):
    async def scene():
        async with httpx.AsyncClient(base_url=site, timeout=PATIENCE) as client:
            room = (await client.post("specviz-room", json={"address": PAGE})).json()
            teacher = Listener(client, room["code"], room["token"])
            students = [Listener(client, room["code"]) for _ in range(3)]
            await teacher.until(lambda last: last["students"] == 3)
            await students[0].leave()
            await teacher.until(lambda last: last["students"] == 2)

    asyncio.run(scene())


def test_a_stream_that_is_refused_says_so_and_ends(client):
    room = opened(client)
    for path, headers, said in (
        ("specviz-room/XXXXXX/events", {}, "There is no class 'XXXXXX'"),
        (f"specviz-room/{room['code']}/events", {TOKEN: "guess"}, "Only who opened the class"),
    ):
        answer = client.get(path, headers=headers)
        assert answer.status_code == 200 and answer.text.count("data: ") == 1
        told = json.loads(answer.text.removeprefix("data: "))
        assert told["kind"] == "ended" and said in told["text"]


def test_refusals_are_sentences_with_a_status(client):
    room = opened(client)
    path, token = f"specviz-room/{room['code']}", room["token"]
    for body, status, code in (
        ({"do": "publish", "token": token, "address": "https://evil.example"}, 400, "error"),
        ({"do": "publish", "token": "guess", "address": "view=race"}, 403, "not_allowed"),
        ({"do": "publish", "address": "view=race"}, 403, "not_allowed"),
        ({"do": "vote", "member": "x", "poll": 1, "choice": 0}, 403, "not_allowed"),
        ({"do": "open"}, 400, "error"),
        ({"do": "__init__"}, 400, "error"),
        ({"do": ["end"]}, 400, "error"),
        ({}, 400, "error"),
        ([], 400, "error"),
    ):
        answer = client.post(path, json=body)
        assert (answer.status_code, answer.json()["code"]) == (status, code), body
        assert len(answer.json()["error"]) > 20 and "content-security-policy" in answer.headers
    live, dead = (client.post(f"specviz-room/{one}", json={"do": "vote"}) for one in (room["code"], "XXXXXX"))
    assert live.status_code == dead.status_code == 403
    assert live.text.replace(room["code"], "XXXXXX") == dead.text  # nobody learns which codes there are
    most = limits.MAX_SCREENS_A_SECOND
    publish = {"do": "publish", "token": token, "address": "view=race"}
    answers = [client.post(path, json=publish).status_code for _ in range(2 * most)]
    assert answers == [200] * most + [429] * most


def test_the_door_keeps_out_other_sites_and_what_is_too_large(client):
    room = opened(client)
    path = f"specviz-room/{room['code']}"
    end = {"do": "end", "token": room["token"]}
    assert client.post(path, json=end, headers={"sec-fetch-site": "cross-site"}).status_code == 403
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        answer = client.post(path, content=json.dumps(end), headers={"content-type": kind})
        assert answer.status_code == 415 and "application/json" in answer.json()["detail"]
    assert client.post(path, content="{", headers={"content-type": "application/json"}).status_code == 400
    large = end | {"question": "a" * limits.MAX_ROOM_REQUEST_BYTES}
    assert client.post(path, json=large).status_code == 413
    assert client.put(path, json=end).status_code == 405
    assert client.get(path).status_code == 405
    assert client.post(path, json=end).json() == {}


@pytest.mark.parametrize(
    "address",
    [None, "", "/", "//host/", "ftp://host/", "javascript:alert(1)", "https://a@host/", "http://host/?a", "http://h/#"]
    + ["http://ho st/", "http://h/\n", "http://é/", "http://h/" + "a" * 300, ["http://h/"], "http://[", "http://[x]/"],
)
def test_the_address_to_join_at_is_a_page(client, rooms, address):
    answer = client.post("specviz-room", json={"address": address})
    assert answer.status_code == 400 and answer.json()["error"].startswith("address must be that of a page")
    assert len(rooms) == 0


def test_a_new_class_has_a_code_an_address_and_a_picture(client):
    room = opened(client)
    assert room["address"] == f"{PAGE}?room={room['code']}" and len(room["token"]) >= 32
    assert room["picture"] == qr_picture(room["address"]) != qr_picture(PAGE)
    assert room["picture"].startswith("data:image/svg+xml") and "script" not in room["picture"]


def test_a_class_that_phones_cannot_join_has_no_picture_and_says_what_to_do(client):
    room = client.post("specviz-room", json={"address": "http://localhost:7860/"}).json()
    assert room["picture"] == "" and "no phone" in room["unreachable"] and room["restart"] == RESTART
    assert room["address"] == f"http://localhost:7860/?room={room['code']}"
    assert [opened(client)[name] for name in ("unreachable", "restart")] == ["", ""]


def test_a_class_is_joined_at_the_address_that_the_server_was_told():
    server = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    add_room_routes(server, Rooms(), Reach("https://class.example/specviz/"))
    with running(Guard(server)) as url, httpx.Client(base_url=url) as client:
        room = client.post("specviz-room", json={"address": "http://localhost:7860/"}).json()
    assert room["address"] == f"https://class.example/specviz/?room={room['code']}"
    assert room["picture"] == qr_picture(room["address"])


def test_a_server_with_a_password_asks_for_it_first():
    with gr.Blocks() as page:
        gr.HTML("x")
    with running(build_server(page, auth=("teacher", "secret"))) as site, httpx.Client(base_url=site) as client:
        refused = client.post("specviz-room", json={"address": PAGE})
        assert refused.status_code == 401 and refused.json()["detail"] == "log in to this server first"
        assert client.get("specviz-room/XXXX/events").status_code == 401
        assert client.post("login", data={"username": "teacher", "password": "secret"}).status_code == 200
        room = opened(client)
        assert "only" in client.get(f"specviz-room/{room['code']}/events", headers={TOKEN: "x"}).text.lower()
