"""The Library in a real browser: shelves, comparing, files in and out, figures, and every refusal."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from specviz.trace.record import VERSION
from specviz.trace.store import load_trace, trace_from_json, trace_to_json
from specviz.ui.serving.limits import MAX_TRACE_BYTES
from tests.browser.pages.test_race import start, state
from tests.traces import autoregressive_trace, mtad_trace
from tests.ui.pages.test_library import hostile_trace

LATEST = "() => { const race = specviz.latest('race'); return race && {run: race.run, lanes: race.lanes}; }"


def library(page: Page) -> None:
    page.get_by_role("link", name="Library").click()
    expect(rows(page, "recorded")).to_have_count(3)


def rows(page: Page, shelf: str):
    return page.locator(f'tbody[data-shelf="{shelf}"] tr:has(input)')


def pick(page: Page, shelf: str, *wanted: int) -> None:
    for row in wanted:
        rows(page, shelf).nth(row).get_by_role("checkbox").check()


def give(page: Page, name: str, content: str | bytes) -> None:
    """Choose a file in the picker."""
    data = content.encode(errors="surrogatepass") if isinstance(content, str) else content
    page.get_by_label("Open a saved trace or race").set_input_files(
        {"name": name, "mimeType": "application/json", "buffer": data}
    )


def saved(page: Page, button: str) -> tuple[str, bytes]:
    with page.expect_download() as waiting:
        page.get_by_role("button", name=button, exact=True).click()
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


def tokens(page: Page) -> list[str]:
    return page.locator(".sv-lane .sv-text").all_inner_texts()


def dials(page: Page) -> list[str]:
    return page.locator(".sv-lane .sv-dial dd").all_inner_texts()


@pytest.mark.full
def test_shelves_are_sorted_and_filtered_by_keyboard(visit, site):
    page = visit(site)
    library(page)
    titles = rows(page, "recorded").locator('[data-column="title"] b')
    expect(titles).to_have_text(["Autoregressive", re.compile("Speculative"), "MTAD"])
    head = page.get_by_role("button", name="Tokens/s", exact=True)
    head.focus()
    page.keyboard.press("Enter")
    column = page.locator('th[data-column="tokens_per_second"]')
    expect(column).to_have_attribute("aria-sort", "descending")
    speeds = [float(text.replace(",", "")) for text in shown_numbers(page, "tokens_per_second")]
    assert speeds == sorted(speeds, reverse=True) and len(set(speeds)) > 1
    page.keyboard.press("Enter")
    expect(column).to_have_attribute("aria-sort", "ascending")
    assert [float(text.replace(",", "")) for text in shown_numbers(page, "tokens_per_second")] == sorted(speeds)
    page.get_by_role("button", name="Acceptance").click()
    expect(column).not_to_have_attribute("aria-sort", re.compile("."))
    assert shown_numbers(page, "acceptance_rate")[-1] == "–"  # rows without the number come last
    page.get_by_label("Find", exact=True).fill("MTAD tau")
    expect(rows(page, "recorded")).to_have_count(1)
    expect(page.locator(".sv-said")).to_have_text("1 found")
    again = visit(page.url)
    expect(again.get_by_label("Find", exact=True)).to_have_value("MTAD tau")
    expect(rows(again, "recorded")).to_have_count(1)
    expect(again.locator('th[data-column="acceptance_rate"]')).to_have_attribute("aria-sort", "descending")
    page.get_by_label("Find", exact=True).fill("nothing like it")
    expect(page.locator('tbody[data-shelf="recorded"]')).to_contain_text("Nothing here fits")


def shown_numbers(page: Page, column: str) -> list[str]:
    cells = rows(page, "recorded").locator(f'[data-column="{column}"]').all()
    return [cell.evaluate("cell => cell.lastChild.textContent") for cell in cells]


@pytest.mark.full
def test_recorded_runs_are_compared_and_the_address_keeps_them(visit, site):
    page = visit(site)
    library(page)
    expect(page.get_by_role("button", name="Show on the Race page")).to_be_disabled()
    pick(page, "recorded", 2, 0)
    page.get_by_role("button", name="Compare on the Race page").click()
    expect(page.locator(".sv-lane")).to_have_count(2)
    expect(page.get_by_label("Lane 1: method")).to_have_value("mtad")
    expect(page.get_by_label("Lane 2: method")).to_have_value("autoregressive")
    before = tokens(page), dials(page)
    page.reload()
    expect(state(page)).to_have_text("Recorded race")
    expect(page.locator(".sv-lane")).to_have_count(2)
    assert (tokens(page), dials(page)) == before


@pytest.mark.full
def test_runs_of_different_races_are_compared_with_care(visit, site):
    page = visit(site)
    start(page, "An own run", 5)
    expect(state(page)).to_have_text("Finished")
    library(page)
    expect(rows(page, "visit")).to_have_count(3)
    expect(rows(page, "visit").first).to_contain_text("An own run")
    pick(page, "visit", 1)
    pick(page, "recorded", 0)
    page.get_by_role("button", name="Compare on the Race page").click()
    expect(state(page)).to_have_text("Picked from the Library")
    expect(page.locator(".sv-care")).to_contain_text("different prompts")
    before = tokens(page)
    assert "shown=pick" in page.url
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("#sv-race .sv-copied")).to_contain_text("works only while this server keeps them")
    page.reload()
    expect(state(page)).to_have_text("Picked from the Library")
    assert tokens(page) == before
    start(page, "A new race", 4)
    expect(state(page)).to_have_text("Finished")
    assert "shown=" not in page.url


@pytest.mark.full
def test_four_runs_at_most(visit, site):
    page = visit(site)
    start(page, "Some more", 3)
    expect(state(page)).to_have_text("Finished")
    library(page)
    pick(page, "recorded", 0, 1, 2)
    pick(page, "visit", 0)
    box = rows(page, "visit").nth(1).get_by_role("checkbox")
    box.click()
    expect(box).not_to_be_checked()
    expect(page.locator(".sv-said")).to_contain_text("4 runs at most")


@pytest.mark.full
def test_one_trace_is_saved_opens_in_the_microscope_and_runs_only_with_a_rival(visit, site, tmp_path):
    page = visit(site)
    library(page)
    pick(page, "recorded", 2)
    name, content = saved(page, "Save as a file")
    assert name == "specviz-mtad.json" and trace_from_json(content) == mtad_trace()
    page.get_by_role("button", name="Open in the Microscope").click()
    expect(page.get_by_role("group", name="Lane", exact=True).locator("button[aria-pressed]")).to_have_text("1  MTAD")
    library(page)
    give(page, name, content)
    expect(state(page)).to_have_text("Opened from a file")
    expect(page.locator(".sv-lane")).to_have_count(1)
    page.get_by_role("button", name="Run the race").click()
    expect(page.get_by_role("alert").first).to_contain_text("at least 2 lanes")
    page.get_by_role("button", name="Add a lane").click()
    start(page, "now two", 4)
    expect(state(page)).to_have_text("Finished")


@pytest.mark.full
def test_a_saved_race_reopens_to_the_same_screen(visit, site):
    page = visit(site)
    start(page, "Once upon a time", 14)
    expect(state(page)).to_have_text("Finished")
    before = tokens(page), dials(page), page.locator(".sv-verdict li").all_inner_texts()
    page.locator(".sv-lane").nth(1).locator(".sv-token").nth(6).click()
    expect(page.locator("html")).to_have_attribute("data-page", "microscope")
    expect(page).to_have_url(re.compile(r"at=1\.\d+\.draw"))
    for _ in range(3):
        page.locator('#sv-microscope [data-act="forward"]').click()
    if page.evaluate("specviz.link.get('at')").endswith("context"):  # the iteration was over: where pages begin anyway
        page.locator('#sv-microscope [data-act="forward"]').click()
    page.locator("#sv-microscope .sv-guess").first.focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("pins=0"))
    at = page.evaluate("specviz.link.get('at')")
    assert not at.endswith("context")
    sentence = page.locator("#sv-microscope .sv-sentence").first.inner_text()
    library(page)
    name, content = saved(page, "Save this race and its screen")
    assert (
        name.startswith("specviz-race-autoregressive-speculative-mtad")
        and json.loads(content)["screen"]["view"] == "microscope"
    )

    page.goto(site)  # a new visit
    expect(state(page)).to_have_text("Recorded race")
    library(page)
    give(page, name, content)
    expect(page.locator("html")).to_have_attribute("data-page", "microscope")
    expect(page.locator("#sv-microscope .sv-sentence").first).to_have_text(sentence)
    assert page.evaluate("['at', 'pins'].map(specviz.link.get)") == [at, "0"]
    expect(page.locator("#sv-microscope .sv-pins article")).to_have_count(1)
    page.reload()  # the address alone, while the server keeps the file
    expect(page.locator("#sv-microscope .sv-sentence").first).to_have_text(sentence)
    page.get_by_role("link", name="Race").click()
    assert (tokens(page), dials(page), page.locator(".sv-verdict li").all_inner_texts()) == before
    expect(page.get_by_label("Prompt", exact=True)).to_have_value("Once upon a time")
    expect(page.get_by_label("Tokens to write")).to_have_value("14")
    library(page)
    expect(rows(page, "file")).to_have_count(3)


PLAIN = json.loads(trace_to_json(autoregressive_trace()))
REFUSED = {
    "empty.json": (b"", "is empty"),
    "huge.json": (b"1" * (MAX_TRACE_BYTES + 1), "opens up to 8.0 MB"),
    "picture.json": (b"\x89PNG\r\n\x1a\n\x00\xff", "not JSON"),
    "page.json": ("<img src=x onerror=window.hacked=1>", "not JSON"),
    "deep.json": ("[" * 50_000, "not JSON"),
    "newer.json": (json.dumps(PLAIN | {"version": VERSION + 1}), "open it with a newer specviz"),
    "nan.json": (json.dumps(PLAIN | {"prefill_seconds": float("nan")}), "prefill_seconds"),
    "type.json": (json.dumps(PLAIN | {"iterations": "many"}), "iterations"),
    "lies.json": (json.dumps(PLAIN | {"metrics": PLAIN["metrics"] | {"tokens": 9}}), "metrics.tokens"),
    "forty.json": (json.dumps({"kind": "specviz bundle", "version": 1, "traces": [PLAIN] * 40}), "1 to 4 traces"),
    '<img src=x onerror="window.hacked=1">.json': ("{}", "version"),
}


@pytest.mark.full
def test_refused_files_say_why_and_change_nothing(visit, site):
    page = visit(site)
    library(page)
    before = page.evaluate(LATEST), page.url
    for name, (content, said) in REFUSED.items():
        give(page, name, content)
        alert = page.locator("#sv-library").get_by_role("alert")
        expect(alert).to_contain_text(said)
        expect(alert).to_contain_text(name)
        assert (page.evaluate(LATEST), page.url) == before
        expect(rows(page, "file")).to_have_count(0)
    assert page.evaluate("window.hacked") is None
    give(page, "good.json", json.dumps(PLAIN))
    expect(state(page)).to_have_text("Opened from a file")
    library(page)
    expect(page.locator("#sv-library").get_by_role("alert")).to_be_empty()


@pytest.mark.full
def test_hostile_texts_in_a_file_are_only_text(visit, site):
    page = visit(site)
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        library(page)
        give(page, "hostile.json", trace_to_json(hostile_trace()))
        expect(state(page)).to_have_text("Opened from a file")
        expect(page.locator(".sv-lane .sv-text")).to_contain_text("</script><script>")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.locator(".sv-lane .sv-token").first.click()
        expect(page.locator("#sv-microscope .sv-sentence").first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        library(page)
        expect(rows(page, "file").first).to_contain_text("</script><script>hacked=1</script>")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator(".sv-island img:not(.sv-preview), .sv-island script").count() == 0
    assert page.evaluate("window.hacked") is None


@pytest.mark.full
def test_files_are_dropped(visit, site):
    page = visit(site)
    library(page)
    texts = [trace_to_json(autoregressive_trace()), trace_to_json(mtad_trace())]
    page.evaluate(
        """texts => {
          const data = new DataTransfer();
          texts.forEach((text, at) => data.items.add(new File([text], `${at}.json`)));
          const event = new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true});
          document.querySelector('.sv-drop').dispatchEvent(event);
        }""",
        texts,
    )
    expect(page.locator(".sv-done")).to_have_text("Opened 2 files.")
    expect(rows(page, "file")).to_have_count(2)
    expect(page.locator("html")).to_have_attribute("data-page", "library")
    pick(page, "file", 0, 1)
    page.get_by_role("button", name="Compare on the Race page").click()
    expect(page.locator(".sv-lane")).to_have_count(2)


@pytest.mark.full
def test_figures_are_saved_in_three_formats(visit, site):
    page = visit(site)
    library(page)
    page.get_by_text("Figures of the race on screen").click()
    for label, key in (("Timeline of all lanes", "timeline"), ("Numbers of all lanes", "dials")):
        page.get_by_label("Figure", exact=True).select_option(label)
        expect(page.get_by_role("button", name="Save PNG")).to_be_enabled()
        for form, begin in (("PNG", b"\x89PNG"), ("SVG", b"<svg"), ("PDF", b"%PDF")):
            name, content = saved(page, f"Save {form}")
            assert name == f"specviz-race-{key}.{form.lower()}" and content.startswith(begin)
        assert b"Autoregressive" in saved(page, "Save SVG")[1]


@pytest.mark.full
def test_a_link_to_a_file_that_the_server_forgot_says_so(visit, site):
    page = visit(f"{site}?shown=file:{'0' * 64}&at=0.0.context")
    expect(page.get_by_role("alert").first).to_contain_text("no longer kept on the server")
    expect(page.locator(".sv-lane")).to_have_count(3)
    expect(page.locator(".sv-lane .sv-token")).not_to_have_count(0)


@pytest.mark.full
def test_a_saved_file_is_what_programs_load(visit, site, tmp_path):
    page = visit(site)
    start(page, "For a program", 6)
    expect(state(page)).to_have_text("Finished")
    library(page)
    pick(page, "visit", 2)
    name, content = saved(page, "Save as a file")
    (tmp_path / name).write_bytes(content)
    trace = load_trace(tmp_path / name)
    assert trace.header.prompt_text == "For a program" and len(trace.tokens) == 6
