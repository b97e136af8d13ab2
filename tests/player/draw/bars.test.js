import assert from 'node:assert/strict';
import { test } from 'node:test';
import { needsOfBars, placeBars } from '../../../assets/player/src/draw/bars.js';
import { shared, ticksTo } from '../../../assets/player/src/draw/marks.js';
import { widthOf } from '../../../assets/player/src/draw/type.js';

const bar = (tone, length, solid) => ({ tone, length, solid, text: length.toFixed(2) });
const row = (at, double = true) => ({
  label: `·token-${at}`,
  bars: [bar('target', 0.4 / (at + 1), 0.2 / (at + 1)), bar('draft', 0.3, 0.2)].slice(0, double ? 2 : 1),
});
const bars = (count, more = {}) => ({
  kind: 'bars',
  most: 0.4,
  rows: Array.from({ length: count }, (_, at) => row(at)),
  ...more,
});
const box = (width, height) => ({ x: 3, y: 5, width, height });

test('rows stand one below the other, inside the box, at every size', () => {
  for (const count of [1, 2, 13, 20, 100])
    for (const width of [240, 300, 480, 900]) {
      const one = bars(count, { title: 'One of several' });
      const { least } = needsOfBars(one);
      for (const height of [least, least + 90, 700]) {
        if (height < least) continue;
        const placed = placeBars(one, box(width, height));
        placed.rows.forEach(({ box: place, bars: drawn, numbers }, at) => {
          assert.ok(place.height >= 13 - 1e-6, `${count} rows in ${height}: ${place.height}`);
          if (at) assert.ok(place.y >= placed.rows[at - 1].box.y + place.height - 1e-6);
          for (const { box: inner, solid } of drawn) {
            assert.ok(inner.y >= place.y && inner.y + inner.height <= place.y + place.height + 1e-6);
            assert.ok(solid >= 0 && solid <= inner.width + 1e-6);
          }
          for (const { text, x } of numbers) assert.ok(x + widthOf(text, placed.small) <= 3 + width + 1, text);
        });
        assert.ok(placed.bottom <= 5 + height + 1e-6);
      }
    }
});

test('bars are as long as what they stand for', () => {
  const { rows, across } = placeBars(bars(3), box(480, 200));
  const [target, draft] = rows[0].bars;
  assert.ok(Math.abs(target.box.width / draft.box.width - 4 / 3) < 1e-6);
  assert.ok(Math.abs(target.solid / target.box.width - 0.5) < 1e-6);
  assert.equal(across(0.4), target.box.x + target.box.width);
});

test('two numbers stand beside their bars, or in one line where a row is thin', () => {
  const texts = (height) => placeBars(bars(10), box(480, height)).rows[0].numbers.map(({ text }) => text);
  assert.deepEqual(texts(360), ['0.40', '0.30']);
  assert.deepEqual(texts(180), ['0.40 / 0.30']);
});

test('a third bar makes a row higher, so that each number still stands beside its bar', () => {
  const three = bars(4);
  three.rows = three.rows.map((one) => ({ ...one, bars: [...one.bars, bar('muted', 0.1, 0)] }));
  const { wanted } = needsOfBars(three);
  assert.ok(wanted > needsOfBars(bars(4)).wanted);
  const { rows, small } = placeBars(three, box(480, wanted));
  for (const { bars: drawn, numbers } of rows) {
    assert.equal(numbers.length, 3);
    numbers.forEach(({ y }, at) => assert.equal(y, drawn[at].box.y + drawn[at].box.height / 2));
    assert.ok(numbers[1].y - numbers[0].y >= small);
  }
});

test('labels are cut to their room, the mark of a row before them', () => {
  const long = bars(2);
  long.rows[0] = { ...long.rows[0], label: '·'.padEnd(80, 'w'), mark: '▸' };
  const [{ label }] = placeBars(long, box(300, 90)).rows;
  assert.ok(label.startsWith('▸ ·w') && label.endsWith('…'));
  assert.ok(widthOf(label) <= 0.36 * 300);
});

test('an axis has a few round numbers', () => {
  assert.deepEqual(ticksTo(1), [0, 0.25, 0.5, 0.75, 1]);
  assert.deepEqual(ticksTo(0.4), [0, 0.1, 0.2, 0.3, 0.4]);
  for (const end of [0.003, 0.02, 0.07, 0.33, 0.66, 1]) {
    const ticks = ticksTo(end);
    assert.ok(ticks.length >= 3 && ticks.length <= 5 && ticks.at(-1) <= end + 1e-9, `${end}: ${ticks}`);
  }
});

test('a height is divided by what each wants, and none gets less than it needs', () => {
  const needs = [
    { least: 100, wanted: 300 },
    { least: 50, wanted: 50 },
    { least: 50, wanted: 150 },
  ];
  assert.deepEqual(shared(needs, 350), [200, 50, 100]);
  assert.deepEqual(shared(needs, 10), [100, 50, 50]);
  assert.deepEqual(shared(needs, 9000), [300, 50, 150]);
});
