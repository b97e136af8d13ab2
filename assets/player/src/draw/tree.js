/* A forest as it stands at a stage, for the Microscope and for Same forest. It always fits the space there is; Ctrl
   and the wheel, two fingers or the buttons make it larger, and it can be dragged then. Marks of the focus, the pins
   and what a step changed are classes of its elements. */
import { el, pushButton, svg } from '../base/dom.js';
import { figureScale } from '../base/theme.js';
import { arrange } from './arrange.js';
import { gaugeOf, guessElement, rootElement } from './elements.js';
import { anew, showing, whole, zoomed } from './view.js';

/**
 * @import { ForestGuess, ForestPicture, ForestStage } from '../payload.js'
 * @import { Arrangement, PlacedGuess } from './arrange.js'
 * @import { Size, View } from './view.js'
 * @typedef {[state: string, glyph: string, word: string][]} Marks
 * @typedef {object} Lit
 * @property {{node: number, ancestors: number[]} | null} record the node in focus
 * @property {{node: number}[]} pins
 * @property {{nodes: Set<number>}} changed what a step changed
 * @typedef {object} DrawnToken
 * @property {string} name
 * @property {number | null} node
 * @property {SVGElement} body
 * @property {SVGElement | null} edge of a root none
 * @property {SVGElement | null} glyph
 * @property {((share: number, text: string) => void) | null} gauge shows how often it is kept
 * @property {SVGElement} more what is counted below it, or how many beams drew it
 * @property {{x: number, y: number, width: number, height: number}} box
 * @property {string | undefined} state what has come of it, as far as is seen; undefined: it is not there
 */

const ROOM = { head: 20, tallest: 34, least: 15, slim: 62, widest: 150, slot: 72 }; // of a row and a column, in pixels
const GAUGED = { tallest: 46, least: 37 }; // of a row with space for how often a guess is kept
const NARROW = 54; // pixels of a column in a narrow picture, at least
const FITS = 95; // pixels of a column in which labels are whole, as a rule
const LARGEST = 1.6; // times the usual size, where a forest is small
const STEP = 1.4; // times larger at a press

// texts and attributes are written where they change only: a browser lays out anew what is written again
/** @param {Element} one @param {string} text */
const write = (one, text) => one.textContent === text || one.replaceChildren(text);
/** @param {Element} one @param {string} name @param {string} value */
const assign = (one, name, value) => one.getAttribute(name) === value || one.setAttribute(name, value);

/**
 * How much larger a small forest may be drawn.
 * @param {ForestPicture} forest @param {Size} space @param {number} tallest pixels of a row
 */
const spare = ({ depth, rows }, { width, height }, tallest) =>
  Math.min(LARGEST, Math.max(1, Math.min((width - 30) / (FITS * (depth + 0.8)), height / (2 * tallest * rows))));

/**
 * Where everything of a forest stands, in a space.
 * @param {ForestPicture} forest @param {Size} space @param {number} scale of the type
 * @param {{tallest: number, least: number}} rows
 */
function arranged(forest, space, scale, rows) {
  const { width, height } = space;
  const room = { ...ROOM, ...(width < 480 ? { slim: NARROW } : {}), ...rows };
  const grown = scale * spare(forest, { width: width / scale, height: height / scale }, room.tallest);
  const first = arrange(forest, forest.look, width, { ...room, height, scale: grown });
  const smaller = whole(first, space).scale; // what is drawn smaller to fit one way has space the other way
  return smaller < 1 ? arrange(forest, forest.look, width / smaller, { ...room, height, scale }) : first;
}

/** @param {string} words @param {string} label @param {() => void} onclick */
const button = (words, label, onclick) => pushButton(words, onclick, { 'aria-label': label });

export class Tree {
  /** @type {ForestPicture | null} */
  forest = null;
  /** @type {Marks} */
  outcomes = [];
  /** @type {ForestStage | null} */
  wanted = null;
  /** @type {Lit} */
  lit = { record: null, pins: [], changed: { nodes: new Set() } };
  /** @type {Map<string, DrawnToken>} */
  tokens = new Map();
  /** @type {Arrangement<ForestGuess> | null} */
  placed = null;
  /** @type {Size} */
  space = { width: 0, height: 0 };
  /** @type {View} */
  view = { scale: 1, x: 0, y: 0 };
  larger = false; // than fits
  roomy = false; // whether rows have space for a percentage
  /** @type {((node: number) => string) | null} */
  called = null;

