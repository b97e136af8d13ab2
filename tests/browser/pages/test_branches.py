"""Going on from a step in a real browser: by a coin, by a token, by link; what cannot be is said where it was asked."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.axe import barriers

FORM = "prompt=abc+def&lane=speculative;gamma=3&lane=mtad&o.temperature=1&max_new_tokens=20&seed=3"


def raced(visit, site, **options):
    """A finished race of two lanes, the first speculative."""
    page = visit(f"{site}?view=race&{FORM}", **options)
    page.get_by_role("button", name="Run the race").click()
    expect(page.locator(".sv-state")).to_have_text("Finished")
    return page


def inside(page, iteration=1):
    """The Microscope at a step of the first lane."""
    page.locator(f".sv-lane .sv-text .sv-token[data-iteration='{iteration}']").first.click()
    expect(page.locator(".sv-step-count")).to_contain_text("/")


def forked(page, branches=1):
    """The drawing, once all branches are written."""
    forks = page.locator(".sv-forks")
    expect(forks.locator(".sv-fork-said p")).to_have_count(branches)
    expect(page.locator(".sv-state")).to_have_text("Finished")
    expect(forks.locator("li.changed")).to_have_count(branches)
    return forks


def put(page, token):
    page.get_by_role("button", name="Another token").click()
    page.locator("#sv-typed-token").fill(token)
    page.locator("#sv-other-token").get_by_role("button", name="Go on from here").click()


def words_of(forks):
    return [line for line in forks.inner_text().splitlines() if line.strip()]


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_a_typed_token_forks_the_text_and_its_link_shows_the_same(visit, site, width, dark):
    page = raced(visit, site, width=width, dark=dark)
    inside(page)
    put(page, "xy")
    forks = forked(page)
    expect(forks.locator("li.changed > .sv-fork-change")).to_contain_text("by hand: “xy”")
    expect(forks.locator("li.changed .sv-token.hand").first).to_be_visible()
    expect(page.locator(".sv-lane")).to_have_count(2)
    expect(page.locator(".sv-branch-head")).to_contain_text("by hand")
    expect(forks.locator(".sv-fork-said")).to_contain_text("Branch 1 parts from the record at token")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert barriers(page) == []
    words, link = words_of(forks), page.url
    assert "branches=" in link
    other = visit(link, width=width, dark=dark)
    assert words_of(forked(other)) == words
    fresh = visit(link.replace("seed=3", f"seed={width}"), width=width, dark=dark)  # nobody has run this one
    expect(fresh.locator(".sv-state")).to_contain_text("Not kept here")
    fresh.get_by_role("button", name="Run the race").click()
    forked(fresh)


def test_another_coin_is_gone_on_from_and_a_branch_has_branches(visit, site):
    page = raced(visit, site)
    inside(page, 0)
    page.get_by_role("button", name="What if?").click()
    field = page.locator("#sv-whatif .sv-coins input[type=number]").first
    before = float(field.input_value())
    field.fill("0.97" if before < 0.5 else "0.03")
    field.press("Enter")
    page.locator(".sv-replayed").get_by_role("button", name="Go on from here").click()
    change = forked(page).locator("li.changed > .sv-fork-change")
    expect(change).to_have_text(re.compile(r"^branch 1 · (coin|draw) of token \d.*: 0\.\d+ → 0\.(97|03)0?$"))
    page.locator(".sv-forks li.changed .sv-token").last.click()
    expect(page.locator(".sv-lane-choice [aria-pressed=true]")).to_contain_text("branch 1")
    page.get_by_role("button", name="Another token").click()
    page.locator("#sv-other-token .sv-coins").nth(1).get_by_role("button").first.click()
    forks = forked(page, 2)
    expect(forks.locator("li.changed li.changed > .sv-fork-change")).to_contain_text("branch 2 · by hand")
    page.get_by_role("button", name="Without branches").click()
    expect(page.get_by_role("button", name="+ Add a lane")).to_be_visible()


def test_what_cannot_be_is_said_where_it_was_asked_and_the_step_stays(visit, site):
    page = raced(visit, site)
    inside(page)
    title = page.locator(".sv-story h2, .sv-story h3").first.inner_text()
    put(page, "")
    told = page.locator("#sv-other-token [role=alert]")
    expect(told).to_contain_text("Type a token first")
    page.locator("#sv-typed-token").fill("abcdefgh" * 24)
    page.locator("#sv-other-token").get_by_role("button", name="Go on from here").click()
    expect(told).to_contain_text("text put by hand must be 1 to 64 tokens")
    assert page.locator(".sv-story h2, .sv-story h3").first.inner_text() == title
    assert "view=microscope" in page.url and "branches=" not in page.url
    expect(page.locator(".sv-lane-choice")).to_have_count(2)


def test_a_method_with_several_texts_says_why_no_token_can_be_put(visit, site):
    page = visit(f"{site}?view=race&{FORM.replace('lane=mtad', 'lane=beam')}")
    page.get_by_role("button", name="Run the race").click()
    expect(page.locator(".sv-state")).to_have_text("Finished")
    page.locator(".sv-lane").nth(1).locator(".sv-text .sv-token").first.click()
    page.get_by_role("button", name="Another token").click()
    expect(page.locator("#sv-other-token")).to_contain_text("keeps several texts at a time")
    expect(page.locator("#sv-typed-token")).to_be_hidden()
