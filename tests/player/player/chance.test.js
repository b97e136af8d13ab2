import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  chanceWords,
  keyedChance,
  outcomeAt,
  stripOf,
  withinChance,
} from '../../../assets/player/src/player/chance.js';

const coin = (threshold) => ({
  uniform: 0.5,
  axis: 'x',
  outcomes: [
    { end: threshold, word: 'accepted', kind: 'accepted' },
    { end: 1, word: 'rejected', kind: 'rejected' },
  ],
});
const DRAW = {
  uniform: 0.1,
  axis: 'paper',
  outcomes: [
    { end: 0.25, word: '“a”', kind: 'drawn' },
    { end: 0.5, word: '“b”', kind: 'other' },
    { end: 0.9999, word: '“c”', kind: 'other' }, // numbers are rounded on their way
  ],
};

test('a coin is accepted below its probability, and only there', () => {
  const fell = [0, 0.249, 0.25, 1].map((at) => outcomeAt(coin(0.25), at).word);
  assert.deepEqual(fell, ['accepted', 'accepted', 'rejected', 'rejected']);
  assert.equal(outcomeAt(coin(0), 0).word, 'rejected');
  assert.equal(outcomeAt(coin(1), 1).word, 'accepted');
});

test('a draw takes the token under the number', () => {
  assert.deepEqual(
    [0, 0.25, 0.49, 0.5, 1].map((at) => outcomeAt(DRAW, at).word),
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

test('the strip of a figure: its axis from 0 to 1, or over the bars', () => {
  const axis = { _offset: 20, _length: 400, d2p: (value) => 400 * value };
  const plot = {
    _fullLayout: { _size: { l: 10, t: 60, w: 300 }, xaxis2: axis, yaxis2: { _offset: 70, _length: 50 } },
  };
  assert.deepEqual(stripOf(plot, 'x2'), { left: 20, width: 400, top: 70, bottom: 120 });
  assert.deepEqual(stripOf(plot, 'paper'), { left: 10, width: 300, top: 34, bottom: 52 });
});
