"""Lessons in a real browser: the question first, the answer after, every state in the address, a file for no server."""

import re

import pytest
from playwright.sync_api import expect

from specviz.lab.lessons.lesson import lesson_document
from specviz.ui.serving.models import PairLoader
from specviz.views.lessons.lesson import find_lesson, gallery_runs, lesson_names
from specviz.views.lessons.payload import lesson_words
from specviz.views.story.document import SCRIPT
from specviz.views.story.scenes import scenes
from tests.browser.axe import barriers
from tests.browser.conftest import served
from tests.recorded import load_gallery, load_openings

STATES = (
    "",
    "&lesson=coin",
    "&lesson=residual&answer=1",
    "&lesson=residual&answer=3&step=4",
    "&lesson=losing&answer=2&step=2",
    "&lesson=tree&answer=2&step=2",
)


@pytest.fixture(scope="module")
def lessons():
    recorded = gallery_runs()
    return {name: find_lesson(name, recorded) for name in lesson_names()}


@pytest.fixture(scope="module")
def school(tiny_pair):
    """The page with the recorded gallery, which the lessons are built on."""
    with served(PairLoader(lambda: tiny_pair).start(), load_gallery(), openings=load_openings()) as url:
        yield url


def opened(page, title):
    expect(page.locator("#sv-lessons h1")).to_have_text(title)
    expect(page.locator(".sv-lesson .sv-say")).not_to_be_empty()
    return page.locator(".sv-lesson")


@pytest.mark.full
def test_the_list_names_every_lesson(visit, school, lessons):
    page = visit(f"{school}?view=lessons")
    cards = page.locator(".sv-lessons a")
    expect(cards).to_have_count(len(lessons))
    for card, lesson in zip(cards.all(), lessons.values(), strict=True):
        for said in (lesson.script.title, lesson.script.asks, lesson.script.goal, f"{lesson.script.minutes} minutes"):
            expect(card).to_contain_text(said)
    cards.nth(2).click()
    opened(page, "The coin")
    expect(page).to_have_url(re.compile("lesson=coin"))
    page.get_by_role("link", name="All lessons").click()
    expect(cards.first).to_be_visible()


@pytest.mark.full
@pytest.mark.every(7)
@pytest.mark.parametrize("name", lesson_names())
def test_nothing_of_the_answer_is_in_view_before(visit, school, lessons, name):
    page = visit(f"{school}?view=lessons&lesson={name}")
    words = lesson_words(lessons[name])
    view = opened(page, words["title"])
    said = view.inner_text()
    assert words["question"]["choices"][0]["text"] in said
    hidden = [choice["answer"] for choice in words["question"]["choices"]] + [step["say"] for step in words["steps"]]
    assert not [text for text in hidden if text in said]
    assert "People often think" not in said
    page.keyboard.press("ArrowRight")
    expect(view.locator(".sv-kicker")).to_have_text("The question")
    page.keyboard.press("Enter")
    right = next(choice for choice in words["question"]["choices"] if choice["right"])
    expect(view.locator(".sv-answer")).to_have_text(right["answer"])
    for number, step in enumerate(words["steps"], start=2):
        page.keyboard.press("ArrowRight")
        if step["predict"]:
            expect(view.locator(".sv-predict b")).to_contain_text(step["predict"]["label"])
            page.keyboard.press("g")
        expect(view.locator(".sv-say")).to_have_text(step["say"])
        expect(view.locator(".sv-kicker")).to_have_text(f"Step {number} of {len(words['steps']) + 1}")
        for wrong in step["misconceptions"]:
            expect(view).to_contain_text(wrong["but"])
        if step["look"]["panels"]:
            expect(view.locator(".sv-panel:visible")).to_have_count(len(step["look"]["panels"]))
            expect(view.locator(":is(.sv-drawn, .sv-grown):visible").first).to_be_visible()
    expect(view.locator(".sv-takeaway")).to_contain_text(words["takeaway"])
    page.keyboard.press("ArrowRight")
    expect(view.locator(".sv-kicker")).to_have_text(f"Step {len(words['steps']) + 1} of {len(words['steps']) + 1}")


