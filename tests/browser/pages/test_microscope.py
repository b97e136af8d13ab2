"""The Microscope in a real browser: getting there, stepping by keys, linked panels, text equivalents."""

import re

import pytest
from playwright.sync_api import expect

from specviz.views.story.scenes import iteration_payload, words_of


def player(page):
    return page.locator(".sv-player")


def scene(page):
    return player(page).get_attribute("data-scene")


def opened(visit, site, at="1.0", **options):
    page = visit(f"{site}?view=microscope&at={at}", **options)
    expect(page.locator(".sv-step-count")).to_contain_text("/")
    return page


def test_a_token_leads_to_its_iteration(visit, site, gallery):
    page = visit(site)
    tokens = page.locator(".sv-lane").nth(1).locator(".sv-token")
    index = int(tokens.last.get_attribute("data-iteration"))
    assert index == len(gallery[1].iterations) - 1
    tokens.first.focus()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Iteration", exact=True)).to_have_value(str(index))
    expect(page.locator(".sv-lanes [aria-pressed=true]")).to_contain_text(gallery[1].header.method.title)
    payload = iteration_payload(gallery[1], index)  # the last token of the text is its draw
    drawn = next(one for one in payload["scenes"] if one["phase"] == "draw")
    expect(page.locator(".sv-story h2")).to_have_text(drawn["title"])


@pytest.mark.full
def test_a_drafted_token_leads_to_the_decision_about_it(visit, site, gallery):
    page = visit(site)
    kept = next(one for one in gallery[2].iterations[0].emitted if one.node is not None)
    page.locator(".sv-lane").nth(2).locator(".sv-token.accepted").first.click()
    record = next(one for one in iteration_payload(gallery[2], 0)["nodes"] if one["node"] == kept.node)
    expect(page.locator(".sv-player")).to_have_attribute("data-scene", record["scene"])
    assert f"at=2.0.{record['scene']}" in page.url


@pytest.mark.full
def test_keys_step_and_the_server_is_not_asked(visit, site, gallery):
    page = opened(visit, site)
    scenes = iteration_payload(gallery[1], 0)["scenes"]
    page.wait_for_timeout(500)  # the next iteration is fetched ahead
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    player(page).focus()
    for at, expected in enumerate(scenes):
        expect(page.locator(".sv-story h2")).to_have_text(expected["title"])
        expect(page.locator(".sv-sentence")).to_have_text(expected["sentence"])
        expect(page.locator(".sv-step-count")).to_have_text(f"{at + 1} / {len(scenes)}")
        assert scene(page) == expected["key"]
        expect(page.locator(".sv-grown")).to_be_visible()
        for name in ("probabilities", "decision"):
            plot = page.locator(f".sv-panel-{name} .sv-drawn")
            expect(plot).to_be_visible(visible=name in expected["panels"])
        if at + 1 < len(scenes):
            page.keyboard.press("ArrowRight")
    page.keyboard.press("Home")
    assert scene(page) == scenes[0]["key"]
    page.keyboard.press("End")
    assert scene(page) == scenes[-1]["key"]
    page.keyboard.press("ArrowLeft")
    assert scene(page) == scenes[-2]["key"]
    assert asked == []
    assert f"at=1.0.{scenes[-2]['key']}" in page.url


@pytest.mark.full
def test_stepping_on_leads_into_the_next_iteration_and_back(visit, site, gallery):
    page = opened(visit, site)
    player(page).focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_label("Iteration", exact=True)).to_have_value("1")
    expect(page.locator(".sv-step-count")).to_contain_text("1 /")
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_label("Iteration", exact=True)).to_have_value("0")
    count = len(iteration_payload(gallery[1], 0)["scenes"])
    expect(page.locator(".sv-step-count")).to_have_text(f"{count} / {count}")


@pytest.mark.full
def test_keys_that_something_else_wants_do_not_step(visit, site):
    page = opened(visit, site)
    before = scene(page)
    page.get_by_role("button", name="What if?").focus()
    page.keyboard.press(" ")
    page.get_by_label("Speed", exact=True).focus()
    for key in ("ArrowDown", "End", "a"):
        page.keyboard.press(key)
    assert scene(page) == before


