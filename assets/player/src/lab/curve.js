/* A small chart of a curve: axes with few ticks, where the reader stands, the best place, and measured points. */
import { el, svg } from '../base/dom.js';

/**
 * @typedef {[x: number, y: number]} Place
 * @typedef {object} Mark a measured point
 * @property {string} number of the list
 * @property {string} label
 * @property {Place} at
 * @property {string} opens what it opens
 * @property {() => void} open
 * @typedef {object} Curve
 * @property {string} label what a screen reader is told of it
 * @property {Place[]} line
 * @property {number[]} ticks of the x axis, from its first to its last
 * @property {string} axis what x is
 * @property {number} [top] of the y axis; without: what the numbers need
 * @property {number} [reference] a level with a name
 * @property {boolean} [dots] a dot at each place of the line
 * @property {Place} now
 * @property {Place} [best]
 * @property {Mark[]} [marks]
 * @property {{text: (place: Place) => string, choose: (x: number) => void}} [columns] places to point at
 */

const [WIDTH, HEIGHT] = [300, 196];
const [LEFT, RIGHT, TOP, BOTTOM] = [30, 10, 24, 36];
const DIAMOND = 'M0 -5 L5 0 L0 5 L-5 0 Z';
const TOPS = [
  [1.5, 0.5],
  [2, 0.5],
  [3, 1],
  [4, 1],
  [6, 2],
  [8, 2],
  [12, 4],
  [16, 4],
  [20, 5],
  [40, 10],
  [80, 20],
  [200, 50],
];

/** Where an axis ends that holds such a number, and the step of its ticks. @param {number} most */
export const topOf = (most) => TOPS.find(([top]) => most <= top) ?? TOPS[TOPS.length - 1];

/** @param {Curve} curve */
function scales({ line, ticks, top: given, now, reference = 0, marks = [] }) {
  const all = [...line, now, ...marks.map(({ at }) => at)].map(([, y]) => y);
  const [top, step] = topOf(given ?? Math.max(reference, ...all));
  const [low, high] = [ticks[0], ticks[ticks.length - 1]];
  return {
    x: (/** @type {number} */ value) => LEFT + ((value - low) / (high - low)) * (WIDTH - LEFT - RIGHT),
    y: (/** @type {number} */ value) => HEIGHT - BOTTOM - (Math.min(value, top) / top) * (HEIGHT - TOP - BOTTOM),
    levels: Array.from({ length: Math.floor(top / step) + 1 }, (_, at) => at * step),
  };
}

/** @typedef {ReturnType<typeof scales>} Scales */

/** @param {Curve} curve @param {Scales} scales */
function axes({ ticks, axis, reference }, { x, y, levels }) {
  const floor = HEIGHT - BOTTOM;
  return [
    levels.map((level) => [
      svg('line', { class: 'grid', x1: LEFT, x2: WIDTH - RIGHT, y1: y(level), y2: y(level) }),
      svg('text', { x: LEFT - 6, y: y(level), class: 'level' }, level),
    ]),
    ticks.map((tick) => [
      svg('line', { class: 'tick', x1: x(tick), x2: x(tick), y1: floor, y2: floor + 4 }),
      svg('text', { x: x(tick), y: floor + 12 }, tick),
    ]),
    svg('text', { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 8, class: 'axis' }, axis),
    reference
      ? [
          svg('line', { class: 'plain', x1: LEFT, x2: WIDTH - RIGHT, y1: y(reference), y2: y(reference) }),
          svg(
            'text',
            { class: 'plain-word', x: WIDTH - RIGHT, y: y(reference) + (y(reference) > floor - 18 ? -9 : 9) },
            'plain decoding',
          ),
        ]
      : null,
  ];
}

/** The ring around the best place, and its word. @param {Curve} curve @param {Scales} scales */
function ring({ best }, { x, y }) {
  if (!best) return null;
  const [cx, cy] = [x(best[0]), y(best[1])];
  const side = cx > WIDTH - 40 ? 'end' : cx < LEFT + 30 ? 'start' : 'middle';
  return [
    svg('circle', { class: 'ring', cx, cy, r: 8.5 }),
    svg('text', { class: `best ${side}`, x: cx, y: cy - 17 }, 'fastest'),
  ];
}

