"""A class in real browsers: a teacher, two students who follow, look around, come back and answer."""

import re
from itertools import product

import pytest
from playwright.sync_api import Page, expect

from specviz.ui.page import build_page
from specviz.ui.serving import limits
from specviz.ui.serving.models import PairLoader
from specviz.ui.serving.reach import Reach
from specviz.ui.serving.server import build_server
from specviz.views.lessons.lesson import find_lesson, gallery_runs, lesson_names
from specviz.views.lessons.payload import lesson_words
from tests.browser.axe import barriers
from tests.browser.conftest import running
from tests.browser.pages.test_race import start, state
from tests.recorded import load_gallery, load_openings

PHONE = {"width": 390, "height": 844}
PUBLIC = "http://class.example:7860/"
RESTART = "python app.py --host 0.0.0.0"
SCREEN = """() => [...document.querySelectorAll(`#sv-header, #sv-${document.documentElement.dataset.page}`)]
  .map((host) => host.outerHTML).join(' ')"""  # of the page on screen all that is in it, seen or not


@pytest.fixture(scope="module")
def school(tiny_pair):
    """The page with the recorded gallery, which the lessons are built on."""
    loader = PairLoader(lambda: tiny_pair).start()
    assert loader.wait(60)
    with pytest.MonkeyPatch.context() as patched:
        for limit in ("MAX_OPENED_ROOMS", "MAX_ROOMS_OF_NETWORK"):  # every test is a teacher at the same address
            patched.setattr(limits, limit, 100)
        page = build_page(loader, load_gallery(), openings=load_openings())
        with running(build_server(page, reach=Reach(PUBLIC))) as url:
            yield url


@pytest.fixture(scope="module")
def lessons():
    recorded = gallery_runs()
    return {name: lesson_words(find_lesson(name, recorded)) for name in lesson_names()}


def opened(visit, school, query="") -> tuple[Page, str]:
    """A teacher's page with its class, and the code."""
    page = visit(f"{school}{query}")
    page.get_by_role("button", name="Class", exact=True).click()
    page.get_by_role("button", name="Open a class").click()
    code = page.locator(".sv-class-code")
    expect(code).to_have_text(re.compile("^[A-Z]{6}$"))
    page.wait_for_function("document.querySelector('.sv-class-picture').naturalWidth > 20")  # the picture is one
    name = code.inner_text()
    expect(page.locator(".sv-class-address")).to_have_text(f"{PUBLIC}?room={name}")
    page.keyboard.press("Escape")
    return page, name


def bar(page: Page):
    return page.get_by_role("group", name="Class", exact=True)


def at(page: Page, name: str) -> None:
    expect(page.locator("html")).to_have_attribute("data-page", name)


def go(page: Page, name: str) -> None:
    page.get_by_role("navigation", name="Pages").get_by_role("link", name=name).click()


def card(page: Page):
    return page.get_by_role("region", name="A question to the class")


def press(page: Page, name: str) -> None:
    bar(page).get_by_role("button", name=name).click()