@pytest.mark.full
def test_space_plays_and_pauses(visit, site):
    page = opened(visit, site)
    page.get_by_label("Speed", exact=True).select_option(label="fast")
    player(page).focus()
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.locator(".sv-step-count")).to_contain_text("3 /", timeout=6000)
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()


@pytest.mark.full
def test_a_focused_node_lights_its_row_and_ancestors(visit, site, gallery):
    page = opened(visit, site, at="2.0.target")
    payload = iteration_payload(gallery[2], 0)
    record = next(node for node in payload["nodes"] if node["row"] is not None and len(node["ancestors"]) > 1)
    page.keyboard.press("m")
    page.locator(f'.sv-guess[data-node="{record["node"]}"]').focus()
    expect(page.locator("#sv-tip")).to_have_text(f"{record['text']}, drafted, waiting")
    expect(page.locator(".sv-panel-mask .row.lit")).to_have_attribute("data-node", str(record["node"]))
    expect(page.locator(".sv-grown .sv-guess.lit")).to_have_attribute("data-node", str(record["node"]))
    expect(page.locator(".sv-grown .kin")).to_have_count(len(record["ancestors"]))


def test_every_figure_has_its_words(visit, site, gallery):
    page = opened(visit, site, at="1.0.decision-1")
    payload = iteration_payload(gallery[1], 0)
    shown = next(one for one in payload["scenes"] if one["key"] == "decision-1")["panels"]
    for name, key in sorted(shown.items(), key=lambda item: item[0] == "mask"):
        if name == "mask":
            player(page).focus()
            page.keyboard.press("m")
        panel = page.locator(f".sv-panel-{name}")
        panel.get_by_text("In words").click()
        assert panel.locator(".sv-words p").inner_text().split() == words_of(payload, key).split()


@pytest.mark.full
def test_hostile_tokens_are_only_text(visit, site):
    page = opened(visit, site, at="1.0.decision-2")
    expect(page.locator(".sv-story h2")).to_contain_text("<img")
    expect(page.locator(".sv-grown")).to_contain_text("<img")
    assert page.locator("#sv-microscope img").count() == 0


@pytest.mark.full
def test_a_link_leads_to_the_same_step_of_a_new_run(visit, site):
    page = visit(site)
    page.get_by_label("Prompt", exact=True).fill("a link into the run")
    page.get_by_label("Tokens to write").fill("8")
    page.get_by_role("button", name="Run the race").click()
    expect(page.locator(".sv-state")).to_have_text("Finished")
    page.locator(".sv-lane").nth(1).locator(".sv-token").first.click()
    expect(page.locator(".sv-step-count")).not_to_be_empty()
    player(page).focus()
    page.keyboard.press("ArrowLeft")
    again = visit(page.url)
    expect(again.locator(".sv-state")).to_have_text("Finished", timeout=30_000)
    expect(again.locator(".sv-story h2")).to_have_text(page.locator(".sv-story h2").inner_text())
    expect(again.locator(".sv-step-count")).to_have_text(page.locator(".sv-step-count").inner_text())
    expect(again.locator(".sv-sentence")).to_have_text(page.locator(".sv-sentence").inner_text())


@pytest.mark.full
def test_figures_follow_the_width_and_the_theme(visit, site):
    page = opened(visit, site, at="1.0.decision-1")
    wide = page.locator(".sv-grown").bounding_box()["width"]
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_timeout(300)
    narrow = page.locator(".sv-grown").bounding_box()["width"]
    assert narrow < wide and narrow <= 390
    ink = "getComputedStyle(document.querySelector('.sv-panel-decision .sv-drawn text')).fill"
    light = page.evaluate(ink)
    page.get_by_role("button", name="Dark").click()
    page.wait_for_function(f"{ink} !== {light!r}")
    assert scene(page) == "decision-1"


