"""For learners and teachers: predictions with a score, files for a class, a way with notes apart, the first minute."""

import re

import pytest
from playwright.sync_api import expect

from specviz.lab.lessons.pack import all_document, handout_document, pack
from specviz.ui.serving.models import PairLoader
from specviz.views.lessons.lesson import find_lesson, gallery_runs, lesson_names
from specviz.views.lessons.path import load_path
from specviz.views.lessons.payload import lesson_words
from tests.browser.axe import barriers
from tests.browser.conftest import served
from tests.recorded import load_gallery, load_openings


@pytest.fixture(scope="module")
def lessons():
    recorded = gallery_runs()
    return {name: find_lesson(name, recorded) for name in lesson_names()}


@pytest.fixture(scope="module")
def school(tiny_pair):
    """The page with the recorded gallery, which the lessons are built on."""
    with served(PairLoader(lambda: tiny_pair).start(), load_gallery(), openings=load_openings()) as url:
        yield url


@pytest.fixture
def offline(browser, tmp_path):
    """Open an HTML text from a disk, without any network; fails on requests and errors."""
    context = browser.new_context(offline=True, viewport={"width": 1280, "height": 720})
    trouble = []

    def show(text):
        page = context.new_page()
        page.on("request", lambda r: None if r.url.startswith(("file:", "data:", "blob:")) else trouble.append(r.url))
        page.on("console", lambda m: trouble.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: trouble.append(str(error)))
        path = tmp_path / "file.html"
        path.write_text(text, encoding="utf-8")
        page.goto(path.as_uri())
        return page

    yield show
    context.close()
    assert trouble == []


@pytest.mark.full
def test_a_verdict_is_predicted_and_counts_once(visit, school, lessons):
    page = visit(f"{school}?view=lessons&lesson=coin")
    words = lesson_words(lessons["coin"])
    view = page.locator(".sv-lesson")
    expect(view.locator(".sv-choice")).to_have_count(4)
    page.keyboard.press("1")  # wrong
    page.keyboard.press("ArrowRight")
    expect(view.locator(".sv-kicker")).to_have_text("Step 2 of 5")
    page.keyboard.press("ArrowRight")
    expect(view.locator(".sv-predict b")).to_have_text(f"“{words['steps'][1]['predict']['label']}”: stays or goes?")
    expect(view.locator(".sv-panel-probabilities:visible")).to_have_count(1)
    expect(view.locator(".sv-panel-decision:visible")).to_have_count(0)
    assert words["steps"][1]["say"] not in view.inner_text()
    assert "accepted" not in view.inner_text()
    page.keyboard.press("ArrowRight")  # nothing before it is answered
    expect(view.locator(".sv-kicker")).to_have_text("Your guess")
    assert barriers(page) == []
    page.keyboard.press("s")
    expect(view.locator(".sv-say")).to_have_text(words["steps"][1]["say"])
    expect(view.locator(".sv-score")).to_have_text("Right: it stays. 1 of 1 right.")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")  # answered already
    expect(view.locator(".sv-kicker")).to_have_text("Step 3 of 5")
    page.get_by_role("link", name="All lessons").click()
    score, own = page.locator('[data-score="coin"]'), page.locator(".sv-own-score")
    expect(score).to_have_text("1 of 2 right")
    expect(own).to_contain_text("1 of 2 right, 0 of")
    page.reload()
    expect(score).to_have_text("1 of 2 right")
    page.get_by_role("button", name="Begin again").click()
    expect(score).to_be_empty()
    page.get_by_role("button", name="Undo").click()
    expect(score).to_have_text("1 of 2 right")


@pytest.mark.full
def test_a_guess_may_be_passed_or_not_asked_for(visit, school):
    page = visit(f"{school}?view=lessons&lesson=coin&answer=3&step=2")
    view = page.locator(".sv-lesson")
    view.get_by_role("button", name="Go on").click()
    view.get_by_role("button", name="Show me").click()
    expect(view.locator(".sv-kicker")).to_have_text("Step 3 of 5")
    view.get_by_role("button", name="Predict").click()
    view.get_by_role("button", name="Go on").click()
    expect(view.locator(".sv-kicker")).to_have_text("Step 4 of 5")


@pytest.mark.full
def test_the_notes_open_apart_and_never_on_the_page(visit, school, lessons):
    page = visit(f"{school}?view=lessons")
    path = load_path(tuple(lessons.values()))
    panel = page.locator(".sv-path")
    expect(panel).to_be_hidden()
    page.get_by_role("button", name=path.title).click()
    expect(panel.locator("li")).to_have_count(len(path.parts))
    assert barriers(page) == []
    with page.context.expect_page() as opened:
        panel.get_by_role("button", name="in a window of their own").click()
    notes = opened.value
    expect(notes.locator("dd").filter(has_text=path.parts[0].say).first).to_be_visible()
    html = page.content()
    assert not [part.title for part in path.parts if part.say in html or part.wrong in html or part.ask in html]
    assert "notes" not in page.url and "path" not in page.url  # what a class that follows is told


