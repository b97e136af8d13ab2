"""The What-if panel in a browser: another coin, another threshold, back to the record; links that restore all of it."""

import re
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from playwright.sync_api import expect

from specviz.decoding.registry.registry import methods
from specviz.decoding.replay.judge_again import changeable, replay
from specviz.views.story.scenes import iteration_payload
from tests.browser.axe import barriers
from tests.recorded import load_gallery

TRACES = {trace.header.method.name: trace for trace in load_gallery()}


def opened(visit, recorded, methods, at, more="", **options):
    page = visit(f"{recorded}?view=microscope&recorded={','.join(methods)}&at={at}{more}", **options)
    expect(page.locator(".sv-step-count")).to_contain_text("/")
    return page


def ask_what_if(page):
    page.get_by_role("button", name="What if?").click()
    expect(page.locator("#sv-whatif")).to_be_visible()


def setting(page, name):
    return page.locator(f"#sv-whatif-{name}")


def take(page, handle):
    """The pointer holds the coin: not before the figure is drawn, which puts it on its strip, and stands still."""
    expect(handle).to_have_attribute("style", re.compile("left"))
    handle.hover()
    page.mouse.down()
    expect(page.locator(".sv-chance")).to_contain_class("moved")


def title_of(trace, index, key):
    return next(one["title"] for one in iteration_payload(trace, index)["scenes"] if one["key"] == key)


def address(page, name):
    return parse_qs(urlsplit(page.url).query).get(name, [None])[0]


def a_coin(name="speculative"):
    """(iteration, coin) of a coin that can fall both ways and was accepted."""
    for index, iteration in enumerate(TRACES[name].iterations):
        for coin in changeable(TRACES[name], index)["coins"]:
            decision = iteration.decisions[coin["decision"] - 1]
            if decision.rule == "coin" and decision.accepted and 0.05 < decision.acceptance_probability < 0.95:
                return index, coin
    raise AssertionError("no such coin in the recorded run")


def test_the_arrow_keys_on_the_coin_flip_the_verdict_and_back(visit, recorded):
    index, coin = a_coin()
    decision_index, key = coin["decision"], coin["scene"]
    trace = TRACES["speculative"]
    page = opened(visit, recorded, ["speculative", "mtad"], f"0.{index}.{key}")
    ask_what_if(page)
    slider = page.get_by_role("slider", name="Coin of token")
    field = page.locator(f"#sv-whatif-coin-{decision_index}")
    assert float(field.input_value()) == pytest.approx(coin["uniform"], rel=1e-3)
    slider.focus()
    page.keyboard.press("End")
    again = replay(trace, index, coins={decision_index: 1.0})
    assert (
        trace.iterations[index].decisions[decision_index - 1].accepted
        and not again.iterations[index].decisions[decision_index - 1].accepted
    )
    expect(page.locator(".sv-story h2")).to_have_text(title_of(again, index, key))
    expect(page.locator(".sv-replayed")).to_contain_text("Replayed: coin of token")
    before, after = (len(one.iterations[index].emitted) for one in (trace, again))
    expect(page.locator(".sv-sides dd").nth(0).locator(".sv-token")).to_have_count(before)
    expect(page.locator(".sv-sides dd").nth(1).locator(".sv-token")).to_have_count(after)
    assert address(page, "replay") == f"decision-{decision_index}:1" and address(page, "at") == f"0.{index}.{key}"
    page.keyboard.press("Home")
    expect(page.locator(".sv-story h2")).to_have_text(title_of(trace, index, key))
    expect(page.locator(".sv-replayed")).to_be_visible()  # another coin still, with the same verdict
    expect(page.locator(".sv-replayed")).to_contain_text("stays the same")
    page.get_by_role("button", name="as recorded").click()
    expect(page.locator(".sv-replayed")).to_be_hidden()
    expect(field).to_be_focused()
    assert address(page, "replay") is None


