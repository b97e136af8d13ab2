/* What a page can ask a class. */

/**
 * @import { IterationPayload, LessonQuestion } from '../payload.js'
 * @import { Asking } from '../base/shared.js'
 */

const FATES = ['It stays.', 'It goes.'];

/** Stays or goes? Of one token. @param {string} page @param {string} label @returns {Asking} */
export const fateOf = (page, label) => ({ page, question: `“${label}”: stays or goes?`, choices: FATES });

/** A lesson's question. @param {LessonQuestion} question @returns {Asking} */
export const asksOf = ({ text, choices }) => ({
  page: 'lessons',
  question: text,
  choices: choices.map((choice) => choice.text),
});

/**
 * Stays or goes? Of the token judged next after a scene, since what is on screen has been told already; after the
 * last decision of the one judged last. Null where no token is judged.
 * @param {Pick<IterationPayload, 'scenes' | 'nodes'>} payload
 * @param {string} key of the scene
 * @returns {Asking | null}
 */
export function asksAt({ scenes, nodes }, key) {
  const keys = scenes.map((scene) => scene.key);
  const judged = nodes
    .flatMap(({ label, scene }) => (scene === null ? [] : [{ label, at: keys.indexOf(scene) }]))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at);
  const token = judged.find(({ at }) => at > keys.indexOf(key)) ?? judged.at(-1);
  return token ? fateOf('microscope', token.label) : null;
}
