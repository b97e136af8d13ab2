"""Many people, one device: a position that is seen, Stop, closed tabs, and a queue that is full."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from specviz.ui.serving.device import Device
from specviz.ui.serving.limits import MAX_WAITING_RUNS
from specviz.ui.serving.models import PairLoader
from tests.browser.conftest import served


@pytest.fixture
def device() -> Device:
    return Device()


@pytest.fixture
def shared(tiny_pair, gallery, device) -> Iterator[str]:
    """The page, whose runs stand in the line of ``device``."""
    loader = PairLoader(lambda: tiny_pair).start()
    assert loader.wait(60)
    with served(loader, gallery, device) as url:
        yield url


def start(page: Page, prompt: str, tokens: int = 4) -> None:
    page.get_by_label("Prompt", exact=True).fill(prompt)
    page.get_by_label("Tokens to write").fill(str(tokens))
    page.get_by_role("button", name="Run the race").click()


def state(page: Page):
    return page.locator(".sv-state")


def until(page: Page, condition: Callable[[], bool]) -> None:
    """Wait for something on the server's side."""
    for _ in range(200):
        if condition():
            return
        page.wait_for_timeout(50)
    raise AssertionError("it did not happen within ten seconds")


@pytest.mark.full
def test_places_are_seen_and_move_up_and_everybody_gets_a_turn(shared, visit, device):
    busy = device.ticket()
    first, second = visit(shared), visit(shared)
    start(first, "first come")
    expect(state(first)).to_contain_text("One person is before you")
    start(second, "second come")
    expect(state(second)).to_contain_text("2 people are before you")
    busy.give_back()
    for page in (first, second):
        expect(state(page)).to_have_text("Finished")
        expect(page.locator(".sv-lane").first.locator(".sv-token")).to_have_count(4)
    until(first, lambda: len(device) == 0)


@pytest.mark.full
def test_a_closed_tab_frees_its_place_while_it_waits(shared, visit, device):
    busy = device.ticket()
    first, second = visit(shared), visit(shared)
    start(first, "I leave")
    expect(state(first)).to_contain_text("One person is before you")
    start(second, "I stay")
    expect(state(second)).to_contain_text("2 people are before you")
    first.close()
    expect(state(second)).to_contain_text("One person is before you")
    assert len(device) == 2
    busy.give_back()
    expect(state(second)).to_have_text("Finished")


@pytest.mark.full
def test_a_closed_tab_frees_the_device_while_it_runs(shared, visit, device):
    first, second = visit(shared), visit(shared)
    start(first, "I leave", 256)
    expect(state(first)).to_contain_text("Running")
    start(second, "I wait")
    expect(state(second)).to_contain_text("One person is before you")
    first.close()
    expect(state(second)).to_have_text("Finished")
    until(second, lambda: len(device) == 0)


@pytest.mark.full
def test_stop_stops_a_run_that_waits_and_what_was_typed_stays(shared, visit, device):
    busy = device.ticket()
    page = visit(shared)
    start(page, "never mind")
    expect(state(page)).to_contain_text("One person is before you")
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Run the race")).to_be_visible()
    expect(page.get_by_role("alert").first).to_contain_text("nothing was run")
    until(page, lambda: len(device) == 1)
    assert page.get_by_label("Prompt", exact=True).input_value() == "never mind"
    busy.give_back()
    start(page, "now then")
    expect(state(page)).to_have_text("Finished")


@pytest.mark.full
def test_a_full_line_is_refused_with_how_many_wait(shared, visit, device):
    tickets = [device.ticket() for _ in range(MAX_WAITING_RUNS + 1)]
    page = visit(shared)
    start(page, "one too many")
    expect(page.get_by_role("alert").first).to_contain_text(f"{MAX_WAITING_RUNS} are waiting")
    assert page.get_by_label("Prompt", exact=True).input_value() == "one too many"
    for ticket in tickets:
        ticket.give_back()
    page.get_by_role("button", name="Run the race").click()
    expect(state(page)).to_have_text("Finished")


@pytest.mark.full
def test_a_page_left_for_another_leaves_nothing_behind(browser, shared, device):
    page = browser.new_page()  # not visit: gradio's own script complains when its stream is cut
    page.goto(shared)
    start(page, "again and again", 256)
    expect(state(page)).to_contain_text("Running")
    page.goto("about:blank")
    until(page, lambda: len(device) == 0)
    page.close()
