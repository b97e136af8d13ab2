import assert from 'node:assert/strict';
import { test } from 'node:test';
import { besideRecord } from '../../../assets/player/src/draw/recorded.js';

const bars = (...rows) => ({
  kind: 'bars',
  most: 1,
  rows: rows.map(([label, length, rest = false]) => ({ label, rest, bars: [{ tone: 'target', length, text: '' }] })),
});
const strip = { kind: 'strip', parts: [] };
const marks = ({ shapes }) =>
  shapes.filter(({ kind }) => kind === 'bars').map(({ rows }) => rows.map((row) => row.bars[0].was));

test('a bar is marked with what the same token had, wherever it stood', () => {
  const now = { shapes: [strip, bars(['b', 0.7], ['a', 0.2], ['new', 0.1], ['all others', 0, true])] };
  const old = { shapes: [bars(['a', 0.5], ['b', 0.4], ['all others', 0.1, true]), strip] };
  const made = besideRecord(now, old);
  assert.deepEqual(marks(made), [[0.4, 0.5, undefined, undefined]]);
  assert.equal(made.shapes[0], strip);
  assert.deepEqual(made.notes, ['upright mark: as recorded']);
  assert.deepEqual(marks(now), [[undefined, undefined, undefined, undefined]]); // the picture itself stays
});

test('without bars in the record a picture is as it is', () => {
  const now = { shapes: [bars(['a', 1])] };
  assert.equal(besideRecord(now, null), now);
  assert.equal(besideRecord(now, { shapes: [strip] }), now);
});
