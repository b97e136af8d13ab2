/* The rows on their shelves: sorted by any column, filtered by text, some of them picked. */
import { el, pushButton } from '../base/dom.js';
import * as link from '../base/link.js';
import { meter } from '../parts/meter.js';
import { COLUMNS, compareRows, fits, keyOf, nextOrder, orderFromText, searchWords } from './rows.js';

/**
 * @import { LibrarySetup, ShelfRow } from '../payload.js'
 * @typedef {'recorded' | 'visit' | 'file'} ShelfName
 * @typedef {Record<ShelfName, ShelfRow[]>} Rows
 */

/** @type {[shelf: ShelfName, title: string, empty: string][]} */
const SHELVES = [
  ['recorded', 'Recorded runs', 'None.'],
  ['visit', 'Runs of this visit', 'Runs that you make on the Race page appear here until you reload the page.'],
  ['file', 'Opened files', 'Files that you open appear here.'],
];

/** @param {string} name @param {...import('../base/dom.js').Child} content */
const cell = (name, ...content) => el('td', { role: 'cell', 'data-column': name }, ...content);

export class Shelves {
  /** @param {LibrarySetup} setup @param {(rows: ShelfRow[]) => void} onpick */
  constructor({ most, help }, onpick) {
    this.most = most;
    this.onpick = onpick;
    /** @type {Map<string, ShelfRow>} */
    this.picked = new Map();
    /** @type {Rows} */
    this.rows = { recorded: [], visit: [], file: [] };
    this.order = orderFromText(link.get('sort'));
    this.said = el('p', { class: 'sv-said', role: 'status' });
    this.filter = this.filterField();
    this.heads = COLUMNS.map(([name, label]) => this.head(name, label, help[name] || null));
    this.groups = SHELVES.map(([shelf]) => el('tbody', { role: 'rowgroup', 'data-shelf': shelf }));
    const pick = el('th', { scope: 'col', role: 'columnheader' }, el('span', { class: 'sv-hidden' }, 'Pick'));
    const heads = el('thead', { role: 'rowgroup' }, el('tr', { role: 'row' }, pick, this.heads));
    this.element = el(
      'div',
      { class: 'sv-shelves', 'data-part': 'shelves' },
      el('div', { class: 'sv-find' }, el('label', { for: 'sv-library-filter' }, 'Find'), this.filter, this.said),
      el('table', { role: 'table', 'aria-label': 'Runs' }, heads, this.groups),
    );
  }

  filterField() {
    const filter = el('input', {
      type: 'search',
      id: 'sv-library-filter',
      placeholder: 'mtad, fairy tale, tau 0.1 …',
      autocomplete: 'off',
      value: (link.get('find') || '').slice(0, 200),
      oninput: () => {
        link.set({ find: filter.value || null });
        this.draw();
      },
    });
    return filter;
  }

  /** @param {string} name @param {string} label @param {string | null} help */
  head(name, label, help) {
    const words = [label, el('i', { 'aria-hidden': 'true' })];
    const button = pushButton(words, () => this.sort(name), { class: null, 'data-tip': help });
    return el('th', { scope: 'col', role: 'columnheader', 'data-column': name }, button);
  }

  /** @param {string} column */
  sort(column) {
    this.order = nextOrder(this.order, column);
    link.set({ sort: (this.order.down ? '-' : '') + column });
    this.draw();
  }

  /** @param {ShelfRow} row @param {HTMLInputElement} box */
  pick(row, box) {
    if (box.checked && this.picked.size >= this.most) {
      box.checked = false;
      this.said.textContent = `${this.most} runs at most: put one back first.`;
      return;
    }
    if (box.checked) this.picked.set(keyOf(row), row);
    else this.picked.delete(keyOf(row));
    this.said.textContent = '';
    box.closest('tr')?.classList.toggle('picked', box.checked);
    this.onpick([...this.picked.values()]);
  }

  /** @param {ShelfRow} row */
  line(row) {
    const checked = this.picked.has(keyOf(row));
    const label = `Pick ${row.title}: ${row.prompt.slice(0, 40)}`;
    const onchange = () => {
      this.pick(row, box);
    };
    const box = el('input', { type: 'checkbox', checked, 'aria-label': label, onchange });
    const title = { dir: 'auto', 'data-tip': row.set || null, tabindex: row.set ? 0 : null };
    const about = meter(row.method, row);
    const numbers = COLUMNS.slice(2).map(([name, text]) =>
      cell(name, el('span', { class: 'sv-label', 'aria-hidden': 'true' }, `${text} `), row.numbers[name][1]),
    );
    return el(
      'tr',
      { role: 'row', class: checked ? 'picked' : null },
      cell('pick', box),
      cell('title', el('b', title, row.title), ' ', about),
      cell('prompt', el('span', { dir: 'auto', translate: 'no' }, row.prompt)),
      numbers,
    );
  }

  draw() {
    const words = searchWords(this.filter.value);
    this.heads.forEach((head) => this.drawHead(head));
    const counts = SHELVES.map(([shelf, title, empty], at) => {
      const all = this.rows[shelf];
      const found = all.filter((row) => fits(row, words));
      found.sort((a, b) => compareRows(a, b, this.order));
      const note = all.length ? (found.length ? '' : 'Nothing here fits.') : empty;
      const wide = { colspan: COLUMNS.length + 1 };
      const heading = el('th', { ...wide, scope: 'rowgroup', role: 'rowheader', class: 'sv-shelf' }, title);
      const none = note
        ? [el('tr', { role: 'row' }, el('td', { ...wide, role: 'cell', class: 'sv-none' }, note))]
        : [];
      this.groups[at].replaceChildren(
        el('tr', { role: 'row' }, heading),
        ...none,
        ...found.map((row) => this.line(row)),
      );
      return found.length;
    });
    this.said.textContent = words.length ? `${counts.reduce((sum, count) => sum + count, 0)} found` : '';
  }

  /** @param {HTMLElement} head */
  drawHead(head) {
    const { column, down } = this.order;
    const mine = head.dataset.column === column;
    if (mine) head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    else head.removeAttribute('aria-sort');
    const arrow = head.querySelector('i');
    if (arrow) arrow.textContent = mine ? (down ? ' ▼' : ' ▲') : '';
  }

  /** The rows of each shelf. What is gone is no longer picked. @param {Rows} rows */
  fill(rows) {
    this.rows = rows;
    const there = new Set(Object.values(rows).flat().map(keyOf));
    for (const key of [...this.picked.keys()]) if (!there.has(key)) this.picked.delete(key);
    this.draw();
    this.onpick([...this.picked.values()]);
  }
}
