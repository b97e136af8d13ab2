import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitted, hatching, inLines, widthOf } from '../../../assets/player/src/draw/type.js';

test('words are cut to the room they have, and never wider', () => {
  assert.equal(fitted('·the', 100), '·the');
  for (const room of [20, 33, 47, 80]) {
    const cut = fitted('·responsibilities', room);
    assert.ok(cut.endsWith('…') && widthOf(cut) <= room, `${room}: ${cut}`);
  }
  assert.equal(fitted('word', 3), '');
});

test('what only says a direction has no width, and is kept around what is cut', () => {
  const name = `\u2068${'שלום'.repeat(4)}\u2069`;
  assert.equal(widthOf('\u2068ab\u2069'), widthOf('ab'));
  assert.match(fitted(name, 60), /^\u2068.+…\u2069$/);
});

test('lines fit a width', () => {
  const lines = inLines('above 0 counts as 0', 60);
  assert.ok(lines.length > 1 && lines.every((line) => widthOf(line, 11) <= 60));
  assert.equal(lines.join(' '), 'above 0 counts as 0');
});

test('hatching stays in its place', () => {
  const place = { x: 10, y: 20, width: 33, height: 12 };
  const points = [...hatching(place).matchAll(/[ML]([\d.]+) ([\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);
  assert.ok(points.length >= 12);
  for (const [x, y] of points) assert.ok(x >= 10 && x <= 43 && y >= 20 && y <= 32, `${x} ${y}`);
  assert.equal(hatching({ ...place, width: 0 }), '');
});
