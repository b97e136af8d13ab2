import assert from 'node:assert/strict';
import { test } from 'node:test';
import { needsOfStrip, placeStrip } from '../../../assets/player/src/draw/strip.js';
import { widthOf } from '../../../assets/player/src/draw/type.js';

const BOX = { x: 3, y: 0, width: 480, height: 70 };
const coin = (end, uniform) => ({
  kind: 'strip',
  uniform,
  called: 'coin',
  text: String(uniform),
  parts: [
    { end, name: `accept ${end}`, words: 'accepted', fate: 'accepted', tone: 'accepted' },
    { end: 1, name: 'reject', words: 'rejected', fate: 'rejected', tone: 'rejected' },
  ],
});
const draw = (count, end = 1) => ({
  kind: 'strip',
  parts: Array.from({ length: count }, (_, at) => ({
    end: (end * (at + 1)) / count,
    name: `·token-${at}`,
    words: '',
    fate: 'other',
    tone: 'target',
  })),
});

test('parts lie end to end, and all of them are as long as the strip', () => {
  for (const strip of [coin(0.3, 0.5), coin(0, 0.5), coin(1, 0.5), draw(60), draw(2)]) {
    const { parts, stretch } = placeStrip(strip, BOX);
    const total = parts.reduce((sum, { box }) => sum + box.width, 0);
    assert.ok(Math.abs(total - stretch.width) < 1e-6);
    parts.slice(1).forEach(({ box }, at) => {
      assert.ok(Math.abs(box.x - parts[at].box.x - parts[at].box.width) < 1e-6);
    });
  }
});

test('the last part may end before 1', () => {
  const { parts, stretch } = placeStrip(draw(4, 0.8), BOX);
  const last = parts.at(-1).box;
  assert.ok(Math.abs(last.x + last.width - stretch.left - 0.8 * stretch.width) < 1e-6);
});

test('the needle stands where the number fell, its words never out of the drawing', () => {
  for (const uniform of [0, 0.004, 0.5, 0.85, 0.999, 1])
    for (const width of [280, 480]) {
      const { needle, stretch } = placeStrip(coin(0.6, uniform), { ...BOX, width });
      assert.equal(needle.x, stretch.left + uniform * stretch.width);
      const half = widthOf(needle.text) / 2;
      assert.ok(needle.at - half >= 3 && needle.at + half <= 3 + width, `${uniform} in ${width}`);
    }
  assert.equal(placeStrip(draw(3), BOX).needle, null);
});

test('names stand in their parts, beside the needle, with the glyph of their fate', () => {
  const { parts, needle } = placeStrip(coin(0.7, 0.3), BOX);
  assert.deepEqual(
    parts.map(({ name }) => name),
    ['✓ accept 0.7', '✗ reject'],
  );
  for (const { name, at, box } of parts) {
    const half = widthOf(name) / 2;
    assert.ok(at - half >= box.x && at + half <= box.x + box.width);
    assert.ok(needle.x < at - half || needle.x > at + half);
  }
  assert.ok(placeStrip(draw(60), BOX).parts.every(({ name }) => name === ''));
  assert.equal(placeStrip(coin(0.95, 0.1), BOX).parts[1].name, '✗');
});

test('a label takes its room left of the strip', () => {
  const { stretch } = placeStrip({ ...coin(0.5, 0.5), label: 'candidate 1' }, BOX, 90);
  assert.equal(stretch.left, 3 + 90 + 8);
  assert.ok(stretch.bottom <= needsOfStrip(coin(0.5, 0.5)).least);
});
