/* Which numbers of a lane are shown: the usual ones, or those that a reader has chosen, remembered by the browser. */
import { el } from '../base/dom.js';
import { publish } from '../base/shared.js';

/** @import { Dial } from '../payload.js' */

const KEY = 'specviz-numbers';

/** The keys in what a browser has kept; null: nothing was chosen. @param {string | null} kept */
export const chosenOnes = (kept) => (kept === null ? null : kept.split(',').filter(Boolean));

/** @returns {string[] | null} */
function remembered() {
  try {
    return chosenOnes(window.localStorage.getItem(KEY));
  } catch {
    return null; // no storage
  }
}

/** @type {string[] | null | undefined} undefined: not looked up yet */
let chosen;

/** Whether a number is shown. @param {Pick<Dial, 'key' | 'usual'>} dial */
export function isShown({ key, usual }) {
  if (chosen === undefined) chosen = remembered();
  return chosen ? chosen.includes(key) : usual;
}

/** @param {string[] | null} keys null: the usual ones */
function choose(keys) {
  chosen = keys;
  try {
    if (keys) window.localStorage.setItem(KEY, keys.join());
    else window.localStorage.removeItem(KEY);
  } catch {
    // nothing is kept where the browser keeps nothing
  }
  publish('numbers', keys);
}

/** The list to choose from. */
export class DialChoice {
  list = el('div', { class: 'sv-numbers-list' });
  element = el(
    'details',
    { class: 'sv-numbers', 'data-part': 'dials', hidden: true },
    el('summary', {}, 'Numbers'),
    this.list,
  );
  known = '';

  /** @param {Dial[]} dials of any lane */
  show(dials) {
    const known = dials.map(({ key, usual }) => `${key}${usual}`).join();
    this.element.hidden = !dials.length;
    if (known !== this.known) this.fill(dials);
    this.known = known;
  }

  /** @param {Dial[]} dials */
  fill(dials) {
    const boxes = dials.map((dial) => {
      const box = el('input', { type: 'checkbox', value: dial.key });
      box.checked = isShown(dial);
      box.addEventListener('change', () => choose(boxes.filter((one) => one.checked).map(({ value }) => value)));
      return box;
    });
    const usual = () => {
      choose(null);
      dials.forEach((dial, at) => (boxes[at].checked = isShown(dial)));
    };
    this.list.replaceChildren(
      ...dials.map(({ label, help }, at) => el('label', { 'data-tip': help }, boxes[at], label)),
      el('button', { type: 'button', class: 'sv-chip', onclick: usual }, 'The usual ones'),
    );
  }
}
