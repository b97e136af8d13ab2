/* Rows of horizontal bars: a name, a bar or the target's over the draft's, the numbers. */
import { svg } from '../base/dom.js';
import { hatched, line, linked, rectangle, ticksTo, words } from './marks.js';
import { LINE, SMALL, TYPE, fitted, widest, widthOf } from './type.js';

/**
 * @import { Bar, BarRow, Bars } from '../payload.js'
 * @import { Box, Needs } from './marks.js'
 * @import { MarkedBar } from './recorded.js'
 * @typedef {{bar: Bar, box: Box, solid: number, was: number | null}} PlacedBar `solid`: pixels of it that are filled,
 *   `was`: where it ends in the record
 * @typedef {{text: string, x: number, y: number}} PlacedText
 * @typedef {{row: BarRow, box: Box, label: string, bars: PlacedBar[], numbers: PlacedText[]}} PlacedRow
 * @typedef {object} PlacedBars
 * @property {PlacedRow[]} rows
 * @property {number} type of the labels
 * @property {number} small of the numbers
 * @property {number} labels where labels end
 * @property {number} top of the rows
 * @property {number} bottom of the rows
 * @property {(probability: number) => number} across
 */

const LEAST = [13, 18, 20]; // pixels of a row with one bar, two, three; what there is no room for is in the last row
const WANTED = [24, 34, 47];
const AXIS = 18;
const TITLE = 20;
const LEADING = 2; // between a number and the one below it
const FEW = 5; // rows that are shown however little space there is
const GAP = 8; // beside the bars
const SHARE = 0.36; // of the width that labels take at most
const APART = ' / ';

/** A row's name with its mark. @param {BarRow} row */
const nameOf = ({ mark = '', label }) => (mark ? `${mark} ${label}` : label);

/** @param {Bars} bars */
const mostBars = ({ rows }) => Math.max(1, ...rows.map(({ bars }) => bars.length));

/** How high a row is at least, and where there is space. @param {Bars} bars */
const heightsOf = (bars) => [LEAST, WANTED].map((heights) => heights[mostBars(bars) - 1]);

/** What stands over and under the rows. @param {Bars} bars @param {boolean} ticks */
const around = ({ title, level }, ticks) => ({
  head: (title ? TITLE : 0) + (level ? LINE + 2 : 0),
  foot: ticks ? AXIS : 2,
});

/** @param {Bars} bars @param {boolean} [ticks] under them @returns {Needs} */
export function needsOfBars(bars, ticks = true) {
  const { head, foot } = around(bars, ticks);
  const rows = bars.rows.length;
  const [least, wanted] = heightsOf(bars).map((tall) => head + foot + tall * rows);
  return { least, wanted };
}

/**
 * Bars of the same tokens without the least likely one of those that can do without: it is added to all others, the
 * last row, which is made where there is none. Null where no more can go.
 * @param {Bars[]} all @returns {Bars[] | null}
 */
export function fewer(all) {
  const [{ rows: first }] = all;
  const ends = first.at(-1)?.rest ?? false;
  const free = first.findLastIndex((_, at) => all.every(({ rows }) => !rows[at].mark && !rows[at].rest));
  if (first.length <= FEW || free < 0) return null;
  return all.map((bars) => {
    const { rows } = bars;
    const gone = rows[free];
    const kept = rows.filter((_, at) => at !== free);
    if (!ends) return { ...bars, rows: [...kept, { label: 'all others', bars: gone.bars, rest: true }] };
    const last = rows[rows.length - 1];
    return {
      ...bars,
      rows: [...kept.slice(0, -1), { ...last, bars: last.bars.map((bar, at) => sum(bar, gone.bars[at])) }],
    };
  });
}

/** @param {Bar} bar */
const solidOf = ({ solid, length }) => solid ?? length;

/** @param {Bar} one @param {Bar} other @returns {Bar} */
function sum(one, other) {
  const length = one.length + other.length;
  return { ...one, length, solid: solidOf(one) + solidOf(other), text: String(Number(length.toPrecision(2))) };
}

/** How wide the labels of bars are, in a picture so wide. @param {Bars} bars @param {number} width */
export const labelsOfBars = ({ rows }, width) => Math.min(SHARE * width, widest(rows.map(nameOf)) + 6);

/**
 * Where everything stands.
 * @param {Bars} bars @param {Box} box @param {number} [labels] pixels of them @param {boolean} [ticks]
 * @returns {PlacedBars}
 */
