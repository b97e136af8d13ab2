"""What is cut, covered or overlapping on a page, found by measuring boxes in the browser."""

from typing import Any

from playwright.sync_api import Page

MEASURING = """
const found = [];
const seen = (one) => one && one.getClientRects().length > 0;
const box = (one) => one.getBoundingClientRect();
const inside = (inner, outer) =>
  inner.left >= outer.left - 1 && inner.right <= outer.right + 1 &&
  inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
const apart = (a, b) =>
  a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 1 || b.bottom <= a.top + 1;
const wide = innerWidth >= 1000;
const screen = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
const allApart = (boxes, name = '') => {
  for (const [at, [text, one]] of boxes.entries())
    for (const [other, two] of boxes.slice(at + 1))
      if (!apart(one, two)) found.push(`${name}${text} over ${other}`);
};
const partsOf = (page, names) => {
  const parts = names.map((name) => [name, page.querySelector(name)]).filter(([, one]) => seen(one));
  const boxes = parts.map(([name, one]) => [name, box(one)]);
  for (const [name, { left, right }] of boxes)
    if (left < -1 || right > innerWidth + 1) found.push(`${name} is wider than the window`);
  allApart(boxes);
  if (document.documentElement.scrollWidth > innerWidth) found.push('the page is wider than the window');
  return boxes;
};
const drawing = (drawn, name) => {
  const level = (one) => !one.closest('[transform*=rotate]'); // a box around tilted words says little
  const texts = [...drawn.querySelectorAll('text')].filter((one) => one.textContent && seen(one) && level(one));
  const boxes = texts.map((one) => [one.textContent, box(one)]);
  for (const [text, one] of boxes) if (!inside(one, box(drawn))) found.push(`${name}: ${text} is cut`);
  allApart(boxes, `${name}: `);
};
const tree = (page) => {
  const room = box(page.querySelector('.sv-forest-room'));
  const guesses = [...page.querySelectorAll('.sv-grown .sv-guess:not(.later)')];
  const pills = guesses.map((one) => [one.textContent, box(one.querySelector('.sv-pill'))]);
  const said = [...page.querySelectorAll('.sv-grown .sv-gauge-text')].filter((one) => one.textContent);
  const marks = [...pills, ...said.map((one) => [one.textContent, box(one)])];
  for (const [text, one] of marks) if (!inside(one, room)) found.push(`${text} is out of the tree's room`);
  allApart(marks);
  for (const one of guesses) {
    const [label, pill] = ['.sv-label', '.sv-pill'].map((name) => box(one.querySelector(name)));
    const wider = label.left < pill.left - 1 || label.right > pill.right + 1;
    if (wider) found.push(`${one.textContent} is wider than its frame`);
  }
  if (!page.querySelector('.sv-grown .sv-root-token')) found.push('no root');
  for (const one of page.querySelectorAll('.sv-grown :is(.lit, .sv-root-token)'))
    if (!inside(box(one), { ...screen, left: room.left - 1, right: room.right + 1 }) && wide)
      found.push('root or focus is not in sight');
};
"""


WALK = """
async () => {
  const player = document.querySelector('#sv-microscope .sv-player');
  const count = player.querySelector('.sv-step-count');
  const frame = () => new Promise(requestAnimationFrame);
  const trouble = [];
  for (;;) {
    const at = count.textContent; // 8–13 / 20 where steps that are alike are one
    let found = measure();
    for (let frames = 0; found.length && frames < 30; frames += 1) { // drawings are fitted a few frames later
      await frame();
      found = measure();
    }
    trouble.push(...found.map((one) => `step ${at}: ${one}`));
    const [last, total] = at.split('/').map((part) => part.trim().split('–').at(-1));
    if (last === total) return trouble;
    player.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true, cancelable: true }));
    for (const began = performance.now(); count.textContent === at; await frame())
      if (performance.now() - began > 20000) return [...trouble, `step ${at} has no next`];
  }
}
"""


def trouble(page: Page, script: str, given: Any = None) -> list[str]:
    """What a script finds by measuring: it puts words in ``found``, and has what MEASURING has, and ``given``."""
    return page.evaluate(f"(given) => {{ {MEASURING} {script}; return [...new Set(found)]; }}", given)


def trouble_of_steps(page: Page, script: str) -> list[str]:
    """The same at every step of the iteration in the Microscope, from the one on screen to the last."""
    return page.evaluate(
        f"() => {{ const measure = () => {{ {MEASURING} {script}; return found; }}; return ({WALK})(); }}"
    )
