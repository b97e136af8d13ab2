"""The Race page in a real browser: the first screen, a race, Stop, links, and every refusal."""

import re
import threading
import time
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from specviz.errors import ModelError
from specviz.lm.network.transformer import TransformerSession
from specviz.measure import disturbance
from specviz.ui.serving.device import Device
from specviz.ui.serving.limits import MAX_PROMPT_CHARACTERS
from specviz.ui.serving.models import PairLoader
from tests.browser.conftest import served

HOSTILE = (
    '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>',
    "${window.hacked=1} {{window.hacked=1}} `${window.hacked=1}`",
    "שלום עולם \u202eabc\u202c مرحبا 👩‍👩‍👧‍👦 🙂 e\u0301",
)


def start(page: Page, prompt: str, tokens: int = 12) -> None:
    page.get_by_label("Prompt", exact=True).fill(prompt)
    page.get_by_label("Tokens to write").fill(str(tokens))
    page.get_by_role("button", name="Run the race").click()


def state(page: Page):
    return page.locator(".sv-state")


def test_the_first_screen_needs_no_models(visit, tiny_pair, gallery):
    release = threading.Event()
    loader = PairLoader(lambda: release.wait(60) and tiny_pair).start()
    with served(loader, gallery) as url:
        page = visit(url)
        expect(page.locator(".sv-status")).to_contain_text("Loading the models")
        expect(state(page)).to_have_text("Recorded race")
        expect(page.locator(".sv-lane")).to_have_count(3)
        for lane, trace in enumerate(gallery):
            expect(page.locator(".sv-lane").nth(lane).locator(".sv-token")).to_have_count(len(trace.tokens))
        expect(page.locator(".sv-verdict li").first).to_contain_text("target calls")
        start(page, "too early", 4)
        expect(state(page)).to_contain_text("still loading")
        release.set()
        expect(page.locator(".sv-status")).to_contain_text("ready")
        expect(state(page)).to_have_text("Finished")


@pytest.mark.full
def test_models_that_cannot_be_loaded_are_said_on_the_page(visit):
    def fail():
        raise ModelError("model directory '/nowhere' does not exist")

    with served(PairLoader(fail).start()) as url:
        page = visit(url)
        expect(page.locator(".sv-status")).to_contain_text("/nowhere")
        start(page, "anything", 4)
        expect(page.get_by_role("alert").first).to_contain_text("/nowhere")


@pytest.mark.full
def test_the_page_opens_with_one_recorded_race_and_offers_others(visit, tiny_pair, gallery):
    def asked(prompt):
        return [replace(trace, header=replace(trace.header, prompt_text=prompt)) for trace in gallery]

    loader = PairLoader(lambda: tiny_pair).start()
    assert loader.wait(60)
    with served(loader, gallery, openings={"greedy": asked("Why?"), "sampled": asked("How?")[:2]}) as url:
        page = visit(url)
        races = page.get_by_role("group", name="Recorded races")
        prompt, chosen = page.get_by_label("Prompt", exact=True), races.locator('[aria-pressed="true"]')
        expect(chosen).to_have_text("Temperature 0")
        expect(prompt).to_have_value("Why?")
        races.get_by_role("button", name="Sampling").click()
        expect(chosen).to_have_text("Sampling")
        expect(prompt).to_have_value("How?")
        tokens = [lane.locator(".sv-token") for lane in page.locator(".sv-lane").all()]
        expect(tokens[1]).not_to_have_count(0)
        expect(tokens[2]).to_have_count(0)  # of this race there is no such method
        page.get_by_label("Lane 3: method").select_option("autoregressive")
        expect(tokens[2]).not_to_have_count(0)
        assert "recorded=sampled%2Fautoregressive%2Csampled%2Fspeculative%2Csampled%2Fautoregressive" in page.url
        again = visit(page.url)
        expect(again.get_by_role("group", name="Recorded races").locator('[aria-pressed="true"]')).to_have_text(
            "Sampling"
        )
        expect(again.locator(".sv-lane").nth(2).locator(".sv-token")).not_to_have_count(0)
        races.get_by_role("button", name="A tale").click()
        expect(chosen).to_have_text("A tale, by the small pair")
        expect(tokens[2]).not_to_have_count(0)
        start(page, "Once upon a time", 4)
        expect(state(page)).to_have_text("Finished")
        expect(races).to_be_hidden()


