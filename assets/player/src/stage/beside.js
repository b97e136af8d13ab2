/* Side by side: at one position of the text what every lane did there, a column each, on scales that all share. */
import { el, pushButton, svg } from '../base/dom.js';
import { columnAt, positionsOf, wordsOf } from './position.js';
import { Sheet } from './sheet.js';

/** @import { Lane } from './position.js' */

/** The view: a bar that steps through the positions, the columns, and what they show in words. */
export class Beside {
  /** @type {Lane[]} */
  lanes = [];
  position = 0;
  /** @type {Map<number, number>} */
  pinned = new Map(); // lanes that stay at a position

  slider = el('input', {
    type: 'range',
    class: 'sv-scrub',
    min: 0,
    step: 1,
    'aria-label': 'Position in the text',
    oninput: () => this.slide(),
  });
  where = el('output', { class: 'sv-moment' });
  pins = el('span', { class: 'sv-beside-pins' });
  drawing = svg('svg', {
    class: 'sv-beside-drawing',
    translate: 'no',
    role: 'img',
    'aria-label': 'Forest, mask and gauges of every lane; in words below',
  });
  words = el('ul', {});

  /** @param {{glyphs: Record<string, string>, onmove: (position: number) => void}} options */
  constructor({ glyphs, onmove }) {
    this.glyphs = glyphs;
    this.onmove = onmove;
    this.bar = el(
      'div',
      { class: 'sv-beside-bar' },
      this.button('◀', 'One token back', -1),
      this.button('▶', 'One token on', 1),
      this.slider,
      this.where,
      el('span', { class: 'sv-beside-pin' }, 'Pin'),
      this.pins,
    );
    const words = el('details', { class: 'sv-words' }, el('summary', {}, 'In words'), this.words);
    const attributes = { class: 'sv-beside', 'aria-label': 'Side by side', 'data-part': 'beside', hidden: true };
    this.element = el('section', attributes, this.bar, this.drawing, words);
    this.element.addEventListener('pointerover', (event) => this.light(event.target));
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** @param {string} text @param {string} label @param {number} by */
  button(text, label, by) {
    const onclick = () => this.goTo(this.position + by);
    return pushButton(text, onclick, { class: 'sv-quiet', 'aria-label': label });
  }

  slide() {
    this.goTo(this.slider.valueAsNumber);
  }

  /** @param {Lane[]} lanes @param {number} position */
  load(lanes, position) {
    this.lanes = lanes;
    this.pinned.clear();
    this.slider.max = String(Math.max(0, positionsOf(lanes) - 1));
    this.goTo(position);
  }

  /** @param {number} position */
  goTo(position) {
    this.position = Math.max(0, Math.min(position, Number(this.slider.max)));
    this.slider.value = String(this.position);
    this.where.textContent = `token ${this.position + 1} of ${Number(this.slider.max) + 1}`;
    this.onmove(this.position);
    this.draw();
  }

  columns() {
    return this.lanes.map((lane, at) => columnAt(lane, this.pinned.get(at) ?? this.position));
  }

  draw() {
    const width = this.element.clientWidth;
    if (!width || this.element.hidden) return;
    const sheet = new Sheet((name) => `var(--sv-${name})`, this.glyphs, this.lanes);
    const columns = this.columns();
    const { height, parts } = sheet.page(columns, width);
    for (const [name, value] of Object.entries({ viewBox: `0 0 ${width} ${height}`, width, height }))
      this.drawing.setAttribute(name, String(value));
    this.drawing.style.fontFamily = 'var(--sv-sans)';
    this.drawing.replaceChildren(...parts);
    this.pins.replaceChildren(...this.lanes.map((lane, at) => this.pinButton(lane, at)));
    this.words.replaceChildren(
      ...columns.flatMap((column) => (column ? [el('li', {}, wordsOf(column, this.lanes))] : [])),
    );
  }

  /** @param {Lane} lane @param {number} at */
  pinButton({ view }, at) {
    const pinned = this.pinned.get(at);
    const onclick = () => {
      if (pinned === undefined) this.pinned.set(at, this.position);
      else this.pinned.delete(at);
      this.draw();
      /** @type {HTMLElement | undefined} */ (this.pins.querySelectorAll('button')[at])?.focus();
    };
    const says =
      pinned === undefined ? `Pin ${view.title} here` : `${view.title} is pinned at token ${pinned + 1}: let go`;
    const about = { 'aria-label': says, 'data-tip': says, 'aria-pressed': String(pinned !== undefined) };
    return pushButton(String(at + 1), onclick, about);
  }

  /** @param {KeyboardEvent} event */
  keys(event) {
    const { target, key } = event;
    const own = target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
    if (own || event.ctrlKey || event.metaKey || event.altKey) return;
    /** @type {Record<string, number>} */
    const ways = {
      ArrowLeft: this.position - 1,
      ArrowRight: this.position + 1,
      PageUp: this.position - 1,
      PageDown: this.position + 1,
      Home: 0,
      End: Infinity,
    };
    if (!(key in ways)) return;
    event.preventDefault();
    this.goTo(ways[key]);
  }

  /** A guess and its row of the mask light up together. @param {EventTarget | null} target */
  light(target) {
    const at = target instanceof Element ? target.closest('[data-node]') : null;
    for (const lit of this.drawing.querySelectorAll('.lit')) lit.classList.remove('lit');
    const lane = at?.closest('[data-lane]');
    if (!at || !lane) return;
    const name = at.getAttribute('data-node');
    for (const one of lane.querySelectorAll('[data-node]'))
      one.classList.toggle('lit', one.getAttribute('data-node') === name);
  }
}
