/* What rows say: charts, a table of their points, promises, the runs behind a point; files of all of it. */
import { el, pushButton } from '../base/dom.js';
import { scrolled, tableOf } from '../base/table.js';
import { bytesOf, download, saveAnswer } from '../base/files.js';
import * as link from '../base/link.js';
import { plotly } from '../base/plotly.js';
import { explained } from '../base/terms.js';
import { isDark } from '../base/theme.js';
import { linkButton } from '../parts/link-button.js';
import { Picture } from './picture.js';
import { timeWords } from './own-words.js';
import { promiseList } from './promises.js';
import { runsTable } from './runs.js';

/**
 * @import { FileAnswer, LabFigure, LabPoint, LabRuns, LabView } from '../payload.js'
 * @import { Failure } from '../base/server.js'
 * @import { PlotLayout } from '../plotly.js'
 * @typedef {object} Source where a view comes from
 * @property {string} name in files
 * @property {(dark: boolean) => Promise<LabView | Failure>} view
 * @property {(setting: string) => Promise<LabRuns | Failure>} runs
 * @property {(format: string) => Promise<FileAnswer | Failure>} file
 * @property {(key: string) => Promise<FileAnswer | Failure>} pdf
 */

export class LabCard {
  /**
   * @param {Source} source
   * @param {(message: string) => void} refuse
   * @param {(() => void) | null} onrun
   */
  constructor(source, refuse, onrun) {
    this.source = source;
    this.refuse = refuse;
    this.onrun = onrun;
    /** @type {Map<string, Picture>} */
    this.pictures = new Map();
    /** @type {HTMLSelectElement | null} */
    this.kind = null;
    this.runs = el('section', { class: 'sv-lab-runs', hidden: true, 'data-part': 'runs' });
    this.element = el('article', { class: 'sv-lab-card' });
  }

  /** @param {LabView} view */
  show(view) {
    const figures = el('div', { class: 'sv-lab-figures', 'data-part': 'figures' });
    this.pictures.clear();
    for (const figure of view.figures) figures.append(this.figure(figure));
    this.runs.hidden = true;
    const asked = link.get('category');
    const none = asked && asked !== view.category;
    this.refuse(none ? `No prompts here are of the kind “${asked.slice(0, 40)}”: all are shown.` : '');
    this.element.replaceChildren(
      ...this.head(view),
      this.chooser(view),
      view.points.length ? figures : el('p', { class: 'sv-lead' }, 'Nothing was recorded yet.'),
      ...(view.points.length ? [this.table(view), this.runs, this.files(view)] : []),
      ...this.foot(view),
    );
    for (const { key, figure, words } of view.figures) this.pictures.get(key)?.show(figure, words);
  }

  /** @param {LabView} view */
  head(view) {
    const { title, paper, asks, say, promises } = view;
    return [
      title ? el('h2', {}, title) : '',
      paper ? el('p', { class: 'sv-note' }, paper) : '',
      asks ? el('p', { class: 'sv-lead' }, asks) : '',
      say ? el('p', {}, explained(say)) : '',
      this.run(view),
      promises.length ? promiseList(promises) : '',
    ];
  }

  /** Which prompts are looked at, where they are of several kinds. @param {LabView} view */
  chooser({ category, categories, promises }) {
    if (!categories.length) return '';
    const option = (/** @type {string} */ name) => el('option', { value: name }, name);
    this.kind = el('select', { id: 'sv-lab-kind' }, el('option', { value: '' }, 'all'), categories.map(option));
    this.kind.value = category;
    this.kind.onchange = () => this.choose();
    const note = promises.length ? el('span', { class: 'sv-note' }, 'Promises are judged on all prompts.') : '';
    return el(
      'p',
      { class: 'sv-row', 'data-part': 'figures' },
      el('label', { for: this.kind.id }, 'Kind of prompts'),
      this.kind,
      note,
    );
  }

  /** Look at the prompts of one kind. */
  async choose() {
    link.set({ category: this.kind?.value || null });
    const answer = await this.source.view(isDark());
    if ('error' in answer) {
      this.refuse(answer.error);
      return;
    }
    this.show(answer);
    this.kind?.focus();
  }

  /** @param {LabFigure} figure */
  figure({ key, label, help }) {
    const picture = new Picture(label);
    this.pictures.set(key, picture);
    const heading = el('h3', { 'data-tip': help, tabindex: 0 }, label);
    this.listen(picture);
    return el('section', {}, heading, picture.element);
  }

  /** A click on a mark opens its runs. @param {Picture} picture */
  listen(picture) {
    const { plot } = picture;
    const wire = () => {
      const graph = /** @type {any} */ (plot);
      if (graph.sv || !graph.on) return;
      graph.sv = true;
      graph.on('plotly_click', (/** @type {{points: {customdata: number}[]}} */ { points }) =>
        this.element.querySelector(`[data-point="${points[0].customdata}"]`)?.dispatchEvent(new MouseEvent('click')),
      );
    };
    new MutationObserver(wire).observe(plot, { childList: true });
  }

