/* A race at one position of its texts: which iteration of each lane wrote the token there, and what that one was
   like. */
import { isolated, named } from '../base/pieces.js';
import { endOf } from './moment.js';

/**
 * @import { IterationMotion, LaneMotion, LaneView } from '../payload.js'
 * @typedef {{view: LaneView, motion: LaneMotion}} Lane
 * @typedef {object} Column a lane at a position
 * @property {Lane} lane
 * @property {number} position the token it is about, from 0; its last one where it has fewer
 * @property {number} index of the iteration
 * @property {IterationMotion} iteration
 * @property {string[]} written what the iteration wrote
 * @property {number} at which of these is the token
 * @typedef {object} Gauge
 * @property {string} label
 * @property {string} text
 * @property {number | null} value
 * @property {number} most the largest there is in any column: the scale
 */

/**
 * The position that an address asks for: a number from 0, null where it asks for none, and what is wrong with it.
 * @param {string | null} text
 * @param {number} positions how many there are
 * @returns {{position: number | null, wrong: string}}
 */
export function positionFromText(text, positions) {
  if (text === null || positions < 1) return { position: null, wrong: '' };
  const allowed = `a whole number from 0, the first token, to ${positions - 1}, the last one`;
  const asked = text.slice(0, 30);
  const wrong = `The address asks for beside=${asked}: that is no position in this text. Write ${allowed}.`;
  const position = /^\d{1,6}$/.test(text) ? Number(text) : positions;
  return position < positions ? { position, wrong: '' } : { position: null, wrong };
}

/** Tokens of the longest lane. @param {Lane[]} lanes */
export const positionsOf = (lanes) => Math.max(0, ...lanes.map(({ view }) => view.tokens.length));

/** @param {Lane} lane @param {number} wanted @returns {Column | null} */
export function columnAt(lane, wanted) {
  const { view, motion } = lane;
  const position = Math.min(wanted, view.tokens.length - 1);
  const index = motion.iterations.findIndex(({ tokens }) => tokens > position);
  if (position < 0 || index < 0) return null;
  const before = motion.iterations[index - 1]?.tokens ?? 0;
  const written = view.tokens.slice(before, motion.iterations[index].tokens).map(([piece]) => piece);
  return { lane, position, index, iteration: motion.iterations[index], written, at: position - before };
}

/** Seconds of an iteration. @param {IterationMotion} iteration */
export const secondsOf = (iteration) => endOf(iteration) - iteration.phases.draft[0];
/** @param {number} seconds */
const milliseconds = (seconds) => `${Number((1000 * seconds).toPrecision(2))} ms`;
const SHOWN = ['tokens_per_second', 'tokens_per_target_call', 'acceptance_rate', 'perplexity'];

/** @param {number} count @param {string} noun */
const many = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** The largest of what there is. @param {(number | null | undefined)[]} values */
const largest = (values) => Math.max(0, ...values.map((value) => value ?? 0));

/** The longest iteration of any lane: the scale of the time bars. @param {Lane[]} lanes */
export const longest = (lanes) => largest(lanes.flatMap(({ motion }) => motion.iterations.map(secondsOf)));

/** How many tokens each iteration of a lane wrote. @param {Lane} lane */
const writtenBy = ({ motion: { iterations } }) =>
  iterations.map(({ tokens }, at) => tokens - (iterations[at - 1]?.tokens ?? 0));

/**
 * The numbers of a column, on scales that all columns share at all positions.
 * @param {Column} column @param {Lane[]} lanes
 * @returns {Gauge[]}
 */
export function gaugesOf({ lane, index, iteration, written }, lanes) {
  const { offered, accepted } = iteration;
  /** @type {Gauge[]} */
  const own = [
    {
      label: 'tokens from this call',
      text: String(written.length),
      value: written.length,
      most: largest(lanes.flatMap(writtenBy)),
    },
    {
      label: 'guesses kept',
      text: offered ? `${accepted} of ${offered}` : '–',
      value: offered ? accepted / offered : null,
      most: 1,
    },
  ];
  const far = lane.view.dials.flatMap(({ key, label }, at) => {
    if (!SHOWN.includes(key)) return [];
    const [text, unit, value] = lane.motion.dials[index][at];
    const all = lanes.flatMap(({ motion }) => motion.dials.map((dials) => dials[at]?.[2]));
    return [{ label, text: `${text} ${unit}`.trim(), value, most: largest(all) }];
  });
  return [...own, ...far];
}

/** A column in sentences. @param {Column} column @param {Lane[]} lanes */
export function wordsOf(column, lanes) {
  const { lane, index, iteration, written } = column;
  const { asked, folded, guesses, reads } = iteration;
  const drafted = guesses.filter(({ name }) => /^\d/.test(name)).length + folded;
  const made = drafted ? `${drafted} guesses drafted, ${asked} of them read` : 'nothing drafted, one token asked for';
  const gauges = gaugesOf(column, lanes).map(({ label, text }) => `${label} ${text}`);
  const time = milliseconds(secondsOf(iteration));
  const wrote = written.map((piece) => named(piece).trim()).join(' · ');
  const where = `${lane.view.title}, iteration ${index + 1} of ${lane.view.iterations}`;
  const call = `${made} in one target call of ${many(reads.length, 'row')}`;
  return `${where}: ${call}; ${time}. It wrote “${isolated(wrote)}”. ${gauges.join(', ')}.`;
}
