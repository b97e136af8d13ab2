import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldAt, foldsOf, openAround, opened, stepBack, stepOn } from '../../../assets/player/src/player/folds.js';

const VERDICTS = [0, 1, 1, 1, 1, 1, 1, 1, 0, 0]; // 0: accepted, 1: rejected
const scene = (key, phase, focus = null, panels = {}) => ({ key, phase, focus, panels: { tree: key, ...panels } });
const SCENES = [
  scene('context', 'context'),
  ...VERDICTS.map((_, at) => scene(`decision-${at + 1}`, 'verify', at)),
  scene('commit', 'commit'),
];
const PAYLOAD = {
  nodes: VERDICTS.map((_, node) => ({ node })),
  stages: Object.fromEntries(VERDICTS.map((_, at) => [`decision-${at + 1}`, { states: VERDICTS }])),
};
const FOLDS = foldsOf(PAYLOAD, SCENES);

test('of a long run the first stays and the last stands for the others', () => {
  assert.deepEqual(FOLDS, [{ from: 3, to: 8, open: false }]);
  const shown = [];
  for (let at = 0; at < SCENES.length; at = stepOn(FOLDS, at)) shown.push(at);
  assert.deepEqual(shown, [0, 1, 2, 8, 9, 10, 11]);
  const back = [];
  for (let at = SCENES.length - 1; at >= 0; at = stepBack(FOLDS, at)) back.unshift(at);
  assert.deepEqual(back, shown);
  assert.equal(foldAt(FOLDS, 8), FOLDS[0]);
  assert.equal(foldAt(FOLDS, 7), undefined);
});

test('a folded step that is asked for opens its run; the one that stands for it does not', () => {
  const open = opened(FOLDS, 5);
  assert.equal(open[0].open, true);
  assert.equal(openAround(open, 8), open[0]);
  assert.equal(stepOn(open, 2), 3);
  assert.equal(stepBack(open, 8), 7);
  assert.equal(opened(FOLDS, 8)[0].open, false);
});

test('what is not alike is not folded: other panels, short runs, steps that judge nothing', () => {
  const drafts = (count, panels) =>
    Array.from({ length: count }, (_, at) => scene(`draft-${at}`, 'draft', null, panels));
  assert.deepEqual(foldsOf(PAYLOAD, drafts(5)), []);
  assert.deepEqual(foldsOf(PAYLOAD, [...drafts(3), ...drafts(3, { probabilities: 'x' })]), []);
  assert.deepEqual(foldsOf(PAYLOAD, drafts(7)), [{ from: 1, to: 6, open: false }]);
  assert.deepEqual(
    foldsOf(
      PAYLOAD,
      Array.from({ length: 8 }, () => scene('x', 'commit')),
    ),
    [],
  );
});
