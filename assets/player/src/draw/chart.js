/* Points, lines and columns over two axes. */
import { svg } from '../base/dom.js';
import { hatched, line, linked, rectangle, words } from './marks.js';
import { LINE, SMALL, TYPE, fitted, inLines, round, widest, widthOf } from './type.js';

/**
 * @import { Axis, Chart, Column, Level, Line, Point, Tick } from '../payload.js'
 * @import { Box, Needs, Track } from './marks.js'
 * @typedef {{left: number, right: number}} Sides pixels beside the axes
 * @typedef {{lines: string[], y: number, top: number}} Told words at the end of a level that stands at y
 * @typedef {object} Frame
 * @property {Box} plot where data stand
 * @property {(value: number) => number} across
 * @property {(value: number) => number} up
 */

const SMALLEST = 64; // pixels of a plot, without what is around it
const USUAL = 210;
const ROW = 13; // at least, of an axis whose ticks are names
const POINT = 10; // the radius of a point
const DOT = 5; // and of one without a glyph of its own
const FEW = 6; // ticks upright: of more, each has a row of its own
const TICKS = 18;
const BRACKET = 26;
const TITLE = 15;
const SIDE = 0.36; // of the width that ticks take at most
const TOLD = 0.27; // and the words of levels
const DOTS = ['●', '○', ''];

/** @param {Chart} chart */
const uprights = ({ levels = [] }) => levels.filter(({ upright }) => upright);
/** @param {Chart} chart */
const crossing = ({ levels = [] }) => levels.filter(({ upright, words: text }) => !upright && text);

/** A tick's word in two lines, its number over the rest, where that leaves more room. @param {string} word */
const inTwo = (word) => {
  const [, number = '', rest = ''] = /^(\d+) (.+)$/.exec(word) ?? [];
  return number ? [number, rest] : [word];
};

/** @param {Axis} axis */
const ticksHeight = ({ ticks }) =>
  !ticks.length ? 0 : TICKS + (ticks.some(({ word }) => inTwo(word).length > 1) ? LINE - 1 : 0);

/** What stands over and under a plot. @param {Chart} chart */
function around(chart) {
  const { x, y, columns = [], points = [], bracket } = chart;
  const over = (y.title ? TITLE : 0) + LINE * uprights(chart).length;
  const under = ticksHeight(x) + (bracket ? BRACKET : 0) + (x.title ? TITLE : 0);
  return { head: over + (columns.some(({ word }) => word) ? 12 : points.length ? 6 : 4), foot: under + 6 };
}

/** @param {Chart} chart @returns {Needs} */
export function needsOfChart(chart) {
  const { head, foot } = around(chart);
  const { tall = 1, y } = chart;
  const rows = y.ticks.length > FEW ? ROW * y.ticks.length : 0;
  const least = Math.max(rows, SMALLEST * Math.min(1, tall));
  return { least: head + foot + least, wanted: head + foot + Math.max(1.4 * rows, USUAL * tall) };
}

/** The pixels beside the axes of a chart. @param {Chart} chart @param {number} width @returns {Sides} */
export function sidesOf(chart, width) {
  const ticks = widest(
    chart.y.ticks.map(({ word }) => word),
    SMALL,
  );
  const told = crossing(chart).map(({ words: text }) => inLines(text, TOLD * width));
  const last = chart.x.ticks.at(-1);
  const over = last ? widthOf(last.word, SMALL) / 2 - 10 : 0;
  return {
    left: Math.max(10, Math.min(SIDE * width, ticks + 8)),
    right: Math.max(8, Math.min(over, 24), told.length ? widest(told.flat(), SMALL) + 8 : 0),
  };
}

/** @param {Axis} axis @param {number} from @param {number} to */
const scale = ({ low, high }, from, to) => {
  const span = high - low || 1;
  return (/** @type {number} */ value) => from + ((value - low) / span) * (to - from);
};

/**
 * Where data stand.
 * @param {Chart} chart @param {Box} box @param {Sides} [sides] @returns {Frame}
 */