def test_a_race_runs(visit, site):
    page = visit(site)
    start(page, "Once upon a time", 12)
    expect(state(page)).to_have_text("Finished")
    for lane in page.locator(".sv-lane").all():
        expect(lane.locator(".sv-token")).to_have_count(12)
        assert lane.locator(".sv-track rect").count() > 1
        assert re.search(r"\d", lane.locator(".sv-dial dd").first.inner_text())
    expect(page.locator(".sv-verdict li").first).to_contain_text("12 tokens in 12 target calls")
    expect(page.locator(".sv-guarantee").nth(2)).to_have_text("lossy")
    drafted = page.locator(".sv-lane").nth(1).locator(".sv-token.accepted, .sv-token.resampled, .sv-token.bonus")
    expect(drafted).to_have_count(12)
    assert page.evaluate("new URL(location.href).searchParams.get('prompt')") == "Once upon a time"
    expect(page.locator(".sv-verdict")).to_contain_text("wrote different texts from one seed, and nothing is lost")
    page.get_by_role("link", name="Why lossless texts may differ").click()
    expect(page.locator('.sv-header [aria-current="page"]')).to_have_text("Lessons")
    assert "lesson=lossless" in page.url


def test_lanes_and_options_can_be_chosen(visit, site):
    page = visit(site)
    page.get_by_role("button", name="Remove lane 1").click()
    expect(page.locator(".sv-lane")).to_have_count(2)
    expect(page.get_by_role("button", name="Remove lane 1")).to_be_hidden()
    page.get_by_role("button", name="Add a lane").click()
    page.get_by_label("Lane 3: method").select_option("speculative")
    lane = page.locator(".sv-lane").nth(2)
    lane.get_by_text("Options", exact=True).click()
    lane.get_by_label("Guesses per turn").fill("2")
    lane.get_by_label("Draft", exact=True).select_option("bigram")
    start(page, "abcabcabc", 10)
    expect(state(page)).to_have_text("Finished")
    expect(page.locator(".sv-lane").nth(2).locator(".sv-token")).to_have_count(10)
    lanes = page.evaluate("new URL(location.href).searchParams.getAll('lane')")
    assert len(lanes) == 3 and "gamma=2" in lanes[2] and "draft=bigram" in lanes[2]


def test_hostile_prompts_are_only_text(visit, site):
    page = visit(site)
    for prompt in HOSTILE:
        start(page, prompt, 5)
        expect(page.get_by_role("button", name="Stop")).to_be_hidden()
        expect(state(page)).to_have_text("Finished")
        assert page.get_by_label("Prompt", exact=True).input_value() == prompt
        assert page.evaluate("new URL(location.href).searchParams.get('prompt')") == prompt  # this race, not the last
    assert page.evaluate("window.hacked") is None


def test_prompts_that_are_refused(visit, site):
    page = visit(site)
    area = page.get_by_label("Prompt", exact=True)
    long = "x" * (MAX_PROMPT_CHARACTERS + 1)
    for prompt, said in (
        ("", "empty"),
        (" \n ", "empty"),
        (long, "8,001"),
        ("é" * 50_000, "50,000"),
        ("x" * 2000, "context"),
    ):
        area.evaluate("(area, text) => { area.value = text; }", prompt)
        page.get_by_role("button", name="Run the race").click()
        expect(page.get_by_role("alert").first).to_contain_text(said)
        expect(area).to_be_focused()
        expect(area).to_have_attribute("aria-invalid", "true")
        assert area.input_value() == prompt
        expect(page.locator(".sv-lane").first.locator(".sv-token")).not_to_have_count(0)  # the race on screen stays
    start(page, "and now a good one", 4)
    expect(state(page)).to_have_text("Finished")
    expect(page.get_by_role("alert").first).to_be_empty()


