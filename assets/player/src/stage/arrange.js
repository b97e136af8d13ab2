/* Where everything of an iteration's forest stands, in pixels; drawn as SVG on the page (forest.js) and on a canvas
   for a video (film.js). */
import { characters } from '../base/pieces.js';

/**
 * @import { GuessMotion, IterationMotion } from '../payload.js'
 * @typedef {{x: number, y: number, width: number}} Box middle of the left edge, and width
 * @typedef {{guess: GuessMotion, box: Box, text: string, curve: string, stroke: number}} PlacedGuess
 * @typedef {{x: number, y: number, text: string}} PlacedRoot the text ends at x
 * @typedef {object} Arrangement
 * @property {PlacedRoot[]} roots
 * @property {PlacedGuess[]} guesses
 * @property {number} type size of the type
 * @property {number} pill height of a guess
 * @property {number} corner its radius
 * @property {[number, number]} reach from where to where the target call reads
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
 * @param {IterationMotion} iteration
 * @param {string} look
 * @param {number} width
 * @returns {Arrangement}
 */
export function arrange(iteration, look, width) {
  const row = Math.min(TALLEST, (HEIGHT - 2 * MARGIN) / iteration.rows);
  const root = Math.min(120, ROOT_SHARE * width);
  const column = Math.min(WIDEST, (width - root - 30) / Math.max(1, iteration.depth));
  const narrow = column < NARROW;
  const type = Math.min(narrow ? 11 : 13, row - 4);
  const letter = LETTER * type;
  const [apart, glyph] = narrow ? [8, 19] : [16, 22]; // pixels between columns, and beside a label
  const top = (HEIGHT - row * iteration.rows) / 2 + row / 2;
  const pill = Math.min(22, row - 2);
  /** @type {Map<string, Box>} */
  const boxes = new Map();
  const roots = iteration.roots.map(({ name, label, y }) => {
    boxes.set(String(name), { x: root, y: top + y * row, width: 0 });
    return { x: root - 11, y: top + y * row, text: cut(label, Math.floor((root - 12) / letter)) };
  });
  const guesses = iteration.guesses.map((guess) => {
    const label = narrow && guess.label.length > 1 ? guess.label.replace(/^(\u2068?)·/, '$1') : guess.label;
    const text = cut(label, Math.floor((column - apart - glyph) / letter));
    const size = Math.min(column - apart, Math.max(26, letter * lettersOf(text).length + glyph + 2));
    const box = { x: root + (guess.x - 1) * column + 18, y: top + guess.y * row, width: size };
    const parent = boxes.get(guess.parent) ?? box;
    boxes.set(guess.name, box);
    const from = parent.x + parent.width;
    const bend = from + (box.x - from) / 2;
    const curve = `M${from} ${parent.y} C${bend} ${parent.y} ${bend} ${box.y} ${box.x} ${box.y}`;
    return { guess, box, text, curve, stroke: 1 + 4 * guess.weight };
  });
  /** @type {[number, number]} */
  const reach = [root + 8, Math.min(width, root + column * iteration.depth + 14)];
  return { roots, guesses, type, pill, corner: Math.min(CORNERS[look] ?? 5, pill / 2), reach };
}
