/* How often a reader was right, question by question and guess by guess: for oneself, kept in this browser alone. Of
   each only the first answer counts, until the lesson is begun again. */

import { keep, keptData } from '../base/kept.js';

const KEY = 'specviz-scores';
const MOST = 200; // answers of a lesson that are kept

/**
 * @typedef {Record<string, boolean>} Answers by what was asked: was it right
 * @typedef {Record<string, Answers>} Scores by lesson
 * @typedef {{right: number, asked: number}} Tally
 */

/** Of whatever was kept, what can be a score. @param {unknown} kept @returns {Scores} */
export function soundScores(kept) {
  if (typeof kept !== 'object' || kept === null) return {};
  const lessons = Object.entries(kept).filter(([, answers]) => typeof answers === 'object' && answers !== null);
  return Object.fromEntries(
    lessons.map(([lesson, answers]) => {
      const sound = Object.entries(answers).filter(([, right]) => typeof right === 'boolean');
      return [lesson, Object.fromEntries(sound.slice(0, MOST))];
    }),
  );
}

/**
 * With one answer more, unless the same was answered before.
 * @param {Scores} scores @param {string} lesson @param {string} asked @param {boolean} right
 * @returns {Scores}
 */
export function withAnswer(scores, lesson, asked, right) {
  const known = scores[lesson] ?? {};
  return asked in known ? scores : { ...scores, [lesson]: { ...known, [asked]: right } };
}

/** @param {Answers | undefined} answers @returns {Tally} */
export function tallyOf(answers) {
  const all = Object.values(answers ?? {});
  return { right: all.filter(Boolean).length, asked: all.length };
}

/** Of all lessons. @param {Scores} scores */
export const wholeTally = (scores) => tallyOf(Object.assign({}, ...prefixed(scores)));

/** @param {Scores} scores */
const prefixed = (scores) =>
  Object.entries(scores).map(([lesson, answers]) =>
    Object.fromEntries(Object.entries(answers).map(([asked, right]) => [`${lesson} ${asked}`, right])),
  );

/** @param {Tally} tally */
export const tallyWords = ({ right, asked }) => (asked ? `${right} of ${asked} right` : '');

/** @type {Scores} */
let memory = {}; // where the browser keeps nothing

/** @returns {Scores} */
export function scores() {
  const kept = keptData(KEY);
  return kept === null ? memory : soundScores(kept);
}

/** @param {Scores} changed */
export function keepScores(changed) {
  memory = changed;
  keep(KEY, JSON.stringify(changed));
}

/** @param {string} lesson @param {string} asked @param {boolean} right */
export const answered = (lesson, asked, right) => keepScores(withAnswer(scores(), lesson, asked, right));

/** A lesson is begun again. @param {string} lesson */
export function forgetScore(lesson) {
  keepScores(Object.fromEntries(Object.entries(scores()).filter(([name]) => name !== lesson)));
}