@pytest.mark.full
@pytest.mark.every(3)
@pytest.mark.parametrize("present", ["", "&present=1"], ids=["plain", "large type"])
def test_the_story_and_the_first_panels_are_above_the_fold(visit, site, present):
    page = opened(visit, site, at=f"1.0.decision-2{present}")
    story, tree = (page.locator(f"#sv-microscope {one}").bounding_box() for one in (".sv-story", ".sv-panel-tree"))
    assert story["y"] + story["height"] < 720 and tree["y"] + 150 < 720


@pytest.mark.full
def test_a_teacher_takes_parts_of_the_page_away(visit, site):
    parts = {
        "chooser": ".sv-lanes",
        "replay": ".sv-steptools [aria-controls=sv-whatif]",
        "judge": ".sv-steptools [data-part=judge]",
        "save": ".sv-save",
        "story": ".sv-story",
        "panels": ".sv-panels",
    }
    page = opened(visit, site, at=f"1.0.decision-2&hide={','.join(parts)}")
    for selector in parts.values():
        expect(page.locator(f"#sv-microscope {selector}")).to_be_hidden()
    page = opened(visit, site, at="1.0.decision-2")
    for selector in parts.values():
        expect(page.locator(f"#sv-microscope {selector}")).to_be_visible()


def test_parts_are_hidden_by_clicking_and_come_back(visit, site):
    page = opened(visit, site, at="1.0.decision-2&present=1")
    page.get_by_role("button", name="Hide", exact=True).click()
    text = page.locator("#sv-microscope .sv-strip")
    page.get_by_label("End of the text", exact=True).uncheck()
    expect(text).to_be_hidden()
    page.get_by_label("Top bar").uncheck()
    expect(page.locator("header.sv-header")).to_be_hidden()
    assert "hide=strip%2Cheader" in page.url
    page.reload()
    expect(text).to_be_hidden()
    page.get_by_role("button", name="Hide (2)").click()
    expect(page.get_by_label("End of the text", exact=True)).not_to_be_checked()
    page.get_by_role("button", name="Show all parts").click()
    expect(text).to_be_visible()
    expect(page.locator("header.sv-header")).to_be_visible()
    assert "hide=" not in page.url
    page.keyboard.press("Escape")
    expect(page.locator(".sv-hide")).to_be_hidden()


@pytest.mark.full
def test_a_run_that_the_server_forgot_leads_to_the_recorded_ones(visit, site):
    page = opened(visit, site, at="1.0.decision-1")
    page.evaluate("specviz.publish('race', {...specviz.latest('race'), run: 'f'.repeat(32), state: 'finished'})")
    alert = page.locator("#sv-microscope .sv-microscope > .sv-alert")
    expect(alert).to_contain_text("no longer kept on the server")
    alert.get_by_role("link", name="Look into the recorded runs instead").click()
    expect(page.locator(".sv-step-count")).to_contain_text("/")
    expect(page.locator("#sv-microscope .sv-lanes button[aria-pressed]")).to_have_count(3)
    assert "view=microscope" in page.url and "recorded=" in page.url
    expect(alert).to_be_empty()


@pytest.mark.full
def test_a_link_to_an_opened_file_that_is_gone_says_so(visit, site):
    page = visit(f"{site}?view=microscope&shown=file:{'0' * 64}&at=2.1.target&pins=1&replay=tau:.5")
    expect(page.locator("#sv-microscope .sv-microscope > .sv-alert")).to_contain_text("Recorded runs are shown below")
    expect(page.locator(".sv-step-count")).to_contain_text("/")
    expect(page.locator("#sv-microscope .sv-lanes [aria-pressed=true]")).to_contain_text("Speculative")  # not lane 3
    expect(page.locator(".sv-card")).to_have_count(0)
    expect(page.locator(".sv-replayed")).to_be_hidden()


