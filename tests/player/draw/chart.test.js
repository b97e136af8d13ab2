import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  needsOfChart,
  placeChart,
  placeTicks,
  placeTold,
  radiusOf,
  sidesOf,
} from '../../../assets/player/src/draw/chart.js';
import { widthOf } from '../../../assets/player/src/draw/type.js';

const ticks = (words) => words.map((word, at) => ({ at, word }));
const CHART = {
  kind: 'chart',
  x: { low: -0.4, high: 6.6, ticks: ticks(['start', '1 ·the', '2 ·morning', '3 ·went', '4 ·quickly', '5 ·to']) },
  y: { low: -2.2, high: 0.9, ticks: [{ at: 0, word: '0' }], title: 'sum' },
  levels: [
    { at: 0, words: 'above 0 counts as 0' },
    { at: -0.1, words: 'log τ −0.10' },
  ],
};
const BOX = { x: 3, y: 5, width: 480, height: 250 };

test('the ends of the axes are the sides of the plot, whichever is larger', () => {
  const { plot, across, up } = placeChart(CHART, BOX);
  const near = (one, other) => assert.ok(Math.abs(one - other) < 1e-6, `${one} ${other}`);
  near(across(-0.4), plot.x);
  near(across(6.6), plot.x + plot.width);
  near(up(-2.2), plot.y + plot.height);
  near(up(0.9), plot.y);
  const turned = placeChart({ ...CHART, y: { ...CHART.y, low: 5, high: 0 } }, BOX);
  assert.ok(turned.up(5) > turned.up(0));
});

test('the plot and all around it are inside the box', () => {
  for (const bracket of [null, { start: 1, end: 3, word: 'width 3' }])
    for (const height of [needsOfChart({ ...CHART, bracket }).least, 400]) {
      const { plot } = placeChart({ ...CHART, bracket }, { ...BOX, height });
      const { right } = sidesOf(CHART, BOX.width);
      assert.ok(plot.y >= BOX.y + 15 && plot.height >= 60);
      assert.ok(plot.y + plot.height + (bracket ? 40 : 18) <= BOX.y + height);
      assert.ok(Math.abs(plot.x + plot.width + right - BOX.x - BOX.width) < 1e-6);
    }
});

test('words at the ends of levels do not overlap, and stay within a height', () => {
  for (const places of [
    [0, -0.1],
    [0, 0, 0, 0],
    [-2.2, -2.15],
    [0.9, 0.88, -2],
  ]) {
    const levels = places.map((at, number) => ({ at, words: `level number ${number} of these` }));
    const told = placeTold(levels, placeChart(CHART, BOX).up, 70, [5, 240]);
    const sorted = [...told].sort((one, other) => one.top - other.top);
    sorted.forEach(({ lines, top }, at) => {
      assert.ok(top >= 5 - 1e-6 && top + 13 * lines.length <= 240 + 1e-6);
      if (at) assert.ok(top >= sorted[at - 1].top + 13 * sorted[at - 1].lines.length - 1e-6);
    });
  }
});

test('words of ticks do not overlap: in two lines, cut, or only some of them', () => {
  for (const width of [200, 300, 480, 900]) {
    const { plot, across } = placeChart(CHART, { ...BOX, width });
    const placed = placeTicks(CHART.x.ticks, across, plot);
    placed.slice(1).forEach(({ x, lines }, at) => {
      const before = placed[at];
      lines.forEach((line, number) => {
        const halves = (widthOf(line, 11) + widthOf(before.lines[number] ?? '', 11)) / 2;
        assert.ok(x - before.x >= halves, `${width}: ${before.lines} ${lines}`);
      });
    });
  }
  const wide = placeChart(CHART, { ...BOX, width: 900 });
  assert.deepEqual(placeTicks(CHART.x.ticks, wide.across, wide.plot)[2].lines, ['2', '·morning']);
});

test('points are smaller where they are many', () => {
  const { plot, across, up } = placeChart(CHART, BOX);
  const points = (count) => Array.from({ length: count }, (_, at) => ({ x: (6 * at) / count, y: 0 }));
  assert.equal(radiusOf(points(4), { plot, across, up }), 10);
  const many = radiusOf(points(40), { plot, across, up });
  assert.ok(many < 10 && many >= 4);
});

test('an axis of many names has a row for each', () => {
  const names = ticks(Array.from({ length: 20 }, (_, at) => `${at} ·the`));
  assert.ok(needsOfChart({ ...CHART, y: { low: 19.5, high: -0.5, ticks: names } }).least >= 20 * 13);
});
