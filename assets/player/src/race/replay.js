/* A race played again: the lanes with the bar that moves all of them to one moment of their clocks, or side by side at
   one position of their texts. */
import { el, pushButton } from '../base/dom.js';
import { get, set } from '../base/link.js';
import { subscribe } from '../base/shared.js';
import { partsAsImage } from '../draw/image.js';
import { Beside } from '../stage/beside.js';
import { Film } from '../stage/film.js';
import { Playback } from '../stage/playback.js';
import { positionFromText, positionsOf } from '../stage/position.js';
import { RaceSave } from './save.js';

/**
 * @import { LaneMotion, RaceMessage } from '../payload.js'
 * @import { Calls } from '../base/server.js'
 * @import { ImageFormat } from '../draw/image.js'
 * @import { LaneResult } from './lane-result.js'
 * @typedef {object} ReplayOptions
 * @property {HTMLElement} deck of the lanes
 * @property {() => LaneResult[]} results of the lanes
 * @property {Record<string, string>} glyphs of origins and outcomes
 * @property {Calls | null} server
 * @property {(text: string) => void} tell says what went wrong
 * @property {() => void} [onend] once it was played to its end
 */

export class RaceReplay {
  /** @type {RaceMessage | null} */
  race = null;
  /** @type {(LaneMotion | null)[]} */
  motion = [];

  /** @param {ReplayOptions} options */
  constructor({ deck, results, glyphs, server, tell, onend = () => {} }) {
    this.results = results;
    this.tell = tell;
    this.glyphs = glyphs;
    this.deck = deck;
    this.playback = new Playback({
      ondraw: (moment, playing) => this.showMoment(moment, playing),
      onplay: () => this.makeRoom(),
      onend,
    });
    this.beside = new Beside({ glyphs, onmove: (position) => this.remember(position) });
    const save = new RaceSave({
      server,
      run: () => this.race?.run ?? '',
      film: () => new Film(this.race?.prompt ?? '', this.lanes(), this.glyphs, this.deck),
      factor: () => this.playback.factor,
      picture: (format) => this.picture(format),
      tell,
    });
    const words = 'What every lane did at one position of the text: forest, mask and gauges';
    const more = { 'aria-pressed': 'false', 'data-tip': words };
    this.toggle = pushButton('Side by side', () => this.showBeside(!this.isBeside), more);
    this.save = save.element;
    this.place(false);
    this.element = el('div', { class: 'sv-replay' }, this.playback.element, deck, this.beside.element);
    document.addEventListener('keydown', (event) => {
      const here = this.element.checkVisibility();
      const mine = event.target === document.body || this.element.contains(/** @type {Node} */ (event.target));
      if (here && mine && this.isBeside) this.beside.keys(event);
      else if (here && event.target === document.body && this.element.classList.contains('replayed'))
        this.playback.keys(event);
    });
    subscribe('seek', () => {
      if (this.race && (get('beside') !== null || this.isBeside)) this.readAddress();
    });
  }

  lanes() {
    return (this.race?.lanes ?? []).flatMap((view, index) => {
      const motion = this.motion[index];
      return view && motion ? [{ view, motion }] : [];
    });
  }

  /** What is on screen, with the moment or the position that it shows. @param {ImageFormat} format */
  picture(format) {
    const [shown, at] = this.isBeside
      ? [this.beside.drawing, `side by side, ${this.beside.where.value}`]
      : [this.deck, `at ${this.playback.time.value}`];
    return partsAsImage(`${this.race?.prompt ?? ''} · ${at}`, [[shown]], format);
  }

  get isBeside() {
    return !this.beside.element.hidden;
  }

  /** The lanes beside each other at a position, or as a race. @param {boolean} on @param {number} [position] */
  showBeside(on, position = 0) {
    this.playback.pause();
    this.toggle.setAttribute('aria-pressed', String(on));
    this.element.classList.toggle('beside', on);
    this.place(on);
    this.deck.hidden = on;
    this.beside.element.hidden = !on;
    if (on) {
      this.beside.load(this.lanes(), position);
      this.makeRoom();
    } else set({ beside: null });
  }

  /** Put the buttons of both views into the bar of the one on screen. @param {boolean} on side by side */
  place(on) {
    const held = document.activeElement === this.toggle;
    (on ? this.beside.bar : this.playback.element).append(this.toggle, this.save);
    if (held) this.toggle.focus({ preventScroll: true });
  }

  /** @param {number} position */
  remember(position) {
    if (this.isBeside && this.race) set({ beside: position });
  }

  /**
   * @param {RaceMessage} race
   * @param {(LaneMotion | null)[]} motion how every lane moves; null for one that has nothing
   */
  load(race, motion) {
    this.race = race;
    this.motion = motion;
    this.playback.load(motion.filter((lane) => lane !== null));
    this.readAddress();
  }

  /** Side by side at the position in the address, or not. */
  readAddress() {
    const { position, wrong } = positionFromText(get('beside'), positionsOf(this.lanes()));
    this.showBeside(position !== null, position ?? 0);
    if (wrong) this.tell(wrong);
  }

  /** Nothing is to be played, for now. */
  leave() {
    this.playback.leave();
    this.deck.hidden = false;
    this.beside.element.hidden = true;
    this.place(false);
    this.element.classList.remove('beside', 'replayed');
  }

  /** @param {number} moment @param {boolean} playing */
  showMoment(moment, playing) {
    this.element.classList.toggle('replayed', playing || !this.playback.atEnd);
    this.results().forEach((result, index) => {
      const lane = this.motion[index];
      if (lane) result.showMoment(lane, moment);
    });
  }

  /** Bring all lanes into view. */
  makeRoom() {
    const shown = this.isBeside ? this.beside.element : this.deck;
    if (shown.getBoundingClientRect().bottom > window.innerHeight) this.element.scrollIntoView({ block: 'start' });
  }
}
