import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  checkedWords,
  fileWords,
  isSweep,
  keptWords,
  numberOf,
  progressWords,
  timeWords,
} from '../../../assets/player/src/lab/own-words.js';

const STATE = {
  id: 'a'.repeat(32),
  title: 'mtad',
  card: '',
  state: /** @type {const} */ ('running'),
  done: 3,
  total: 1200,
  setting: 'mtad gamma=2',
  seconds_left: /** @type {number | null} */ (90),
  others: 0,
  message: '',
  lasts: false,
};
const LIMITS = { runs: 2000, prompts: 200, seeds: 100, tokens: 256, characters: 20000, file: 4_000_000 };

test('times are told about as well as they are known', () => {
  const told = [0, 12, 49, 50, 90, 5900, 6000, 36000].map(timeWords);
  const words = [
    '5 seconds',
    '10 seconds',
    '50 seconds',
    '1 minute',
    '2 minutes',
    '98 minutes',
    '2 hours',
    '10 hours',
  ];
  assert.deepEqual(
    told,
    words.map((one) => `about ${one}`),
  );
  assert.equal(timeWords(null), '');
});

test('what would be run is counted, and an unknown time said to be unknown', () => {
  const checked = { settings: ['a', 'b'], prompts: 12, seeds: 1, runs: 24, seconds: 120, recorded: false };
  const said = '24 runs (2 settings × 12 prompts × 1 seed); about 2 minutes where nobody races.';
  assert.equal(checkedWords(checked), said);
  assert.match(
    checkedWords({ ...checked, recorded: true }),
    /; about 2 minutes on the machine that recorded the cards\.$/,
  );
  assert.match(checkedWords({ ...checked, seconds: null }), /; how long they take is unknown until the first\.$/);
});

test('how far a sweep is', () => {
  assert.equal(progressWords(STATE), '3 of 1,200 runs; about 2 minutes left. Now: mtad gamma=2.');
  assert.match(progressWords({ ...STATE, seconds_left: null }), /the time left is unknown until the first runs\./);
  assert.match(progressWords({ ...STATE, others: 2 }), /left, in turns with 2 other sweeps\. Now/);
  assert.match(
    progressWords({ ...STATE, state: 'waiting', others: 1 }),
    /races come first, in turns with 1 other sweep\.$/,
  );
  assert.equal(progressWords({ ...STATE, state: 'done', done: 1200 }), 'Done: 1,200 runs.');
  for (const state of /** @type {const} */ (['failed', 'stopped'])) {
    assert.equal(progressWords({ ...STATE, state, message: 'Why.' }), 'Why.');
  }
});

test('what becomes of a sweep', () => {
  assert.match(keptWords(STATE, true), /^The page may be closed.*until the server ends: save it\.$/);
  assert.equal(keptWords({ ...STATE, state: 'done', lasts: true }, true), 'It is kept on the server.');
  assert.match(keptWords(STATE, false), /^Only the browser that began this sweep can stop it/);
});

test('a file is sent only where the server takes its size', () => {
  assert.equal(fileWords(4_000_000, LIMITS), '');
  assert.equal(fileWords(0, LIMITS), 'The file is empty.');
  assert.match(fileWords(52_000_000, LIMITS), /has 52\.0 MB; this page takes up to 4\.0 MB and 200 prompts/);
});

test('numbers are read, and what is none is left to the server', () => {
  assert.deepEqual(['', ' ', '3', '1.5', 'x', '1e400'].map(numberOf), [
    {},
    {},
    { value: 3 },
    { value: 1.5 },
    { value: 'x' },
    { value: '1e400' },
  ]);
});

test('only an id of ours is asked for', () => {
  assert.ok(isSweep('0123456789abcdef'.repeat(2)));
  for (const wrong of [null, '', 'x', 'A'.repeat(32), 'a'.repeat(33), `${'a'.repeat(32)}\n`])
    assert.ok(!isSweep(wrong));
});
