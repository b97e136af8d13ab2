"""A class in real browsers: a teacher, two students who follow, look around, come back and answer."""

import re

import pytest
from playwright.sync_api import Page, expect

from specviz.ui.page import load_gallery, load_openings
from specviz.ui.serving.models import PairLoader
from tests.browser.axe import barriers
from tests.browser.conftest import served
from tests.browser.pages.test_race import start, state

PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def school(tiny_pair):
    """The page with the recorded gallery, which the lessons are built on."""
    loader = PairLoader(lambda: tiny_pair).start()
    assert loader.wait(60)
    with served(loader, load_gallery(), openings=load_openings()) as url:
        yield url


def opened(visit, school, query="") -> tuple[Page, str]:
    """A teacher's page with its class, and the code."""
    page = visit(f"{school}{query}")
    page.get_by_role("button", name="Class", exact=True).click()
    page.get_by_role("button", name="Open a class").click()
    code = page.locator(".sv-class-code")
    expect(code).to_have_text(re.compile("^[A-Z]{6}$"))
    page.wait_for_function("document.querySelector('.sv-class-picture').naturalWidth > 20")  # the picture is one
    name = code.inner_text()
    page.keyboard.press("Escape")
    return page, name


def bar(page: Page):
    return page.get_by_role("group", name="Class", exact=True)


def at(page: Page, name: str) -> None:
    expect(page.locator("html")).to_have_attribute("data-page", name)


def go(page: Page, name: str) -> None:
    page.get_by_role("navigation", name="Pages").get_by_role("link", name=name).click()


def run_of(page: Page) -> str:
    return page.evaluate("specviz.latest('race').run")


@pytest.mark.full
def test_students_follow_leave_and_come_back(visit, school):
    teacher, code = opened(visit, school)
    first, second = (visit(f"{school}?room={one}") for one in (code, code.lower()))
    expect(bar(teacher)).to_contain_text("2 students")
    for student in (first, second):
        expect(bar(student)).to_contain_text(f"You follow the class {code}.")
    go(teacher, "Lessons")
    teacher.locator('[data-lesson="coin"]').click()
    for student in (first, second):
        at(student, "lessons")
        expect(student.locator("#sv-lessons h1")).to_have_text("The coin")
    go(second, "Library")
    expect(bar(second)).to_contain_text("You look around by yourself.")
    teacher.get_by_role("button", name="Show me").click()
    teacher.get_by_role("button", name="See why").click()
    expect(first.locator(".sv-lesson")).to_have_attribute("data-step", "2")
    at(second, "library")
    second.locator("body").press("f")
    at(second, "lessons")
    expect(second.locator(".sv-lesson")).to_have_attribute("data-step", "2")
    expect(bar(second)).to_contain_text(f"You follow the class {code}.")
    second.get_by_role("button", name="Look around by yourself").click()
    go(teacher, "Race")
    at(first, "race")
    at(second, "lessons")
    second.get_by_role("button", name="Back to the class").click()
    at(second, "race")


@pytest.mark.full
def test_a_question_is_answered_and_its_tally_shown_when_the_teacher_says_so(visit, school):
    teacher, code = opened(visit, school, "?view=lessons&lesson=coin")
    students = [visit(f"{school}?room={code}") for _ in range(2)]
    expect(bar(teacher)).to_contain_text("2 students")
    teacher.get_by_role("button", name="Ask the question on screen").click()
    for student, answer in zip(students, (0, 1), strict=True):
        card = student.get_by_role("region", name="A question to the class")
        choices = card.get_by_role("button")
        expect(choices).to_have_count(teacher.locator(".sv-choices .sv-choice").count())
        expect(card).to_contain_text("Nobody sees whose it is")
        choices.nth(answer).click()
        expect(choices.nth(answer)).to_have_attribute("aria-pressed", "true")
        expect(bar(student)).to_contain_text("You follow")  # to answer is not to look around
    students[1].get_by_role("region", name="A question to the class").get_by_role("button").nth(0).click()
    card = teacher.get_by_role("region", name="A question to the class")
    expect(card).to_contain_text("2 answers so far. The tally is hidden until you show it.")
    for page in (teacher, *students):
        expect(page.locator(".sv-poll-share:visible")).to_have_count(0)
    teacher.get_by_role("button", name="Show the tally").click()
    for page in (teacher, *students):
        expect(page.locator(".sv-poll-share").first).to_have_text("2 (100 %)")
        expect(page.locator(".sv-poll-share").nth(1)).to_have_text("0 (0 %)")
    students[0].get_by_role("region", name="A question to the class").get_by_role("button").nth(1).click()
    for page in (teacher, *students):
        expect(page.locator(".sv-poll-share").first).to_have_text("1 (50 %)")
    teacher.get_by_role("button", name="Close the question").click()
    for page in (teacher, *students):
        expect(page.locator(".sv-poll")).to_be_hidden()


