/* Type in drawings: how wide words are, about, and how they are cut to the room they have; and the lines of a hatched
   place. Data only, so that a drawing can be worked out without a page. */
import { ISOLATE, characters } from '../base/pieces.js';

export const TYPE = 13; // pixels: the usual size of words
export const SMALL = 11; // and the least
export const LINE = 14; // of a line of small words

const NARROW = /[ijltfrI.,:;'|!()[\]{}·’‘‹› ]/;
const WIDE = /[mwMW@%—…↔∞]/;
const CAPITAL = /[A-Z0-9+=<>≤≥−×~ρστΣ_&?#$“”]/;
const LATIN = /[\u0021-\u024f]/;
const DIRECTION = /[\u2066-\u2069\u200e\u200f]/g; // it has no width

/** @param {string} letter in sizes of the type */
function share(letter) {
  if (NARROW.test(letter)) return 0.31;
  if (WIDE.test(letter)) return 0.95;
  if (CAPITAL.test(letter)) return 0.63;
  return LATIN.test(letter) ? 0.56 : 1;
}

/** The letters of a text; what only says a direction is none. @param {string} text */
const letters = (text) => characters(text.replace(DIRECTION, ''));

/** How wide words are, in pixels, rather more than less. @param {string} text @param {number} [size] */
export const widthOf = (text, size = TYPE) =>
  1.04 * size * letters(text).reduce((sum, letter) => sum + share(letter), 0);

/** The widest of some texts. @param {string[]} texts @param {number} [size] */
export const widest = (texts, size = TYPE) => Math.max(0, ...texts.map((text) => widthOf(text, size)));

/**
 * A text as far as there is room for it, with a mark where it is cut; '' where there is none for two letters.
 * @param {string} text @param {number} room pixels @param {number} [size]
 */
export function fitted(text, room, size = TYPE) {
  if (widthOf(text, size) <= room) return text;
  const whole = letters(text);
  let count = whole.length;
  while (count > 0 && widthOf(`${whole.slice(0, count).join('')}…`, size) > room) count--;
  if (count < 1) return '';
  const cut = `${whole.slice(0, count).join('')}…`;
  return text.startsWith(ISOLATE[0]) ? ISOLATE.join(cut) : cut;
}

/**
 * Words in lines that fit a width; a word that is too long is cut.
 * @param {string} text @param {number} room pixels @param {number} [size]
 */
export function inLines(text, room, size = SMALL) {
  /** @type {string[]} */
  const lines = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(`${last} ${word}`, size) <= room) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.map((line) => fitted(line, room, size));
}

/**
 * The slanted lines of a hatched place, as the path of one stroke; places beside each other go on in one another.
 * @param {{x: number, y: number, width: number, height: number}} place
 * @param {number} [gap] pixels between lines, across
 */
export function hatching({ x, y, width, height }, gap = 6) {
  const parts = [];
  const right = x + width;
  for (let sum = gap * Math.ceil((x + y) / gap); sum < right + y + height; sum += gap) {
    const from = Math.max(x, sum - y - height);
    const to = Math.min(right, sum - y);
    if (to - from > 0.5) parts.push(`M${round(from)} ${round(sum - from)}L${round(to)} ${round(sum - to)}`);
  }
  return parts.join('');
}

/** As many digits as can be seen. @param {number} value */
export const round = (value) => Math.round(100 * value) / 100;
