/* The runs behind a point: each can be made again, and looked into. */
import { el } from '../base/dom.js';
import { formToFields } from '../base/link.js';

/** @import { LabRun, LabRuns } from '../payload.js' */

/** @param {LabRun} run */
function addressOf(run) {
  const fields = formToFields(/** @type {import('../base/link.js').Form} */ (run.form));
  return `?${new URLSearchParams([['view', 'race'], ...fields])}`;
}

/** @param {LabRun} run */
function row(run) {
  const again = run.text
    ? el(
        'a',
        { href: addressOf(run), 'data-tip': 'The same prompt, options and seed as a race beside plain decoding' },
        'Run it again',
      )
    : '';
  return el(
    'tr',
    {},
    el('th', { scope: 'row', 'data-tip': run.text, tabindex: 0 }, run.prompt),
    el('td', {}, run.seed),
    run.values.map((text) => el('td', {}, text)),
    el('td', { class: 'sv-beside' }, run.disturbed ? 'beside other programs' : ''),
    el('td', {}, again),
  );
}

/** A table of the runs of a setting. @param {LabRuns} runs */
export function runsTable({ name, columns, rows, left_out: more }) {
  const words = ['Prompt', 'Seed', ...columns, '', ''];
  const heads = el(
    'tr',
    {},
    words.map((word) => el('th', { scope: 'col' }, word)),
  );
  const table = el('table', { class: 'sv-runs' }, el('thead', {}, heads), el('tbody', {}, rows.map(row)));
  return [
    el('h3', { tabindex: -1 }, `Runs of ${name}`),
    el('div', { role: 'region', tabindex: 0, 'aria-label': `Runs of ${name}` }, table),
    more ? el('p', { class: 'sv-note' }, `And ${more} more: save the rows to see all.`) : '',
  ];
}
