/* "Break it": the switches that break the rule of a step, with a meter of the distance from the target's
   distribution. */
import { el } from '../base/dom.js';
import { headRow } from '../base/table.js';

/** @import { BreakSwitch } from '../payload.js' */

const METER =
  'The meter: how far the distribution of what comes out is from the one that the target alone would write with. ' +
  '0 is the same distribution, that is lossless; 1 is nothing in common.';
let groups = 0;

/** @param {number} value @param {number} digits */
export const fixed = (value, digits) => (value < 1e-6 ? '0' : value.toFixed(digits));

/** @param {string} kind @param {number} share */
function bar(kind, share) {
  const length = el('span', { class: `sv-length ${kind}`, style: { width: `${100 * share}%` } });
  return el('td', {}, length, el('b', {}, share.toFixed(3)));
}

/** @param {BreakSwitch['distribution'][number]} row */
function tokenRow({ token, target, broken }) {
  const off = Math.abs(target - broken) > 5e-4 ? 'off' : null;
  return el(
    'tr',
    { class: off },
    el('th', { scope: 'row', translate: 'no' }, token),
    bar('target', target),
    bar('out', broken),
  );
}

/** What comes out with one switch. */
class Outcome {
  constructor() {
    this.about = el('p', {});
    this.needle = el('span', { class: 'sv-length' });
    this.distance = el('b', {});
    this.said = el('p', {});
    this.small = el('p', { class: 'sv-hint' });
    this.rows = el('tbody', {});
    const meaning = el('p', { class: 'sv-hint' }, METER);
    const scale = el('span', { class: 'sv-scale', 'aria-hidden': 'true' }, this.needle);
    const title = el('span', {}, 'Distance from the target’s distribution');
    this.meter = el('div', { class: 'sv-distance' }, title, scale, this.distance);
    this.status = el('div', { role: 'status' }, this.about, this.meter, meaning, this.said);
    this.table = el('table', {}, headRow(['Token', 'Target', 'What comes out']), this.rows);
  }

  /** @param {BreakSwitch} one */
  show(one) {
    const reference = fixed(one.reference, 3);
    this.about.textContent = one.about;
    this.needle.style.width = `${100 * one.distance}%`;
    this.distance.textContent = fixed(one.distance, 3);
    this.meter.classList.toggle('off', one.distance > 1e-6);
    this.said.textContent = one.sentence;
    const where = 'On a small pair of models, where every coin can be tried,';
    this.small.textContent = `${where} the distance over two tokens is ${reference}.`;
    this.rows.replaceChildren(...one.distribution.map(tokenRow));
  }
}

/**
 * @param {BreakSwitch[]} switches the right rule first
 * @param {string | null} rule the name of the one that is on
 * @param {(rule: string | null) => void} onrule null: the right rule
 */
export function breakIt(switches, rule, onrule) {
  const name = `sv-break-${++groups}`;
  const outcome = new Outcome();
  const first = switches.find((one) => one.name === rule) || switches[0];
  const input = (/** @type {BreakSwitch} */ one) => {
    const onchange = () => {
      outcome.show(one);
      onrule(one === switches[0] ? null : one.name);
    };
    const radio = el('input', { type: 'radio', name, value: one.name, checked: one === first, onchange });
    return el('label', {}, radio, one.title);
  };
  outcome.show(first);
  return el(
    'section',
    { class: 'sv-break', 'aria-label': 'Break it' },
    el('h3', {}, 'Break it'),
    el('div', { class: 'sv-switches', role: 'radiogroup', 'aria-label': 'The rule' }, switches.map(input)),
    outcome.status,
    outcome.small,
    outcome.table,
  );
}
