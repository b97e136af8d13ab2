/* The strip of a random number: 0 to 1 in parts, the number a needle on it. */
import { svg } from '../base/dom.js';
import { hatched, line, linked, rectangle, words } from './marks.js';
import { LINE, SMALL, TYPE, fitted, widest, widthOf } from './type.js';

/**
 * @import { Strip, StripPart } from '../payload.js'
 * @import { Box, Needs } from './marks.js'
 * @typedef {{part: StripPart, box: Box, name: string, at: number}} PlacedPart `at`: the middle of its name
 * @typedef {{left: number, width: number, top: number, bottom: number}} Stretch where 0 to 1 is, in pixels
 * @typedef {{parts: PlacedPart[], stretch: Stretch, needle: {x: number, text: string, at: number} | null}} PlacedStrip
 */

const BAR = 28;
const HEAD = 20; // for the words over the needle
const TICKS = 17;
const EDGE = 8; // pixels that the words of a tick stand out
const CLEAR = 15; // pixels beside the needle that no name takes
const QUARTERS = [0, 0.25, 0.5, 0.75, 1];
/** @type {Record<string, string>} */
const GLYPHS = { accepted: '✓', rejected: '✗' };

/** @param {Strip} strip @param {boolean} [ticks] under it @returns {Needs} */
export function needsOfStrip({ uniform = null }, ticks = true) {
  const height = (uniform === null ? 4 : HEAD) + BAR + (ticks ? TICKS : 4);
  return { least: height, wanted: height };
}

/** How wide the labels left of strips are. @param {Strip[]} strips @param {number} width */
export function labelsOfStrips(strips, width) {
  const wide = widest(strips.map(({ label = '' }) => label));
  return wide ? Math.min(0.3 * width, wide + 10) : 0;
}

/** What a part leads to, in words. @param {StripPart} part */
export const saidOf = ({ words: said, name }) => said ?? `“${name}”`;

/** A name that says its fate without a colour. @param {StripPart} part */
function nameOf({ name, fate = 'other' }) {
  const glyph = GLYPHS[fate];
  return glyph && !name.includes(glyph) ? `${glyph} ${name}` : name;
}

/**
 * A name in the larger part of its place that the needle leaves free; where it is too narrow, no more than its glyph.
 * @param {StripPart} part @param {Box} box @param {number | null} needle
 */
function placedName(part, { x, width }, needle) {
  const end = x + width;
  const hit = needle !== null && needle > x - CLEAR && needle < end + CLEAR;
  const free = hit
    ? [
        [x, Math.min(end, needle - CLEAR)],
        [Math.max(x, needle + CLEAR), end],
      ].sort(([a, b], [c, d]) => d - c - (b - a))[0]
    : [x, end];
  const room = free[1] - free[0] - 8;
  const name = nameOf(part);
  const shown = [name, GLYPHS[part.fate ?? ''] ?? ''].find((one) => widthOf(one, TYPE) <= room) ?? '';
  const cut = shown || room < 42 ? shown : fitted(name, room);
  return { name: cut, at: (free[0] + free[1]) / 2 };
}

/** @param {Strip} strip @param {Box} box @param {number} [labels] pixels @returns {PlacedStrip} */
export function placeStrip({ parts, uniform = null, called = '', text = '' }, { x, y, width }, labels = 0) {
  const left = x + labels + EDGE;
  const long = x + width - EDGE - left;
  const top = y + (uniform === null ? 4 : HEAD);
  const across = (/** @type {number} */ value) => left + long * Math.max(0, Math.min(1, value));
  const needle = uniform === null ? null : across(uniform);
  let start = left;
  const placed = parts.map((part) => {
    const end = Math.max(start, across(part.end));
    const box = { x: start, y: top, width: end - start, height: BAR };
    start = end;
    return { part, box, ...placedName(part, box, needle) };
  });
  const said = `${called} ${text}`.trim();
  const half = widthOf(said) / 2 + 2;
  const at = needle === null ? 0 : Math.max(x + half, Math.min(x + width - half, needle));
  return {
    parts: placed,
    stretch: { left, width: long, top, bottom: top + BAR },
    needle: needle === null ? null : { x: needle, text: said, at },
  };
}

/** @param {PlacedPart} placed @param {number} number */
function partElement({ part, box, name, at }, number) {
  const { fate = 'other', tone = 'target', node } = part;
  const body = fate === 'rejected' ? hatched(box) : rectangle(box, 'fill');
  const about = { node, tip: saidOf(part), frame: box, badge: /** @type {[number, number]} */ ([at, box.y]) };
  const group = linked(
    { ...about, name: `part ${fate}${number % 2 ? ' odd' : ''}` },
    fate === 'rejected' ? rectangle(box, 'ground') : null,
    body,
    name ? words(name, { x: at, y: box.y + box.height / 2, anchor: 'middle', name: 'name' }) : null,
  );
  group.setAttribute('data-tone', tone);
  return group;
}

/**
 * @param {Strip} strip @param {Box} box @param {number} [labels] @param {boolean} [ticks]
 * @returns {{element: SVGElement, stretch: Stretch}}
 */
export function drawStrip(strip, box, labels = 0, ticks = true) {
  const { parts, stretch, needle } = placeStrip(strip, box, labels);
  const { left, width, top, bottom } = stretch;
  const label = fitted(strip.label ?? '', labels - 6);
  const hit = parts.filter(({ part }) => part.fate === 'drawn');
  const element = svg(
    'g',
    { class: 'strip' },
    label ? words(label, { x: left - EDGE - 2, y: top + BAR / 2, anchor: 'end', name: 'label' }) : null,
    rectangle({ x: left, y: top, width, height: BAR }, 'rest'),
    parts.map(partElement),
    hit.map((one) => rectangle(one.box, 'hit')),
    ticks ? QUARTERS.map((at) => tickElement(at, left + at * width, bottom)) : null,
    needle && [
      line('needle', needle.x, top - 5, needle.x, bottom + 4),
      words(needle.text, { x: needle.at, y: top - LINE / 2 - 5, anchor: 'middle', name: 'said' }),
    ],
  );
  return { element, stretch };
}

/** @param {number} at @param {number} x @param {number} bottom */
const tickElement = (at, x, bottom) => [
  line('stub', x, bottom, x, bottom + 4),
  words(String(at), { x, y: bottom + 11, anchor: 'middle', size: SMALL, name: 'tick' }),
];