@pytest.mark.full
def test_options_out_of_range_are_refused(visit, site):
    page = visit(site)
    for label, value in (("Temperature", "-1"), ("Top-p", "7"), ("Tokens to write", "100000"), ("Seed", "1.5")):
        field = page.locator(".sv-form").get_by_label(label)
        before = field.input_value()
        field.fill(value)
        page.get_by_role("button", name="Run the race").click()
        expect(page.get_by_role("alert").first).to_contain_text(value)
        expect(field).to_be_focused()
        expect(field).to_have_attribute("aria-invalid", "true")
        expect(field).to_have_value(value)
        field.fill(before)


@pytest.mark.full
def test_a_lane_option_out_of_range_is_refused(visit, site):
    page = visit(site)
    lane = page.locator(".sv-lane").nth(1)
    lane.get_by_text("Options", exact=True).click()
    lane.get_by_label("Guesses per turn").fill("99")
    page.get_by_role("button", name="Run the race").click()
    expect(page.get_by_role("alert").first).to_contain_text("Lane 2: gamma must be a whole number in [1, 16]")
    expect(lane.get_by_label("Guesses per turn")).to_have_value("99")


@pytest.mark.full
def test_a_method_that_the_models_do_not_suit_is_refused_at_its_lane(visit, site):
    page = visit(site)
    page.get_by_label("Lane 2: method").select_option("slim")
    start(page, "no heads here", 4)
    expect(page.get_by_role("alert").first).to_contain_text("Lane 2: slim needs a pair with prediction heads")
    expect(page.get_by_label("Lane 2: method")).to_be_focused()
    expect(page.get_by_label("Lane 2: method")).to_have_attribute("aria-invalid", "true")
    expect(page.locator(".sv-lane").nth(1).locator(".sv-wrong")).to_be_visible()  # the reason stands at the field too
    page.get_by_label("Lane 2: method").select_option("specinfer")
    lane = page.locator(".sv-lane").nth(1)
    for typed, said in (("8x8x8x8", "at most 256 nodes"), ("4,2,soon", "whole numbers in [1, 8]")):
        lane.locator("details").evaluate("element => { element.open = true; }")
        lane.get_by_label("Candidates per layer").fill(typed)
        lane.locator("details").evaluate("element => { element.open = false; }")
        page.get_by_role("button", name="Run the race").click()
        expect(page.get_by_role("alert").first).to_contain_text(said)
        expect(lane.get_by_label("Candidates per layer")).to_be_focused()
    lane.get_by_label("Candidates per layer").fill("2x1")
    start(page, "now it fits", 4)
    expect(state(page)).to_have_text("Finished")
    assert "k_config=2x1" in page.evaluate("new URL(location.href).searchParams.getAll('lane')[1]")


def test_your_own_pairing_shows_the_options_that_matter_and_says_what_does_not_fit(visit, site):
    page = visit(site)
    page.get_by_label("Lane 2: method").select_option("custom")
    lane = page.locator(".sv-lane").nth(1)
    lane.get_by_text("Options", exact=True).click()
    expect(lane.get_by_label("Candidates per layer")).to_be_visible()
    expect(lane.get_by_label("Guesses per turn")).to_be_hidden()
    lane.get_by_label("Verifier").select_option("token")
    expect(lane.get_by_label("Lenience")).to_be_visible()
    start(page, "a tree is no chain", 4)
    expect(page.get_by_role("alert").first).to_contain_text("Lane 2: verifier 'token' judges one chain")
    expect(lane.get_by_label("Verifier")).to_be_focused()
    lane.get_by_label("Drafter").select_option("chain")
    expect(lane.get_by_label("Candidates per layer")).to_be_hidden()
    lane.get_by_label("Guesses per turn").fill("2")
    start(page, "a chain is", 4)
    expect(state(page)).to_have_text("Finished")
    expect(lane.locator(".sv-guarantee")).to_have_text("lossless")


