import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  changesFromText,
  changesToText,
  countChanges,
  laneFromText,
  laneToText,
  parseValue,
  pinsFromText,
  sameValue,
  short,
  stepFromText,
  valuesUnder,
  writeValue,
} from '../../../assets/player/src/base/values.js';

test('values of an address come back as they were', () => {
  for (const value of [null, true, false, 0, -3, 0.25, 'mtad', '3,2', '']) {
    assert.equal(parseValue(writeValue(value)), value);
  }
  assert.equal(parseValue(' '), ' ');
  assert.equal(parseValue('Infinity'), 'Infinity');
});

test('a lane comes back with its options', () => {
  const lane = {
    method: 'speculative',
    options: { gamma: 6, top_k: null, exact: true, k_config: '3,2', name: 'a=b' },
  };
  assert.equal(laneToText(lane), 'speculative;gamma=6;top_k=off;exact=true;k_config=3,2;name=a=b');
  assert.deepEqual(laneFromText(laneToText(lane)), lane);
  assert.deepEqual(laneFromText('mtad;=3;nothing'), { method: 'mtad', options: {} });
});

test('what is changed of a step comes back', () => {
  const changes = { coins: { 2: 0.8, 11: 0.125 }, options: { tau: 0.3, top_k: null, exact: false } };
  const text = 'decision-2:0.8;decision-11:0.125;tau:0.3;top_k:off;exact:false';
  assert.equal(changesToText(changes), text);
  assert.deepEqual(changesFromText(text), changes);
  assert.equal(countChanges(changes), 5);
  assert.equal(changesToText({ coins: {}, options: {} }), null);
  assert.deepEqual(changesFromText(null), { coins: {}, options: {} });
  assert.deepEqual(changesFromText('<b>:1;;tau:0.1'), { coins: {}, options: { tau: 0.1 } });
});

test('the Microscope stands at a lane, an iteration and perhaps a scene', () => {
  assert.deepEqual(stepFromText('1.12.decision-3'), [1, 12, 'decision-3']);
  assert.deepEqual(stepFromText('0.4'), [0, 4, null]);
  for (const text of [null, '', '1', '-1.2', '1.2.3.4', '1.2.<b>']) assert.equal(stepFromText(text), null);
});

test('at most two pins, each a number', () => {
  assert.deepEqual(pinsFromText('3,7'), [3, 7]);
  assert.deepEqual(pinsFromText('3,x,,123456,-1,9'), [3, -1]);
  assert.deepEqual(pinsFromText(null), []);
});

test('numbers are said in four digits', () => {
  assert.deepEqual([1 / 3, 12345, 0.5, null, 'greedy', true].map(short), [
    '0.3333',
    '12350',
    '0.5',
    'off',
    'greedy',
    'true',
  ]);
  assert.ok(sameValue(0.1 + 0.2, 0.3) && sameValue('a', 'a'));
  assert.ok(!sameValue(1, '1') && !sameValue(0.3, 0.31));
});

test('values under a prefix', () => {
  const query = new URLSearchParams('o.gamma=4&o.top_p=off&lane=1');
  assert.deepEqual(valuesUnder(query, 'o.'), { gamma: 4, top_p: null });
});
