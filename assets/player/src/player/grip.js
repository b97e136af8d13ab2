/* A number under the hand: dragged along its track, or moved by keys. What it means is its owner's business. */
import { el } from '../base/dom.js';

/**
 * @import { Track } from '../draw/marks.js'
 * @typedef {object} GripOwner
 * @property {(at: number) => number} round a number that a hand can mean
 * @property {(key: string, at: number) => number | null} keyed where a key leads; null: nowhere
 * @property {() => void} onmove
 * @property {() => void} onsend it was let go, or no key came for a while
 */

const QUIET = 350; // milliseconds after the last key

export class Grip {
  /** @type {Track | null} */
  track = null; // where it is drawn
  scale = 1;
  at = 0;
  timer = 0; // 0: no key was just pressed
  held = false;

  /** @param {string} name of its class @param {GripOwner} owner */
  constructor(name, owner) {
    this.owner = owner;
    this.element = el('span', { class: `sv-grip ${name}`, role: 'slider', tabindex: 0 });
    const { element } = this;
    element.addEventListener('pointerdown', (event) => this.grab(event));
    element.addEventListener('pointermove', (event) => this.held && this.move(this.under(event)));
    for (const end of ['pointerup', 'pointercancel']) element.addEventListener(end, () => this.release());
    element.addEventListener('keydown', (event) => this.key(event));
  }

  /** Whether a hand or keys are moving it. */
  get busy() {
    return this.held || this.timer !== 0;
  }

  /** Stand at a number that nobody moves. @param {number} at */
  rest(at) {
    clearTimeout(this.timer);
    Object.assign(this, { timer: 0, held: false, at });
    this.stand();
  }

  /** The picture with its track has been drawn. @param {Track | null} track @param {number} scale of it */
  place(track, scale) {
    Object.assign(this, { track, scale });
    this.stand();
  }

  stand() {
    const { track, scale, element, at } = this;
    if (!track) return;
    const { low, high, from, to, side, upright } = track;
    const along = `${scale * (from + ((at - low) / (high - low)) * (to - from))}px`;
    const [begin, size] = [`${scale * side[0]}px`, `${scale * (side[1] - side[0])}px`];
    Object.assign(
      element.style,
      upright ? { top: along, left: begin, width: size } : { left: along, top: begin, height: size },
    );
  }

  /** @param {number} at */
  move(at) {
    this.at = at;
    this.stand();
    this.owner.onmove();
  }

  /** The number under a pointer. @param {PointerEvent} event */
  under({ clientX, clientY }) {
    const { track, scale, element } = this;
    const frame = element.parentElement?.getBoundingClientRect();
    if (!track || !frame) return this.at;
    const { low, high, from, to, upright } = track;
    const place = (upright ? clientY - frame.top : clientX - frame.left) / scale;
    return this.owner.round(low + ((place - from) / (to - from)) * (high - low));
  }

  /** @param {PointerEvent} event */
  grab(event) {
    if (event.button !== 0) return;
    event.preventDefault(); // nothing is selected on the way
    this.element.focus({ preventScroll: true });
    this.element.setPointerCapture(event.pointerId);
    this.held = true;
    this.owner.onmove();
  }

  release() {
    if (!this.held) return;
    this.held = false;
    this.owner.onsend();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const next = event.altKey || event.ctrlKey || event.metaKey ? null : this.owner.keyed(event.key, this.at);
    if (next === null) return;
    event.preventDefault();
    event.stopPropagation(); // the player does not step
    this.move(next);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = 0;
      this.owner.onsend();
    }, QUIET);
  }
}
