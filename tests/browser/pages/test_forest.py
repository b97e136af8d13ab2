"""Same forest, every verdict, in a real browser: recorded steps without a model, and drafts of a tiny pair."""

from urllib.parse import parse_qs, quote, urlencode, urlsplit

import pytest
from playwright.sync_api import Page, expect

from specviz.decoding.exact.judge import finished
from specviz.decoding.registry.parts import free_verifiers
from specviz.ui.pages.forest import START, START_COINS, START_PAIR
from specviz.ui.pages.forest_source import Forests, read_source, steps_with_forests
from specviz.ui.pages.forest_source import recorded as recorded_forest
from specviz.ui.pages.forest_verdict import verdict
from specviz.ui.serving.models import PairLoader
from specviz.ui.serving.runs import KeptRuns
from tests.browser.axe import barriers
from tests.browser.boxes import trouble
from tests.browser.conftest import served
from tests.recorded import load_gallery


@pytest.fixture(scope="module")
def traces():
    return {trace.header.method.name: trace for trace in load_gallery()}


@pytest.fixture(scope="module")
def drafting(tiny_pair, traces):
    """The page with the tiny pair."""
    loader = PairLoader(lambda: tiny_pair).start()
    assert loader.wait(60)
    with served(loader, tuple(traces.values())) as url:
        yield url


def row(page: Page, name: str):
    return page.locator(f'.sv-verdicts tbody[data-verifier="{name}"]')


def settled(page: Page, able: int = len(free_verifiers())) -> None:
    """Every row has its numbers."""
    expect(page.locator(".sv-lengths")).to_have_count(able, timeout=60_000)
    expect(page.locator(".sv-verdicts .waiting")).to_have_count(0)


def address(page: Page) -> dict[str, str]:
    (text,) = parse_qs(urlsplit(page.url).query)["forest"]
    return {name: values[0] for name, values in parse_qs(text).items()}


def percent(share: float) -> str:
    return f"{100 * share:.0f}%"


def judged(trace, step: int, name: str, seed: int = START_COINS, **options) -> dict:
    return finished(verdict(recorded_forest(trace, step, {}), name, options, seed))


@pytest.mark.full
def test_the_first_forest_needs_no_models(visit, recorded, traces):
    page = visit(f"{recorded}?view=forest")
    settled(page)
    expect(page.locator(".sv-status")).to_contain_text("Loading the models")
    for name in free_verifiers():
        expected = judged(traces[START[0]], START[1], name)
        numbers = row(page, name).locator("td b").all_inner_texts()
        assert [float(number) for number in numbers] == pytest.approx(
            [expected["accepted"], expected["tokens"]], abs=0.0051
        )
        expect(row(page, name).locator(".sv-token")).to_have_count(len(expected["emitted"]))
        assert row(page, name).locator(".sv-out").get_attribute("aria-label") == expected["words"]
        expect(row(page, name).get_by_role("img", name="A first guess is kept in")).to_have_attribute(
            "aria-label", f"A first guess is kept in {percent(expected['first'])}; the limit is 84%"
        )
    expect(page.locator(".sv-forest-summary")).to_contain_text("keeps a first guess more often than 84%.")
    expect(page.locator(".sv-forest-said")).to_have_text(judged(traces[START[0]], START[1], START_PAIR[0])["words"])
    expect(page.locator(".sv-forest-tree .sv-guess")).to_have_count(len(expected["said"]) + 1)  # and what is drawn
    assert page.locator(".js-plotly-plot").count() == 0
    expect(page.locator(".sv-forest-pair h2")).to_have_text(
        " beside ".join(free_verifiers()[name].title for name in START_PAIR)
    )
    page.locator(".sv-forest-tree").get_by_text("In words").click()
    said = page.locator(".sv-forest-tree .sv-words p").inner_text()
    shown = judged(traces[START[0]], START[1], START_PAIR[0])
    assert said.split() == " ".join([shown["lead"], *shown["said"].values(), shown["words"]]).split()


