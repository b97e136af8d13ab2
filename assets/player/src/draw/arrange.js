/* Where everything of a forest stands, in pixels; drawn as SVG in the film, in the Microscope and in saved files, and
   on a canvas for a video. */
import { characters } from '../base/pieces.js';

/**
 * @import { ForestRoot, GuessMotion, PlacedToken } from '../payload.js'
 * @typedef {{x: number, y: number, width: number}} Box middle of the left edge, and width
 * @typedef {{name: string, x: number, y: number, text: string}} PlacedRoot the text ends at x
 * @typedef {object} Room what a forest may take
 * @property {number} [height] pixels
 * @property {number} [head] of these above the first row
 * @property {number} [tallest] pixels of a row, at most
 * @property {number} [least] and at least, though it takes more height then
 * @property {number} [widest] pixels of a column, at most
 * @property {number} [slim] and at least, though it takes more width then
 * @property {number} [slot] pixels of a guess beside its sibling, where rows are too many for the height
 * @property {number} [scale] of the type
 */

/**
 * @template {PlacedToken} [Guess=GuessMotion]
 * @typedef {{guess: Guess, box: Box, text: string, curve: string, stroke: number}} PlacedGuess
 */

/**
 * @template {PlacedToken} [Guess=GuessMotion]
 * @typedef {object} Arrangement
 * @property {PlacedRoot[]} roots
 * @property {PlacedGuess<Guess>[]} guesses
 * @property {number} type size of the type
 * @property {number} pill height of a guess
 * @property {number} corner its radius
 * @property {[number, number]} reach from where to where the target call reads
 * @property {(depth: number) => number} column where the guesses of a depth begin
 * @property {number} width of all
 * @property {number} height of all
 */

export const HEIGHT = 116;
const MARGIN = 2;
const ROOT_SHARE = 0.17; // of the width, at most
const TALLEST = 27; // pixels a row
const WIDEST = 128; // pixels a column
const NARROW = 84; // pixels a column, below which labels are shortened in every way
const LETTER = 0.62; // of the size of the type, a letter's mean width
/** @type {Record<string, number>} */
const CORNERS = { chain: 10, tree: 5, forks: 5, heads: 5, beams: 0 };

/** A label's characters, those that only say its direction left out. @param {string} label */
const lettersOf = (label) => characters(label.replace(/[\u2068\u2069]/g, ''));

/** @param {string} text @param {number} most letters */
const cut = (text, most) => {
  const letters = lettersOf(text);
  return letters.length > most ? `${letters.slice(0, Math.max(1, most - 1)).join('')}…` : text;
};

/**
 * How wide the columns are: all alike, unless some label then has too little space, which the others leave to it.
 * @param {number[]} needs pixels, of each depth
 * @param {number} column pixels, where all are alike
 */
export function columnWidths(needs, column) {
  if (needs.every((need) => need <= column)) return needs.map(() => column);
  let left = column * needs.length;
  const widths = needs.map(() => 0);
  const order = [...needs.keys()].sort((one, other) => needs[one] - needs[other]);
  order.forEach((at, before) => {
    widths[at] = Math.min(needs[at], left / (order.length - before));
    left -= widths[at];
  });
  return widths.map((width) => width + left / widths.length);
}

/**
 * What the widest guess of each depth needs.
 * @template {PlacedToken} Guess
 * @param {{depth: number, guesses: Guess[]}} forest @param {(guess: Guess) => number} needed pixels
 */
function widestOf({ depth, guesses }, needed) {
  const widest = /** @type {number[]} */ (Array(depth).fill(0));
  for (const guess of guesses) widest[guess.x - 1] = Math.max(widest[guess.x - 1], needed(guess));
  return widest;
}

/** A line from a guess to one in a later column. @param {Box} parent @param {Box} box @param {number} column */
function curveOf(parent, box, column) {
  const from = parent.x + parent.width;
  const bend = from + (Math.min(box.x, column) - from) / 2;
  return `M${from} ${parent.y} C${bend} ${parent.y} ${bend} ${box.y} ${box.x} ${box.y}`;
}

/** A label, without its leading space where columns are narrow. @param {PlacedToken} guess @param {boolean} narrow */
const labelIn = ({ label }, narrow) => (narrow && label.length > 1 ? label.replace(/^(\u2068?)·/, '$1') : label);

/**
 * The rows of a forest in which guesses that nothing follows stand beside their siblings: of each name its row, and
 * which in it.
 * @param {{roots: ForestRoot[], guesses: PlacedToken[], below?: string}} forest `below`: what has the last row
 * @param {(depth: number) => number} most that stand in a row
 */
