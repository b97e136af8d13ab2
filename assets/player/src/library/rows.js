/* The rows of the Library as data: how they are found and sorted. */

/**
 * @import { ShelfRow } from '../payload.js'
 * @typedef {{column: string | null, down: boolean}} Order
 */

/** @type {[column: string, label: string][]} */
export const COLUMNS = [
  ['title', 'Method'],
  ['prompt', 'Prompt'],
  ['tokens', 'Tokens'],
  ['tokens_per_target_call', 'Tokens per target call'],
  ['acceptance_rate', 'Acceptance'],
  ['perplexity', 'Perplexity'],
  ['tokens_per_second', 'Tokens/s'],
  ['size', 'Size'],
];

/** @param {ShelfRow} row */
export const keyOf = ({ run, lane }) => `${run}.${lane}`;

/** `-tokens`: by tokens, large ones first. @param {string | null} text @returns {Order} */
export function orderFromText(text) {
  const [, down, column] = /^(-?)(.*)$/.exec(text || '') ?? ['', '', ''];
  const known = COLUMNS.some(([name]) => name === column);
  return known ? { column, down: Boolean(down) } : { column: null, down: false };
}

/**
 * The order after a click on a column: large numbers first, then the other way round.
 * @param {Order} order
 * @param {string} column
 * @returns {Order}
 */
export function nextOrder(order, column) {
  const words = column === 'title' || column === 'prompt';
  return { column, down: order.column === column ? !order.down : !words };
}

/** @param {ShelfRow} row @param {string} column */
function valueOf(row, column) {
  if (column in row.numbers) return row.numbers[column][0];
  return (column === 'title' ? row.title : row.prompt).toLowerCase();
}

/** Rows without the number come last. @param {ShelfRow} a @param {ShelfRow} b @param {Order} order */
export function compareRows(a, b, { column, down }) {
  if (column === null) return 0;
  const [left, right] = [valueOf(a, column), valueOf(b, column)];
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  return (left < right ? -1 : left > right ? 1 : 0) * (down ? -1 : 1);
}

/** The words of a search. @param {string} text */
export const searchWords = (text) => text.trim().toLowerCase().split(/\s+/).filter(Boolean);

/** Whether all words are found in a row. @param {ShelfRow} row @param {string[]} words */
export function fits(row, words) {
  const said = `${row.title} ${row.method} ${row.guarantee.name} ${row.set} ${row.prompt}`.toLowerCase();
  return words.every((word) => said.includes(word));
}
