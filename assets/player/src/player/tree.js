/* The draft tree of the player: drawn once an iteration, then shown as it stands at each step. It always fits the
   space there is; Ctrl and the wheel, two fingers or the buttons make it larger, and it can be dragged then. Marks of
   the focus, the pins and what a step changed are classes of its elements. */
import { el, svg } from '../base/dom.js';
import { figureScale } from '../base/theme.js';
import { arrange } from '../draw/arrange.js';
import { guessElement, rootElement } from '../draw/elements.js';
import { drawingAsImage } from '../draw/image.js';
import { DrawingKey } from '../draw/key.js';
import { showing, whole, zoomed } from '../draw/view.js';
import { unchanged } from './changed.js';
import { PANELS } from './kinds.js';

/**
 * @import { ForestGuess, ForestPicture, ForestStage, IterationPayload } from '../payload.js'
 * @import { Arrangement, PlacedGuess } from '../draw/arrange.js'
 * @import { Size, View } from '../draw/view.js'
 * @import { Common } from './panel.js'
 * @typedef {object} DrawnToken
 * @property {string} name
 * @property {number | null} node
 * @property {SVGElement} body
 * @property {SVGElement | null} edge of a root none
 * @property {SVGElement | null} glyph
 * @property {SVGElement} more what is counted below it, or how many beams drew it
 * @property {{x: number, y: number, width: number, height: number}} box
 */

const ROOM = { head: 20, tallest: 34, least: 15, slim: 62, widest: 150, slot: 72 }; // of a row and a column, in pixels
const NARROW = { ...ROOM, slim: 54 };
const FITS = 95; // pixels of a column in which labels are whole, as a rule
const LARGEST = 1.6; // times the usual size, where a forest is small
const STEP = 1.4; // times larger at a press

/** How much larger a small forest may be drawn. @param {ForestPicture} forest @param {Size} space */
const spare = ({ depth, rows }, { width, height }) =>
  Math.min(LARGEST, Math.max(1, Math.min((width - 30) / (FITS * (depth + 0.8)), height / (2 * ROOM.tallest * rows))));

export class ForestPanel {
  name = 'tree';
  /** @type {ForestPicture | null} */
  forest = null;
  /** @type {[state: string, glyph: string, word: string][]} */
  outcomes = [];
  /** @type {ForestStage | null} */
  wanted = null;
  /** @type {Common} */
  common = { record: null, pins: [], changed: unchanged() };
  /** @type {Map<string, DrawnToken>} */
  tokens = new Map();
  /** @type {Arrangement<ForestGuess> | null} */
  placed = null;
  /** @type {Size} */
  space = { width: 0, height: 0 };
  /** @type {View} */
  view = { scale: 1, x: 0, y: 0 };
  larger = false; // than fits
  /** @type {((node: number) => string) | null} */
  called = null;

  title = el('h3', {});
  help = el('p', {});
  picture = svg('g', {});
  drawing = svg('svg', { class: 'sv-grown', translate: 'no', role: 'group' }, this.picture);
  fitting = el('button', { type: 'button', class: 'sv-chip', 'aria-label': 'Fit the tree', hidden: true }, 'Fit');
  zoom = el(
    'div',
    { class: 'sv-zoom', role: 'group', 'aria-label': 'Size of the tree' },
    this.fitting,
    el(
      'button',
      { type: 'button', class: 'sv-chip', 'aria-label': 'Smaller', onclick: () => this.press(1 / STEP) },
      '−',
    ),
    el('button', { type: 'button', class: 'sv-chip', 'aria-label': 'Larger', onclick: () => this.press(STEP) }, '+'),
  );
  corner = el('div', { class: 'sv-corner' }, this.zoom);
  stage = el('div', { class: 'sv-forest-room' }, this.drawing, this.corner);
  key = new DrawingKey();
  words = el('p', {});
  nothing = el('p', { class: 'sv-nothing', hidden: true }, '');
  more = el('details', { class: 'sv-words', 'data-part': 'words' }, el('summary', {}, 'In words'), this.words);
  foot = el('div', { class: 'sv-forest-foot' }, el('div', {}, this.key.element, this.more), this.corner);
  element = el(
    'figure',
    { class: 'sv-panel sv-panel-tree', 'data-panel': 'tree', 'data-part': 'tree' },
    el('figcaption', {}, this.title, this.help),
    this.stage,
    this.nothing,
    this.foot,
  );

