/* Two lists side by side, what is the same in both joined by a line. */
import { svg } from '../base/dom.js';
import { linked, rectangle, words } from './marks.js';
import { SMALL, TYPE, fitted, round } from './type.js';

/**
 * @import { ListEntry, Lists } from '../payload.js'
 * @import { Box, Needs } from './marks.js'
 * @typedef {{entry: ListEntry, box: Box, text: string}} PlacedEntry
 */

const HEAD = 22;
const LEAST = 15; // pixels of a row
const USUAL = 30;
const MIDDLE = 0.2; // of the width, between the lists
const GLYPH = 20;

/** @param {Lists} lists @returns {Needs} */
export function needsOfLists({ left, right }) {
  const rows = Math.max(left.length, right.length, 1);
  return { least: HEAD + LEAST * rows, wanted: HEAD + USUAL * rows };
}

/**
 * Where everything stands.
 * @param {Lists} lists @param {Box} box
 */
export function placeLists({ left, right }, { x, y, width, height }) {
  const rows = Math.max(left.length, right.length, 1);
  const tall = Math.max(LEAST, Math.min(USUAL, (height - HEAD) / rows));
  const type = tall >= 19 ? TYPE : SMALL;
  const wide = ((1 - MIDDLE) / 2) * width - 1;
  const inset = Math.max(1, 0.12 * tall);
  /** @type {(entries: ListEntry[], from: number) => PlacedEntry[]} */
  const column = (entries, from) =>
    entries.map((entry, at) => ({
      entry,
      box: { x: from, y: y + HEAD + tall * at + inset, width: wide, height: tall - 2 * inset },
      text: fitted(entry.text, wide - GLYPH - 10, type),
    }));
  return { left: column(left, x + 1), right: column(right, x + width - wide - 1), type, wide };
}

/** @param {PlacedEntry} placed @param {number} type */
function entryElement({ entry, box, text }, type) {
  const middle = box.y + box.height / 2;
  const { node, found } = entry;
  const badge = /** @type {[number, number]} */ ([box.x + box.width - 8, middle]);
  const group = linked(
    { node, tip: entry.text, frame: box, badge, name: found ? 'entry found' : 'entry' },
    rectangle(box, 'pill', Math.min(8, box.height / 2)),
    words(found ? '✓' : '✗', { x: box.x + 12, y: middle, anchor: 'middle', size: type, name: 'glyph' }),
    words(text, { x: box.x + GLYPH + 3, y: middle, size: type }),
  );
  group.setAttribute('data-tone', found ? 'accepted' : 'rejected');
  return group;
}

/** @param {Lists} lists @param {Box} box */
export function drawLists(lists, box) {
  const { left, right, type, wide } = placeLists(lists, box);
  const ends = [box.x + 2, box.x + box.width - wide];
  const titles = lists.titles.map((title, at) =>
    words(fitted(title, wide), { x: ends[at], y: box.y + HEAD / 2 - 2, name: 'title' }),
  );
  const joins = lists.joins.map(([from, to]) => {
    const [one, other] = [left[from].box, right[to].box];
    const [x1, x2] = [one.x + one.width, other.x].map(round);
    const [y1, y2] = [one.y + one.height / 2, other.y + other.height / 2].map(round);
    const bend = round((x1 + x2) / 2);
    return svg('path', { class: 'join', d: `M${x1} ${y1}C${bend} ${y1} ${bend} ${y2} ${x2} ${y2}` });
  });
  return svg(
    'g',
    { class: 'lists' },
    titles,
    joins,
    [...left, ...right].map((one) => entryElement(one, type)),
  );
}
