/* The runs behind a point: each is made again, and looked into. */
import { el, pushButton } from '../base/dom.js';
import { scrolled, tableOf } from '../base/table.js';
import { publish } from '../base/shared.js';

/**
 * @import { LabRun, LabRuns } from '../payload.js'
 * @import { Form } from '../base/link.js'
 */

/** @param {LabRun} run */
function traceButton({ prompt, seed, made, form }) {
  const again = /** @type {Form} */ (form);
  const tip =
    'Makes this run again, with the same prompt, options and seed, in a race beside ' +
    `${again.lanes[1].method}, and opens it in the Microscope`;
  const onclick = () => publish('again', { form: again, made });
  const label = `See the trace of ${prompt}, seed ${seed}`;
  return pushButton('See the trace', onclick, { 'data-tip': tip, 'aria-label': label });
}

/** Why the clock of a run says nothing. @type {Record<string, string>} */
const BESIDE = { shared: 'beside races', workers: 'beside other workers' };

/** @param {LabRun} run */
function row(run) {
  const again = run.text ? traceButton(run) : '';
  return el(
    'tr',
    {},
    el('th', { scope: 'row', 'data-tip': run.text, tabindex: 0 }, run.prompt),
    el('td', {}, run.seed),
    run.values.map((text) => el('td', {}, text)),
    el('td', { class: 'sv-beside' }, run.disturbed ? (BESIDE[run.disturbed] ?? 'beside other programs') : ''),
    el('td', {}, again),
  );
}

/** A table of the runs of a setting. @param {LabRuns} runs */
export function runsTable({ name, columns, rows, left_out: more }) {
  const words = ['Prompt', 'Seed', ...columns, '', ''];
  const table = tableOf(words, rows.map(row), { class: 'sv-runs' });
  return [
    el('h3', { tabindex: -1 }, `Runs of ${name}`),
    scrolled(`Runs of ${name}`, table),
    more ? el('p', { class: 'sv-note' }, `And ${more} more: save the rows to see all.`) : '',
  ];
}
