/* The focus and the pins in figures: where a node is in a figure, and what lights up there. Points and cells carry
   nodes as customdata, bars as meta.nodes. Marks are drawn over the plot, which stays as it is. */
import { svg } from '../base/dom.js';

/**
 * @import { AnyRecord } from './lookup.js'
 * @import { PlotElement, PlotPoint, PlotTrace } from '../plotly.js'
 * @typedef {{xaxis: string, yaxis: string}} Axes
 * @typedef {Axes & {kind: 'point', x: number, y: number}} PointSpot
 * @typedef {Axes & {kind: 'bar', y: number}} BarSpot
 * @typedef {Axes & {kind: 'row', x: number, y: number, rows: number, columns: number}} RowSpot
 * @typedef {PointSpot | BarSpot | RowSpot} Spot where a node is in a figure
 * @typedef {Map<number, Spot[]>} Spots
 * @typedef {{data: PlotTrace[]}} Drawn
 * @import { Changed } from './changed.js'
 * @typedef {object} Common
 * @property {AnyRecord | null} record the node in focus
 * @property {AnyRecord[]} pins up to two
 * @property {Changed} changed what the step changed
 */

/** The spots of one trace, with their nodes. @param {PlotTrace} trace @returns {[node: unknown, spot: Spot][]} */
function spotsOfTrace(trace) {
  const axes = { xaxis: trace.xaxis || 'x', yaxis: trace.yaxis || 'y' };
  if (trace.type === 'heatmap') {
    const [rows, columns] = [trace.z.length, trace.z[0].length];
    /** @type {(at: number) => RowSpot} */
    const row = (at) => ({ kind: 'row', y: at, x: columns - rows + at, rows, columns, ...axes });
    return trace.customdata.map((cells, at) => [cells[0], row(at)]);
  }
  if (trace.type === 'bar') {
    return (trace.meta?.nodes || []).map((node, at) => [node, { kind: 'bar', y: trace.y[at], ...axes }]);
  }
  return (trace.customdata || []).map((node, at) => [
    node,
    { kind: 'point', x: trace.x[at], y: trace.y[at], ...axes },
  ]);
}

/** @param {Spot} one @param {Spot} other */
const sameSpot = (one, other) =>
  one.kind === other.kind &&
  one.y === other.y &&
  one.yaxis === other.yaxis &&
  ('x' in one ? one.x : null) === ('x' in other ? other.x : null);

/** @type {WeakMap<Drawn, Spots>} */
const known = new WeakMap();

/** Every spot of every node in a figure. @param {Drawn} figure @returns {Spots} */
export function spotsOf(figure) {
  const before = known.get(figure);
  if (before) return before;
  /** @type {Spots} */
  const found = new Map();
  for (const [node, spot] of figure.data.flatMap(spotsOfTrace)) {
    if (typeof node !== 'number') continue;
    const spots = found.get(node) ?? [];
    if (!spots.some((one) => sameSpot(one, spot))) found.set(node, [...spots, spot]);
  }
  known.set(figure, found);
  return found;
}

/**
 * The node under the pointer, by the points of a plotly event; null where there is none.
 * @param {PlotPoint[]} points
 */
export function nodeUnder(points) {
  for (const { data, pointNumber, customdata } of points) {
    const node = data.type === 'bar' ? data.meta?.nodes?.[pointNumber] : customdata;
    if (typeof node === 'number') return node;
  }
  return null;
}

/** From the figure's coordinates to pixels. @param {PlotElement} plot @param {Axes} axes */
function scales(plot, { xaxis, yaxis }) {
  const [x, y] = [xaxis, yaxis].map((name) => plot._fullLayout[`${name[0]}axis${name.slice(1)}`]);
  return {
    x: (/** @type {number} */ value) => x._offset + x.d2p(value),
    y: (/** @type {number} */ value) => y._offset + y.d2p(value),
    left: x._offset,
    right: x._offset + x._length,
  };
}

/** @typedef {[from: number, size: number]} Extent */
/** @param {number} a @param {number} b @returns {Extent} */
const between = (a, b) => [Math.min(a, b), Math.abs(a - b)];

/** @param {string} kind @param {number} node @param {Extent} across @param {Extent} down */
const box = (kind, node, [x, width], [y, height]) =>
  svg('rect', { class: kind, 'data-node': node, x, y, width, height, rx: 3 });

/**
 * The frames or rings around one spot.
 * @param {PlotElement} plot
 * @param {Spot} spot
 * @param {string} kind
 * @param {number} node
 * @returns {SVGElement[]}
 */