export function placeChart(chart, { x, y, width, height }, sides = sidesOf(chart, width)) {
  const { head, foot } = around(chart);
  const plot = {
    x: x + sides.left,
    y: y + head,
    width: Math.max(20, width - sides.left - sides.right),
    height: Math.max(20, height - head - foot),
  };
  const across = scale(chart.x, plot.x, plot.x + plot.width);
  const up = scale(chart.y, plot.y + plot.height, plot.y);
  return { plot, across, up };
}

/** The least distance of some places, in pixels. @param {number[]} places @param {number} none */
function apart(places, none) {
  const sorted = [...new Set(places.map(round))].sort((one, other) => one - other);
  return Math.min(none, ...sorted.slice(1).map((place, at) => place - sorted[at]));
}

/**
 * Where its levels can be moved.
 * @param {Chart} chart @param {Frame} frame @returns {Track[]}
 */
export const tracksOf = ({ levels = [], y: { low, high } }, { plot, up }) =>
  levels.flatMap(({ at, setting }) =>
    setting
      ? [
          {
            low,
            high,
            from: up(low),
            to: up(high),
            side: [plot.x, plot.x + plot.width],
            upright: true,
            at,
            setting,
          },
        ]
      : [],
  );

/** The radius of the points: smaller where they are many. @param {Point[]} points @param {Frame} frame */
export function radiusOf(points, { across, up }) {
  const near = points.flatMap((one, at) =>
    points
      .slice(at + 1)
      .map((other) => Math.hypot(across(one.x) - across(other.x), up(one.y) - up(other.y)))
      .filter((distance) => distance > 2),
  );
  return Math.max(4, Math.min(POINT, 0.52 * Math.min(2 * POINT, ...near)));
}

/**
 * The words at the ends of levels, none over another, all within a height.
 * @param {Level[]} levels @param {(value: number) => number} up @param {number} room pixels across
 * @param {[number, number]} within
 * @returns {Told[]} in the order of the levels
 */
export function placeTold(levels, up, room, [top, bottom]) {
  const told = levels.map(({ at, words: text }) => ({ lines: inLines(text, room), y: up(at), top: 0 }));
  const tall = (/** @type {Told} */ { lines }) => 13 * lines.length;
  const sorted = [...told].sort((one, other) => one.y - other.y);
  let next = top;
  for (const one of sorted) {
    one.top = Math.max(next, one.y - tall(one) / 2);
    next = one.top + tall(one);
  }
  let end = bottom;
  for (const one of sorted.reverse()) {
    one.top = Math.max(Math.min(one.top, end - tall(one)), top);
    end = one.top;
  }
  return told;
}

/**
 * The words of ticks, cut to the room they have; where there is none for a few letters, only some are left.
 * @param {Tick[]} ticks @param {(value: number) => number} across @param {Box} plot
 * @returns {{x: number, lines: string[], whole: string}[]}
 */
export function placeTicks(ticks, across, plot) {
  const places = ticks.map(({ at }) => across(at));
  const room = apart(places, plot.width) - 6;
  const wide = widest(
    ticks.flatMap(({ word }) => inTwo(word)),
    SMALL,
  );
  const step = room >= Math.min(wide, 34) ? 1 : Math.ceil(Math.min(wide + 6, 34) / Math.max(1, room + 6));
  const cut = (/** @type {string} */ text) => fitted(text, step * (room + 6) - 6, SMALL);
  return ticks.flatMap(({ word }, at) =>
    at % step ? [] : [{ x: places[at], lines: inTwo(word).map(cut), whole: word }],
  );
}

/** @param {Axis} axis @param {Frame} frame */
function acrossElement(axis, { plot, across }) {
  const { ticks, title } = axis;
  const foot = plot.y + plot.height;
  const end = title ? fitted(title, plot.width, SMALL) : '';
  return svg(
    'g',
    { class: 'axis' },
    line('base', plot.x, foot, plot.x + plot.width, foot),
    placeTicks(ticks, across, plot).map(({ x, lines, whole }) =>
      svg(
        'g',
        { 'data-tip': lines.join(' ') === whole ? null : whole },
        line('stub', x, foot, x, foot + 4),
        lines.map((text, at) =>
          words(text, { x, y: foot + 12 + 13 * at, anchor: 'middle', size: SMALL, name: 'tick' }),
        ),
      ),
    ),
    end &&
      words(end, {
        x: plot.x + plot.width / 2,
        y: foot + ticksHeight(axis) + 9,
        anchor: 'middle',
        size: SMALL,
        name: 'tick',
      }),
  );
}

