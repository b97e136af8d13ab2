/* The settings of a race as data: where the page starts, and what a race from elsewhere was made with. */
import { takenLane } from '../base/address.js';

/**
 * @import { RaceMessage, RaceSetup } from '../payload.js'
 * @import { Form } from '../base/link.js'
 * @import { Lane, Options } from '../base/values.js'
 */

/** An id that no other run has. */
export const newRun = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** Whether a run was made on this page, and can be made again from its form. @param {string} run */
export const isMadeHere = (run) => /^[0-9a-f]{32}$/.test(run);

/** The opening that recorded methods, `greedy/mtad`, are of; '' for the gallery's. @param {string[]} names */
export const openingOf = ([first = '']) => first.slice(0, Math.max(0, first.indexOf('/')));

/** @param {string} opening @param {string[]} methods */
export const recordedNames = (opening, methods) => methods.map((name) => (opening ? `${opening}/${name}` : name));

/** @param {string} name */
const methodOf = (name) => name.slice(name.indexOf('/') + 1);

/**
 * The lanes to begin with, those asked for that this page does not have, and what the form holds.
 * @param {Pick<RaceSetup, 'methods' | 'shared' | 'limits' | 'start'>} setup
 * @param {Form | null} form of the address
 * @param {string[] | null} recorded methods of the address
 * @returns {{lanes: Lane[], unknown: Lane[], form: Partial<Form>}}
 */
export function startLanes(setup, form, recorded) {
  const { methods, limits } = setup;
  const chosen = recorded
    ? { lanes: recorded.map((name) => ({ method: methodOf(name), options: {} })) }
    : setup.start;
  const start = form || chosen;
  const isKnown = (/** @type {Lane} */ lane) => methods.some(({ name }) => name === lane.method);
  const known = start.lanes.filter(isKnown).map((lane) => takenLane(lane, setup));
  const enough = known.length >= (recorded || form?.branches ? 1 : limits.min_lanes);
  const lanes = enough ? known.slice(0, limits.max_lanes) : setup.start.lanes;
  const unknown = start.lanes.filter((lane) => !isKnown(lane));
  return { lanes, unknown, form: { ...setup.start, ...start } };
}

/**
 * What the form says once a race from elsewhere is on screen: its prompt, seed and options, where it has them. An
 * option in which lanes differ stays as it is while a lane has that value; else it is the first lane's.
 * @param {RaceMessage} race
 * @param {{prompt: string, shared: Options, [name: string]: any}} form
 */
export function optionsOf(race, form) {
  const lanes = race.lanes.filter((lane) => lane !== null);
  const { options = {} } = lanes[0] ?? {};
  /** @type {typeof form} */
  const asked = { ...form, shared: { ...form.shared } };
  if (race.prompt !== null) asked.prompt = race.prompt;
  asked.turns = race.turns ?? [];
  asked.system = race.system ?? '';
  if (race.seed !== null) asked.seed = race.seed;
  for (const [name, value] of Object.entries(asked.shared)) {
    if (name in options && !lanes.some((lane) => lane.options[name] === value)) asked.shared[name] = options[name];
  }
  if (options.max_new_tokens) asked.max_new_tokens = options.max_new_tokens;
  return asked;
}

/** A lane's options without those that are as in all lanes. @param {Options} options @param {Options} shared */
export const ownOptions = (options, shared) =>
  Object.fromEntries(Object.entries(options).filter(([name, value]) => !(name in shared) || shared[name] !== value));
