"""The player in an exported file, opened from the disk: one focus, two pins, keys, hostile tokens, no request."""

import re
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from specviz.views.story.document import document
from specviz.views.story.scenes import iteration_payload
from tests.traces import mtad_trace, speculative_trace

NASTY = {
    2: "</script><script>window.hit=1</script>",
    3: '"\' onmouseover=window.hit=1 x="',
    4: "<img src=x onerror=window.hit=1>",
    6: "שלום <!-- ",
    7: "\n\n",
    8: "\u2028</style>",
}


def hostile(trace):
    words = trace.vocabulary | NASTY
    turns = tuple(
        replace(turn, emitted=tuple(replace(one, piece=words[one.token]) for one in turn.emitted))
        for turn in trace.iterations
    )
    return replace(trace, vocabulary=words, iterations=turns)


@pytest.fixture
def export(browser, tmp_path):
    """Open iteration 0 of a trace as an exported file; fails on any request but the file's own, and on any error."""
    contexts, trouble = [], []

    def open_file(trace, *, width=1280, height=1000, dark=False, title="A step", scene=None, **options):
        data = {"title": title, "payloads": [iteration_payload(trace, 0)], "note": "Made by a test.", "at": scene}
        file = tmp_path / f"{len(contexts)}.html"
        file.write_text(document(title, "step", data), encoding="utf-8")
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light", **options
        )
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda r: None if r.url == file.as_uri() else trouble.append(f"request: {r.url}"))
        page.on("console", lambda m: trouble.append(f"console: {m.text}") if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: trouble.append(f"page error: {error}"))
        page.on("dialog", lambda dialog: (trouble.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.goto(file.as_uri())
        expect(page.locator(".sv-step-count")).to_contain_text("/")
        return page

    yield open_file
    for context in contexts:
        context.close()
    assert trouble == []


def node_of(payload, **wanted):
    return next(one for one in payload["nodes"] if all(one[name] == value for name, value in wanted.items()))


def scene_of(payload, key):
    return next(one for one in payload["scenes"] if one["key"] == key)


def lit(page, panel):
    if panel == "tree":
        return page.locator(".sv-panel-tree :is(.sv-guess, .sv-root-token).lit")
    return page.locator(f".sv-panel-{panel} .sv-drawn .lit")


def guess(page, node):
    """A guess of the draft tree."""
    return page.locator(f'.sv-grown .sv-guess[data-node="{node}"]')


def spot(page, panel, node):
    """The middle of a node's mark in a panel, in pixels of the window."""
    mark = guess(page, node) if panel == "tree" else page.locator(f'.sv-panel-{panel} .sv-drawn [data-node="{node}"]')
    box = mark.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_guess_lights_the_node_in_every_view(export):
    trace = mtad_trace()
    payload = iteration_payload(trace, 0)
    page = export(trace, scene="decision-1")
    record = node_of(payload, node=6)  # the end of the longest prefix
    page.keyboard.press("m")
    guess(page, 6).focus()
    expect(lit(page, "tree")).to_have_attribute("data-node", "6")
    expect(page.locator(".sv-panel-tree .kin")).to_have_count(len(record["ancestors"]))
    expect(lit(page, "mask")).to_have_attribute("data-node", "6")
    expect(page.locator(".sv-strip .lit")).to_have_attribute("data-node", "6")
    expect(page.locator(".sv-strip .kin")).to_have_count(len(record["ancestors"]))
    expect(guess(page, 6)).to_have_attribute("aria-label", f"{record['text']}, drafted, waiting")
    row = page.locator(".sv-panel-mask .lit > .frame").bounding_box()
    name = page.locator(".sv-panel-mask .row").nth(record["row"]).locator("text").first.bounding_box()
    assert abs(row["y"] + row["height"] / 2 - name["y"] - name["height"] / 2) < 3


@pytest.mark.full
def test_what_comes_of_a_node_is_told_from_its_decision_on(export):
    payload = iteration_payload(mtad_trace(), 0)
    record = node_of(payload, node=3)  # its prefix fails, a longer one passes
    judge = scene_of(payload, "decision-2")
    assert record["scene"] == "decision-2" and judge["formula"]
    page = export(mtad_trace(), scene="target")
    one, tip = guess(page, 3), page.locator("#sv-tip")
    one.focus()
    expect(tip).to_have_text(f"{record['text']}, drafted, waiting")
    expect(one).to_have_attribute("aria-label", f"{record['text']}, drafted, waiting")
    page.locator(".sv-player").focus()
    page.keyboard.press("End")
    one.focus()
    expect(tip).to_have_text(f"{record['text']}, accepted. {judge['formula']}")
    expect(one).to_have_attribute("aria-label", f"{record['text']}, accepted. {judge['formula']}")


@pytest.mark.full
def test_the_bar_of_a_node_lights_at_its_own_prefix_alone(export):
    trace = mtad_trace()
    page = export(trace, scene="decision-2")
    guess(page, 4).hover()  # another candidate for the same position
    expect(lit(page, "probabilities")).to_have_attribute("data-node", "4")
    guess(page, 8).hover()  # it stands elsewhere
    expect(lit(page, "tree")).to_have_attribute("data-node", "8")
    expect(lit(page, "probabilities")).to_have_count(0)


@pytest.mark.full
@pytest.mark.parametrize("panel", ["tree", "decision"])
def test_the_pointer_on_a_figure_lights_the_same_node_everywhere(export, panel):
    page = export(mtad_trace(), scene="decision-3")
    expect(lit(page, "tree")).to_have_attribute("data-node", "6")
    x, y = spot(page, panel, 3)
    page.mouse.move(x - 4, y)
    page.mouse.move(x, y)
    for one in ("tree", "decision"):
        expect(lit(page, one)).to_have_attribute("data-node", "3")
    page.mouse.move(2, 2)
    expect(lit(page, "tree")).to_have_attribute("data-node", "6")  # the scene's own again


@pytest.mark.full
def test_a_row_of_the_mask_and_a_bar_light_their_node(export):
    page = export(speculative_trace(), scene="decision-1")
    page.keyboard.press("m")
    page.locator(".sv-panel-mask .row > .band").nth(2).hover(force=True)  # over it are the cells
    expect(lit(page, "tree")).to_have_attribute("data-node", "1")
    page = export(mtad_trace(), scene="decision-2")  # about node 3; node 4 is another candidate for its position
    page.locator(".sv-panel-probabilities .row").filter(has_text="שלום").hover()
    expect(lit(page, "tree")).to_have_attribute("data-node", "4")


def test_two_pins_side_by_side(export):
    payload = iteration_payload(mtad_trace(), 0)
    page = export(mtad_trace(), scene="draft-1")
    cards = page.locator(".sv-card")
    page.keyboard.press("End")
    guess(page, 0).focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowRight")
    expect(guess(page, 3)).to_be_focused()  # the first that follows it
    page.keyboard.press("Enter")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    expect(cards).to_have_count(2)
    expect(cards.nth(0)).to_contain_text(payload["nodes"][0]["label"])
    expect(cards.nth(1)).to_contain_text("Draft probability0.60")
    expect(cards.nth(1)).to_contain_text("Target probability0.02")
    expect(cards.nth(1)).to_contain_text("Mask row3 of 4")
    expect(cards.nth(1)).to_contain_text("not drafted yet")
    expect(cards.nth(1)).not_to_contain_text("log")
    cards.nth(1).get_by_role("button", name="Go to the step that judges it").click()
    assert page.locator(".sv-player").get_attribute("data-scene") == "decision-2"
    expect(cards.nth(1)).to_contain_text("Outcome so farrejected")
    formula = scene_of(payload, "decision-2")["formula"]
    expect(cards.nth(1).locator(".sv-formula")).to_have_attribute("aria-label", formula)
    expect(cards.nth(1).get_by_role("button", name="Go to")).to_be_focused()
    assert [guess(page, node).get_attribute("data-pin") for node in (0, 3)] == ["1", "2"]
    page.keyboard.press("m")
    expect(page.locator(".sv-panel-mask .sv-badge text")).to_have_text(["1", "2"])
    page.keyboard.press("Escape")
    guess(page, 4).click()  # a third replaces the older one
    expect(cards).to_have_count(2)
    expect(cards.nth(0)).to_have_attribute("data-node", "3")
    expect(cards.nth(1)).to_have_attribute("data-node", "4")
    guess(page, 4).click()
    expect(cards).to_have_count(1)
    page.keyboard.press("Escape")
    expect(cards).to_have_count(0)
    expect(page.locator(".sv-badge")).to_have_count(0)


@pytest.mark.full
def test_a_click_in_the_tree_and_a_tap_on_the_text_pin(export):
    page = export(mtad_trace(), scene="decision-3")
    page.mouse.click(*spot(page, "tree", 3))
    expect(page.locator(".sv-card")).to_have_attribute("data-node", "3")
    phone = export(mtad_trace(), scene="decision-3", width=390, height=844, has_touch=True)
    phone.locator('.sv-strip [data-node="6"]').tap()
    expect(phone.locator(".sv-card")).to_have_attribute("data-node", "6")
    phone.touchscreen.tap(*spot(phone, "tree", 0))
    expect(phone.locator(".sv-card")).to_have_count(2)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390


def test_keys_step_and_leave_the_player(export):
    page = export(speculative_trace())
    scenes = iteration_payload(speculative_trace(), 0)["scenes"]
    page.locator(".sv-player").focus()
    for scene in scenes:
        expect(page.locator(".sv-story h2")).to_have_text(scene["title"])
        expect(page.locator(".sv-sentence")).to_have_text(scene["sentence"])
        expect(page.locator(".sv-grown")).to_be_visible()
        for name in ("probabilities", "decision"):
            expect(page.locator(f".sv-panel-{name} .sv-drawn")).to_be_visible(visible=name in scene["panels"])
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Home")
    assert page.locator(".sv-player").get_attribute("data-scene") == scenes[0]["key"]
    page.keyboard.press("End")
    assert page.locator(".sv-player").get_attribute("data-scene") == scenes[-1]["key"]
    for _ in range(40):  # nothing traps the focus: Tab leaves at the end
        page.keyboard.press("Tab")
        if not page.evaluate("document.querySelector('.sv-player').contains(document.activeElement)"):
            return
    raise AssertionError("40 tabs did not leave the player")


def test_hostile_tokens_are_only_text(export):
    title = "</title><script>window.hit=1</script>"
    page = export(hostile(speculative_trace()), title=title, scene="decision-2")
    expect(page).to_have_title(title)
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    expect(page.locator(".sv-story h2")).to_contain_text("<img·src=x")
    expect(page.locator(".sv-guess").first).to_have_attribute("aria-label", re.compile("</script><script>"))
    expect(page.locator(".sv-strip")).to_contain_text("</script><script>")
    expect(page.locator(".sv-grown")).to_contain_text("<img")
    page.locator(".sv-guess").nth(0).click()
    expect(page.locator(".sv-card")).to_contain_text("</script>")
    page.keyboard.press("End")
    assert page.locator("img").count() == 0
    assert page.evaluate("window.hit") is None


@pytest.mark.full
def test_both_themes_and_what_the_file_says_of_itself(export):
    page = export(mtad_trace(), dark=True, scene="decision-2")
    expect(page.locator("body")).to_have_class("dark")
    expect(page.locator(".sv-about")).to_contain_text("recorded steps")
    expect(page.locator(".sv-about")).to_contain_text("Made by a test.")
    guess(page, 3).click()
    ink = "getComputedStyle(document.querySelector('.sv-panel-decision .sv-drawn text')).fill"
    before = page.evaluate(ink)
    page.get_by_role("button", name="Light").click()
    page.wait_for_function(f"{ink} !== {before!r}")
    assert page.locator(".sv-player").get_attribute("data-scene") == "decision-2"
    expect(page.locator(".sv-card")).to_have_attribute("data-node", "3")


@pytest.mark.full
def test_it_prints_all_panels_and_texts_without_controls(export):
    page = export(speculative_trace(), scene="decision-2")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    for hidden in (".sv-bar", ".sv-cover button"):
        expect(page.locator(hidden)).to_be_hidden()
    for panel in ("tree", "mask", "probabilities", "decision"):
        expect(page.locator(f".sv-panel-{panel} .sv-words p")).to_be_visible()
    titles = [scene["title"] for scene in iteration_payload(speculative_trace(), 0)["scenes"]]
    expect(page.locator(".sv-printed li h3")).to_have_text(titles)
    expect(page.locator(".sv-printed")).to_be_visible()
