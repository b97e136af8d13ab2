"""A race in slow motion: one moment for all lanes, forwards and backwards, with every forest where it belongs."""

import pytest
from playwright.sync_api import Page, expect

from specviz.views.race.motion import lane_motion
from tests.browser.axe import barriers
from tests.browser.pages.test_race import start, state


def bar(page: Page):
    expect(page.locator(".sv-playback")).to_be_visible()
    return page.locator(".sv-playback")


def go_to(page: Page, share: float) -> None:
    page.locator(".sv-playback .sv-scrub").evaluate(
        "(input, share) => { input.value = share * input.max; input.dispatchEvent(new Event('input')); }", share
    )


def shown(page: Page, lane: int) -> int:
    return page.locator(".sv-lane").nth(lane).locator(".sv-token:not(.ahead)").count()


@pytest.mark.full
def test_it_opens_whole_and_paused_with_one_button(visit, site, gallery):
    page = visit(site)
    expect(bar(page).get_by_role("button", name="Play it slowly")).to_be_visible()
    for lane, trace in enumerate(gallery):
        assert shown(page, lane) == len(trace.tokens)
        assert page.locator(".sv-lane").nth(lane).locator(".sv-guess").count() > 0
    expect(page.locator(".sv-verdict")).to_be_visible()


@pytest.mark.full
def test_going_back_takes_everything_back(visit, site, gallery):
    page = visit(site)
    bar(page)
    whole = page.locator(".sv-lane .sv-dial dd").all_inner_texts()
    go_to(page, 0)
    for lane in range(3):
        assert shown(page, lane) == 0
    assert set(page.locator(".sv-lane .sv-dial dd").all_inner_texts()) <= {"–", "– %"}
    expect(page.locator(".sv-verdict")).to_be_hidden()  # nothing tells the end before it
    expect(page.locator(".sv-pace:visible")).to_have_count(0)
    before = [0, 0, 0]
    for notch in range(1, 21):
        go_to(page, notch / 20)
        now = [shown(page, lane) for lane in range(3)]
        assert all(one >= other for one, other in zip(now, before, strict=True))
        before = now
    assert before == [len(trace.tokens) for trace in gallery]
    assert page.locator(".sv-lane .sv-dial dd").all_inner_texts() == whole
    expect(page.locator(".sv-verdict")).to_be_visible()


@pytest.mark.full
def test_an_iteration_is_drawn_phase_by_phase(visit, site, gallery):
    page = visit(site)
    bar(page)
    motion = lane_motion(gallery[1])
    first = motion["iterations"][0]
    length = float(page.locator(".sv-playback .sv-moment").inner_text().split()[-2])
    lane = page.locator(".sv-lane").nth(1)

    def at(moment: float) -> None:
        go_to(page, moment / length)

    drafted = [guess for guess in first["guesses"] if guess["name"].isdigit()]
    at(sum(first["phases"]["target"]) / 2)
    expect(lane.locator(".sv-happening")).to_contain_text("one target call reads all")
    expect(lane.locator('.sv-guess[data-state="pending"]')).to_have_count(len(first["guesses"]))
    assert float(lane.locator(".sv-band").evaluate("one => getComputedStyle(one).opacity")) == 1
    seen = lane.locator(".sv-guess").evaluate_all("all => all.filter(one => Number(one.style.opacity) > 0).length")
    assert seen == len(drafted)  # what will be drawn instead cannot be seen yet
    at(first["phases"]["verify"][1] + 0.02 * (first["phases"]["verify"][1] - first["phases"]["draft"][0]))
    drawn = lane.locator(".sv-iteration").first.locator(".sv-guess")
    fates = drawn.evaluate_all("all => all.map(one => one.dataset.state)")[: len(first["guesses"])]
    assert fates == [guess["fate"] for guess in first["guesses"]]
    assert shown(page, 1) == 0  # still on its way into the text


@pytest.mark.full
def test_it_plays_and_ends_as_it_was_recorded(visit, site, gallery):
    page = visit(site)
    factor = bar(page).get_by_label("How much slower")
    factor.select_option("200")
    page.get_by_role("button", name="Play it slowly").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.locator(".sv-verdict")).to_be_hidden()
    factor.select_option("1")
    expect(page.get_by_role("button", name="Play it slowly")).to_be_visible()
    expect(page.locator(".sv-verdict")).to_be_visible()
    assert [shown(page, lane) for lane in range(3)] == [len(trace.tokens) for trace in gallery]


def test_keys_step_through_the_iterations(visit, site):
    page = visit(site)
    bar(page)
    page.locator(".sv-playback .sv-scrub").focus()
    page.keyboard.press("Home")
    moments = [page.locator(".sv-playback .sv-moment").inner_text()]
    for _ in range(4):
        page.keyboard.press("ArrowRight")
        moments.append(page.locator(".sv-playback .sv-moment").inner_text())
    assert len(set(moments)) == 5
    page.keyboard.press("PageUp")
    assert page.locator(".sv-playback .sv-moment").inner_text() == moments[3]
    page.keyboard.press("End")
    expect(page.locator(".sv-verdict")).to_be_visible()
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press(" ")  # wherever the focus is, once it plays
    expect(page.get_by_role("button", name="Play it slowly")).to_be_visible()


