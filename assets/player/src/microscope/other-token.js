/* "Another token": one of the target's likeliest, or one typed, in place of a token of this step. */
import { el, pushButton } from '../base/dom.js';
import { short } from '../base/values.js';

/**
 * @import { MicroscopePayload, TokenPlace } from '../payload.js'
 * @typedef {{at: number, token: number | string}} Put a token, by its id or typed, behind the first `at` of the step
 */

const MOST_TYPED = 200; // characters
const SEVERAL = 'This method keeps several texts at a time, so no token can be put into one. A coin can be changed.';
const TIP = { 'data-tip': 'Go on from here with this token; its probability before temperature, top-k and top-p' };
const LIKELIEST = 'The target’s likeliest there:';
const HELP =
  'Put another token in place of one of this step, and the method goes on behind it: a branch of the text.';

export class OtherToken {
  /** @type {TokenPlace[]} */
  places = [];
  at = 0;
  where = el('div', { class: 'sv-coins', role: 'group', 'aria-label': 'In place of' });
  choices = el('div', { class: 'sv-coins', role: 'group', 'aria-label': 'The target’s likeliest there' });
  typed = this.typing();
  form = el(
    'div',
    { class: 'sv-coins' },
    el('label', { for: 'sv-typed-token' }, 'or type it, with its space'),
    this.typed,
    pushButton('Go on from here', () => this.put(this.typed.value)),
  );
  told = el('p', { class: 'sv-alert', role: 'alert' });
  help = el('p', { class: 'sv-whatif-help' });
  element = el(
    'section',
    { class: 'sv-whatif', id: 'sv-other-token', hidden: true, 'aria-label': 'Another token', 'data-part': 'replay' },
    [this.help, this.where, this.choices, this.form, this.told],
  );
  button = pushButton('Another token', () => this.open(Boolean(this.element.hidden)), {
    'data-part': 'replay',
    'aria-expanded': 'false',
    'aria-controls': 'sv-other-token',
  });

  /** @param {(put: Put) => void} onput */
  constructor(onput) {
    this.onput = onput;
  }

  /** @returns {HTMLInputElement} */
  typing() {
    const about = { type: 'text', id: 'sv-typed-token', maxlength: MOST_TYPED, dir: 'auto', autocomplete: 'off' };
    const onkeydown = (/** @type {KeyboardEvent} */ event) => {
      if (event.key === 'Enter') this.put(this.typed.value);
    };
    return el('input', { ...about, placeholder: ' queen', onkeydown });
  }

  /** @param {boolean} on */
  open(on) {
    this.element.hidden = !on;
    this.button.setAttribute('aria-expanded', String(on));
  }

  /** @param {number | string} token */
  put(token) {
    if (token === '') this.told.textContent = 'Type a token first, or choose one of the target’s likeliest.';
    else this.onput({ at: this.at, token });
  }

  /** What became of it. @param {string} words */
  tell(words) {
    this.told.textContent = words;
  }

  /** A recorded step is on screen. @param {MicroscopePayload} payload */
  load({ places }) {
    Object.assign(this, { places, at: 0 });
    this.tell('');
    for (const part of [this.where, this.choices, this.form]) part.hidden = places.length === 0;
    this.help.textContent = places.length ? HELP : SEVERAL;
    this.draw();
  }

  draw() {
    const pick = (/** @type {number} */ at) => {
      this.at = at;
      this.draw();
      this.where.querySelectorAll('button')[at].focus();
    };
    const place = (/** @type {TokenPlace} */ { at, label }) =>
      pushButton(label, () => pick(at), { 'aria-pressed': String(at === this.at) });
    this.where.replaceChildren('In place of', ...this.places.map(place));
    const likeliest = this.places[this.at]?.likeliest ?? [];
    this.choices.replaceChildren(
      likeliest.length ? LIKELIEST : 'What the target thinks of this place was not recorded.',
      ...likeliest.map(([token, label, prob]) =>
        pushButton([label, ' ', el('small', {}, short(Number(prob.toPrecision(2))))], () => this.put(token), TIP),
      ),
    );
  }
}
