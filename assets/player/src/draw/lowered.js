/* What the page shows, as plain SVG that needs no page: boxes, lines of words and drawings, with the colours and the
   fonts that they have now. What one presses to do something is left out. */
import { svg } from '../base/dom.js';

/**
 * @typedef {{x: number, y: number}} Point
 * @typedef {{text: string, x: number, top: number, bottom: number}} TextLine
 */

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
const SIDES = /** @type {const} */ (['top', 'right', 'bottom', 'left']);
const DASHES = /** @type {Record<string, string>} */ ({ dotted: '1.5 2', wavy: '3 2', dashed: '4 3' });
const CONTROLS = 'button:not(:has(svg)), input, textarea, details, .sv-hidden';
const CLIPPED = ['hidden', 'auto', 'scroll', 'clip'];

/** @type {Map<string, string>} */
const known = new Map(); // colours
/** @type {CanvasRenderingContext2D | null} */
let onlyPen = null;

/** What colours are tried with, and words measured. */
function penOf() {
  onlyPen ??= document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  return /** @type {CanvasRenderingContext2D} */ (onlyPen);
}

/** A colour that every program knows; none at all: null. @param {string} colour */
export function plain(colour) {
  const found = known.get(colour);
  if (found !== undefined) return found;
  let made = colour;
  if (colour.includes('(') && !colour.startsWith('url')) {
    const pen = penOf();
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = pen.getImageData(0, 0, 1, 1).data;
    const share = alpha === 255 ? '' : `, ${(alpha / 255).toFixed(3)}`;
    made = alpha === 0 ? 'none' : `rgb${share && 'a'}(${red}, ${green}, ${blue}${share})`;
  }
  known.set(colour, made);
  return made;
}

/**
 * Give a copy of a drawing the looks of what it is a copy of; what is not seen is taken out.
 * @param {Element} from @param {Element} to
 */
function dress(from, to) {
  const style = getComputedStyle(from);
  if (style.display === 'none' || style.visibility === 'hidden' || style.opacity === '0') {
    to.remove();
    return;
  }
  for (const name of KEPT) {
    const value = style.getPropertyValue(name);
    if (value) to.setAttribute(name, name === 'fill' || name === 'stroke' ? plain(value) : value);
  }
  if (style.transform.startsWith('matrix(')) to.setAttribute('transform', style.transform);
  for (const name of ['class', 'style', 'tabindex', 'role']) to.removeAttribute(name);
  const copies = [...to.children];
  [...from.children].forEach((child, at) => dress(child, copies[at]));
}

/** A drawing of the page, where it stands. @param {SVGSVGElement} drawing @param {Point} origin */
function drawingAt(drawing, origin) {
  const copy = /** @type {SVGSVGElement} */ (drawing.cloneNode(true));
  dress(drawing, copy);
  const { left, top, width, height } = drawing.getBoundingClientRect();
  const place = { x: left - origin.x, y: top - origin.y, width, height };
  for (const [name, value] of Object.entries(place)) copy.setAttribute(name, String(value));
  copy.setAttribute('overflow', getComputedStyle(drawing).overflow === 'visible' ? 'visible' : 'hidden');
  return copy;
}

/** The lines that a text is broken into. @param {Text} node @returns {TextLine[]} */
function linesOf(node) {
  /** @type {TextLine[]} */
  const lines = [];
  const range = document.createRange();
  const add = (/** @type {RegExp} */ parts, /** @type {string} */ text, /** @type {number} */ from) => {
    for (const { 0: part, index } of text.matchAll(parts)) {
      range.setStart(node, from + index);
      range.setEnd(node, from + index + part.length);
      const boxes = [...range.getClientRects()].filter(({ width }) => width > 0);
      if (boxes.length > 1 && part.length > 1) {
        add(/./gsu, part, from + index);
        continue;
      }
      if (!boxes.length) continue;
      const [{ left, top, bottom }] = boxes;
      const last = lines[lines.length - 1];
      if (last && Math.abs(last.top - top) < 2) last.text += part;
      else lines.push({ text: part, x: left, top, bottom });
    }
  };
  add(/\s+|\S+/gu, node.data, 0);
  return lines;
}

/** @param {CSSStyleDeclaration} style */
const typeOf = ({ fontFamily, fontSize, fontWeight, fontStyle, color }) => ({
  fill: plain(color),
  'font-family': fontFamily,
  'font-size': fontSize,
  'font-weight': fontWeight,
  'font-style': fontStyle === 'normal' ? null : fontStyle,
});

/** Words where they stand. @param {TextLine} line @param {CSSStyleDeclaration} style @param {Point} origin */
function wordsAt({ text, x, top, bottom }, style, origin) {
  const pen = penOf();
  pen.font = style.font;
  const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = pen.measureText(text);
  const said = style.textTransform === 'uppercase' ? text.toUpperCase() : text;
  const at = { x: x - origin.x, y: (top + bottom + up - down) / 2 - origin.y, style: 'white-space: pre' };
  return svg(
    'text',
    { ...at, ...typeOf(style) },
    style.whiteSpace.startsWith('pre') ? said : said.replace(/\s+/g, ' '),
  );
}

/** What a style puts before the words of an element. @param {Element} element @param {Point} origin */
function wordsBefore(element, origin) {
  const style = getComputedStyle(element, '::before');
  const named = style.content.replace(/attr\(([\w-]+)\)/g, (_, name) => `"${element.getAttribute(name) ?? ''}"`);
  const text = [...named.matchAll(/"([^"]*)"/g)].map(([, said]) => said).join('');
  if (!text || style.display !== 'inline') return null;
  const own = getComputedStyle(element);
  const { left, top } = element.getBoundingClientRect();
  const x = left + parseFloat(own.borderLeftWidth) + parseFloat(own.paddingLeft);
  const first = top + parseFloat(own.borderTopWidth) + parseFloat(own.paddingTop);
  return wordsAt({ text, x, top: first, bottom: first + parseFloat(own.lineHeight) }, style, origin);
}

