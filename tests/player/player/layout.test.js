import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownSpots, pathPoints, spotsOf, nodeUnder } from '../../../assets/player/src/player/focus.js';
import { layoutFor, legendLines } from '../../../assets/player/src/player/layout.js';

const LEGEND = {
  entries: [
    { color: '#0072B2', glyph: '✓', word: 'accepted' },
    { color: '#D55E00', glyph: '', word: 'a < b & c' },
  ],
  notes: ['wider line: likelier'],
  lines: 1,
};
const LAYOUT = {
  height: 200,
  margin: { l: 10, r: 10, t: 8, b: 42 },
  font: { size: 13 },
  xaxis: { range: [-0.3, 2.8], ticktext: ['context'] },
  meta: { labels: [[2, 20]] },
};
const ROOM = { width: 900, most: 500, family: 'Arial' };

test('a legend is broken to the width there is', () => {
  assert.equal(legendLines(LEGEND, 900).length, 1);
  assert.equal(legendLines(LEGEND, 120).length, 3);
  assert.match(legendLines(LEGEND, 120)[0], /^<span style="color:#0072B2">■<\/span> ✓ accepted$/);
});

test('words of a legend are no markup', () => {
  assert.match(legendLines(LEGEND, 900)[0], /a &lt; b &amp; c/);
});

test('a figure grows by the lines of its legend', () => {
  const wide = layoutFor({ layout: LAYOUT, legend: LEGEND }, ROOM);
  const narrow = layoutFor({ layout: LAYOUT, legend: LEGEND }, { ...ROOM, width: 500 });
  assert.equal(wide.height, 200);
  assert.equal(narrow.height, 200 + 15 * (narrow.title.text.split('<br>').length - 1));
  assert.equal(layoutFor({ layout: LAYOUT, legend: null }, ROOM).title, undefined);
  assert.equal(layoutFor({ layout: LAYOUT, legend: LEGEND }, { ...ROOM, most: 150 }).height, 150);
});

test('the figure in the payload stays as it is', () => {
  const before = structuredClone(LAYOUT);
  layoutFor({ layout: LAYOUT, legend: LEGEND }, { ...ROOM, width: 300 });
  assert.deepEqual(LAYOUT, before);
});

test('an axis goes on where words would be cut', () => {
  const [wide, narrow] = [900, 300].map((width) => layoutFor({ layout: LAYOUT, legend: null }, { ...ROOM, width }));
  assert.deepEqual(wide.xaxis.range, [-0.3, 2.8]);
  assert.ok(narrow.xaxis.range[1] > 2.8);
});

const TREE = { type: 'scatter', x: [0, 1, 2], y: [0, 0, -1], customdata: [-1, 0, 3] };
const MASK = {
  type: 'heatmap',
  z: [
    [1, 2],
    [1, 3],
  ],
  customdata: [
    [-1, -1],
    [0, 0],
  ],
};
const BARS = { type: 'bar', y: [0, 1, 2], customdata: [11, 12, null], meta: { nodes: [null, 3, null] } };

test('a node is found in every figure', () => {
  const spots = spotsOf({ data: [TREE, MASK, BARS, { type: 'scatter', x: [0], y: [0] }] });
  assert.deepEqual([...spots.keys()].sort(), [-1, 0, 3]);
  assert.deepEqual(
    spots.get(0).map(({ kind }) => kind),
    ['point', 'row'],
  );
  assert.deepEqual(
    spots.get(3).map(({ kind, y }) => [kind, y]),
    [
      ['point', -1],
      ['bar', 1],
    ],
  );
});

test('a copy of another node shares its row of the mask', () => {
  const wide = {
    ...MASK,
    z: [
      [1, 2, 0],
      [1, 3, 0],
    ],
  };
  const spots = spotsOf({ data: [wide] });
  assert.deepEqual(
    ownSpots(spots, { node: 9, row: 1 }).map(({ y }) => y),
    [1],
  );
  assert.deepEqual(ownSpots(spots, { node: 9, row: null }), []);
});

test('a path is drawn where all of it is in the figure', () => {
  const spots = spotsOf({ data: [TREE] });
  assert.deepEqual(
    pathPoints(spots, { node: 3, ancestors: [0, -1] }).map(({ x }) => x),
    [2, 1, 0],
  );
  assert.deepEqual(pathPoints(spots, { node: 3, ancestors: [7, -1] }), []);
  assert.deepEqual(pathPoints(spots, { node: -1, ancestors: [] }), []);
});

test('the node under the pointer', () => {
  assert.equal(
    nodeUnder([
      { data: BARS, pointNumber: 0 },
      { data: BARS, pointNumber: 1 },
    ]),
    3,
  );
  assert.equal(nodeUnder([{ data: TREE, pointNumber: 1, customdata: 0 }]), 0);
  assert.equal(nodeUnder([{ data: TREE, pointNumber: 1, customdata: null }]), null);
});