@pytest.mark.full
def test_rules_are_picked_by_keys_rows_and_buttons(visit, recorded, traces):
    page = visit(f"{recorded}?view=forest")
    settled(page)
    page.get_by_role("radio", name="Show Token by token").focus()
    page.keyboard.press("ArrowDown")
    expect(row(page, "block")).to_have_class("shown")
    expect(page.locator(".sv-forest-said")).to_have_text(judged(traces[START[0]], START[1], "block")["words"])
    assert address(page)["a"] == "block"
    row(page, "typical").locator("td").nth(3).click()
    expect(page.locator(".sv-forest-stage h2")).to_have_text("Typical acceptance")
    row(page, "rollback").locator("th b").click()
    expect(row(page, "rollback")).to_have_class("shown")
    expect(page.locator(".sv-forest-stage h2")).to_have_text("Rollback")
    page.get_by_role("radio", name="Compare with Token by token").check()
    expect(page.locator(".sv-forest-pair h2")).to_have_text("Rollback beside Token by token")
    page.get_by_role("button", name="With these guesses only").click()
    expect(page.locator(".sv-forest-notes")).to_contain_text("even a lossless rule favours them")
    again = visit(page.url)
    settled(again)
    expect(again.locator(".sv-forest-pair h2")).to_have_text("Rollback beside Token by token")
    expect(again.get_by_role("button", name="With these guesses only")).to_have_attribute("aria-pressed", "true")


@pytest.mark.full
def test_the_coins_are_flipped_and_the_forest_stays(visit, recorded, traces):
    page = visit(f"{recorded}?view=forest")
    settled(page)
    gauges = "(drawing) => [...drawing.querySelectorAll('.sv-gauge')].map((one) => one.getAttribute('width'))"
    drawing = page.locator(".sv-forest-tree .sv-grown")
    before = drawing.evaluate(gauges)
    assert len(before) == len(judged(traces[START[0]], START[1], "token")["said"])
    for seed in range(START_COINS + 1, START_COINS + 4):
        page.get_by_role("button", name="Flip the coins again").click()
        expect(page.get_by_label("Coins no.")).to_have_value(str(seed))
        expect(page.locator(".sv-forest-said")).to_have_text(judged(traces[START[0]], START[1], "token", seed)["words"])
        assert drawing.evaluate(gauges) == before
    settled(page)
    assert address(page)["seed"] == str(START_COINS + 3)


@pytest.mark.full
def test_a_slider_judges_its_own_row_again(visit, recorded, traces):
    page = visit(f"{recorded}?view=forest")
    settled(page)
    page.get_by_label("Threshold τ of MTAD's joint rule").fill("1")
    strict = judged(traces[START[0]], START[1], "joint", tau=1.0)
    expect(row(page, "joint").locator("td b").first).to_have_text(
        "0" if strict["accepted"] == 0 else f"{strict['accepted']:.2f}"
    )
    assert address(page)["v.joint.tau"] == "1"
    again = visit(page.url)
    settled(again)
    expect(again.get_by_label("Threshold τ of MTAD's joint rule")).to_have_value("1")
    assert row(again, "joint").inner_text() == row(page, "joint").inner_text()


@pytest.mark.full
def test_the_same_guesses_are_warped_anew(visit, recorded, traces):
    page = visit(f"{recorded}?view=forest")
    settled(page)
    page.locator("#sv-forest-at-temperature").fill("0.5")
    page.locator("#sv-forest-at-temperature").press("Enter")
    forests = Forests(KeptRuns([traces[START[0]]]))
    source = {"run": f"gallery:{START[0]}", "lane": 0, "step": START[1], "warp": {"temperature": 0.5}}
    cold = finished(verdict(forests.find(read_source(source)), "token", {}, START_COINS))
    expect(row(page, "token").locator("td b").first).to_have_text(f"{cold['accepted']:.2f}")
    assert address(page)["w.temperature"] == "0.5"
    page.locator("#sv-forest-at-temperature").fill("-3")
    page.locator("#sv-forest-at-temperature").press("Enter")
    expect(page.locator("#sv-forest .sv-alert").filter(has_text="temperature must be")).to_be_visible()


@pytest.mark.full
def test_a_tree_says_who_cannot_judge_it(visit, recorded, traces):
    page = visit(f"{recorded}?view=forest")
    settled(page)
    page.get_by_label("Forest of").select_option(label=traces["specinfer"].header.method.title)
    expect(row(page, "token")).to_contain_text("Judges one chain, and these guesses are a tree.")
    settled(page, able=7)
    assert row(page, "token").locator("input[type=radio]:enabled").count() == 0
    steps = steps_with_forests(traces["specinfer"])
    page.get_by_label("Recorded iteration").select_option(str(steps[-1]))
    expect(page.locator(".sv-forest-said")).to_have_text(
        judged(traces["specinfer"], steps[-1], address(page)["a"])["words"]
    )


