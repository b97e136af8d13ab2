/* What the papers promise: their number, the number here, and whether it holds. */
import { el, pushButton } from '../base/dom.js';
import { scrolled, tableOf } from '../base/table.js';

/**
 * @import { LabPromise } from '../payload.js'
 * @typedef {Pick<LabPromise, 'verdict' | 'clear'>} Judged
 */

/** @type {Record<string, [glyph: string, word: string]>} */
const VERDICTS = {
  holds: ['✓', 'holds'],
  fails: ['✗', 'does not hold here'],
  untested: ['–', 'cannot be tested here'],
};

/** Whether other prompts and seeds might give another verdict. @param {Judged} promise */
const unsure = ({ verdict: kind, clear }) => kind !== 'untested' && !clear;

/** A verdict as it is shown. @param {Judged} promise */
export function verdictWords(promise) {
  const [glyph, word] = VERDICTS[promise.verdict];
  return `${glyph} ${word}${unsure(promise) ? ', not sure' : ''}`;
}

/** How many of each, the unsure ones apart. @param {Judged[]} promises */
export function counted(promises) {
  const count = (/** @type {string} */ kind, /** @type {boolean} */ doubt) =>
    promises.filter((one) => one.verdict === kind && unsure(one) === doubt).length;
  return (
    `Of ${promises.length} promises ${count('holds', false)} hold here, ${count('holds', true)} more do, not sure; ` +
    `${count('fails', false)} do not hold here, ${count('fails', true)} more do not, not sure; ` +
    `${count('untested', false)} cannot be tested.`
  );
}

/** @param {LabPromise} promise */
function verdict(promise) {
  const kind = `sv-verdict ${promise.verdict}${unsure(promise) ? ' unsure' : ''}`;
  return el('span', { class: kind, 'data-tip': promise.words, tabindex: 0 }, verdictWords(promise));
}

/** The promises of one card. @param {LabPromise[]} promises */
export function promiseList(promises) {
  return el(
    'ul',
    { class: 'sv-promises', 'aria-label': 'What the paper promises' },
    promises.map((one) =>
      el(
        'li',
        {},
        verdict(one),
        el('b', {}, one.says),
        el('span', { class: 'sv-of-paper' }, `The paper: ${one.number}.`),
        el('span', { class: 'sv-of-here' }, one.words),
        one.here.length
          ? el(
              'details',
              {},
              el('summary', {}, 'Numbers here'),
              el(
                'ul',
                {},
                one.here.map((line) => el('li', {}, line)),
              ),
            )
          : null,
      ),
    ),
  );
}

/**
 * All promises in a table; a row opens its card.
 * @param {LabPromise[]} promises
 * @param {Record<string, string>} titles of cards
 * @param {(card: string) => void} open
 */
export function promiseTable(promises, titles, open) {
  const heads = ['Here', 'What is promised', 'The paper’s number', 'Numbers here'];
  const row = (/** @type {LabPromise} */ one) =>
    el(
      'tr',
      { 'data-verdict': one.verdict },
      el('td', {}, verdict(one)),
      el(
        'th',
        { scope: 'row' },
        one.says,
        pushButton(titles[one.card], () => open(one.card), { class: 'sv-to-card' }),
        el('small', {}, one.paper),
      ),
      el('td', { 'data-label': heads[2] }, one.number),
      el('td', { 'data-label': heads[3] }, one.here.length ? one.here.map((line) => el('p', {}, line)) : one.words),
    );
  const table = tableOf(heads, promises.map(row), { class: 'sv-promise-table' });
  return [el('p', { class: 'sv-lead' }, counted(promises)), scrolled('All promises', table)];
}
