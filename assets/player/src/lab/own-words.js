/* A sweep of one's own in words: what would be run, how far it is, how long it takes. Data only. */
import { megabytes } from '../base/files.js';

/**
 * @import { SweepChecked, SweepLimits, SweepState } from '../payload.js'
 * @typedef {object} SweepForm what the server takes; see specviz/ui/sweeps/asked.py
 * @property {string} [card]
 * @property {string} [grid]
 * @property {string[]} [prompts]
 * @property {string[]} [numbers]
 * @property {string} [file]
 * @property {unknown} [seeds]
 * @property {unknown} [max_new_tokens]
 * @property {string} [pair] the name of the models
 */

/** @param {number} count @param {string} one @param {string} [many] */
const counted = (count, one, many = `${one}s`) => `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/** About so long; '' where nobody knows. @param {number | null} seconds */
export function timeWords(seconds) {
  if (seconds === null) return '';
  if (seconds < 50) return `about ${counted(Math.max(5, 5 * Math.round(seconds / 5)), 'second')}`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 100) return `about ${counted(Math.max(1, minutes), 'minute')}`;
  return `about ${counted(Math.round(minutes / 60), 'hour')}`;
}

/** @param {SweepChecked} checked */
export function checkedWords({ settings, prompts, seeds, runs, seconds, recorded }) {
  const product = `${counted(settings.length, 'setting')} × ${counted(prompts, 'prompt')} × ${counted(seeds, 'seed')}`;
  const time = timeWords(seconds) || 'how long they take is unknown until the first';
  const where = recorded ? ' on the machine that recorded the cards' : ' where nobody races';
  return `${counted(runs, 'run')} (${product}); ${time}${seconds === null ? '' : where}.`;
}

/** How far a sweep is, in a sentence or two. @param {SweepState} state */
export function progressWords({ state, done, total, setting, seconds_left: left, others, message }) {
  const runs = `${done.toLocaleString('en')} of ${counted(total, 'run')}`;
  if (state === 'done') return `Done: ${counted(total, 'run')}.`;
  if (state === 'stopped' || state === 'failed') return message;
  const time = left === null ? 'the time left is unknown until the first runs' : `${timeWords(left)} left`;
  const beside = others ? `, in turns with ${counted(others, 'other sweep')}` : '';
  if (state === 'waiting') return `${runs}. Waiting: races come first${beside}.`;
  return `${runs}; ${time}${beside}. Now: ${setting}.`;
}

/** @param {SweepState} state */
export const isActive = ({ state }) => state === 'waiting' || state === 'running';

/** Who may do what, and what becomes of it when the page is closed. @param {SweepState} state @param {boolean} mine */
export function keptWords(state, mine) {
  if (!mine) return 'Only the browser that began this sweep can stop it or go on. Look, and save what there is.';
  const on = isActive(state) ? 'The page may be closed: it goes on, and this address shows it again. ' : '';
  const most = 'It is kept for a day, or until the server ends: save it.';
  return `${on}${state.lasts ? 'It is kept on the server.' : most}`;
}

/** Why a file cannot be sent; '' where it can. @param {number} bytes @param {SweepLimits} limits */
export function fileWords(bytes, { file, prompts }) {
  if (bytes === 0) return 'The file is empty.';
  if (bytes <= file) return '';
  return (
    `The file has ${megabytes(bytes)}; this page takes up to ${megabytes(file)} and ${prompts} prompts. Part it, or ` +
    'run it with python -m specviz sweep.'
  );
}

/**
 * A number field: empty leaves it to the grid; what is no number goes as it is, and is refused.
 * @param {string} text
 */
export function numberOf(text) {
  const typed = text.trim();
  if (typed === '') return {};
  return { value: Number.isFinite(Number(typed)) ? Number(typed) : typed };
}

/** @param {string | null} id */
export const isSweep = (id) => /^[0-9a-f]{32}$/.test(id ?? '');
