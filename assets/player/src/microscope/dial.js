/* One thing that can be changed: a slider where the range is closed, a field, the recorded value marked. */
import { el, pushButton } from '../base/dom.js';
import { sameValue, short } from '../base/values.js';

/**
 * @typedef {object} DialKind
 * @property {string} label
 * @property {string | null} [help]
 * @property {string} [kind]
 * @property {number | null} [low]
 * @property {number | null} [high]
 * @property {boolean} [whole]
 * @property {boolean} [optional]
 * @property {any[]} [choices]
 * @property {any} [recorded] undefined where nothing was recorded
 */

const SLIDE = 2; // sliders of open ranges (temperature) end here; the number field goes on

/** Where a slider for such values ends; null where there can be none. @param {DialKind} about */
export function sliderEnd({ kind, low, high, whole }) {
  if (whole || kind === 'choice' || kind === 'flag' || !Number.isFinite(low) || !Number.isFinite(high)) return null;
  return Math.min(/** @type {number} */ (high), SLIDE);
}

export class Dial {
  /** @param {string} id @param {DialKind} about @param {(value: any) => void} onchange */
  constructor(id, about, onchange) {
    const { label, help } = about;
    this.about = about;
    this.onchange = onchange;
    this.listed = about.kind === 'choice' || about.kind === 'flag';
    const end = sliderEnd(about);
    this.range = end === null ? null : this.slider(`${id}-slider`, end);
    this.field = this.listed ? this.choices(id) : this.number(id);
    const again = () => {
      this.put(about.recorded);
      this.field.focus();
    };
    const recorded = `as recorded: ${short(about.recorded)}`;
    this.back = pushButton(recorded, again);
    this.element = el(
      'div',
      { class: 'sv-knob', 'data-name': id },
      el('label', { for: id, 'data-tip': help || null, tabindex: help ? 0 : null }, label),
      this.range && el('span', { class: 'sv-slide' }, this.range, this.mark(end)),
      this.field,
      this.back,
    );
  }

  /** @param {string} id @param {number} end */
  slider(id, end) {
    const oninput = () => {
      this.put(Number(range.value));
    };
    const label = `${this.about.label}, as a slider`;
    const bounds = { min: this.about.low, max: end, step: 0.01 };
    const range = el('input', { id, type: 'range', ...bounds, 'aria-label': label, oninput });
    return range;
  }

  /** Where the recorded value stands on the slider. @param {number | null} end */
  mark(end) {
    const { recorded, low } = this.about;
    if (end === null || typeof low !== 'number' || typeof recorded !== 'number' || recorded > end) return null;
    const at = `${(100 * (recorded - low)) / (end - low)}%`;
    const title = `recorded: ${short(recorded)}`;
    return el('i', { class: 'sv-mark-recorded', 'aria-hidden': 'true', title, style: { '--at': at } });
  }

  /** @param {string} id */
  choices(id) {
    const flag = this.about.kind === 'flag';
    const choices = flag ? [true, false] : (this.about.choices ?? []);
    const onchange = () => {
      this.put(flag ? field.value === 'true' : field.value);
    };
    const options = choices.map((choice) => el('option', { value: String(choice) }, short(choice)));
    const field = el('select', { id, onchange }, options);
    return field;
  }

  /** @param {string} id */
  number(id) {
    const { low, high, whole, optional } = this.about;
    const oninput = () => {
      const text = field.value.trim();
      if (text === '' && !(optional && !field.validity.badInput)) return;
      this.put(text === '' ? null : Number(text), field);
    };
    const bounds = { min: low, max: high, step: whole ? 1 : 'any', placeholder: optional ? 'off' : null };
    const field = el('input', { id, type: 'number', ...bounds, autocomplete: 'off', oninput });
    return field;
  }

  /**
   * Show a value; `source` is where it was typed, which stays as it is.
   * @param {any} value
   * @param {HTMLElement} [source]
   */
  write(value, source) {
    const { recorded } = this.about;
    if (this.range && value !== null) this.range.value = String(value);
    const text = this.listed ? String(value) : short(value);
    if (this.field !== source) this.field.value = value === null ? '' : text;
    this.back.hidden = recorded === undefined || sameValue(value, recorded);
  }

  /** @param {any} value @param {HTMLElement} [source] */
  put(value, source) {
    this.write(value, source);
    this.onchange(value);
  }
}
