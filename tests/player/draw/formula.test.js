import { test } from 'node:test';
import assert from 'node:assert/strict';
import { statementsOf } from '../../../assets/player/src/draw/formula.js';

/** A term as text again: {over | under}, [base ^ exponent]. */
const said = (term) => {
  if (term === null) return '';
  if (term.kind === 'row') return term.parts.map(said).join(' ');
  if (term.kind === 'fraction') return `{${term.parts.map(said).join(' | ')}}`;
  if (term.kind === 'power') return `[${term.parts.map(said).join(' ^ ')}]`;
  return term.text;
};
const read = (formula) =>
  statementsOf(formula).map(({ said: before, term, verdict }) => [before, said(term), verdict]);

test('a quotient is a fraction, and what follows the colon is the verdict', () => {
  assert.deepEqual(read('min(1, 0.034 / 0.136) = 0.25; coin 0.95 ≥ 0.25: reject'), [
    ['', 'min ( 1 , {0.034 | 0.136} ) = 0.25', ''],
    ['', 'coin 0.95 ≥ 0.25', 'reject'],
  ]);
});

test('a product is divided as a whole, and brackets around all of a part go', () => {
  assert.deepEqual(read('residual = (0.50 × 0.05 − 0) / 0.33 = 0.08'), [
    ['', 'residual = {0.50 × 0.05 − 0 | 0.33} = 0.08', ''],
  ]);
  assert.deepEqual(read('w = min(0.5 × 0.065 / (2.2 × 0.13), 1) = 0.50'), [
    ['', 'w = min ( {0.5 × 0.065 | 2.2 × 0.13} , 1 ) = 0.50', ''],
  ]);
  assert.equal(read('(1 − 2) × (3 − 4) / 5 = 1')[0][1], '{( 1 − 2 ) × ( 3 − 4 ) | 5} = 1');
});

test('powers, signs of numbers, infinity and large numbers', () => {
  assert.equal(read('1 − (1 − 0.374)^4 = 0.85')[0][1], '1 − [( 1 − 0.374 ) ^ 4] = 0.85');
  assert.equal(read('sum so far −0.096 − 0.448 = −0.54')[0][1], 'sum so far −0.096 − 0.448 = −0.54');
  assert.equal(read('min(0, −∞) > log τ = −2.30')[0][1], 'min ( 0 , −∞ ) > log τ = −2.30');
  assert.equal(read('1,234 × 1.8e-09 = 2')[0][1], '1,234 × 1.8e-09 = 2');
});

test('words before a formula, quoted tokens, and what is no formula', () => {
  assert.deepEqual(read('draft probability of the submitted path: 0.1 × 0.2 = 0.02'), [
    ['draft probability of the submitted path:', '0.1 × 0.2 = 0.02', ''],
  ]);
  assert.equal(read('“·a / b = (” ≠ argmax target = “,”: reject')[0][1], '“·a / b = (” ≠ argmax target = “,”');
  for (const words of ['5 tokens / 1 target call', 'target 1, draft 1: accept (no coin is flipped)', 'a ( = b']) {
    assert.deepEqual(read(words), [[words, '', '']]);
  }
  assert.deepEqual(statementsOf(''), []);
});