def test_the_needle_is_dragged_and_the_verdict_follows(visit, recorded):
    index, coin = a_coin()
    trace, decision_index = TRACES["speculative"], coin["decision"]
    again = replay(trace, index, coins={decision_index: 1.0})
    page = opened(visit, recorded, ["speculative", "mtad"], f"0.{index}.{coin['scene']}")
    handle, verdict = page.get_by_role("slider", name="The coin of this step"), page.locator(".sv-chance-verdict")
    expect(verdict).to_contain_text("accepted")
    take(page, handle)
    page.mouse.move(1200, handle.bounding_box()["y"], steps=2)
    expect(verdict).to_contain_text("rejected")
    expect(handle).to_have_attribute("aria-valuetext", re.compile("rejected"))
    expect(page.locator(".sv-story h2")).to_have_text(title_of(trace, index, coin["scene"]))  # only once it is let go
    page.mouse.up()
    expect(page.locator(".sv-story h2")).to_have_text(title_of(again, index, coin["scene"]))
    assert address(page, "replay").startswith(f"decision-{decision_index}:")
    page.get_by_role("button", name="Back to the recorded coin").click()
    expect(page.locator(".sv-replayed")).to_be_hidden()
    expect(verdict).to_contain_text("accepted")
    expect(handle).to_be_focused()
    page.keyboard.press("End")
    expect(verdict).to_contain_text("rejected")
    expect(page.locator(".sv-replayed")).to_contain_text("Replayed: coin of token")
    assert page.locator(".sv-player").get_attribute("data-scene") == coin["scene"]  # the key did not step


def test_the_line_of_tau_is_dragged_and_the_record_remains(visit, recorded):
    page = opened(visit, recorded, ["mtad", "speculative"], "0.0.decision-3")
    line = page.get_by_role("slider", name="Threshold τ")
    ghost = page.locator(".sv-setting-ghost")
    expect(line).to_have_attribute("aria-valuenow", "0.1")
    expect(ghost).to_be_hidden()
    before, box = title_of(TRACES["mtad"], 0, "decision-3"), line.bounding_box()
    top = page.locator(".sv-panel-decision").bounding_box()["y"]
    page.mouse.move(box["x"] + 60, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 60, box["y"] - 85, steps=4)
    value = float(line.get_attribute("aria-valuenow"))
    assert 0.3 < value < 1
    expect(page.locator(".sv-story h2")).to_have_text(before)  # only once it is let go
    page.mouse.up()
    again = replay(TRACES["mtad"], 0, tau=value)
    expect(page.locator(".sv-replayed")).to_contain_text(f"Threshold τ {value:.2f} instead of 0.10")
    expect(page.locator(".sv-story h2")).to_have_text(title_of(again, 0, "decision-3"))
    assert address(page, "replay") == f"tau:{value}"
    moved = page.locator(".sv-panel-decision").bounding_box()["y"] - top
    assert abs(moved) < 8  # a third of the handle: nothing moves away from the hand
    expect(ghost).to_be_visible()
    scene = page.locator(".sv-player").get_attribute("data-scene")
    line.press("ArrowUp")
    expect(line).not_to_have_attribute("aria-valuenow", str(value))
    assert page.locator(".sv-player").get_attribute("data-scene") == scene  # the key did not step
    page.get_by_role("button", name="Back to the record", exact=True).click()
    expect(line).to_have_attribute("aria-valuenow", "0.1")


def test_temperature_stands_over_its_bars_which_keep_marks_of_the_record(visit, recorded):
    page = opened(visit, recorded, ["mtad", "speculative"], "0.0.decision-3")
    bars = page.locator(".sv-panel-probabilities")
    expect(bars.locator(".was")).to_have_count(0)
    bars.get_by_role("slider", name="Temperature, as a slider").fill("0.3")
    expect(page.locator(".sv-replayed")).to_contain_text("Temperature 0.30 instead of 1")
    expect(bars.locator(".was")).not_to_have_count(0)
    expect(bars).to_contain_text("upright mark: as recorded")
    bars.get_by_role("button", name="as recorded: 1").click()
    expect(page.locator(".sv-replayed")).to_be_hidden()
    expect(bars.locator(".was")).to_have_count(0)


def test_the_coin_is_within_five_tab_stops(visit, recorded):
    index, coin = a_coin()
    page = opened(visit, recorded, ["speculative", "mtad"], f"0.{index}.{coin['scene']}")
    page.locator(".sv-player").focus()
    stops = 0
    while stops < 6 and not page.evaluate("document.activeElement.matches('.sv-chance-grip')"):
        page.keyboard.press("Tab")
        stops += 1
    assert stops <= 5


