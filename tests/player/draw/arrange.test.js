import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrange, columnWidths, packedRows } from '../../../assets/player/src/draw/arrange.js';

const ROOTS = [{ name: -1, label: 'the', y: 0 }];
const guess = (name, parent, x, y) => ({ name, parent, x, y, label: name.repeat(3), weight: 0.5 });
// four leaves below the root, and one guess that goes on
const GUESSES = [
  guess('a', '-1', 1, 0),
  guess('b', '-1', 1, 1),
  guess('c', '-1', 1, 2.5),
  guess('d', '-1', 1, 4),
  guess('e', 'c', 2, 2),
  guess('f', 'c', 2, 3),
];
const FOREST = { depth: 2, rows: 5, roots: ROOTS, guesses: GUESSES };
const overlaps = ({ guesses, pill }) =>
  guesses.flatMap((one, at) =>
    guesses.slice(at + 1).filter(({ box }) => {
      const across = one.box.x < box.x + box.width && box.x < one.box.x + one.box.width;
      return across && Math.abs(one.box.y - box.y) < pill;
    }),
  );

test('guesses that nothing follows stand beside their siblings, as many as fit', () => {
  const { places, rows } = packedRows(FOREST, () => 2);
  assert.equal(rows, 3);
  const of = Object.fromEntries(places);
  assert.deepEqual(
    [of.a, of.b, of.d],
    [
      { y: 0, slot: 0 },
      { y: 0, slot: 1 },
      { y: 2, slot: 0 },
    ],
  );
  assert.deepEqual(
    [of.e, of.f, of.c],
    [
      { y: 1, slot: 0 },
      { y: 1, slot: 1 },
      { y: 1, slot: 0 },
    ],
  );
  assert.equal(packedRows(FOREST, () => 1).rows, 5);
});

test('what stands below has the last row to itself, and moves nothing', () => {
  const drawn = (parent, y) => ({ ...FOREST, rows: 6, guesses: [...GUESSES, guess('x', parent, 2, y)], below: 'x' });
  const placed = (forest) => packedRows(forest, () => 2);
  const others = ({ places }) => [...places].filter(([name]) => name !== 'x');
  const [one, other] = [placed(drawn('a', 0)), placed(drawn('c', 5))];
  assert.deepEqual(one.places.get('x'), { y: 3, slot: 0 });
  assert.deepEqual([other.rows, others(other)], [one.rows, others(one)]);
  const room = { height: 60, head: 20, least: 15, slim: 62, slot: 72 };
  const boxes = (forest) => arrange(forest, 'tree', 400, room).guesses.map(({ box }) => box);
  assert.deepEqual(boxes(drawn('a', 0)).slice(0, -1), boxes(drawn('c', 5)).slice(0, -1));
});

test('nothing overlaps, at any size', () => {
  for (const width of [300, 500, 700, 1100]) {
    for (const height of [60, 120, 400]) {
      const room = { height, head: 20, tallest: 34, least: 15, slim: 62, widest: 150, slot: 72 };
      const placed = arrange(FOREST, 'tree', width, room);
      assert.deepEqual(overlaps(placed), [], `${width} x ${height}`);
      for (const { box } of placed.guesses) {
        assert.ok(box.x >= 0 && box.x + box.width <= placed.width, `${width} x ${height}`);
        assert.ok(box.y - placed.pill / 2 >= 0 && box.y + placed.pill / 2 <= placed.height);
      }
    }
  }
});

test('where there is room every guess has its row', () => {
  const placed = arrange(FOREST, 'tree', 700, { height: 400, least: 15, slot: 72 });
  assert.equal(new Set(placed.guesses.map(({ box }) => box.y)).size, 6);
});

test('columns are alike unless a label needs more, which the others leave to it', () => {
  assert.deepEqual(columnWidths([20, 60, 0], 60), [60, 60, 60]);
  assert.deepEqual(columnWidths([20, 90, 40], 60), [30, 100, 50]);
  assert.deepEqual(columnWidths([20, 200, 300], 60), [20, 80, 80]);
  const long = { ...GUESSES[4], label: 'incomprehensible' };
  const { guesses } = arrange({ ...FOREST, guesses: [...GUESSES, long] }, 'tree', 340);
  assert.deepEqual(
    guesses.map(({ text }) => text),
    ['aaa', 'bbb', 'ccc', 'ddd', 'eee', 'fff', 'incomprehensible'],
  );
});

test('a label is cut to its room, what stands after it is not', () => {
  const long = { ...GUESSES[0], label: 'incomprehensibilities', tail: ' [2]' };
  const { guesses } = arrange({ ...FOREST, guesses: [long] }, 'tree', 240, { height: 200 });
  assert.match(guesses[0].text, /^incom.*… \[2\]$/);
});
