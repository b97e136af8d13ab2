/* The tokens of a forest as SVG elements, for film and Microscope. What has come of one is its data-state. */
import { svg } from '../base/dom.js';

/** @import { Arrangement, PlacedGuess, PlacedRoot } from './arrange.js' */

/** What a forest grows from. @param {PlacedRoot} root @param {{type: number}} arrangement */
export function rootElement({ x, y, text }, { type }) {
  const label = svg('text', { class: 'sv-root-label', x, y, 'font-size': type, 'text-anchor': 'end' }, text);
  const mark = svg('rect', { class: 'sv-root', x: x + 5, y: y - 3, width: 6, height: 6 });
  return svg('g', { class: 'sv-root-token' }, label, mark);
}

/**
 * A token and the edge that leads to it.
 * @template {import('../payload.js').PlacedToken} Guess
 * @param {PlacedGuess<Guess>} placed
 * @param {Pick<Arrangement, 'type' | 'pill' | 'corner'>} arrangement
 */
export function guessElement({ box, text, curve, stroke }, { type, pill, corner }) {
  const { width } = box;
  const middle = { y: 0, 'text-anchor': 'middle' };
  const glyph = svg('text', { ...middle, class: 'sv-glyph', x: 10, 'font-size': type - 1 });
  const frame = svg('rect', { class: 'sv-pill', x: 0, y: -pill / 2, width, height: pill, rx: corner });
  const label = svg('text', { ...middle, class: 'sv-label', x: (width + 14) / 2, 'font-size': type }, text);
  const inner = svg('g', {}, frame, glyph, label);
  const body = svg('g', { class: 'sv-guess', transform: `translate(${box.x} ${box.y})` }, inner);
  const edge = svg('path', { class: 'sv-edge', d: curve, 'stroke-width': stroke.toFixed(1) });
  return { body, edge, glyph, label, frame };
}

/**
 * A way to show how often a guess is kept: a part of its frame is filled, and a text stands under it.
 * @param {PlacedGuess<import('../payload.js').ForestGuess>} placed
 * @param {Pick<Arrangement, 'type' | 'pill'>} arrangement
 * @param {SVGElement} frame
 */
export function gaugeOf({ box }, { type, pill }, frame) {
  const filled = /** @type {SVGElement} */ (frame.cloneNode());
  filled.setAttribute('class', 'sv-gauge');
  const place = { x: box.width / 2, y: pill / 2 + type / 2 + 1, 'text-anchor': 'middle' };
  const text = svg('text', { ...place, class: 'sv-gauge-text', 'font-size': type - 1 });
  return (/** @type {number} */ share, /** @type {string} */ said) => {
    if (!filled.isConnected) frame.after(filled, text);
    filled.setAttribute('width', (box.width * share).toFixed(1));
    text.textContent = share > 0 ? said : '';
  };
}
