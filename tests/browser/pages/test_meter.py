"""The guarantee meter in a real browser: beside every method's name, with both numbers when asked."""

import re

import pytest
from playwright.sync_api import Page, expect

from specviz.lab.guarantees.measured import fingerprints
from specviz.ui import page as page_of_pages
from specviz.ui.pages.guarantees import load_guarantees, pair_on_page
from specviz.ui.serving.models import PairLoader
from tests.browser.axe import barriers
from tests.browser.conftest import served

LOSSY = 2


def meter(page: Page, lane: int = LOSSY):
    return page.locator(".sv-lane").nth(lane).locator(".sv-meter")


def with_a_lossy_lane(page: Page) -> Page:
    """The third lane shows a lossy method at its default options, which has not run."""
    page.get_by_label("Lane 3: method").select_option("typical")
    expect(meter(page)).to_have_text(re.compile(r"lossy"))
    return page


def more(page: Page):
    return page.locator("#sv-meter-more")


@pytest.fixture
def measured_site(tiny_pair, gallery, monkeypatch):
    """The page as it would be if the numbers had been measured on the models that it runs."""
    loader = PairLoader(lambda: tiny_pair).start()
    assert loader.wait(60)
    here = pair_on_page(loader)
    guarantees = {name: [*entries, entries[0] | {"pair": here}] for name, entries in load_guarantees().items()}
    monkeypatch.setattr(page_of_pages, "load_guarantees", lambda: guarantees)
    with served(loader, gallery) as url:
        yield url


@pytest.mark.full
def test_every_lane_has_a_meter_with_a_word_and_a_name(measured_site, visit):
    page = with_a_lossy_lane(visit(measured_site))
    expect(page.locator(".sv-status")).to_contain_text("ready")
    expect(page.locator(".sv-lane .sv-meter")).to_have_count(3)
    expect(meter(page, 0)).to_have_text("lossless")
    expect(meter(page)).to_have_accessible_name(
        re.compile(r"lossy \.36, the guarantee of Typical acceptance\. Exact distance \.17; measured \.359")
    )
    marks_at = {}
    for lane in (0, LOSSY):
        mark, scale = (meter(page, lane).locator(part).bounding_box() for part in ("path.exact", ".sv-meter-scale"))
        marks_at[lane] = (mark["x"] + mark["width"] / 2 - scale["x"]) / scale["width"]
    assert marks_at[0] < 0.1 and 0.35 < marks_at[LOSSY] < 0.5  # the root of .17 is .41


@pytest.mark.full
def test_hovering_tells_both_numbers(measured_site, visit):
    page = with_a_lossy_lane(visit(measured_site))
    expect(page.locator(".sv-status")).to_contain_text("ready")
    says = load_guarantees()["typical"][0]["says"]
    meter(page).hover()
    for said in (says["exact"], says["measured"], says["distance"], says["made"]):
        expect(more(page)).to_contain_text(said)
    assert re.search(r"Measured on \d+ \w+ \d{4} on .+ cores", says["made"])
    expect(more(page).locator("circle.measured").first).to_be_visible()
    page.mouse.move(2, 2)
    expect(more(page)).to_be_hidden()


def test_by_keyboard_it_opens_describes_and_closes(visit, site):
    page = visit(site)
    page.get_by_role("button", name="Remove lane 1").focus()
    page.keyboard.press("Tab")
    expect(meter(page, 0)).to_be_focused()
    expect(more(page)).to_be_visible()
    expect(meter(page, 0)).to_have_attribute("aria-expanded", "true")
    expect(meter(page, 0)).to_have_accessible_description(re.compile("every coin and draw was followed to its end"))
    page.keyboard.press("Escape")
    expect(more(page)).to_be_hidden()
    expect(meter(page, 0)).to_have_attribute("aria-expanded", "false")
    expect(meter(page, 0)).to_be_focused()
    page.keyboard.press("Enter")
    expect(more(page)).to_be_visible()
    page.keyboard.press("Tab")
    expect(more(page)).to_be_hidden()


@pytest.mark.full
def test_what_becomes_known_while_it_is_open_is_told_there(measured_site, visit):
    page = with_a_lossy_lane(visit(measured_site))
    expect(page.locator(".sv-status")).to_contain_text("ready")
    meter(page).focus()
    expect(more(page)).to_contain_text(load_guarantees()["typical"][0]["says"]["measured"])
    page.evaluate("specviz.publish('models', {...specviz.latest('models'), pair: {target: 'another', draft: 'pair'}})")
    expect(more(page)).to_contain_text("was not measured on this pair of models")
    expect(meter(page)).to_have_attribute("aria-expanded", "true")


