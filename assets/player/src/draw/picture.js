/* A picture: its shapes from top to bottom, in the width and the height there is. Colours are the style sheet's. */
import { svg } from '../base/dom.js';
import { drawBars, fewer, labelsOfBars, needsOfBars } from './bars.js';
import { drawChart, needsOfChart, placeChart, sidesOf, tracksOf } from './chart.js';
import { drawLists, needsOfLists } from './lists.js';
import { shared } from './marks.js';
import { drawMask, needsOfMask } from './mask.js';
import { drawStrip, labelsOfStrips, needsOfStrip } from './strip.js';

/**
 * @import { Chart, Picture, Strip } from '../payload.js'
 * @import { Needs, Track } from './marks.js'
 * @import { Stretch } from './strip.js'
 * @typedef {Picture['shapes'][number]} Shape
 * @typedef {{drawing: SVGSVGElement, height: number, tracks: Track[], hidden: string}} Drawn `tracks`: where
 *   numbers can be moved; `hidden`: what there was no space for
 */

const GAP = 12; // pixels between shapes
const EDGE = 3; // and beside them
const LISTED = 3; // strips that are shown however little space there is

/**
 * Whether a shape has ticks: not where another follows that has the same.
 * @param {Shape[]} shapes @param {number} at
 */
function isTicked(shapes, at) {
  const [one, next] = [shapes[at], shapes[at + 1]];
  if (one.kind === 'bars') return next?.kind !== 'bars' || next.most !== one.most;
  return one.kind !== next?.kind;
}

/** @param {Shape[]} shapes @param {number} width @returns {Needs[]} */
const needsOf = (shapes, width) =>
  shapes.map((shape, at) => {
    if (shape.kind === 'bars') return needsOfBars(shape, isTicked(shapes, at));
    if (shape.kind === 'strip') return needsOfStrip(shape, isTicked(shapes, at));
    if (shape.kind === 'chart') return needsOfChart(shape);
    return shape.kind === 'lists' ? needsOfLists(shape) : needsOfMask(shape, width);
  });

/** The heights that shapes take. @param {Shape[]} shapes @param {number} width @returns {Needs} */
function needsOfShapes(shapes, width) {
  const around = GAP * (shapes.length - 1) + 2 * EDGE;
  const needs = needsOf(shapes, width - 2 * EDGE);
  const sum = (/** @type {keyof Needs} */ key) => needs.reduce((all, one) => all + one[key], around);
  return { least: Math.ceil(sum('least')), wanted: Math.ceil(sum('wanted')) };
}

/**
 * Shapes with less in them: bars leave a row to the last one, all others; where they cannot, the earliest of several
 * bars goes, or the last of several strips. Null where nothing can go.
 * @param {Shape[]} shapes @returns {Shape[] | null}
 */
function less(shapes) {
  const bars = shapes.filter((one) => one.kind === 'bars');
  const fewerRows = bars.length ? fewer(bars) : null;
  if (fewerRows) return shapes.map((one) => (one.kind === 'bars' ? fewerRows[bars.indexOf(one)] : one));
  const strips = shapes.filter((one) => one.kind === 'strip' && one.uniform === undefined);
  const gone = bars.length > 1 ? bars[0] : strips.length > LISTED ? strips.at(-1) : null;
  return gone ? shapes.filter((one) => one !== gone) : null;
}

/**
 * As much of some shapes as there is space for, or as little as can be.
 * @param {Shape[]} shapes @param {number} width @param {number} height
 */
export function fitting(shapes, width, height) {
  let shown = shapes;
  while (needsOfShapes(shown, width).least > height) {
    const next = less(shown);
    if (!next) return shown;
    shown = next;
  }
  return shown;
}

/**
 * The heights that a picture takes: at least, and where there is space.
 * @param {Picture} picture @param {number} width
 * @returns {Needs}
 */
export function needsOfPicture({ shapes }, width) {
  const { least } = needsOfShapes(fitting(shapes, width, 0), width);
  return { least, wanted: needsOfShapes(shapes, width).wanted };
}