def test_a_wrong_answer_is_answered_and_the_right_one_shown(visit, school, lessons):
    page = visit(f"{school}?view=lessons&lesson=coin")
    choices = lesson_words(lessons["coin"])["question"]["choices"]
    view = opened(page, "The coin")
    page.keyboard.press("1")
    expect(view.locator("li.wrong .sv-answer")).to_have_text(choices[0]["answer"])
    expect(view.locator("li.right .sv-answer")).to_have_text(choices[2]["answer"])
    expect(view.locator(".sv-choice[aria-pressed=true]")).to_be_focused()
    page.keyboard.press("2")  # chosen is chosen
    expect(page).to_have_url(re.compile("answer=1"))
    view.get_by_role("button", name="Start again").click()
    expect(view.locator(".sv-answer")).to_have_count(0)
    expect(page).not_to_have_url(re.compile("answer="))


def test_the_address_restores_every_state(visit, school):
    page = visit(f"{school}?view=lessons&lesson=coin&answer=3&step=4")
    view = opened(page, "The coin")
    expect(view.locator(".sv-kicker")).to_have_text("Step 4 of 5")
    view.get_by_role("button", name="The question").click()
    expect(view.locator("li.right .sv-choice")).to_have_attribute("aria-pressed", "true")
    page.reload()
    view = opened(page, "The coin")
    expect(view.locator("li.right .sv-choice")).to_have_attribute("aria-pressed", "true")
    page.goto(f"{school}?view=lessons&lesson=coin&step=99")  # revealed, or it could not be there
    expect(page.locator(".sv-kicker")).to_have_text("Step 5 of 5")


@pytest.mark.full
def test_an_unknown_lesson_says_so_and_shows_the_list(visit, school, lessons):
    page = visit(f"{school}?view=lessons&lesson=%3Cb%3Enope")
    expect(page.locator("#sv-lessons [role=alert]")).to_contain_text("There is no lesson called “<b>nope”")
    expect(page.locator(".sv-lessons a")).to_have_count(len(lessons))


@pytest.mark.full
@pytest.mark.parametrize(("name", "answer"), [("coin", 3), ("joint", 1)])  # a run of the gallery, and the lesson's own
def test_a_step_opens_in_the_microscope_and_the_link_lasts(visit, school, lessons, name, answer):
    lesson = lessons[name]
    ref = lesson.script.steps[1].ref
    title = next(one.title for one in scenes(lesson.runs[ref.run], ref.iteration) if one.key == ref.scene)
    page = visit(f"{school}?view=lessons&lesson={name}&answer={answer}&step=3")
    page.get_by_role("link", name="Open this step in the Microscope").click()
    heading = page.locator("#sv-microscope .sv-story h2")
    expect(heading).to_have_text(title)
    page.reload()
    expect(heading).to_have_text(title)
    page.get_by_role("navigation").get_by_role("link", name="Lessons").click()
    expect(page.locator(".sv-kicker")).to_have_text("Step 3 of 5")


@pytest.mark.full
def test_whole_runs_open_on_the_race_page(visit, school):
    page = visit(f"{school}?view=lessons&lesson=losing&answer=1&step=2")
    page.get_by_role("link", name="Open these runs on the Race page").click()
    expect(page.locator("#sv-race .sv-lane")).to_have_count(3)
    expect(page).to_have_url(re.compile("view=race"))


@pytest.mark.full
def test_the_player_and_the_page_step_together(visit, school):
    page = visit(f"{school}?view=lessons&lesson=coin&answer=3&step=2")
    view = opened(page, "The coin")
    view.locator(".sv-player:visible").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("s")
    expect(view.locator(".sv-kicker")).to_have_text("Step 3 of 5")
    page.keyboard.press("ArrowLeft")
    expect(view.locator(".sv-kicker")).to_have_text("Step 2 of 5")


@pytest.mark.full
def test_a_switch_breaks_the_rule(visit, school):
    page = visit(f"{school}?view=lessons&lesson=residual&answer=3&step=4")
    view = opened(page, "The residual")
    meter = view.locator(".sv-distance b")
    expect(meter).to_have_text("0")
    view.get_by_label("Resample from the target").check()
    expect(meter).to_have_text(re.compile(r"^0\.[1-9]"))
    page.keyboard.press("ArrowRight")  # moves the switch, not the lesson
    expect(view.get_by_label("Skip the residual")).to_be_checked()
    expect(view.locator(".sv-kicker")).to_have_text("Step 4 of 5")
    again = visit(page.url)
    expect(again.get_by_label("Skip the residual")).to_be_checked()
    expect(again.locator(".sv-distance b")).to_have_text(meter.inner_text())
    again.locator(".sv-kicker").focus()
    again.keyboard.press("Home")
    expect(again.locator(".sv-kicker")).to_have_text("The answer")
    assert "rule=" in page.url and "rule=" not in again.url


