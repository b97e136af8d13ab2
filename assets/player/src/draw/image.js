/* A drawing of the page as a file of its own: with a title, its key, a background and the colours that
   the page has now. */
import { svg } from '../base/dom.js';
import { words } from './marks.js';
import { widthOf } from './type.js';

const SHARP = 1400; // pixels across that a PNG has at least
const PAD = 10;
const LINE = 18; // pixels of a line of the title, and of the key
const MARK = 18; // pixels of a mark of the key
const KEPT = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-linejoin',
  'stroke-opacity',
  'opacity',
  'font-family',
  'font-size',
  'font-weight',
  'text-anchor',
  'dominant-baseline',
  'paint-order',
];

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

/** A colour that every program knows. @param {string} colour */
function plain(colour) {
  const pen = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  if (!pen || !colour.includes('(') || colour.startsWith('url')) return colour;
  pen.fillStyle = colour;
  pen.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha] = pen.getImageData(0, 0, 1, 1).data;
  return alpha === 255 ? `rgb(${red}, ${green}, ${blue})` : colour;
}

/**
 * Give a copy the looks of what it is a copy of; what is not seen is taken out.
 * @param {Element} from @param {Element} to
 */
function dress(from, to) {
  const style = getComputedStyle(from);
  if (style.display === 'none' || style.visibility === 'hidden') {
    to.remove();
    return;
  }
  for (const name of KEPT) {
    const value = style.getPropertyValue(name);
    if (value) to.setAttribute(name, name === 'fill' || name === 'stroke' ? plain(value) : value);
  }
  to.removeAttribute('class');
  const copies = [...to.children];
  [...from.children].forEach((child, at) => dress(child, copies[at]));
}

/**
 * The entries of a key, from left to right, in lines.
 * @param {Element} key @param {number} width @param {string} ink
 */
function keyEntries(key, width, ink) {
  let [x, y] = [0, LINE / 2];
  const entries = [...key.children].map((item) => {
    const mark = item.querySelector('i');
    const said = (item.textContent ?? '').slice(mark?.textContent?.length ?? 0);
    const wide = (mark ? MARK + 5 : 0) + widthOf(said, 12) + 14;
    if (x > 0 && x + wide > width) [x, y] = [0, y + LINE];
    const at = x;
    x += wide;
    const colour = mark ? plain(getComputedStyle(mark).borderTopColor) : ink;
    const box = { x: at + 1, y: y - 8, width: MARK - 2, height: 16, rx: 4, fill: 'none', stroke: colour };
    const glyph = words(mark?.textContent ?? '', { x: at + MARK / 2, y: y + 4, anchor: 'middle', size: 12 });
    const text = words(said, { x: at + (mark ? MARK + 5 : 0), y: y + 4, size: 12 });
    glyph.setAttribute('fill', colour);
    text.setAttribute('fill', ink);
    return [mark && svg('rect', box), mark && glyph, text];
  });
  return { entries, height: key.children.length ? y + LINE / 2 : 0 };
}

/** @param {SVGSVGElement} drawing @param {string} title @param {Element} key */
function sheetOf(drawing, title, key) {
  const { clientWidth: width, clientHeight: height } = drawing;
  const style = getComputedStyle(drawing);
  const paper = plain(style.getPropertyValue('--sv-paper').trim() || 'white');
  const ink = plain(style.getPropertyValue('--sv-ink').trim() || 'black');
  const lines = wrapped(title, width / 8);
  const top = PAD + LINE * lines.length;
  const below = keyEntries(key, width, ink);
  const foot = below.height ? below.height + PAD : 0;
  const size = { width: width + 2 * PAD, height: height + top + foot + 2 * PAD };
  const type = { fill: ink, 'font-family': 'sans-serif', 'font-size': 14, 'font-weight': 700 };
  const copy = /** @type {SVGElement} */ (drawing.cloneNode(true));
  dress(drawing, copy);
  return svg(
    'svg',
    { xmlns: 'http://www.w3.org/2000/svg', ...size, viewBox: `0 0 ${size.width} ${size.height}` },
    svg('rect', { ...size, fill: paper }),
    lines.map((line, at) => svg('text', { x: PAD, y: PAD + LINE * at + 13, ...type }, line)),
    svg('svg', { x: PAD, y: top + PAD, width, height, overflow: 'hidden' }, [...copy.childNodes]),
    svg(
      'g',
      { transform: `translate(${PAD} ${top + height + 2 * PAD})`, 'font-family': 'sans-serif' },
      below.entries,
    ),
  );
}

/**
 * @param {SVGSVGElement} drawing @param {'png' | 'svg'} format @param {string} title
 * @param {Element} key the list under it (key.js)
 */
export async function drawingAsImage(drawing, format, title, key) {
  const sheet = sheetOf(drawing, title, key);
  const written = new Blob([new XMLSerializer().serializeToString(sheet)], { type: 'image/svg+xml' });
  return format === 'svg' ? written : raster(written, Number(sheet.getAttribute('width')));
}

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
