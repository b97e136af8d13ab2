import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf, soundState } from '../../assets/player/src/lesson/state.js';
import { compareRows, fits, nextOrder, orderFromText, searchWords } from '../../assets/player/src/library/rows.js';
import { sliderEnd } from '../../assets/player/src/microscope/dial.js';
import { readAll, valueOf } from '../../assets/player/src/parts/field.js';
import { matters } from '../../assets/player/src/race/lane-settings.js';
import { isMadeHere, newRun, optionsOf, ownOptions, startLanes } from '../../assets/player/src/race/settings.js';
import { ticksFor } from '../../assets/player/src/race/ticks.js';

const option = (kind, more = {}) => ({ kind, choices: [], optional: false, ...more });

test('a field gives its value, or what was typed where that is no number', () => {
  assert.equal(valueOf(option('number'), '0.5'), 0.5);
  assert.equal(valueOf(option('number'), 'x'), 'x');
  assert.equal(valueOf(option('number'), ''), '');
  assert.equal(valueOf(option('number', { optional: true }), ''), null);
  assert.equal(valueOf(option('integers'), '3,2'), '3,2');
  assert.equal(valueOf(option('choice', { choices: [1, 'all'] }), '1'), 1);
  assert.equal(valueOf(option('choice', { choices: [1, 'all'] }), ''), null);
});

test('a field matters always, or with what it is used by', () => {
  assert.deepEqual(
    [matters([], []), matters(['tree'], ['tree', 3]), matters(['tree'], ['beam'])],
    [true, true, false],
  );
});

test('a slider ends where its range does, at 2 at the latest', () => {
  assert.equal(sliderEnd({ low: 0, high: 1 }), 1);
  assert.equal(sliderEnd({ low: 0, high: 10 }), 2);
  for (const more of [{ whole: true }, { kind: 'flag' }, { kind: 'choice' }, { high: null }]) {
    assert.equal(sliderEnd({ low: 0, high: 1, ...more }), null);
  }
});

test('the axis of a race ends just after the slowest lane', () => {
  assert.deepEqual(ticksFor(0), [0, 0.5, 1]);
  for (const clock of [0.004, 0.37, 1, 12, 4000]) {
    const ticks = ticksFor(clock);
    assert.ok(ticks.at(-1) > clock && ticks.at(-2) <= clock * 1.01, `${clock}: ${ticks}`);
    assert.ok(ticks.length >= 4 && ticks.length <= 8, `${clock}: ${ticks}`);
  }
});

const SETUP = {
  methods: [
    { name: 'speculative', options: [] },
    { name: 'mtad', options: [] },
  ],
  shared: [{ name: 'temperature', ...option('number'), low: 0, high: 10 }],
  limits: { min_lanes: 2, max_lanes: 3 },
  start: {
    prompt: 'P',
    lanes: [
      { method: 'mtad', options: {} },
      { method: 'mtad', options: {} },
    ],
    shared: { top_k: 20 },
  },
};
const names = ({ lanes }) => lanes.map(({ method }) => method);

test('a page starts with the lanes asked for that there are', () => {
  const form = {
    ...SETUP.start,
    prompt: 'Q',
    lanes: ['mtad', 'x', 'speculative'].map((method) => ({ method, options: {} })),
  };
  const asked = startLanes(SETUP, form, null);
  assert.deepEqual([names(asked), asked.unknown[0].method, asked.form.prompt], [['mtad', 'speculative'], 'x', 'Q']);
  assert.deepEqual(names(startLanes(SETUP, null, ['speculative'])), ['speculative']);
  assert.deepEqual(names(startLanes(SETUP, { ...form, lanes: form.lanes.slice(0, 1) }, null)), ['mtad', 'mtad']);
  assert.equal(startLanes(SETUP, null, Array(9).fill('mtad')).lanes.length, 3);
  const lanes = [0.5, 99].map((temperature) => ({ method: 'mtad', options: { temperature } }));
  const own = startLanes(SETUP, { ...form, lanes }, null).lanes.map(({ options }) => options);
  assert.deepEqual(own, [{ temperature: 0.5 }, {}]);
});