  /** @param {LabView} view */
  table({ columns, points }) {
    const heads = ['Setting', ...columns, 'Runs'];
    const cell = (/** @type {[string, string]} */ [value, interval]) =>
      el('td', {}, el('b', {}, value), interval ? el('small', {}, ` ${interval}`) : '');
    const row = (/** @type {LabPoint} */ one) => {
      const name = one.best
        ? [
            `${one.name} `,
            el(
              'span',
              { 'data-tip': 'On the front: no other setting beats it in both quality and speed', tabindex: 0 },
              '◎',
            ),
          ]
        : one.name;
      const left = one.left_out ? ` (${one.left_out} disturbed)` : '';
      const why = left ? 'Disturbed: other programs kept the run waiting. Its speed does not count.' : null;
      const more = { 'data-point': one.number, 'aria-label': `Runs of ${one.name}`, 'data-tip': why };
      return el(
        'tr',
        {},
        el('th', { scope: 'row' }, name),
        one.values.map(cell),
        el(
          'td',
          {},
          pushButton(`${one.runs}${left}`, () => this.open(one.name), more),
        ),
      );
    };
    const table = tableOf(heads, points.map(row), { class: 'sv-points' });
    const region = scrolled('All settings, with 95 % intervals', table, { 'data-part': 'table' });
    const tip = 'A click on a mark, or on the number at the end of a row, lists the runs behind it.';
    return el('div', {}, el('p', { class: 'sv-note' }, tip), region);
  }

  /** List the runs of a setting. @param {string} name */
  async open(name) {
    const answer = await this.source.runs(name);
    if ('error' in answer) {
      this.refuse(answer.error);
      return;
    }
    this.runs.replaceChildren(...runsTable(answer));
    this.runs.hidden = false;
    this.runs.scrollIntoView({ block: 'nearest' });
    this.runs.querySelector('h3')?.focus({ preventScroll: true });
  }

  /** @param {LabView} view */
  files({ figures }) {
    const which = el(
      'select',
      { 'aria-label': 'Chart' },
      figures.map(({ key, label }) => el('option', { value: key }, label)),
    );
    const images = ['png', 'svg', 'pdf'].map((format) =>
      pushButton(format.toUpperCase(), () => this.saveFigure(which.value, format)),
    );
    const rows = ['csv', 'parquet'].map((format) =>
      pushButton(format === 'csv' ? 'CSV' : 'Parquet', () => this.saveRows(format)),
    );
    const attributes = { class: 'sv-row', 'data-part': 'save', role: 'group', 'aria-label': 'Save' };
    return el(
      'div',
      attributes,
      'Chart ',
      which,
      images,
      ' Rows ',
      rows,
      linkButton(() => this.saveRows('csv')),
    );
  }

  /** @param {string} format */
  async saveRows(format) {
    const answer = await this.source.file(format);
    if ('error' in answer) this.refuse(answer.error);
    else saveAnswer(answer);
  }

  /** @param {string} key @param {string} format */
  async saveFigure(key, format) {
    if (format === 'pdf') {
      const answer = await this.source.pdf(key);
      if ('error' in answer) this.refuse(answer.error);
      else saveAnswer(answer);
      return;
    }
    const shown = this.pictures.get(key)?.shown;
    if (!shown) return;
    await plotly();
    const layout = /** @type {PlotLayout} */ (structuredClone(shown.figure.layout));
    Object.assign(layout, { paper_bgcolor: getComputedStyle(this.element).getPropertyValue('--sv-paper') });
    const figure = { data: shown.figure.data, layout };
    const image = await Plotly.toImage(figure, { format, width: 900, height: layout.height, scale: 2 });
    const content = image.slice(image.indexOf(',') + 1);
    const name = `specviz-lab-${this.source.name}-${key}.${format}`;
    if (format === 'svg') download(name, decodeURIComponent(content), 'image/svg+xml');
    else download(name, bytesOf(content), 'image/png');
  }

  /** The way to runs of one's own, and how long those that ship took. @param {LabView} view */
  run({ seconds }) {
    if (!this.onrun) return '';
    const button = pushButton('Run this here …', this.onrun, { class: 'sv-do' });
    const note = seconds ? el('span', { class: 'sv-note' }, `took ${timeWords(seconds)} where it was recorded`) : '';
    return el('p', { class: 'sv-row', 'data-part': 'form' }, button, note);
  }

  /** @param {LabView} view */
  foot({ grid, made }) {
    return [
      made ? el('p', { class: 'sv-note' }, made) : '',
      grid
        ? el(
            'details',
            { class: 'sv-grid', 'data-part': 'form' },
            el('summary', {}, 'What is run'),
            el('pre', {}, grid),
          )
        : '',
    ];
  }
}
