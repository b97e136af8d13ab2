"""The stage, measured by boxes: at every step nothing is cut, covered or overlapping, root and focus are in sight."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.boxes import trouble_of_steps
from tests.recorded import load_gallery

TRACES = {trace.header.method.name: trace for trace in load_gallery()}
SIZES = {"projector": (1280, 720), "laptop": (1366, 768), "desk": (1920, 1080), "phone": (390, 844)}
LOOKS = [{"dark": False, "present": ""}, {"dark": True, "present": "&present=1"}]
AT = "wanted => (new URL(location.href).searchParams.get('at') || '').startsWith(wanted)"
TROUBLE = """
const player = document.querySelector('#sv-microscope .sv-player');
const panels = ['tree', 'probabilities', 'decision'].map((name) => `.sv-panel-${name}`);
for (const [name, one] of partsOf(player, ['.sv-bar', '.sv-strip', '.sv-story', ...panels]))
  if (wide && !inside(one, screen)) found.push(`${name} is not on the screen`);
const story = player.querySelector('.sv-story');
const more = player.querySelector('.sv-more-words');
if (story.scrollHeight > story.clientHeight + 1) found.push('the caption is cut');
const sentence = story.querySelector('.sv-sentence');
if (sentence.scrollHeight > sentence.clientHeight + 1 && !seen(more))
  found.push('the rest of the caption is out of reach');
const right = player.querySelector('.sv-right');
if (wide && right.scrollHeight > right.clientHeight + 1) found.push('the right column is cut');
for (const drawn of [...player.querySelectorAll('.sv-stage')].filter(seen)) {
  const name = drawn.closest('.sv-panel').dataset.panel;
  if (drawn.scrollHeight > drawn.clientHeight + 1) found.push(`${name} is scrolled`);
  drawing(drawn, name);
}
tree(player);
"""


@pytest.mark.full
@pytest.mark.every(7)
@pytest.mark.parametrize("look", LOOKS, ids=["light", "dark, large type"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", TRACES)
def test_nothing_is_cut_covered_or_overlapping_at_any_step(visit, recorded, name, size, look):
    (width, height), iterations = SIZES[size], len(TRACES[name].iterations)
    address = f"{recorded}?view=microscope&recorded={name}&at=0.0.context{look['present']}"
    page = visit(address, width=width, height=height, dark=look["dark"])
    for iteration in (0, iterations // 2):
        page.get_by_label("Iteration", exact=True).select_option(index=iteration)
        page.wait_for_function(AT, arg=f"0.{iteration}.")
        page.locator(".sv-player").press("Home")
        expect(page.locator(".sv-step-count")).to_contain_text(re.compile("^(Step )?1( |–)"))
        assert trouble_of_steps(page, TROUBLE) == [], iteration
