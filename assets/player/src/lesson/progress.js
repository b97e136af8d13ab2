/* How far a reader has come in each lesson: kept in this browser alone, so that a reload or another day finds it. */

import { keep, keptData } from '../base/kept.js';

const KEY = 'specviz-lessons';

/** @typedef {Record<string, number>} Progress the furthest share of each lesson, 0 to 1 */

/** @returns {Progress} */
export function progress() {
  const shares = Object.entries(keptData(KEY) ?? {});
  return Object.fromEntries(shares.filter(([, share]) => typeof share === 'number' && share >= 0 && share <= 1));
}

/**
 * Remember that a step of a lesson was reached.
 * @param {string} lesson @param {number} step from 1 @param {number} steps
 */
export function reached(lesson, step, steps) {
  const known = progress();
  keepProgress({ ...known, [lesson]: Math.max(known[lesson] ?? 0, step / steps) });
}

/** @param {Progress} all */
export const keepProgress = (all) => keep(KEY, JSON.stringify(all));

/** @param {number | undefined} share */
export const progressWords = (share) => (!share ? '' : share >= 1 ? '✓ done' : `${Math.round(100 * share)} % read`);
