/* What a class shares of an address: where the teacher is. What belongs to a reader (large type, hidden parts, the
   room) stays theirs, and a race is named by its run, so that nobody who follows runs it again. */

/** @typedef {Record<string, string | null>} Parts */

const SHARED = ['view', 'at', 'pins', 'replay', 'beside', 'lesson', 'step', 'answer', 'rule', 'forest'];
export const LESSON = ['lesson', 'step', 'answer', 'rule'];
export const STEP = ['at', 'pins', 'replay'];

/** @param {string} search the teacher's address @param {string | null} run the race on screen */
export function screenOf(search, run) {
  const query = new URLSearchParams(search);
  const parts = SHARED.flatMap((name) => {
    const value = query.get(name);
    return value === null ? [] : [[name, value]];
  });
  return new URLSearchParams(run ? [...parts, ['shown', run]] : parts).toString();
}

/** The shared parts of an address; null for those it lacks. @param {string} address @returns {Parts} */
export function partsOf(address) {
  const query = new URLSearchParams(address);
  return Object.fromEntries([...SHARED, 'shown'].map((name) => [name, query.get(name)]));
}

/** Whether they differ in any of these. @param {Parts} a @param {Parts} b @param {string[]} names */
export const differ = (a, b, names) => names.some((name) => a[name] !== b[name]);

/** Of all parts only these. @param {Parts} parts @param {string[]} names @returns {Parts} */
export const only = (parts, names) => Object.fromEntries(names.map((name) => [name, parts[name]]));

/** How many of all chose each: the count, and its share of all in whole percent. @param {number[]} tally */
export function sharesOf(tally) {
  const all = tally.reduce((sum, count) => sum + count, 0);
  return tally.map((count) => ({ count, percent: all ? Math.round((100 * count) / all) : 0 }));
}
