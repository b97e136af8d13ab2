/* The player: steps through the scenes of one iteration and keeps every panel in step, without asking the server.
   Give it an iteration payload (specviz/views/story/scenes.py says what is in it); the page and every exported
   file use it. */
import { closest, el } from '../base/dom.js';
import { subscribe } from '../base/shared.js';
import { changedBetween, unchanged } from './changed.js';
import { CoinHandle } from './coin-handle.js';
import { PAST_THE_END, PlayerBar, PlayerStory } from './console.js';
import { Drawers } from './drawers.js';
import { foldAt, foldsOf, openAround, opened, stepBack, stepOn } from './folds.js';
import { decidedFormula, isTold, nextVerdict, nodeWords, outcomeOf, pathWords } from './lookup.js';
import { comesWords, figureOf, samePins, startIndex, togglePin, wantedScenes } from './lookup.js';
import { PANELS, Panel } from './panel.js';
import { PinBoard } from './pins.js';

/**
 * @import { Figure, IterationPayload, Scene } from '../payload.js'
 * @import { PlotLayout, PlotTrace } from '../plotly.js'
 * @import { CoinOwner } from './coin-handle.js'
 * @import { Fold } from './folds.js'
 * @import { AnyRecord, Verdict } from './lookup.js'
 * @typedef {Omit<Figure, 'data'> & {data: PlotTrace[]}} WholeFigure a figure with its traces
 * @typedef {object} PlayerOptions
 * @property {(scene: Scene, index: number) => void} [onscene] after each step
 * @property {(direction: number) => void} [onedge] when stepping past an end
 * @property {(next: Scene, go: () => void) => boolean} [holds] whether a step forward is to wait until `go` is called
 * @property {CoinOwner} [coins] who judges a step again with another coin
 * @property {(nodes: number[]) => void} [onpins] when a reader pins or unpins
 * @property {string[]} [panels] names of those to show
 * @property {boolean} [compact] without buttons and slider
 */

const AHEAD = [1, 2, -1, 3]; // the neighbours of a step that are drawn while nothing else is to do, in this order
const MOST_PINS = 2;
const nothing = () => {};
const CHIPS = 'Drafted tokens: arrow keys move, Enter pins';
const LABEL = 'Step player: arrow keys step, space plays';

/** Once what was just changed has been painted and nothing else is to do. @param {() => void} work */
function whenIdle(work) {
  const idle = () => {
    if ('requestIdleCallback' in window) requestIdleCallback(work, { timeout: 1000 });
    else setTimeout(work, 30);
  };
  requestAnimationFrame(() => requestAnimationFrame(idle));
}

/** @type {WeakMap<Figure, WholeFigure>} */
const wholes = new WeakMap();
/**
 * The figure with its traces, which the figures of a payload share by number.
 * @param {IterationPayload} payload
 * @param {Figure | null} figure
 */
function whole({ parts }, figure) {
  if (!figure) return null;
  const known = wholes.get(figure);
  if (known) return known;
  const made = { ...figure, data: figure.data.map((number) => /** @type {PlotTrace} */ (parts[number])) };
  wholes.set(figure, made);
  return made;
}

export class Player {
  /** @type {IterationPayload | null} */
  payload = null;
  /** @type {Scene[]} */
  scenes = [];
  /** @type {Map<number, AnyRecord>} */
  records = new Map(); // roots included
  index = 0;
  timer = 0; // 0: not playing
  waiting = false; // for a moment to draw ahead
  /** @type {Fold[]} */
  folds = [];
  folding = true; // long runs of steps that are alike are one
  changed = unchanged(); // by the step on screen
  /** @type {AnyRecord | null} */
  held = null; // in focus when it is not the scene's own
  /** @type {AnyRecord[]} */
  pins = [];

  bar = new PlayerBar({
    show: (index) => this.show(index),
    back: () => this.back(),
    forward: () => this.forward(),
    toggle: () => this.playOrPause(),
    verdict: (verdict) => this.toVerdict(verdict),
  });
  story = new PlayerStory(() => this.toggleFold());
  board = new PinBoard({ ongo: (key) => this.goTo(key), onunpin: (node) => this.toggle(node) });
  chips = el('div', { class: 'sv-nodes', role: 'group', translate: 'no', 'aria-label': CHIPS });
  about = el('p', { class: 'sv-about', 'aria-hidden': 'true' }); // every chip says the same as its name
  reason = el('p', {
    class: 'sv-reason sv-formula',
    'data-part': 'formula',
    'aria-hidden': 'true',
    hidden: true,
  });
  drafted = el('div', { class: 'sv-drafted', 'data-part': 'nodes' }, this.chips, this.about, this.reason);
  heard = el('p', { class: 'sv-hidden', role: 'status' });

