/* Small pictures of a step, drawn from data (specviz/views/lessons/sketch.py): for the list of lessons and for
   paper. */
import { svg } from '../base/dom.js';

/** @import { Sketch, SketchBar, SketchNode } from '../payload.js' */

const [WIDTH, HEIGHT] = [240, 84];
const LOW = 38; // the height of a tree without branches
const NAMES = 74; // of the width, beside the bars
const FEW = 9; // nodes that have their words beside them

/**
 * Where the bars of a small picture stand: a line for each, the bars of a line below each other.
 * @param {SketchBar[]} bars
 * @param {number} height
 */
export function placedBars(bars, height) {
  const line = height / Math.max(1, bars.length);
  const longest = Math.max(0.01, ...bars.flatMap(({ lengths }) => lengths.map(([, share]) => share)));
  return bars.map(({ label, lengths, marked }, at) => {
    const thick = (line * 0.78) / Math.max(1, lengths.length);
    const rects = lengths.map(([kind, share], number) => ({
      kind,
      x: NAMES,
      y: at * line + line * 0.11 + number * thick,
      width: Math.max(1, ((WIDTH - NAMES - 4) * share) / longest),
      height: thick - 0.6,
    }));
    return { label, marked, y: (at + 0.5) * line, rects };
  });
}

/**
 * Where the nodes of a small tree stand, and the edges that lead to them.
 * @param {SketchNode[]} nodes
 * @param {number} height
 */
export function placedNodes(nodes, height) {
  const room = nodes.length > FEW ? 12 : 46;
  const left = nodes.length > FEW ? 12 : 24;
  const x = (/** @type {number} */ share) => left + share * (WIDTH - left - room);
  const y = (/** @type {number} */ share) => 10 + share * (height - 20);
  return nodes.map((node) => {
    const from = node.parent === null ? null : nodes[node.parent];
    const edge = from ? { x1: x(from.x), y1: y(from.y), x2: x(node.x), y2: y(node.y) } : null;
    return { x: x(node.x), y: y(node.y), edge, label: node.label, state: node.state };
  });
}

/** @param {SketchBar[]} bars @param {number} height */
const barShapes = (bars, height) =>
  placedBars(bars, height).flatMap(({ label, marked, y, rects }) => [
    svg(
      'text',
      { x: NAMES - 5, y: y + 3.5, 'text-anchor': 'end', class: marked ? 'marked' : null },
      label.length > 11 ? `${label.slice(0, 10)}…` : label,
    ),
    ...rects.map(({ kind, ...place }) => svg('rect', { class: kind, ...place, rx: 1 })),
  ]);

/** @param {SketchNode[]} nodes @param {number} height */
function treeShapes(nodes, height) {
  const placed = placedNodes(nodes, height);
  const words = nodes.length <= FEW;
  return [
    ...placed.flatMap(({ edge }) => (edge ? [svg('line', edge)] : [])),
    ...placed.flatMap(({ x, y, state, label }) => [
      svg('circle', { class: state, cx: x, cy: y, r: words ? 5 : 4 }),
      ...(words ? [svg('text', { x, y: y + (y > 14 ? -8 : 16), 'text-anchor': 'middle' }, label)] : []),
    ]),
  ];
}

/** A small picture; it says nothing that the words beside it do not. @param {Sketch} data */
export function sketch({ bars, nodes }) {
  const chain = nodes.every(({ y }) => y === nodes[0].y);
  const height = nodes.length ? (chain ? LOW : HEIGHT) : Math.min(HEIGHT, 4 + 17 * bars.length);
  const view = { class: 'sv-sketch', translate: 'no', viewBox: `0 0 ${WIDTH} ${height}`, 'aria-hidden': 'true' };
  return svg('svg', view, nodes.length ? treeShapes(nodes, height) : barShapes(bars, height));
}
