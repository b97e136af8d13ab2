import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextVerdict } from '../../../assets/player/src/player/lookup.js';

const scene = (phase, focus, tree) => ({ key: tree, phase, focus, panels: { tree } });
const SCENES = [
  scene('draft', 0, 'tree-draft'),
  scene('verify', 0, 'tree-1'),
  scene('verify', 1, 'tree-2'),
  scene('verify', 2, 'tree-3'),
  scene('commit', null, 'tree-commit'),
];
const PAYLOAD = {
  nodes: [{ node: 0 }, { node: 1 }, { node: 2 }],
  stages: {
    'tree-1': { states: [0, null, null] },
    'tree-2': { states: [0, 1, null] },
    'tree-3': { states: [0, 1, 0] },
    'tree-commit': { states: [0, 1, 0] },
  },
};

test('the next accepted and the next rejected guess are found from where one is', () => {
  const next = (index, verdict) => nextVerdict(PAYLOAD, SCENES, index, verdict);
  assert.deepEqual(
    [0, 1, 2, 3].map((at) => next(at, 'accepted')),
    [1, 3, 3, -1],
  );
  assert.deepEqual(
    [0, 1, 2, 3].map((at) => next(at, 'rejected')),
    [2, 2, -1, -1],
  );
});

test('a step about nothing drafted decides nothing', () => {
  const scenes = [SCENES[0], scene('verify', -1, 'tree-1'), scene('verify', null, 'tree-1')];
  assert.equal(nextVerdict(PAYLOAD, scenes, 0, 'accepted'), -1);
});
