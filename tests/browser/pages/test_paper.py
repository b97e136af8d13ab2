"""Paper: every page and every saved file prints as from the light theme, without what is of use on a screen only."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from specviz.assets import ASSETS
from specviz.lab.lessons.lesson import lesson_document
from specviz.lab.lessons.pack import handout_document
from specviz.ui.pages.forest import START
from specviz.ui.pages.saving import race_file, step_file
from specviz.ui.serving.models import PairLoader
from specviz.views.lessons.lesson import Lesson, find_lesson, gallery_runs
from specviz.views.plot.palette import DARK, LIGHT, Theme
from tests.browser.conftest import served
from tests.recorded import load_gallery
from tests.traces import mtad_trace, speculative_trace

PAGES = {  # address, and what is there once it is drawn
    "race": ("", ".sv-lane .sv-guess"),
    "beside": ("?beside=1", ".sv-beside-drawing text"),
    "microscope": ("?view=microscope&at=2.0.decision-2&pins=1", ".sv-panel-decision .sv-drawn"),
    "lessons": ("?view=lessons", ".sv-lessons .sv-sketch"),
    "lab": ("?view=lab", ".sv-lab h2"),
    "library": ("?view=library", ".sv-library tbody"),
}
COLOURS = """() => [...document.querySelectorAll('.sv-island *, body, html')]
  .filter((one) => one.checkVisibility() && !one.closest('defs'))
  .flatMap((one) => {
    const { color, fill, stroke, backgroundColor, borderTopColor, textShadow } = getComputedStyle(one);
    const text = one.children.length ? '' : one.textContent;
    return [[one.tagName, text, color, fill, stroke, backgroundColor, borderTopColor, textShadow].join(' ')];
  })
  .map((said) => said.replace(/url\\([^)]*\\)/g, 'hatched'))"""
CONTROLS = ".sv-header, .sv-form, .sv-playback, .sv-bar, .sv-run, .sv-chip, .sv-quiet"


def printed(page: Page, drawn: str) -> list[str]:
    """What is on paper, with its colours."""
    expect(page.locator(drawn).first).to_be_visible()
    page.wait_for_function("() => !document.querySelector('.waiting, .drawing')")
    page.emulate_media(media="print")
    expect(page.locator(CONTROLS).locator("visible=true")).to_have_count(0)
    return page.evaluate(COLOURS)


@pytest.mark.full
@pytest.mark.every(3)
@pytest.mark.parametrize("name", PAGES)
def test_paper_is_the_same_from_the_dark_theme(visit, site, name):
    address, drawn = PAGES[name]
    _same_on_paper(visit, site, address, drawn)


@pytest.mark.full
def test_paper_with_a_forest_is_the_same_from_the_dark_theme(visit, tiny_pair):
    loader = PairLoader(lambda: tiny_pair).start()
    with served(loader, [one for one in load_gallery() if one.header.method.name == START[0]]) as site:
        _same_on_paper(visit, site, "?view=forest", ".sv-forest-pair .sv-drawn")


def _same_on_paper(visit, site: str, address: str, drawn: str) -> None:
    told = {}
    for dark in (False, True):
        page = visit(site + address, dark=dark, height=1000)
        assert page.evaluate("document.body.classList.contains('dark')") == dark
        told[dark] = printed(page, drawn)
    assert told[True] == told[False]
    assert len(told[True]) > 20


FILES: dict[str, tuple[Callable[[], str], str]] = {
    "step": (lambda: step_file(mtad_trace(), 0, "decision-2")["text"], ".sv-panel-decision .sv-drawn"),
    "race": (lambda: race_file("", [speculative_trace(), mtad_trace()])["text"], ".sv-lane .sv-guess"),
    "lesson": (lambda: lesson_document(coin()), ".sv-panel :is(.sv-drawn, .sv-grown)"),
    "handout": (lambda: handout_document([coin()], answers=False), ".sv-handout .sv-sketch"),
}


def coin() -> Lesson:
    return find_lesson("coin", gallery_runs())


@pytest.mark.full
@pytest.mark.parametrize("name", FILES)
def test_a_saved_file_prints_the_same_from_the_dark_theme(browser, tmp_path, name):
    make, drawn = FILES[name]
    (tmp_path / "file.html").write_text(make(), encoding="utf-8")
    told = {}
    for scheme in ("light", "dark"):
        with browser.new_context(viewport={"width": 1280, "height": 1000}, color_scheme=scheme) as context:
            page = context.new_page()
            page.goto((tmp_path / "file.html").as_uri())
            told[scheme] = printed(page, drawn)
    assert told["dark"] == told["light"]
    assert len(told["dark"]) > 20


def test_the_style_sheet_knows_every_colour_of_the_themes():
    rules = (ASSETS / "player" / "print.css").read_text(encoding="utf-8")
    for name in Theme.__dataclass_fields__:
        dark, light = getattr(DARK, name), getattr(LIGHT, name)
        red, green, blue = (int(dark[at : at + 2], 16) for at in (1, 3, 5))
        for kind in ("fill", "stroke"):
            own = re.escape(f'[style*="{kind}: rgb({red}, {green}, {blue})"]') + rf".*{{ {kind}: {light} !important; }}"
            assert re.search(own, rules), (name, kind)