/** @param {Axis} axis @param {Frame} frame @param {number} from where words may begin @param {number} top */
function uprightElement({ ticks, title }, { plot, up }, from, top) {
  const places = ticks.map(({ at, word }) => ({ y: up(at), word, cut: fitted(word, plot.x - from - 7, SMALL) }));
  const every = Math.ceil(
    (SMALL + 2) /
      apart(
        places.map(({ y }) => y),
        plot.height,
      ),
  );
  const shown = places.filter((_, at) => at % every === 0);
  return svg(
    'g',
    { class: 'axis' },
    title ? words(title, { x: from, y: top + TITLE / 2, size: SMALL, name: 'tick' }) : null,
    shown.map(({ y, word, cut }) => [
      line('grid', plot.x, y, plot.x + plot.width, y),
      svg(
        'g',
        { 'data-tip': cut === word ? null : word },
        words(cut, { x: plot.x - 7, y, anchor: 'end', size: SMALL, name: ticks.length > FEW ? '' : 'tick' }),
      ),
    ]),
  );
}

/** @param {Line} one @param {Frame} frame */
function lineElement({ points, tone, stroke = 'solid', steps = false }, { across, up }) {
  const path = points.map(([x, y], at) => {
    const to = `${round(across(x))} ${round(up(y))}`;
    if (at === 0) return `M${to}`;
    return steps ? `H${round(across(x))}V${round(up(y))}` : `L${to}`;
  });
  return svg('path', { class: 'line', 'data-tone': tone, 'data-stroke': stroke, d: path.join('') });
}

/** @param {Column[]} columns @param {Frame} frame */
function columnElements(columns, { plot, across, up }) {
  const space = apart(
    columns.map(({ x }) => across(x)),
    plot.width / 2,
  );
  const wide = Math.max(3, Math.min(46, 0.56 * space));
  const told =
    widest(
      columns.map(({ word = '' }) => word),
      SMALL,
    ) <=
    space - 2;
  return columns.map(({ x, height, tone, word = '', hollow }) => {
    const [middle, top] = [across(x), up(height)];
    const foot = Math.min(up(0), plot.y + plot.height);
    const box = { x: middle - wide / 2, y: top, width: wide, height: foot - top };
    return svg(
      'g',
      { class: 'column', 'data-tone': tone, 'data-tip': word || null },
      hollow ? hatched(box) : rectangle(box, 'fill', 1),
      word && told ? words(word, { x: middle, y: top - 8, anchor: 'middle', size: SMALL }) : null,
    );
  });
}

/** @param {Point} point @param {Frame} frame @param {number} radius */
function pointElement(point, { plot, across, up }, radius) {
  const { tone, glyph, words: tip, node, hollow, faint, ringed, beyond = '' } = point;
  const dot = DOTS.includes(glyph);
  const r = dot ? Math.min(DOT, radius) : radius;
  const inside = (/** @type {number} */ at) => Math.max(plot.y + r, Math.min(plot.y + plot.height - r - 1, at));
  const [x, y] = [across(point.x), beyond ? inside(up(point.y)) : up(point.y)];
  const box = { x: x - r, y: y - r, width: 2 * r, height: 2 * r };
  const corner = tone === 'rejected' && !dot ? 3 : r;
  const wide = { x: x - r - 3, y: y - r - 3, width: 2 * r + 6, height: 2 * r + 6 };
  const ring = svg('rect', { class: 'ring', ...wide, rx: corner + 3 });
  const kind = `point${hollow || glyph === '○' ? ' hollow' : ''}${faint ? ' faint' : ''}`;
  const group = linked(
    { node, tip, frame: wide, badge: [x - r - 5, y - r - 3], name: kind },
    ringed ? ring : null,
    rectangle(box, 'body', corner),
    dot || r < 6 ? null : words(glyph, { x, y, anchor: 'middle', size: 1.25 * r, name: 'glyph' }),
    beyond ? words(beyond, { x: x + r + 5, y, size: TYPE }) : null,
  );
  group.setAttribute('data-tone', tone);
  return group;
}