def boxes_apart(page: Page, *selectors: str) -> None:
    """All of these are whole on screen, and none lies over another."""
    found = [page.locator(f"{selector}:visible").first.bounding_box() for selector in selectors]
    size = page.viewport_size
    floor = page.locator(".sv-class-bar").bounding_box()["y"]
    for box in found:
        assert box["x"] >= 0 and box["y"] >= 0
        assert box["x"] + box["width"] <= size["width"] and box["y"] + box["height"] <= floor
    for one, other in product(found, found):
        beside = one["x"] + one["width"] <= other["x"] or other["x"] + other["width"] <= one["x"]
        assert one is other or beside, (one, other)


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
    first.locator(".sv-say").click()
    first.locator(".sv-panel:visible").first.click()
    expect(bar(first)).to_contain_text(f"You follow the class {code}.")  # a tap is no farewell
    go(second, "Library")
    expect(bar(second)).to_contain_text(f"You follow the class {code}: the teacher’s next step brings you back.")
    teacher.get_by_role("button", name="Show me").click()
    teacher.get_by_role("button", name="See why").click()
    for student in (first, second):
        at(student, "lessons")
        expect(student.locator(".sv-lesson")).to_have_attribute("data-step", "2")
        expect(bar(student)).to_contain_text(f"You follow the class {code}.")
    second.locator(".sv-lesson").press("ArrowRight")
    expect(second.locator(".sv-kicker")).not_to_have_text("Step 2 of 5")
    go(second, "Library")
    second.locator("body").press("f")
    at(second, "lessons")
    expect(second.locator(".sv-lesson")).to_have_attribute("data-step", "2")
    press(second, "Stop following")
    expect(bar(second)).to_contain_text(f"You no longer follow the class {code}.")
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
    press(teacher, "Ask the question on screen")
    for student, answer in zip(students, (0, 1), strict=True):
        choices = card(student).get_by_role("button")
        expect(choices).to_have_count(4)
        expect(card(student)).to_contain_text("Nobody sees which one is yours.")
        choices.nth(answer).click()
        expect(choices.nth(answer)).to_have_attribute("aria-pressed", "true")
        expect(bar(student)).to_contain_text("You follow")  # to answer is not to look around
    card(students[1]).get_by_role("button").nth(0).click()
    all_have = "All 2 students have answered. Nobody sees the answers until you show the tally."
    expect(card(teacher)).to_contain_text(all_have)
    for page in (teacher, *students):
        expect(page.locator(".sv-poll-share:visible")).to_have_count(0)
    press(teacher, "Show the tally")
    for page in (teacher, *students):
        expect(page.locator(".sv-poll-share").first).to_have_text("2 (100 %)")
        expect(page.locator(".sv-poll-share").nth(1)).to_have_text("0 (0 %)")
    card(students[0]).get_by_role("button").nth(2).click()
    for page in (teacher, *students):
        expect(page.locator(".sv-poll-share").first).to_have_text("1 (50 %)")
        expect(card(page)).not_to_contain_text("right")
    press(teacher, "Show the answer")
    for page, mine in ((teacher, ""), (students[0], ", your answer"), (students[1], "")):
        rows = card(page).locator("li")
        expect(rows.nth(2).locator("em")).to_have_text(f"✓ right answer{mine}")
        expect(rows.nth(2)).to_have_class("right")
        expect(card(page).get_by_text("✓")).to_have_count(1)
        expect(page.locator(".sv-lesson li.right .sv-answer")).to_be_visible()
        expect(card(page).locator("button:enabled")).to_have_count(0)
    expect(card(students[0])).to_contain_text("You were right.")
    expect(card(students[1])).to_contain_text("You were not right.")
    teacher.get_by_role("button", name="Close the question").click()
    for page in (teacher, *students):
        expect(page.locator(".sv-poll")).to_be_hidden()


@pytest.mark.every(3)
@pytest.mark.full
@pytest.mark.parametrize("name", lesson_names())
def test_while_a_lessons_question_is_asked_no_screen_of_the_class_tells_its_answer(visit, school, lessons, name):
    words = lessons[name]
    teacher, code = opened(
        visit, school, f"?view=lessons&lesson={name}&answer=shown&step=2"
    )  # told before, and closed again
    student = visit(f"{school}?room={code}")
    expect(student.locator(".sv-lesson")).to_have_attribute("data-step", "2")
    press(teacher, "Ask the question on screen")
    choices = words["question"]["choices"]
    told = [choice["answer"] for choice in choices] + [step["say"] for step in words["steps"]]
    told += [words["takeaway"]] + [one["but"] for step in words["steps"] for one in step["misconceptions"]]
    for page in (student, teacher):
        expect(card(page).get_by_role("heading")).to_have_text(words["question"]["text"])
        expect(page.locator(".sv-kicker")).to_have_text("Asked in class")
        page.locator("body").press("1")
        page.locator("body").press("Enter")
        page.locator("body").press("ArrowRight")
        expect(page.locator(".sv-kicker")).to_have_text("Asked in class")
        expect(page.get_by_role("button", name="Show me")).to_have_count(0)
        expect(page.locator(".sv-lesson .sv-choice, .sv-lesson .sv-progress button:visible")).to_have_count(0)
        plain = page.evaluate(
            "html => new DOMParser().parseFromString(html, 'text/html').body.textContent", page.evaluate(SCREEN)
        )
        assert not [text for text in told if text in plain]
        assert not re.search(
            r"[✓✗☑]|right answer|aria-pressed=\"true\" class=\"sv-choice|sv-answer", page.evaluate(SCREEN)
        )
        rows = card(page).locator("li")
        assert len({re.sub(r">[^<>]*<", "><", row.evaluate("li => li.outerHTML")) for row in rows.all()}) == 1
    shown = student.locator(".sv-lesson-evidence :is(.sv-panel, .sv-lesson-lane, .sv-lesson-costs):visible")
    expect(shown.first).to_be_visible()
    press(teacher, "Show the answer")
    for page in (student, teacher):
        expect(page.locator(".sv-lesson li.right .sv-answer")).to_be_visible()


