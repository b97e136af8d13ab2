/* An attention mask: a row for each token of a target call, a column for each it could look at. */
import { svg } from '../base/dom.js';
import { line, linked, rectangle, words } from './marks.js';
import { SMALL, TYPE, fitted, round, widest } from './type.js';

/**
 * @import { Mask, MaskRow } from '../payload.js'
 * @import { Box, Needs } from './marks.js'
 * @typedef {'tilted' | 'upright' | 'few'} Heads how the labels of columns stand
 * @typedef {object} PlacedMask
 * @property {Box} grid
 * @property {number} wide of a cell
 * @property {number} tall
 * @property {number} gap between cells
 * @property {boolean} whole every row and every column is named
 * @property {number} left
 * @property {number} names where the labels of rows end
 * @property {number} places where their positions end
 * @property {Heads} heads
 */

const LEAST = 4; // pixels of a cell
const USUAL = 27;
const WIDEST = 40;
const NAMED = 12; // pixels of a row from which on every row is named
const GLYPHED = 14; // pixels of a cell from which on it has its glyph
const TILTED = 40; // degrees
const SIN = Math.sin((TILTED * Math.PI) / 180);
const COS = Math.cos((TILTED * Math.PI) / 180);
const MANY = 22; // rows, of which not every one needs a name
const MOST = 74; // pixels of the labels over the columns
const SHARE = 0.3; // of the width that labels take at most
const FATE = 42; // pixels of what becomes of a row
const GLYPHS = ['', '○', '●', '■', '·'];
const SEEN = ['hidden', 'context', 'ancestor', 'self', 'left'];

/** @param {MaskRow} row */
const placeName = ({ position }) => (position === null ? '' : `pos ${position}`);

/** What becomes of a row, in a word. @param {MaskRow} row */
const fateOf = ({ stays = null }) => (stays === null ? '' : stays ? 'stays' : 'freed');

/** What stands beside and over the grid. @param {Mask} mask @param {number} width @param {boolean} whole */
function aroundMask(mask, width, whole) {
  const { rows, columns } = mask;
  const places = widest(rows.map(placeName), SMALL) + 8;
  const names = whole ? Math.min(SHARE * width, widest(rows.map(({ label }) => label)) + 8) : 0;
  const fates = whole && rows.some((row) => fateOf(row)) ? FATE : 4;
  const room = width - names - places - fates;
  const long = widest(columns, SMALL);
  const tilted = room / columns.length >= 24;
  if (!whole) return { names, places, room, heads: /** @type {Heads} */ ('few'), head: 18 };
  if (!tilted)
    return { names, places, room, heads: /** @type {Heads} */ ('upright'), head: Math.min(MOST, long + 8) };
  const over = Math.min(MOST, widest(columns.slice(-1), SMALL) * COS) - fates; // a tilted label goes on to the right
  const head = Math.min(MOST, long * SIN + 14);
  return { names, places, room: room - Math.max(0, over - 14), heads: /** @type {Heads} */ ('tilted'), head };
}

/** @param {Mask} mask @param {number} width @returns {Needs} */
export function needsOfMask(mask, width) {
  const { length } = mask.rows;
  const whole = length <= MANY;
  const { head } = aroundMask(mask, width, whole);
  return { least: head + (whole ? NAMED : LEAST) * length + 4, wanted: head + (whole ? USUAL : NAMED) * length + 4 };
}

/**
 * Where everything stands.
 * @param {Mask} mask @param {Box} box @returns {PlacedMask}
 */
export function placeMask(mask, { x, y, width, height }) {
  const { rows, columns } = mask;
  const named = aroundMask(mask, width, true);
  const whole = (height - named.head - 4) / rows.length >= NAMED;
  const { names, places, room, heads, head } = whole ? named : aroundMask(mask, width, false);
  const tall = Math.max(LEAST, Math.min(USUAL, (height - head - 4) / rows.length));
  const wide = Math.max(2, Math.min(WIDEST, 2 * tall, room / columns.length));
  return {
    grid: { x: x + names + places, y: y + head, width: wide * columns.length, height: tall * rows.length },
    wide,
    tall,
    gap: tall >= 8 ? 2 : 1,
    whole,
    left: x,
    names: x + names - 8,
    places: x + names + places - 8,
    heads,
  };
}

/**
 * Which rows are named where there is no room for all: the first at a position, so many pixels apart.
 * @param {MaskRow[]} rows @param {number} tall
 */
export function namedRows(rows, tall) {
  /** @type {number[]} */
  const found = [];
  const known = new Set();
  rows.forEach(({ position }, at) => {
    const far = !found.length || (at - found[found.length - 1]) * tall >= NAMED;
    if (position !== null && !known.has(position) && far) found.push(at);
    known.add(position);
  });
  return found;
}

