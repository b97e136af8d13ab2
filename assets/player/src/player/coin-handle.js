/* The recorded number on its own strip is a handle: dragged, or moved by keys, the verdict beside it changes at once.
   Once it is let go, whoever can judge the step again is asked; without one the verdict alone is shown. */
import { el, pushButton } from '../base/dom.js';
import { Grip } from './grip.js';
import { chanceName, chanceWords, keyedChance, outcomeAt, withinChance, written } from './chance.js';

/**
 * @import { Strip } from '../payload.js'
 * @import { Track } from '../draw/marks.js'
 * @typedef {object} CoinOwner who can judge a step again
 * @property {(scene: string) => number | null} recorded the recorded number of a scene; null: none can be put there
 * @property {(scene: string, uniform: number | null) => void} put another number, or null: the recorded one
 */

const NEAR = 5e-4; // numbers that are written alike
const UNMOVED = 'As recorded: drag ↔ to try another.';
const ALONE = 'Only this verdict follows your hand here; the Microscope of a running page works out what follows.';
const UNKNOWN = 'Only this verdict follows your hand: the record does not hold what would come of it.';

export class CoinHandle {
  /** @type {Strip | null} */
  chance = null; // the strip of the step on screen
  scene = '';
  /** @type {number | null} */
  top = null; // of the handle on screen when it was let go

  grip = new Grip('sv-chance-grip', {
    round: withinChance,
    keyed: keyedChance,
    onmove: () => this.tell(),
    onsend: () => this.send(),
  });
  layer = el('div', { class: 'sv-chance', 'data-part': 'coin', hidden: true }, this.grip.element);
  verdict = el('b', { class: 'sv-chance-verdict' });
  hint = el('span', { class: 'sv-chance-hint' });
  back = pushButton(null, () => this.restore());
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
    const bounds = { 'aria-valuemin': '0', 'aria-valuemax': '1' };
    for (const [name, value] of Object.entries(bounds)) this.grip.element.setAttribute(name, value);
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
    if (!chance || !(same && this.grip.busy)) this.reset();
  }

  /** The number as the picture has it. */
  reset() {
    this.grip.rest(this.chance?.uniform ?? 0);
    this.tell();
  }

  /** The picture has been drawn. @param {Track[]} tracks of what can be moved in it @param {number} scale */
  place(tracks, scale) {
    const track = tracks.find(({ setting }) => !setting) ?? null;
    const { grip } = this;
    grip.place(track, scale);
    if (this.top === null || !track || grip.held) return;
    const down = grip.element.getBoundingClientRect().top - this.top; // what is said of a replay pushes it down
    this.top = null;
    if (Math.abs(down) > 1) window.scrollBy({ top: down, behavior: 'instant' });
  }

  tell() {
    const { chance } = this;
    const { at, busy, element } = this.grip;
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
    element.dataset.tip = UNMOVED;
    this.back.hidden = !moved;
    this.back.textContent = `Back to the recorded ${chanceName(chance)}, ${written(usual)}`;
    element.setAttribute('aria-label', `The ${chanceName(chance)} of this step`);
    element.setAttribute('aria-valuenow', written(at));
    element.setAttribute('aria-valuetext', words);
    this.layer.classList.toggle('moved', moved || busy);
  }

  send() {
    const { chance, scene } = this;
    const { at, element } = this.grip;
    this.tell();
    if (!chance || !this.owner || this.recorded() === null || Math.abs(at - (chance.uniform ?? 0)) <= NEAR) return;
    this.top = element.getBoundingClientRect().top;
    this.owner.put(scene, at);
  }

  /** The recorded number again. */
  restore() {
    const recorded = this.recorded();
    this.grip.move(recorded ?? this.chance?.uniform ?? 0);
    this.grip.element.focus({ preventScroll: true });
    if (recorded !== null) this.owner?.put(this.scene, null);
  }
}
