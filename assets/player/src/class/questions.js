/* What a page can ask a class, and where the answer is kept back while a question is open. */
import { verdictOf } from '../player/lookup.js';
import { partsOf } from './screen.js';

/**
 * @import { ClassPoll, IterationPayload, LessonWords, Scene } from '../payload.js'
 * @import { Asking } from '../base/shared.js'
 * @import { Verdict } from '../player/lookup.js'
 */

const FATES = ['It stays.', 'It goes.'];

/** @param {Record<string, string | number>} place */
const address = (place) =>
  new URLSearchParams(Object.entries(place).map(([name, value]) => [name, String(value)])).toString();

/** @param {string} label @param {Verdict} verdict */
const fateOf = (label, verdict) => ({
  question: `“${label}”: stays or goes?`,
  choices: FATES,
  right: verdict === 'accepted' ? 0 : 1,
});

/**
 * A lesson's question, or, of a later step, whether its guess stays; null where the step judges none.
 * @param {LessonWords} lesson
 * @param {number} [step] from 1
 * @returns {Asking | null}
 */
export function asksOf({ name, question: { text, choices }, steps }, step = 1) {
  const place = { page: 'lessons', about: address({ view: 'lessons', lesson: name, step }) };
  const guess = step > 1 ? steps[step - 2].predict : null;
  if (guess) return { ...place, ...fateOf(guess.label, guess.verdict) };
  if (step > 1) return null;
  return {
    ...place,
    question: text,
    choices: choices.map((choice) => choice.text),
    right: choices.findIndex((choice) => choice.right),
  };
}

/**
 * Stays or goes? Of the token judged next after a scene, since what is on screen has been told already; after the
 * last decision of the one judged last. Null where no token is judged.
 * @param {IterationPayload} payload
 * @param {string} key of the scene
 * @param {{run: string, lane: number, iteration: number}} place
 * @returns {Asking | null}
 */
export function asksAt(payload, key, { run, lane, iteration }) {
  const { scenes, nodes } = payload;
  const judged = scenes.flatMap((scene, at) => {
    const verdict = verdictOf(payload, scene);
    const guess = nodes.find(({ node }) => node === scene.focus);
    return verdict && guess ? [{ at, key: scene.key, label: guess.label, verdict }] : [];
  });
  const now = scenes.findIndex((scene) => scene.key === key);
  const token = judged.find(({ at }) => at > now) ?? judged.at(-1);
  if (!token) return null;
  const about = address({ view: 'microscope', shown: run, at: [lane, iteration, token.key].join('.') });
  return { page: 'microscope', about, ...fateOf(token.label, token.verdict) };
}

/**
 * Where a question keeps its answer back, as parts of an address; null where none does.
 * @param {ClassPoll | null} [poll]
 */
export const closedBy = (poll) => (poll && poll.right === null ? partsOf(poll.about) : null);

/**
 * What is known of a guess before it is judged, as one scene: p and q, the text before it, and nothing of the verdict.
 * @param {IterationPayload} payload
 * @param {string} key of the scene that judges it
 * @returns {IterationPayload}
 */
export function evidenceOf(payload, key) {
  const scene = payload.scenes.find((one) => one.key === key) ?? payload.scenes[0];
  const { probabilities } = scene.panels;
  /** @type {Scene} */
  const shown = { ...scene, title: '', sentence: '', formula: '', panels: probabilities ? { probabilities } : {} };
  return {
    ...payload,
    scenes: [shown],
    stages: {},
    forest: { ...payload.forest, guesses: [], key: { marks: [], notes: [] } },
    text: { ...payload.text, emitted: [] },
    nodes: payload.nodes.map((node) => ({ ...node, text: node.label, formula: '', target: '', scene: null })),
  };
}