@pytest.mark.full
@pytest.mark.parametrize("name", ["coin", "residual", "joint", "tree", "why"])
def test_the_evidence_of_a_question_is_beside_it(visit, school, name):
    page = visit(f"{school}?view=lessons&lesson={name}")
    evidence = ".sv-lesson-evidence :is(.sv-drawn, .sv-grown)"
    expect(page.locator(evidence)).to_be_visible()
    question, last, picture = (
        page.locator(one).bounding_box() for one in (".sv-say", ".sv-choices li:last-child", evidence)
    )
    assert question["x"] + question["width"] <= picture["x"] and picture["x"] + picture["width"] <= 1280
    assert max(last["y"] + last["height"], picture["y"] + picture["height"]) <= 720
    assert abs(question["y"] - picture["y"]) < 90


def test_in_class_the_bars_stand_beside_the_question_and_on_a_phone_right_below(visit, school):
    teacher, code = opened(visit, school, "?view=lessons&lesson=coin")
    student = visit(f"{school}?room={code}")
    expect(student.locator(".sv-lesson")).to_have_attribute("data-step", "1")
    press(teacher, "Ask the question on screen")
    for page in (teacher, student):
        expect(page.locator(".closed .sv-panel-probabilities .sv-drawn")).to_be_visible()
        boxes_apart(page, ".sv-poll", ".closed .sv-panel-probabilities .sv-stage")
    student.set_viewport_size(PHONE)
    expect(student.locator(".sv-lesson-top")).to_be_hidden()
    question, bars = (student.locator(one).bounding_box() for one in (".sv-poll", ".closed .sv-panel-probabilities"))
    assert 0 <= bars["y"] - (question["y"] + question["height"]) < 40
    assert student.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


@pytest.mark.full
def test_the_guess_of_a_lessons_step_can_be_asked_and_is_told_with_its_step(visit, school, lessons):
    teacher, code = opened(visit, school, "?view=lessons&lesson=coin&answer=shown&step=2")
    student = visit(f"{school}?room={code}")
    teacher.get_by_role("button", name="Go on").click()
    expect(teacher.locator(".sv-kicker")).to_have_text("Your guess")
    press(teacher, "Ask the question on screen")
    step = lessons["coin"]["steps"][1]
    for page in (teacher, student):
        expect(card(page).get_by_role("heading")).to_have_text(f"“{step['predict']['label']}”: stays or goes?")
        expect(page.locator(".sv-lesson-evidence .sv-panel-probabilities .sv-drawn")).to_be_visible()
        assert not re.search(
            r"accepted|rejected|sv-console.*stays", page.locator(".sv-lesson").evaluate("one => one.outerHTML")
        )
    press(teacher, "Show the answer")
    for page in (teacher, student):
        expect(page.locator(".sv-say")).to_have_text(step["say"])
        expect(card(page).locator("li.right")).to_contain_text("It stays.")


SAID = """page => [page.textContent, ...[...page.querySelectorAll('*')].flatMap((one) => [...one.attributes])
  .map(({ value }) => value)].join(' ')"""  # all text and all attributes, titles and labels among them
TOLD = re.compile(r"accepted|rejected|resampled|bonus|never judged|\b(?:stays|goes|kept|dropped|passes|fails)\b|[✓✗∅↻]")
ALWAYS = ("each token was kept or not", "whether the guess stays", "goes-on", "level rejected dashed")
"""What a page says whatever the verdict: of itself, of its buttons, of a threshold."""
STEPS = (  # recorded runs, and a step before a verdict
    "speculative,autoregressive&at=0.0.target",
    "speculative,autoregressive&at=0.7.decision-3",
    "specinfer,autoregressive&at=0.4.target",
    "mtad,autoregressive&at=0.4.target",
    "slim,autoregressive&at=0.2.target",
    "typical,autoregressive&at=0.1.target",
)


