"""The queue for the device: one at a time, first come first served, positions told, nobody forgotten, nothing held."""

import asyncio
import threading
import time

import pytest

from specviz.errors import SpecvizError
from specviz.ui.serving import device as module
from specviz.ui.serving.device import Busy, Device, paced, people_before, until_ready
from specviz.ui.serving.models import PairLoader


@pytest.fixture
def loader():
    loader = PairLoader(object).start()
    assert loader.wait(10)
    return loader


def test_places_move_up_as_tickets_are_given_back():
    device = Device()
    first, second, third = (device.ticket() for _ in range(3))
    assert [ticket.before for ticket in (first, second, third)] == [0, 1, 2]
    second.give_back()  # from the middle: whoever waits may leave
    assert [first.before, third.before] == [0, 1]
    first.give_back()
    first.give_back()
    assert third.before == 0 and len(device) == 1
    with pytest.raises(SpecvizError, match="given back"):
        _ = first.before


def test_a_full_line_is_refused_with_how_many_wait_and_opens_again():
    device = Device(most_waiting=2)
    tickets = [device.ticket() for _ in range(3)]
    with pytest.raises(Busy, match="2 are waiting"):
        device.ticket()
    tickets[0].give_back()
    assert device.ticket().before == 2


def test_a_failed_turn_gives_the_device_back():
    device = Device()
    with pytest.raises(ZeroDivisionError), device.turn():
        _ = 1 / 0
    assert len(device) == 0


def test_a_turn_that_takes_too_long_is_refused_and_leaves_the_line():
    device = Device()
    with device.turn(), pytest.raises(Busy, match="one person is before you"), device.turn(0.01):
        pass
    assert len(device) == 0


def test_many_threads_take_turns_in_the_order_they_came():
    device = Device(most_waiting=50)
    order, inside, most = [], 0, 0
    tickets = [device.ticket() for _ in range(20)]

    def work(number):
        nonlocal inside, most
        with tickets[number] as ticket:
            assert ticket.wait(20)
            inside += 1
            most = max(most, inside)
            order.append(number)
            time.sleep(0.001)
            inside -= 1

    threads = [threading.Thread(target=work, args=(number,)) for number in reversed(range(20))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert order == list(range(20)) and most == 1 and len(device) == 0


def test_until_ready_tells_the_place_and_then_that_models_are_missing():
    release = threading.Event()
    loader = PairLoader(lambda: release.wait(10)).start()
    device = Device()
    first, second = device.ticket(), device.ticket()
    queue_positions = until_ready(second, loader)
    assert [next(queue_positions), next(queue_positions)] == [1, 1]
    first.give_back()
    assert next(queue_positions) == 0
    release.set()
    assert loader.wait(10) and list(queue_positions) == []


def job(device, loader, log, name, steps=3):
    """A run as the page makes it, with work of no length."""
    with device.ticket() as ticket:
        for queue_position in until_ready(ticket, loader):
            yield {"kind": "waiting", "queue_position": queue_position}
        for step in range(steps):
            log.append((name, step))
            yield {"kind": "running", "step": step}
    yield {"kind": "finished"}


async def follow(messages):
    return [message async for message in paced(messages)]


def test_paced_jobs_take_turns_and_see_their_place_shrink(loader, monkeypatch):
    monkeypatch.setattr(module, "POLL", 0.01)
    device, log = Device(), []

    async def everybody():
        return await asyncio.gather(*(follow(job(device, loader, log, name)) for name in range(4)))

    told = asyncio.run(everybody())
    assert log == [(name, step) for name in (log[0][0], *dict.fromkeys(n for n, _ in log[3:])) for step in range(3)]
    assert all(messages[-1] == {"kind": "finished"} for messages in told)
    for messages in told:
        queue_positions = [message["queue_position"] for message in messages if message["kind"] == "waiting"]
        assert queue_positions == sorted(queue_positions, reverse=True) and len(set(queue_positions)) == len(
            queue_positions
        )  # each position is told once
    assert sorted(len([m for m in messages if m["kind"] == "waiting"]) for messages in told)[0] == 0
    assert len(device) == 0


def test_those_who_wait_hear_something_now_and_then(loader, monkeypatch):
    monkeypatch.setattr(module, "POLL", 0.01)
    monkeypatch.setattr(module, "ALIVE", 0.05)
    device = Device()
    device.ticket()

    async def first_two():
        messages = paced(job(device, loader, [], "x"))
        told = [await anext(messages), await anext(messages)]
        await messages.aclose()
        return told

    assert asyncio.run(first_two()) == [{"kind": "waiting", "queue_position": 1}] * 2
    assert len(device) == 1


def test_closing_a_waiting_or_a_running_job_frees_its_place(loader):
    device = Device()

    async def leave():
        running, waiting = paced(job(device, loader, [], "a")), paced(job(device, loader, [], "b"))
        assert (await anext(running))["kind"] == "running"
        assert (await anext(waiting))["kind"] == "waiting"
        await waiting.aclose()
        assert len(device) == 1
        await running.aclose()

    asyncio.run(leave())
    assert len(device) == 0


def test_a_job_cancelled_in_the_middle_of_a_step_keeps_the_device_until_the_step_is_over(loader, monkeypatch):
    monkeypatch.setattr(module, "POLL", 0.01)
    device, inside, release = Device(), threading.Event(), threading.Event()

    def slow():
        with device.ticket():
            yield {"kind": "running"}
            inside.set()
            assert release.wait(10)
            yield {"kind": "running"}

    async def cancel():
        task = asyncio.create_task(follow(slow()))
        await asyncio.to_thread(inside.wait, 10)
        task.cancel()
        await asyncio.sleep(0.05)
        assert len(device) == 1 and not task.done()  # a thread is still at the models
        release.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert len(device) == 0

    asyncio.run(cancel())


def test_an_error_in_a_job_passes_and_frees_the_device(loader):
    device = Device()

    def fails():
        with device.ticket():
            yield {"kind": "running"}
            raise SpecvizError("no")

    with pytest.raises(SpecvizError, match="no"):
        asyncio.run(follow(fails()))
    assert len(device) == 0


def test_places_are_said_in_words():
    assert people_before(1) == "one person is before you" and people_before(3) == "3 people are before you"


def test_spare_time_is_what_nobody_wants_and_whoever_comes_is_next():
    device = Device(together=2)
    with device.spare(0) as had:
        assert had and len(device) == 0
        ticket = device.ticket()
        assert (ticket.before, ticket.sharing) == (0, 1)
        with device.spare(0) as other:
            assert not other
    for _ in range(2):
        with device.spare(0) as had:
            assert not had  # between two slices of a ticket, too
        with ticket.slice(), device.spare(0) as had:
            assert not had
    assert device.slices == 2
    ticket.give_back()
    with device.spare(0) as had:
        assert had
    with pytest.raises(ZeroDivisionError), device.spare(0):
        _ = 1 / 0
    with device.spare(0) as had:
        assert had and device.slices == 2
