/* The address bar remembers what is shown: page (`view`; `page` is gradio's own), prompt, lanes, options, seed, and
   where the Microscope stands. A race is either made again (prompt, lanes, options, seed), recorded (`recorded`)
   or kept on the server (`shown`). */
import { latest, publish } from './shared.js';
import { branchesFromText, laneFromText, laneToText, parseValue } from './values.js';
import { stepFromText, turnsFromText, writeValue } from './values.js';

/**
 * @import { Lane, Options, Turn } from './values.js'
 * @typedef {object} Form what a race is made from
 * @property {string} prompt
 * @property {Lane[]} lanes
 * @property {Options} shared
 * @property {any} [max_new_tokens]
 * @property {any} [seed]
 * @property {string} [pair] the name of the models
 * @property {Turn[]} [turns] of a conversation, before the prompt
 * @property {string} [system] what the models are told to be
 * @property {Record<string, any>[]} [branches] that leave its only lane
 * @typedef {Record<string, string | number | null | undefined>} Parameters null takes one away
 */

/** @type {('max_new_tokens' | 'seed')[]} */
const NUMBERS = ['max_new_tokens', 'seed'];
const LONGEST = 8000; // what browsers, mail programs and servers pass on
const OF_RACE = ['prompt', 'pair', 'turns', 'system', 'branches', 'lane', 'at', 'recorded', 'shown', 'beside'];
const RACE = new Set([...OF_RACE, ...NUMBERS]);
const LESSON = ['lesson', 'step', 'answer', 'rule'];

/** What an address says of a race: name and value, in order. @param {Form} form @returns {[string, string][]} */
export function formToFields(form) {
  return [
    ['prompt', form.prompt],
    .../** @type {[string, string][]} */ (form.lanes.map((lane) => ['lane', laneToText(lane)])),
    .../** @type {[string, string][]} */ (
      Object.entries(form.shared).map(([name, value]) => [`o.${name}`, writeValue(value)])
    ),
    .../** @type {[string, string][]} */ (NUMBERS.map((name) => [name, String(form[name])])),
    .../** @type {[string, string][]} */ (form.pair ? [['pair', form.pair]] : []),
    .../** @type {[string, string][]} */ (form.turns?.length ? [['turns', JSON.stringify(form.turns)]] : []),
    .../** @type {[string, string][]} */ (form.system ? [['system', form.system]] : []),
    .../** @type {[string, string][]} */ (form.branches?.length ? [['branches', JSON.stringify(form.branches)]] : []),
  ];
}

/** The form in an address; null where it has none. @param {URLSearchParams} query @returns {Form | null} */
export function formFromQuery(query) {
  const prompt = query.get('prompt');
  if (prompt === null) return null;
  /** @type {Form} */
  const form = { prompt, lanes: query.getAll('lane').map(laneFromText), shared: {}, pair: query.get('pair') ?? '' };
  for (const [key, value] of query) {
    if (key.startsWith('o.')) form.shared[key.slice(2)] = parseValue(value);
    for (const name of NUMBERS) if (key === name) form[name] = parseValue(value);
  }
  const turns = turnsFromText(query.get('turns'));
  if (turns.length) form.turns = turns;
  const branches = branchesFromText(query.get('branches'));
  if (branches.length) form.branches = branches;
  const system = query.get('system');
  return system ? { ...form, system } : form;
}

/** @param {URLSearchParams} query @param {Parameters} changes */
export function assign(query, changes) {
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === undefined) query.delete(name);
    else query.set(name, String(value));
  }
}

/** @param {URLSearchParams} query */
export function forgetRace(query) {
  for (const key of [...query.keys()]) if (RACE.has(key) || key.startsWith('o.')) query.delete(key);
}

let incomplete = ''; // why the address does not restore the race on screen
let here = ''; // the address as last written: Back and Forward bring older ones
const query = () => new URL(window.location.href).searchParams;
/** @type {Set<string>} */
const ignored = new Set(); // parameters with a value that cannot be

