"""Every method of the catalog on the page, with the models that come along: it runs, and each iteration opens."""

import pytest
from playwright.sync_api import Page, expect

from specviz.decoding.registry.registry import methods
from specviz.lm.loading.pairs import load_pair
from specviz.ui.serving.limits import MAX_LANES
from specviz.ui.serving.models import PairLoader
from tests.browser.conftest import served
from tests.browser.pages.test_race import start, state
from tests.recorded import load_gallery

NAMES = list(methods())
GROUPS = [NAMES[start : start + MAX_LANES] for start in range(0, len(NAMES), MAX_LANES)]
TOKENS = 6
AT = "wanted => (new URL(location.href).searchParams.get('at') || '').startsWith(wanted)"


@pytest.fixture(scope="module")
def shipped():
    loader = PairLoader(load_pair).start()
    assert loader.wait(120)
    with served(loader, load_gallery()) as url:
        yield url


def choose(page: Page, names: list[str]) -> None:
    while page.locator(".sv-lane").count() < len(names):
        page.get_by_role("button", name="Add a lane").click()
    for number, name in enumerate(names, 1):
        page.get_by_label(f"Lane {number}: method").select_option(name)


@pytest.mark.full
@pytest.mark.parametrize("names", GROUPS, ids=",".join)
def test_it_runs_and_each_of_its_iterations_opens(visit, shipped, names):
    page = visit(shipped)
    choose(page, names)
    start(page, "Once upon a time there was a king who had", TOKENS)
    expect(state(page)).to_have_text("Finished", timeout=120_000)
    for lane in page.locator(".sv-lane").all()[: len(names)]:
        expect(lane.locator(".sv-token")).to_have_count(TOKENS)
        expect(lane.locator(".sv-token.pending")).to_have_count(0)
        expect(lane.locator(".sv-guarantee")).not_to_be_empty()
        assert lane.locator(".sv-dial:visible").count() >= 5
    page.get_by_role("link", name="Microscope").click()
    for lane, name in enumerate(names):
        page.locator(".sv-lanes button[aria-pressed]").nth(lane).click()
        expect(page.locator(".sv-lanes [aria-pressed=true]")).to_contain_text(methods()[name].title)
        picker = page.get_by_label("Iteration", exact=True)
        for iteration in range(picker.locator("option").count()):
            picker.select_option(index=iteration)  # a value would match labels, too
            page.wait_for_function(AT, arg=f"{lane}.{iteration}.")
            page.locator(".sv-player").focus()
            page.keyboard.press("End")
            expect(page.locator(".sv-story h2")).not_to_be_empty()
            expect(page.locator("#sv-microscope .sv-microscope > .sv-alert")).to_be_empty()
        assert lane == 0 or page.locator(".sv-grown .sv-guess").count() > 0


@pytest.mark.full
def test_recorded_lanes_are_those_of_the_methods_chosen(visit, recorded):
    """No model is loaded: the gallery is enough to look into any method."""
    traces = {trace.header.method.name: trace for trace in load_gallery()}
    page = visit(recorded)
    names = ["slim", "specinfer", "mtad", "dsbd"]
    choose(page, names)
    for lane, name in zip(page.locator(".sv-lane").all(), names, strict=True):
        expect(lane.locator(".sv-token")).to_have_count(len(traces[name].tokens))
    expect(state(page)).to_have_text("Recorded race")
    expect(page.locator(".sv-verdict li").first).to_contain_text(traces["dsbd"].header.method.title)
    page.locator(".sv-lane").nth(3).locator(".sv-token").last.click()
    last = len(traces["dsbd"].iterations) - 1
    page.wait_for_function(AT, arg=f"3.{last}.")
    again = visit(page.url)
    again.wait_for_function(AT, arg=f"3.{last}.")
    expect(again.locator(".sv-story h2")).to_have_text(page.locator(".sv-story h2").inner_text())
