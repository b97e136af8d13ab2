import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitting, needsOfPicture, placePicture, stripOf } from '../../../assets/player/src/draw/picture.js';

const bars = (count, most = 1) => ({
  kind: 'bars',
  most,
  rows: Array.from({ length: count }, (_, at) => ({
    label: `·${at}`,
    bars: [{ tone: 'target', length: 0.1, solid: 0.1, text: '0.10' }],
  })),
});
const strip = (uniform) => ({
  kind: 'strip',
  uniform,
  parts: [{ end: 1, name: '', words: '', fate: 'other', tone: 'target' }],
});
const chart = (tall = 1) => ({
  kind: 'chart',
  tall,
  x: { low: 0, high: 1, ticks: [] },
  y: { low: 0, high: 1, ticks: [] },
});
const mask = { kind: 'mask', rows: [{ label: 'a', position: 1, cells: '3' }], columns: ['a'] };
const lists = { kind: 'lists', titles: ['a', 'b'], left: [], right: [], joins: [] };
const picture = (...shapes) => ({ shapes, words: '' });

test('shapes stand one below the other and fit the height there is, from the least one on', () => {
  for (const one of [
    picture(bars(13)),
    picture(strip(0.5), bars(7)),
    picture(bars(4), bars(4), bars(4)),
    picture(chart(), chart(0.6)),
    picture(chart(), strip(0.5)),
    picture(mask, lists),
  ]) {
    const { least, wanted } = needsOfPicture(one, 480);
    for (const height of [least, (least + wanted) / 2, wanted, wanted + 300]) {
      const { boxes } = placePicture(one, 480, height);
      boxes.slice(1).forEach((box, at) => assert.ok(box.y > boxes[at].y + boxes[at].height));
      const last = boxes.at(-1);
      assert.ok(last.y + last.height <= height + 1e-6, `${one.shapes.map(({ kind }) => kind)} in ${height}`);
      for (const { x, width } of boxes) assert.ok(x >= 0 && x + width <= 480);
    }
    const small = placePicture(one, 480, 10).boxes.at(-1);
    assert.ok(small.y + small.height <= least + 1);
  }
});

test('a strip has one height; charts share theirs by how tall they are', () => {
  const [one, other] = placePicture(picture(strip(0.5), bars(7)), 480, 200).boxes;
  const [again] = placePicture(picture(strip(0.5), bars(7)), 480, 260).boxes;
  assert.ok(one.height === again.height && other.height > one.height);
  const [tall, low] = placePicture(picture(chart(1), chart(0.6)), 480, 360).boxes;
  assert.ok(tall.height > low.height);
});

test('bars over the same probabilities have their ticks once', () => {
  const same = needsOfPicture(picture(bars(3), bars(3)), 480).wanted;
  assert.ok(same < needsOfPicture(picture(bars(3, 0.5), bars(3)), 480).wanted);
});

test('the number that can be moved is that of the last strip which has one', () => {
  const [first, last] = [strip(0.2), strip(0.4)];
  assert.equal(stripOf(picture(first, bars(2), last, strip())), last);
  assert.equal(stripOf(picture(bars(2), strip())), null);
  assert.equal(stripOf(null), null);
});

test('where space is low, the least likely rows go into the last one, then the earlier bars go', () => {
  const row = (label, length, mark) => ({ label, mark, bars: [{ tone: 'draft', length, solid: length, text: '' }] });
  const lengths = [0.4, 0.2, 0.1, 0.1, 0.05, 0.05, 0.06];
  const many = (judged) => ({
    kind: 'bars',
    most: 1,
    rows: [
      ...lengths.map((length, at) => row(`${at}`, length, at === judged ? '▸' : undefined)),
      { ...row('rest', 0.04), rest: true },
    ],
  });
  const total = ({ rows }) => rows.reduce((sum, { bars: [bar] }) => sum + bar.length, 0);
  const [one] = fitting([many(6)], 480, 0);
  assert.deepEqual(
    one.rows.map(({ label }) => label),
    ['0', '1', '2', '6', 'rest'],
  );
  assert.ok(Math.abs(total(one) - 1) < 1e-9);
  assert.equal(one.rows.at(-1).bars[0].text, '0.24');
  const [last, ...others] = fitting([many(1), many(2), many(3)], 480, 0);
  assert.equal(others.length, 0);
  assert.ok(last.rows[3].mark && last.rows.length === 5);
  const listed = {
    kind: 'bars',
    most: 1,
    rows: lengths.map((length, at) => row(`${at}`, length, at === 6 ? '▸' : '')),
  };
  const [made] = fitting([listed], 480, 0);
  assert.deepEqual([made.rows.length, made.rows.at(-1).label, made.rows.at(-1).rest], [5, 'all others', true]);
  const roomy = [many(1), many(2)];
  assert.deepEqual(fitting(roomy, 480, 2000), roomy);
});
