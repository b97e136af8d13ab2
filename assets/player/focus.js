/* The focus and the pins in figures: where a node is in a figure, and what lights up there. Figures say it themselves:
   points and cells carry nodes as customdata, bars as meta.nodes. Marks are drawn over the plot, which stays as it is. */
(() => {
  'use strict';
  const { svg } = window.specviz;
  const known = new WeakMap();

  /** Every spot of a node in a figure: Map of node to [{kind: 'point' | 'bar' | 'row', x, y, xaxis, yaxis, ...}]. */
  function spotsOf(figure) {
    if (known.has(figure)) return known.get(figure);
    const found = new Map();
    const add = (node, spot) => {
      if (typeof node !== 'number') return;
      if (!found.has(node)) found.set(node, []);
      const same = (one) => one.kind === spot.kind && one.x === spot.x && one.y === spot.y && one.yaxis === spot.yaxis;
      if (!found.get(node).some(same)) found.get(node).push(spot);
    };
    for (const trace of figure.data) {
      const axes = { xaxis: trace.xaxis || 'x', yaxis: trace.yaxis || 'y' };
      if (trace.type === 'heatmap') {
        const [rows, columns] = [trace.z.length, trace.z[0].length];
        trace.customdata.forEach((row, at) => add(row[0], { kind: 'row', y: at, x: columns - rows + at, rows, columns, ...axes }));
      } else if (trace.type === 'bar') {
        (trace.meta?.nodes || []).forEach((node, at) => add(node, { kind: 'bar', y: trace.y[at], ...axes }));
      } else {
        (trace.customdata || []).forEach((node, at) => add(node, { kind: 'point', x: trace.x[at], y: trace.y[at], ...axes }));
      }
    }
    known.set(figure, found);
    return found;
  }

  /** The node under the pointer, by the points of a plotly event; null where there is none. */
  window.specviz.nodeUnder = (points) => {
    for (const { data, pointNumber, customdata } of points) {
      const node = data.type === 'bar' ? data.meta?.nodes?.[pointNumber] : customdata;
      if (typeof node === 'number') return node;
    }
    return null;
  };

  const scales = (plot, { xaxis, yaxis }) => {
    const [x, y] = [xaxis, yaxis].map((name) => plot._fullLayout[`${name[0]}axis${name.slice(1)}`]);
    return { x: (value) => x._offset + x.d2p(value), y: (value) => y._offset + y.d2p(value), left: x._offset, right: x._offset + x._length };
  };
  const between = (a, b) => [Math.min(a, b), Math.abs(a - b)];
  function box(kind, node, [x, width], [y, height]) {
    return svg('rect', { class: kind, 'data-node': node, x, y, width, height, rx: 3 });
  }
  /** The frames or rings around one spot. */
  function around(plot, spot, kind, node) {
    const at = scales(plot, spot);
    if (spot.kind === 'point') return [svg('circle', { class: kind, 'data-node': node, cx: at.x(spot.x), cy: at.y(spot.y), r: kind === 'sv-kin' ? 13 : 15.5 })];
    const across = between(at.y(spot.y - 0.5), at.y(spot.y + 0.5));
    if (spot.kind === 'bar') return [box(kind, node, [at.left, at.right - at.left], across)];
    const row = box(kind, node, between(at.x(-0.5), at.x(spot.columns - 0.5)), across);
    const column = box(`${kind} sv-column`, node, between(at.x(spot.x - 0.5), at.x(spot.x + 0.5)), between(at.y(-0.5), at.y(spot.rows - 0.5)));
    return [column, row];
  }
  /** The number of a pin beside one spot. */
  function badge(plot, spot, number, node) {
    const at = scales(plot, spot);
    const [x, y] = spot.kind === 'point' ? [at.x(spot.x) - 14, at.y(spot.y) - 12] : [at.right - 4, at.y(spot.y)];
    return svg('g', { class: 'sv-badge', 'data-node': node }, svg('circle', { cx: x, cy: y, r: 8 }), svg('text', { x, y: y + 4 }, String(number)));
  }
  /** The path from the root to a node, where a figure shows both as points. */
  function path(plot, found, record) {
    const points = [record.node, ...record.ancestors].map((node) => (found.get(node) || []).find((one) => one.kind === 'point'));
    if (points.length < 2 || points.includes(undefined)) return [];
    const at = scales(plot, points[0]);
    return [svg('polyline', { class: 'sv-way', points: points.map((one) => `${at.x(one.x)},${at.y(one.y)}`).join(' ') })];
  }

  /** What lights up over a plot for a node in focus (or null) and up to two pinned ones. */
  window.specviz.marksOn = (plot, figure, { record, pins }) => {
    const found = spotsOf(figure);
    /** A copy of another node shares its row. */
    const of = (one) => found.get(one.node) || (one.row === null || one.row === undefined ? [] : [...found.values()].flat().filter((spot) => spot.kind === 'row' && spot.y === one.row));
    const tree = record ? path(plot, found, record) : [];
    const kin = !record || tree.length === 0 ? [] : record.ancestors.flatMap((node) => (found.get(node) || []).flatMap((spot) => around(plot, spot, 'sv-kin', node)));
    const lit = record ? of(record).flatMap((spot) => around(plot, spot, 'sv-lit', record.node)) : [];
    const held = pins.flatMap((pin, at) => of(pin).flatMap((spot) => [...around(plot, spot, 'sv-held', pin.node), badge(plot, spot, at + 1, pin.node)]));
    return [...tree, ...kin, ...held, ...lit];
  };
})();