  /** @param {HTMLElement} root @param {PlayerOptions} [options] */
  constructor(root, options = {}) {
    const {
      onscene = nothing,
      onedge = nothing,
      onpins = nothing,
      holds = () => false,
      panels = Object.keys(PANELS),
      coins = null,
      compact,
    } = options;
    this.onscene = onscene;
    this.onedge = onedge;
    this.onpins = onpins;
    this.holds = holds;
    const onhover = (/** @type {number | null} */ node) => this.focus(node);
    const onpick = (/** @type {number | null} */ node) => this.toggle(node);
    this.panels = panels.map((name) => new Panel(name, { onhover, onpick }));
    this.coin = new CoinHandle(coins);
    this.panels.find(({ name }) => name === 'decision')?.hold(this.coin);
    this.folding = !compact;
    this.element = this.build(Boolean(compact));
    root.replaceChildren(this.element);
    this.drawers = new Drawers(
      this.element,
      this.panels,
      !compact && this.panels.length === Object.keys(PANELS).length,
    );
    this.listen();
  }

  /** @param {boolean} compact */
  build(compact) {
    const few = this.panels.length < 4 ? ' few' : '';
    return el(
      'div',
      { class: `sv-player${compact ? ' compact' : ''}`, role: 'group', tabindex: 0, 'aria-label': LABEL },
      compact ? null : this.bar.element,
      el('div', { class: 'sv-console' }, this.story.element, this.story.strip),
      el(
        'div',
        { class: `sv-panels${few}` },
        this.panels.map((one) => one.element),
      ),
      this.board.element,
      this.drafted,
      this.heard,
    );
  }

  listen() {
    const { element } = this;
    element.addEventListener('keydown', (event) => this.keys(event));
    element.addEventListener('click', (event) => this.click(event));
    for (const name of ['pointerover', 'focusin']) {
      element.addEventListener(name, ({ target }) => {
        const node = this.linked(target);
        if (node !== null) this.focus(node);
      });
    }
    for (const name of /** @type {('pointerout' | 'focusout')[]} */ (['pointerout', 'focusout'])) {
      element.addEventListener(name, ({ target, relatedTarget }) => {
        if (this.linked(target) !== null && this.linked(relatedTarget) === null) this.light(null);
      });
    }
    new IntersectionObserver(([title]) => this.bar.title(!title.isIntersecting)).observe(this.story.title);
    new ResizeObserver(() => {
      if (this.fit()) this.plan();
    }).observe(element);
    subscribe('present', () => this.fit());
    window.addEventListener('beforeprint', () => {
      for (const one of element.querySelectorAll('details')) one.open = true;
    });
  }

  /** The node that something in the page stands for, or null. @param {EventTarget | null} target */
  linked(target) {
    const owner = closest(target, '[data-node]');
    return owner && this.element.contains(owner) ? Number(owner.dataset.node) : null;
  }

  /** @param {MouseEvent} event */
  click({ target }) {
    const node = this.linked(target);
    if (node === null || !(target instanceof Element) || target.closest('.sv-card')) return;
    const { top } = target.getBoundingClientRect();
    this.toggle(node);
    const down = target.getBoundingClientRect().top - top; // the cards above a chip push it down
    window.scrollBy({ top: down, behavior: 'instant' });
  }

  /** Whether a panel took a new width. */
  fit() {
    const changed = this.panels.map((one) => one.fit()).some(Boolean);
    if (changed) this.relight();
    return changed;
  }

  /** @param {Scene} scene @param {Panel} panel */
  figure(scene, panel) {
    return this.payload && whole(this.payload, figureOf(this.payload, scene, panel.name));
  }

