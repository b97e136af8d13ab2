/* Values shared between islands: what is published is heard at once, and by those who come later. */

/**
 * @import { ClassPoll, Guarantees, RaceMessage, RunMade, Status } from '../payload.js'
 * @import { Form } from './link.js'
 * @typedef {{replay: string | null, pins: number[]}} Kept what was changed and pinned at a step
 * @typedef {{lane: number, iteration: number}} Spot
 * @typedef {Spot & {scene?: string | null, token?: number | null, kept?: Kept | null, note?: string}} Opened `note` is
 *   said above the steps while their race is on screen
 * @typedef {{form: Form, made: RunMade}} Remade a race whose first lane is a run that was recorded as `made`
 * @typedef {object} Leaving a branch to be made: the lane and iteration that it leaves, what is changed there, and
 *   where it is told what became of it
 * @property {number} lane
 * @property {number} iteration
 * @property {Record<string, any>} change
 * @property {(words: string) => void} tell
 * @typedef {{missing: string}} Missing
 * @typedef {object} Asking what a page can ask a class
 * @property {string} page
 * @property {string} about the query of the address where its evidence is
 * @property {string} question
 * @property {string[]} choices
 * @property {number} right the number of one of them, from 0
 * @typedef {object} Shared
 * @property {Record<string, string>} glossary
 * @property {Guarantees} guarantees
 * @property {Status} models
 * @property {string} pair the name of the models that compute
 * @property {string[]} pairs those there are
 * @property {boolean} offered whether others can be got from here
 * @property {null} get let the reader get one
 * @property {RaceMessage} race the race on screen
 * @property {RaceMessage | Missing} show a race to put on screen, or why there is none
 * @property {Opened} open a step to look into
 * @property {Leaving} leave a branch of a lane on screen
 * @property {Remade} again a race to be made, to look into its first lane
 * @property {{run: string, lane: number, iteration: number}} forest-from a step whose forest is to be judged
 * @property {string} recall a kept run to put on screen, by its id
 * @property {string} address the query, after every change
 * @property {number} moment of the race that is played again, in seconds
 * @property {number | null} seek the moment to be shown; null: whichever
 * @property {Asking | null} asking
 * @property {ClassPoll | null} poll the question that the class is asked
 * @property {string[] | null} numbers of a lane that a reader has chosen to see; null: the usual ones
 * @property {string[]} wrong what of the address is not followed, a sentence each
 * @property {string} page
 * @property {boolean} present
 * @property {boolean} dark
 */

/** @type {Partial<Shared>} */
const shared = {};
/** @type {Map<string, ((value: any) => void)[]>} */
const listeners = new Map();

/**
 * @template {keyof Shared} Name
 * @param {Name} name
 * @param {Shared[Name]} value
 */
export function publish(name, value) {
  shared[name] = value;
  for (const listener of listeners.get(name) || []) listener(value);
}

/**
 * @template {keyof Shared} Name
 * @param {Name} name
 * @param {(value: Shared[Name]) => void} listener
 */
export function subscribe(name, listener) {
  listeners.set(name, [...(listeners.get(name) || []), listener]);
  if (name in shared) listener(/** @type {Shared[Name]} */ (shared[name]));
}

/**
 * @template {keyof Shared} Name
 * @param {Name} name
 * @returns {Shared[Name] | undefined}
 */
export function latest(name) {
  return shared[name];
}

/** Let the models of this name compute, where there are such. @param {string | null | undefined} name */
export function choosePair(name) {
  if (name && name !== latest('pair') && latest('pairs')?.includes(name)) publish('pair', name);
}
