import assert from 'node:assert/strict';
import { test } from 'node:test';
import { divided } from '../../../assets/player/src/player/room.js';

const BARS = { least: 190, wanted: 460 };
const COIN = { least: 70, wanted: 70 };
const sum = (heights) => heights.reduce((all, one) => all + one, 0);

test('pictures have what they want where there is space', () => {
  assert.deepEqual(divided([BARS, COIN], 900), [460, 70]);
  assert.deepEqual(divided([], 900), []);
});

test('else what is left is given to what wants more', () => {
  assert.deepEqual(divided([BARS, COIN], 400), [330, 70]);
  const two = divided([BARS, { least: 170, wanted: 290 }], 480);
  assert.ok(Math.abs(sum(two) - 480) < 1e-6 && two[0] > 190 && two[1] > 170);
});

test('where not all have the least they need, the small ones have it and the large one is scrolled', () => {
  assert.deepEqual(divided([BARS, COIN], 200), [130, 70]);
  assert.deepEqual(divided([BARS, COIN], 20), [90, 70]);
});