@pytest.mark.full
def test_a_new_forest_is_drafted_refused_and_restored(visit, drafting):
    page = visit(f"{drafting}?view=forest")
    settled(page)
    page.get_by_role("button", name="Draft a new forest").click()
    page.get_by_label("Text that the guesses continue").fill("abcabc <img src=x>")
    page.get_by_label("Candidates per layer").fill("8x8x8")
    page.get_by_role("button", name="Draft it").click()
    expect(page.locator("#sv-forest-wrong")).to_contain_text("at most 256 nodes")
    expect(page.get_by_label("Candidates per layer")).to_be_focused()
    expect(page.get_by_label("Candidates per layer")).to_have_value("8x8x8")
    expect(page.get_by_label("Text that the guesses continue")).to_have_value("abcabc <img src=x>")
    page.get_by_label("Candidates per layer").fill("2x2")
    page.locator("#sv-forest-top_k").fill("4")
    page.get_by_role("button", name="Draft it").click()
    expect(page.locator(".sv-forest-about")).to_contain_text("in a tree, drawn independently of each other")
    expect(page.locator(".sv-forest-about")).to_contain_text("<img src=x>")
    settled(page, able=7)
    assert address(page)["o.k_config"] == "2x2" and page.locator('img[src="x"]').count() == 0
    again = visit(page.url)
    settled(again, able=7)
    assert again.locator(".sv-verdicts").inner_text() == page.locator(".sv-verdicts").inner_text()
    again.get_by_role("button", name="Draft a new forest").click()
    expect(again.get_by_label("Candidates per layer")).to_have_value("2x2")


@pytest.mark.full
def test_a_draft_waits_for_the_models(visit, recorded):
    page = visit(f"{recorded}?view=forest")
    settled(page)
    page.get_by_role("button", name="Draft a new forest").click()
    page.get_by_role("button", name="Draft it").click()
    expect(page.locator(".sv-forest-form [role=status]")).to_contain_text("models are still loading")


@pytest.mark.full
def test_from_a_step_and_back_to_the_microscope(visit, recorded, traces):
    page = visit(recorded)
    expect(page.locator(".sv-lane")).to_have_count(3)
    run = page.evaluate("window.specviz.latest('race').run")
    lane = run.removeprefix("gallery:").split(",").index("speculative")
    asked = {"run": run, "lane": lane, "iteration": 1}
    page.evaluate("(asked) => { specviz.publish('forest-from', asked); specviz.go('forest'); }", asked)
    settled(page)
    expect(page.locator(".sv-forest-said")).to_have_text(judged(traces["speculative"], 1, START_PAIR[0])["words"])
    again = visit(page.url)
    settled(again)
    expect(again.locator(".sv-forest-said")).to_have_text(page.locator(".sv-forest-said").inner_text())
    page.get_by_role("button", name="Open in the Microscope").click()
    page.wait_for_function(
        "(at) => (new URL(location.href).searchParams.get('at') || '').startsWith(at)", arg=f"{lane}.1."
    )
    expect(page.locator(".sv-story h2")).not_to_be_empty()


@pytest.mark.full
def test_a_step_of_another_race_is_put_on_screen_first(visit, recorded):
    page = visit(f"{recorded}?view=forest&forest=run%3Dgallery%253Aspectr%26lane%3D0%26step%3D2")
    settled(page, able=7)
    page.get_by_role("button", name="Open in the Microscope").click()
    page.wait_for_function("() => (new URL(location.href).searchParams.get('at') || '').startsWith('0.2.')")
    expect(page.locator(".sv-lanes [aria-pressed=true]")).to_contain_text("SpecTr")


@pytest.mark.full
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_no_barrier_with_a_forest_on_screen(visit, recorded, dark):
    page = visit(f"{recorded}?view=forest", dark=dark)
    settled(page)
    expect(page.locator(".sv-forest-first .sv-drawn")).to_be_visible()
    page.get_by_role("button", name="Draft a new forest").click()
    assert barriers(page) == []


