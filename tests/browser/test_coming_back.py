"""Back and Forward, links to one lane, the focus, a server that goes away: a reader never loses the place."""

import pytest
from playwright.sync_api import expect


def on(page, name):
    expect(page.locator("html")).to_have_attribute("data-page", name)


@pytest.mark.full
def test_back_and_forward_lead_from_page_to_page(visit, site, gallery):
    page = visit(site)
    page.locator(".sv-lane").nth(1).locator(".sv-token").first.click()
    on(page, "microscope")
    expect(page.locator(".sv-step-count")).not_to_be_empty()
    page.locator(".sv-player").focus()
    page.keyboard.press("ArrowLeft")
    title = page.locator(".sv-story h2").inner_text()
    page.get_by_role("link", name="Library").click()
    on(page, "library")
    page.go_back()
    on(page, "microscope")
    expect(page.locator(".sv-story h2")).to_have_text(title)
    page.go_back()
    on(page, "race")
    expect(page.locator(".sv-lane")).to_have_count(3)
    page.go_forward()
    on(page, "microscope")
    expect(page.locator(".sv-story h2")).to_have_text(title)
    assert f"at=1.0.{page.locator('.sv-player').get_attribute('data-scene')}" in page.url


@pytest.mark.full
@pytest.mark.every(3)
@pytest.mark.parametrize("name", ["speculative", "mtad"])
def test_a_link_to_one_recorded_lane_shows_that_lane_alone(visit, site, gallery, name):
    (trace,) = (one for one in gallery if one.header.method.name == name)
    page = visit(f"{site}?view=microscope&recorded={name}&at=0.0")
    expect(page.locator(".sv-lanes [aria-pressed]")).to_have_count(1)
    expect(page.locator(".sv-lanes [aria-pressed=true]")).to_contain_text(trace.header.method.title)
    page.get_by_role("link", name="Race", exact=True).click()
    expect(page.locator(".sv-lane")).to_have_count(1)
    page.get_by_role("button", name="Run the race").click()
    expect(page.locator("#sv-alert")).to_contain_text("at least 2 lanes")


@pytest.mark.full
def test_the_focus_goes_with_the_page_and_with_the_button(visit, site):
    page = visit(site)
    page.get_by_label("Tokens to write").fill("200")
    page.get_by_role("button", name="Run the race").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Stop")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".sv-state")).to_have_text("Stopped")
    expect(page.get_by_role("button", name="Run the race")).to_be_focused()
    page.locator(".sv-text .sv-token").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#sv-microscope h1")).to_be_focused()


@pytest.mark.full
def test_a_server_that_goes_away_is_said_and_what_was_typed_stays(browser, site):
    context = browser.new_context()  # not `visit`: the browser itself reports what fails here
    page = context.new_page()
    page.goto(site)
    page.get_by_label("Prompt", exact=True).fill("a text that must stay")
    page.route("**/*", lambda route: route.abort())
    page.get_by_role("button", name="Run the race").click()
    expect(page.locator("#sv-alert")).to_contain_text("does not answer", timeout=15_000)
    expect(page.get_by_role("button", name="Run the race")).to_be_visible()
    expect(page.get_by_label("Prompt", exact=True)).to_have_value("a text that must stay")
    context.close()


@pytest.mark.full
@pytest.mark.every(3)
@pytest.mark.parametrize("present", ["", "&present=1"], ids=["plain", "large type"])
def test_only_the_bar_stays_over_the_panels(visit, site, present):
    page = visit(f"{site}?view=microscope&at=1.0.decision-1{present}", width=900)
    expect(page.locator(".sv-story h2")).not_to_be_empty()
    title = page.locator(".sv-story h2").inner_text()
    expect(page.locator(".sv-now")).to_be_hidden()
    expect(page.locator(".sv-grown .sv-guess").first).to_be_visible()  # else the page is still short
    page.locator(".sv-panel-mask").evaluate("one => window.scrollTo(0, one.getBoundingClientRect().top + scrollY - 80)")
    expect(page.locator(".sv-now")).to_have_text(title)
    expect(page.locator(".sv-now")).to_be_visible()
    over = page.evaluate(
        "[...document.querySelectorAll('#sv-microscope *')].filter(one => getComputedStyle(one).position === 'sticky'"
        " && one.checkVisibility()).reduce((sum, one) => sum + one.offsetHeight, 0)"
    )
    assert 0 < over <= 80


@pytest.mark.full
def test_a_forest_of_an_earlier_race_is_not_taken_for_one_of_the_race_on_screen(visit, site):
    page = visit(site)
    page.get_by_label("Tokens to write").fill("8")
    page.get_by_role("button", name="Run the race").click()
    expect(page.locator(".sv-state")).to_have_text("Finished")
    page.locator(".sv-lane").nth(1).locator(".sv-token").first.click()
    page.get_by_role("button", name="Every verdict").click()
    expect(page.locator(".sv-forest-about")).not_to_be_empty()
    about = page.locator(".sv-forest-about").inner_text()
    assert "run%3Dhere" in page.url
    page.get_by_role("link", name="Race", exact=True).click()
    page.get_by_label("Prompt", exact=True).fill("quite another beginning")
    page.get_by_role("button", name="Run the race").click()
    expect(page.locator(".sv-state")).to_have_text("Finished")
    page.get_by_role("link", name="Same forest").click()
    assert "run%3Dhere" not in page.url
    again = visit(page.url)
    expect(again.locator(".sv-forest-about")).to_have_text(about)


@pytest.mark.full
def test_a_link_alone_runs_nothing_and_shows_what_is_kept(visit, site):
    link = f"{site}?prompt=never+seen+before&lane=autoregressive&lane=speculative;gamma=2&max_new_tokens=4&seed=99"
    page = visit(link)
    state = page.locator(".sv-state")
    expect(state).to_contain_text("Not kept here")
    expect(page.locator(".sv-lane .sv-token")).to_have_count(0)
    page.get_by_role("button", name="Run the race").click()
    expect(state).to_have_text("Finished")
    text = page.locator(".sv-text").first.inner_text()
    other = visit(page.url)
    expect(other.locator(".sv-state")).to_have_text("Finished")
    assert other.locator(".sv-text").first.inner_text() == text