/**
 * The cells of one kind in a row, as one path.
 * @param {string} cells @param {number} kind @param {PlacedMask} placed
 */
export function cellsPath(cells, kind, { grid, wide, tall, gap }) {
  const [w, h] = [wide - gap, tall - gap].map((size) => round(Math.max(0.5, size)));
  return [...cells]
    .flatMap((cell, at) => (Number(cell) === kind ? [`M${round(grid.x + at * wide)} 0h${w}v${h}h${-w}z`] : []))
    .join('');
}

/**
 * What each cell is, where there is room to say it.
 * @param {string} cells @param {number} y @param {PlacedMask} placed
 */
function glyphElements(cells, y, { grid, wide, tall, gap }) {
  if (Math.min(wide, tall) < GLYPHED) return [];
  const size = Math.min(15, 0.6 * tall);
  return [...cells].flatMap((cell, at) => {
    const x = grid.x + at * wide + (wide - gap) / 2;
    const glyph = GLYPHS[Number(cell)];
    return glyph ? [words(glyph, { x, y, anchor: 'middle', size, name: 'glyph' })] : [];
  });
}

/** @param {Mask} mask @param {number} at @param {PlacedMask} placed @param {boolean} named its position is told */
function rowElement({ rows, columns }, at, placed, named) {
  const row = rows[at];
  const { grid, wide, tall, gap, whole, left, names, places } = placed;
  const top = grid.y + at * tall;
  const middle = top + (tall - gap) / 2;
  const size = tall >= 17 ? TYPE : SMALL;
  const fate = fateOf(row);
  const own = grid.x + (columns.length - rows.length + at) * wide;
  const cells = SEEN.map((name, kind) => {
    const d = cellsPath(row.cells, kind, placed);
    return d && svg('path', { class: name, d, transform: `translate(0 ${round(top)})` });
  });
  const frame = { x: grid.x - gap, y: top - gap, width: grid.width + gap, height: tall + gap };
  const column = { x: own - gap, y: grid.y - gap, width: wide + gap, height: grid.height + gap };
  const group = linked(
    {
      node: row.node,
      tip: [row.label, placeName(row), fate].filter(Boolean).join(', '),
      frame,
      badge: [grid.x + grid.width - 10, middle],
      name: `row ${fate}`.trim(),
    },
    rectangle({ x: left, y: top, width: grid.x + grid.width - left, height: tall }, 'band'),
    whole && words(fitted(row.label, names - left, size), { x: names, y: middle, anchor: 'end', size }),
    named && words(placeName(row), { x: places, y: middle, anchor: 'end', size: SMALL, name: 'tick' }),
    cells,
    glyphElements(row.cells, middle, placed),
    typeof row.node === 'number' && rectangle(column, 'column', 3),
    line('new', grid.x - 4, top, grid.x - 4, top + tall - gap),
    whole && fate && words(fate, { x: grid.x + grid.width + 6, y: middle, size: SMALL, name: 'fate' }),
  );
  group.setAttribute('data-row', String(at));
  return group;
}

/** @param {string} text @param {number} at @param {PlacedMask} placed */
function headElement(text, at, { grid, wide, gap, heads }) {
  const x = round(grid.x + at * wide + (wide - gap) / 2 + (heads === 'upright' ? 0 : 2));
  const y = round(grid.y - 7);
  const room = heads === 'tilted' ? (MOST - 14) / SIN : MOST - 6;
  const said = fitted(text, room, SMALL);
  const turned = `translate(${x} ${y}) rotate(${heads === 'upright' ? -90 : -TILTED})`;
  const tip = { 'data-tip': said === text ? null : text };
  return svg('g', { ...tip, transform: turned }, words(said, { x: 0, y: 0, size: SMALL, name: 'tick' }));
}

/** @param {Mask} mask @param {Box} box */
export function drawMask(mask, box) {
  const placed = placeMask(mask, box);
  const { grid, wide, tall, gap, whole, heads } = placed;
  const { rows, columns, framed } = mask;
  const named = new Set(whole ? rows.keys() : namedRows(rows, tall));
  const before = columns.length - rows.length; // the context, and what is the beams' own
  const few =
    before > 0 &&
    words(fitted(columns[0], grid.width, SMALL), { x: grid.x, y: grid.y - 9, size: SMALL, name: 'tick' });
  const slice = framed && {
    x: grid.x + before * wide - gap,
    y: grid.y - gap,
    width: framed * wide + gap,
    height: framed * tall + gap,
  };
  return svg(
    'g',
    { class: 'mask' },
    heads === 'few' ? few : columns.map((text, at) => headElement(text, at, placed)),
    rows.map((_, at) => rowElement(mask, at, placed, named.has(at))),
    slice && rectangle(slice, 'slice', 3),
  );
}
