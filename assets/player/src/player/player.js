/* The player: steps through the scenes of one iteration and keeps every panel in step, without asking the server.
   Give it an iteration payload (specviz/views/story/scenes.py says what is in it); the page and every exported
   file use it. */
import { closest, el } from '../base/dom.js';
import { subscribe } from '../base/shared.js';
import { figureScale } from '../base/theme.js';
import { stripOf } from '../draw/picture.js';
import { besideRecord } from '../draw/recorded.js';
import { changedBetween, unchanged } from './changed.js';
import { CoinHandle } from './coin-handle.js';
import { PAST_THE_END, PlayerBar, PlayerStory } from './console.js';
import { foldAt, foldsOf, openAround, opened, stepBack, stepOn } from './folds.js';
import { decidedFormula, isTold, nextVerdict, nodeWords, outcomeOf, pathWords } from './lookup.js';
import {
  emptyWords,
  hasPanel,
  pictureOf,
  samePins,
  stageOf,
  startIndex,
  togglePin,
  wantedScenes,
  wordsOf,
} from './lookup.js';
import { PANELS } from './kinds.js';
import { MiniMask } from './mini-mask.js';
import { Panel } from './panel.js';
import { PinBoard } from './pins.js';
import { divided } from './room.js';
import { SettingHandle } from './setting-handle.js';
import { ForestPanel } from './tree.js';

/**
 * @import { IterationPayload, Picture, Scene } from '../payload.js'
 * @import { CoinOwner } from './coin-handle.js'
 * @import { SettingOwner } from './setting-handle.js'
 * @import { Fold } from './folds.js'
 * @import { Needs } from '../draw/marks.js'
 * @import { AnyRecord, Verdict } from './lookup.js'
 * @typedef {{panel: Panel, picture: Picture}} Shown
 * @typedef {object} PlayerOptions
 * @property {(scene: Scene, index: number) => void} [onscene] after each step
 * @property {(direction: number) => void} [onedge] when stepping past an end
 * @property {(next: Scene, go: () => void) => boolean} [holds] whether a step forward is to wait until `go` is called
 * @property {CoinOwner} [coins] who judges a step again with another coin
 * @property {SettingOwner} [settings] or with another threshold
 * @property {(nodes: number[]) => void} [onpins] when a reader pins or unpins
 * @property {string[]} [panels] names of those to show
 * @property {boolean} [compact] without buttons and slider
 * @property {number} [stagedFrom] pixels of a window in which all panels are on one screen
 */

const MOST_PINS = 2;
const SHARE = 0.62; // of the window's height: a picture at most, where it stands among others
const COMPACT = 0.3; // the same, where it stands among a lesson's words
const nothing = () => {};
const whenIdle = window.requestIdleCallback ?? setTimeout; // Safari has none

/** How high pictures are that stand among other parts. @param {Shown[]} shown @param {Needs[]} needs */
function usual(shown, needs) {
  const share = shown.some(({ panel }) => panel.element.closest('.compact')) ? COMPACT : SHARE;
  return needs.map(({ least, wanted }, at) =>
    Math.max(least, Math.min(wanted, figureScale() * PANELS[shown[at].panel.name].most, share * window.innerHeight)),
  );
}

/**
 * The largest type with which pictures are whole, and how high they are then.
 * @param {Shown[]} shown @param {number} [height] of all
 */
function sized(shown, height) {
  const [wished, middle] = [figureScale(), (1 + figureScale()) / 2];
  const tries = [...new Set([wished, middle, 1])].map((scale) => {
    const needs = shown.map(({ panel, picture }) => panel.needs(picture, scale));
    return { scale, needs, heights: height === undefined ? usual(shown, needs) : divided(needs, height) };
  });
  const fits = (/** @type {typeof tries[number]} */ { needs, heights }) =>
    needs.every(({ least }, at) => heights[at] > least - 1);
  return tries.find(fits) ?? tries[tries.length - 1];
}

const APART = 8; // pixels between the panels of the right column
const LABEL = 'Step player: arrow keys step, space plays';