function around(plot, spot, kind, node) {
  const at = scales(plot, spot);
  if (spot.kind === 'point') {
    const r = kind === 'sv-kin' ? 13 : 15.5;
    return [svg('circle', { class: kind, 'data-node': node, cx: at.x(spot.x), cy: at.y(spot.y), r })];
  }
  const down = between(at.y(spot.y - 0.5), at.y(spot.y + 0.5));
  if (spot.kind === 'bar') return [box(kind, node, [at.left, at.right - at.left], down)];
  const row = box(kind, node, between(at.x(-0.5), at.x(spot.columns - 0.5)), down);
  const across = between(at.x(spot.x - 0.5), at.x(spot.x + 0.5));
  const column = box(`${kind} sv-column`, node, across, between(at.y(-0.5), at.y(spot.rows - 0.5)));
  return [column, row];
}

/**
 * The number of a pin beside one spot.
 * @param {PlotElement} plot
 * @param {Spot} spot
 * @param {number} number
 * @param {number} node
 */
function badge(plot, spot, number, node) {
  const at = scales(plot, spot);
  const point = spot.kind === 'point';
  const [x, y] = point ? [at.x(spot.x) - 14, at.y(spot.y) - 12] : [at.right - 4, at.y(spot.y)];
  const text = svg('text', { x, y: y + 4 }, String(number));
  return svg('g', { class: 'sv-badge', 'data-node': node }, svg('circle', { cx: x, cy: y, r: 8 }), text);
}

/**
 * The points of a node and its ancestors, where a figure shows all of them as points; else none.
 * @param {Spots} found
 * @param {AnyRecord} record
 */
export function pathPoints(found, record) {
  const isPoint = (/** @type {Spot} */ spot) => spot.kind === 'point';
  const points = [record.node, ...record.ancestors].map((node) => found.get(node)?.find(isPoint));
  const whole = points.filter((point) => point !== undefined);
  return points.length > 1 && whole.length === points.length ? whole : [];
}

/** The spots of a node; a copy of another node shares its row. @param {Spots} found @param {AnyRecord} record */
export function ownSpots(found, record) {
  const own = found.get(record.node);
  if (own || record.row === null) return own ?? [];
  return [...found.values()].flat().filter((spot) => spot.kind === 'row' && spot.y === record.row);
}

/**
 * A bar left of a node, or of its row, that a step changed; null for the others.
 * @param {PlotElement} plot
 * @param {Spot} spot
 * @param {number} node
 * @param {Changed} changed
 */
function newMark(plot, spot, node, { nodes, rows }) {
  const at = scales(plot, spot);
  const bar = (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ half) =>
    svg('line', { class: 'sv-new', x1: x, x2: x, y1: y - half, y2: y + half });
  if (spot.kind === 'point') return nodes.has(node) ? bar(at.x(spot.x) - 20, at.y(spot.y), 8) : null;
  if (spot.kind !== 'row' || !rows.has(spot.y)) return null;
  return bar(at.left - 3, at.y(spot.y), Math.abs(at.y(spot.y + 0.4) - at.y(spot.y)));
}

/**
 * What the step changed in a tree or a mask.
 * @param {PlotElement} plot
 * @param {Spots} found
 * @param {Changed} changed
 */
const newMarks = (plot, found, changed) =>
  [...found].flatMap(([node, spots]) => spots.flatMap((spot) => newMark(plot, spot, node, changed) ?? []));

/** What lights up over a plot. @param {PlotElement} plot @param {Drawn} figure @param {Common} common */
export function marksOn(plot, figure, { record, pins, changed }) {
  const found = spotsOf(figure);
  const held = [
    ...newMarks(plot, found, changed),
    ...pins.flatMap((pin, at) =>
      ownSpots(found, pin).flatMap((spot) => [
        ...around(plot, spot, 'sv-held', pin.node),
        badge(plot, spot, at + 1, pin.node),
      ]),
    ),
  ];
  if (!record) return held;
  const lit = ownSpots(found, record).flatMap((spot) => around(plot, spot, 'sv-lit', record.node));
  const points = pathPoints(found, record);
  if (!points.length) return [...held, ...lit];
  const at = scales(plot, points[0]);
  const line = points.map((one) => ('x' in one ? `${at.x(one.x)},${at.y(one.y)}` : '')).join(' ');
  const kin = record.ancestors.flatMap((node) =>
    (found.get(node) ?? []).flatMap((spot) => around(plot, spot, 'sv-kin', node)),
  );
  return [svg('polyline', { class: 'sv-way', points: line }), ...kin, ...held, ...lit];
}