/**
 * The ground of a box and what is around it.
 * @param {DOMRect} box @param {CSSStyleDeclaration} style @param {Point} origin
 */
function groundOf(box, style, origin) {
  const [x, y] = [box.left - origin.x, box.top - origin.y];
  const rx = Math.min(parseFloat(style.borderTopLeftRadius), box.width / 2, box.height / 2) || null;
  const place = { x, y, width: box.width, height: box.height, rx };
  const fill = plain(style.backgroundColor);
  const sides = SIDES.map((side) => ({
    wide: style.borderStyle === 'none' ? 0 : parseFloat(style.getPropertyValue(`border-${side}-width`)),
    stroke: plain(style.getPropertyValue(`border-${side}-color`)),
    dashes: DASHES[style.getPropertyValue(`border-${side}-style`)],
  }));
  const [{ wide, stroke, dashes }] = sides;
  const even = sides.every((side) => side.wide === wide && side.stroke === stroke);
  const line = { stroke, 'stroke-width': wide, 'stroke-dasharray': dashes };
  const [right, bottom] = [x + box.width, y + box.height];
  const ends = [
    [x, y, right, y],
    [right, y, right, bottom],
    [x, bottom, right, bottom],
    [x, y, x, bottom],
  ];
  const outline = style.outlineStyle === 'none' ? 0 : parseFloat(style.outlineWidth);
  const around = {
    fill: 'none',
    stroke: plain(style.outlineColor),
    'stroke-width': outline,
    'stroke-dasharray': DASHES[style.outlineStyle],
  };
  return [
    fill === 'none' ? null : svg('rect', { ...place, fill }),
    outline ? svg('rect', { ...place, ...around }) : null,
    even && wide ? svg('rect', { ...place, fill: 'none', ...line }) : null,
    ...(even ? [] : sides).map((side, at) => {
      const [x1, y1, x2, y2] = ends[at];
      return side.wide ? svg('line', { x1, y1, x2, y2, stroke: side.stroke, 'stroke-width': side.wide }) : null;
    }),
  ];
}

/**
 * Lines under words, the line of a fraction, and the dot that stands for a space.
 * @param {Element} element @param {CSSStyleDeclaration} style @param {Point} origin
 */
function marksOf(element, style, origin) {
  const across = (/** @type {DOMRect} */ { left, right }, /** @type {number} */ down, /** @type {object} */ look) =>
    svg('line', { x1: left - origin.x, x2: right - origin.x, y1: down - origin.y, y2: down - origin.y, ...look });
  const { textDecorationLine, textDecorationColor, textDecorationStyle, backgroundImage, color } = style;
  if (element.localName === 'mfrac') {
    const [over, under] = [...element.children].map((one) => one.getBoundingClientRect());
    return [across(element.getBoundingClientRect(), (over.bottom + under.top) / 2, { stroke: plain(color) })];
  }
  const boxes = [...element.getClientRects()];
  if (backgroundImage.startsWith('radial-gradient')) {
    return boxes.map((one) => {
      const [cx, cy] = [one.left + one.width / 2 - origin.x, one.top + one.height / 2 - origin.y];
      return svg('circle', { cx, cy, r: 1, fill: plain(color) });
    });
  }
  if (!textDecorationLine.includes('underline')) return [];
  const look = { stroke: plain(textDecorationColor), 'stroke-dasharray': DASHES[textDecorationStyle] };
  return boxes.map((box) => across(box, box.bottom - 2, { ...look, 'stroke-width': 1.5 }));
}

/**
 * A part of the page as SVG.
 * @param {Element} element @param {Point} origin of the drawing, on the screen
 * @returns {SVGElement | null} null where nothing of it is seen
 */
export function lowered(element, origin) {
  const style = getComputedStyle(element);
  if (style.display === 'none' || style.opacity === '0' || element.matches(CONTROLS)) return null;
  if (element instanceof SVGSVGElement) return style.visibility === 'hidden' ? null : drawingAt(element, origin);
  const box = element.getBoundingClientRect();
  const seen = style.visibility !== 'hidden';
  const inline = style.display === 'inline';
  const grounds = inline ? [...element.getClientRects()] : style.display === 'contents' ? [] : [box];
  /** @type {(SVGElement | null)[]} */
  const inside = [seen ? wordsBefore(element, origin) : null];
  for (const node of element.childNodes) {
    if (node instanceof Text && seen) inside.push(...linesOf(node).map((line) => wordsAt(line, style, origin)));
    const shows = node instanceof Element && !(element instanceof HTMLSelectElement);
    if (shows) inside.push(lowered(node, origin));
  }
  if (element instanceof HTMLSelectElement) {
    const line = { text: element.selectedOptions[0]?.label ?? '', x: box.left + 8, top: box.top, bottom: box.bottom };
    inside.push(wordsAt(line, style, origin));
  }
  const clips = !inline && CLIPPED.includes(style.overflowY) && box.width > 0;
  const [x, y] = [box.left - origin.x, box.top - origin.y];
  const place = { x, y, width: box.width, height: box.height, viewBox: `${x} ${y} ${box.width} ${box.height}` };
  return svg(
    'g',
    { opacity: style.opacity === '1' ? null : style.opacity },
    seen ? grounds.flatMap((one) => groundOf(one, style, origin)) : null,
    clips ? svg('svg', { ...place, overflow: 'hidden' }, inside) : inside,
    seen ? marksOf(element, style, origin) : null,
  );
}