export class Player {
  /** @type {IterationPayload | null} */
  payload = null;
  /** @type {IterationPayload | null} */
  record = null; // what it is a replay of
  /** @type {Scene[]} */
  scenes = [];
  /** @type {Map<number, AnyRecord>} */
  records = new Map(); // roots included
  index = 0;
  timer = 0; // 0: not playing
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
  mask = new MiniMask(() => this.toggleMask());
  right = el('div', { class: 'sv-right' });
  heard = el('p', { class: 'sv-hidden', role: 'status' });
  fitted = [0, 0, 0]; // the space that all was last drawn for
  sizes = new ResizeObserver(() => {
    const space = this.measured(this.space()[1]);
    if (space.some((size, at) => Math.abs(size - this.fitted[at]) > 1)) this.fit();
  });

  /** @param {HTMLElement} root @param {PlayerOptions} [options] */
  constructor(root, options = {}) {
    const {
      onscene = nothing,
      onedge = nothing,
      onpins = nothing,
      holds = () => false,
      panels = Object.keys(PANELS),
      coins = null,
      settings = null,
      compact,
      stagedFrom = 1000,
    } = options;
    this.onscene = onscene;
    this.onedge = onedge;
    this.onpins = onpins;
    this.holds = holds;
    this.panels = panels.map((name) => (name === 'tree' ? new ForestPanel() : new Panel(name)));
    this.coin = new CoinHandle(coins);
    this.setting = new SettingHandle(settings);
    this.holdHandles();
    this.folding = !compact;
    this.element = this.build(Boolean(compact));
    root.replaceChildren(this.element);
    this.listen();
    if (this.element.contains(this.right)) this.stage(stagedFrom);
  }

  /** @param {boolean} compact */
  build(compact) {
    const whole = !compact && this.panels.length === Object.keys(PANELS).length;
    const element = (/** @type {string} */ name) => this.panel(name)?.element;
    this.forest?.corner.append(this.mask.element);
    if (whole)
      this.right.append(
        this.board.element,
        ...['decision', 'probabilities', 'mask'].flatMap((n) => element(n) ?? []), // the first has what can be moved
      );
    return el(
      'div',
      { class: `sv-player${compact ? ' compact' : ''}`, role: 'group', tabindex: 0, 'aria-label': LABEL },
      compact ? null : this.bar.element,
      whole ? this.right : null,
      el('div', { class: 'sv-console' }, this.story.element, this.story.strip),
      el(
        'div',
        { class: `sv-panels${whole ? '' : ' few'}` },
        whole ? element('tree') : this.panels.map((one) => one.element),
      ),
      whole ? null : this.board.element,
      this.heard,
    );
  }

  /** What can be moved in the picture of a decision. */
  holdHandles() {
    const decision = this.plots.find(({ name }) => name === 'decision');
    decision?.hold(this.coin);
    decision?.hold(this.setting);
    decision?.stage.before(this.coin.said);
  }

  /** The panel of the draft tree, if it is one of the panels. */
  get forest() {
    return this.panels.find((one) => one instanceof ForestPanel);
  }

  get tree() {
    return this.forest?.tree;
  }

  /** See the mask large, in place of the right column, or the column again. @param {boolean} [on] */
  toggleMask(on = !this.element.classList.contains('masked')) {
    this.element.classList.toggle('masked', on);
    this.mask.press(on);
    this.fit();
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
    for (const part of [element, this.board.element, this.coin.said]) this.sizes.observe(part);
    for (const { more } of this.panels) more.addEventListener('toggle', () => this.fit());
    subscribe('present', () => this.fit());
    window.addEventListener('beforeprint', () => {
      for (const one of element.querySelectorAll('details')) one.open = true;
      this.fit();
    });
    window.addEventListener('afterprint', () => this.fit());
  }