/** @param {NonNullable<Chart['bracket']>} bracket @param {Frame} frame @param {number} over it */
function bracketElement({ start, end, word }, { plot, across }, over) {
  const y = plot.y + plot.height + over + 3;
  const [from, to] = [across(start), across(end)];
  const half = widthOf(word) / 2;
  const middle = Math.max(plot.x + half, Math.min(plot.x + plot.width - half, (from + to) / 2));
  return svg(
    'g',
    { class: 'bracket' },
    svg('path', { d: `M${round(from)} ${y}v6H${round(to)}v-6` }),
    words(word, { x: middle, y: y + 15, anchor: 'middle' }),
  );
}

/** @param {Level} level @param {Frame} frame @param {Told | undefined} told */
function crossingElement({ at, tone = 'rejected', stroke = 'dashed', words: text }, { plot, up }, told) {
  const end = plot.x + plot.width;
  const said = told?.lines.map((one, number) =>
    words(one, { x: end + 6, y: told.top + 13 * (number + 0.5), size: SMALL }),
  );
  const about = { class: 'level', 'data-tone': tone, 'data-stroke': stroke, 'data-tip': text || null };
  return svg('g', about, line('rule', plot.x, up(at), end, up(at)), said);
}

/** @param {Level} level @param {Frame} frame @param {number} y @param {[number, number]} within */
function standingElement({ at, tone = 'rejected', stroke = 'dashed', words: text }, { plot, across }, y, [from, to]) {
  const said = fitted(text, to - from, SMALL);
  const half = widthOf(said, SMALL) / 2;
  const x = Math.max(from + half, Math.min(to - half, across(at)));
  const about = { class: 'level', 'data-tone': tone, 'data-stroke': stroke, 'data-tip': text || null };
  return svg(
    'g',
    about,
    line('rule', across(at), y + LINE / 2, across(at), plot.y + plot.height),
    words(said, { x, y, anchor: 'middle', size: SMALL }),
  );
}

/** @param {Chart} chart @param {Box} box @param {Sides} [sides] */
export function drawChart(chart, box, sides = sidesOf(chart, box.width)) {
  const frame = placeChart(chart, box, sides);
  const { plot, up } = frame;
  const { columns = [], lines = [], points = [], levels = [], bracket } = chart;
  const told = crossing(chart);
  const placed = placeTold(told, up, sides.right - 7, [box.y, plot.y + plot.height + 8]);
  const within = /** @type {[number, number]} */ ([box.x, box.x + box.width]);
  const first = box.y + (chart.y.title ? TITLE : 0) + LINE / 2;
  const standing = uprights(chart);
  const radius = radiusOf(points, frame);
  return svg(
    'g',
    { class: 'chart' },
    uprightElement(chart.y, frame, box.x, box.y),
    acrossElement(bracket ? { ...chart.x, title: '' } : chart.x, frame),
    columnElements(columns, frame),
    levels.filter(({ upright }) => !upright).map((one) => crossingElement(one, frame, placed[told.indexOf(one)])),
    standing.map((one, at) => standingElement(one, frame, first + LINE * at, within)),
    lines.map((one) => lineElement(one, frame)),
    points.map((one) => pointElement(one, frame, radius)),
    bracket ? bracketElement(bracket, frame, ticksHeight(chart.x)) : null,
    bracket && chart.x.title
      ? words(chart.x.title, {
          x: plot.x + plot.width,
          y: plot.y + plot.height + ticksHeight(chart.x) + 18,
          anchor: 'end',
          size: SMALL,
          name: 'tick',
        })
      : null,
  );
}
