import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  misnamed,
  outside,
  takenLane,
  takes,
  wrongLanes,
  wrongValues,
} from '../../../assets/player/src/base/address.js';

const common = { label: '', default: 1, low: 0, high: 2, choices: [], optional: false, used_by: [], help: '' };
const option = (more) => ({ name: 'temperature', kind: 'number', ...common, ...more });
const SETUP = { shared: [option({})], numbers: [option({ name: 'seed', kind: 'integer', high: null })] };
const wrong = (text) => wrongValues(new URLSearchParams(text), SETUP);

test('values that options cannot have are told with what they can have', () => {
  assert.deepEqual(wrong('o.temperature=0.5&seed=3'), []);
  const [nan, seed] = wrong('o.temperature=nan&seed=1.5');
  assert.equal(nan.name, 'o.temperature');
  assert.match(nan.sentence, /o\.temperature=“nan”; it has to be a number from 0 to 2/);
  assert.match(seed.sentence, /seed=“1\.5”; it has to be a whole number of 0 or more/);
  assert.equal(wrong('o.temperature=3').length, 1);
});

test('values that a lane cannot have are told by lane, and left out of it alone', () => {
  const gamma = option({ name: 'gamma', kind: 'integer', low: 1, high: 16, choices: ['auto'] });
  const setup = {
    ...SETUP,
    methods: [
      { name: 'chain', options: [gamma] },
      { name: 'plain', options: [] },
    ],
  };
  const told = (text) => wrongLanes(new URLSearchParams(text), setup);
  assert.deepEqual(told('prompt=a&lane=plain;temperature=0.5&lane=chain;gamma=3'), []);
  const [first, second] = told('prompt=a&lane=plain;temperature=9&lane=chain;gamma=99;temperature=1');
  assert.match(first, /temperature=“9” in lane 1; it has to be a number from 0 to 2/);
  assert.match(second, /gamma=“99” in lane 2; it has to be a whole number from 1 to 16, or one of auto\./);
  assert.deepEqual(told('run=abc&lane=1'), []);
  const lane = { method: 'chain', options: { gamma: 99, temperature: 0.5 } };
  assert.deepEqual(takenLane(lane, setup), { method: 'chain', options: { temperature: 0.5 } });
});

test('an option takes its choices, numbers in its range, and nothing where it is optional', () => {
  assert.ok(takes(option({ optional: true }), null));
  assert.ok(!takes(option({}), null));
  assert.ok(takes(option({ low: 1, optional: true, off: 0 }), 0)); // as the field writes top-k
  assert.ok(!takes(option({ low: 1, optional: true, off: null }), 0));
  assert.ok(takes(option({ kind: 'choice', choices: ['a'] }), 'a'));
  assert.ok(!takes(option({ kind: 'choice', choices: ['a'] }), 'b'));
  assert.ok(takes(option({ kind: 'choice', choices: ['2'] }), 2)); // a choice that is a number
  assert.ok(!takes(option({ kind: 'flag' }), 'yes'));
  assert.ok(takes(option({ low: null, high: null }), -5));
});

test('lanes and iterations that a race does not have', () => {
  assert.equal(outside([4, 2], 1, 1), '');
  assert.equal(outside([4, 0], 1, 7), ''); // a lane that has only begun
  assert.match(outside([4, 2], 9, 99), /lane 9; this race has 0 to 1/);
  assert.match(outside([4, 2], 1, 2), /iteration 2; lane 1 of this race has 0 to 1/);
});

test('names that mean another one', () => {
  const query = new URLSearchParams('lanes=nosuch&temperature=nan&class=ZZZZ&view=race&seed=3');
  const told = misnamed(query, ['temperature']).map((one) => one.match(/written (\S+)=/)[1]);
  assert.deepEqual(told, ['lane', 'o.temperature', 'room']);
});

test('lanes of no race', () => {
  const told = (text) => misnamed(new URLSearchParams(text), []);
  assert.match(told('view=race&lane=nosuch')[0], /lane=“nosuch” and no prompt=/);
  assert.deepEqual(told('lane=mtad&prompt=Once'), []);
  assert.deepEqual(told('view=forest&run=abc&lane=1'), []);
});