  /** All panels on one screen where that is wide enough, on paper one after the other. @param {number} from pixels */
  stage(from) {
    const { classList } = this.element;
    const wide = window.matchMedia(`screen and (min-width: ${from}px)`);
    const change = () => {
      classList.toggle('staged', wide.matches);
      this.fit();
    };
    wide.addEventListener('change', change);
    window.addEventListener('afterprint', change);
    window.addEventListener('beforeprint', () => {
      classList.remove('staged');
      this.fit();
    });
    classList.toggle('staged', wide.matches);
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

  /** The panels beside the tree. */
  get plots() {
    return this.panels.filter((one) => one instanceof Panel);
  }

  /** Draw what is on screen for the space there is: layout is read once, after everything has its words. */
  fit() {
    const { story, tree } = this;
    story.free();
    const room = story.room();
    const [shown, height] = this.space();
    this.fitted = this.measured(height);
    if (tree?.fit()) this.relight();
    story.cut(room);
    this.draw(shown, height);
  }

  /** Its own size, and the height for pictures. @param {number} [height] */
  measured(height = 0) {
    return [this.element.clientWidth, this.element.clientHeight, height];
  }

  /** The pictures there are, and the height for them in the right column. @returns {[Shown[], number?]} */
  space() {
    const { right } = this;
    const shown = this.plots.flatMap((panel) =>
      panel.place() && panel.picture ? [{ panel, picture: panel.picture }] : [],
    );
    if (!right.isConnected || getComputedStyle(right).display !== 'flex') return [shown];
    const parts = [...right.children].filter((one) => one instanceof HTMLElement && one.offsetHeight > 0);
    const taken = parts.reduce((sum, one) => sum + /** @type {HTMLElement} */ (one).offsetHeight + APART, 0);
    const pictures = shown.reduce((sum, { panel }) => sum + panel.stage.offsetHeight, 0);
    return [shown, right.clientHeight - taken + pictures];
  }

  /** @param {Shown[]} shown @param {number} [height] of all @param {boolean} [again] where a key has grown */
  draw(shown, height, again = true) {
    const { heights, scale } = sized(shown, height);
    const grown = shown.map(({ panel }, at) => panel.draw(heights[at], scale));
    if (!again || !grown.some(Boolean)) return;
    const [left, room] = this.space();
    this.draw(left, room, false);
  }

  /** Draw what the next step shows, as it would be in the space there is now. */
  drawAhead() {
    const { payload, right } = this;
    const scene = this.scenes[stepOn(this.folds, this.index)];
    if (!payload || !scene || !right.isConnected || this.record) return;
    const coming = this.plots.flatMap((panel) => {
      const picture = panel.width > 0 && pictureOf(payload, scene, panel.name);
      return picture ? [{ panel, picture }] : [];
    });
    const { heights, scale } = sized(coming, this.fitted[2] || undefined);
    coming.forEach(({ panel, picture }, at) => {
      panel.make(picture, wordsOf(payload, scene, panel.name), heights[at], scale);
    });
  }

  /** Put parts of another's above the pictures. @param {...HTMLElement} parts */
  aside(...parts) {
    this.right.prepend(...parts);
    for (const part of parts) this.sizes.observe(part);
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
      const [words, without] = [wordsOf(payload, scene, one.name), emptyWords(payload, scenes, this.index, one.name)];
      if (one instanceof ForestPanel) one.show(stageOf(payload, scene), words, without);
      else one.show(this.picture(scene, one.name), words, without);
    }
    this.coin.show(scene.key, stripOf(pictureOf(payload, scene, 'decision')));
    this.element.dataset.scene = scene.key;
    this.element.classList.toggle('together', scene.phase === 'target');
    this.held = null;
    this.nameGuesses();
    this.markChanges(this.index > before);
    this.relight();
    this.onscene(scene, this.index);
    this.fit();
    whenIdle(() => this.drawAhead());
  }

  /** A picture of a step, of a replay with marks of the record. @param {Scene} scene @param {string} panel */
  picture(scene, panel) {
    const { payload, record } = this;
    const picture = payload && pictureOf(payload, scene, panel);
    const old = record?.scenes.find(({ key }) => key === scene.key);
    return picture && record && old ? besideRecord(picture, pictureOf(record, old, panel)) : picture;
  }

