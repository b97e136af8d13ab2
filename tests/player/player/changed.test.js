import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedBetween } from '../../../assets/player/src/player/changed.js';

const scene = (key, phase, panels) => ({ key, phase, title: key, panels });
const SCENES = [
  scene('draft-1', 'draft', { tree: 'tree-1' }),
  scene('target', 'target', { tree: 'tree-2', mask: 'mask' }),
  scene('decision-1', 'verify', { tree: 'tree-3', mask: 'mask', decision: 'coin-1' }),
  scene('commit', 'commit', { tree: 'tree-3', mask: 'mask-commit' }),
];
const NODES = [
  { node: 0, row: 1, scene: 'decision-1' },
  { node: 4, row: 2, scene: null },
  { node: 6, row: null, scene: null },
];
const FIELDS = [['shapes'], ['kind', 'rows'], ['cells'], ['cells', 'stays']];
const mask = (...rows) => [1, [0, [2, 'mask', [0, ...rows]]]];
const ROWS = ['30', '23', '22'].map((cells) => [3, cells]);
const PAYLOAD = {
  nodes: NODES,
  stages: {
    'tree-1': { states: [2, null, null] },
    'tree-2': { states: [2, 2, 3] },
    'tree-3': { states: [0, 2, 3] },
  },
  pictures: {
    mask: mask(...ROWS),
    'mask-commit': mask(ROWS[0], ROWS[1], [4, '22', false]),
    'coin-1': [1, [0]],
  },
  fields: FIELDS,
  text: { context: [], emitted: [{ node: 0 }, { node: null }] },
};
const RECORDS = new Map(NODES.map((one) => [one.node, one]));
const between = (from, to) => {
  const found = changedBetween(PAYLOAD, SCENES, from, to, RECORDS);
  return Object.fromEntries(Object.entries(found).map(([name, set]) => [name, [...set]]));
};

test('tokens that appear and a mask that is new', () => {
  assert.deepEqual(between(0, 1), { nodes: [4, 6], rows: [], tokens: [], panels: ['mask'] });
});

test('a verdict changes its node, its row, its token and the decision', () => {
  assert.deepEqual(between(1, 2), { nodes: [0], rows: [1], tokens: [0], panels: ['decision'] });
});

test('rows of the mask that are freed, and the last token', () => {
  assert.deepEqual(between(2, 3), { nodes: [], rows: [2], tokens: [1], panels: ['mask'] });
});

test('over several steps all that they changed; from nowhere, nothing', () => {
  assert.deepEqual(between(0, 2), { nodes: [0, 4, 6], rows: [], tokens: [0], panels: ['mask', 'decision'] });
  for (const [from, to] of [
    [-1, 0],
    [2, 2],
  ])
    assert.deepEqual(Object.values(between(from, to)), [[], [], [], []]);
});
