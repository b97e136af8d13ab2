/* What is wrong with an address: a sentence for each thing that this page cannot follow. Data only. */

import { laneFromText, parseValue, turnsFromText } from './values.js';

/**
 * @import { OptionSetup, RaceSetup } from '../payload.js'
 * @import { Lane } from './values.js'
 */

/** Names that are written for another one, with that one. @type {Record<string, string>} */
const MEANT = { lanes: 'lane', class: 'room' };

/** A value of an address in a sentence. @param {unknown} value */
const quoted = (value) => `“${String(value).slice(0, 40)}”`;

/** @param {number} count of things numbered from 0 */
const numbers = (count) => `${count > 1 ? `0 to ${count - 1}` : '0 only'}, as an address counts from 0`;

/** @param {string} asked @param {string[]} pages */
export const noPage = (asked, pages) =>
  `The address asks for the page view=${quoted(asked)}; there are ${pages.join(', ')}. ${quoted(pages[0])} is shown.`;

/** @param {string} asked @param {string[]} pairs */
export const noPair = (asked, pairs) =>
  `The address asks for the models pair=${quoted(asked)}; here there are ${pairs.join(', ')}. ` +
  `${quoted(pairs[0])} compute.`;

/** @param {string} asked */
export const noPlace = (asked) =>
  `The address asks for at=${quoted(asked)}; a step is lane.iteration.step, numbers from 0, such as at=1.0.`;

/** @param {string} scene */
export const noStep = (scene) =>
  `The address asks for the step ${quoted(scene)}, which this iteration does not have: its first step is shown.`;

/** @param {string} asked */
export const noTheory = (asked) =>
  `The address asks for theory=${quoted(asked)}; it has to be five numbers: alpha, c, v, gamma and the draft’s ` +
  'arithmetic, such as theory=.7,.07,1.2,5,.07. The page keeps its own values.';

/**
 * What is wrong with a lane and an iteration; '' where nothing is.
 * @param {number[]} lanes how many iterations each lane has
 * @param {number} lane @param {number} iteration
 */
export function outside(lanes, lane, iteration) {
  if (!(lane in lanes)) {
    return `The address asks for lane ${lane}; this race has ${numbers(lanes.length)}. Its first step is shown.`;
  }
  if (iteration < lanes[lane] || !lanes[lane]) return '';
  const has = `lane ${lane} of this race has ${numbers(lanes[lane])}`;
  return `The address asks for iteration ${iteration}; ${has}. The last one is shown.`;
}

/** Whether an option can have a value. @param {OptionSetup} option @param {any} value */
export function takes({ kind, choices, optional, off, low, high }, value) {
  if (value === null || value === off) return optional;
  if (kind === 'flag') return typeof value === 'boolean';
  if (choices.includes(String(value)) || kind === 'integers') return true;
  if (kind === 'choice' || typeof value !== 'number' || (kind === 'integer' && !Number.isInteger(value)))
    return false;
  return (low === null || value >= low) && (high === null || value <= high);
}

/**
 * That an option cannot have the value that is asked for, and what it can have.
 * @param {string} asked @param {OptionSetup} option
 */
function notTaken(asked, option) {
  const { low, high, choices, kind } = option;
  const range = high === null ? `of ${low} or more` : `from ${low} to ${high}`;
  const number = `a ${kind === 'integer' ? 'whole ' : ''}number${low === null ? '' : ` ${range}`}`;
  const ways = kind === 'choice' ? [] : [kind === 'flag' ? 'true or false' : number];
  const allowed = [...ways, ...(choices.length ? [`one of ${choices.join(', ')}`] : [])].join(', or ');
  return `The address asks for ${asked}; it has to be ${allowed}. The page keeps its own value.`;
}

/**
 * The options of a lane that have a value which they cannot have: those of its method, and those that all lanes share.
 * @param {Lane} lane @param {Pick<RaceSetup, 'methods' | 'shared'>} setup
 */
function notTakenBy({ method, options }, { methods, shared }) {
  const own = methods.find(({ name }) => name === method)?.options ?? [];
  return [...own, ...shared].filter((option) => option.name in options && !takes(option, options[option.name]));
}

/**
 * A lane of an address without the values that it cannot have.
 * @param {Lane} lane @param {Pick<RaceSetup, 'methods' | 'shared'>} setup
 */
export function takenLane(lane, setup) {
  const wrong = notTakenBy(lane, setup).map(({ name }) => name);
  const options = Object.fromEntries(Object.entries(lane.options).filter(([name]) => !wrong.includes(name)));
  return { ...lane, options };
}

/**
 * What lanes of an address cannot have, a sentence each; lanes count from 1, as on the page.
 * @param {URLSearchParams} query @param {Pick<RaceSetup, 'methods' | 'shared'>} setup
 */
export function wrongLanes(query, setup) {
  if (!query.has('prompt')) return []; // a run's lane has a number
  return query.getAll('lane').flatMap((text, index) => {
    const lane = laneFromText(text);
    return notTakenBy(lane, setup).map((option) =>
      notTaken(`${option.name}=${quoted(lane.options[option.name])} in lane ${index + 1}`, option),
    );
  });
}

/**
 * The values of an address that options cannot have: the names of the parameters, and a sentence each.
 * @param {URLSearchParams} query
 * @param {{shared: OptionSetup[], numbers: OptionSetup[]}} setup
 */
export function wrongValues(query, { shared, numbers: plain }) {
  const named = [
    ...shared.map((one) => ({ one, at: `o.${one.name}` })),
    ...plain.map((one) => ({ one, at: one.name })),
  ];
  return named.flatMap(({ one, at }) => {
    const text = query.get(at);
    if (text === null || takes(one, parseValue(text))) return [];
    return [{ name: at, sentence: notTaken(`${at}=${quoted(text)}`, one) }];
  });
}

/** What was said before the prompt, where it cannot be read, in a sentence. @param {URLSearchParams} query */
export function wrongTurns(query) {
  const text = query.get('turns');
  if (text === null || turnsFromText(text).length) return [];
  return [
    `The address asks for turns=${quoted(text)}; they have to be questions with their answers. They were left out.`,
  ];
}

/**
 * Parameters under a name that means nothing here, where another one is meant, and lanes of no race.
 * @param {URLSearchParams} query @param {string[]} options names of a race's options
 */
export function misnamed(query, options) {
  const alone = query.has('prompt') || query.has('run') ? null : query.get('lane'); // a run's lane has a number
  const told = [...query].flatMap(([name, value]) => {
    const meant = options.includes(name) ? `o.${name}` : MEANT[name];
    if (!meant) return [];
    return [`The address has ${name}=${quoted(value)}; here it is written ${meant}=. It was left out.`];
  });
  if (alone === null) return told;
  return [...told, `The address has lane=${quoted(alone)} and no prompt=, so it names no race. It was left out.`];
}
