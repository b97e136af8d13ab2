/* A GIF from pictures: each holds the colours of one palette, and only what has changed is written. Data only.
   https://www.w3.org/Graphics/GIF/spec-gif89a.txt */

/** @typedef {[red: number, green: number, blue: number]} Colour 0 to 255 each */

const SAME = 255; // the colour that stands for: as it was
const CODE_BITS = 8;
const MOST_CODES = 4096;
const COARSE = 2; // bits of a channel that tell no colours apart

/** @param {string} text */
const letters = (text) => Array.from(text, (letter) => letter.charCodeAt(0));
/** @param {number} value */
const short = (value) => [value & 255, value >> 8];

/** Which colour of a palette is the nearest, remembered. @param {Colour[]} palette at most 255 */
function nearestIn(palette) {
  const known = new Int16Array(1 << (3 * (8 - COARSE))).fill(-1);
  return (/** @type {number} */ red, /** @type {number} */ green, /** @type {number} */ blue) => {
    const bits = 8 - COARSE;
    const key = ((((red >> COARSE) << bits) | (green >> COARSE)) << bits) | (blue >> COARSE);
    if (known[key] < 0) {
      const away = palette.map(([r, g, b]) => 3 * (r - red) ** 2 + 4 * (g - green) ** 2 + 2 * (b - blue) ** 2);
      known[key] = away.indexOf(Math.min(...away));
    }
    return known[key];
  };
}

/** Bits one after the other, the lowest first, in blocks of at most 255 bytes. */
class BitBlocks {
  /** @type {number[]} */
  bytes = [];
  held = 0;
  bits = 0;

  /** @param {number} code @param {number} wide */
  put(code, wide) {
    this.held |= code << this.bits;
    this.bits += wide;
    for (; this.bits >= 8; this.bits -= 8, this.held >>>= 8) this.bytes.push(this.held & 255);
  }

  blocks() {
    if (this.bits > 0) this.bytes.push(this.held & 255);
    const blocks = [];
    for (let at = 0; at < this.bytes.length; at += 255) {
      const block = this.bytes.slice(at, at + 255);
      blocks.push(Uint8Array.from([block.length, ...block]));
    }
    return [...blocks, Uint8Array.of(0)];
  }
}

/** Colours packed by the method of Lempel, Ziv and Welch. @param {Uint8Array} colours at least one */
function lzw(colours) {
  const [clear, end] = [1 << CODE_BITS, (1 << CODE_BITS) + 1];
  const out = new BitBlocks();
  /** @type {Map<number, number>} */
  const known = new Map(); // a code and the colour after it, together
  let wide = CODE_BITS + 1;
  out.put(clear, wide);
  let code = colours[0];
  for (const colour of colours.subarray(1)) {
    const both = (code << CODE_BITS) | colour;
    const longer = known.get(both);
    if (longer !== undefined) {
      code = longer;
      continue;
    }
    out.put(code, wide);
    const next = end + 1 + known.size;
    if (next < MOST_CODES) {
      if (next >= 1 << wide) wide += 1;
      known.set(both, next);
    } else {
      out.put(clear, wide);
      known.clear();
      wide = CODE_BITS + 1;
    }
    code = colour;
  }
  out.put(code, wide);
  out.put(end, wide);
  return [Uint8Array.of(CODE_BITS), ...out.blocks()];
}

/**
 * What of a picture differs from the one before, as small a rectangle as can be; of equal pictures one pixel.
 * @param {Uint8Array} colours @param {Uint8Array | null} before @param {number} width
 */
function changedIn(colours, before, width) {
  if (!before) return { x: 0, y: 0, wide: width, high: colours.length / width };
  let [left, right, top, bottom] = [width, -1, -1, -1];
  for (let at = 0; at < colours.length; at++) {
    if (colours[at] === before[at]) continue;
    const x = at % width;
    left = Math.min(left, x);
    right = Math.max(right, x);
    bottom = Math.floor(at / width);
    if (top < 0) top = bottom;
  }
  return top < 0
    ? { x: 0, y: 0, wide: 1, high: 1 }
    : { x: left, y: top, wide: right - left + 1, high: bottom - top + 1 };
}

export class Gif {
  /** @type {Uint8Array<ArrayBuffer>[]} */
  parts = [];
  /** @type {Uint8Array | null} */
  before = null;

  /** @param {number} width @param {number} height @param {Colour[]} palette at most 255 */
  constructor(width, height, palette) {
    this.width = width;
    this.nearest = nearestIn(palette);
    const table = Array.from({ length: 256 }, (_, at) => palette[at] ?? [0, 0, 0]).flat();
    const again = [0x21, 0xff, 11, ...letters('NETSCAPE2.0'), 3, 1, 0, 0, 0]; // for ever
    this.parts.push(
      Uint8Array.from([...letters('GIF89a'), ...short(width), ...short(height), 0xf7, 0, 0, ...table, ...again]),
    );
  }

  /**
   * @param {Uint8ClampedArray} pixels red, green, blue and alpha of each
   * @param {number} delay hundredths of a second
   */
  add(pixels, delay) {
    const { width, before } = this;
    const colours = new Uint8Array(pixels.length / 4);
    for (let at = 0; at < colours.length; at++)
      colours[at] = this.nearest(pixels[4 * at], pixels[4 * at + 1], pixels[4 * at + 2]);
    const { x, y, wide, high } = changedIn(colours, before, width);
    const written = new Uint8Array(wide * high);
    for (let at = 0; at < written.length; at++) {
      const from = (y + Math.floor(at / wide)) * width + x + (at % wide);
      written[at] = before && colours[from] === before[from] ? SAME : colours[from];
    }
    const control = [0x21, 0xf9, 4, 0x05, ...short(delay), SAME, 0]; // what is not written stays
    const place = [0x2c, ...short(x), ...short(y), ...short(wide), ...short(high), 0];
    this.parts.push(Uint8Array.from([...control, ...place]), ...lzw(written));
    this.before = colours;
  }

  /** The whole file. */
  bytes() {
    return [...this.parts, Uint8Array.of(0x3b)];
  }
}