export function packedRows({ roots, guesses, below: last }, most) {
  /** @type {Map<string, PlacedToken[]>} */
  const children = new Map();
  for (const guess of guesses.filter(({ name }) => name !== last).sort((one, other) => one.y - other.y)) {
    children.set(guess.parent, [...(children.get(guess.parent) ?? []), guess]);
  }
  /** @type {Map<string, {y: number, slot: number}>} */
  const places = new Map();
  let rows = 0;
  /** @param {string} name @returns {number} its row */
  const place = (name) => {
    let slot = -1; // none of the siblings' row is taken
    const below = (children.get(name) ?? []).map((guess) => {
      if (children.has(guess.name)) {
        slot = -1;
        return place(guess.name);
      }
      slot = slot < 0 || slot + 1 >= most(guess.x) ? 0 : slot + 1;
      rows += slot === 0 ? 1 : 0;
      places.set(guess.name, { y: rows - 1, slot });
      return rows - 1;
    });
    const y = below.length ? (Math.min(...below) + Math.max(...below)) / 2 : rows++;
    places.set(name, { y, slot: 0 });
    return y;
  };
  for (const { name } of roots) place(String(name));
  if (last) places.set(last, { y: rows++, slot: 0 });
  return { places, rows };
}

/**
 * @template {PlacedToken & {tail?: string}} Guess
 * @param {{depth: number, rows: number, roots: ForestRoot[], guesses: Guess[], below?: string}} forest
 * @param {string} look
 * @param {number} width
 * @param {Room} [room]
 * @returns {Arrangement<Guess>}
 */
export function arrange(forest, look, width, room = {}) {
  const { height = HEIGHT, head = 0, tallest = TALLEST, least = 0, widest = WIDEST, slim = 0, scale = 1 } = room;
  const inner = height - head - 2 * MARGIN;
  const root = Math.min(120 * scale, ROOT_SHARE * width);
  const column = Math.max(slim * scale, Math.min(widest * scale, (width - root - 30) / Math.max(1, forest.depth)));
  const narrow = column < NARROW * scale;
  const right = root + column * forest.depth + 14;
  const slot = (room.slot ?? 0) * scale;
  const [apart, glyph] = narrow ? [8, 19 * scale] : [16, 22 * scale]; // pixels between columns, and beside a label
  const largest = (narrow ? 11 : 13) * scale;
  const crowded = slot > 0 && least * scale * forest.rows > inner;
  const needed = (/** @type {Guess} */ guess) =>
    Math.ceil(LETTER * largest * lettersOf(labelIn(guess, narrow) + (guess.tail ?? '')).length) + glyph + 3 + apart;
  const columns = columnWidths(widestOf(forest, crowded ? () => 0 : needed), column);
  const columnAt = (/** @type {number} */ depth) =>
    columns.slice(0, depth - 1).reduce((sum, one) => sum + one, root + 18);
  const most = (/** @type {number} */ depth) =>
    Math.max(1, Math.floor((Math.max(width, right) - columnAt(depth)) / slot));
  const packed = crowded ? packedRows(forest, most) : null;
  const followed = new Set(forest.guesses.flatMap(({ name, parent }) => (name === forest.below ? [] : parent)));
  const rows = packed?.rows ?? forest.rows;
  const row = Math.max(least * scale, Math.min(tallest * scale, inner / rows));
  const type = Math.min(largest, row - 4);
  const letter = LETTER * type;
  const pill = Math.min(22 * scale, row - 2);
  const top = head + MARGIN + Math.max(0, inner - row * rows) / 2 + row / 2;
  const rowOf = (/** @type {string} */ name, /** @type {number} */ y) =>
    top + (packed?.places.get(name)?.y ?? y) * row;
  /** @type {Map<string, Box>} */
  const boxes = new Map();
  const roots = forest.roots.map(({ name, label, y }) => {
    const place = { x: root, y: rowOf(String(name), y) };
    boxes.set(String(name), { ...place, width: 0 });
    return { name: String(name), x: root - 11, y: place.y, text: cut(label, Math.floor((root - 12) / letter)) };
  });
  const guesses = forest.guesses.map((guess) => {
    const at = packed?.places.get(guess.name)?.slot ?? 0;
    const alone = packed && (at || !followed.has(guess.name));
    const space = (alone ? slot : columns[guess.x - 1]) - apart;
    const tail = guess.tail ?? '';
    const text = cut(labelIn(guess, narrow), Math.floor((space - glyph) / letter) - tail.length) + tail;
    const size = Math.min(space, Math.max(26, letter * lettersOf(text).length + glyph + 2));
    const box = { x: columnAt(guess.x) + at * slot, y: rowOf(guess.name, guess.y), width: size };
    const parent = boxes.get(guess.parent) ?? box;
    boxes.set(guess.name, box);
    return { guess, box, text, curve: curveOf(parent, box, columnAt(guess.x)), stroke: 1 + 4 * guess.weight };
  });
  return {
    roots,
    guesses,
    type,
    pill,
    corner: Math.min(CORNERS[look] ?? 5, pill / 2),
    reach: [root + 8, right],
    column: columnAt,
    width: Math.max(width, right),
    height: head + Math.max(inner, row * rows) + 2 * MARGIN,
  };
}
