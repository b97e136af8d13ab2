"""A class of sixty and a greedy stranger: fair places, turns on the device, an end for every run, and nobody computed
for in vain."""

import asyncio
import re
import threading
import time

import httpx
import pytest

from specviz.ui.page import build_page
from specviz.ui.pages.race import race_messages
from specviz.ui.serving import audience as module
from specviz.ui.serving.device import Busy, Device, Visitor
from specviz.ui.serving.limits import MAX_RUNS_OF_ADDRESS, MAX_RUNS_OF_SESSION, MAX_TOGETHER
from specviz.ui.serving.runs import KeptRuns
from specviz.ui.serving.server import build_server
from tests.browser.conftest import running
from tests.measures.visitors import crowd, race_event

LANE = {"method": "speculative", "options": {}}
FORM = {"run": "ab" * 16, "prompt": "abc", "lanes": [LANE, LANE], "shared": {}, "max_new_tokens": 200, "seed": 1}


def wait_until(done, seconds=50):
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "it never came to this"
        time.sleep(0.002)


def test_a_stranger_with_many_runs_does_not_hold_up_the_others():
    device = Device(together=1)
    greedy = [device.ticket(Visitor("192.0.2.1", f"s{number}")) for number in range(10)]
    other = device.ticket(Visitor("192.0.2.2", "x"))
    assert other.before == 1 and [ticket.before for ticket in greedy] == [0, *range(2, 11)]
    greedy[0].give_back()
    assert other.before == 0 and greedy[1].before == 1


def test_in_one_school_every_page_has_its_first_run_before_anyones_second():
    device = Device(together=1)
    first, second, other = (device.ticket(Visitor("school", name)) for name in ("a", "a", "b"))
    assert [first.before, other.before, second.before] == [0, 1, 2]


def test_a_device_counts_how_many_shared_it_at_most():
    device = Device(together=3)
    tickets = [device.ticket(Visitor("a", f"{number}")) for number in range(5)]
    for ticket in tickets:
        ticket.give_back()
    told = device.journal.registry.get_sample_value
    assert told("specviz_running") == 0 and told("specviz_running_most") == 3


def test_a_page_and_an_address_have_so_many_places():
    device = Device()
    pages = [device.ticket(Visitor("a", "page")) for _ in range(MAX_RUNS_OF_SESSION)]
    with pytest.raises(Busy, match="of this page"):
        device.ticket(Visitor("a", "page"))
    held = [device.ticket(Visitor("a", f"{n}")) for n in range(MAX_RUNS_OF_ADDRESS - len(pages))]
    with pytest.raises(Busy, match="your network"):
        device.ticket(Visitor("a", "yet another"))
    held[0].give_back()
    device.ticket(Visitor("a", "yet another"))
    device.ticket(Visitor("b", "page"))


@pytest.mark.full
def test_races_take_turns_so_that_everybody_sees_progress(loader):
    device, runs, order = Device(together=3), KeptRuns(), []

    def run(number):
        for message in race_messages(loader, runs, device, FORM | {"run": f"{number:032x}"}, Visitor("a", f"{number}")):
            order.append((number, message.get("state"), message.get("note", "")))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(3)]
    with device.turn():
        for thread in threads:
            thread.start()
        wait_until(lambda: len(device) == 4)
    for thread in threads:
        thread.join(60)
    finished = [number for number, state, _ in order if state == "finished"]
    first = {number: order.index(next(one for one in order if one[0] == number and one[1])) for number in range(3)}
    assert sorted(finished) == [0, 1, 2]
    assert max(first.values()) < order.index((finished[0], "finished", ""))  # all began before the first was over
    assert any("in turns with" in note for _, _, note in order)


