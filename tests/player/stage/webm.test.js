import assert from 'node:assert/strict';
import { test } from 'node:test';
import { webm } from '../../../assets/player/src/stage/webm.js';

const MASTERS = new Set([0x18538067, 0x1549a966, 0x1654ae6b, 0xae, 0xe0, 0x1c53bb6b, 0xbb, 0xb7, 0x1f43b675]);

/** A number, the first byte the largest. */
const value = ({ data }) => data.reduce((sum, byte) => sum * 256 + byte, 0);

/** The elements of a file, each with where it begins, read as EBML says. */
function elementsOf(bytes, from = 0, to = bytes.length) {
  const found = [];
  let at = from;
  while (at < to) {
    const begins = at;
    const wide = () => Math.clz32(bytes[at]) - 23;
    const id = value({ data: bytes.subarray(at, (at += wide())) });
    const [first, ...others] = bytes.subarray(at, (at += wide()));
    const size = value({ data: [first - 2 ** (7 - others.length), ...others] });
    const inside = MASTERS.has(id) ? elementsOf(bytes, at, at + size) : [];
    found.push({ id, begins, from: at, data: bytes.subarray(at, at + size), inside });
    at += size;
  }
  assert.equal(at, to);
  return found;
}
const all = (elements, id) => elements.flatMap((one) => [...(one.id === id ? [one] : []), ...all(one.inside, id)]);

const frames = Array.from({ length: 400 }, (_, at) => ({
  time: Math.round((at * 1000) / 30),
  key: at % 150 === 0,
  data: Uint8Array.of(at & 255, at >> 8, 7),
}));
const track = { codec: 'V_VP8', width: 1280, height: 700, duration: 13_333.3 };
const bytes = Uint8Array.from(Buffer.concat(webm(track, frames)));
const [head, segment, ...rest] = elementsOf(bytes);

test('a film is a head and one segment of known size', () => {
  assert.deepEqual([head.id, segment.id, rest.length], [0x1a45dfa3, 0x18538067, 0]);
  assert.equal(new TextDecoder().decode(all([segment], 0x86)[0].data), 'V_VP8');
  assert.deepEqual([value(all([segment], 0xb0)[0]), value(all([segment], 0xba)[0])], [1280, 700]);
  const { data } = all([segment], 0x4489)[0];
  assert.equal(new DataView(data.buffer, data.byteOffset).getFloat64(0), 13_333.3);
});

test('every frame is in it, in order, at its time', () => {
  const read = all([segment], 0x1f43b675).flatMap(({ inside: [start, ...blocks] }) =>
    blocks.map(({ id, data }) => {
      assert.equal(id, 0xa3);
      assert.equal(data[0], 0x81);
      return { time: value(start) + data[1] * 256 + data[2], key: data[3] === 0x80, data: data.slice(4) };
    }),
  );
  assert.deepEqual(read, frames);
});

test('cues say where the film can be entered', () => {
  const clusters = all([segment], 0x1f43b675).map(({ begins, inside }) => [value(inside[0]), begins - segment.from]);
  const cues = all([segment], 0xbb).map(({ inside }) => [value(inside[0]), value(all(inside, 0xf1)[0])]);
  assert.deepEqual(cues, clusters);
  assert.equal(cues.length, 3);
});