/**
 * What is shown of a picture, and where it stands; below its least height, it takes that.
 * @param {Picture} picture @param {number} width @param {number} height
 */
export function placePicture(picture, width, height) {
  const inner = width - 2 * EDGE;
  const shapes = fitting(picture.shapes, width, height);
  const heights = shared(needsOf(shapes, inner), height - GAP * (shapes.length - 1) - 2 * EDGE);
  let y = EDGE;
  const boxes = heights.map((tall) => {
    const box = { x: EDGE, y, width: inner, height: tall };
    y += tall + GAP;
    return box;
  });
  return { shapes, boxes };
}

/** The number that can be moved: that of the last strip which has one. @param {Picture | null} picture */
export const stripOf = (picture) =>
  /** @type {Strip | null} */ (
    picture?.shapes.findLast((shape) => shape.kind === 'strip' && typeof shape.uniform === 'number') ?? null
  );

/** Where a strip's number can be moved. @param {Stretch} stretch @param {number} at @returns {Track} */
const trackOf = ({ left, width, top, bottom }, at) => ({
  low: 0,
  high: 1,
  from: left,
  to: left + width,
  side: [top, bottom],
  upright: false,
  at,
});

/**
 * What is beside the axes of charts over the same numbers.
 * @param {Chart} chart @param {Shape[]} shapes @param {number} width
 */
function sidesAmong({ x }, shapes, width) {
  const all = shapes.filter((one) => one.kind === 'chart');
  const same = all.filter((one) => one.x.low === x.low && one.x.high === x.high).map((one) => sidesOf(one, width));
  return {
    left: Math.max(...same.map(({ left }) => left)),
    right: Math.max(...same.map(({ right }) => right)),
  };
}

/**
 * @param {Picture} picture
 * @param {{width: number, height: number, scale?: number}} space pixels; `scale` of the type
 * @param {string} [said] all of it in words
 * @returns {Drawn}
 */
export function drawPicture(picture, { width, height, scale = 1 }, said = '') {
  const [wide, tall] = [width / scale, height / scale];
  const { shapes, boxes } = placePicture(picture, wide, tall);
  const inner = wide - 2 * EDGE;
  const labels = Math.max(0, ...shapes.map((one) => (one.kind === 'bars' ? labelsOfBars(one, inner) : 0)));
  const beside = labelsOfStrips(
    shapes.filter((one) => one.kind === 'strip'),
    inner,
  );
  const movable = stripOf(picture);
  /** @type {Track[]} */
  const tracks = [];
  const elements = shapes.map((shape, at) => {
    const box = boxes[at];
    if (shape.kind === 'bars') return drawBars(shape, box, labels, isTicked(shapes, at));
    if (shape.kind === 'chart') {
      const sides = sidesAmong(shape, shapes, inner);
      tracks.push(...tracksOf(shape, placeChart(shape, box, sides)));
      return drawChart(shape, box, sides);
    }
    if (shape.kind === 'lists') return drawLists(shape, box);
    if (shape.kind === 'mask') return drawMask(shape, box);
    const drawn = drawStrip(shape, box, beside, isTicked(shapes, at));
    if (shape === movable) tracks.push(trackOf(drawn.stretch, shape.uniform ?? 0));
    return drawn.element;
  });
  const last = boxes[boxes.length - 1];
  const full = Math.ceil(scale * (last ? last.y + last.height + EDGE : 0));
  const look = { class: 'sv-drawn', width, height: full, role: 'img', 'aria-label': said };
  const grown = { transform: scale === 1 ? null : `scale(${scale})` };
  const left = picture.shapes.length - shapes.length;
  const hidden = left ? `${left} ${shapes[0].kind === 'bars' ? 'earlier' : 'more'} not shown` : '';
  return { drawing: svg('svg', look, svg('g', grown, elements)), height: full, tracks, hidden };
}
