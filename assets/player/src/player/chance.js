/* A coin or a draw under the hand: what a number from 0 to 1 would lead to, and where it stands on its strip. */

/**
 * @import { Chance, PlotElement } from '../plotly.js'
 * @typedef {{left: number, width: number, top: number, bottom: number}} Strip pixels in a figure
 */

const LARGEST = 1 - 2 ** -32; // a number is below 1, however far right the hand is
const FINE = 0.01;
const COARSE = 0.1;
const CUMULATIVE = [8, 26]; // pixels above the bars (specviz/views/decisions/cumulative.py)
/** @type {Record<string, string>} */
const GLYPHS = { accepted: '✓ ', rejected: '✗ ' };

/** What a number leads to. @param {Chance} chance @param {number} uniform */
export const outcomeAt = ({ outcomes }, uniform) =>
  outcomes.find(({ end }) => Math.min(uniform, LARGEST) < end) ?? outcomes[outcomes.length - 1];

/** Whether it is a coin, and not a draw among tokens. @param {Chance} chance */
const isCoin = ({ outcomes }) => outcomes[0].kind === 'accepted';

/** What the number is called. @param {Chance} chance */
export const chanceName = (chance) => (isCoin(chance) ? 'coin' : 'random number');

/** `coin 0.62: rejected`, `random number 0.2: “·went” is drawn`. @param {Chance} chance @param {number} uniform */
export function chanceWords(chance, uniform) {
  const { word, kind } = outcomeAt(chance, uniform);
  const what = isCoin(chance) ? word : `${word} is drawn`;
  return `${GLYPHS[kind] ?? ''}${chanceName(chance)} ${written(uniform)}: ${what}`;
}

/** @param {number} uniform */
export const written = (uniform) => String(Number(uniform.toFixed(3)));

/** A number that a hand can mean: three digits, 0 to 1. @param {number} value */
export const withinChance = (value) => Math.max(0, Math.min(1, Math.round(1000 * value) / 1000));

/** Where a key leads from a number; null: it leads nowhere. @param {string} key @param {number} uniform */
export function keyedChance(key, uniform) {
  /** @type {Record<string, number>} */
  const moves = {
    ArrowRight: uniform + FINE,
    ArrowUp: uniform + FINE,
    ArrowLeft: uniform - FINE,
    ArrowDown: uniform - FINE,
    PageUp: uniform + COARSE,
    PageDown: uniform - COARSE,
    Home: 0,
    End: 1,
  };
  return key in moves ? withinChance(moves[key]) : null;
}

/**
 * Where the strip of a number stands in a drawn figure.
 * @param {Pick<PlotElement, '_fullLayout'>} plot
 * @param {string} axis
 * @returns {Strip}
 */
export function stripOf({ _fullLayout: layout }, axis) {
  if (axis === 'paper') {
    const { l, t, w } = layout._size;
    return { left: l, width: w, top: t - CUMULATIVE[1], bottom: t - CUMULATIVE[0] };
  }
  const number = axis.slice(1);
  const [x, y] = [layout[`xaxis${number}`], layout[`yaxis${number}`]];
  const left = x._offset + x.d2p(0);
  return { left, width: x.d2p(1) - x.d2p(0), top: y._offset, bottom: y._offset + y._length };
}
