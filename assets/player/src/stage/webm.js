/* A WebM file from encoded frames: EBML elements, each an id, a size and what is in it. Where the frames are is
   written before them, so that a player can seek at once. Data only.
   https://www.matroska.org/technical/elements.html */

/**
 * @typedef {{time: number, key: boolean, data: Uint8Array<ArrayBuffer>}} EncodedFrame time in milliseconds
 * @typedef {object} Track
 * @property {string} codec such as V_VP8
 * @property {number} width pixels
 * @property {number} height pixels
 * @property {number} duration milliseconds of the whole film
 * @typedef {Uint8Array<ArrayBuffer>[]} Bytes in pieces
 */

const CUE = 8; // bytes of a number whose size must be known before the number is

/** A number in as many bytes as asked, the first the largest. @param {number} value @param {number} [wide] */
function whole(value, wide = 4) {
  const bytes = new Uint8Array(wide);
  for (let at = wide - 1, left = value; at >= 0; at--, left = Math.floor(left / 256)) bytes[at] = left % 256;
  return bytes;
}

/** @param {number} value */
function real(value) {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value);
  return bytes;
}

/** @param {string} text */
const ascii = (text) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

/** @param {Bytes} parts */
const sizeOf = (parts) => parts.reduce((sum, { length }) => sum + length, 0);

/**
 * An element; its size is always written in eight bytes.
 * @param {number} id @param {...(Bytes | Bytes[number])} parts @returns {Bytes}
 */
function element(id, ...parts) {
  const inside = parts.flat();
  const size = whole(sizeOf(inside), 8);
  size[0] = 1; // that is how wide the size is
  return [whole(id, Math.ceil(Math.log2(id + 1) / 8)), size, ...inside];
}

const head = element(
  0x1a45dfa3,
  element(0x4286, whole(1)), // version of EBML
  element(0x42f7, whole(1)),
  element(0x42f2, whole(4)),
  element(0x42f3, whole(8)),
  element(0x4282, ascii('webm')),
  element(0x4287, whole(2)), // version of WebM
  element(0x4285, whole(2)),
);

/** @param {Track} track */
const info = ({ duration }) =>
  element(
    0x1549a966,
    element(0x2ad7b1, whole(1_000_000)), // nanoseconds of a unit of time
    element(0x4489, real(duration)),
    element(0x4d80, ascii('specviz')),
    element(0x5741, ascii('specviz')),
  );

/** @param {Track} track */
const tracks = ({ codec, width, height }) =>
  element(
    0x1654ae6b,
    element(
      0xae,
      element(0xd7, whole(1)), // its number
      element(0x73c5, whole(1)),
      element(0x83, whole(1)), // video
      element(0x9c, whole(0)), // no lacing
      element(0x86, ascii(codec)),
      element(0xe0, element(0xb0, whole(width)), element(0xba, whole(height))),
    ),
  );

/** Frames from one that needs no other, up to the next such. @param {EncodedFrame[]} frames */
function cluster(frames) {
  const [{ time: start }] = frames;
  const blocks = frames.flatMap(({ time, key, data }) =>
    element(0xa3, whole(0x81, 1), whole(time - start, 2), whole(key ? 0x80 : 0, 1), data),
  );
  return element(0x1f43b675, element(0xe7, whole(start)), blocks);
}

/** Where each cluster is. @param {{time: number, at: number}[]} places in bytes, after the segment's head */
const cues = (places) =>
  element(
    0x1c53bb6b,
    places.flatMap(({ time, at }) =>
      element(
        0xbb,
        element(0xb3, whole(time)),
        element(0xb7, element(0xf7, whole(1)), element(0xf1, whole(at, CUE))),
      ),
    ),
  );

/**
 * @param {Track} track
 * @param {EncodedFrame[]} frames in order; the first is a key frame, and there is one every half minute at least
 * @returns {Bytes}
 */
export function webm(track, frames) {
  const starts = frames.flatMap(({ key }, at) => (key ? [at] : []));
  const groups = starts.map((start, at) => frames.slice(start, starts[at + 1]));
  const clusters = groups.map(cluster);
  const before = [...info(track), ...tracks(track)];
  let at = sizeOf(before) + sizeOf(cues(groups.map(() => ({ time: 0, at: 0 }))));
  const places = groups.map(([{ time }], index) => {
    const place = { time, at };
    at += sizeOf(clusters[index]);
    return place;
  });
  return [...head, ...element(0x18538067, before, cues(places), clusters.flat())];
}
