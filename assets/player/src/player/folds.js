/* Steps in a row in which nearly the same happens, folded into one. The first of them stays, the last stands for the
   others; numbers of steps are those of all steps. Data only. */
import { verdictOf } from './lookup.js';

/**
 * @import { IterationPayload, Scene } from '../payload.js'
 * @typedef {{from: number, to: number, open: boolean}} Fold the steps that are one while it is closed
 */

const LEAST = 6; // alike in a row, for some of them to be folded

/** What makes steps alike; null: like none. @param {IterationPayload} payload @param {Scene} scene */
function sortOf(payload, scene) {
  const { phase, panels } = scene;
  const shown = Object.keys(panels).sort().join();
  if (phase === 'draft' && scene.key.startsWith('draft-')) return `draft ${shown}`;
  const verdict = verdictOf(payload, scene);
  return verdict && `${verdict} ${shown}`;
}

/**
 * The folds of some scenes, all closed.
 * @param {IterationPayload} payload
 * @param {Scene[]} scenes
 */
export function foldsOf(payload, scenes) {
  const sorts = scenes.map((scene) => sortOf(payload, scene));
  /** @type {Fold[]} */
  const folds = [];
  for (let first = 0; first < sorts.length;) {
    let next = first + 1;
    while (next < sorts.length && sorts[next] === sorts[first]) next++;
    if (sorts[first] !== null && next - first >= LEAST) folds.push({ from: first + 1, to: next - 1, open: false });
    first = next;
  }
  return folds;
}

/** The fold that hides a step. @param {Fold[]} folds @param {number} index */
const hiding = (folds, index) => folds.find(({ from, to, open }) => !open && index >= from && index < to);

/** The closed fold that a step stands for. @param {Fold[]} folds @param {number} index */
export const foldAt = (folds, index) => folds.find(({ to, open }) => !open && index === to);

/** The open fold that a step is in. @param {Fold[]} folds @param {number} index */
export const openAround = (folds, index) => folds.find(({ from, to, open }) => open && index >= from && index <= to);

/** The step on from here. @param {Fold[]} folds @param {number} index */
export const stepOn = (folds, index) => hiding(folds, index + 1)?.to ?? index + 1;

/** The step back from here. @param {Fold[]} folds @param {number} index */
export function stepBack(folds, index) {
  const fold = hiding(folds, index - 1);
  return fold ? fold.from - 1 : index - 1;
}

/** The folds with that one open which hides a step. @param {Fold[]} folds @param {number} index */
export function opened(folds, index) {
  const hidden = hiding(folds, index);
  return folds.map((fold) => (fold === hidden ? { ...fold, open: true } : fold));
}