def test_a_finger_drags_the_coin_of_a_prefix(visit, recorded):
    """Block verification flips a coin for every prefix; a touch is followed and does not scroll the page."""
    trace, (index, at, test) = TRACES["block"], a_prefix()
    again = replay(trace, index, coins={at: 1.0})
    page = opened(visit, recorded, ["block", "mtad"], f"0.{index}.decision-{at}", has_touch=True)
    handle, verdict = page.get_by_role("slider", name="The coin of this step"), page.locator(".sv-chance-verdict")
    expect(verdict).to_contain_text("the prefix passes" if test.passes else "the prefix fails")
    page.wait_for_function("() => !document.querySelector('.waiting, .drawing')")
    handle.scroll_into_view_if_needed()
    handle.hover()  # once it stands still
    box, scrolled = handle.bounding_box(), page.evaluate("window.scrollY")
    finger = page.context.new_cdp_session(page)

    def touch(kind, *points):
        spots = [{"x": x, "y": y} for x, y in points]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": spots})

    across = box["y"] + box["height"] / 2
    touch("touchStart", (box["x"] + box["width"] / 2, across))
    touch("touchMove", (900, across - 30))
    touch("touchMove", (1270, across - 60))
    expect(verdict).to_contain_text("the prefix fails")
    assert page.evaluate("window.scrollY") == scrolled
    touch("touchEnd")
    expect(page.locator(".sv-story h2")).to_have_text(title_of(again, index, f"decision-{at}"))
    assert address(page, "replay").startswith(f"decision-{at}:")


def a_prefix():
    """(iteration, decision, test) of a prefix whose coin passes and could have failed."""
    for index, iteration in enumerate(TRACES["block"].iterations):
        for at, test in enumerate(iteration.decisions, start=1):
            if test.rule == "block" and test.passes and test.uniform is not None and test.acceptance_probability < 0.99:
                return index, at, test
    raise AssertionError("no such prefix in the recorded run")


@pytest.mark.full
def test_the_random_number_of_a_beam_is_moved_by_keys(visit, recorded):
    trace, index, key = TRACES["beam"], 3, "draw-2"
    again = replay(trace, index, coins={2: 0.0})
    page = opened(visit, recorded, ["beam", "mtad"], f"0.{index}.{key}")
    handle, verdict = (
        page.get_by_role("slider", name="The random number of this step"),
        page.locator(".sv-chance-verdict"),
    )
    expect(verdict).to_contain_text("is drawn")
    handle.focus()
    page.keyboard.press("Home")
    expect(page.locator(".sv-story h2")).to_have_text(title_of(again, index, key))
    assert title_of(again, index, key) != title_of(trace, index, key)


@pytest.mark.full
def test_what_was_drawn_is_in_sight(visit, recorded):
    """A tree of many beams is drawn to fit: what the step drew is in its panel."""
    opened(visit, recorded, ["mtjd", "mtad"], "0.18.draw-1").wait_for_function(
        """() => {
          const seen = document.querySelector('.sv-forest-room').getBoundingClientRect();
          const drawn = [...document.querySelectorAll('.sv-grown .sv-guess:not([role], .later)')];
          return drawn.length > 0 && drawn.every((one) => {
            const { top, bottom } = one.getBoundingClientRect();
            return top >= seen.top - 1 && bottom <= seen.bottom + 1;
          });
        }"""
    )


@pytest.mark.full
def test_a_long_run_of_like_steps_is_one_until_it_is_opened(visit, recorded):
    scenes = iteration_payload(TRACES["medusa"], 1)["scenes"]
    page = opened(visit, recorded, ["medusa", "mtad"], "0.1.decision-3")
    count, fold = page.locator(".sv-step-count"), page.locator(".sv-fold")
    rejected = [one["title"].endswith("rejected") for one in scenes if one["key"].startswith("decision")][2:]
    assert all(rejected) and (like := len(rejected)) > 15
    first = next(at for at, one in enumerate(scenes) if one["key"] == "decision-3")
    expect(count).to_have_text(f"{first + 1} / {len(scenes)}")
    page.keyboard.press("ArrowRight")
    expect(fold).to_have_text(f"+{like - 2} like this")
    expect(count).to_have_text(f"{first + 2}–{first + like} / {len(scenes)}")
    page.keyboard.press("ArrowLeft")
    expect(count).to_have_text(f"{first + 1} / {len(scenes)}")
    page.keyboard.press("r")  # the next rejected one is inside: it is opened
    expect(count).to_have_text(f"{first + 2} / {len(scenes)}")
    fold.click()
    expect(fold).to_have_text(f"+{like - 2} like this")
    page = opened(visit, recorded, ["medusa", "mtad"], f"0.1.{scenes[first + 5]['key']}")
    expect(page.locator(".sv-step-count")).to_have_text(f"{first + 6} / {len(scenes)}")
    expect(page.locator(".sv-story h2")).to_have_text(scenes[first + 5]["title"])


