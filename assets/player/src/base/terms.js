/* The words of the glossary in sentences: the first mention of each explains itself. */
import { el } from './dom.js';

/** @typedef {{about: Record<string, string>, pattern: RegExp | null}} Terms */

/**
 * The glossary, with one pattern for all of its terms, longest first.
 * @param {Record<string, string>} glossary
 * @returns {Terms}
 */
export function termsOf(glossary) {
  const about = Object.fromEntries(Object.entries(glossary).map(([term, text]) => [term.toLowerCase(), text]));
  const quoted = Object.keys(about)
    .sort((a, b) => b.length - a.length)
    .map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = quoted.length ? new RegExp(`(?<![\\p{L}\\d“])(${quoted.join('|')})(?![\\p{L}\\d])`, 'giu') : null;
  return { about, pattern };
}

/**
 * A sentence in parts: plain ones, and the first mention of every term with what it means.
 * @param {string} text
 * @param {Terms} terms
 * @returns {{text: string, about: string | null}[]}
 */
export function explainedParts(text, { about, pattern }) {
  if (!pattern) return [{ text, about: null }];
  const said = new Set();
  return text.split(pattern).map((part, at) => {
    const meaning = at % 2 ? about[part.toLowerCase()] : undefined;
    if (!meaning || said.has(meaning)) return { text: part, about: null };
    said.add(meaning);
    return { text: part, about: meaning };
  });
}

let known = termsOf({});

/** Take over the glossary: {term: sentence}. @param {Record<string, string>} glossary */
export function learn(glossary) {
  known = termsOf(glossary);
}

/** A sentence as nodes: what a term means shows on hover, focus and tap. @param {string} text */
export function explained(text) {
  return explainedParts(text, known).map((part) =>
    part.about ? el('span', { class: 'sv-term', tabindex: 0, 'data-tip': part.about }, part.text) : part.text,
  );
}
