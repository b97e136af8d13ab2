"""Side by side: at one position of the text what every lane did, on one screen, in one figure."""

from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect

from specviz.views.race.motion import lane_motion
from tests.browser.axe import barriers

SVG = "{http://www.w3.org/2000/svg}"


def opened(visit, site, more: str = "", **options) -> Page:
    page = visit(f"{site}{more}", **options)
    if not more:
        page.get_by_role("button", name="Side by side").click()
    expect(page.locator(".sv-beside-drawing")).to_be_visible()
    return page


def columns(page: Page):
    return page.locator(".sv-beside-drawing > [data-lane]")


@pytest.mark.full
def test_every_lane_has_a_column_with_forest_mask_and_gauges(visit, site, gallery):
    page = opened(visit, site)
    expect(columns(page)).to_have_count(3)
    for lane, trace in enumerate(gallery):
        motion = lane_motion(trace)["iterations"][0]
        column = columns(page).nth(lane)
        expect(column).to_contain_text(trace.header.method.title)
        expect(column).to_contain_text(f"iteration 1 of {len(trace.iterations)}")
        for guess in motion["guesses"]:
            assert column.locator(f'[data-node="{guess["name"]}"]').count() >= 1
        for name, _ in motion["reads"]:
            assert column.locator(f'[data-node="{name}"]').count() >= 1
        expect(column).to_contain_text("tokens from this call")


def test_it_is_on_one_screen_of_a_projector(visit, site):
    page = opened(visit, site)
    box = page.locator(".sv-beside-drawing").bounding_box()
    assert box["width"] <= 1280 and box["y"] >= 0 and box["y"] + box["height"] <= 720


OUTSIDE = """() => [...document.querySelectorAll('.sv-beside-drawing [data-lane]')].flatMap((column) => {
  const paper = column.querySelector('rect').getBoundingClientRect();
  return [...column.querySelectorAll('text')].filter((text) => {
    const box = text.getBoundingClientRect();
    return box.left < paper.left || box.right > paper.right || box.bottom > paper.bottom;
  }).map((text) => text.textContent);
})"""
"""Words that are not all within their column."""


@pytest.mark.full
@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1920, 1080), (390, 844)], ids=str)
def test_four_lanes_are_legible(visit, recorded, width, height):
    more = "?recorded=autoregressive,speculative,mtad,specinfer&beside=7"
    page = opened(visit, recorded, more, width=width, height=height)
    expect(columns(page)).to_have_count(4)
    assert page.evaluate(OUTSIDE) == []
    gauges = (
        columns(page).last.locator("rect[height='12']").evaluate_all("all => all.map((one) => one.width.baseVal.value)")
    )
    assert max(gauges) >= 90
    if width < 1000:
        return
    words = page.locator(".sv-beside-drawing [data-node] text:last-child").all_text_contents()
    assert not [word for word in words if word.endswith("…") and len(word) < 4]
    box = page.locator(".sv-beside-drawing").bounding_box()
    assert box["y"] >= 0 and box["y"] + box["height"] <= height


def test_keys_step_from_the_body_and_from_buttons(visit, site):
    page = opened(visit, site)
    moment = page.locator(".sv-beside .sv-moment")
    page.keyboard.press("ArrowRight")  # the button that was pressed has the focus
    expect(moment).to_contain_text("token 2 of")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("PageDown")
    expect(moment).to_contain_text("token 3 of")
    page.keyboard.press("Home")
    expect(moment).to_contain_text("token 1 of")
    page.get_by_role("button", name="One token on").focus()
    page.keyboard.press("ArrowRight")
    expect(moment).to_contain_text("token 2 of")
    page.keyboard.press("ArrowLeft")
    expect(moment).to_contain_text("token 1 of")


@pytest.mark.full
def test_positions_are_stepped_through_and_kept_in_the_address(visit, site, gallery):
    page, longest = opened(visit, site), max(len(trace.tokens) for trace in gallery)
    expect(page.locator(".sv-beside .sv-moment")).to_have_text(f"token 1 of {longest}")
    page.get_by_role("button", name="One token on").click()
    page.get_by_role("button", name="One token on").click()
    assert "beside=2" in page.url
    expect(columns(page).first).to_contain_text("iteration 3 of")
    again = opened(visit, site, f"?{page.url.partition('?')[2]}")
    expect(again.locator(".sv-beside .sv-moment")).to_contain_text("token 3 of")
    again.get_by_role("button", name="Side by side").click()
    expect(again.locator(".sv-beside")).to_be_hidden()
    expect(again.locator(".sv-lane").first).to_be_visible()
    assert "beside" not in again.url


@pytest.mark.full
def test_a_pinned_lane_stays(visit, site):
    page = opened(visit, site)
    page.get_by_role("button", name="Pin Autoregressive here").click()
    page.get_by_role("button", name="One token on").click()
    expect(columns(page).first).to_contain_text("iteration 1 of")
    page.get_by_role("button", name="Autoregressive is pinned at token 1").click()
    expect(columns(page).first).to_contain_text("iteration 2 of")


@pytest.mark.full
def test_a_guess_lights_its_row(visit, site, gallery):
    page = opened(visit, site)
    motion = lane_motion(gallery[1])["iterations"][0]
    name = next(row for row, _ in motion["reads"] if row.isdigit())
    column = columns(page).nth(1)
    column.locator(f'[data-node="{name}"]').first.hover(force=True)
    expect(column.locator(".lit")).to_have_count(2)  # in the forest and in the mask


@pytest.mark.full
def test_it_is_saved_as_one_figure(visit, site, gallery):
    page = opened(visit, site)
    page.locator("#sv-race .sv-save > summary").click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="What is on screen as SVG").click()
    drawing = ElementTree.parse(waiting.value.path()).getroot()
    said = "".join(drawing.itertext())
    assert all(trace.header.method.title in said for trace in gallery)
    assert "var(" not in waiting.value.path().read_text()
    assert len(drawing.findall(f"{SVG}svg/{SVG}g")) == 3
    with page.expect_download() as waiting:
        page.get_by_role("button", name="What is on screen as PNG").click()
    assert waiting.value.path().read_bytes()[:4] == b"\x89PNG"


@pytest.mark.full
@pytest.mark.every(3)
@pytest.mark.parametrize(("width", "dark"), [(1280, True), (390, False)], ids=str)
def test_no_barrier_and_words_beside(visit, site, width, dark):
    page = opened(visit, site, width=width, height=720, dark=dark)
    page.locator(".sv-beside > details > summary").click()
    expect(page.locator(".sv-beside li")).to_have_count(3)
    expect(page.locator(".sv-beside li").nth(1)).to_contain_text("guesses drafted")
    assert barriers(page) == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