@pytest.mark.full
def test_after_a_refusal_the_controls_and_the_page_show_the_same(visit, recorded):
    index, coin = a_coin()
    page = opened(visit, recorded, ["speculative", "mtad"], f"0.{index}.{coin['scene']}")
    ask_what_if(page)
    field = page.locator(f"#sv-whatif-coin-{coin['decision']}")
    again = replay(TRACES["speculative"], index, coins={coin["decision"]: 0.999})
    recorded_value, change = field.input_value(), f"decision-{coin['decision']}:0.999"
    field.fill("7")
    expect(page.locator("#sv-whatif .sv-alert")).to_contain_text("cannot be 7: write a number from 0 to 1")
    expect(field).to_have_value(recorded_value)
    expect(field).to_be_focused()
    expect(page.locator(".sv-story h2")).to_have_text(title_of(TRACES["speculative"], index, coin["scene"]))
    assert address(page, "replay") is None
    field.fill("0.999")
    expect(page.locator(".sv-replayed")).to_contain_text("instead of")
    expect(page.locator("#sv-whatif .sv-alert")).to_be_empty()
    field.fill("7")
    expect(page.locator("#sv-whatif .sv-alert")).to_contain_text("cannot be 7: write a number from 0 to 1")
    expect(field).to_have_value("0.999")
    expect(field).to_be_focused()
    expect(page.locator(".sv-replayed")).to_be_visible()
    expect(page.locator(".sv-story h2")).to_have_text(title_of(again, index, coin["scene"]))
    assert address(page, "replay") == change


def a_threshold():
    """(iteration, tau) at which MTAD keeps another number of tokens."""
    trace = TRACES["mtad"]
    for index, iteration in enumerate(trace.iterations):
        for tau in (0.9, 0.01):
            if replay(trace, index, tau=tau).iterations[index].accepted != iteration.accepted:
                return index, tau
    raise AssertionError("no such step in the recorded run")


@pytest.mark.full
def test_another_tau_keeps_another_prefix(visit, recorded):
    index, tau = a_threshold()
    again = replay(TRACES["mtad"], index, tau=tau)
    page = opened(visit, recorded, ["mtad", "speculative"], f"0.{index}.decision-1")
    ask_what_if(page)
    setting(page, "tau").fill(str(tau))
    expect(page.locator(".sv-replayed")).to_contain_text(f"Threshold τ {tau:.2f} instead of 0.10")
    page.locator(".sv-player").focus()
    page.keyboard.press("End")
    expect(page.locator(".sv-sentence")).to_have_text(iteration_payload(again, index)["scenes"][-1]["sentence"])
    page.get_by_role("button", name="Back to the record").click()
    expect(page.locator(".sv-replayed")).to_be_hidden()
    expect(page.locator(".sv-sentence")).to_have_text(
        iteration_payload(TRACES["mtad"], index)["scenes"][-1]["sentence"]
    )
    expect(setting(page, "tau")).to_have_value("0.1")
    expect(page.get_by_role("button", name="What if?")).to_be_focused()
    assert address(page, "replay") is None


def test_a_link_restores_lane_scene_changes_and_pins(visit, recorded):
    index, coin = a_coin()
    change = f"decision-{coin['decision']}:1;temperature:0.9"
    again = replay(TRACES["speculative"], index, coins={coin["decision"]: 1.0}, temperature=0.9)
    page = opened(
        visit, recorded, ["mtad", "speculative"], f"1.{index}.{coin['scene']}", f"&replay={quote(change)}&pins=0"
    )
    for _ in range(2):
        expect(page.locator(".sv-replayed")).to_contain_text("Temperature 0.90 instead of 1")
        expect(page.locator(".sv-story h2")).to_have_text(title_of(again, index, coin["scene"]))
        expect(page.locator(".sv-lanes [aria-pressed=true]")).to_contain_text("Speculative")
        expect(page.locator(".sv-card")).to_have_count(1)
        expect(setting(page, "temperature")).to_have_value("0.9")
        assert address(page, "replay") == change and address(page, "pins") == "0"
        assert address(page, "at") == f"1.{index}.{coin['scene']}"
        page.reload()
    page.get_by_role("button", name="Dark").click()  # the same step in other colours
    expect(page.locator(".sv-replayed")).to_be_visible()
    expect(page.locator(".sv-card")).to_have_count(1)
    assert address(page, "replay") == change


