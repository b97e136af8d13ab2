import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clock, stepsWords } from '../../assets/player/src/lesson/class-files.js';
import { soundScores, tallyOf, tallyWords, wholeTally, withAnswer } from '../../assets/player/src/lesson/score.js';
import { placedBars, placedNodes } from '../../assets/player/src/lesson/sketch.js';
import { timed } from '../../assets/player/src/microscope/call-cost.js';
import { isNew } from '../../assets/player/src/race/welcome.js';

test('of each question only the first answer counts', () => {
  let scores = withAnswer({}, 'coin', 'question', false);
  scores = withAnswer(scores, 'coin', 'question', true);
  scores = withAnswer(scores, 'coin', 'step-3', true);
  scores = withAnswer(scores, 'why', 'question', true);
  assert.deepEqual(tallyOf(scores.coin), { right: 1, asked: 2 });
  assert.deepEqual(wholeTally(scores), { right: 2, asked: 3 });
  assert.equal(tallyWords(tallyOf(scores.coin)), '1 of 2 right');
  assert.equal(tallyWords(tallyOf(undefined)), '');
});

test('what was kept and is no score is left out', () => {
  assert.deepEqual(soundScores('x'), {});
  assert.deepEqual(soundScores(null), {});
  assert.deepEqual(soundScores({ coin: { question: true, other: 3 }, why: 7 }), { coin: { question: true } });
});

test('bars of a small picture share one scale and stand below each other', () => {
  const bar = (target, draft) => ({
    label: 'a',
    marked: false,
    lengths: [
      ['target', target],
      ['draft', draft],
    ],
  });
  const [first, second] = placedBars([bar(0.5, 0.25), bar(0.1, 0)], 80);
  assert.equal(first.rects[0].width, 2 * first.rects[1].width);
  assert.ok(first.rects[0].width > second.rects[0].width && second.rects[1].width === 1);
  assert.ok(first.rects[1].y > first.rects[0].y && second.rects[0].y > first.rects[1].y);
  assert.ok(second.rects[1].y + second.rects[1].height <= 80);
});

test('a node of a small tree hangs on its parent', () => {
  const node = (x, y, parent) => ({ x, y, parent, label: 'a', state: 'pending' });
  const [root, one] = placedNodes([node(0, 0.5, null), node(1, 1, 0)], 84);
  assert.equal(root.edge, null);
  assert.deepEqual([one.edge.x1, one.edge.y1], [root.x, root.y]);
  assert.ok(one.x > root.x && one.y > root.y && one.y <= 74);
});

test('a way is told in steps and in minutes', () => {
  assert.equal(stepsWords([1, 2, 3]), 'the question to step 3');
  assert.equal(stepsWords([1, 2, 5]), 'the question, step 2, step 5');
  assert.deepEqual([clock(4), clock(45), clock(60)], ['0:04', '0:45', '1:00']);
});

test('only a call of a size that was timed is marked', () => {
  const calls = [1, 5].map((tokens) => ({ tokens, seconds: 1, calls: 3 }));
  assert.deepEqual([timed(calls, 5), timed(calls, 4)], [5, null]);
});

test('a reader is new who was never here and was sent nowhere', () => {
  assert.equal(isNew('', null), true);
  assert.equal(isNew('?view=race', null), true);
  assert.equal(isNew('?view=race', 'seen'), false);
  for (const own of ['prompt=a', 'shown=x', 'room=ABCD']) assert.equal(isNew(`?${own}`, null), false);
});