/** Keys on a mark: the next and the last one, and opening it. @param {KeyboardEvent} event @param {() => void} open */
function onMark(event, open) {
  const mark = /** @type {SVGElement} */ (event.currentTarget);
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (step) {
    const all = /** @type {SVGElement[]} */ ([...(mark.parentNode?.children ?? [])]);
    const next = all[(all.indexOf(mark) + step + all.length) % all.length];
    mark.setAttribute('tabindex', '-1');
    next.setAttribute('tabindex', '0');
    next.focus();
  } else if (event.key === 'Enter' || event.key === ' ') open();
  else return;
  event.preventDefault();
}

/**
 * A diamond where it was measured, and its number beside it.
 * @param {Mark} mark @param {number} at @param {Scales} scales
 */
function markOf({ number, label, at: [px, py], opens, open }, at, { x, y }) {
  const side = number.length > 1 ? 22 : 16;
  const aside = x(px) > WIDTH - 40 ? -18 : 18;
  const below = y(py) > HEIGHT - BOTTOM - 26 ? -16 : 16;
  return svg(
    'g',
    {
      class: 'mark',
      role: 'button',
      tabindex: at ? -1 : 0,
      'aria-label': `${label}. Opens ${opens}.`,
      'data-tip': label,
      transform: `translate(${x(px)} ${y(py)})`,
      onclick: open,
      onkeydown: (/** @type {KeyboardEvent} */ event) => onMark(event, open),
    },
    svg('line', { x2: aside, y2: below }),
    svg('path', { d: DIAMOND }),
    svg('circle', { class: 'reach', cx: aside, cy: below, r: 13 }),
    svg('rect', { x: aside - side / 2, y: below - 8, width: side, height: 16, rx: 4 }),
    svg('text', { x: aside, y: below + 0.5 }, number),
  );
}

/** @param {Curve} curve @param {Scales} scales */
function columnsOf({ line, columns }, { x }) {
  if (!columns) return null;
  const width = x(line[1][0]) - x(line[0][0]);
  return line.map((place) =>
    svg('rect', {
      class: 'column',
      x: x(place[0]) - width / 2,
      y: TOP,
      width,
      height: HEIGHT - TOP - BOTTOM,
      'data-tip': columns.text(place),
      onclick: () => columns.choose(place[0]),
    }),
  );
}

/** @param {Curve} curve */
export function drawCurve(curve) {
  const { line, now, dots, marks = [], label } = curve;
  const found = scales(curve);
  const { x, y } = found;
  const floor = HEIGHT - BOTTOM;
  return svg(
    'svg',
    { class: 'sv-curve', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'group', 'aria-label': label },
    svg(
      'g',
      { 'aria-hidden': 'true' },
      axes(curve, found),
      svg('line', { class: 'here', x1: x(now[0]), x2: x(now[0]), y1: y(now[1]), y2: floor }),
      svg('polyline', { class: 'line', points: line.map(([px, py]) => `${x(px)},${y(py)}`).join(' ') }),
      dots ? line.map(([px, py]) => svg('circle', { class: 'dot', cx: x(px), cy: y(py), r: 2.2 })) : null,
      columnsOf(curve, found),
      svg('circle', { class: 'now', cx: x(now[0]), cy: y(now[1]), r: 5 }),
      ring(curve, found),
    ),
    svg(
      'g',
      {},
      marks.map((mark, at) => markOf(mark, at, found)),
    ),
  );
}

/** The key to the signs of the charts. */
export function keyOfCurves() {
  const sign = (/** @type {SVGElement[]} */ shapes, /** @type {string} */ text) =>
    el(
      'span',
      {},
      svg(
        'svg',
        { class: 'sv-curve', viewBox: '-10 -10 20 20', width: 18, height: 18, 'aria-hidden': 'true' },
        shapes,
      ),
      text,
    );
  return el(
    'p',
    { class: 'sv-curve-keys' },
    sign([svg('circle', { class: 'now', r: 6 })], 'your γ'),
    sign([svg('circle', { class: 'ring', r: 7.5 })], 'the fastest γ'),
    sign([svg('line', { class: 'plain', x1: -10, x2: 10, y1: 0, y2: 0 })], 'plain decoding'),
    sign(
      [svg('g', { class: 'mark' }, svg('path', { d: DIAMOND, transform: 'scale(1.5)' }))],
      'measured: its number is in the list below',
    ),
  );
}
