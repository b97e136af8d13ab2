/* Options and coins as they stand in an address, and as a reader sees them. */

/**
 * @typedef {string | number | boolean | null} Plain
 * @typedef {Record<string, any>} Options values by name
 * @typedef {{method: string, options: Options}} Lane
 * @typedef {[question: string, answer: string]} Turn of a conversation
 * @typedef {{coins: Options, options: Options}} Changes coins by the number of their decision, options by name
 */

/** @param {string} text */
const isNumber = (text) => text.trim() !== '' && Number.isFinite(Number(text));

/** A value of an address. @param {string} text @returns {Plain} */
export function parseValue(text) {
  if (text === 'off') return null;
  if (text === 'true' || text === 'false') return text === 'true';
  return isNumber(text) ? Number(text) : text;
}

/** @param {unknown} value */
export const writeValue = (value) => (value === null ? 'off' : String(value));

/** A value in four digits at most. @param {unknown} value */
export const short = (value) =>
  typeof value === 'number' ? String(Number(value.toPrecision(4))) : writeValue(value);

/** @param {unknown} a @param {unknown} b */
export const sameValue = (a, b) =>
  a === b || (typeof a === 'number' && typeof b === 'number' && Math.abs(a - b) < 1e-12);

/** @param {unknown} turn @returns {turn is Turn} */
const isTurn = (turn) =>
  Array.isArray(turn) && turn.length === 2 && turn.every((text) => typeof text === 'string' && text !== '');

/** The turns of a text, as JSON; none where it is something else. @param {string | null} text @returns {Turn[]} */
export function turnsFromText(text) {
  try {
    const turns = JSON.parse(text ?? '[]');
    return Array.isArray(turns) && turns.every(isTurn) ? turns : [];
  } catch {
    return [];
  }
}

/**
 * The branches of a text, as JSON; none where it is something else. The server checks what is in them.
 * @param {string | null} text @returns {Record<string, any>[]}
 */
export function branchesFromText(text) {
  try {
    const branches = JSON.parse(text ?? '[]');
    return Array.isArray(branches) && branches.every((one) => one && typeof one === 'object') ? branches : [];
  } catch {
    return [];
  }
}

/** `speculative;gamma=6`. @param {Lane} lane */
export function laneToText(lane) {
  return [lane.method, ...Object.entries(lane.options).map(([name, value]) => `${name}=${writeValue(value)}`)].join(
    ';',
  );
}

/** The lane of such a text. @param {string} text @returns {Lane} */
export function laneFromText(text) {
  const [method, ...pairs] = text.split(';');
  /** @type {Options} */
  const options = {};
  for (const pair of pairs) {
    const cut = pair.indexOf('=');
    if (cut > 0) options[pair.slice(0, cut)] = parseValue(pair.slice(cut + 1));
  }
  return { method, options };
}

/** `decision-2:0.8;tau:0.3`; null without changes. @param {Changes} changes */
export function changesToText({ coins, options }) {
  const flipped = Object.entries(coins).map(([decision, uniform]) => `decision-${decision}:${short(uniform)}`);
  const set = Object.entries(options).map(([name, value]) => `${name}:${short(value)}`);
  return [...flipped, ...set].join(';') || null;
}

/** The changes of such a text. @param {string | null} text */
export function changesFromText(text) {
  /** @type {Changes} */
  const changes = { coins: {}, options: {} };
  for (const entry of (text || '').slice(0, 500).split(';')) {
    const found = entry.match(/^([\w-]+):(.*)$/);
    if (!found) continue;
    const [, name, written] = found;
    const decision = name.match(/^decision-(\d+)$/);
    if (decision) changes.coins[decision[1]] = parseValue(written);
    else changes.options[name] = parseValue(written);
  }
  return changes;
}

/** How many things are changed. @param {Changes} changes */
export const countChanges = ({ coins, options }) => Object.keys(coins).length + Object.keys(options).length;

const MOST_PINS = 2;
/** Pinned nodes, `3,7`. @param {string | null} text */
export const pinsFromText = (text) =>
  (text || '')
    .split(',')
    .filter((one) => /^-?\d{1,5}$/.test(one))
    .map(Number)
    .slice(0, MOST_PINS);

/**
 * Where the Microscope stands: `0.3.decision-2`, the scene may be missing; null for anything else.
 * @param {string | null} text
 * @returns {[lane: number, iteration: number, scene: string | null] | null}
 */
export function stepFromText(text) {
  const found = (text || '').match(/^(\d+)\.(\d+)(?:\.([\w-]+))?$/);
  return found && [Number(found[1]), Number(found[2]), found[3] || null];
}

/** Names with a prefix, as an object. @param {URLSearchParams} query @param {string} prefix @returns {Options} */
export function valuesUnder(query, prefix) {
  const named = [...query].filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(named.map(([name, text]) => [name.slice(prefix.length), parseValue(text)]));
}
