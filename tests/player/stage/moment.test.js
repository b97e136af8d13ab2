import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrange, HEIGHT } from '../../../assets/player/src/draw/arrange.js';
import * as moment from '../../../assets/player/src/stage/moment.js';

const guess = (name, parent, x, y, more) => ({
  name,
  label: `·word${name}`,
  parent,
  x,
  y,
  weight: 0.5,
  appears: 0.1,
  settles: 0.5,
  fate: 'rejected',
  slot: null,
  ...more,
});
const turn = (start, tokens, guesses = []) => ({
  phases: { draft: [start, start + 0.2], target: [start + 0.2, start + 0.8], verify: [start + 0.8, start + 1] },
  depth: 2,
  rows: 2,
  roots: [{ name: -1, label: 'root', y: 0 }],
  guesses,
  folded: 0,
  asked: 2,
  decisions: 3,
  tokens,
});
const GUESSES = [
  guess('0', '-1', 1, 0, { appears: 0.1, settles: 0.85, fate: 'accepted', slot: 0 }),
  guess('1', '0', 2, 0, { appears: 0.2, settles: 0.9 }),
  guess('drawn-0', '0', 2, 1, { appears: 0.95, settles: 0.95, fate: 'resampled', slot: 1 }),
];
const LANE = { look: 'chain', iterations: [turn(0, 2, GUESSES), turn(1, 3), turn(2, 5)], dials: [] };
const LENGTH = moment.lengthOf(LANE);

test('the iteration under way is the last that has begun', () => {
  assert.deepEqual(
    [-0.1, 0, 0.99, 1, 2.5, 9].map((at) => moment.iterationAt(LANE, at)),
    [-1, 0, 0, 1, 2, 2],
  );
});

test('what was decided becomes text a moment later, and the last of it at the end', () => {
  const settled = [0, 1, 1.31, 2.29, 2.31, 3.1, LENGTH].map((at) => moment.settledAt(LANE, at));
  assert.deepEqual(settled, [0, 0, 1, 1, 2, 2, 3]);
  assert.ok(LENGTH > 3 && LENGTH < 3.5);
});

test('text only ever grows', () => {
  let before = 0;
  for (let at = 0; at <= LENGTH; at += 0.001) {
    const now = moment.settledAt(LANE, at);
    assert.ok(now >= before && now - before <= 1);
    before = now;
  }
});

const look = (at) => moment.frameOf(LANE.iterations[0], at, 0.3);

test('a guess appears while it is drafted, waits for the target, and comes to its fate', () => {
  assert.equal(look(0).guesses[0].there, 0);
  assert.equal(look(0.1).guesses[0].there, 1);
  assert.equal(look(0.15).guesses[0].state, 'ghost');
  assert.equal(look(0.5).guesses[0].state, 'pending');
  assert.equal(look(0.85).guesses[0].state, 'accepted');
  assert.deepEqual(
    look(0.86).guesses.map(({ state }) => state),
    ['accepted', 'pending', 'pending'],
  );
  assert.deepEqual(
    look(1).guesses.map(({ state }) => state),
    ['accepted', 'rejected', 'resampled'],
  );
});

test('what was drawn cannot be seen before it is drawn', () => {
  assert.equal(look(0.79).guesses[2].there, 0);
  assert.equal(look(0.95).guesses[2].there, 1);
});

test('nothing falls before all is decided', () => {
  assert.equal(look(1).away, 0);
  assert.equal(look(1.15).away.toFixed(6), '0.500000');
  assert.equal(look(1.3).away, 1);
});

test('the target call sweeps once, in its phase', () => {
  assert.deepEqual(
    [0.1, 0.2, 0.5, 0.8].map((at) => Number(look(at).sweep.toFixed(3))),
    [0, 0, 0.5, 1],
  );
  assert.deepEqual(
    [0.1, 0.3, 0.85, 1].map((at) => look(at).phase),
    ['draft', 'target', 'verify', 'commit'],
  );
});

test('a phase without time is over at once', () => {
  const bare = { ...turn(0, 1), phases: { draft: [0, 0], target: [0, 1], verify: [1, 1] } };
  assert.equal(moment.frameOf(bare, 0, 0.3).phase, 'target');
  assert.equal(moment.frameOf(bare, 1, 0.3).phase, 'commit');
});

test('it says what happens', () => {
  const words = (at, all = LANE.iterations) => moment.words(all, 0, at);
  assert.equal(words(0.15), 'drafting: 1 guess');
  assert.equal(words(0.5), 'one target call reads all 2 guesses at once');
  assert.equal(words(0.86), 'deciding: 1 of 3');
  assert.equal(words(1.1), '2 tokens join the text');
  assert.match(words(0.5, [{ ...LANE.iterations[0], folded: 1 }]), / · \+1 guess not drawn$/);
  assert.equal(words(0.5, [{ ...LANE.iterations[0], asked: 0 }]), 'one target call, for one token');
});

test('a race is first played so that it can be watched', () => {
  assert.equal(moment.watchable(0.25), 100);
  assert.equal(moment.watchable(2.5), 10);
  assert.equal(moment.watchable(60), 1);
  assert.equal(moment.watchable(0), 1);
});

test('stops are where something is over, once each and in order', () => {
  assert.deepEqual(moment.iterationEnds([LANE, LANE]), [1, 2, 3]);
  assert.deepEqual(moment.phaseEnds([LANE]).slice(0, 4), [0.2, 0.8, 1, 1.2]);
});

test('a forest stands inside its strip, every guess right of what it follows', () => {
  for (const width of [260, 560, 1400]) {
    const { guesses, roots, pill, reach } = arrange(LANE.iterations[0], 'chain', width);
    assert.ok(reach[1] <= width);
    for (const { box, guess: one } of guesses) {
      assert.ok(box.y - pill / 2 >= 0 && box.y + pill / 2 <= HEIGHT);
      assert.ok(box.x > roots[0].x && box.x + box.width <= width);
      const parent = guesses.find((other) => other.guess.name === one.parent);
      assert.ok(!parent || parent.box.x + parent.box.width < box.x);
    }
  }
});