@pytest.mark.full
def test_another_theme_keeps_the_place(visit, school):
    page = visit(f"{school}?view=lessons&lesson=coin&answer=3&step=3")
    view = opened(page, "The coin")
    page.get_by_role("button", name="Dark").click()
    expect(page.locator("body")).to_have_class(re.compile("dark"))
    expect(view.locator(".sv-kicker")).to_have_text("Step 3 of 5")
    expect(view.locator(":is(.sv-drawn, .sv-grown):visible").first).to_be_visible()


@pytest.mark.full
@pytest.mark.every(5)
@pytest.mark.parametrize("address", STATES)
def test_no_barrier_that_axe_would_call_serious_in_either_theme(visit, school, address):
    page = visit(f"{school}?view=lessons{address}")
    page.wait_for_load_state("networkidle")
    if address:
        expect(page.locator(".sv-lesson .sv-say")).not_to_be_empty()
    assert barriers(page) == []
    page.get_by_role("button", name="Dark").click()
    expect(page.locator("body")).to_have_class(re.compile("dark"))
    page.wait_for_load_state("networkidle")
    assert barriers(page) == []


@pytest.mark.full
@pytest.mark.parametrize(("number", "address"), list(enumerate(STATES)))
def test_nothing_scrolls_sideways(visit, school, address, number):
    page = visit(f"{school}?view=lessons{address}{'&present=1' if number % 2 else ''}")
    page.wait_for_load_state("networkidle")
    for width, height in ((390, 844), (1280, 720)):
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_an_exported_lesson_opens_from_disk_and_asks_for_nothing(browser, lessons, tmp_path):
    path = tmp_path / "residual.html"
    path.write_text(lesson_document(lessons["residual"]), encoding="utf-8")
    context = browser.new_context(offline=True, viewport={"width": 1280, "height": 720})
    page = context.new_page()
    trouble = []
    page.on("request", lambda r: None if r.url.startswith(("file:", "data:", "blob:")) else trouble.append(r.url))
    page.on("console", lambda m: trouble.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.goto(path.as_uri())
    view = page.locator(".sv-lesson")
    expect(page.locator("h1")).to_have_text("The residual")
    expect(page.locator(".sv-about")).to_contain_text("recorded steps")
    expect(view.locator(":is(.sv-drawn, .sv-grown):visible").first).to_be_visible()
    page.keyboard.press("3")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    view.get_by_label("Stale q").check()
    expect(view.locator(".sv-distance b")).to_have_text(re.compile(r"^0\.1"))
    expect(view.get_by_role("link")).to_have_count(0)
    page.get_by_role("button", name="Dark").click()
    expect(view.locator(".sv-kicker")).to_have_text("Step 4 of 5")
    assert barriers(page) == []
    page.emulate_media(media="print")
    expect(view.locator(".sv-printed")).to_be_visible()
    assert trouble == []
    context.close()


@pytest.mark.full
def test_a_lesson_is_saved_from_the_page(visit, school, tmp_path):
    page = visit(f"{school}?view=lessons&lesson=coin")
    opened(page, "The coin")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save this lesson as a file").click()
    assert download.value.suggested_filename == "specviz-lesson-coin.html"
    download.value.save_as(tmp_path / "coin.html")
    assert SCRIPT.read_text(encoding="utf-8") in (tmp_path / "coin.html").read_text(encoding="utf-8")


@pytest.mark.full
def test_what_was_read_is_remembered_by_this_browser(visit, school):
    page = visit(f"{school}?view=lessons&lesson=coin")
    opened(page, "The coin")
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowRight")
    page.goto(f"{school}?view=lessons")
    mark = page.locator('[data-progress="coin"]')
    expect(mark).to_have_text(re.compile(r"\d+ % read"))
    expect(page.locator('[data-progress="why"]')).to_be_empty()
    page.evaluate("localStorage.setItem('specviz-lessons', 'not json')")
    page.reload()
    expect(mark).to_be_empty()