  constructor() {
    this.about({ ever: true, drafted: true });
    this.fitting.addEventListener('click', () => this.whole());
    this.listen();
    new ResizeObserver(() => this.fit()).observe(this.stage);
  }

  listen() {
    const { stage } = this;
    const wheel = (/** @type {WheelEvent} */ event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const box = stage.getBoundingClientRect();
      const at = { x: event.clientX - box.left, y: event.clientY - box.top };
      this.enlarge(Math.exp(-event.deltaY / 240), at);
    };
    stage.addEventListener('wheel', wheel, { passive: false });
    stage.addEventListener('pointerdown', (event) => {
      if (this.larger && event.button === 0) this.drag(event);
    });
  }

  /** Move the picture with the pointer, until it is let go. @param {PointerEvent} start */
  drag(start) {
    const { stage } = this;
    const from = { ...this.view };
    let moved = false;
    const move = (/** @type {PointerEvent} */ event) => {
      const [dx, dy] = [event.clientX - start.clientX, event.clientY - start.clientY];
      if (!moved && Math.hypot(dx, dy) < 5) return;
      moved = true;
      stage.classList.add('dragged');
      this.see(zoomed({ ...from, x: from.x + dx, y: from.y + dy }, 1, { x: 0, y: 0 }, this.size(), this.space));
    };
    const end = () => {
      stage.removeEventListener('pointermove', move);
      stage.classList.remove('dragged');
      if (moved) stage.addEventListener('click', (event) => event.stopPropagation(), { once: true, capture: true });
    };
    stage.addEventListener('pointermove', move);
    for (const name of ['pointerup', 'pointercancel', 'pointerleave']) {
      stage.addEventListener(name, end, { once: true });
    }
  }

  /** @param {{ever: boolean, drafted: boolean}} iteration */
  about({ ever, drafted }) {
    const { heading, undrafted = heading } = PANELS.tree;
    [this.title.textContent, this.help.textContent] = drafted ? heading : undrafted;
    this.element.classList.toggle('never', !ever);
  }

  get filled() {
    return Boolean(this.wanted && this.placed);
  }

  /** Another iteration's forest. @param {IterationPayload} payload */
  load({ forest, outcomes }) {
    this.forest = forest;
    this.outcomes = outcomes;
    this.wanted = null;
    this.placed = null;
    this.called = null;
    const { marks, notes } = forest.key;
    this.key.show(
      marks.map(([state, glyph, word]) => ({ state, glyph, word })),
      notes,
    );
    this.build();
  }

  /** @returns {Size} of the picture */
  size() {
    const { width = 1, height = 1 } = this.placed ?? {};
    return { width, height };
  }

  /** Draw everything that any stage shows, for the space there is. */
  build() {
    const { forest, stage } = this;
    if (!forest) return;
    const scale = figureScale();
    const room = stage.clientWidth < 480 ? NARROW : ROOM;
    stage.style.setProperty('--tall', `${scale * (ROOM.head + forest.rows * ROOM.tallest + 6)}px`);
    this.space = { width: stage.clientWidth, height: stage.clientHeight };
    if (!this.space.width || !this.space.height) return;
    const { width, height } = this.space;
    const grown = scale * spare(forest, { width: width / scale, height: height / scale });
    const first = arrange(forest, forest.look, width, { ...room, height, scale: grown });
    const smaller = whole(first, this.space).scale; // what is drawn smaller to fit one way has space the other way
    const placed = smaller < 1 ? arrange(forest, forest.look, width / smaller, { ...room, height, scale }) : first;
    this.placed = placed;
    const focused = [...this.tokens.values()].find(({ body }) => body === document.activeElement)?.name;
    const heads = this.heads(placed, scale);
    const roots = placed.roots.map((root) => {
      const body = rootElement(root, placed);
      const box = { x: root.x - 60, y: root.y - placed.pill / 2, width: 76, height: placed.pill };
      return this.token(root.name, Number(root.name), { body, box, placed });
    });
    const guesses = placed.guesses.map((one) => this.guess(one, placed));
    this.tokens = new Map([...roots, ...guesses].map((token) => [token.name, token]));
    this.picture.setAttribute('class', forest.look);
    this.picture.replaceChildren(
      ...heads,
      ...guesses.flatMap(({ edge }) => edge ?? []),
      ...[...roots, ...guesses].map(({ body }) => body),
    );
    this.view = whole(this.size(), this.space);
    this.larger = false;
    this.restage();
    if (this.called) this.say(this.called);
    if (focused) this.tokens.get(focused)?.body.focus();
  }

