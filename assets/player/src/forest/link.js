/* The state of the Same forest page as one parameter of the address, and back. */
import * as link from '../base/link.js';
import { latest } from '../base/shared.js';
import { parseValue, valuesUnder, writeValue } from '../base/values.js';
import { isMadeHere } from '../race/settings.js';

/**
 * @import { Options } from '../base/values.js'
 * @typedef {{run: string, lane: number, step: number, warp: Options}} Recorded a recorded step, at other warp options
 * @typedef {{prompt: string, drafter: string, options: Options, seed: any, pair: string}} Draft what the server
 *   is to draft
 * @typedef {{form: Draft, id?: string}} Drafted a forest drafted by the server, under its id
 * @typedef {Recorded | Drafted} Source
 * @typedef {object} ForestState
 * @property {Source} source
 * @property {number} seed of the coins
 * @property {Record<string, Options>} options by verifier
 * @property {string} a the verifier shown
 * @property {string} b the one beside it
 * @property {string} guesses 'frozen': with these guesses only
 */

const LONGEST = 6000;

/** @param {URLSearchParams} query @returns {Source} */
function sourceFrom(query) {
  const drafter = query.get('drafter');
  if (drafter !== null) {
    const seed = parseValue(query.get('dice') || '0');
    const [prompt, pair] = [query.get('prompt') || '', query.get('pair') ?? ''];
    return { form: { prompt, drafter, options: valuesUnder(query, 'o.'), seed, pair } };
  }
  const [lane, step] = ['lane', 'step'].map((name) => wholeNumber(query, name));
  return { run: query.get('run') || '', lane, step, warp: valuesUnder(query, 'w.') };
}

/** @param {URLSearchParams} query @param {string} name */
const wholeNumber = (query, name) => Math.max(0, Math.floor(Number(query.get(name)) || 0));

/** What such a text asks for; what it leaves open is null. @param {string} text */
export function stateFromText(text) {
  const query = new URLSearchParams(text.slice(0, LONGEST));
  /** @type {Record<string, Options>} */
  const options = {};
  for (const [name, value] of Object.entries(valuesUnder(query, 'v.'))) {
    const [verifier, option] = name.split('.');
    options[verifier] = { ...options[verifier], [option]: value };
  }
  return {
    source: sourceFrom(query),
    seed: wholeNumber(query, 'seed'),
    options,
    a: query.get('a'),
    b: query.get('b'),
    guesses: query.get('guesses') || query.get('law'),
  };
}

/** @param {Source} source @returns {[string, string][]} */
function sourceFields(source) {
  const under = (/** @type {string} */ prefix, /** @type {Options} */ values) =>
    Object.entries(values).map(
      ([name, value]) => /** @type {[string, string]} */ ([prefix + name, writeValue(value)]),
    );
  if ('form' in source) {
    const { prompt, drafter, options, seed, pair } = source.form;
    /** @type {[string, string][]} */
    const models = pair ? [['pair', pair]] : [];
    return [['prompt', prompt], ['drafter', drafter], ...under('o.', options), ['dice', String(seed)], ...models];
  }
  const { run, lane, step, warp } = source;
  return [['run', run], ['lane', String(lane)], ['step', String(step)], ...under('w.', warp)];
}

/** The text that `stateFromText` reads. @param {ForestState} state */
export function stateToText({ source, seed, options, a, b, guesses }) {
  const query = new URLSearchParams([...sourceFields(source), ['seed', String(seed)], ['a', a], ['b', b]]);
  if (guesses) query.set('guesses', guesses);
  for (const [verifier, values] of Object.entries(options)) {
    for (const [name, value] of Object.entries(values)) query.set(`v.${verifier}.${name}`, writeValue(value));
  }
  return query.toString();
}

/** What the address asks for; null where that is nothing. */
export function readForest() {
  const text = link.get('forest');
  return text ? stateFromText(text) : null;
}

/**
 * Keep a state in the address. A race made here is made again by a link to it (`here`) while it is on screen; later
 * the server alone has it.
 * @param {ForestState} state
 */
export function writeForest(state) {
  const { source } = state;
  const here = 'run' in source && isMadeHere(source.run) && latest('race')?.run === source.run;
  link.set({ forest: stateToText(here ? { ...state, source: { ...source, run: 'here' } } : state) });
}
