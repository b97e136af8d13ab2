import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chanceWords, keyedChance, outcomeAt, withinChance } from '../../../assets/player/src/player/chance.js';

const coin = (threshold) => ({
  uniform: 0.5,
  called: 'coin',
  parts: [
    { end: threshold, words: 'accepted', fate: 'accepted' },
    { end: 1, words: 'rejected', fate: 'rejected' },
  ],
});
const DRAW = {
  uniform: 0.1,
  called: 'random number',
  parts: [
    { end: 0.25, words: '“a”', fate: 'drawn' },
    { end: 0.5, words: '“b”', fate: 'other' },
    { end: 0.9999, words: '“c”', fate: 'other' }, // numbers are rounded on their way
  ],
};

test('a coin is accepted below its probability, and only there', () => {
  const fell = [0, 0.249, 0.25, 1].map((at) => outcomeAt(coin(0.25), at).words);
  assert.deepEqual(fell, ['accepted', 'accepted', 'rejected', 'rejected']);
  assert.equal(outcomeAt(coin(0), 0).words, 'rejected');
  assert.equal(outcomeAt(coin(1), 1).words, 'accepted');
});

test('a draw takes the token under the number', () => {
  assert.deepEqual(
    [0, 0.25, 0.49, 0.5, 1].map((at) => outcomeAt(DRAW, at).words),
    ['“a”', '“b”', '“b”', '“c”', '“c”'],
  );
});

test('the verdict is said with the number', () => {
  assert.equal(chanceWords(coin(0.25), 0.2), '✓ coin 0.2: accepted');
  assert.equal(chanceWords(coin(0.25), 0.3), '✗ coin 0.3: rejected');
  assert.equal(chanceWords(DRAW, 0.3), 'random number 0.3: “b” is drawn');
});

test('keys move a number within 0 and 1; others are left to the player', () => {
  const moved = ['ArrowLeft', 'ArrowRight', 'PageUp', 'PageDown', 'Home', 'End'].map((key) => keyedChance(key, 0.05));
  assert.deepEqual(moved, [0.04, 0.06, 0.15, 0, 0, 1]);
  assert.equal(keyedChance('a', 0.5), null);
  assert.equal(withinChance(1.7), 1);
});