  /** @param {number} wanted */
  show(wanted) {
    const { payload, scenes } = this;
    if (!payload) return;
    const before = this.index;
    this.index = Math.max(0, Math.min(wanted, scenes.length - 1));
    this.folds = opened(this.folds, this.index);
    const scene = scenes[this.index];
    this.changed = changedBetween(payload, scenes, stepBack(this.folds, this.index), this.index, this.records);
    this.story.step(scene, (node) => isTold(scenes, this.index, node === null ? undefined : this.records.get(node)));
    const fold = foldAt(this.folds, this.index);
    this.bar.step(this.index, scenes, fold?.from);
    this.story.fold(fold, openAround(this.folds, this.index));
    this.bar.offer((verdict) => nextVerdict(payload, scenes, this.index, verdict) >= 0);
    for (const one of this.panels) {
      const without = comesWords(payload, scenes, this.index, one.name);
      one.show(this.figure(scene, one), payload.texts[scene.panels[one.name]] || '', without);
    }
    this.showCoin(scene);
    this.element.dataset.scene = scene.key;
    this.held = null;
    this.nameChips();
    this.markChanges(this.index > before);
    this.relight();
    this.plan();
    this.onscene(scene, this.index);
  }

  /** What the step changed is marked while it is on screen. @param {boolean} forward it has just been made */
  markChanges(forward) {
    const { tokens, nodes, panels } = this.changed;
    const { element } = this;
    element.classList.toggle('arrived', forward);
    element.classList.toggle('again'); // so that the marks move anew
    this.story.markNew(tokens);
    for (const chip of this.chipButtons()) chip.classList.toggle('changed', nodes.has(Number(chip.dataset.node)));
    for (const { name, element: panel } of this.panels) panel.classList.toggle('changed', panels.has(name));
  }

  /** Open the steps that the one on screen stands for, or fold those around it again. */
  toggleFold() {
    const closed = foldAt(this.folds, this.index);
    if (closed) {
      this.show(closed.from);
      return;
    }
    const around = openAround(this.folds, this.index);
    this.folds = this.folds.map((fold) => (fold === around ? { ...fold, open: false } : fold));
    if (around) this.show(around.to);
  }

  /** Fold long runs of steps that are alike, or show every step. @param {boolean} on */
  fold(on) {
    this.folding = on;
    const { payload, scenes } = this;
    this.folds = on && payload ? foldsOf(payload, scenes) : [];
    if (payload) this.show(this.index);
  }

  /** The number of the step under the hand, where its figure has one. @param {Scene} scene */
  showCoin(scene) {
    const panel = this.panels.find(({ name }) => name === 'decision');
    const layout = /** @type {PlotLayout | undefined} */ (panel && this.figure(scene, panel)?.layout);
    this.coin.show(scene.key, layout?.meta?.chance ?? null);
  }

  /** @param {string} key */
  goTo(key) {
    const at = this.scenes.findIndex((scene) => scene.key === key);
    if (at >= 0) this.show(at);
  }

  /** While nothing else is to do, the figures of the neighbouring steps are drawn, one at a time. */
  plan() {
    if (this.waiting) return;
    this.waiting = true;
    whenIdle(() => {
      this.waiting = false;
      if (this.drawAhead()) this.plan();
    });
  }

  /** Draw one figure of a neighbouring step; false where all are drawn. */
  drawAhead() {
    const near = AHEAD.map((step) => this.scenes[this.index + step]).filter(Boolean);
    return near.some((scene) =>
      this.panels.some((panel) => {
        const figure = this.figure(scene, panel);
        return figure !== null && panel.ahead(figure);
      }),
    );
  }

  /**
   * One focus for all views: the node under the pointer, under the keyboard, or the one the scene is about.
   * @param {AnyRecord | null} record
   */
  light(record) {
    if (!this.payload || this.held === record) return;
    this.held = record;
    this.relight();
  }

  relight() {
    const { payload, scenes, index, pins } = this;
    if (!payload) return;
    const own = scenes[index].focus;
    const record = this.held ?? (own === null ? undefined : this.records.get(own)) ?? null;
    this.lightTexts(record);
    const formula = record ? decidedFormula(scenes, index, record) : '';
    this.about.textContent = record ? nodeWords(payload, scenes[index], record) : '';
    this.reason.textContent = formula;
    this.reason.hidden = !formula || formula === scenes[index].formula;
    const { changed } = this;
    for (const one of this.panels) one.mark({ record, pins, changed });
    this.board.show(pins, (pin) => ({
      path: pathWords(this.records, pin),
      outcome: outcomeOf(payload, scenes[index], pin.node) || 'not drafted yet',
      formula: decidedFormula(scenes, index, pin),
      rows: payload.mask_rows,
    }));
  }