  /** What stands over the columns. @param {Arrangement<ForestGuess>} placed @param {number} scale */
  heads(placed, scale) {
    const { depth } = /** @type {ForestPicture} */ (this.forest);
    return Array.from({ length: depth }, (_, at) => {
      const place = { class: 'sv-depth', x: placed.column(at + 1), y: 9 * scale, 'font-size': 11 * scale };
      return svg('text', { ...place, 'data-depth': at + 1 }, `depth ${at + 1}`);
    });
  }

  /** @param {PlacedGuess<ForestGuess>} one @param {Arrangement<ForestGuess>} placed */
  guess(one, placed) {
    const { name, node, words } = one.guess;
    const { body, edge, glyph } = guessElement(one, placed);
    if (node === null) body.setAttribute('data-tip', words);
    else
      for (const [key, value] of [
        ['role', 'button'],
        ['tabindex', '-1'],
      ])
        body.setAttribute(key, value);
    const box = { x: one.box.x, y: one.box.y - placed.pill / 2, width: one.box.width, height: placed.pill };
    return this.token(name, node, { body, edge, glyph, box, placed });
  }

  /**
   * @param {string} name @param {number | null} node
   * @param {{body: SVGElement, edge?: SVGElement | null, glyph?: SVGElement | null, box: DrawnToken['box'],
   *   placed: Arrangement<ForestGuess>}} drawn
   * @returns {DrawnToken}
   */
  token(name, node, { body, edge = null, glyph = null, box, placed }) {
    const [x, y] = edge ? [box.width + 3, 0] : [box.x + box.width - 6, box.y + box.height + 4];
    const more = svg('text', { class: 'sv-more', x, y, 'font-size': placed.type - 2 });
    body.append(more);
    if (node !== null) body.setAttribute('data-node', String(node));
    return { name, node, body, edge, glyph, more, box };
  }

  /**
   * See a stage with its words; null: say with `without` that there is nothing yet.
   * @param {ForestStage | null} stage @param {string} words @param {string} without
   */
  show(stage, words, without) {
    this.wanted = stage;
    this.element.classList.toggle('empty', !stage);
    this.nothing.hidden = Boolean(stage);
    this.nothing.textContent = without;
    this.stage.hidden = this.foot.hidden = !stage;
    this.words.textContent = words;
    if (stage && !this.placed) this.build();
    else this.restage();
  }

  /** Everything as it stands at the stage on screen. */
  restage() {
    const { forest, wanted, tokens } = this;
    if (!forest || !wanted || !this.placed) return;
    const glyphs = Object.fromEntries(
      [...this.outcomes, ...forest.key.marks].map(([state, glyph]) => [state, glyph]),
    );
    const { drawn, folded, ends, widths, states } = wanted;
    forest.guesses.forEach(({ name, node }, at) => {
      const number = node === null ? null : states[at];
      const state = node === null ? drawn[name]?.[0] : number === null ? undefined : this.outcomes[number][0];
      const token = tokens.get(name);
      if (token) this.stand(token, state, glyphs);
    });
    for (const [name, token] of tokens) {
      const count = drawn[name]?.[1] ?? 0;
      token.more.textContent = folded[name] ? `+${folded[name]}` : count > 1 ? `×${count}` : '';
      token.body.classList.toggle('end', ends.includes(name));
    }
    const over = new Map(widths);
    for (const head of this.picture.querySelectorAll('.sv-depth')) {
      const depth = Number(head.getAttribute('data-depth'));
      head.textContent = over.get(depth) ?? `depth ${depth}`;
      head.classList.toggle('decided', over.has(depth));
    }
    this.relight();
  }

  /** @param {DrawnToken} token @param {string | undefined} state @param {Record<string, string>} glyphs */
  stand({ body, edge, glyph }, state, glyphs) {
    for (const part of [body, edge]) {
      if (!part) continue;
      part.classList.toggle('later', state === undefined);
      if (state !== undefined) part.dataset.state = state;
    }
    if (glyph) glyph.textContent = glyphs[state ?? ''] ?? '';
  }

  /** Light what the views have in common. @param {Common} common */
  mark(common) {
    this.common = common;
    this.relight();
  }

