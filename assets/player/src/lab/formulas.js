/* What speculative decoding should gain, by Leviathan et al. 2023 (arXiv:2211.17192); the same as Python's
   measure/theory.py, for sliders. Numbers and words only. */

/**
 * @typedef {object} Setting in the paper's symbols
 * @property {number} alpha the probability that a guess is accepted
 * @property {number} c a draft call, in target calls on one token
 * @property {number} v a target call on all gamma guesses, in the same; the paper takes it as 1
 * @property {number} gamma guesses in an iteration
 * @property {number} operations c^, the draft's arithmetic for a token in the target's
 * @typedef {object} Field
 * @property {keyof Setting} name
 * @property {string} symbol
 * @property {string} label
 * @property {string} help
 * @property {number} low that is taken
 * @property {number} high
 * @property {[number, number, number]} slider from, to, step
 */

export const MOST_GAMMA = 16;
/** @type {Setting} */
export const DEFAULT = { alpha: 0.7, c: 0.07, v: 1.2, gamma: 5, operations: 0.07 };

/** In the order of an address. @type {Field[]} */
export const FIELDS = [
  {
    name: 'alpha',
    symbol: 'α',
    label: 'acceptance',
    help: 'The probability that a guess is accepted. The theory takes it to be the same at every place.',
    low: 0,
    high: 1,
    slider: [0, 1, 0.01],
  },
  {
    name: 'c',
    symbol: 'c',
    label: 'a draft call',
    help: 'What guessing one token costs in time, in target calls on one token.',
    low: 0,
    high: 10,
    slider: [0, 1, 0.01],
  },
  {
    name: 'v',
    symbol: 'v',
    label: 'judging call',
    help:
      'What a target call on all guesses costs in time, in target calls on one token; it grows with their number. ' +
      'The paper takes it as 1.',
    low: 0.1,
    high: 17,
    slider: [0.5, 4, 0.01],
  },
  {
    name: 'gamma',
    symbol: 'γ',
    label: 'guesses',
    help: 'Tokens guessed in an iteration. v goes along with it.',
    low: 1,
    high: MOST_GAMMA,
    slider: [1, MOST_GAMMA, 1],
  },
  {
    name: 'operations',
    symbol: 'ĉ',
    label: 'draft’s arithmetic',
    help: 'Arithmetic of the draft for a token, as a share of the target’s; about the ratio of their parameters.',
    low: 0,
    high: 10,
    slider: [0, 1, 0.01],
  },
];

/** Whether a number can be the value of a field. @param {Field} field @param {number} value */
export const isPossible = ({ name, low, high }, value) =>
  value >= low && value <= high && (name !== 'gamma' || Number.isInteger(value));

/** Expected tokens an iteration, (1 - a^(g+1)) / (1 - a): Equation 1. @param {number} alpha @param {number} gamma */
export function expectedTokens(alpha, gamma) {
  let sum = 0;
  for (let i = 0; i <= gamma; i++) sum += alpha ** i;
  return sum;
}

/**
 * v on `gamma` guesses: a call's cost is taken to grow evenly with the tokens that it reads; a v below 1, measured too
 * low, is taken for any number of guesses.
 * @param {{v: number, gamma: number}} measured @param {number} gamma
 */
export const verifyAt = ({ v, gamma: at }, gamma) => (v < 1 ? v : 1 + ((v - 1) * gamma) / at);

/**
 * Expected tokens / (g c + v): Theorem 3.8; without guesses it is plain decoding.
 * @param {Setting} setting @param {number} gamma
 */
export const speedUp = (setting, gamma) =>
  gamma ? expectedTokens(setting.alpha, gamma) / (gamma * setting.c + verifyAt(setting, gamma)) : 1;

/**
 * Operations for a token in plain decoding's, (g c^ + g + 1) / expected: Theorem 3.11.
 * @param {Setting} setting @param {number} gamma
 */
export const arithmetic = ({ alpha, operations }, gamma) =>
  (gamma * operations + gamma + 1) / expectedTokens(alpha, gamma);

/** The gamma with the highest speed-up, the smallest of equals. @param {Setting} setting */
export function bestGamma(setting) {
  let best = 1;
  for (let gamma = 2; gamma <= MOST_GAMMA; gamma++) {
    if (speedUp(setting, gamma) > speedUp(setting, best)) best = gamma;
  }
  return best;
}

/**
 * The setting with one value changed. v goes along with gamma, so that the curves stay where they are.
 * @param {Setting} setting @param {keyof Setting} name @param {number} value
 */
export function changed(setting, name, value) {
  const next = { ...setting, [name]: value };
  if (name === 'gamma') next.v = Math.min(MOST_GAMMA + 1, verifyAt(setting, value));
  return next;
}

/**
 * A setting that has the numbers of a point, as far as it has them.
 * @param {Setting} setting
 * @param {{alpha: number, gamma: number, c?: number | null, v?: number | null, operations?: number | null}} point
 */
export function settingOf(setting, { alpha, gamma: measured, c, v, operations }) {
  const gamma = Math.min(MOST_GAMMA, Math.max(1, Math.round(measured)));
  const given = { alpha, c, operations, v: v ? verifyAt({ v, gamma: measured }, gamma) : verifyAt(setting, gamma) };
  const next = { ...setting, gamma };
  for (const { name, low, high } of FIELDS) {
    const value = name === 'gamma' ? null : given[name];
    if (typeof value === 'number') next[name] = Math.min(high, Math.max(low, value));
  }
  return next;
}

