"""A sweep of one's own in a real browser: checked, run behind races, found again after a reload, stopped and kept."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from specviz.ui.pages.lab_sweeps import GRID
from specviz.ui.serving.device import Device
from specviz.ui.serving.models import PairLoader
from tests.browser.axe import barriers
from tests.browser.conftest import served

SMALL = '[[method]]\nname = "autoregressive"\n\n[[method]]\nname = "speculative"\ngamma = [1, 2]\n'
LINES = '{"question_id": 1, "category": "x", "turns": ["ab"]}\n{"question_id": 2, "category": "y", "turns": ["cd"]}\n'


@pytest.fixture
def device() -> Device:
    return Device(together=4)


@pytest.fixture
def lab(tiny_pair, device):
    """The page on a server of its own, whose sweeps are those of one test."""
    loader = PairLoader(lambda: tiny_pair).start()
    assert loader.wait(60)
    with served(loader, (), device) as url:
        yield f"{url}?view=lab&card=own"


def own(page: Page):
    return page.get_by_role("region", name="A sweep of your own")


def fill(page: Page, grid: str = SMALL, file: str | None = LINES, tokens: str = "4") -> None:
    page.get_by_label("Methods and options, as TOML").fill(grid)
    page.get_by_label("Seeds").fill("1")
    page.get_by_label("Tokens a run").fill(tokens)
    if file is not None:
        page.get_by_label("Prompts", exact=True).select_option("A file of mine …")
        data = {"name": "mine.jsonl", "mimeType": "application/jsonl", "buffer": file.encode()}
        page.get_by_label("Prompts, as JSON lines").set_input_files(data)


def press(page: Page, name: str) -> None:
    own(page).get_by_role("button", name=name, exact=True).click()


def wrong(page: Page, field: str):
    return page.locator(f'[data-field="sweep-{field}"] .sv-wrong')


def run_card(page: Page, name: str) -> None:
    page.locator(f'[data-card="{name}"]').click()
    page.get_by_role("button", name="Run this here").click()


@pytest.mark.full
def test_what_is_wrong_is_said_beside_its_field(lab, visit):
    page = visit(lab, ready=".sv-own")
    expect(page.get_by_label("Methods and options, as TOML")).to_have_value(GRID)
    fill(page, "x = \n")
    press(page, "Check")
    expect(wrong(page, "grid")).to_contain_text("no TOML file: Invalid value (at line 1")
    expect(page.get_by_label("Methods and options, as TOML")).to_be_focused()
    fill(page, file=LINES + '{"question_id": 1}\n')
    press(page, "Run")
    expect(wrong(page, "file")).to_contain_text("line 3: has no category")
    expect(wrong(page, "grid")).to_have_count(0)
    fill(page, file="x" * 4_000_001)
    press(page, "Run")
    expect(wrong(page, "file")).to_contain_text("this page takes up to 4.0 MB and 200 prompts")
    fill(page, tokens="513")
    press(page, "Check")
    expect(wrong(page, "max_new_tokens")).to_contain_text("from 1 to 512, got 513")
    fill(page)
    press(page, "Check")
    expect(own(page)).to_contain_text("6 runs (3 settings × 2 prompts × 1 seed); how long they take is unknown")
    expect(page.locator(".sv-wrong")).to_have_count(0)


@pytest.mark.full
def test_a_sweep_waits_for_races_survives_a_reload_and_is_stopped_and_gone_on_with(lab, visit, device):
    page = visit(lab, ready=".sv-own")
    race = device.ticket()
    fill(page)
    press(page, "Run")
    expect(own(page)).to_contain_text("0 of 6 runs. Waiting: races come first")
    expect(page).to_have_url(re.compile("sweep=[0-9a-f]{32}"))
    address = page.url
    page.reload()
    expect(own(page)).to_contain_text("Waiting: races come first")
    assert page.url == address
    other = visit(address)  # another reader: looks on
    expect(own(other)).to_contain_text("Only the browser that began this sweep can stop it")
    for name in ("Stop", "Go on"):
        expect(own(other).get_by_role("button", name=name, exact=True)).to_be_hidden()
    press(other, "A new sweep")
    expect(own(other).get_by_role("button", name="Run", exact=True)).to_be_visible()
    press(page, "Stop")
    expect(own(page)).to_contain_text("Stopped: 0 of 6 runs are kept.")
    expect(own(page).get_by_role("button", name="Go on")).to_be_focused()
    page.goto(lab)  # without the sweep in the address: this browser remembers it
    expect(own(page)).to_contain_text("Stopped: 0 of 6 runs are kept.")
    race.give_back()
    press(page, "Go on")
    expect(own(page)).to_contain_text("Done: 6 runs.")
    expect(page.get_by_role("progressbar")).to_have_js_property("value", 6)
    expect(page.locator(".sv-points tbody tr")).to_have_count(3)
    page.get_by_role("button", name="Runs of speculative gamma=2", exact=True).click()
    page.get_by_role("button", name="See the trace of 2, seed 0").click()
    expect(page.locator("#sv-microscope .sv-top")).to_contain_text("Speculative decoding")
    expect(page.locator("#sv-microscope .sv-player")).to_be_visible()
    expect(page.locator("#sv-microscope .sv-alert").first).to_be_empty()  # it is the run that was kept
    page.go_back()
    page.go_back()
    own(page).get_by_text("Save", exact=True).click()
    with page.expect_download() as waiting:
        press(page, "JSON lines")
    assert Path(waiting.value.path()).read_bytes().count(b"\n") == 6
    assert barriers(page) == []
    press(page, "A new sweep")
    expect(own(page).get_by_role("button", name="Run", exact=True)).to_be_focused()
    expect(page.locator(".sv-points")).to_have_count(0)
    assert "sweep=" not in page.url


@pytest.mark.full
def test_the_numbers_that_are_drawn_are_chosen(lab, visit):
    page = visit(lab, ready=".sv-own")
    fill(page)
    page.get_by_text("Numbers to draw, up to 8").click()
    drawn = own(page).locator(".sv-own-numbers input")
    for box in drawn.all():
        box.uncheck()
    press(page, "Check")
    expect(wrong(page, "numbers")).to_contain_text("choose 1 to 8 numbers to draw")
    expect(drawn.first).to_be_focused()
    for name in ("agreement α", "time of a target call"):
        own(page).get_by_label(name, exact=True).check()
    press(page, "Run")
    expect(own(page)).to_contain_text("Done: 6 runs.")
    expect(page.locator(".sv-points thead th")).to_contain_text(["agreement α", "time of a target call"])
    expect(page.locator(".sv-lab-figures section")).to_have_count(2)


@pytest.mark.full
def test_a_card_is_run_here_and_a_sweep_that_is_gone_says_so(lab, visit, device):
    page = visit(lab.replace("card=own", f"sweep={'a' * 32}"), ready=".sv-own")
    expect(own(page)).to_contain_text("no longer kept on the server")
    run_card(page, "draft")  # with two draft models, of which this pair has one
    expect(wrong(page, "card")).to_contain_text("needs a pair with 2 draft models")
    run_card(page, "methods")
    expect(own(page)).to_contain_text("The card")
    expect(own(page)).to_contain_text(re.compile(r"\d+ runs \(\d+ settings"))
    with device.ticket():
        press(page, "Run")
        expect(own(page)).to_contain_text("Waiting: races come first")
        press(page, "Stop")
        expect(own(page)).to_contain_text("Stopped: 0 of")
