/* What the papers promise: their number, the number here, and whether it holds. */
import { el } from '../base/dom.js';

/** @import { LabPromise } from '../payload.js' */

/** @type {Record<string, [glyph: string, word: string]>} */
const VERDICTS = {
  holds: ['✓', 'holds'],
  fails: ['✗', 'does not hold here'],
  untested: ['–', 'cannot be tested here'],
};

/** @param {LabPromise} promise */
function verdict({ verdict: kind, words }) {
  const [glyph, word] = VERDICTS[kind];
  return el('span', { class: `sv-verdict ${kind}`, 'data-tip': words, tabindex: 0 }, `${glyph} ${word}`);
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
  const kinds = Object.keys(VERDICTS);
  const counts = kinds.map((kind) => promises.filter((one) => one.verdict === kind).length);
  const [holds, fails, untested] = counts;
  const said = `Of ${promises.length} promises ${holds} hold here, ${fails} do not, ${untested} cannot be tested.`;
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
        el('button', { type: 'button', class: 'sv-to-card', onclick: () => open(one.card) }, titles[one.card]),
        el('small', {}, one.paper),
      ),
      el('td', { 'data-label': heads[2] }, one.number),
      el('td', { 'data-label': heads[3] }, one.here.length ? one.here.map((line) => el('p', {}, line)) : one.words),
    );
  const head = el(
    'thead',
    {},
    el(
      'tr',
      {},
      heads.map((word) => el('th', { scope: 'col' }, word)),
    ),
  );
  const table = el('table', { class: 'sv-promise-table' }, head, el('tbody', {}, promises.map(row)));
  return [
    el('p', { class: 'sv-lead' }, said),
    el('div', { role: 'region', tabindex: 0, 'aria-label': 'All promises' }, table),
  ];
}