export function placeBars(bars, { x, y, width, height }, labels = labelsOfBars(bars, width), ticks = true) {
  const { head, foot } = around(bars, ticks);
  const [least, wanted] = heightsOf(bars);
  const tall = Math.max(least, Math.min(wanted, (height - head - foot) / bars.rows.length));
  const type = tall >= 17 ? TYPE : SMALL;
  const pad = Math.max(2, 0.16 * tall);
  const most = mostBars(bars);
  const line = (tall - pad) / most - LEADING;
  const inLines = most > 1 && line >= SMALL;
  const small = inLines ? Math.min(TYPE, line) : type;
  const lines = bars.rows.map((row) => {
    const texts = row.bars.map(({ text }) => text);
    return inLines ? texts : [texts.join(APART)];
  });
  const room = widest(lines.flat(), small) + GAP;
  const left = x + labels + GAP;
  const length = Math.max(10, x + width - room - left);
  const across = (/** @type {number} */ probability) =>
    left + (length * Math.min(probability, bars.most)) / bars.most;
  const top = y + head;
  const rows = bars.rows.map((row, at) => {
    const place = { x, y: top + at * tall, width, height: tall };
    const thick = (tall - pad - (row.bars.length - 1)) / Math.max(1, row.bars.length);
    const placed = row.bars.map((/** @type {MarkedBar} */ bar, number) => ({
      bar,
      was: bar.was === undefined ? null : across(bar.was),
      box: { x: left, y: place.y + pad / 2 + number * (thick + 1), width: across(bar.length) - left, height: thick },
      solid: across(Math.min(solidOf(bar), bar.length)) - left,
    }));
    const longest = left + Math.max(0, ...placed.map(({ box }) => box.width));
    const end = bars.level ? left + length : longest; // beside the level, not under it
    const middle = place.y + tall / 2;
    const numbers = lines[at].map((text, number) => {
      const { box } = placed[number] ?? {};
      return inLines && box
        ? { text, x: (bars.level ? end : box.x + box.width) + 5, y: box.y + box.height / 2 }
        : { text, x: end + 5, y: middle };
    });
    return { row, box: place, label: fitted(nameOf(row), labels - (row.mark ? 6 : 0), type), bars: placed, numbers };
  });
  return { rows, type, small, labels: x + labels, top, bottom: top + tall * rows.length, across };
}

/** @param {PlacedBar} placed */
function barElement({ bar, box, solid, was }) {
  const rest = { ...box, x: box.x + solid, width: box.width - solid };
  const group = svg('g', { class: 'bar', 'data-tone': bar.tone }, rectangle({ ...box, width: solid }, 'fill'));
  if (rest.width > 0.5) group.append(...hatched(rest));
  if (was !== null) group.append(line('was', was, box.y - 1, was, box.y + box.height + 1));
  return group;
}

/** @param {PlacedRow} placed @param {PlacedBars} all */
function rowElement({ row, box, label, bars, numbers }, { type, small, labels }) {
  const middle = box.y + box.height / 2;
  const tip = `${row.label}: ${row.bars.map(({ text }) => text).join(APART)}`;
  const frame = { ...box, x: box.x + 1, width: box.width - 2 };
  return linked(
    { node: row.node, tip, frame, badge: [box.x + box.width - 10, middle], name: row.mark ? 'row judged' : 'row' },
    rectangle(box, 'band', 4),
    words(label, { x: labels, y: middle, anchor: 'end', size: type, name: 'label' }),
    bars.map(barElement),
    numbers.map(({ text, x, y }) => words(text, { x, y, size: small, name: 'number' })),
  );
}

/** @param {Bars} bars @param {Box} box @param {number} [labels] @param {boolean} [ticked] */
export function drawBars(bars, box, labels, ticked = true) {
  const placed = placeBars(bars, box, labels, ticked);
  const { top, bottom, across, rows } = placed;
  const { title, level } = bars;
  const ticks = ticksTo(bars.most);
  const end = box.x + box.width;
  const grid = ticks.map((at) => line('grid', across(at), top, across(at), bottom));
  const numbers = ticks.map((at) =>
    words(String(at), { x: across(at), y: bottom + 9, anchor: 'middle', size: SMALL, name: 'tick' }),
  );
  return svg(
    'g',
    { class: 'bars' },
    title ? words(fitted(title, box.width), { x: box.x, y: box.y + TITLE / 2, name: 'title' }) : null,
    grid,
    rows.map((row) => rowElement(row, placed)),
    level ? levelElement(level, across(level.at), top, bottom, [box.x, end]) : null,
    ticked ? numbers : null,
  );
}

/**
 * An upright line with words at its upper end.
 * @param {NonNullable<Bars['level']>} level @param {number} x @param {number} top @param {number} bottom
 * @param {[number, number]} within
 */
function levelElement({ words: text, tone = 'rejected', stroke = 'dashed' }, x, top, bottom, [from, to]) {
  const said = fitted(text, to - from, SMALL + 1);
  const half = widthOf(said, SMALL + 1) / 2;
  const middle = Math.max(from + half, Math.min(to - half, x));
  return svg(
    'g',
    { class: 'level', 'data-tone': tone, 'data-stroke': stroke, 'data-tip': said === text ? null : text },
    line('rule', x, top, x, bottom),
    words(said, { x: middle, y: top - LINE / 2 - 1, anchor: 'middle', size: SMALL + 1 }),
  );
}
