/* Which numbers of a lane are shown: the usual ones, or those that a reader has chosen, remembered by the browser. */
import { el, pushButton } from '../base/dom.js';
import { keep, kept } from '../base/kept.js';
import { publish } from '../base/shared.js';

/** @import { Dial } from '../payload.js' */

const KEY = 'specviz-numbers';

/** @type {string[] | null | undefined} undefined: not looked up yet */
let chosen;

/** Whether a number is shown. @param {Pick<Dial, 'key' | 'usual'>} dial */
export function isShown({ key, usual }) {
  if (chosen === undefined) chosen = kept(KEY)?.split(',').filter(Boolean) ?? null;
  return chosen ? chosen.includes(key) : usual;
}

/** @param {string[] | null} keys null: the usual ones */
function choose(keys) {
  chosen = keys;
  keep(KEY, keys && keys.join());
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
      pushButton('The usual ones', usual),
    );
  }
}
