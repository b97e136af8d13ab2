"""The stage, measured by boxes: at every step nothing is cut, covered or overlapping, root and focus are in sight."""

import threading

import pytest
from playwright.sync_api import expect

from specviz.ui.page import load_gallery
from specviz.ui.serving.models import PairLoader
from tests.browser.conftest import served

TRACES = {trace.header.method.name: trace for trace in load_gallery()}
SIZES = {"projector": (1280, 720), "laptop": (1366, 768), "desk": (1920, 1080), "phone": (390, 844)}
LOOKS = [{"dark": False, "present": ""}, {"dark": True, "present": "&present=1"}]
TROUBLE = """() => {
  const found = [];
  const player = document.querySelector('#sv-microscope .sv-player');
  const wide = innerWidth >= 1000;
  const seen = (one) => one && one.getClientRects().length > 0;
  const box = (one) => one.getBoundingClientRect();
  const inside = (inner, outer) =>
    inner.left >= outer.left - 1 && inner.right <= outer.right + 1 &&
    inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
  const apart = (a, b) =>
    a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 1 || b.bottom <= a.top + 1;
  const panels = ['tree', 'probabilities', 'decision'].map((name) => `.sv-panel-${name}`);
  const names = ['.sv-bar', '.sv-strip', '.sv-story', ...panels];
  const parts = names.map((name) => [name, player.querySelector(name)]).filter(([, one]) => seen(one));
  const screen = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  for (const [at, [name, one]] of parts.entries()) {
    if (wide && !inside(box(one), screen)) found.push(`${name} is not on the screen`);
    if (box(one).left < -1 || box(one).right > innerWidth + 1) found.push(`${name} is wider than the window`);
    for (const [other, two] of parts.slice(at + 1)) if (!apart(box(one), box(two))) found.push(`${name} over ${other}`);
  }
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
    const level = (one) => !one.closest('[transform*=rotate]'); // a box around tilted words says little
    const texts = [...drawn.querySelectorAll('text')].filter((one) => one.textContent && seen(one) && level(one));
    const boxes = texts.map((one) => [one.textContent, box(one)]);
    for (const [at, [text, one]] of boxes.entries()) {
      if (!inside(one, box(drawn))) found.push(`${name}: ${text} is cut`);
      for (const [other, two] of boxes.slice(at + 1))
        if (!apart(one, two)) found.push(`${name}: ${text} over ${other}`);
    }
  }
  const room = box(player.querySelector('.sv-forest-room'));
  const guesses = [...player.querySelectorAll('.sv-grown .sv-guess:not(.later)')];
  const pills = guesses.map((one) => [one.textContent, box(one.querySelector('.sv-pill'))]);
  for (const [text, one] of pills) if (!inside(one, room)) found.push(`${text} is out of the tree's room`);
  for (const [at, [text, one]] of pills.entries())
    for (const [other, two] of pills.slice(at + 1)) if (!apart(one, two)) found.push(`${text} over ${other}`);
  for (const one of guesses) {
    const [label, pill] = ['.sv-label', '.sv-pill'].map((name) => box(one.querySelector(name)));
    const wider = label.left < pill.left - 1 || label.right > pill.right + 1;
    if (wider) found.push(`${one.textContent} is wider than its frame`);
  }
  if (!player.querySelector('.sv-grown .sv-root-token')) found.push('no root');
  for (const one of player.querySelectorAll('.sv-grown :is(.lit, .sv-root-token)'))
    if (!inside(box(one), { ...screen, ...{ left: room.left - 1, right: room.right + 1 } }) && wide)
      found.push('root or focus is not in sight');
  if (document.documentElement.scrollWidth > innerWidth) found.push('the page is wider than the window');
  return [...new Set(found)];
}"""


@pytest.fixture(scope="module")
def recorded():
    """The page with its recorded runs; no model is ever loaded."""
    never = threading.Event()
    with served(PairLoader(lambda: never.wait(600)).start(), tuple(TRACES.values())) as url:
        yield url
    never.set()


@pytest.mark.full
@pytest.mark.every(8)
@pytest.mark.parametrize("look", LOOKS, ids=["light", "dark, large type"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", TRACES)
def test_nothing_is_cut_covered_or_overlapping_at_any_step(visit, recorded, name, size, look):
    (width, height), iterations = SIZES[size], len(TRACES[name].iterations)
    for iteration in sorted({0, iterations // 2, iterations - 1}):
        address = f"{recorded}?view=microscope&recorded={name}&at=0.{iteration}.context{look['present']}"
        page = visit(address, width=width, height=height, dark=look["dark"])
        expect(page.get_by_label("Iteration", exact=True)).to_have_value(str(iteration))
        expect(page.locator(".sv-step-count")).to_contain_text("1 /")
        page.locator(".sv-player").focus()
        count, total = page.locator(".sv-step-count"), page.locator(".sv-step-count").inner_text().split("/")[1]
        while True:
            at = count.inner_text()  # 8–13 where steps that are alike are one
            assert page.evaluate(TROUBLE) == [], f"iteration {iteration}, step {at}"
            if at.split("/")[0].strip().split("–")[-1] == total.strip():
                break
            page.keyboard.press("ArrowRight")
            expect(count).not_to_have_text(at)
        page.close()