@pytest.mark.full
def test_files_for_a_class_are_saved_from_the_page(visit, school):
    page = visit(f"{school}?view=lessons")
    with page.expect_download() as download:
        page.get_by_role("button", name="Handout", exact=True).click()
    assert download.value.suggested_filename == "specviz-handout.html"


@pytest.mark.full
def test_all_lessons_open_and_step_without_a_network(offline, lessons):
    page = offline(all_document(tuple(lessons.values())))
    cards = page.locator(".sv-lessons a")
    expect(cards).to_have_count(len(lessons))
    expect(page.locator(".sv-lessons .sv-sketch")).to_have_count(len(lessons))
    cards.nth(1).click()
    view = page.locator(".sv-lesson")
    expect(view.locator(":is(.sv-drawn, .sv-grown):visible").first).to_be_visible()
    page.keyboard.press("2")
    expect(view.locator("li.right .sv-answer")).to_be_visible()
    for step in (2, 3, 4, 5):
        page.keyboard.press("ArrowRight")
        expect(view.locator(".sv-kicker")).to_have_text(f"Step {step} of 6")
    expect(view.locator(".sv-lesson-costs [role=listitem]")).to_have_count(7)
    assert barriers(page) == []
    page.keyboard.press("ArrowRight")
    view.get_by_role("button", name="Next: The coin").click()
    expect(page.locator(".sv-lesson-top h2")).to_have_text("The coin")
    page.get_by_role("button", name="All lessons").click()
    expect(page.locator('[data-progress="call"]')).to_have_text("✓ done")
    expect(page.locator('[data-score="call"]')).to_have_text("1 of 1 right")


@pytest.mark.full
def test_a_handout_keeps_its_answers_back(offline, lessons):
    some = [lessons["coin"], lessons["why"]]
    words = lesson_words(lessons["coin"])
    told = [choice["answer"] for choice in words["question"]["choices"]] + [words["takeaway"]]
    told += [step["say"] for step in words["steps"]]
    page = offline(handout_document(some, answers=False))
    said = page.locator(".sv-handout").inner_text()
    assert words["question"]["text"] in said and words["steps"][0]["misconceptions"][0]["think"] in said
    assert not [text for text in told if text in said]
    expect(page.locator(".sv-handout .sv-sketch").first).to_be_visible()
    assert barriers(page) == []
    answers = offline(handout_document(some, answers=True)).locator(".sv-handout").inner_text()
    assert not [text for text in told if text not in answers]


@pytest.mark.full
def test_notes_are_a_page_to_print(offline, lessons):
    page = offline(pack("notes", tuple(lessons.values()))[1])
    expect(page.locator("dt").filter(has_text="They will get wrong").first).to_be_visible()
    assert barriers(page) == []


@pytest.mark.full
def test_the_first_minute_leads_to_the_first_lesson(visit, site):
    page = visit(site)
    welcome = page.locator(".sv-welcome")
    expect(welcome).to_be_visible()
    expect(page.locator("#sv-race .sv-intro")).to_be_hidden()
    expect(page.locator(".sv-playback")).to_be_visible()
    welcome.get_by_role("button", name="Watch it").click()
    expect(page.get_by_role("button", name="Pause")).to_be_in_viewport()
    page.locator(".sv-scrub").first.evaluate(
        "one => { one.value = .999 * one.max; one.dispatchEvent(new Event('input')); }"
    )
    lesson = welcome.get_by_role("link", name="Lesson 1")
    expect(page.locator(".sv-welcome.after")).to_be_visible()
    assert barriers(page) == []
    expect(lesson).to_be_in_viewport()
    below = welcome.bounding_box()["y"]
    assert all(
        lane.bounding_box()["y"] + lane.bounding_box()["height"] <= below for lane in page.locator(".sv-lane").all()
    )
    lesson.click()
    expect(page).to_have_url(re.compile("view=lessons.*|.*lesson=why"))
    expect(page.locator("html")).to_have_attribute("data-page", "lessons")
    page.goto(site)
    expect(page.locator("#sv-race .sv-intro")).to_be_visible()
    expect(welcome).to_be_hidden()


@pytest.mark.full
def test_the_first_minute_is_put_away_for_good(visit, site):
    page = visit(site)
    page.get_by_role("button", name="Put this away").click()
    expect(page.locator("#sv-race .sv-intro")).to_be_visible()
    page.reload()
    expect(page.locator("#sv-race .sv-intro")).to_be_visible()
    expect(page.locator(".sv-welcome")).to_be_hidden()


@pytest.mark.full
def test_the_target_call_says_what_calls_cost_where_the_race_tells(visit, school):
    page = visit(f"{school}?view=microscope&recorded=speculative,autoregressive&at=0.5.target")
    costs = page.locator(".sv-cost-here")
    expect(costs.locator(".here")).to_contain_text("5 tokens")
    expect(costs).to_contain_text("5 tokens in one target call took")
    page.keyboard.press("ArrowRight")
    expect(costs).to_be_hidden()
    page.keyboard.press("ArrowLeft")
    expect(costs).to_be_visible()
    assert barriers(page) == []
