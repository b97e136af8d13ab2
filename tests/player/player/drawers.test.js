import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openOnes } from '../../../assets/player/src/player/drawers.js';

test('only drawers that there are can be remembered as open', () => {
  assert.deepEqual(openOnes('mask,probabilities'), ['mask', 'probabilities']);
  assert.deepEqual(openOnes('tree,<b>,probabilities'), ['probabilities']);
  assert.deepEqual(openOnes(null), []);
});
