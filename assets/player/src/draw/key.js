/* What the marks of a drawing mean: under it, as a list. */
import { el } from '../base/dom.js';

/**
 * @import { ForestKey } from '../payload.js'
 * @typedef {{tone?: string, state?: string, glyph: string, word: string}} KeyMark
 */

/** @param {KeyMark} mark */
const markItem = ({ tone, state, glyph, word }) =>
  el('li', { 'data-tone': tone, 'data-state': state }, el('i', { 'aria-hidden': 'true' }, glyph), word);

export class DrawingKey {
  element = el('ul', { class: 'sv-tones' });

  /** @param {readonly KeyMark[]} marks @param {readonly string[]} notes how it is read */
  show(marks, notes) {
    this.element.replaceChildren(...marks.map(markItem), ...notes.map((note) => el('li', {}, note)));
  }

  /** @param {ForestKey} key of a forest */
  ofForest({ marks, notes }) {
    this.show(
      marks.map(([state, glyph, word]) => ({ state, glyph, word })),
      notes,
    );
  }
}
