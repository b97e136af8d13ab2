import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeLists } from '../../../assets/player/src/draw/lists.js';
import { cellsPath, namedRows, needsOfMask, placeMask } from '../../../assets/player/src/draw/mask.js';
import { widthOf } from '../../../assets/player/src/draw/type.js';

const maskOf = (count, more = {}) => {
  const rows = Array.from({ length: count }, (_, at) => ({
    label: `·token-${at}`,
    position: 10 + Math.floor(Math.log2(at + 1)),
    cells: `1${'2'.repeat(at)}3${'0'.repeat(count - at - 1)}`,
    ...more,
  }));
  return { kind: 'mask', rows, columns: ['context ×10', ...rows.map(({ label }) => label)] };
};

test('a mask of any size is inside its box', () => {
  for (const count of [2, 5, 12, 30, 65, 100])
    for (const width of [280, 480, 900]) {
      const mask = maskOf(count, count % 2 ? { stays: true } : {});
      const { least, wanted } = needsOfMask(mask, width);
      assert.ok(least <= wanted);
      for (const height of [least, 500]) {
        if (height < least) continue;
        const { grid, tall, wide, gap } = placeMask(mask, { x: 3, y: 5, width, height });
        assert.ok(tall >= 4 && wide >= 2 && gap < tall, `${count} in ${width}x${height}`);
        assert.ok(grid.y + grid.height <= 5 + height + 1e-6, `${count} in ${width}x${height}`);
        assert.ok(grid.x >= 3 && grid.x + grid.width <= 3 + width + 1e-6, `${count} in ${width}`);
      }
    }
});

test('many rows are named where a position begins, as far apart as the words are high', () => {
  const { rows } = maskOf(65);
  const named = namedRows(rows, 5);
  assert.deepEqual(named, [0, 3, 7, 15, 31, 63]);
  assert.deepEqual(namedRows(rows, 13), [0, 1, 3, 7, 15, 31, 63]);
  assert.ok(placeMask(maskOf(5), { x: 0, y: 0, width: 480, height: 250 }).whole);
  assert.ok(!placeMask(maskOf(65), { x: 0, y: 0, width: 480, height: 250 }).whole);
});

test('a path has the cells of one kind, side by side', () => {
  const placed = placeMask(maskOf(5), { x: 0, y: 0, width: 480, height: 250 });
  const starts = [...cellsPath('120230', 2, placed).matchAll(/M([\d.]+) /g)].map(([, x]) => Number(x));
  assert.equal(starts.length, 2);
  assert.ok(Math.abs(starts[1] - starts[0] - 2 * placed.wide) < 0.02);
  assert.equal(cellsPath('000', 4, placed), '');
});

test('two lists stand side by side, their entries one below the other', () => {
  const entry = (at) => ({ text: `·a very long candidate ${at}`, found: at % 2 === 0 });
  const entries = (count) => Array.from({ length: count }, (_, at) => entry(at));
  const lists = { kind: 'lists', titles: ['a', 'b'], left: entries(7), right: entries(3), joins: [] };
  const { left, right, type } = placeLists(lists, { x: 3, y: 5, width: 300, height: 150 });
  for (const column of [left, right])
    column.forEach(({ box, text }, at) => {
      assert.ok(widthOf(text, type) <= box.width - 20 && box.y + box.height <= 155);
      if (at) assert.ok(box.y >= column[at - 1].box.y + box.height);
    });
  assert.ok(left[0].box.x + left[0].box.width < right[0].box.x && right[0].box.x + right[0].box.width <= 303);
});
