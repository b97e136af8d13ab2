import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskCells } from '../../../assets/player/src/player/mini-mask.js';

test('a row sees itself and the rows of its ancestors, and what was not sent has none', () => {
  const roots = [{ node: -1, row: 0, ancestors: [] }];
  const nodes = [
    { node: 0, row: 1, ancestors: [-1] },
    { node: 3, row: 2, ancestors: [0, -1] },
    { node: 4, row: null, ancestors: [-1] },
  ];
  assert.deepEqual(maskCells({ roots, nodes }), [
    [0, 0],
    [1, 1],
    [1, 0],
    [2, 2],
    [2, 1],
    [2, 0],
  ]);
});
