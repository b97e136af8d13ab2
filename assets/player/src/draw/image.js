/* What the page shows as a file of its own, SVG or PNG: with a title, a background, and the colours that the page has
   now. */
import { svg } from '../base/dom.js';
import { lowered, plain } from './lowered.js';

/** @typedef {'png' | 'svg'} ImageFormat */

const SHARP = 1400; // pixels across that a PNG has at least
const PAD = 10;
const LINE = 18; // pixels of a line of the title

/** Words in lines of at most `most` letters. @param {string} text @param {number} most */
export function wrapped(text, most) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines[lines.length - 1];
    if (last && last.length + word.length >= most) lines.push(word);
    else lines[lines.length - 1] += (last ? ' ' : '') + word;
  }
  return lines;
}

/**
 * Parts of the page, each group as it stands on the screen, one group under the other.
 * @param {string} title @param {Element[][]} groups of parts @param {ImageFormat} format
 * @returns {Promise<Blob>}
 */
export async function partsAsImage(title, groups, format) {
  const placed = groups.flatMap((group) => {
    const boxes = group.map((one) => one.getBoundingClientRect()).filter(({ width }) => width > 0);
    if (!boxes.length) return [];
    const [left, top] = [Math.min(...boxes.map((box) => box.left)), Math.min(...boxes.map((box) => box.top))];
    const width = Math.max(...boxes.map(({ right }) => right)) - left;
    return [{ group, left, top, width, height: Math.max(...boxes.map(({ bottom }) => bottom)) - top }];
  });
  const width = Math.max(...placed.map((one) => one.width));
  const style = getComputedStyle(groups[0][0]);
  const [paper, ink] = ['--sv-paper', '--sv-ink'].map((name) => plain(style.getPropertyValue(name).trim()));
  const lines = wrapped(title, width / 8);
  const type = { fill: ink, 'font-family': 'sans-serif', 'font-size': 14, 'font-weight': 700 };
  let down = PAD + LINE * lines.length;
  const parts = placed.map(({ group, left, top, height }) => {
    const origin = { x: left - PAD, y: top - down - PAD };
    down += height + PAD;
    return group.map((one) => lowered(one, origin));
  });
  const size = { width: Math.ceil(width + 2 * PAD), height: Math.ceil(down + PAD) };
  const sheet = svg(
    'svg',
    { xmlns: 'http://www.w3.org/2000/svg', ...size, viewBox: `0 0 ${size.width} ${size.height}` },
    svg('rect', { ...size, fill: paper }),
    lines.map((line, at) => svg('text', { x: PAD, y: PAD + LINE * at + 13, ...type }, line)),
    parts,
  );
  const written = new Blob([new XMLSerializer().serializeToString(sheet)], { type: 'image/svg+xml' });
  return format === 'svg' ? written : raster(written, size.width);
}

/**
 * @param {SVGSVGElement} drawing @param {ImageFormat} format @param {string} title
 * @param {Element} key the list under it (key.js)
 */
export const drawingAsImage = (drawing, format, title, key) => partsAsImage(title, [[drawing], [key]], format);

/** @param {Blob} written an SVG @param {number} width */
async function raster(written, width) {
  const url = URL.createObjectURL(written);
  const image = new Image();
  image.src = url;
  await image.decode();
  const times = Math.max(2, SHARP / width);
  const canvas = document.createElement('canvas');
  canvas.width = image.width * times;
  canvas.height = image.height * times;
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(url);
  /** @type {Blob | null} */
  const made = await new Promise((resolve) => {
    canvas.toBlob(resolve, 'image/png');
  });
  if (!made) throw new Error('This browser cannot write the picture.');
  return made;
}
