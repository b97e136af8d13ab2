"""The Save menu in a real browser: every file opens by itself, a link is copied, paper shows the step."""

import struct
from xml.etree import ElementTree

import pytest
from playwright.sync_api import expect

from specviz.trace.store import load_trace, save_trace
from specviz.views.story.scenes import iteration_payload

PANELS = ("Draft tree", "Attention mask", "Probabilities", "The decision")


def menu(visit, site, at="1.0.decision-2", **options):
    page = visit(f"{site}?view=microscope&at={at}", height=1000, **options)  # mask and bars are no closed drawers
    expect(page.locator(".sv-step-count")).to_contain_text("/")
    page.locator("#sv-microscope .sv-save > summary").click()
    return page


def saved(page, name, folder):
    with page.expect_download() as download:
        page.get_by_role("button", name=name).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    expect(page.locator("#sv-microscope .sv-saving")).to_have_text("Saved.")
    return path


@pytest.mark.full
def test_a_step_opens_from_the_disk_without_a_request(visit, site, browser, tmp_path, gallery):
    page = menu(visit, site)
    path = saved(page, "This iteration as one HTML file", tmp_path)
    assert path.name == "specviz-speculative-iteration-1.html"
    context = browser.new_context(offline=True)
    alone, asked, trouble = context.new_page(), [], []
    alone.on("request", lambda request: asked.append(request.url))
    alone.on("console", lambda message: trouble.append(message.text) if message.type == "error" else None)
    alone.on("pageerror", lambda error: trouble.append(str(error)))
    alone.goto(path.as_uri())
    scenes = {one["key"]: one for one in iteration_payload(gallery[1], 0)["scenes"]}
    expect(alone.locator(".sv-story h2")).to_have_text(scenes["decision-2"]["title"])
    alone.locator(".sv-player").focus()
    alone.keyboard.press("End")
    expect(alone.locator(".sv-story h2")).to_have_text(scenes["commit"]["title"])
    assert alone.locator(".sv-grown .sv-guess").count() > 0
    assert asked == [path.as_uri()] and trouble == []
    context.close()


@pytest.mark.full
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_figures_are_files_with_a_title_and_a_ground(visit, site, tmp_path, dark):
    page = menu(visit, site, dark=dark)
    for name in PANELS:
        path = saved(page, f"{name} as SVG", tmp_path)
        said = "".join("".join(ElementTree.parse(path).getroot().itertext()).split())  # lines break where there is room
        assert path.name.startswith("specviz-speculative-iteration-1-") and path.suffix == ".svg"
        assert "".join(name.split()) in said and "Speculativedecoding,iteration1" in said
    ground = page.evaluate(
        "getComputedStyle(document.querySelector('.sv-island')).getPropertyValue('--sv-paper').trim()"
    )
    red, green, blue = (int(ground[start : start + 2], 16) for start in (1, 3, 5))
    assert f"rgb({red}, {green}, {blue})" in path.read_text(encoding="utf-8")
    assert saved(page, "Draft tree as PNG", tmp_path).read_bytes().startswith(b"\x89PNG\r\n")
    path = saved(page, "The decision as PDF", tmp_path)
    assert path.read_bytes().startswith(b"%PDF") and path.stat().st_size > 2000


@pytest.mark.full
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_whole_stage_is_a_picture_of_its_own(visit, site, tmp_path, dark):
    page = menu(visit, site, dark=dark)
    path = saved(page, "The whole stage as SVG", tmp_path)
    assert path.name == "specviz-speculative-iteration-1-stage.svg"
    text, drawing = path.read_text(encoding="utf-8"), ElementTree.parse(path).getroot()
    said = "".join("".join(drawing.itertext()).split())
    for part in (".sv-story h2", ".sv-sentence", ".sv-panel-probabilities h3", ".sv-panel-decision h3"):
        assert "".join(page.locator(f"#sv-microscope {part}").first.inner_text().split()) in said
    for word in page.locator("#sv-microscope .sv-grown .sv-guess").first.locator("text").all_text_contents():
        assert "".join(word.split()) in said
    assert not any(one in text for one in ("var(", "class=", "foreignObject", "href", "url(http"))
    png = saved(page, "The whole stage as PNG", tmp_path).read_bytes()
    assert struct.unpack(">II", png[16:24]) == (2 * int(drawing.get("width")), 2 * int(drawing.get("height")))


def test_a_trace_loads_again(visit, site, tmp_path, gallery):
    page = menu(visit, site)
    path = saved(page, "trace as JSON", tmp_path)
    assert path.name == "specviz-speculative.json"
    assert load_trace(path) == gallery[1]
    save_trace(gallery[1], tmp_path / "by-python.json")
    assert path.read_bytes() == (tmp_path / "by-python.json").read_bytes()


def test_the_menu_is_a_matter_of_keys(visit, site, tmp_path):
    page = visit(f"{site}?view=microscope&at=1.0.decision-2")
    expect(page.locator(".sv-step-count")).to_contain_text("/")
    page.locator("#sv-microscope .sv-save > summary").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="This iteration as one HTML file")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#sv-microscope .sv-save-items")).to_be_hidden()
    expect(page.locator("#sv-microscope .sv-save > summary")).to_be_focused()


@pytest.mark.full
def test_what_the_server_refuses_is_said(visit, site):
    page = menu(visit, site)
    page.route(
        "**/specviz/microscope/**",
        lambda route: route.fulfill(status=200, content_type="application/json", body='{"error": "no room"}'),
    )
    page.get_by_role("button", name="trace as JSON").click()
    expect(page.locator("#sv-microscope .sv-microscope > .sv-alert")).to_have_text("no room")
    expect(page.locator("#sv-microscope .sv-saving")).to_be_empty()


@pytest.mark.full
def test_paper_shows_the_step_and_no_controls(visit, site):
    page = menu(visit, site)
    page.emulate_media(media="print")
    for part in (".sv-steptools", ".sv-bar", ".sv-lanes", "header.sv-header"):
        expect(page.locator(f"#sv-microscope {part}, {part}").first).to_be_hidden()
    for part in (".sv-story", ".sv-strip", ".sv-panel-tree"):
        expect(page.locator(f"#sv-microscope {part}")).to_be_visible()


@pytest.mark.full
def test_a_figure_that_is_not_seen_is_a_file_like_the_others(visit, site, tmp_path):
    page = visit(f"{site}?view=microscope&at=1.0.decision-2", height=720)
    expect(page.locator(".sv-step-count")).to_contain_text("/")
    mask = page.locator(".sv-panel-mask")
    expect(mask).to_be_hidden()
    page.locator("#sv-microscope .sv-save > summary").click()
    path = saved(page, "Attention mask as SVG", tmp_path)
    said = "".join("".join(ElementTree.parse(path).getroot().itertext()).split())
    assert "Attentionmask" in said and "Speculativedecoding,iteration1" in said
    expect(mask).to_be_hidden()
