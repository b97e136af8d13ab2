import assert from 'node:assert/strict';
import { test } from 'node:test';
import { END, asDrawn } from '../../../assets/player/src/base/pieces.js';
import {
  columnAt,
  gaugesOf,
  longest,
  positionFromText,
  positionsOf,
  wordsOf,
} from '../../../assets/player/src/stage/position.js';
import { placeColumns } from '../../../assets/player/src/stage/sheet.js';

const turn = (start, seconds, tokens, more) => ({
  phases: {
    draft: [start, start + 0.1],
    target: [start + 0.1, start + 0.1],
    verify: [start + 0.1, start + seconds],
  },
  guesses: [{ name: '0' }, { name: 'drawn-0' }],
  folded: 2,
  asked: 3,
  offered: 2,
  accepted: 1,
  reads: [
    ['-1', -1],
    ['0', 0],
  ],
  tokens,
  ...more,
});
const dial = (value) => [String(value), '', value];
const lane = (iterations, pieces, speeds) => ({
  view: {
    title: 'Speculative',
    iterations: iterations.length,
    tokens: pieces.map((piece) => [piece, 'accepted', 0, -1]),
    dials: [
      { key: 'tokens_per_second', label: 'speed' },
      { key: 'flops_per_token', label: 'arithmetic' },
    ],
  },
  motion: { look: 'chain', iterations, dials: speeds.map((speed) => [dial(speed), dial(7)]) },
});
const FAST = lane([turn(0, 0.4, 2), turn(0.4, 0.2, 3)], [' a', ' b', ' c'], [50, 40]);
const SLOW = lane([turn(0, 0.5, 1, { offered: 0, accepted: 0 }), turn(0.5, 0.5, 2)], [' a', ' x'], [10, 11]);
const LANES = [FAST, SLOW];

test('there is a position for every token of the longest lane', () => {
  assert.equal(positionsOf(LANES), 3);
  assert.equal(positionsOf([]), 0);
});

test('a column is about the iteration that wrote the token', () => {
  assert.deepEqual(
    [0, 1, 2].map((at) => columnAt(FAST, at).index),
    [0, 0, 1],
  );
  const { written, at } = columnAt(FAST, 1);
  assert.deepEqual([written, at], [[' a', ' b'], 1]);
});

test('a lane that has fewer tokens stays at its last', () => {
  const column = columnAt(SLOW, 2);
  assert.deepEqual([column.position, column.index], [1, 1]);
  assert.equal(columnAt(lane([], [], []), 0), null);
});

test('all columns share their scales', () => {
  const [one, other] = LANES.map((lane) => gaugesOf(columnAt(lane, 0), LANES));
  assert.deepEqual(
    one.map(({ label, most }) => [label, most]),
    other.map(({ label, most }) => [label, most]),
  );
  assert.equal(longest(LANES), 0.5);
});

test('gauges are the numbers of that iteration', () => {
  const [tokens, kept, speed] = gaugesOf(columnAt(FAST, 0), LANES);
  assert.deepEqual([tokens.value, tokens.most], [2, 2]);
  assert.deepEqual([kept.text, kept.value], ['1 of 2', 0.5]);
  assert.deepEqual([speed.label, speed.value, speed.most], ['speed', 50, 50]);
  assert.equal(gaugesOf(columnAt(FAST, 2), LANES)[2].value, 40);
  assert.deepEqual(gaugesOf(columnAt(SLOW, 0), LANES)[1].text, '–');
});

test('it is said in words', () => {
  const said = wordsOf(columnAt(FAST, 0), LANES);
  assert.match(
    said,
    /^Speculative, iteration 1 of 2: 3 guesses drafted, 3 of them read in one target call of 2 rows; 400 ms\./,
  );
  assert.match(said, /It wrote “\u2068a · b\u2069”\./);
});

test('a position in an address is a number within the text, or it is said what is wrong', () => {
  assert.deepEqual(positionFromText('3', 4), { position: 3, wrong: '' });
  assert.deepEqual(positionFromText(null, 4), { position: null, wrong: '' });
  for (const text of ['4', '-1', 'x', '', '1.5', '99999999']) {
    const { position, wrong } = positionFromText(text, 4);
    assert.equal(position, null);
    assert.ok(wrong.includes(`beside=${text}:`) && wrong.includes('from 0, the first token, to 3'), wrong);
  }
});

test('an answer that ends says so, and shows no empty box', () => {
  const column = columnAt(lane([turn(0, 0.4, 2)], [' a', END], [50]), 1);
  assert.match(wordsOf(column, [FAST]), /It wrote “.?a · end of answer/);
  assert.equal(asDrawn(END), 'end of answer');
});

test('columns stand in as few rows as leave them legible', () => {
  const across = (count, width) => new Set(placeColumns(count, width).places.map(({ x }) => x)).size;
  assert.deepEqual(
    [across(4, 1240), across(3, 1240), across(2, 1240), across(4, 1880), across(3, 1880), across(4, 350)],
    [2, 2, 2, 2, 3, 1],
  );
  const { places, wide, tall, height } = placeColumns(4, 1240);
  assert.ok(Math.max(...places.map(({ x }) => x)) + wide <= 1240);
  assert.ok(Math.max(...places.map(({ y }) => y)) + tall < height);
});