@pytest.mark.full
def test_the_drafts_of_a_step_go_before_every_verifier(visit, site):
    page = opened(visit, site, at="1.0.decision-2")
    page.evaluate("specviz.subscribe('forest-from', asked => { window.asked = asked; })")
    page.get_by_role("button", name="Every verdict").click()
    expect(page.locator("html")).to_have_attribute("data-page", "forest")
    asked = page.evaluate("window.asked")
    assert (asked["lane"], asked["iteration"]) == (1, 0) and asked["run"].startswith("gallery:")


@pytest.mark.full
def test_a_step_without_drafts_has_none_to_judge(visit, site):
    page = opened(visit, site, at="0.0.context")
    expect(page.get_by_role("button", name="Every verdict")).to_be_hidden()


@pytest.mark.full
def test_pins_live_in_the_address(visit, site):
    page = opened(visit, site, at="1.0.decision-2")
    expect(page.locator(".sv-grown")).to_be_visible()
    for pins, node in enumerate((0, 2), 1):
        page.locator(f'.sv-guess[data-node="{node}"]').click()
        expect(page.locator(".sv-card")).to_have_count(pins)
    assert "pins=0%2C2" in page.url or "pins=0,2" in page.url
    page.reload()
    expect(page.locator(".sv-card")).to_have_count(2)
    expect(page.locator(".sv-card").nth(1)).to_have_attribute("data-node", "2")
    page.locator(".sv-player").focus()
    page.keyboard.press("Escape")
    expect(page.locator(".sv-card")).to_have_count(0)
    assert "pins=" not in page.url


def test_keys_work_wherever_the_focus_is(visit, site):
    page = opened(visit, site, at="1.0.context")
    page.locator("body").evaluate("body => { document.activeElement.blur(); window.scrollTo(0, 0); }")
    for key, wanted in (("ArrowRight", "draft-1"), ("PageDown", "draft-2"), ("PageUp", "draft-1"), ("Home", "context")):
        page.keyboard.press(key)
        assert scene(page) == wanted
    page.get_by_label("Iteration", exact=True).focus()
    page.keyboard.press("End")  # the picker's own
    assert scene(page) == "context"


def test_the_next_accepted_and_the_next_rejected_guess(visit, site):
    page = opened(visit, site, at="1.0.context")
    page.keyboard.press("a")
    expect(page.locator(".sv-story h2")).to_contain_text("accepted")
    page.keyboard.press("r")
    expect(page.locator(".sv-story h2")).to_contain_text("rejected")
    expect(page.get_by_role("button", name="Next rejected (R)")).to_be_disabled()
    page.keyboard.press("Home")
    page.get_by_role("button", name="Next rejected (R)").click()
    expect(page.locator(".sv-story h2")).to_contain_text("rejected")


def test_the_mask_is_small_in_the_corner_and_large_at_a_key(visit, site):
    page = opened(visit, site, at="2.0.target")
    small, large = page.locator(".sv-mini-mask"), page.locator(".sv-panel-mask .sv-drawn")
    expect(small).to_be_visible()
    expect(large).to_be_hidden()
    page.keyboard.press("m")
    expect(large).to_be_visible()
    expect(small).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".sv-panel-probabilities")).to_be_hidden()
    page.keyboard.press("Escape")
    expect(large).to_be_hidden()
    small.click()
    expect(large).to_be_visible()


@pytest.mark.full
def test_what_a_step_changed_is_marked(visit, site, gallery):
    page = opened(visit, site, at="1.0.target")
    page.keyboard.press("a")
    record = iteration_payload(gallery[1], 0)["nodes"][0]
    assert scene(page) == record["scene"]
    expect(page.locator(".sv-guess.changed")).to_have_attribute("data-node", str(record["node"]))
    expect(page.locator(".sv-strip .sv-token.changed")).to_have_count(1)
    page.keyboard.press("m")
    expect(page.locator(".sv-panel-mask .row.changed")).to_have_count(1)
    page.keyboard.press("m")
    expect(page.locator(".sv-panel-decision.changed")).to_have_count(1)
    expect(page.locator(".sv-panel-mask.changed")).to_have_count(0)