@pytest.mark.every(2)
@pytest.mark.full
@pytest.mark.parametrize("recorded", STEPS)
def test_stays_or_goes_at_a_step_shows_p_and_q_and_nothing_of_the_verdict(visit, school, recorded):
    teacher, code = opened(visit, school, f"?view=microscope&recorded={recorded}")
    expect(teacher.locator(".sv-microscope .sv-player[data-scene]:visible")).to_have_count(1)
    scene = teacher.locator(".sv-microscope .sv-player:visible").get_attribute("data-scene")
    student = visit(f"{school}?room={code}")
    expect(student.locator(".sv-microscope .sv-player:visible")).to_have_attribute("data-scene", scene)
    press(teacher, "Ask the question on screen")
    for page in (teacher, student):
        expect(card(page).get_by_role("heading")).to_have_text(re.compile("^“.+”: stays or goes\\?$"))
        expect(page.locator(".sv-evidence .sv-panel-probabilities .sv-drawn")).to_be_visible()
        boxes_apart(page, ".sv-poll", ".sv-evidence .sv-panel-probabilities .sv-stage")
        for key in ("ArrowRight", "End", "a", "r"):
            page.locator("body").press(key)
        page.locator(".sv-evidence .sv-player").press("ArrowRight")
        said = page.locator("#sv-microscope .sv-page").evaluate(SAID)
        for same in ALWAYS:
            said = said.replace(same, "")
        assert not TOLD.findall(said)
    expect(card(student).get_by_role("button")).to_have_text(["It stays.", "It goes."])
    press(teacher, "Show the answer")
    for page in (teacher, student):
        expect(page.locator(".sv-microscope .sv-player:visible")).to_have_attribute(
            "data-scene", re.compile("decision")
        )
        expect(page.locator(".sv-evidence")).to_be_hidden()
    fate = card(student).locator("li.right button").inner_text()
    told = (
        student.locator(".sv-microscope .sv-panel-tree").inner_text()
        + student.locator(".sv-story h2").first.inner_text()
    )
    assert {"It stays.": "accepted", "It goes.": "rejected"}[fate] in told


def test_a_question_that_is_closed_unanswered_gives_the_step_back(visit, school):
    teacher, code = opened(visit, school, "?view=microscope&recorded=speculative,autoregressive&at=0.7.target")
    expect(teacher.locator(".sv-microscope .sv-player:visible")).to_have_attribute("data-scene", "target")
    press(teacher, "Ask the question on screen")
    expect(teacher.locator(".sv-evidence")).to_be_visible()
    press(teacher, "Close the question")
    expect(teacher.locator(".sv-evidence")).to_be_hidden()
    expect(teacher.locator(".sv-microscope .sv-player:visible")).to_have_attribute("data-scene", "target")
    expect(teacher.get_by_role("button", name="What if?")).to_be_visible()


def test_a_server_for_one_machine_says_how_to_start_it_for_the_class(visit, tiny_pair):
    loader = PairLoader(lambda: tiny_pair).start()
    with running(build_server(build_page(loader), reach=Reach(restart=RESTART))) as url:
        page = visit(url)
        page.get_by_role("button", name="Class", exact=True).click()
        page.get_by_role("button", name="Open a class").click()
        dialog = page.get_by_role("dialog", name="Class")
        expect(dialog.get_by_role("alert")).to_contain_text("no phone in the room can join")
        expect(dialog.locator("code")).to_have_text(RESTART)
        expect(dialog.locator("img")).to_have_count(0)
        page.close()  # before its server


@pytest.mark.full
def test_links_begin_with_the_address_that_the_class_reaches(visit, tiny_pair):
    loader = PairLoader(lambda: tiny_pair).start()
    with running(build_server(build_page(loader, load_gallery(), public=PUBLIC))) as url:
        page = visit(url, permissions=["clipboard-read", "clipboard-write"])
        page.get_by_role("button", name="Copy link").first.click()
        expect(page.locator(".sv-copied").first).to_contain_text("Link copied.")
        assert page.evaluate("navigator.clipboard.readText()").startswith(f"{PUBLIC}?")
        page.close()


@pytest.mark.full
def test_what_is_for_the_teacher_is_not_on_a_students_page(visit, school):
    teacher, code = opened(visit, school, "?view=lessons")
    student = visit(f"{school}?room={code}")
    at(student, "lessons")
    expect(teacher.get_by_role("button", name="Handout with answers")).to_be_visible()
    expect(student.get_by_role("button", name="Handout with answers")).to_be_hidden()
    expect(student.get_by_role("button", name="Show the answer")).to_have_count(0)


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
    expect(page.get_by_role("dialog", name="Class").get_by_role("alert")).to_have_text(
        "There is no class 'ZZZZZZ' here, or it has ended. A code is 6 letters: check it on the teacher's screen."
    )


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