/** Read the address as if it did not have these parameters. @param {string[]} names */
export const ignore = (names) => names.forEach((name) => ignored.add(name));

/** The whole of the address. */
export const whole = () => query();

/** @param {(query: URLSearchParams) => void} change @param {'replaceState' | 'pushState'} [how] */
function replace(change, how = 'replaceState') {
  const url = new URL(window.location.href);
  change(url.searchParams);
  if (url.href !== window.location.href && url.href.length < LONGEST) {
    window.history[how](window.history.state, '', url);
  }
  remember();
}

/** Every change of the address is told. */
function remember() {
  here = window.location.href;
  publish('address', window.location.search);
}

let outside = ''; // the address of the page for others, where it is not the one seen here

/** Links begin with another address than the one in this browser. @param {string} address */
export const reachedAt = (address) => (outside = address);

/** The address of this screen, for others. */
export const toShare = () => (outside ? outside + window.location.search : window.location.href);

/**
 * After Back or Forward, which lead from page to page, and from lesson to lesson: the race, the step and the forest
 * stay those on screen. The page to show, or null.
 */
export function returned() {
  const old = query();
  const page = old.get('view');
  if (!page) return null;
  const url = new URL(here || window.location.href);
  const names = ['view', ...(page === 'lessons' ? LESSON : [])];
  assign(url.searchParams, Object.fromEntries(names.map((name) => [name, old.get(name)])));
  window.history.replaceState(window.history.state, '', url);
  remember();
  return page;
}

/** Say on every page what of an address is not followed. @param {string[]} sentences */
export const complain = (...sentences) => publish('wrong', [...(latest('wrong') ?? []), ...sentences]);

/** A page's own part of the address: one parameter, or null. @param {string} name */
export const get = (name) => query().get(name);

/** Change parameters. Others stay, so that going back to a page finds it as it was. @param {Parameters} changes */
export const set = (changes) => replace((old) => assign(old, changes));

/** The same as a new entry of the history: Back leads to where the reader was. @param {Parameters} changes */
export const visit = (changes) => replace((old) => assign(old, changes), 'pushState');

/**
 * What the address asks for: {page, form or null, recorded: methods or null, shown: a run's id or null, at: [lane,
 * iteration, scene] or null}.
 */
export function read() {
  const now = query();
  for (const name of ignored) now.delete(name);
  return {
    page: now.get('view'),
    form: formFromQuery(now),
    recorded: now.get('recorded')?.split(',') ?? null,
    shown: now.get('shown'),
    at: stepFromText(now.get('at')),
  };
}

/** The recorded lanes on screen. @param {string[]} names */
export function writeRecorded(names) {
  incomplete = '';
  set({ recorded: names.join(',') });
}

/** @param {number} lane @param {number} iteration @param {string} scene */
export const writeAt = (lane, iteration, scene) => set({ at: [lane, iteration, scene].join('.') });

/**
 * The form behind the race on screen; one too long for an address is left out.
 * @param {Form} form
 */
export function writeForm(form) {
  incomplete = '';
  replace((old) => {
    forgetRace(old);
    const fields = formToFields(form);
    const address = `${window.location.origin}${window.location.pathname}?${new URLSearchParams(fields)}`;
    if (address.length > LONGEST - 500) {
      incomplete = 'This race is too long for a link.'; // 500: space for the rest of the address
      return;
    }
    for (const [name, value] of fields) old.append(name, value);
  });
}

/**
 * A race that only this server keeps, under an id of its own; null: nothing of a race stays in the address.
 * @param {string | null} run
 */
export function writeShown(run) {
  incomplete = '';
  replace((old) => {
    if (run && old.get('shown') === run) return;
    forgetRace(old);
    if (run) old.set('shown', run);
  });
}

/** Why a copied link would not show this race again, and whether there is none at all. */
export function shortcomings() {
  if (incomplete) return { reason: incomplete, useless: true };
  const kept = query().has('shown');
  return {
    reason: kept ? 'A link to opened or picked runs works only while this server keeps them.' : '',
    useless: false,
  };
}