@pytest.mark.full
def test_beams_show_what_is_not_settled(visit, site):
    page = visit(site)
    page.get_by_label("Lane 1: method").select_option("beam")
    page.locator(".sv-lane").first.get_by_text("Options", exact=True).click()
    page.locator(".sv-lane").first.get_by_role("spinbutton", name="Beams").fill("16")
    start(page, "sixteen at a time", 256)
    waiting = page.locator(".sv-lane").first.locator(".sv-token.pending")
    expect(waiting).to_have_count(1)
    page.get_by_role("button", name="Stop").click()
    expect(state(page)).to_have_text("Stopped")
    expect(waiting).to_have_attribute("data-tip", re.compile("Not settled yet"))
    assert "[object" not in page.locator(".sv-lane").first.locator(".sv-text").inner_text()
    newest = int(waiting.get_attribute("data-iteration"))
    waiting.click()
    expect(page.get_by_label("Iteration", exact=True)).to_have_value(str(newest))


def test_stop_stops(visit, site, monkeypatch):
    extend = TransformerSession.extend

    def slowly(*given, **more):
        time.sleep(0.02)  # so that the hand is in time
        return extend(*given, **more)

    monkeypatch.setattr(TransformerSession, "extend", slowly)
    page = visit(site)
    start(page, "a long run", 256)
    page.get_by_role("button", name="Stop").click()
    expect(state(page)).to_have_text("Stopped")
    assert page.locator(".sv-lane").first.locator(".sv-token").count() < 256
    expect(page.get_by_role("button", name="Run the race")).to_be_visible()


@pytest.mark.full
def test_a_closed_tab_frees_the_device(visit, site):
    first = visit(site)
    start(first, "a long run", 256)
    expect(state(first)).to_contain_text("Running")
    first.close()
    second = visit(site)
    start(second, "my turn", 4)
    expect(state(second)).to_have_text("Finished", timeout=20_000)


def test_a_link_gives_the_same_race(visit, site):
    page = visit(site)
    page.get_by_label("Seed").fill("7")
    start(page, "the same again", 10)
    expect(state(page)).to_have_text("Finished")
    texts = page.locator(".sv-text").all_inner_texts()
    again = visit(page.url)
    expect(state(again)).to_have_text("Finished")
    expect(again.get_by_label("Seed")).to_have_value("7")
    assert again.locator(".sv-text").all_inner_texts() == texts


@pytest.mark.full
def test_a_lane_has_a_temperature_of_its_own(visit, site):
    page = visit(site)
    lane = page.locator(".sv-lane").nth(1)
    summary = lane.locator("summary")
    summary.focus()
    page.keyboard.press("Enter")
    lane.get_by_label("Temperature").focus()
    page.keyboard.type("0.5")
    page.keyboard.press("Tab")
    expect(summary).to_have_text("Options · Temperature 0.5")
    start(page, "one lane is colder", 8)
    expect(state(page)).to_have_text("Finished")
    expect(page.locator(".sv-verdict")).to_contain_text("Speculative decoding (temperature 0.5)")
    lanes = page.evaluate("new URL(location.href).searchParams.getAll('lane')")
    assert ["temperature" in lane for lane in lanes] == [False, True, False] and "temperature=0.5" in lanes[1]
    texts = page.locator(".sv-text").all_inner_texts()
    page.reload()
    expect(state(page)).to_have_text("Finished")
    expect(summary).to_have_text("Options · Temperature 0.5")
    expect(page.locator(".sv-shared").get_by_label("Temperature")).to_have_value("1")
    expect(page.locator(".sv-lane").first.locator("summary")).to_have_text("Options")
    assert page.locator(".sv-text").all_inner_texts() == texts


@pytest.mark.full
def test_a_wrong_value_of_a_lane_in_the_address_is_said_and_left_out(visit, site):
    page = visit(f"{site}?prompt=abc&lane=autoregressive;temperature=99&lane=mtad;temperature=0.5;top_k=off")
    expect(page.locator("body")).to_contain_text("temperature=“99” in lane 1; it has to be a number from 0 to 10")
    expect(page.locator(".sv-lane").first.locator("summary")).to_have_text("Options")
    expect(page.locator(".sv-lane").nth(1).locator("summary")).to_have_text("Options · Temperature 0.5 · Top-k off")