  picture = svg('g', {});
  drawing = svg('svg', { class: 'sv-grown', translate: 'no', role: 'group' }, this.picture);
  element = el('div', { class: 'sv-forest-room' }, this.drawing);
  fitting = button('Fit', 'Fit the tree', () => this.whole());
  zoom = el(
    'div',
    { class: 'sv-zoom', role: 'group', 'aria-label': 'Size of the tree' },
    this.fitting,
    button('−', 'Smaller', () => this.press(1 / STEP)),
    button('+', 'Larger', () => this.press(STEP)),
  );

  /** @param {boolean} [gauged] whether stages tell how often guesses are kept */
  constructor(gauged = false) {
    this.gauged = gauged;
    this.fitting.hidden = true;
    this.listen();
    new ResizeObserver(() => this.fit()).observe(this.element);
  }

  listen() {
    const { element } = this;
    const wheel = (/** @type {WheelEvent} */ event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const box = element.getBoundingClientRect();
      const at = { x: event.clientX - box.left, y: event.clientY - box.top };
      this.enlarge(Math.exp(-event.deltaY / 240), at);
    };
    element.addEventListener('wheel', wheel, { passive: false });
    element.addEventListener('pointerdown', (event) => {
      if (this.larger && event.button === 0) this.drag(event);
    });
  }

  /** Move the picture with the pointer, until it is let go. @param {PointerEvent} start */
  drag(start) {
    const { element } = this;
    const from = { ...this.view };
    let moved = false;
    const move = (/** @type {PointerEvent} */ event) => {
      const [dx, dy] = [event.clientX - start.clientX, event.clientY - start.clientY];
      if (!moved && Math.hypot(dx, dy) < 5) return;
      moved = true;
      element.classList.add('dragged');
      this.see(zoomed({ ...from, x: from.x + dx, y: from.y + dy }, 1, { x: 0, y: 0 }, this.size(), this.space));
    };
    const end = () => {
      element.removeEventListener('pointermove', move);
      element.classList.remove('dragged');
      if (moved) element.addEventListener('click', (event) => event.stopPropagation(), { once: true, capture: true });
    };
    element.addEventListener('pointermove', move);
    for (const name of ['pointerup', 'pointercancel', 'pointerleave']) {
      element.addEventListener(name, end, { once: true });
    }
  }

  /** Another forest. @param {ForestPicture} forest @param {Marks} outcomes what a stage's numbers stand for */
  load(forest, outcomes) {
    this.wanted = null;
    this.placed = null;
    this.larger = false;
    this.called = null;
    this.change(forest, outcomes);
  }

  /** The same forest with another draw, in the same view. @param {ForestPicture} forest @param {Marks} outcomes */
  change(forest, outcomes) {
    this.forest = forest;
    this.outcomes = outcomes;
    this.build();
  }

  /** @returns {Size} of the picture */
  size() {
    const { width = 1, height = 1 } = this.placed ?? {};
    return { width, height };
  }

  /** Draw everything that any stage shows, for the space there is. */
  build() {
    const { forest, element } = this;
    if (!forest) return;
    const scale = figureScale();
    element.style.setProperty(
      '--tall',
      `${scale * (ROOM.head + forest.rows * (this.gauged ? GAUGED : ROOM).tallest + 6)}px`,
    );
    const before = { picture: this.size(), space: this.space };
    this.space = { width: element.clientWidth, height: element.clientHeight };
    if (!this.space.width || !this.space.height) return;
    this.roomy = this.gauged && scale * GAUGED.least * forest.rows <= this.space.height - scale * ROOM.head;
    const placed = arranged(forest, this.space, scale, this.roomy ? GAUGED : ROOM);
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
    this.view = this.larger ? anew(this.view, before, this.size(), this.space) : whole(this.size(), this.space);
    this.restage();
    if (this.called) this.say(this.called);
    if (focused) this.tokens.get(focused)?.body.focus();
  }

  /** What stands over the columns. @param {Arrangement<ForestGuess>} placed @param {number} scale */
  heads(placed, scale) {
    const { guesses, below, depth } = /** @type {ForestPicture} */ (this.forest);
    const deepest = Math.max(0, ...guesses.filter(({ name }) => name !== below).map(({ x }) => x));
    return Array.from({ length: deepest || depth }, (_, at) => {
      const place = { class: 'sv-depth', x: placed.column(at + 1), y: 9 * scale, 'font-size': 11 * scale };
      return svg('text', { ...place, 'data-depth': at + 1 }, `depth ${at + 1}`);
    });
  }

