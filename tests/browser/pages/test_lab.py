"""The Lab in a real browser: promises, cards, charts and the runs behind their points, by mouse, keyboard and link."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import barriers

GAMMA = "How many guesses at a time?"


def lab(page: Page):
    return page.locator("#sv-lab")


@pytest.mark.full
def test_promises_lead_to_their_cards_and_points_to_their_runs(visit, site):
    page = visit(f"{site}?view=lab")
    rows = lab(page).locator(".sv-promise-table tbody tr")
    expect(rows.first).to_be_visible()
    assert {one.get_attribute("data-verdict") for one in rows.all()} <= {"holds", "fails", "untested"}
    expect(lab(page).get_by_text(f"Of {rows.count()} promises ")).to_be_visible()
    lab(page).get_by_role("button", name=GAMMA).first.click()
    expect(lab(page).get_by_role("heading", name=GAMMA)).to_be_visible()
    assert "card=gamma" in page.url
    expect(lab(page).locator(".js-plotly-plot")).to_have_count(5)
    page.get_by_role("button", name="Runs of speculative gamma=4", exact=True).press("Enter")
    expect(lab(page).get_by_role("heading", name="Runs of speculative gamma=4")).to_be_focused()


@pytest.mark.full
def test_a_run_behind_a_point_is_made_again_and_looked_into(visit, site):
    page = visit(f"{site}?view=lab&card=gamma")
    page.get_by_role("button", name="Runs of speculative gamma=4", exact=True).click()
    page.get_by_role("button", name="See the trace of tales-2, seed 0").click()
    step = page.locator("#sv-microscope")
    expect(step.locator(".sv-player")).to_be_visible()
    expect(step.locator(".sv-top")).to_contain_text("Speculative decoding")
    expect(step.locator(".sv-alert").first).to_contain_text("this run came out differently")  # it is of other models
    assert re.search(r"lane=speculative%3Bgamma%3D4.*&seed=0\b", page.url) and "at=0.0" in page.url
    page.go_back()
    expect(page.locator(".sv-state")).to_have_text("Finished")
    expect(page.get_by_label("Lane 2: method")).to_have_value("autoregressive")
    page.go_back()
    expect(lab(page).get_by_role("heading", name="Runs of speculative gamma=4")).to_be_visible()
    page.get_by_role("button", name="Runs of autoregressive", exact=True).click()
    expect(lab(page).get_by_role("heading", name="Runs of autoregressive")).to_be_visible()
    beside = page.get_by_role("button", name="See the trace of tales-1, seed 0")
    assert "in a race beside speculative," in beside.get_attribute("data-tip")
    beside.click()
    expect(step.locator(".sv-top")).to_contain_text("Autoregressive")
    assert "lane=autoregressive" in page.url and "at=0.0" in page.url


@pytest.mark.full
def test_a_measured_point_of_the_theory_opens_its_runs(visit, site):
    page = visit(f"{site}?view=lab&card=theory")
    point = lab(page).locator(".sv-theory-points li").filter(has_text="speculative gamma=3")
    point.get_by_role("button", name="Open its runs").click()
    expect(lab(page).get_by_role("heading", name="Runs of speculative gamma=3")).to_be_focused()
    page.locator('[data-card="theory"]').click()
    mark = lab(page).get_by_role("button", name=re.compile(r"^speculative gamma=5: .*\. Opens its runs\.$")).first
    mark.press("Enter")
    expect(lab(page).get_by_role("heading", name="Runs of speculative gamma=5")).to_be_visible()


@pytest.mark.full
def test_a_mark_of_a_chart_opens_its_runs(visit, site):
    page = visit(f"{site}?view=lab&card=methods")
    bars = lab(page).locator(".sv-lab-figures section").first.locator(".bars .point")
    expect(bars.first).to_be_visible()
    bars.last.click(force=True)
    expect(lab(page).get_by_role("heading", name=re.compile("^Runs of "))).to_be_visible()


@pytest.mark.full
def test_the_prompts_of_one_kind_are_looked_at_alone(visit, site):
    page = visit(f"{site}?view=lab&card=methods&category=sums")
    kinds = lab(page).get_by_label("Kind of prompts")
    expect(kinds).to_have_value("sums")
    expect(page.get_by_role("button", name="Runs of mtad", exact=True)).to_have_text("24")
    expect(lab(page).get_by_role("heading", name="perplexity against speed")).to_be_visible()
    kinds.select_option("all")
    expect(page.get_by_role("button", name="Runs of mtad", exact=True)).to_have_text("72")
    expect(lab(page).get_by_label("Kind of prompts")).to_be_focused()
    assert "category=" not in page.url
    lab(page).get_by_label("Kind of prompts").select_option("tales")
    expect(page).to_have_url(re.compile("category=tales"))
    page.locator('[data-card="gamma"]').click()  # another card begins with all
    expect(page.get_by_role("button", name="Runs of autoregressive", exact=True)).to_have_text("72")
    assert "category=" not in page.url


@pytest.mark.full
def test_charts_and_rows_are_saved(visit, site):
    page = visit(f"{site}?view=lab&card=gamma")
    expect(lab(page).locator(".js-plotly-plot")).to_have_count(5)
    for button, name, start in (
        ("CSV", "specviz-lab-gamma.csv", b"key,setting"),
        ("Parquet", "specviz-lab-gamma.parquet", b"PAR1"),
        ("PNG", "specviz-lab-gamma-tokens_per_target_call.png", b"\x89PNG"),
        ("SVG", "specviz-lab-gamma-tokens_per_target_call.svg", b"<svg"),
        ("PDF", "specviz-lab-gamma-tokens_per_target_call.pdf", b"%PDF"),
    ):
        with page.expect_download() as waiting:
            lab(page).get_by_role("button", name=button, exact=True).click()
        assert waiting.value.suggested_filename == name
        assert Path(waiting.value.path()).read_bytes().startswith(start)


@pytest.mark.full
def test_a_card_that_is_not_there_is_said(visit, site):
    page = visit(f"{site}?view=lab&card=cart")
    expect(lab(page).locator(".sv-alert").first).to_contain_text("The Lab has no card called “cart”")
    expect(lab(page).get_by_role("heading", name="What the papers promise")).to_be_visible()


@pytest.mark.full
def test_the_list_of_cards_shows_the_one_that_an_address_opens(visit, site):
    page = visit(f"{site}?view=lab&card=sums", width=390)
    shown, entry = (lab(page).locator(one).bounding_box() for one in ("nav", "nav [aria-current]"))
    assert shown["y"] <= entry["y"] and entry["y"] + entry["height"] <= shown["y"] + shown["height"]
    assert page.evaluate("scrollY") == 0


@pytest.mark.full
def test_a_kind_of_prompts_that_is_not_there_is_said(visit, site):
    page = visit(f"{site}?view=lab&card=gamma&category=poems")
    expect(lab(page).locator(".sv-alert").first).to_contain_text("No prompts here are of the kind “poems”")
    expect(page.get_by_role("button", name="Runs of autoregressive", exact=True)).to_have_text("72")


@pytest.mark.full
@pytest.mark.parametrize(("width", "dark"), [(1280, True), (390, False)], ids=str)
def test_it_fits_and_keeps_nobody_out(visit, site, dark, width):
    """Lines with the runs of a point, the race of one with what theory expected of it, bars with a front, answers,
    theory to play with, what the papers promise, and the form of a sweep of one's own. One visit: a page opens more
    slowly than its parts."""
    page = visit(f"{site}?view=lab&card=gamma", width=width, dark=dark)

    def fits(shown):
        expect(shown).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width, shown
        assert barriers(page) == [], shown

    page.get_by_role("button", name="Runs of speculative gamma=1", exact=True).click()
    fits(lab(page).locator(".sv-runs"))
    for name in ("Runs of speculative gamma=1", "See the trace of sums-1, seed 0"):  # in sight beside any numbers
        place = lab(page).get_by_role("button", name=name).bounding_box()
        assert place["x"] >= 0 and place["x"] + place["width"] <= width
    lab(page).get_by_role("button", name="See the trace of sums-1, seed 0").click()
    expect(page.locator("#sv-microscope .sv-player")).to_be_visible()
    page.locator('.sv-header [data-name="race"]').click()
    fits(page.get_by_role("region", name="What theory expected"))
    page.locator('.sv-header [data-name="lab"]').click()
    for card, shown in (
        ("methods", ".sv-lab-figures section:nth-child(4) .js-plotly-plot"),
        ("answers", ".sv-lab-figures section:only-child .js-plotly-plot"),
        ("theory", ".sv-theory-points li:nth-child(7)"),
        ("promises", ".sv-promise-table"),
        ("own", ".sv-own-form"),
    ):
        page.locator(f'[data-card="{card}"]').click()
        fits(lab(page).locator(shown))