  relight() {
    const { record, pins, changed } = this.common;
    const kin = new Set(record?.ancestors);
    for (const { node, body, edge } of this.tokens.values()) {
      const lit = node !== null && node === record?.node;
      const above = node !== null && kin.has(node);
      const pin = pins.findIndex((one) => one.node === node);
      body.classList.toggle('lit', lit);
      body.classList.toggle('kin', above);
      body.classList.toggle('changed', node !== null && changed.nodes.has(node));
      edge?.classList.toggle('way', lit || above);
      if (pin >= 0) body.dataset.pin = String(pin + 1);
      else delete body.dataset.pin;
      if (body.hasAttribute('role')) body.setAttribute('aria-pressed', String(pin >= 0));
    }
    this.see(this.view);
    const inFocus = record && [...this.tokens.values()].find(({ node }) => node === record.node);
    if (this.larger && inFocus) this.see(showing(this.view, inFocus.box, this.size(), this.space));
  }

  /** What each guess is called, also where they are drawn anew. @param {(node: number) => string} words */
  say(words) {
    this.called = words;
    const named = [...this.tokens.values()].filter(({ node }) => node !== null);
    for (const { node, body } of named) {
      const said = words(Number(node));
      body.dataset.tip = said;
      body.setAttribute('aria-label', said);
    }
    const guesses = named.filter(({ body }) => body.hasAttribute('role') && !body.classList.contains('later'));
    const first = guesses.find(({ body }) => body === document.activeElement) ?? guesses[0];
    for (const { body } of guesses) body.setAttribute('tabindex', body === first?.body ? '0' : '-1');
  }

  /**
   * From a guess to the one beside it.
   * @param {number} node @param {string} key
   * @returns {boolean} whether the key is one that does so
   */
  walk(node, key) {
    const shown = [...this.tokens.values()].filter(
      ({ body }) => body.hasAttribute('role') && !body.classList.contains('later'),
    );
    const guesses = new Map((this.forest?.guesses ?? []).map((one) => [one.name, one]));
    const here = guesses.get(String(node));
    if (!here) return false;
    /** @type {Record<string, (one: ForestGuess) => boolean>} */
    const wanted = {
      ArrowRight: (one) => one.parent === here.name,
      ArrowLeft: (one) => one.name === here.parent,
      ArrowUp: (one) => one.x === here.x && one.y < here.y,
      ArrowDown: (one) => one.x === here.x && one.y > here.y,
    };
    const fits = wanted[key];
    if (!fits) return false;
    const distance = (/** @type {DrawnToken} */ { name }) => Math.abs((guesses.get(name)?.y ?? 0) - here.y);
    const found = shown.filter(({ name }) => {
      const one = guesses.get(name);
      return one && fits(one);
    });
    const next = found.sort((one, other) => distance(one) - distance(other))[0];
    next?.body.focus();
    return true;
  }

  /** @param {View} view */
  see(view) {
    this.view = view;
    const { scale, x, y } = view;
    this.picture.setAttribute('transform', `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${scale.toFixed(4)})`);
    this.larger = scale > whole(this.size(), this.space).scale * 1.001;
    this.fitting.hidden = !this.larger;
    this.stage.classList.toggle('larger', this.larger);
  }

  whole() {
    this.see(whole(this.size(), this.space));
  }

  /** @param {number} times @param {{x: number, y: number}} at */
  enlarge(times, at) {
    if (this.placed) this.see(zoomed(this.view, times, at, this.size(), this.space));
  }

  /** A press of a button: around what is in focus, or the middle. @param {number} times */
  press(times) {
    const { record } = this.common;
    const token = record && [...this.tokens.values()].find(({ node }) => node === record.node);
    const { scale, x, y } = this.view;
    const { width, height } = this.space;
    const at = token
      ? { x: (token.box.x + token.box.width / 2) * scale + x, y: (token.box.y + token.box.height / 2) * scale + y }
      : { x: width / 2, y: height / 2 };
    this.enlarge(times, at);
  }

  /** Take a new size, or large type, into account; whether there is one. */
  fit() {
    const { clientWidth: width, clientHeight: height } = this.stage;
    if (!width || !height || (width === this.space.width && height === this.space.height)) return false;
    this.build();
    return true;
  }

  /** What is on screen as a file. @param {'png' | 'svg'} format @param {string} title */
  async image(format, title) {
    return this.filled ? drawingAsImage(this.drawing, format, title, this.key.element) : null;
  }
}