def test_stays_or_goes_at_a_step_that_everybody_sees(visit, school):
    teacher, code = opened(visit, school)
    student = visit(f"{school}?room={code}")
    expect(bar(student)).to_contain_text("You follow")
    go(teacher, "Microscope")
    player = teacher.locator(".sv-microscope .sv-player")
    expect(player).to_have_attribute("data-scene", "context")
    player.press("ArrowRight")
    scene = player.get_attribute("data-scene")
    expect(student.locator(".sv-microscope .sv-player")).to_have_attribute("data-scene", scene)
    teacher.get_by_role("button", name="Ask the question on screen").click()
    card = student.get_by_role("region", name="A question to the class")
    expect(card.get_by_role("heading")).to_have_text(re.compile("^“.+”: stays or goes\\?$"))
    expect(card.get_by_role("button")).to_have_text(["It stays.", "It goes."])


@pytest.mark.full
def test_the_moment_of_a_race_is_followed(visit, school):
    teacher, code = opened(visit, school)
    student = visit(f"{school}?room={code}")
    playbacks = [page.get_by_role("group", name="Slow motion") for page in (teacher, student)]
    mine, theirs = (one.locator(".sv-moment") for one in playbacks)
    for one in playbacks:
        expect(one).to_be_visible()
    playbacks[0].locator(".sv-scrub").evaluate(
        "input => { input.value = 0.4 * input.max; input.dispatchEvent(new Event('input')); }"
    )
    wanted = mine.inner_text()
    expect(theirs).to_have_text(wanted)
    playbacks[0].get_by_role("button", name="One iteration on").click()
    expect(theirs).not_to_have_text(wanted)
    expect(theirs).to_have_text(mine.inner_text())


@pytest.mark.full
def test_a_race_of_the_teacher_is_shown_and_not_run_again(visit, school):
    teacher, code = opened(visit, school)
    student = visit(f"{school}?room={code}")
    expect(bar(student)).to_contain_text("You follow")
    start(teacher, "Once", 6)
    expect(state(teacher)).to_have_text("Finished")
    run = run_of(teacher)
    student.wait_for_function("run => specviz.latest('race').run === run", arg=run)
    expect(student).to_have_url(re.compile(f"shown={run}"))
    expect(student).not_to_have_url(re.compile("prompt="))
    student.reload()
    expect(bar(student)).to_contain_text("You follow")
    student.wait_for_function("run => specviz.latest('race')?.run === run", arg=run)
    expect(bar(teacher)).to_contain_text("one student")


@pytest.mark.full
def test_the_class_outlives_a_reload_and_ends_with_the_teacher(visit, school):
    teacher, code = opened(visit, school)
    student = visit(school)
    student.get_by_role("button", name="Class", exact=True).click()
    student.get_by_label("Code of the class").fill(code.lower())
    student.keyboard.press("Enter")
    expect(bar(student)).to_contain_text("You follow")
    expect(student).to_have_url(re.compile(f"room={code}"))
    teacher.reload()
    expect(bar(teacher)).to_contain_text("one student")
    go(teacher, "Library")
    at(student, "library")
    bar(teacher).get_by_role("button", name=f"Class {code}").click()
    teacher.get_by_role("button", name="End the class").click()
    dialog = student.get_by_role("dialog", name="Class")
    expect(dialog.get_by_role("alert")).to_have_text("The class has ended.")
    expect(student).not_to_have_url(re.compile("room="))
    for page in (teacher, student):
        expect(page.locator(".sv-class-bar")).to_be_hidden()
    assert teacher.evaluate("sessionStorage.getItem('specviz-class')") is None


@pytest.mark.full
def test_a_wrong_code_is_said(visit, school):
    page = visit(f"{school}?room=ZZZZZZ")
    expect(page.get_by_role("dialog", name="Class").get_by_role("alert")).to_contain_text("There is no class 'ZZZZZZ'")


@pytest.mark.full
def test_a_class_is_open_to_everybody(visit, school):
    teacher, code = opened(visit, school, "?view=lessons&lesson=coin")
    student = visit(f"{school}?room={code}")
    at(student, "lessons")
    teacher.get_by_role("button", name="Ask the question on screen").click()
    expect(student.locator(".sv-poll")).to_be_visible()
    for page in (teacher, student):
        page.set_viewport_size(PHONE)
        for theme in ("Dark", "Light"):
            assert barriers(page) == []
            assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
            page.get_by_role("button", name=theme).click()
    teacher.get_by_role("button", name="Show the tally").click()
    expect(student.locator(".sv-poll-share").first).to_be_visible()
    bar(teacher).get_by_role("button", name=f"Class {code}").click()
    for page in (teacher, student):
        assert barriers(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