  /** The node in focus and its ancestors, in the chips and in the text. @param {AnyRecord | null} record */
  lightTexts(record) {
    const kin = new Set(record ? record.ancestors : []);
    for (const group of [this.chips, this.story.strip]) {
      for (const one of group.querySelectorAll('[data-node]')) {
        const node = Number(one.getAttribute('data-node'));
        one.classList.toggle('lit', record !== null && node === record.node);
        one.classList.toggle('kin', kin.has(node));
      }
    }
  }

  chipButtons() {
    return [...this.chips.querySelectorAll('button')];
  }

  buildChips(/** @type {IterationPayload} */ { nodes }) {
    const chip = (/** @type {AnyRecord} */ { node, label }, /** @type {number} */ at) => {
      const common = { type: 'button', class: 'sv-node', 'data-node': node, 'aria-pressed': 'false' };
      return el('button', { ...common, tabindex: at === 0 ? 0 : -1 }, label);
    };
    this.chips.replaceChildren(...nodes.map(chip));
    this.drafted.hidden = nodes.length === 0;
  }

  nameChips() {
    const { payload, scenes, index } = this;
    for (const chip of this.chipButtons()) {
      const record = this.records.get(Number(chip.dataset.node));
      if (!payload || !record) continue;
      const news = this.changed.nodes.has(record.node) ? 'changed by this step' : '';
      const said = [nodeWords(payload, scenes[index], record), decidedFormula(scenes, index, record), news];
      chip.setAttribute('aria-label', said.filter(Boolean).join('. '));
    }
  }

  /** Pin a drafted node, or let it go. @param {number | null} node */
  toggle(node) {
    const record = node === null || node < 0 ? undefined : this.records.get(node);
    if (!record) return;
    const was = this.pins.includes(record);
    this.setPins(togglePin(this.pins, record, MOST_PINS));
    this.heard.textContent = was ? `Unpinned ${record.label}` : `Pinned ${this.pins.length}: ${record.label}`;
    this.onpins(this.pins.map((one) => one.node));
  }

  /** @param {AnyRecord[]} pins */
  setPins(pins) {
    this.pins = pins;
    for (const chip of this.chipButtons()) {
      const at = pins.findIndex((one) => one.node === Number(chip.dataset.node));
      chip.setAttribute('aria-pressed', String(at >= 0));
      if (at >= 0) chip.dataset.pin = String(at + 1);
      else delete chip.dataset.pin;
    }
    this.relight();
  }

  back() {
    if (this.index > 0) this.show(stepBack(this.folds, this.index));
    else this.onedge(-1);
  }

  forward() {
    if (!this.payload || this.index >= this.scenes.length - 1) {
      this.pause();
      this.onedge(1);
      return;
    }
    const next = stepOn(this.folds, this.index);
    if (!this.holds(this.scenes[next], () => this.show(next))) this.show(next);
  }

  /** To the next step that accepts, or rejects, a guess. @param {Verdict} verdict */
  toVerdict(verdict) {
    const at = this.payload ? nextVerdict(this.payload, this.scenes, this.index, verdict) : -1;
    if (at >= 0) this.show(at);
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.bar.playing(false);
  }

  playOn() {
    this.timer = setTimeout(() => {
      if (this.index >= this.scenes.length - 1) this.pause();
      else {
        this.show(stepOn(this.folds, this.index));
        this.playOn();
      }
    }, this.bar.wait());
  }

  playOrPause() {
    if (this.timer) this.pause();
    else if (this.payload) {
      if (this.index >= this.scenes.length - 1) this.show(0);
      this.bar.playing(true);
      this.playOn();
    }
  }

  /**
   * A key pressed elsewhere on the page: it steps, too, unless something there wants it.
   * @param {KeyboardEvent} event
   */
  keysElsewhere(event) {
    const { target } = event;
    if (event.defaultPrevented || (target instanceof Node && this.element.contains(target))) return;
    if (closest(target, 'input, select, textarea, dialog')) return;
    const presses = [' ', 'Enter'].includes(event.key);
    if (!presses || !closest(target, 'button, a, summary, [role=button]')) this.keys(event);
  }

  /** @param {KeyboardEvent} event */
  keys(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { key, target } = event;
    const chip = closest(target, '.sv-node');
    if (chip && (key === 'ArrowRight' || key === 'ArrowLeft')) {
      this.walkChips(event, chip);
      return;
    }
    if (closest(target, 'select, summary') || (key === ' ' && closest(target, 'button'))) return;
    const action = this.keyAction(key);
    if (!action) return;
    event.preventDefault();
    action();
  }

