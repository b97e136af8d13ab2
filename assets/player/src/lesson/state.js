/* Where a reader is in a lesson, as data. */

/**
 * @import { LessonWords, Where } from '../payload.js'
 * @typedef {number | 'shown' | null} Chosen an answer's number, from 1; shown without choosing; null before that
 * @typedef {object} LessonState
 * @property {number} step from 1, the question
 * @property {Chosen} chosen
 * @property {string | null} rule the switch that breaks the rule of the step's coin
 */

/** @type {'shown'} */
export const SHOWN = 'shown';

/** How many steps there are, the question included. @param {LessonWords} lesson */
export const totalSteps = (lesson) => lesson.steps.length + 1;

/**
 * The state that is asked for; what cannot be is left out.
 * @param {LessonWords} lesson
 * @param {{step?: number, chosen?: unknown, rule?: string | null}} wanted
 * @returns {LessonState}
 */
export function soundState(lesson, { step = 1, chosen: answer = null, rule = null }) {
  const number = Number(answer);
  const known = Number.isInteger(number) && number >= 1 && number <= lesson.question.choices.length;
  /** @type {Chosen} */
  const chosen = answer === SHOWN ? SHOWN : known ? number : null;
  const at = Number.isInteger(step) ? Math.max(1, Math.min(step, totalSteps(lesson))) : 1;
  return { step: at, chosen: at > 1 ? (chosen ?? SHOWN) : chosen, rule };
}

/** Where a step is on the page, as an address. @param {Where} where */
export function addressOf({ run, at }) {
  const cut = run.indexOf(':');
  const [kind, names] = [run.slice(0, cut), run.slice(cut + 1)];
  const query = new URLSearchParams({ view: at ? 'microscope' : 'race' });
  query.set(kind === 'gallery' ? 'recorded' : 'shown', kind === 'gallery' ? names : run);
  if (at) query.set('at', at);
  return `?${query}`;
}
