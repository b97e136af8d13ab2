/* The attention mask as a small picture in the corner of the tree: its shape can be seen, a press shows it large. */
import { pushButton, svg } from '../base/dom.js';

/** @import { IterationPayload } from '../payload.js' */

/**
 * What each row of the target call sees of the others: [row, column], from 0.
 * @param {Pick<IterationPayload, 'nodes' | 'roots'>} payload
 * @returns {[number, number][]}
 */
export function maskCells({ nodes, roots }) {
  const records = [...roots, ...nodes];
  const rows = new Map(records.map(({ node, row }) => [node, row]));
  return records.flatMap(({ node, row, ancestors }) =>
    row === null
      ? []
      : [node, ...ancestors].flatMap((seen) => {
          const column = rows.get(seen) ?? null;
          return column === null ? [] : [/** @type {[number, number]} */ ([row, column])];
        }),
  );
}

export class MiniMask {
  /** @param {() => void} onpress */
  constructor(onpress) {
    this.cells = svg('path', { class: 'sv-mini-cells' });
    this.drawing = svg('svg', { width: 54, height: 54, 'aria-hidden': 'true' }, this.cells);
    const label = 'Attention mask, large (M)';
    const more = {
      class: 'sv-mini-mask',
      'aria-label': label,
      'data-tip': label,
      'aria-pressed': 'false',
      hidden: true,
    };
    this.element = pushButton(this.drawing, onpress, more);
  }

  /** @param {IterationPayload} payload */
  load(payload) {
    const rows = payload.mask_rows;
    this.element.hidden = rows < 2;
    this.drawing.setAttribute('viewBox', `-0.5 -0.5 ${rows + 1} ${rows + 1}`);
    const paths = maskCells(payload).map(([row, column]) => `M${column} ${row}h1v1h-1z`);
    this.cells.setAttribute('d', paths.join(''));
  }

  /** @param {boolean} on whether it is seen large */
  press(on) {
    this.element.setAttribute('aria-pressed', String(on));
  }
}
