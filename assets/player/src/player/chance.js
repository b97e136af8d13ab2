/* A coin or a draw under the hand: what a number from 0 to 1 would lead to. */

import { saidOf } from '../draw/strip.js';

/** @import { Strip } from '../payload.js' */

const LARGEST = 1 - 2 ** -32; // a number is below 1, however far right the hand is
const FINE = 0.01;
const COARSE = 0.1;
/** @type {Record<string, string>} */
const GLYPHS = { accepted: '✓ ', rejected: '✗ ' };

/** What a number leads to. @param {Strip} strip @param {number} uniform */
export const outcomeAt = ({ parts }, uniform) =>
  parts.find(({ end }) => Math.min(uniform, LARGEST) < end) ?? parts[parts.length - 1];

/** What the number is called. @param {Strip} strip */
export const chanceName = ({ called = '' }) => called || 'number';

/** `coin 0.62: rejected`, `random number 0.2: “·went” is drawn`. @param {Strip} strip @param {number} uniform */
export function chanceWords(strip, uniform) {
  const part = outcomeAt(strip, uniform);
  const { fate = 'other' } = part;
  const what = fate === 'drawn' || fate === 'other' ? `${saidOf(part)} is drawn` : saidOf(part);
  return `${GLYPHS[fate] ?? ''}${chanceName(strip)} ${written(uniform)}: ${what}`;
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
