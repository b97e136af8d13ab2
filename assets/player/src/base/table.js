/* Tables with a head over each column, and the boxes in which they are scrolled. */
import { el } from './dom.js';

/** @import { Attributes, Child } from './dom.js' */

/** @param {Child[]} heads */
export const headRow = (heads) => {
  const cells = heads.map((head) => el('th', { scope: 'col' }, head));
  return el('thead', {}, el('tr', {}, cells));
};

/** @param {Child[]} heads @param {Child[]} rows @param {Attributes} [attributes] */
export const tableOf = (heads, rows, attributes = {}) =>
  el('table', attributes, headRow(heads), el('tbody', {}, rows));

/** What a column means, on hover and focus of its head. @param {string} word @param {string} help */
export const explainedHead = (word, help) => el('span', { tabindex: 0, 'data-tip': help }, word);

/** @param {string} name of the box @param {Child} table @param {Attributes} [more] */
export const scrolled = (name, table, more = {}) =>
  el('div', { role: 'region', tabindex: 0, 'aria-label': name, ...more }, table);
