"""For everybody: axe-core, no sideways scrolling, hidden parts, large type, words that explain themselves."""

import re

import pytest
from playwright.sync_api import expect

from specviz.ui.page import PAGES
from tests.browser.axe import barriers

NAMES = [page.name for page in PAGES]
SIZES = {"projector": (1280, 720), "phone": (390, 844)}


def settle(page, name):
    """Wait until the page is there with what it shows first."""
    page.locator(f"#sv-{name} h1").wait_for(state="attached")
    expect(page.locator("html")).to_have_attribute("data-page", name)
    page.wait_for_load_state("networkidle")


@pytest.mark.full
@pytest.mark.every(2)
@pytest.mark.parametrize("name", NAMES)
def test_no_barrier_that_axe_would_call_serious_in_either_theme(site, visit, name):
    page = visit(f"{site}?view={name}")
    settle(page, name)
    assert barriers(page) == []
    page.get_by_role("button", name="Dark").click()
    expect(page.locator("body")).to_have_class(re.compile("dark"))
    assert barriers(page) == []


@pytest.mark.full
@pytest.mark.parametrize("name", NAMES)
def test_nothing_scrolls_sideways(site, visit, name):
    page = visit(f"{site}?view={name}")
    settle(page, name)
    for present in (False, True):
        if present:  # by the address: the button fills the screen, whose size nobody sets
            page.goto(f"{site}?view={name}&present=1")
            settle(page, name)
        for width, height in SIZES.values():
            page.set_viewport_size({"width": width, "height": height})
            expect(page.locator("html")).to_have_js_property("clientWidth", width)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (width, present)


@pytest.mark.full
def test_axe_finds_a_barrier_that_is_there(site, visit):
    page = visit(site)
    settle(page, "race")
    page.evaluate("document.querySelector('#sv-prompt').labels[0].remove()")
    page.evaluate("document.querySelector('#sv-prompt').removeAttribute('placeholder')")
    assert any(one.startswith("label:") for one in barriers(page))


@pytest.mark.full
def test_a_teacher_takes_parts_away(site, visit):
    page = visit(f"{site}?hide=header,legend&present=1")
    settle(page, "race")
    expect(page.locator("header.sv-header")).to_be_hidden()
    expect(page.locator("html")).to_have_class("sv-present")


@pytest.mark.full
def test_the_glossary_opens_by_key_and_finds_a_word(site, visit):
    page = visit(site)
    settle(page, "race")
    page.locator("h1").first.evaluate("element => element.ownerDocument.body.focus()")
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Words")
    expect(dialog).to_be_visible()
    expect(dialog.locator("dt").first).to_have_text("←→")  # keys are what one asks for by a key
    dialog.get_by_role("searchbox").fill("residual")
    expect(dialog.locator("dt:visible").filter(has_text="residual")).to_have_count(1)
    expect(dialog.locator("dt").first).to_be_hidden()
    assert barriers(page) == []
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


@pytest.mark.full
def test_a_question_mark_in_the_prompt_is_a_question_mark(site, visit):
    page = visit(site)
    settle(page, "race")
    page.locator("#sv-prompt").fill("Who")
    page.locator("#sv-prompt").press("?")
    expect(page.locator("#sv-prompt")).to_have_value("Who?")
    expect(page.get_by_role("dialog", name="Words")).to_be_hidden()
