import assert from 'node:assert/strict';
import { test } from 'node:test';
import { suiting } from '../../../assets/player/src/parts/examples.js';

test('models have examples of their own, or those of none in particular', () => {
  const examples = [
    { label: 'SQL', pair: 'fable' },
    { label: 'Poem', pair: null },
  ];
  const labels = (/** @type {string} */ pair) => suiting(examples, pair).map(({ label }) => label);
  assert.deepEqual(labels('fable'), ['SQL']);
  assert.deepEqual(labels('smollm2'), ['Poem']);
  assert.deepEqual(labels(''), ['Poem']);
});
