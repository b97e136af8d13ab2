/* Pieces of text as a reader sees them, white space included. */
import { el } from './dom.js';

/** @typedef {[text: string, mark: 'mark' | 'space' | null]} Run */

/**
 * White space as a reader sees it, in runs. Newlines keep breaking the line.
 * @param {string} piece
 * @returns {Run[]}
 */
export function visible(piece) {
  if (piece === '') return [['▯', 'mark']];
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

/**
 * A piece with its white space marked.
 * @param {string} piece
 * @param {{breaks?: boolean}} [options] breaks: newlines break the line
 */
export function marked(piece, { breaks = true } = {}) {
  return visible(piece)
    .filter(([run]) => breaks || run !== '\n')
    .map(([run, mark]) => (mark ? el('i', { class: mark }, run) : run));
}