/** A value in so many digits at most. @param {number} value @param {number} digits */
export const brief = (value, digits) => String(Number(value.toPrecision(digits)));

/** As in an address: `.7,.07,1.2,5,.07`. @param {Setting} setting */
export const settingToText = (setting) =>
  FIELDS.map(({ name }) => brief(setting[name], 4).replace(/^0\./, '.')).join(',');

/** The setting of such a text; null where it is none. @param {string | null} text @returns {Setting | null} */
export function settingFromText(text) {
  const parts = (text ?? '').split(',');
  const numbers = parts.map((part) =>
    /^\d{0,3}(\.\d{0,9})?$/.test(part) && part !== '.' && part ? Number(part) : NaN,
  );
  if (parts.length !== FIELDS.length || !FIELDS.every((field, at) => isPossible(field, numbers[at]))) return null;
  const [alpha, c, v, gamma, operations] = numbers;
  return { alpha, c, v, gamma, operations };
}

/** A number for a sentence, as Python writes it: decimals, more where they would hide it; whole numbers bare.
    @param {number} value @param {number} [digits] */
export function number(value, digits = 2) {
  const whole = Math.round(value);
  if (value === 0 || (whole && Math.abs(value - whole) < 5e-7)) return String(whole);
  for (let decimals = digits; decimals < 7; decimals++) {
    const text = value.toFixed(decimals);
    const near = Math.abs(Number(text) - value) <= 0.05 * Math.abs(value) && !Number.isInteger(Number(text));
    if (near || Math.abs(value) > 1) return text;
  }
  return value.toExponential(1);
}

/**
 * Texts of the values, with as many decimals as it takes to find the result again from them.
 * @param {string} result @param {(...values: number[]) => number} work @param {number[]} values
 */
function worked(result, work, ...values) {
  const close = 0.501 * 10 ** -(result.split('.')[1]?.length ?? 0);
  let texts = values.map((value) => number(value));
  for (let digits = 3; digits < 7; digits++) {
    if (Math.abs(work(...texts.map(Number)) - Number(result)) <= close) break;
    texts = values.map((value) => number(value, digits));
  }
  return texts;
}

/**
 * The three formulas with the numbers put in, and their results.
 * @param {Setting} setting
 * @returns {{work: string, result: string}[]}
 */
export function workings({ alpha, c, v, gamma, operations }) {
  const tokens = expectedTokens(alpha, gamma);
  const [made, speed, more] = [tokens, tokens / (gamma * c + v), (gamma * operations + gamma + 1) / tokens].map(
    (one) => number(one),
  );
  const [a] = worked(made, (one) => expectedTokens(one, gamma), alpha);
  const [t, costs, call] = worked(speed, (one, two, three) => one / (gamma * two + three), tokens, c, v);
  const [share, over] = worked(more, (one, two) => (gamma * one + gamma + 1) / two, operations, tokens);
  const power = String(gamma + 1).replace(/\d/g, (digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]);
  return [
    { work: alpha === 1 ? `${gamma} + 1` : `(1 − ${a}${power}) / (1 − ${a})`, result: made },
    { work: `${t} / (${gamma} × ${costs} + ${call})`, result: speed },
    { work: `(${gamma} × ${share} + ${gamma} + 1) / ${over}`, result: more },
  ];
}

/** @param {number} count */
const guesses = (count) => `${count} ${count === 1 ? 'guess' : 'guesses'}`;

/** That another number of guesses would be best, or none is. @param {Setting} setting @param {number} speed */
function aboutBest(setting, speed) {
  const best = bestGamma(setting);
  const there = speedUp(setting, best);
  const most = `up to ${MOST_GAMMA}`;
  if (there <= speed + 1e-9) {
    return speed > 1 + 1e-9
      ? `no other number of guesses ${most} is faster`
      : `no number of guesses ${most} beats plain decoding`;
  }
  let digits = 2;
  while (digits < 6 && number(there, digits) === number(speed, digits)) digits++;
  const which = `${guesses(best)}${best === MOST_GAMMA ? ', the most shown here,' : ''}`;
  if (there > 1 + 1e-9) return `${which} would be best (${number(there, digits)})`;
  const closest = there > 1 - 1e-9 ? 'be just as fast' : `come closest (${number(there, digits)})`;
  return `no number of guesses ${most} beats plain decoding, ${which} would ${closest}`;
}

/** What follows from a setting, in plain English. @param {Setting} setting */
export function sentence(setting) {
  const { alpha, c, v, gamma } = setting;
  const speed = speedUp(setting, gamma);
  const [tokens] = workings(setting);
  const cost = gamma * c + v;
  const given = `With α ${number(alpha)}, a draft call at ${number(c)} of a target call and v ${number(v)}, `;
  const give = `${guesses(gamma)} ${gamma === 1 ? 'gives' : 'give'} ${tokens.result} `;
  const made = `${tokens.result === '1' ? 'token' : 'tokens'} an iteration, `;
  const best = aboutBest(setting, speed);
  if (Math.abs(speed - 1) < 1e-9) return `${given}${give}${made}exactly plain decoding’s speed; ${best}.`;
  const start = `${given}${give}${made}${number(speed)} times plain decoding’s speed`;
  if (speed > 1) return `${start}; ${best}.`;
  const why = `an iteration costs ${number(cost)} target calls (γ c + v), more than the tokens it gives`;
  return `${start}: slower, because ${why}; ${best}.`;
}
