/* What the shapes of a picture have in common: words, boxes, and groups that light up with their node. */
import { svg } from '../base/dom.js';
import { TYPE, hatching, round } from './type.js';

/**
 * @import { LevelOption } from '../payload.js'
 * @import { Child } from '../base/dom.js'
 * @typedef {{x: number, y: number, width: number, height: number}} Box pixels, from the upper left corner
 * @typedef {{least: number, wanted: number}} Needs heights in pixels: below `least` it is not drawn
 * @typedef {object} Track where a number can be moved
 * @property {number} low
 * @property {number} high
 * @property {number} from the pixel of `low`
 * @property {number} to and of `high`
 * @property {[number, number]} side pixels of its two edges
 * @property {boolean} upright
 * @property {number} at the number drawn
 * @property {LevelOption} [setting] what it is; none: the random number
 * @typedef {object} Linked
 * @property {number | null} [node] what it stands for
 * @property {string} [tip] in words
 * @property {Box} frame around it, when it is lit
 * @property {[x: number, y: number]} badge where the number of a pin stands
 * @property {string} [name] its class
 */

/** @param {Box} box @param {string} name its class @param {number} [rx] */
export const rectangle = ({ x, y, width, height }, name, rx = 0) =>
  svg('rect', {
    class: name,
    x: round(x),
    y: round(y),
    width: round(Math.max(0, width)),
    height: round(Math.max(0, height)),
    rx: rx || null,
  });

/**
 * Words, their middle at a height.
 * @param {string} text
 * @param {{x: number, y: number, anchor?: 'start' | 'middle' | 'end', size?: number, name?: string}} at
 */
export const words = (text, { x, y, anchor = 'start', size = TYPE, name = '' }) =>
  svg(
    'text',
    { class: name || null, x: round(x), y: round(y), 'font-size': round(size), 'text-anchor': anchor },
    text,
  );

/** @param {string} name its class @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2 */
export const line = (name, x1, y1, x2, y2) =>
  svg('line', { class: name, x1: round(x1), y1: round(y1), x2: round(x2), y2: round(y2) });

/** A place with a slanted line after the other in it. @param {Box} box */
export const hatched = (box) => [
  rectangle(box, 'outline'),
  svg('path', { class: 'hatch', d: hatching({ ...box, x: box.x, width: Math.max(0, box.width) }) }),
];

/**
 * A part of a picture that lights up with its node, wherever that is.
 * @param {Linked} about @param {...Child} children
 */
export function linked({ node = null, tip = '', frame, badge, name = '' }, ...children) {
  const place = badge.map(round).join(' ');
  return svg(
    'g',
    { class: name || null, 'data-node': node, 'data-tip': tip || null, 'data-badge': node === null ? null : place },
    children,
    node === null ? null : rectangle(frame, 'frame', 3),
  );
}

/** The number of a pin. @param {number} number @param {string} place as `data-badge` has it */
export function badgeElement(number, place) {
  const [x, y] = place.split(' ').map(Number);
  return svg(
    'g',
    { class: 'sv-badge' },
    svg('circle', { cx: x, cy: y, r: 8 }),
    words(String(number), { x, y, anchor: 'middle', size: 11 }),
  );
}

/**
 * Round numbers from 0 to an end, a few of them.
 * @param {number} end @param {number} [most] how many, without 0
 */
export function ticksTo(end, most = 4) {
  const steps = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5];
  const step = steps.find((one) => end / one <= most + 1e-6) ?? 0.5;
  return Array.from({ length: Math.floor(end / step + 1e-6) + 1 }, (_, at) => Number((at * step).toFixed(4)));
}

/**
 * How many pixels of a height each of some gets: the least it needs, then more, by how much it wants.
 * @param {Needs[]} needs @param {number} height @returns {number[]}
 */
export function shared(needs, height) {
  const least = needs.reduce((sum, one) => sum + one.least, 0);
  const more = needs.reduce((sum, one) => sum + one.wanted - one.least, 0);
  const part = more > 0 ? Math.max(0, Math.min(1, (height - least) / more)) : 0;
  return needs.map((one) => one.least + part * (one.wanted - one.least));
}
