/* A race as a moving picture, frame by frame: a frame is drawn, written, and only then the next one drawn. So none is
   missing, however slow the machine; and a file that would not be whole is refused. */
import { Gif } from './gif.js';
import { webm } from './webm.js';

/**
 * @import { Film } from './film.js'
 * @import { Colour } from './gif.js'
 * @import { EncodedFrame } from './webm.js'
 * @typedef {object} Recording
 * @property {number} factor how many times slower than measured
 * @property {(share: number) => void} onprogress
 */

const RATE = 30; // frames a second of a WebM
const KEYS = 150; // frames from one that a player can begin at to the next
const BITS = 5_000_000; // a second
const AHEAD = 4; // frames that may wait for the encoder
const GIF_RATE = 10; // frames a second
const GIF_LONGEST = 90; // seconds
const LINGER = 1.5; // seconds that the end is seen
const INSTEAD = 'Save it as GIF instead: every browser can write that.';
const TINTS = [0.1, 0.16, 0.28, 0.4, 0.55, 0.7, 0.85, 1]; // of a colour over the ground
const GROUNDS = ['paper', 'ground'];
const COLOURS = ['ink', 'muted', 'draft', 'target', 'verify', 'accepted', 'rejected', 'resampled', 'bonus', 'hand'];

/** Let the page do what waits, and go on. @returns {Promise<void>} */
const breath = () =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });

/** The moments that frames show. @param {Film} film @param {number} factor @param {number} rate a second */
function momentsOf({ length }, factor, rate) {
  const count = Math.ceil((length * factor + LINGER) * rate);
  return Array.from({ length: count }, (_, at) => Math.min(length, at / rate / factor));
}

/** @param {Film} film @returns {VideoEncoderConfig} */
const configOf = ({ canvas: { width, height } }) => ({ codec: 'vp8', width, height, bitrate: BITS, framerate: RATE });

/** @param {VideoEncoderConfig} config */
async function canEncode(config) {
  if (!('VideoEncoder' in window)) return false;
  return Boolean((await VideoEncoder.isConfigSupported(config)).supported);
}

/**
 * @param {Film} film @param {Recording} how
 * @returns {Promise<Blob>} a WebM with every frame. Rejects with a sentence where the browser cannot make one.
 */
export async function webmOf(film, { factor, onprogress }) {
  const config = configOf(film);
  if (!(await canEncode(config))) throw new Error(`This browser cannot write a WebM video here. ${INSTEAD}`);
  const moments = momentsOf(film, factor, RATE);
  /** @type {EncodedFrame[]} */
  const frames = [];
  const output = (/** @type {EncodedVideoChunk} */ chunk) => {
    const data = new Uint8Array(chunk.byteLength);
    chunk.copyTo(data);
    frames.push({ time: Math.round(chunk.timestamp / 1000), key: chunk.type === 'key', data });
  };
  let failed = false;
  const encoder = new VideoEncoder({ output, error: () => (failed = true) });
  encoder.configure(config);
  for (const [at, moment] of moments.entries()) {
    film.paint(moment);
    const frame = new VideoFrame(film.canvas, { timestamp: Math.round((at * 1e6) / RATE) });
    if (!failed) encoder.encode(frame, { keyFrame: at % KEYS === 0 });
    frame.close();
    onprogress(at / moments.length);
    do await breath();
    while (!failed && encoder.encodeQueueSize > AHEAD);
    if (failed) break;
  }
  await encoder.flush().catch(() => (failed = true));
  if (failed || frames.length !== moments.length) {
    throw new Error(`The browser’s encoder gave up, and the video would not be whole. ${INSTEAD}`);
  }
  encoder.close();
  const { width, height } = config;
  const duration = (1000 * moments.length) / RATE;
  return new Blob(webm({ codec: 'V_VP8', width, height, duration }, frames), { type: 'video/webm' });
}

/** @param {Film} film @returns {Colour[]} the colours of the theme, and how they look over the grounds */
function paletteOf(film) {
  const grounds = GROUNDS.map((name) => film.rgb(name));
  const tinted = grounds.flatMap((ground) =>
    COLOURS.map((name) => film.rgb(name)).flatMap((colour) =>
      TINTS.map((share) => /** @type {Colour} */ (colour.map((one, at) => one * share + ground[at] * (1 - share)))),
    ),
  );
  return [...grounds, film.rgb('soft'), ...tinted].map(
    (colour) => /** @type {Colour} */ (colour.map((one) => Math.round(one))),
  );
}

/**
 * @param {Film} film @param {Recording} how
 * @returns {Promise<Blob>} a GIF. Rejects with a sentence where it would be too long.
 */
export async function gifOf(film, { factor, onprogress }) {
  const moments = momentsOf(film, factor, GIF_RATE);
  const seconds = moments.length / GIF_RATE;
  if (seconds > GIF_LONGEST) {
    throw new Error(
      `As GIF this would take ${Math.round(seconds)} seconds; at most ${GIF_LONGEST} are written. ` +
        'Choose a faster speed.',
    );
  }
  const { width, height } = film.canvas;
  const gif = new Gif(width, height, paletteOf(film));
  for (const [at, moment] of moments.entries()) {
    film.paint(moment);
    gif.add(film.pen.getImageData(0, 0, width, height).data, 100 / GIF_RATE);
    onprogress(at / moments.length);
    await breath();
  }
  return new Blob(gif.bytes(), { type: 'image/gif' });
}