test('a race from elsewhere brings its prompt, seed and options', () => {
  const form = { prompt: 'P', shared: { top_k: 20 }, seed: 0, max_new_tokens: 64 };
  const race = { prompt: 'Q', seed: 3, lanes: [null, { options: { top_k: 5, gamma: 2, max_new_tokens: 8 } }] };
  const asked = { prompt: 'Q', turns: [], system: '', shared: { top_k: 5 }, seed: 3, max_new_tokens: 8 };
  assert.deepEqual(optionsOf(race, form), asked);
  const turns = [['Who?', 'I.']];
  assert.deepEqual(optionsOf({ ...race, turns, system: 'Be.' }, form), { ...asked, turns, system: 'Be.' });
  assert.deepEqual(optionsOf({ prompt: null, seed: null, lanes: [] }, form), { ...form, turns: [], system: '' });
  assert.ok(isMadeHere(newRun()) && newRun() !== newRun() && !isMadeHere('gallery:mtad'));
});

test('of lanes that differ, each has its own, and the form what some lane has', () => {
  const form = { prompt: 'P', shared: { temperature: 1, top_k: 20 }, seed: 0 };
  const lanes = [0.5, 1, 0.5].map((temperature) => ({ options: { temperature, top_k: null, gamma: 2 } }));
  const { shared } = optionsOf({ prompt: 'Q', seed: 3, lanes }, form);
  assert.deepEqual(shared, { temperature: 1, top_k: null });
  const own = lanes.map(({ options }) => ownOptions(options, shared));
  assert.deepEqual(own, [{ temperature: 0.5, gamma: 2 }, { gamma: 2 }, { temperature: 0.5, gamma: 2 }]);
  const other = optionsOf({ prompt: 'Q', seed: 3, lanes }, { ...form, shared: { temperature: 2 } });
  assert.deepEqual(other.shared, { temperature: 0.5 });
});

test('a field that holds nothing is left out', () => {
  const fields = [1, null, undefined].map((value, at) => ({ name: `n${at}`, read: () => value }));
  assert.deepEqual(readAll(fields), { n0: 1, n1: null });
});

const row = (title, tokens, more = {}) => ({
  title,
  method: title,
  prompt: 'A king',
  set: 'tau 0.1',
  guarantee: { name: 'lossless' },
  numbers: { tokens: [tokens, String(tokens)] },
  ...more,
});

test('rows are sorted, those without the number last', () => {
  const rows = [row('b', 2), row('A', null), row('c', 10)];
  const sorted = (order) =>
    [...rows]
      .sort((a, b) => compareRows(a, b, order))
      .map(({ title }) => title)
      .join('');
  assert.equal(sorted({ column: 'tokens', down: true }), 'cbA');
  assert.equal(sorted({ column: 'tokens', down: false }), 'bcA');
  assert.equal(sorted({ column: 'title', down: false }), 'Abc');
  assert.equal(sorted({ column: null, down: false }), 'bAc');
});

test('the order comes from the address and from clicks', () => {
  assert.deepEqual(orderFromText('-tokens'), { column: 'tokens', down: true });
  for (const text of [null, '', '-', 'nope']) assert.deepEqual(orderFromText(text), { column: null, down: false });
  assert.deepEqual(nextOrder({ column: null, down: false }, 'tokens'), { column: 'tokens', down: true });
  assert.deepEqual(nextOrder({ column: 'tokens', down: true }, 'tokens'), { column: 'tokens', down: false });
  assert.deepEqual(nextOrder({ column: 'tokens', down: true }, 'title'), { column: 'title', down: false });
});

test('all words of a search are in a row', () => {
  assert.ok(fits(row('MTAD', 1), searchWords(' mtad KING  tau ')));
  assert.ok(!fits(row('MTAD', 1), searchWords('mtad queen')));
  assert.ok(fits(row('MTAD', 1), searchWords(' ')));
});

const LESSON = { steps: [{}, {}], question: { choices: [{}, {}, {}] } };

test('a lesson is at a step that it has, after the question', () => {
  assert.deepEqual(soundState(LESSON, {}), { step: 1, chosen: null, rule: null });
  assert.deepEqual(soundState(LESSON, { step: 9, chosen: '2', rule: 'x' }), { step: 3, chosen: 2, rule: 'x' });
  assert.equal(soundState(LESSON, { step: 2 }).chosen, 'shown');
  assert.equal(soundState(LESSON, { step: 1.5, chosen: 4 }).step, 1);
  assert.equal(soundState(LESSON, { chosen: 4 }).chosen, null);
  assert.equal(soundState(LESSON, { chosen: 'shown' }).chosen, 'shown');
});

test('a step of a lesson has an address on the other pages', () => {
  assert.equal(addressOf({ run: 'gallery:a,b', at: null }), '?view=race&recorded=a%2Cb');
  assert.equal(addressOf({ run: 'lesson:x', at: '0.7.draw' }), '?view=microscope&shown=lesson%3Ax&at=0.7.draw');
});
