/* A line that stands for a setting of the method, such as a threshold, is a handle: dragged, or moved by keys, it
   shows the value under the hand; once it is let go, the step is judged again with it. Where the recorded value
   stands remains to be seen. */
import { el } from '../base/dom.js';
import { short } from '../base/values.js';
import { Grip } from './grip.js';

/**
 * @import { ChangeableOption } from '../payload.js'
 * @import { Track } from '../draw/marks.js'
 * @typedef {object} SettingOwner who can judge a step again
 * @property {(name: string) => ChangeableOption | null} option null: nothing can be put in its place
 * @property {(name: string, value: number | null) => void} put another value, or null: the recorded one
 */

const STEPS = 50; // of the arrow keys, over the whole track
const DIGITS = 3;
const NEAR = 2e-3; // of the track: no line of its own

/** The value of a setting whose line stands there. @param {Track} track @param {number} at */
export const valueAt = ({ setting }, at) => Number((setting?.log ? Math.exp(at) : at).toPrecision(DIGITS));

/** Where the line of a value stands, on the track as far as that goes. @param {Track} track @param {number} value */
export function placeOf({ setting, low, high }, value) {
  const at = setting?.log ? Math.log(value) : value;
  return Math.max(low, Math.min(high, at));
}

export class SettingHandle {
  /** @type {Track | null} */
  track = null;
  /** @type {ChangeableOption | null} */
  option = null;

  grip = new Grip('sv-setting-grip', {
    round: (at) => this.within(at),
    keyed: (key, at) => this.keyed(key, at),
    onmove: () => this.tell(),
    onsend: () => this.send(),
  });
  said = el('output', { class: 'sv-setting-said' });
  ghost = el('i', { class: 'sv-setting-ghost', 'aria-hidden': 'true' });
  layer = el(
    'div',
    { class: 'sv-settings-layer', 'data-part': 'replay', hidden: true },
    this.ghost,
    this.grip.element,
  );

  /** @param {SettingOwner | null} owner */
  constructor(owner) {
    this.owner = owner;
    this.grip.element.append(this.said);
  }

  /** The picture has been drawn. @param {Track[]} tracks of what can be moved in it @param {number} scale */
  place(tracks, scale) {
    const track = tracks.find(({ setting }) => setting && this.owner?.option(setting.name)) ?? null;
    this.track = track;
    this.option = track?.setting ? (this.owner?.option(track.setting.name) ?? null) : null;
    this.layer.hidden = !track;
    if (!track || !this.option) {
      this.grip.rest(this.grip.at); // nobody holds what is gone
      return;
    }
    this.grip.place(track, scale);
    if (!this.grip.busy) this.grip.rest(track.at);
    const { value } = this.option;
    const before = typeof value === 'number' ? placeOf(track, value) : track.at;
    this.ghost.hidden = Math.abs(before - track.at) < NEAR * (track.high - track.low);
    const share = (before - track.low) / (track.high - track.low);
    const [left, right] = track.side;
    Object.assign(this.ghost.style, {
      top: `${scale * (track.from + share * (track.to - track.from))}px`,
      left: `${scale * left}px`,
      width: `${scale * (right - left)}px`,
    });
    this.ghost.dataset.tip = `recorded: ${short(value)}`;
    this.tell();
  }

  /** As the picture has it. */
  reset() {
    if (this.track) this.grip.rest(this.track.at);
    this.tell();
  }

  /** @param {number} at */
  within(at) {
    const { track, option } = this;
    if (!track || !option) return at;
    const { low, high } = option;
    const value = Math.max(low ?? -Infinity, Math.min(high ?? Infinity, valueAt(track, at)));
    return placeOf(track, value);
  }

  tell() {
    const { track, option, grip } = this;
    if (!track || !option) return;
    const value = short(valueAt(track, grip.at));
    const name = option.label ?? option.name;
    this.said.textContent = value;
    grip.element.setAttribute('aria-label', name);
    grip.element.setAttribute('aria-valuetext', `${name} ${value}`);
    grip.element.setAttribute('aria-valuenow', value);
    grip.element.dataset.tip = `${name}: drag ↕ to try another value`;
    this.layer.classList.toggle('moved', grip.busy);
  }

  /** @param {string} key @param {number} at */
  keyed(key, at) {
    if (!this.track) return null;
    const { low, high } = this.track;
    const step = (high - low) / STEPS;
    /** @type {Record<string, number>} */
    const moves = { ArrowUp: at + step, ArrowRight: at + step, ArrowDown: at - step, ArrowLeft: at - step };
    return key in moves ? this.within(moves[key]) : null;
  }

  send() {
    const { track, option, grip } = this;
    this.tell();
    if (!track || !option || Math.abs(grip.at - track.at) < 1e-9) return;
    const value = valueAt(track, grip.at);
    this.owner?.put(option.name, value === option.value ? null : value);
  }
}