  /** What the step changed is marked while it is on screen. @param {boolean} forward it has just been made */
  markChanges(forward) {
    const { tokens, panels } = this.changed;
    const { element } = this;
    element.classList.toggle('arrived', forward);
    element.classList.toggle('again'); // so that the marks move anew
    this.story.markNew(tokens);
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

  /** @param {string} key */
  goTo(key) {
    const at = this.scenes.findIndex((scene) => scene.key === key);
    if (at >= 0) this.show(at);
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
    const { changed } = this;
    for (const one of this.panels) {
      const own = one instanceof ForestPanel || one.name === 'mask' ? changed : unchanged();
      one.mark({ record, pins, changed: own });
    }
    const staged = stageOf(payload, scenes[index]) !== null; // a question has only what is known before
    this.board.show(pins, (pin) => ({
      path: pathWords(this.records, pin),
      outcome: outcomeOf(payload, scenes[index], pin.node) || (staged ? 'not drafted yet' : ''),
      formula: decidedFormula(scenes, index, pin),
      rows: payload.mask_rows,
    }));
  }

  /** The node in focus and its ancestors, in the text. @param {AnyRecord | null} record */
  lightTexts(record) {
    const kin = new Set(record ? record.ancestors : []);
    for (const one of this.story.strip.querySelectorAll('[data-node]')) {
      const node = Number(one.getAttribute('data-node'));
      one.classList.toggle('lit', record !== null && node === record.node);
      one.classList.toggle('kin', kin.has(node));
    }
  }

  /** What every guess is, as far as the step knows. */
  nameGuesses() {
    const { payload, scenes, index, tree } = this;
    if (!payload) return;
    tree?.say((node) => {
      const record = this.records.get(node);
      if (!record) return '';
      const formula = decidedFormula(scenes, index, record);
      return [nodeWords(payload, scenes[index], record), formula].filter(Boolean).join('. ');
    });
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
    const guess = closest(target, '.sv-guess');
    if (guess && this.onGuess(key, Number(guess.dataset.node))) {
      event.preventDefault();
      return;
    }
    const own = closest(target, 'select, summary, .sv-right input'); // what has keys of its own
    if (own || (key === ' ' && closest(target, 'button'))) return;
    const action = this.keyAction(key);
    if (!action) return;
    event.preventDefault();
    action();
  }

  /** A key on a guess: arrows walk through the tree, Enter and space pin. @param {string} key @param {number} node */
  onGuess(key, node) {
    if (key === 'Enter' || key === ' ') {
      this.toggle(node);
      return true;
    }
    return Boolean(this.tree?.walk(node, key));
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
      m: () => this.toggleMask(),
      Home: () => this.show(0),
      End: () => this.show(PAST_THE_END),
      ' ': () => this.playOrPause(),
    };
    const masked = this.element.classList.contains('masked');
    if (key === 'Escape' && masked) return () => this.toggleMask(false);
    if (key === 'Escape') return this.pins.length ? unpin : null;
    return actions[key] ?? null;
  }

  /**
   * Show a payload from `at`: a scene key, an index, or -1 for the last scene; `only`: keys of the scenes to step
   * through; `record`: what it is a replay of.
   * @param {IterationPayload} next
   * @param {string | number} [at]
   * @param {{only?: string[] | null, record?: IterationPayload | null}} [options]
   */
  load(next, at = 0, { only = null, record = null } = {}) {
    if (this.timer && this.payload && next.iteration !== this.payload.iteration) this.pause();
    const before = this.pins;
    const same = this.payload?.iteration === next.iteration;
    const wasOpen = this.folds.flatMap(({ from, open }) => (open && same ? [this.scenes[from].key] : []));
    Object.assign(this, { payload: next, record });
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
    this.bar.build(scenes);
    const entire = !only || scenes.some((scene) => scene.phase === 'commit'); // else the text would show the outcome
    const { roots } = payload;
    this.story.build(entire ? payload.text : null, roots.length === 1 ? roots[0].node : null);
    this.mask.load(payload);
    for (const one of this.panels) {
      one.about({
        ever: scenes.some((scene) => hasPanel(payload, scene, one.name)),
        drafted: payload.nodes.length > 0,
      });
      if (one instanceof ForestPanel) one.load(payload);
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