  /** @param {PlacedGuess<ForestGuess>} one @param {Arrangement<ForestGuess>} placed */
  guess(one, placed) {
    const { name, node, words } = one.guess;
    const { body, edge, glyph, frame } = guessElement(one, placed);
    if (node === null) body.setAttribute('data-tip', words);
    else
      for (const [key, value] of [
        ['role', 'button'],
        ['tabindex', '-1'],
      ])
        body.setAttribute(key, value);
    const box = { x: one.box.x, y: one.box.y - placed.pill / 2, width: one.box.width, height: placed.pill };
    const gauge = node === null ? null : gaugeOf(one, placed, frame);
    return this.token(name, node, { body, edge, glyph, gauge, box, placed });
  }

  /**
   * @param {string} name @param {number | null} node
   * @param {Partial<DrawnToken> & {body: SVGElement, box: DrawnToken['box'],
   *   placed: Arrangement<ForestGuess>}} drawn
   * @returns {DrawnToken}
   */
  token(name, node, { body, edge = null, glyph = null, gauge = null, box, placed }) {
    const [x, y] = edge ? [box.width + 3, 0] : [box.x + box.width - 6, box.y + box.height + 4];
    const more = svg('text', { class: 'sv-more', x, y, 'font-size': placed.type - 2 });
    body.append(more);
    if (node !== null) body.setAttribute('data-node', String(node));
    return { name, node, body, edge, glyph, gauge, more, box, state: '' };
  }

  /** Whether there is something to be seen. */
  get filled() {
    return Boolean(this.wanted && this.placed);
  }

  /** See a stage. @param {ForestStage | null} stage */
  show(stage) {
    this.wanted = stage;
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
    const { drawn, folded, ends, widths, states, kept } = wanted;
    forest.guesses.forEach(({ name, node }, at) => {
      const number = node === null ? null : states[at];
      const state = node === null ? drawn[name]?.[0] : number === null ? undefined : this.outcomes[number][0];
      const token = tokens.get(name);
      if (!token) return;
      this.stand(token, state, glyphs);
      if (kept) token.gauge?.(kept[at][0], this.roomy ? kept[at][1] : '');
    });
    for (const [name, token] of tokens) {
      const count = drawn[name]?.[1] ?? 0;
      write(token.more, folded[name] ? `+${folded[name]}` : count > 1 ? `×${count}` : '');
      token.body.classList.toggle('end', ends.includes(name));
    }
    const over = new Map(widths);
    for (const head of this.picture.querySelectorAll('.sv-depth')) {
      const depth = Number(head.getAttribute('data-depth'));
      write(head, over.get(depth) ?? `depth ${depth}`);
      head.classList.toggle('decided', over.has(depth));
    }
    this.relight();
  }

  /** @param {DrawnToken} token @param {string | undefined} state @param {Record<string, string>} glyphs */
  stand(token, state, glyphs) {
    const { body, edge, glyph } = token;
    if (token.state === state) return;
    token.state = state;
    for (const part of [body, edge]) {
      if (!part) continue;
      part.classList.toggle('later', state === undefined);
      if (state !== undefined) part.dataset.state = state;
    }
    if (glyph) glyph.textContent = glyphs[state ?? ''] ?? '';
  }

  /** Light what the views have in common. @param {Lit} lit */
  mark(lit) {
    this.lit = lit;
    this.relight();
  }

  relight() {
    const { record, pins, changed } = this.lit;
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
      if (body.hasAttribute('role')) assign(body, 'aria-pressed', String(pin >= 0));
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
      assign(body, 'data-tip', said);
      assign(body, 'aria-label', said);
    }
    const guesses = named.filter(({ body }) => body.hasAttribute('role') && !body.classList.contains('later'));
    const first = guesses.find(({ body }) => body === document.activeElement) ?? guesses[0];
    for (const { body } of guesses) assign(body, 'tabindex', body === first?.body ? '0' : '-1');
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
    assign(this.picture, 'transform', `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${scale.toFixed(4)})`);
    this.larger = scale > whole(this.size(), this.space).scale * 1.001;
    this.fitting.hidden = !this.larger;
    this.element.classList.toggle('larger', this.larger);
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
    const { record } = this.lit;
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
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!width || !height || (width === this.space.width && height === this.space.height)) return false;
    this.build();
    return true;
  }
}