@pytest.mark.full
def test_a_reader_chooses_which_numbers_of_a_lane_are_shown(visit, site):
    page = visit(site)
    start(page, "which numbers", 8)
    expect(state(page)).to_have_text("Finished")
    names = page.locator(".sv-lane").first.locator(".sv-dial:visible dt")
    usual = names.all_inner_texts()
    assert "perplexity" in usual and "agreement α" not in usual
    page.locator(".sv-numbers summary").click()
    page.get_by_label("agreement α").check()
    page.get_by_label("perplexity").uncheck()
    expect(names).to_have_text([*(name for name in usual if name != "perplexity"), "agreement α"])
    page.reload()
    expect(names).to_contain_text(["agreement α"])
    page.locator(".sv-numbers summary").click()
    expect(page.get_by_label("perplexity")).not_to_be_checked()
    page.get_by_role("button", name="The usual ones").click()
    expect(names).to_have_text(usual)


@pytest.mark.full
def test_dials_explain_themselves_to_keyboard_and_pointer(visit, site):
    page = visit(site)
    dial = page.locator(".sv-dial").nth(1)
    dial.focus()
    expect(page.get_by_role("tooltip")).to_contain_text("Block efficiency")
    page.keyboard.press("Escape")
    expect(page.get_by_role("tooltip")).to_be_hidden()
    page.locator(".sv-dial").nth(3).hover()
    expect(page.get_by_role("tooltip")).to_contain_text("likelihood")


@pytest.mark.every(3)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_no_sideways_scrolling_in_both_themes(visit, site, dark):
    page = visit(site, dark=dark)
    for view in ("Race", "Microscope"):
        page.get_by_role("link", name=view).click()
        for width, height in ((1280, 720), (390, 844), (1024, 768)):
            page.set_viewport_size({"width": width, "height": height})
            page.wait_for_timeout(150)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
    lightness = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0]")
    assert (lightness < 60) == dark
    page.get_by_role("button", name="Light" if dark else "Dark").click()
    lightness = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0]")
    assert (lightness < 60) != dark


@pytest.mark.full
def test_a_lane_says_how_it_compares_with_autoregressive(visit, site, monkeypatch):
    monkeypatch.setattr(disturbance, "LEAST_SHARE", 0.0)  # whatever else the machine does
    monkeypatch.setattr(disturbance, "MOST_SLOWDOWN", float("inf"))
    page = visit(site)
    start(page, "How fast", 16)
    expect(state(page)).to_have_text("Finished")
    lanes = page.locator(".sv-lane")
    expect(lanes.nth(0).locator(".sv-pace")).to_be_hidden()
    for lane in (lanes.nth(1), lanes.nth(2)):
        pace = lane.locator(".sv-pace")
        expect(pace).to_contain_text("an iteration costs")
        slower = "Slower than autoregressive" in pace.inner_text()
        assert slower == ("slower" in pace.get_attribute("class").split())
        speeds = [one.locator(".sv-dial dd").first.evaluate("e => e.firstChild.data") for one in (lane, lanes.nth(0))]
        mine, alone = (float(speed.replace(",", "")) for speed in speeds)
        assert mine == alone or slower == (mine < alone)  # equal as they are written: either


@pytest.mark.full
def test_a_disturbed_lane_says_so_and_its_speed_is_no_headline(visit, site, monkeypatch):
    page = visit(site)
    expect(state(page)).to_have_text("Recorded race")
    expect(page.locator(".sv-pace.disturbed")).to_have_count(0)
    expect(page.locator(".sv-dial dt").first).to_have_text("speed")
    monkeypatch.setattr(disturbance, "LEAST_SHARE", 2.0)  # as on a busy machine
    start(page, "How fast", 16)
    expect(state(page)).to_have_text("Finished")
    for lane in page.locator(".sv-lane").all():
        expect(lane.locator(".sv-pace.disturbed")).to_contain_text("The machine was busy while this lane ran")
        expect(lane.locator(".sv-pace.disturbed")).to_contain_text("nothing follows from its speed")
        expect(lane.locator(".sv-dial dt").first).to_have_text("tokens per target call")
        expect(lane.locator(".sv-dial:visible dt").last).to_have_text("speed")
    expect(page.locator(".sv-verdict li", has_text="nothing follows from its speed")).to_have_count(3)
    expect(page.locator(".sv-verdict")).not_to_contain_text("tokens/s")


