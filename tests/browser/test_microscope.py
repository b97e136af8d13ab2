"""The Microscope in a real browser: getting there, stepping by keys, linked panels, text equivalents."""

from playwright.sync_api import expect

from specviz.views.scenes import iteration_payload


def player(page):
    return page.locator(".sv-player")


def scene(page):
    return player(page).get_attribute("data-scene")


def opened(visit, site, at="1.0", **options):
    page = visit(f"{site}?view=microscope&at={at}", **options)
    expect(page.locator(".sv-place")).to_contain_text("/")
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
    expect(page.locator(".sv-story h2")).to_have_text(iteration_payload(gallery[1], index)["scenes"][0]["title"])


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
        expect(page.locator(".sv-place")).to_have_text(f"{at + 1} / {len(scenes)}")
        assert scene(page) == expected["key"]
        for name in ("tree", "mask", "probabilities", "decision"):
            plot = page.locator(f".sv-panel-{name} .sv-plot")
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


def test_stepping_on_leads_into_the_next_iteration_and_back(visit, site, gallery):
    page = opened(visit, site)
    player(page).focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_label("Iteration", exact=True)).to_have_value("1")
    expect(page.locator(".sv-place")).to_contain_text("1 /")
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_label("Iteration", exact=True)).to_have_value("0")
    count = len(iteration_payload(gallery[1], 0)["scenes"])
    expect(page.locator(".sv-place")).to_have_text(f"{count} / {count}")


def test_keys_do_nothing_elsewhere(visit, site):
    page = opened(visit, site)
    before = scene(page)
    page.locator(".sv-brand").focus()
    for key in ("ArrowRight", "End", " "):
        page.keyboard.press(key)
    assert scene(page) == before


def test_space_plays_and_pauses(visit, site):
    page = opened(visit, site)
    page.get_by_label("Speed").select_option(label="fast")
    player(page).focus()
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.locator(".sv-place")).to_contain_text("3 /", timeout=6000)
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()


def test_a_focused_node_lights_its_row_and_ancestors(visit, site, gallery):
    page = opened(visit, site, at="2.0.target")
    payload = iteration_payload(gallery[2], 0)
    record = next(node for node in payload["nodes"] if node["row"] is not None and len(node["ancestors"]) > 1)
    page.locator(f'.sv-node[data-node="{record["node"]}"]').hover()
    expect(page.locator(".sv-about")).to_have_text(record["text"])
    expect(page.locator(".sv-node.kin")).to_have_count(len(record["ancestors"]) - 1)  # the context has no chip
    row = page.evaluate("document.querySelector('.sv-panel-mask .sv-plot').data.at(-1).y")
    assert row[0] == record["row"] - 0.5
    rings = page.evaluate("document.querySelector('.sv-panel-tree .sv-plot').data.at(-1).x.length")
    assert rings == 1 + len(record["ancestors"])


def test_every_figure_has_its_words(visit, site, gallery):
    page = opened(visit, site, at="1.0.decision-1")
    payload = iteration_payload(gallery[1], 0)
    shown = next(one for one in payload["scenes"] if one["key"] == "decision-1")["panels"]
    for name, key in shown.items():
        panel = page.locator(f".sv-panel-{name}")
        panel.get_by_text("In words").click()
        assert panel.locator(".sv-words p").inner_text().split() == payload["texts"][key].split()


def test_hostile_tokens_are_only_text(visit, site):
    page = opened(visit, site, at="1.0.decision-2")
    expect(page.locator(".sv-story h2")).to_contain_text("<img")
    expect(page.locator(".sv-nodes")).to_contain_text("<img")
    expect(page.locator(".sv-panel-tree .main-svg").first).to_contain_text("<img")
    assert page.locator("img").count() == 0


def test_a_link_leads_to_the_same_step_of_a_new_run(visit, site):
    page = visit(site)
    page.get_by_label("Prompt", exact=True).fill("a link into the run")
    page.get_by_label("Tokens to write").fill("8")
    page.get_by_role("button", name="Run the race").click()
    expect(page.locator(".sv-state")).to_have_text("Finished")
    page.locator(".sv-lane").nth(1).locator(".sv-token").first.click()
    expect(page.locator(".sv-place")).to_contain_text("1 /")
    player(page).focus()
    page.keyboard.press("ArrowRight")
    again = visit(page.url)
    expect(again.locator(".sv-state")).to_have_text("Finished", timeout=30_000)
    expect(again.locator(".sv-story h2")).to_have_text(page.locator(".sv-story h2").inner_text())
    expect(again.locator(".sv-place")).to_have_text(page.locator(".sv-place").inner_text())
    expect(again.locator(".sv-sentence")).to_have_text(page.locator(".sv-sentence").inner_text())


def test_figures_follow_the_width_and_the_theme(visit, site):
    page = opened(visit, site, at="1.0.decision-1")
    wide = page.locator(".sv-panel-tree .main-svg").first.bounding_box()["width"]
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_timeout(300)
    narrow = page.locator(".sv-panel-tree .main-svg").first.bounding_box()["width"]
    assert narrow < wide and narrow <= 390
    ink = "document.querySelector('.sv-panel-tree .sv-plot').layout.font.color"
    light = page.evaluate(ink)
    page.get_by_role("button", name="Dark").click()
    page.wait_for_function(f"{ink} !== {light!r}")
    assert scene(page) == "decision-1"