def test_slices_go_round_and_never_overlap():
    device, order = Device(together=3), []
    tickets = [device.ticket(Visitor(name)) for name in "abc"]
    left, inside, began = dict.fromkeys(tickets, 5), 0, time.monotonic()

    def work(ticket):
        nonlocal inside
        for _ in range(5):
            with ticket.slice():
                inside += 1
                assert inside == 1
                order.append(ticket.visitor.address)
                left[ticket] -= 1
                others = sum(count > 0 for other, count in left.items() if other is not ticket)
                wait_until(lambda wanted=others: len(device._asking) == wanted)  # everybody has asked again
                time.sleep(0.01)
                inside -= 1

    threads = [threading.Thread(target=work, args=(ticket,)) for ticket in tickets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert order == order[:3] * 5 and set(order) == set("abc")
    assert all(ticket.used > 0.04 for ticket in tickets)
    assert sum(ticket.used for ticket in tickets) <= time.monotonic() - began


def test_a_run_has_a_time_budget_and_what_it_made_is_kept(loader):
    runs = KeptRuns()
    *_, last = race_messages(loader, runs, Device(run_seconds=0.0), FORM)
    assert last["state"] == "stopped" and re.match(r"Stopped after \d+ s of .*kept", last["note"])
    assert runs.trace(FORM["run"], 0).tokens and not runs.made_from("x")


def test_an_api_call_has_one_too(site):
    from gradio_client import Client
    from gradio_client.exceptions import AppError

    with site(device=Device(run_seconds=0.0)) as url, pytest.raises(AppError, match="fewer tokens"):
        Client(url, verbose=False).predict("Once", "mtad", {}, 5, 1, api_name="/decode")


@pytest.mark.full
@pytest.mark.tries("faults")
@pytest.mark.parametrize("reads", [False, True], ids=["never listens", "goes away"])
def test_nobody_is_computed_for_who_does_not_listen(site, monkeypatch, reads):
    monkeypatch.setattr(module, "PATIENCE", 60.0 if reads else 0.5)
    device = Device(together=1)
    with site(device=device) as url:
        busy = device.ticket()
        event = race_event(url)
        body = {"data": [], "event_data": FORM, "session_hash": "abc", **event}
        assert httpx.post(f"{url}gradio_api/queue/join", json=body).status_code == 200
        if reads:
            with httpx.stream("GET", f"{url}gradio_api/queue/data?session_hash=abc") as stream:
                for line in stream.iter_lines():
                    if "before you" in line:
                        assert len(device) == 2
                        break
        wait_until(lambda: len(device) == 1)
        busy.give_back()


def joined(event, session):
    """What asks for a race in a session of its own; nobody listens to it yet."""
    body = {"data": [], "event_data": FORM | {"run": f"{session:032x}"}, "session_hash": f"s{session}", **event}
    return {"url": "gradio_api/queue/join", "json": body}


@pytest.mark.full
@pytest.mark.tries("faults", count=45)
def test_races_that_nobody_listens_to_hold_nobody_up(site):
    device = Device(together=MAX_TOGETHER)
    with site(device=device) as url, httpx.Client(base_url=url, timeout=60) as client:
        event = race_event(url)
        for session in range(45):
            assert client.post(**joined(event, session)).status_code == 200
        (visit,) = crowd(url, 1, tokens=4, lanes=("autoregressive", "speculative"))
        assert visit.outcome == "finished" and visit.queue_positions == ()
        most = device.journal.registry.get_sample_value("specviz_running_most")
        assert most == 1  # no other ever had the device, or a place before it


@pytest.mark.tries("faults", count=5)
def test_of_what_nobody_listens_to_the_last_ones_are_kept(loader, monkeypatch):
    monkeypatch.setattr(module, "MAX_UNHEARD", 3)
    device = Device(together=MAX_TOGETHER)
    page = build_page(loader, device=device)
    with (
        running(build_server(page, loader=loader, device=device)) as url,
        httpx.Client(base_url=url, timeout=60) as client,
    ):
        event = race_event(url)
        for session in range(5):
            client.post(**joined(event, session))
        # whoever opens a stream to ask is a listener, so the queue is looked at instead
        wait_until(lambda: set(page._queue.pending_messages_per_session) == {"s2", "s3", "s4"}, 20)
        with client.stream("GET", "gradio_api/queue/data?session_hash=s2") as stream:
            assert any("process_generating" in line for line in stream.iter_lines())


@pytest.mark.full
def test_every_race_that_is_listened_to_waits_in_the_queue_of_the_device(loader):
    device, pages, most = Device(together=1), 4, 0
    page = build_page(loader, device=device)
    page._queue.max_thread_count = 2  # of its own gradio has 40 places, however many the device has
    with running(build_server(page, loader=loader, device=device)) as url:
        event, busy = race_event(url), device.ticket()

        async def listen(client, session):
            nonlocal most
            await client.post(**joined(event, session))
            async with client.stream("GET", f"gradio_api/queue/data?session_hash=s{session}") as told:
                async for _ in told.aiter_lines():
                    most = max(most, len(device))
                    if most == pages + 1:
                        return

        async def scene():
            async with httpx.AsyncClient(base_url=url, timeout=60) as client:
                await asyncio.gather(*(listen(client, session) for session in range(pages)))

        asyncio.run(asyncio.wait_for(scene(), 60))
        busy.give_back()


@pytest.mark.full
def test_a_class_of_sixty_finishes_and_is_told_the_truth(site):
    device = Device(together=MAX_TOGETHER)
    with site(device=device) as url:
        visits = crowd(url, 60, tokens=4, lanes=("autoregressive", "speculative"))
    assert [visit.outcome for visit in visits] == ["finished"] * 60, {visit.said for visit in visits}
    assert max(max(visit.queue_positions, default=0) for visit in visits) <= 60
    for visit in visits:
        assert list(visit.queue_positions) == sorted(visit.queue_positions, reverse=True)
    assert len(device) == 0