@pytest.mark.full
def test_the_line_before_the_device_is_visible(visit, tiny_pair, gallery):
    with served(PairLoader(lambda: tiny_pair).start(), gallery, Device(together=1)) as site:
        first, second = visit(site), visit(site)
        first.get_by_role("button", name="Add a lane").click()
        start(first, "A long run keeps the device", 256)
        expect(state(first)).to_contain_text("Running")
        start(second, "After you", 4)
        expect(second.locator(".sv-queue-position")).to_have_text("1 ahead")
        expect(state(second)).to_contain_text("before you")
        first.get_by_role("button", name="Stop").click()
        expect(state(second)).to_have_text("Finished")
        expect(second.locator(".sv-queue-position")).to_be_hidden()
        for page in (first, second):
            page.close()  # before the server: nothing is asked of one that is gone


@pytest.mark.full
def test_the_link_is_copied_or_a_file_is_offered(visit, site):
    page = visit(site, permissions=["clipboard-read", "clipboard-write"])
    share = page.locator("#sv-race .sv-share")
    share.get_by_role("button", name="Copy link").click()
    expect(share).to_contain_text("Link copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    long = "{prompt: 'é'.repeat(1500), lanes: [], shared: {}, max_new_tokens: 4, seed: 0}"  # six letters each
    page.evaluate(f"specviz.link.writeForm({long})")
    assert "prompt=" not in page.url
    share.get_by_role("button", name="Copy link").click()
    expect(share).to_contain_text("too long for a link")
    share.get_by_role("button", name="Save as a file instead").click()
    expect(page.locator("html")).to_have_attribute("data-page", "library")


@pytest.mark.full
def test_without_a_clipboard_the_address_is_there_to_be_copied_by_hand(visit, site):
    page = visit(site)
    page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.locator("#sv-race").get_by_role("button", name="Copy link").click()
    expect(page.get_by_label("Address of this screen")).to_have_value(page.url)


@pytest.mark.full
def test_a_race_shown_from_elsewhere_takes_the_place_of_one_that_runs(visit, site):
    page = visit(site)
    start(page, "Left behind", 256)
    expect(state(page)).to_contain_text("Running")
    page.get_by_role("link", name="Library").click()
    page.locator("tbody input").nth(2).check()
    page.get_by_role("button", name="Show on the Race page").click()
    expect(state(page)).to_have_text("Recorded race")
    expect(page.locator(".sv-lane")).to_have_count(1)
    expect(page.get_by_role("button", name="Run the race")).to_be_visible()
    page.get_by_role("button", name="Add a lane").click()
    start(page, "The next one", 4)
    expect(state(page)).to_have_text("Finished")
    expect(page.locator(".sv-lane")).to_have_count(2)
    assert page.evaluate("specviz.latest('race').prompt") == "The next one"


@pytest.mark.full
@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("part", "gone"),
    [
        ("intro", ".sv-intro"),
        ("form", ".sv-form"),
        ("legend", ".sv-legend"),
        ("dials", ".sv-dials"),
        ("timeline", ".sv-time"),
        ("verdict", ".sv-verdict"),
        ("share", ".sv-share"),
    ],
)
def test_each_part_of_the_page_can_be_hidden(visit, site, part, gone):
    page = visit(f"{site}?hide={part}")
    expect(page.locator(".sv-lane")).to_have_count(3)
    expect(page.locator(f"#sv-race {gone}").first).to_be_hidden()
    shown = ".sv-dials" if gone != ".sv-dials" else ".sv-form"
    expect(page.locator(f"#sv-race {shown}").first).to_be_visible()


@pytest.mark.full
@pytest.mark.parametrize(
    "address", ["recorded=nosuch,mtad", "prompt=hi&lane=nosuch;gamma=2&lane=mtad&lane=speculative"]
)
def test_a_method_in_the_address_that_is_not_there_is_said(visit, site, address):
    page = visit(f"{site}?{address}")
    expect(page.locator(".sv-wrong-address")).to_contain_text("“nosuch”")  # on every page
    expect(page.locator(".sv-lane select").first).not_to_have_value("")