@pytest.mark.full
def test_a_scene_that_only_the_replay_has_is_restored(visit, recorded):
    trace = TRACES["speculative"]
    index, coin = next(
        (index, coin)
        for index, iteration in enumerate(trace.iterations)
        for coin in changeable(trace, index)["coins"]
        if iteration.decisions[coin["decision"] - 1].rule == "coin"
        and not iteration.decisions[coin["decision"] - 1].accepted
        and iteration.decisions[coin["decision"] - 1].acceptance_probability > 0.05
        and coin["decision"] < len(iteration.forest.nodes)
    )
    key = f"decision-{coin['decision'] + 1}"
    again = replay(trace, index, coins={coin["decision"]: 0.0})
    page = opened(
        visit, recorded, ["speculative", "mtad"], f"0.{index}.{key}", f"&replay=decision-{coin['decision']}:0"
    )
    expect(page.locator(".sv-story h2")).to_have_text(title_of(again, index, key))
    expect(page.locator(".sv-replayed")).to_contain_text("which the run's seed gave")
    assert address(page, "at") == f"0.{index}.{key}"


@pytest.mark.full
def test_another_iteration_is_the_record_again(visit, recorded):
    index, coin = a_coin()
    page = opened(
        visit,
        recorded,
        ["speculative", "mtad"],
        f"0.{index}.{coin['scene']}",
        f"&replay=decision-{coin['decision']}:1&pins=0",
    )
    expect(page.locator(".sv-replayed")).to_be_visible()
    expect(page.locator(".sv-card")).to_have_count(1)
    page.get_by_label("Iteration", exact=True).select_option(index=(index + 1) % len(TRACES["speculative"].iterations))
    expect(page.locator(".sv-replayed")).to_be_hidden()
    expect(page.locator(".sv-card")).to_have_count(0)
    assert address(page, "replay") is None and address(page, "pins") is None


@pytest.mark.full
def test_a_change_that_the_step_does_not_know_is_said_and_the_record_stays(visit, recorded):
    page = opened(visit, recorded, ["speculative", "mtad"], "0.0.decision-1", "&replay=tau:.5;%3Cb%3E:1")
    expect(page.locator("#sv-whatif .sv-alert")).to_contain_text("'tau' has no effect on this verdict")
    expect(page.locator(".sv-replayed")).to_be_hidden()
    expect(page.locator(".sv-story h2")).to_have_text(title_of(TRACES["speculative"], 0, "decision-1"))


@pytest.mark.full
def test_an_incomplete_record_says_what_is_missing(visit, site):
    """The hand-made traces hold no distributions that could be warped anew."""
    page = visit(f"{site}?view=microscope&at=2.0.decision-1&replay=tau:.3")
    expect(page.locator("#sv-whatif .sv-alert")).to_contain_text("record")
    expect(page.locator(".sv-whatif-reason")).not_to_be_empty()
    expect(page.locator(".sv-replayed")).to_be_hidden()
    expect(page.locator(".sv-story h2")).not_to_be_empty()


GROUPS = [[*methods()][first : first + 4] for first in range(0, len(methods()), 4)]


@pytest.mark.every(2)
@pytest.mark.full
@pytest.mark.parametrize("names", GROUPS, ids=",".join)
def test_every_method_offers_what_can_be_changed(visit, recorded, names):
    page = opened(visit, recorded, names, "0.0.context")
    ask_what_if(page)
    for lane, name in enumerate(names):
        page.evaluate("lane => specviz.publish('open', {lane, iteration: 0, scene: 'context'})", lane)
        expect(page.locator(".sv-lanes [aria-pressed=true]")).to_contain_text(methods()[name].title)
        offers_what_can_be_changed(page, name, lane)