@pytest.mark.full
def test_other_models_were_not_measured(visit, site):
    page = with_a_lossy_lane(visit(site))
    expect(page.locator(".sv-status")).to_contain_text("ready")
    meter(page).hover()
    expect(more(page)).to_contain_text("was not measured on this pair of models")
    expect(more(page)).to_contain_text(load_guarantees()["typical"][0]["says"]["exact"])
    expect(more(page).locator(".measured")).to_have_count(0)
    expect(meter(page).locator(".measured")).to_have_count(0)


@pytest.mark.full
def test_other_options_are_said(measured_site, visit):
    page = visit(measured_site)
    lane = page.locator(".sv-lane").nth(1)
    page.get_by_label("Lane 2: method").select_option("block")
    page.get_by_label("Lane 2: method").select_option("speculative")
    page.get_by_label("Tokens to write").fill("6")
    lane.get_by_text("Options", exact=True).click()
    lane.get_by_label("Lenience").fill("0.4")
    page.get_by_label("Prompt", exact=True).fill("Once upon")
    page.get_by_role("button", name="Run the race").click()
    expect(page.locator(".sv-state")).to_have_text("Finished")
    expect(meter(page, 1)).to_have_text("lossy")
    meter(page, 1).hover()
    expect(more(page)).to_contain_text("for the default options; here lenience differs")
    expect(more(page)).to_contain_text("no longer has the target's distribution")
    page.mouse.move(2, 2)
    expect(meter(page, 0)).to_have_text("lossless")


@pytest.mark.full
def test_a_method_that_has_not_run_tells_about_its_defaults(visit, site):
    page = visit(site)
    page.get_by_role("button", name="Add a lane").click()
    page.get_by_label("Lane 4: method").select_option("typical")
    expect(meter(page, 3)).to_have_text("lossy")
    page.get_by_label("Lane 4: method").select_option("custom")
    expect(meter(page, 3)).to_have_text("lossless")
    lane = page.locator(".sv-lane").nth(3)
    lane.get_by_text("Options", exact=True).click()
    lane.get_by_label("Verifier").select_option("joint")
    expect(meter(page, 3)).to_have_text("other options")


@pytest.mark.full
@pytest.mark.every(7)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("present", [False, True], ids=["read", "present"])
def test_nothing_is_cut_and_nothing_is_in_the_way(measured_site, visit, width, dark, present):
    page = visit(measured_site + ("?present=1" if present else ""), width=width, height=760, dark=dark)
    for lane in range(3):
        meter(page, lane).focus()
        expect(more(page)).to_be_visible()
        box, own = more(page).bounding_box(), meter(page, lane).bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= width
        assert box["y"] >= 0 and box["y"] + box["height"] <= 760
        assert own["x"] + own["width"] <= width
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert barriers(page) == []


@pytest.mark.full
def test_a_tap_opens_and_another_closes(measured_site, visit):
    page = visit(measured_site, width=390, height=844, has_touch=True)
    meter(page, 1).scroll_into_view_if_needed()
    meter(page, 1).tap()
    expect(more(page)).to_be_visible()
    meter(page, 1).tap()
    expect(more(page)).to_be_hidden()
    meter(page, 1).tap()
    expect(more(page)).to_be_visible()
    page.locator(".sv-lane .sv-caption").nth(1).tap()
    expect(more(page)).to_be_hidden()


@pytest.mark.full
def test_without_the_file_the_guarantee_of_what_ran_is_still_said(visit, tiny_pair, gallery, monkeypatch):
    monkeypatch.setattr(page_of_pages, "load_guarantees", dict)
    loader = PairLoader(lambda: tiny_pair).start()
    with served(loader, gallery) as url:
        page = visit(url)
        expect(meter(page)).to_have_text("lossy")
        meter(page).hover()
        expect(more(page)).to_contain_text("no longer has the target's distribution")
        expect(more(page).locator("svg")).to_have_count(0)


@pytest.mark.full
def test_fingerprints_are_those_of_a_trace(tiny_pair, gallery):
    import specviz

    header = specviz.decode(tiny_pair, "speculative", "a", max_new_tokens=2).header
    found = fingerprints(tiny_pair)
    assert found["target"]["fingerprint"] == header.target.fingerprint
    assert found["draft"]["fingerprint"] == header.draft.fingerprint