  /** @param {KeyboardEvent} event @param {HTMLElement} chip */
  walkChips(event, chip) {
    const next = event.key === 'ArrowRight' ? chip.nextElementSibling : chip.previousElementSibling;
    if (!(next instanceof HTMLElement)) return;
    event.preventDefault();
    chip.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }

  /** @param {string} key @returns {(() => void) | null} */
  keyAction(key) {
    const unpin = () => {
      this.setPins([]);
      this.onpins([]);
    };
    /** @type {Record<string, () => void>} */
    const actions = {
      ArrowRight: () => this.forward(),
      ArrowLeft: () => this.back(),
      PageDown: () => this.forward(),
      PageUp: () => this.back(),
      a: () => this.toVerdict('accepted'),
      r: () => this.toVerdict('rejected'),
      m: () => void this.drawers.toggle('mask'),
      p: () => void this.drawers.toggle('probabilities'),
      Home: () => this.show(0),
      End: () => this.show(PAST_THE_END),
      ' ': () => this.playOrPause(),
    };
    if (key === 'Escape') return this.pins.length ? unpin : null;
    return actions[key] ?? null;
  }

  /**
   * Show a payload from `at`: a scene key, an index, or -1 for the last scene; `only`: keys of the scenes to step
   * through.
   * @param {IterationPayload} next
   * @param {string | number} [at]
   * @param {{only?: string[] | null}} [options]
   */
  load(next, at = 0, { only = null } = {}) {
    if (this.timer && this.payload && next.iteration !== this.payload.iteration) this.pause();
    const before = this.pins;
    const same = this.payload?.iteration === next.iteration;
    const wasOpen = this.folds.flatMap(({ from, open }) => (open && same ? [this.scenes[from].key] : []));
    this.payload = next;
    this.scenes = wantedScenes(next.scenes, only);
    this.folds = (this.folding && !only ? foldsOf(next, this.scenes) : []).map((fold) => ({
      ...fold,
      open: wasOpen.includes(this.scenes[fold.from].key),
    }));
    this.records = new Map([...next.roots, ...next.nodes].map((record) => [record.node, record]));
    Object.assign(this, { index: 0, held: null, pins: [] });
    this.frame(next, only);
    this.show(startIndex(this.scenes, at));
    const pins = samePins(before, this.records);
    if (pins.length) this.setPins(pins);
    if (pins.length < before.length) this.onpins(pins.map((pin) => pin.node));
  }

  /**
   * What stays while the scenes of a payload pass by.
   * @param {IterationPayload} payload
   * @param {string[] | null} only
   */
  frame(payload, only) {
    const { scenes } = this;
    const tall = Object.entries(payload.figures).some(
      ([key, { layout }]) => key.startsWith('tree') && layout.height > 300,
    );
    this.element.classList.toggle('tall', tall);
    this.bar.build(scenes);
    const entire = !only || scenes.some((scene) => scene.phase === 'commit'); // else the text would show the outcome
    const { roots } = payload;
    this.story.build(entire ? payload.text : null, roots.length === 1 ? roots[0].node : null);
    this.buildChips(payload);
    for (const one of this.panels) {
      one.about({
        ever: scenes.some((scene) => figureOf(payload, scene, one.name)),
        drafted: payload.nodes.length > 0,
      });
      one.fit();
    }
  }

  /** The scene on screen, or null. */
  scene() {
    return this.payload ? this.scenes[this.index] : null;
  }

  /**
   * Pin these nodes, at most two; those that do not exist are left out. Does not call `onpins`.
   * @param {number[]} nodes
   */
  pin(nodes) {
    if (!this.payload) return;
    const found = [...new Set(nodes)].flatMap((node) => (node >= 0 && this.records.get(node)) || []);
    this.setPins(found.slice(-MOST_PINS));
  }

  /**
   * Light a node in all views until the pointer or a step says otherwise; null: the scene's own.
   * @param {number | null} node
   */
  focus(node) {
    this.light((node === null ? undefined : this.records.get(node)) ?? null);
  }

  /** A panel by its name. @param {string} name */
  panel(name) {
    return this.panels.find((one) => one.name === name);
  }
}
