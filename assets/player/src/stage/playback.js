/* Plays a race again on its measured axis: one moment for all lanes, as many times slower as asked, with a
   scrubber. */
import { el, pushButton } from '../base/dom.js';
import { latest, publish, subscribe } from '../base/shared.js';
import { FACTORS, iterationEnds, lengthOf, phaseEnds, watchable } from './moment.js';

/**
 * @import { LaneMotion } from '../payload.js'
 * @typedef {(moment: number, playing: boolean) => void} Draw
 */

const NOTCHES = 2000; // of the scrubber
const PLAY = '▶ Play it slowly';

const still = () => window.matchMedia('(prefers-reduced-motion: reduce)').matches;
/** @param {number} seconds */
const clock = (seconds) => `${seconds.toFixed(seconds < 10 ? 3 : 1)} s`;
/** @param {number} factor */
const factorWords = (factor) => (factor === 1 ? 'as measured' : `${factor} times slower`);

/** @param {string} text @param {string} label @param {() => void} onclick */
const button = (text, label, onclick) =>
  pushButton(text, onclick, { class: 'sv-quiet', 'aria-label': label, 'data-tip': label });

export class Playback {
  length = 0; // seconds
  moment = 0;
  factor = 1;
  frame = 0; // 0: not playing
  before = 0; // when the last frame was drawn
  /** @type {number[]} */
  stops = []; // where an iteration of some lane is decided
  /** @type {number[]} */
  ends = []; // where a phase of some lane is over

  play = pushButton(PLAY, () => this.toggle(), { class: 'sv-play' });
  scrubber = el('input', {
    type: 'range',
    class: 'sv-scrub',
    min: 0,
    max: NOTCHES,
    step: 1,
    'aria-label': 'Moment of the race',
    oninput: () => this.scrub(),
  });
  speed = el(
    'select',
    { 'aria-label': 'How much slower', onchange: () => this.setSpeed() },
    FACTORS.map((factor) => el('option', { value: factor }, factorWords(factor))),
  );
  time = el('output', { class: 'sv-moment' });
  element = el(
    'div',
    { class: 'sv-playback', role: 'group', 'aria-label': 'Slow motion', 'data-part': 'playback', hidden: true },
    this.play,
    button('|◀', 'To the start', () => this.goTo(0)),
    button('◀', 'One iteration back', () => this.step(-1)),
    button('▶', 'One iteration on', () => this.step(1)),
    this.scrubber,
    this.time,
    this.speed,
  );

  /** @param {{ondraw: Draw, onplay: () => void, onend: () => void}} on drawing a moment, its begin and its end */
  constructor({ ondraw, onplay, onend }) {
    this.ondraw = ondraw;
    this.onplay = onplay;
    this.onend = onend;
    this.element.addEventListener('keydown', (event) => this.keys(event));
    subscribe('seek', (moment) => this.seek(moment));
  }

  scrub() {
    this.goTo((this.scrubber.valueAsNumber / NOTCHES) * this.length);
  }

  setSpeed() {
    this.factor = Number(this.speed.value);
  }

  /**
   * Take a race, at its end, where everything is to be seen, or at the moment asked for.
   * @param {LaneMotion[]} lanes
   */
  load(lanes) {
    this.pause();
    this.length = Math.max(0, ...lanes.map(lengthOf));
    this.factor = watchable(this.length);
    this.speed.value = String(this.factor);
    this.stops = iterationEnds(lanes);
    this.ends = phaseEnds(lanes);
    this.element.hidden = this.length === 0;
    if (this.length) this.goTo(latest('seek') ?? this.length);
  }

  /** To the moment that somebody else wants to be seen. @param {number | null} moment */
  seek(moment) {
    if (moment === null || !this.length) return;
    this.pause();
    this.goTo(moment);
  }

  /** Nothing to play. */
  leave() {
    this.pause();
    this.length = 0;
    this.element.hidden = true;
  }

  get playing() {
    return this.frame !== 0;
  }

  get atEnd() {
    return this.moment >= this.length;
  }

  /** @param {number} moment */
  goTo(moment) {
    this.moment = Math.min(Math.max(0, moment), this.length);
    this.draw();
  }

  draw() {
    const { length } = this;
    const moment = this.playing && still() ? this.settled() : this.moment;
    this.scrubber.value = String(Math.round((moment / length) * NOTCHES));
    this.scrubber.setAttribute('aria-valuetext', clock(moment));
    this.time.textContent = `${clock(moment)} of ${clock(length)}`;
    this.ondraw(moment, this.playing);
    publish('moment', moment);
  }

  /** To the next moment at which some lane's iteration is decided, or the one before. @param {number} direction */
  step(direction) {
    this.pause();
    const { stops, moment } = this;
    const near = 1e-9;
    const next = direction > 0 ? stops.find((at) => at > moment + near) : stops.findLast((at) => at < moment - near);
    this.goTo(next ?? (direction > 0 ? this.length : 0));
  }

  toggle() {
    if (this.playing) this.pause();
    else this.start();
  }

  start() {
    if (!this.length) return;
    if (this.atEnd) this.moment = 0;
    this.play.textContent = '❚❚ Pause';
    this.before = performance.now();
    this.frame = requestAnimationFrame((now) => this.tick(now));
    this.onplay();
    this.draw();
  }

  pause() {
    cancelAnimationFrame(this.frame);
    const was = this.playing;
    this.frame = 0;
    this.play.textContent = PLAY;
    if (was) this.draw();
  }

  /** @param {number} now milliseconds */
  tick(now) {
    const next = this.moment + Math.max(0, now - this.before) / 1000 / this.factor;
    this.before = now;
    this.frame = next < this.length ? requestAnimationFrame((then) => this.tick(then)) : 0;
    this.goTo(next);
    if (this.frame) return;
    this.pause();
    this.onend();
  }

  /** The moment to be seen where nothing may move: the last one at which a phase was over. */
  settled() {
    return this.ends.findLast((at) => at <= this.moment) ?? 0;
  }

  /** @param {KeyboardEvent} event */
  keys(event) {
    if (event.target instanceof HTMLSelectElement || event.ctrlKey || event.metaKey || event.altKey) return;
    /** @type {Record<string, () => void>} */
    const ways = {
      ArrowLeft: () => this.step(-1),
      ArrowRight: () => this.step(1),
      PageUp: () => this.step(-1),
      PageDown: () => this.step(1),
      Home: () => this.goTo(0),
      End: () => this.goTo(this.length),
    };
    if (!(event.target instanceof HTMLButtonElement)) ways[' '] = () => this.toggle();
    const way = ways[event.key];
    if (!way) return;
    event.preventDefault();
    way();
  }
}