def offers_what_can_be_changed(page, name, lane):
    known = changeable(TRACES[name], 0)
    keys = [one["key"] for one in iteration_payload(TRACES[name], 0)["scenes"]]
    expect(page.locator(".sv-dials-row .sv-knob, .sv-heat .sv-knob")).to_have_count(len(known["options"]))
    for option in known["options"]:
        expect(page.locator(f"#sv-whatif-{option['name']}")).to_have_count(1)
    if known["reason"]:
        expect(page.locator(".sv-whatif-reason")).to_have_text(known["reason"])
    else:
        expect(page.locator(".sv-whatif-reason")).to_be_hidden()
    coins = [coin for coin in known["coins"] if coin["scene"] in keys]
    if not coins:
        return
    last = coins[-1]
    opening = "([lane, key]) => specviz.publish('open', {lane, iteration: 0, scene: key})"
    page.evaluate(opening, [lane, last["scene"]])
    expect(page.locator(".sv-story h2")).to_have_text(title_of(TRACES[name], 0, last["scene"]))
    field = page.locator(f"#sv-whatif-coin-{last['decision']}")
    field.fill("0.5")
    again = replay(TRACES[name], 0, coins={last["decision"]: 0.5})
    expect(page.locator(".sv-replayed")).to_be_visible()
    expect(page.locator(".sv-story h2")).to_have_text(title_of(again, 0, last["scene"]))
    expect(page.locator("#sv-whatif .sv-alert")).to_be_empty()


@pytest.mark.full
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_no_barrier_with_everything_open(visit, recorded, dark):
    index, coin = a_coin()
    at, change = f"0.{index}.{coin['scene']}", f"&replay=decision-{coin['decision']}:1"
    page = opened(visit, recorded, ["speculative", "mtad"], at, change, dark=dark)
    expect(page.locator(".sv-replayed")).to_be_visible()
    page.locator("#sv-microscope .sv-save > summary").click()
    assert barriers(page) == []


@pytest.mark.full
def test_it_fits_a_phone(visit, recorded):
    index, coin = a_coin()
    at, change = f"0.{index}.{coin['scene']}", f"&replay=decision-{coin['decision']}:1"
    page = opened(visit, recorded, ["speculative", "mtad", "dsbd"], at, change, width=390, height=844)
    expect(page.locator(".sv-replayed")).to_be_visible()
    page.locator("#sv-microscope .sv-save > summary").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    box = page.locator("#sv-microscope .sv-save-items").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390


@pytest.mark.full
@pytest.mark.every(2)
@pytest.mark.parametrize("name", ["speculative", "mcsd"])
def test_the_tokens_of_the_iteration_are_in_sight_in_the_text(visit, recorded, name):
    whole = """() => {
      const text = document.querySelector('#sv-microscope .sv-strip');
      const { left, right } = text.getBoundingClientRect();
      const rects = [...text.querySelectorAll('.sv-token')].flatMap((token) => [...token.getClientRects()]);
      return rects.length > 0 && rects.every((one) => one.left >= left - 1 && one.right <= right + 1);
    }"""
    page = opened(visit, recorded, [name], "0.0.context")
    for _ in TRACES[name].iterations[1:]:
        assert page.evaluate(whole), page.get_by_label("Iteration", exact=True).input_value()
        page.get_by_role("button", name="Next iteration").click()
    assert page.evaluate(whole)


@pytest.mark.full
def test_a_tree_of_sixty_guesses_fits_and_its_letters_can_be_read(visit, recorded):
    page = opened(visit, recorded, ["medusa"], "0.2.decision-3")
    lit = page.locator(".sv-grown .sv-guess.lit")
    expect(lit).to_be_visible()
    room, ring = page.locator(".sv-forest-room").bounding_box(), lit.bounding_box()
    assert room["y"] <= ring["y"] and ring["y"] + ring["height"] <= room["y"] + room["height"] + 1
    assert page.locator(".sv-grown .sv-guess[role]").count() > 60
    sizes = """labels => labels.map((one) => one.getScreenCTM().a * parseFloat(getComputedStyle(one).fontSize))"""
    assert min(page.locator(".sv-grown .sv-label").evaluate_all(sizes)) >= 8
    page.get_by_role("button", name="Larger").click()
    expect(page.get_by_role("button", name="Fit the tree")).to_be_visible()
    ring = lit.bounding_box()
    assert room["y"] <= ring["y"] + ring["height"] / 2 <= room["y"] + room["height"]
    page.get_by_role("button", name="Fit the tree").click()
    expect(page.get_by_role("button", name="Fit the tree")).to_be_hidden()