@pytest.mark.full
def test_presenting_fills_the_screen_and_escape_leaves_it(visit, site):
    page = opened(visit, site, at="1.0.decision-1")
    page.get_by_role("button", name="Present").click()
    page.wait_for_function("document.documentElement.classList.contains('sv-present')")
    page.wait_for_function("document.fullscreenElement === document.documentElement || !document.fullscreenEnabled")
    page.evaluate("document.fullscreenElement && document.exitFullscreen()")  # as Escape does
    if page.evaluate("document.fullscreenEnabled"):
        page.wait_for_function("!document.documentElement.classList.contains('sv-present')")


def test_a_verdict_is_predicted_before_it_is_seen(visit, site):
    page = opened(visit, site, at="1.0.target")
    page.get_by_role("button", name="Predict").click()
    asked = page.locator("#sv-microscope .sv-predict")
    page.keyboard.press("ArrowRight")
    expect(asked).to_contain_text("stays or goes?")
    assert scene(page) == "target"  # nothing is seen before the answer
    page.keyboard.press("ArrowRight")
    assert scene(page) == "target"
    page.keyboard.press("s")
    assert scene(page) == "decision-1"
    expect(asked).to_contain_text("1 of 1 right")
    page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="It stays (S)").click()
    expect(asked).to_contain_text("No: it goes. 1 of 2 right.")
    page.get_by_role("button", name="Predict").click()
    expect(asked).to_be_hidden()


def test_the_strip_tells_nothing_before_its_step(visit, site, gallery):
    page = opened(visit, site, at="1.0.target")
    later = page.locator(".sv-strip .sv-token.later")
    expect(later).to_have_count(len(gallery[1].iterations[0].emitted))
    page.keyboard.press("a")
    expect(later).to_have_count(len(gallery[1].iterations[0].emitted) - 1)
    page.keyboard.press("End")
    expect(later).to_have_count(0)


@pytest.mark.full
def test_keys_wait_for_a_step_that_is_on_its_way(visit, site):
    """The answer is held back: the keys pressed meanwhile skip no iteration."""
    page = visit(f"{site}?view=race")
    expect(page.locator(".sv-lane .sv-token").first).to_be_visible()
    held = []
    page.route("**/specviz/microscope/**", lambda route: held.append(route))
    page.locator(".sv-lane").nth(1).locator(".sv-token").first.click()
    iteration = page.get_by_label("Iteration", exact=True)
    expect(iteration).to_have_value("0")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.route("**/specviz/microscope/**", lambda route: route.continue_())  # it comes before the other one
    for route in held:
        route.continue_()
    expect(player(page)).to_have_attribute("data-scene", re.compile("decision-"))
    expect(iteration).to_have_value("0")


@pytest.mark.full
@pytest.mark.every(4)
@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("view=nosuch", "view=“nosuch”; there are race, microscope"),
        ("view=microscope&at=abc", "at=“abc”; a step is lane.iteration.step"),
        ("view=microscope&at=9.99.zz", "lane 9; this race has 0 to 2"),
        ("view=microscope&at=1.99", "iteration 99; lane 1 of this race has 0 to"),
        ("view=microscope&at=1.0.zz", "the step “zz”, which this iteration does not have"),
        ("view=race&prompt=Once&o.temperature=nan", "o.temperature=“nan”; it has to be a number from 0"),
        ("view=race&temperature=nan", "temperature=“nan”; here it is written o.temperature="),
        ("view=race&lanes=nosuch", "lanes=“nosuch”; here it is written lane="),
        ("view=race&class=ZZZZ", "class=“ZZZZ”; here it is written room="),
    ],
)
def test_what_an_address_cannot_have_is_said(visit, site, query, said):
    page = visit(f"{site}?{query}")
    told = page.locator("#sv-header .sv-wrong-address")
    expect(told).to_contain_text(said)
    expect(told.locator("p")).to_have_count(1)
    if "microscope" in query:
        expect(page.locator(".sv-step-count")).to_contain_text("/")  # the page goes on
    else:
        expect(page.locator(".sv-lane")).not_to_have_count(0)
    told.get_by_role("button", name="Close").click()
    expect(told).to_have_count(0)
