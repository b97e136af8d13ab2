import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Gif } from '../../../assets/player/src/stage/gif.js';

/** What a viewer makes of a block of LZW data. */
function unpacked(bits, blocks) {
  const [clear, end] = [1 << bits, (1 << bits) + 1];
  let [at, wide, table, before] = [0, bits + 1, [], null];
  const out = [];
  const fresh = () => [...Array.from({ length: clear }, (_, one) => [one]), [], []];
  for (;;) {
    let code = 0;
    for (let bit = 0; bit < wide; bit++, at++) code |= ((blocks[at >> 3] >> (at & 7)) & 1) << bit;
    if (code === end) return out;
    if (code === clear) {
      [table, wide, before] = [fresh(), bits + 1, null];
      continue;
    }
    const entry = table[code] ?? [...before, before[0]];
    out.push(...entry);
    if (before && table.length < 4096) table.push([...before, entry[0]]);
    if (table.length === 1 << wide && wide < 12) wide += 1;
    before = entry;
  }
}

/** The pictures of a GIF as one sees them, each colour by number; and how long each stays. */
function pictures(bytes) {
  const short = (at) => bytes[at] | (bytes[at + 1] << 8);
  const [width, height] = [short(6), short(8)];
  const seen = new Array(width * height).fill(-1);
  const found = [];
  let at = 13 + 3 * 256;
  let delay = 0;
  while (bytes[at] !== 0x3b) {
    if (bytes[at] === 0x21) {
      if (bytes[at + 1] === 0xf9) delay = short(at + 4);
      for (at += 2; bytes[at]; at += bytes[at] + 1);
      at += 1;
      continue;
    }
    assert.equal(bytes[at], 0x2c);
    const [left, top, wide, high] = [short(at + 1), short(at + 3), short(at + 5), short(at + 7)];
    const bits = bytes[at + 10];
    const data = [];
    for (at += 11; bytes[at]; at += bytes[at] + 1) data.push(...bytes.subarray(at + 1, at + 1 + bytes[at]));
    at += 1;
    const colours = unpacked(bits, data);
    assert.equal(colours.length, wide * high);
    colours.forEach((colour, n) => {
      if (colour !== 255) seen[(top + Math.floor(n / wide)) * width + left + (n % wide)] = colour;
    });
    found.push({ delay, seen: [...seen] });
  }
  assert.equal(at, bytes.length - 1);
  return found;
}

const PALETTE = Array.from({ length: 200 }, (_, at) => [at, (at * 7) % 256, 255 - at]);
const pixels = (colours) => Uint8ClampedArray.from(colours.flatMap((colour) => [...PALETTE[colour], 255]));
const [WIDE, HIGH] = [120, 90];
/** Colours without order, so that the table of codes fills up more than once. */
const noise = (seed) => Array.from({ length: WIDE * HIGH }, (_, at) => (at * at * 31 + at * seed) % 200);

test('a GIF shows every picture as it was, and only what changes is written', () => {
  const gif = new Gif(WIDE, HIGH, PALETTE);
  const one = noise(17);
  const other = one.map((colour, at) => (at % WIDE === 5 ? (colour + 3) % 200 : colour));
  const all = [one, one, other, noise(3)];
  all.forEach((colours) => gif.add(pixels(colours), 10));
  const bytes = Uint8Array.from(Buffer.concat(gif.bytes()));
  assert.deepEqual(
    pictures(bytes).map(({ seen }) => seen),
    all,
  );
  assert.deepEqual(
    pictures(bytes).map(({ delay }) => delay),
    [10, 10, 10, 10],
  );
  assert.ok(bytes.length < 3 * one.length + 6000); // two of the four cost next to nothing
});

test('a colour that is not in the palette becomes the nearest', () => {
  const gif = new Gif(1, 1, [
    [0, 0, 0],
    [255, 255, 255],
    [200, 0, 0],
  ]);
  gif.add(Uint8ClampedArray.of(180, 20, 10, 255), 10);
  assert.deepEqual(pictures(Uint8Array.from(Buffer.concat(gif.bytes())))[0].seen, [2]);
});