@pytest.mark.every(3)
@pytest.mark.parametrize("present", [0, 1])
def test_a_phone_does_not_scroll_sideways(visit, recorded, present):
    page = visit(f"{recorded}?view=forest&present={present}", width=390, height=844)
    settled(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.full
def test_the_view_stays_when_another_rule_is_looked_at(visit, recorded):
    page = visit(f"{recorded}?view=forest&forest={of('mcsd')}")
    settled(page, able=5)
    tree = page.locator(".sv-forest-tree .sv-grown > g")
    size = "(one) => one.getAttribute('transform').split('scale')[1]"
    whole = tree.evaluate(size)
    for _ in range(2):
        page.get_by_role("button", name="Larger").click()
    near = tree.evaluate(size)
    assert near != whole
    others = [name for name in free_verifiers() if row(page, name).locator("input:enabled").count()]
    for name in [*others, others[0]]:
        row(page, name).locator("input").first.check()
        expect(page.locator(".sv-forest-stage h2")).to_have_text(free_verifiers()[name].title)
        assert tree.evaluate(size) == near
    page.get_by_role("button", name="Fit the tree").click()
    assert tree.evaluate(size) == whole


@pytest.mark.full
def test_a_guess_says_its_numbers_and_keys_walk_from_one_to_the_next(visit, recorded, traces):
    page = visit(f"{recorded}?view=forest")
    settled(page)
    said = judged(traces[START[0]], START[1], START_PAIR[0])["said"]
    guess = page.locator(".sv-forest-tree [data-node='0'].sv-guess")
    guess.hover()
    expect(page.locator("#sv-tip")).to_have_text(said["0"])
    expect(guess).to_have_class("sv-guess lit")
    guess.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".sv-forest-tree [data-node='1'].sv-guess")).to_be_focused()
    expect(page.locator("#sv-tip")).to_have_text(said["1"])
    expect(guess).to_have_class("sv-guess kin")


SIZES = {"projector": (1280, 720), "laptop": (1366, 768), "desk": (1920, 1080), "phone": (390, 844)}
LOOKS = [{"dark": False, "present": ""}, {"dark": True, "present": "&present=1"}]
TROUBLE = """
const page = document.querySelector('#sv-forest');
partsOf(page, ['.sv-forest-bar', '.sv-forest-facts', '.sv-forest-stage', '.sv-forest-rows', '.sv-forest-pair']);
const [stage, rows] = ['.sv-forest-stage', '.sv-forest-rows'].map((name) => page.querySelector(name));
if (wide && !inside(box(stage), screen)) found.push('the tree is not on the first screen');
if (wide && box(rows).top > box(stage).top + 1) found.push('the table is not beside the tree');
for (const one of [stage, rows])
  if (one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1)
    found.push(`${one.className} is cut`);
for (const one of [...page.querySelectorAll('.sv-verdicts :is(td, th)')].filter(seen))
  if (one.scrollWidth > one.clientWidth + 1) found.push(`${one.textContent} is wider than its cell`);
tree(page);
for (const drawn of page.querySelectorAll('.sv-forest-pair .sv-stage')) drawing(drawn, 'bars');
"""


def of(name: str, step: int = 2) -> str:
    """The forest of a recorded step, as an address has it."""
    return quote(urlencode({"run": f"gallery:{name}", "lane": 0, "step": step}))


@pytest.mark.full
@pytest.mark.every(5)
@pytest.mark.parametrize("look", LOOKS, ids=["light", "dark, large type"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", ["speculative", "specinfer", "mcsd", "spectr", "medusa", "dynamic-tree"])
def test_nothing_is_cut_covered_or_overlapping_under_any_rule(visit, recorded, name, size, look):
    width, height = SIZES[size]
    address = f"{recorded}?view=forest&forest={of(name)}{look['present']}"
    page = visit(address, width=width, height=height, dark=look["dark"])
    expect(page.locator(".sv-verdicts .waiting")).to_have_count(0, timeout=60_000)
    for rule in free_verifiers():
        show = row(page, rule).locator("input").first
        if show.is_disabled():
            continue
        show.check()
        expect(page.locator(".sv-forest-stage h2")).to_have_text(free_verifiers()[rule].title)
        page.evaluate("scrollTo(0, 0)")
        assert trouble(page, TROUBLE) == [], rule
