/* Pieces of text as a reader sees them, white space included. A strip of pieces is one text: it is read in the
   direction of its own letters, and copied without the marks. */
import { el } from './dom.js';

/**
 * @import { Attributes, Child } from './dom.js'
 * @typedef {[text: string, mark: 'mark' | 'space' | null]} Run
 */

const FIRST_LETTER = /\p{L}/u;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const PLAIN = /^[\0-\u02ff]*$/; // nothing in it is joined to what stands before it
const CURSIVE = '[\\p{M}\\p{sc=Arabic}\\p{sc=Syriac}\\p{sc=Mandaic}\\p{sc=Nko}\\p{sc=Mongolian}\\p{sc=Adlam}]';
const WRITTEN_ON = new RegExp(`${CURSIVE}$`, 'u');
const GOES_ON = new RegExp(`^${CURSIVE}`, 'u');

export const END = '\uffff'; // stands for an end token

/** A piece in words. @param {string} piece */
export const named = (piece) =>
  piece === END ? 'end of answer' : piece.trim() === '' ? JSON.stringify(piece) : piece;

/** Whether a text is read from right to left, which its first letter says. @param {string} text */
export const isRightToLeft = (text) => RIGHT_TO_LEFT.test(FIRST_LETTER.exec(text)?.[0] ?? '');

/** What stands around a text that is read in its own direction, whatever is beside it. */
export const ISOLATE = ['\u2068', '\u2069'];
/** @param {string} text */
export const isolated = (text) => ISOLATE.join(text);

/** The characters of a text as a reader counts them. @param {string} text */
export const characters = (text) =>
  PLAIN.test(text) ? [...text] : Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);

/**
 * White space as a reader sees it, in runs. Newlines keep breaking the line.
 * @param {string} piece
 * @returns {Run[]}
 */
export function visible(piece) {
  if (piece === '') return [['▯', 'mark']];
  if (piece === END) return [['end of answer', 'mark']];
  /** @type {Run[]} */
  const runs = [];
  for (const part of piece.split(/(\n|\t|^ +| +$)/)) {
    if (part === '') continue;
    if (part === '\n') runs.push(['↵', 'mark'], ['\n', null]);
    else if (part === '\t') runs.push(['⇥', 'mark'], ['\t', null]);
    else runs.push([part, part.trim() === '' ? 'space' : null]);
  }
  return runs;
}

/** A piece as one text, where marks cannot be elements: on a canvas, in a drawing. @param {string} piece */
export const asDrawn = (piece) =>
  visible(piece)
    .filter(([run]) => run !== '\n')
    .map(([run, mark]) => (mark === 'space' ? run.replaceAll(' ', '·') : run))
    .join('');

/**
 * A piece with its white space marked. Marks are drawn by the style sheet, so the text of the element is the piece.
 * @param {string} piece
 * @param {{breaks?: boolean}} [options] breaks: newlines break the line
 */
export function marked(piece, { breaks = true } = {}) {
  return visible(piece).map(([run, mark]) => {
    if (mark === 'mark') return el('i', { class: 'mark', 'data-mark': run });
    if (run === '\n' && !breaks) return el('i', { class: 'unbroken' }, run);
    return mark ? el('i', { class: mark }, run) : run;
  });
}

/**
 * An element whose children are the pieces of one text.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes & {class: string}} attributes
 * @param {...Child} children
 */
export function strip(tag, attributes, ...children) {
  const made = el(
    tag,
    { ...attributes, class: `${attributes.class} sv-pieces`, dir: 'auto', translate: 'no' },
    ...children,
  );
  return keepWhole(made);
}

/**
 * Where two pieces of a text meet within one character, or within a word whose letters are written together: no space
 * between, and one weight, so that browsers draw it as one.
 * @param {string} text
 * @param {number} at
 * @param {Set<number>} starts of characters
 */
const meetsInside = (text, at, starts) =>
  !starts.has(at) || (WRITTEN_ON.test(text.slice(0, at).slice(-2)) && GOES_ON.test(text.slice(at, at + 2)));

/** The indices at which the characters of a text begin. @param {string} text */
const startsOf = (text) => new Set(Array.from(new Intl.Segmenter().segment(text), ({ index }) => index));

/** Whether a piece goes on with the last character, or the joined letters, of the text before it.
 * @param {string} before @param {string} piece */
export function goesOn(before, piece) {
  const text = before + piece;
  return !PLAIN.test(piece) && meetsInside(text, before.length, startsOf(text));
}

/**
 * Keep characters and joined letters whole that are split over the pieces of a strip.
 * @template {Element} Strip
 * @param {Strip} element
 */
export function keepWhole(element) {
  const text = element.textContent ?? '';
  if (PLAIN.test(text)) return element;
  const starts = startsOf(text);
  let at = 0;
  /** @type {Element | null} */
  let before = null;
  for (const piece of element.querySelectorAll('span:not(:has(span))')) {
    if (before && at && meetsInside(text, at, starts)) for (const one of [before, piece]) one.classList.add('joined');
    at += piece.textContent?.length ?? 0;
    before = piece;
  }
  return element;
}