def test_a_live_race_shows_its_forests_and_plays_again(visit, site):
    page = visit(site)
    start(page, "Once upon a time", 12)
    expect(state(page)).to_have_text("Finished")
    bar(page)
    for lane in page.locator(".sv-lane").all():
        assert lane.locator(".sv-guess").count() > 0
    go_to(page, 0.5)
    assert 0 < sum(shown(page, lane) for lane in range(3)) < 36
    start(page, "Another one", 6)
    expect(state(page)).to_have_text("Finished")
    bar(page)
    assert [shown(page, lane) for lane in range(3)] == [6, 6, 6]


@pytest.mark.full
def test_without_motion_it_goes_from_phase_to_phase(visit, site, gallery):
    page = visit(site, reduced_motion="reduce")
    bar(page)
    page.get_by_role("button", name="Play it slowly").click()
    shown = page.locator(".sv-playback .sv-moment")
    expect(shown).not_to_contain_text("0.000 s of")
    moments = page.evaluate(
        """async () => {
          const seen = new Set();
          for (let at = 0; at < 60; at++) {
            await new Promise(requestAnimationFrame);
            seen.add(parseFloat(document.querySelector('.sv-playback .sv-moment').textContent));
          }
          return [...seen];
        }"""
    )
    motions = [lane_motion(trace)["iterations"] for trace in gallery]
    ends = [phase[1] for iterations in motions for one in iterations for phase in one["phases"].values()]
    assert all(any(abs(moment - end) < 0.001 for end in ends) for moment in moments)  # seconds, with three decimals
    expect(page.get_by_role("button", name="Play it slowly")).to_be_visible(timeout=20_000)  # as long as with motion


@pytest.mark.full
@pytest.mark.every(3)
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)], ids=str)
def test_no_barrier_and_nothing_sideways_on_the_way(visit, site, width, dark):
    page = visit(site, width=width, height=720, dark=dark)
    bar(page)
    go_to(page, 0.4)
    assert barriers(page) == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.mark.full
def test_three_lanes_and_the_bar_fit_a_projector(visit, site):
    page = visit(site)
    page.get_by_role("button", name="Play it slowly").click()
    page.get_by_role("button", name="Pause").click()
    last = page.locator(".sv-lane").nth(2).bounding_box()
    assert bar(page).bounding_box()["y"] >= 0 and last["y"] + last["height"] <= 720


@pytest.mark.full
def test_a_race_saved_as_a_file_plays_offline(visit, site, gallery, tmp_path):
    page = visit(site)
    bar(page).locator(".sv-save > summary").click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="This race as one HTML file").click()
    file = tmp_path / "race.html"
    file.write_bytes(waiting.value.path().read_bytes())
    assert waiting.value.suggested_filename == "specviz-race.html" and file.stat().st_size < 500_000
    opened = visit(file.as_uri(), ready=".sv-playback", offline=True)
    bar(opened)
    assert [shown(opened, lane) for lane in range(3)] == [len(trace.tokens) for trace in gallery]
    go_to(opened, 0.3)
    assert sum(shown(opened, lane) for lane in range(3)) < sum(len(trace.tokens) for trace in gallery)
    assert barriers(opened) == []
    opened.get_by_label("How much slower").select_option("1")
    opened.get_by_role("button", name="Play it slowly").click()
    expect(opened.locator(".sv-verdict")).to_be_visible()


@pytest.mark.full
def test_a_race_that_is_gone_says_so(visit, site):
    page = visit(site)
    bar(page)
    said = page.evaluate("() => specviz.latest('race').run = 'f'.repeat(32)")
    assert said
    bar(page).locator(".sv-save > summary").click()
    page.get_by_role("button", name="This race as one HTML file").click()
    expect(page.locator("#sv-alert")).to_contain_text("no longer kept")


@pytest.mark.parametrize("address", ["", "?view=microscope&at=1.0.0", "?view=library"], ids=["race", "step", "library"])
def test_at_400_percent_no_bar_takes_the_room(visit, site, address):
    page = visit(site + address, width=320, height=180)  # of 1280 by 720
    expect(page.locator(".sv-playback, .sv-bar, .sv-toolbar").locator("visible=true").first).to_be_visible()
    before, after = page.evaluate("""() => {
        const tops = () => [...document.querySelectorAll('.sv-playback, .sv-bar, .sv-toolbar')]
            .filter((one) => one.checkVisibility()).map((one) => Math.round(one.getBoundingClientRect().top + scrollY));
        const before = tops();
        scrollTo(0, document.documentElement.scrollHeight / 2);
        return [before, tops()];
    }""")
    assert before == after  # every bar scrolls away with the page
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
