"""Saved HTML files in a real browser, offline: as large as the screen and no larger, in both themes, and whole."""

import pytest
from playwright.sync_api import expect

from specviz.lab.lessons.lesson import lesson_document
from specviz.lab.lessons.pack import pack
from specviz.ui.pages.saving import race_file, step_file
from specviz.views.lessons.lesson import find_lesson, gallery_runs
from tests.recorded import load_gallery

SIZES = ((1280, 720), (1366, 768), (1920, 1080))
LARGER = "document.documentElement.scrollHeight > innerHeight || document.documentElement.scrollWidth > innerWidth"
SEEN = {
    "step": (".sv-bar", ".sv-strip", ".sv-panel-tree", ".sv-panel-probabilities", ".sv-story", ".sv-about"),
    "race": (".sv-playback", ".sv-lane >> nth=0"),
    "lesson": (".sv-lesson-bar", ".sv-lesson-stage", ".sv-lesson-foot", ".sv-about"),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """By kind, the address of a saved file."""
    gallery, recorded = {trace.header.method.name: trace for trace in load_gallery()}, gallery_runs()
    folder = tmp_path_factory.mktemp("saved")
    texts = {
        "step": step_file(gallery["mtad"], 1, "target")["text"],
        "race": race_file("ab" * 16, [gallery[name] for name in ("autoregressive", "speculative", "mtad")])["text"],
        "lesson": lesson_document(find_lesson("coin", recorded)),
        "lessons": pack("all", [find_lesson(name, recorded) for name in ("coin", "residual")])[1],
    }
    for kind, text in texts.items():
        (folder / f"{kind}.html").write_text(text, encoding="utf-8")
    return {kind: (folder / f"{kind}.html").as_uri() for kind in texts}


@pytest.mark.full
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("kind", SEEN)
def test_a_saved_file_is_one_screen(visit, files, kind, dark):
    page = visit(files[kind], dark=dark, ready=SEEN[kind][0], offline=True)
    if kind == "lesson":
        page.keyboard.press("Enter")
        page.keyboard.press("ArrowRight")
        expect(page.locator(".sv-kicker")).to_have_text("Step 2 of 5")
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        expect(page.locator("html")).to_have_js_property("clientWidth", width)
        assert not page.evaluate(LARGER), (width, height)
        for part in SEEN[kind]:
            expect(page.locator(part)).to_be_in_viewport(ratio=0.99 if kind != "race" else 0.5)
    assert page.evaluate("document.body.classList.contains('dark')") is dark
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_lesson_of_the_pack_begins_at_its_top(visit, files):
    page = visit(files["lessons"], ready=".sv-lessons", offline=True)
    page.get_by_role("link", name="The residual").click()
    expect(page.locator(".sv-lesson-top h2")).to_be_in_viewport(ratio=1)
    expect(page.locator(".sv-lesson-foot")).to_be_in_viewport()
    assert not page.evaluate(LARGER)


def test_a_browser_that_cannot_unpack_says_so(browser, files):
    page = browser.new_page()
    page.add_init_script("delete window.DecompressionStream")
    page.goto(files["step"])
    expect(page.get_by_role("alert")).to_contain_text("too old to unpack what this file holds")
    page.close()
