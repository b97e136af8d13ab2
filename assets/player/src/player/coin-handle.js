/* The recorded number on its own strip is a handle: dragged, or moved by keys, the verdict beside it changes at once.
   Once it is let go, whoever can judge the step again is asked; without one the verdict alone is shown. */
import { el } from '../base/dom.js';
import { chanceName, chanceWords, keyedChance, outcomeAt, withinChance, written } from './chance.js';

/**
 * @import { Strip } from '../payload.js'
 * @import { Stretch } from '../draw/strip.js'
 * @typedef {object} CoinOwner who can judge a step again
 * @property {(scene: string) => number | null} recorded the recorded number of a scene; null: none can be put there
 * @property {(scene: string, uniform: number | null) => void} put another number, or null: the recorded one
 */

const QUIET = 350; // milliseconds after the last key until the step is judged again
const NEAR = 5e-4; // numbers that are written alike
const UNMOVED = 'As recorded: drag ↔ to try another.';
const ALONE = 'Only this verdict follows your hand here; the Microscope of a running page works out what follows.';
const UNKNOWN = 'Only this verdict follows your hand: the record does not hold what would come of it.';

export class CoinHandle {
  /** @type {Strip | null} */
  chance = null; // the strip of the step on screen
  /** @type {Stretch | null} */
  stretch = null; // where it is drawn
  scene = '';
  at = 0;
  scale = 1;
  timer = 0; // 0: no key was just pressed
  held = false;
  /** @type {number | null} */
  top = null; // of the handle on screen when it was let go

  grip = el('span', { class: 'sv-chance-grip', role: 'slider', tabindex: 0, 'aria-valuemin': 0, 'aria-valuemax': 1 });
  layer = el('div', { class: 'sv-chance', 'data-part': 'coin', hidden: true }, this.grip);
  verdict = el('b', { class: 'sv-chance-verdict' });
  hint = el('span', { class: 'sv-chance-hint' });
  back = el('button', { type: 'button', class: 'sv-chip', onclick: () => this.restore() });
  said = el(
    'div',
    { class: 'sv-chance-said', 'data-part': 'coin', hidden: true },
    this.verdict,
    this.hint,
    this.back,
  );

  /** @param {CoinOwner | null} owner */
  constructor(owner) {
    this.owner = owner;
    const { grip } = this;
    grip.addEventListener('pointerdown', (event) => this.grab(event));
    grip.addEventListener('pointermove', (event) => this.held && this.move(this.under(event)));
    for (const name of ['pointerup', 'pointercancel']) grip.addEventListener(name, () => this.release());
    grip.addEventListener('keydown', (event) => this.key(event));
  }

  /** The number that the record has here; null where nothing can be put in its place. */
  recorded() {
    return this.owner?.recorded(this.scene) ?? null;
  }

  /** A step with a number, or without one, is on screen. @param {string} scene @param {Strip | null} chance */
  show(scene, chance) {
    const same = scene === this.scene && this.chance !== null;
    Object.assign(this, { scene, chance });
    this.layer.hidden = this.said.hidden = !chance;
    if (!chance) this.held = false;
    if (!chance || (same && (this.held || this.timer))) return;
    clearTimeout(this.timer);
    Object.assign(this, { timer: 0, held: false, at: chance.uniform ?? 0 });
    this.tell();
  }

  /** The number as the picture has it. */
  reset() {
    if (this.chance) this.move(this.chance.uniform ?? 0);
  }

  /** The picture with the strip has been drawn. @param {Stretch | null} stretch @param {number} scale of it */
  place(stretch, scale) {
    Object.assign(this, { stretch, scale });
    this.stand();
    if (this.top === null || !stretch || this.held) return;
    const down = this.grip.getBoundingClientRect().top - this.top; // what is said of a replay pushes it down
    this.top = null;
    if (Math.abs(down) > 1) window.scrollBy({ top: down, behavior: 'instant' });
  }

  stand() {
    const { stretch, scale, grip, at } = this;
    if (!stretch) return;
    const { left, width, top, bottom } = stretch;
    const px = (/** @type {number} */ value) => `${scale * value}px`;
    Object.assign(grip.style, { left: px(left + at * width), top: px(top), height: px(bottom - top) });
  }

  tell() {
    const { chance, at } = this;
    if (!chance) return;
    const recorded = this.recorded();
    const usual = recorded ?? chance.uniform ?? 0;
    const moved = Math.abs(at - usual) > NEAR;
    const words = chanceWords(chance, at);
    this.verdict.textContent = words;
    this.verdict.dataset.kind = outcomeAt(chance, at).fate ?? 'other';
    const after = recorded !== null ? '' : this.owner ? UNKNOWN : ALONE;
    this.hint.textContent = moved ? after : UNMOVED;
    this.hint.classList.toggle('moved', moved);
    this.grip.dataset.tip = UNMOVED;
    this.back.hidden = !moved;
    this.back.textContent = `Back to the recorded ${chanceName(chance)}, ${written(usual)}`;
    this.grip.setAttribute('aria-label', `The ${chanceName(chance)} of this step`);
    this.grip.setAttribute('aria-valuenow', written(at));
    this.grip.setAttribute('aria-valuetext', words);
    this.layer.classList.toggle('moved', moved || this.held);
  }

  /** @param {number} at */
  move(at) {
    this.at = at;
    this.stand();
    this.tell();
  }

  /** The number under a pointer. @param {PointerEvent} event */
  under({ clientX }) {
    const { stretch, scale } = this;
    if (!stretch) return this.at;
    const x = (clientX - this.layer.getBoundingClientRect().left) / scale;
    return withinChance((x - stretch.left) / stretch.width);
  }

  /** @param {PointerEvent} event */
  grab(event) {
    if (event.button !== 0) return;
    event.preventDefault(); // nothing is selected on the way
    this.grip.focus({ preventScroll: true });
    this.grip.setPointerCapture(event.pointerId);
    this.held = true;
    this.tell();
  }

  /** Let go: the step is judged again with this number. */
  release() {
    if (!this.held) return;
    this.held = false;
    this.send();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const next = event.altKey || event.ctrlKey || event.metaKey ? null : keyedChance(event.key, this.at);
    if (next === null) return;
    event.preventDefault();
    event.stopPropagation(); // the player does not step
    this.move(next);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = 0;
      this.send();
    }, QUIET);
  }

  send() {
    const { at, chance, scene } = this;
    this.tell();
    if (!chance || !this.owner || this.recorded() === null || Math.abs(at - (chance.uniform ?? 0)) <= NEAR) return;
    this.top = this.grip.getBoundingClientRect().top;
    this.owner.put(scene, at);
  }

  /** The recorded number again. */
  restore() {
    const recorded = this.recorded();
    this.move(recorded ?? this.chance?.uniform ?? 0);
    this.grip.focus({ preventScroll: true });
    if (recorded !== null) this.owner?.put(this.scene, null);
  }
}
