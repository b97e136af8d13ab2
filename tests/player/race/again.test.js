import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differenceWords } from '../../../assets/player/src/race/again.js';

/** @typedef {import('../../../assets/player/src/payload.js').Dial} Dial */

const RECORDED = { tokens: 3, tokens_per_target_call: 1.5, perplexity: /** @type {number | null} */ (5.972297) };

/** @param {number} tokens @param {number | null} calls @param {number | null} perplexity */
function lane(tokens, calls, perplexity) {
  const dial = (/** @type {string} */ key, /** @type {number | null} */ value) =>
    /** @type {Dial} */ (/** @type {unknown} */ ({ key, value }));
  return {
    tokens: Array.from(
      { length: tokens },
      () => /** @type {[string, string, number, null]} */ (['a', 'draft', 0, null]),
    ),
    dials: [dial('tokens_per_target_call', calls), dial('perplexity', perplexity)],
  };
}

test('the same run is the same however a machine rounds', () => {
  assert.equal(differenceWords(RECORDED, lane(3, 1.5, 5.972297)), '');
  assert.equal(differenceWords(RECORDED, lane(3, 1.5, 5.972299)), '');
  assert.equal(differenceWords({ ...RECORDED, perplexity: null }, lane(3, 1.5, null)), '');
});

test('another run is said to be another, with both numbers', () => {
  const said = differenceWords(RECORDED, lane(3, 1.5, 5.98));
  assert.match(said, /differently: 3 tokens at perplexity 5\.98, where 3 tokens at perplexity 5\.97 were recorded\./);
  assert.match(differenceWords(RECORDED, lane(2, 1.5, 5.972297)), /differently: 2 tokens/);
  assert.notEqual(differenceWords(RECORDED, lane(3, 1, 5.972297)), '');
  assert.match(differenceWords(RECORDED, lane(3, 1.5, null)), /differently: 3 tokens, where 3 tokens at/);
  assert.notEqual(differenceWords({ ...RECORDED, perplexity: null }, lane(3, 1.5, 2)), '');
});
