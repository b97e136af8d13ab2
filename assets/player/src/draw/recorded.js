/* Beside what a replay gives, what was recorded: a mark on every bar. */

/**
 * @import { Bar, BarRow, Picture } from '../payload.js'
 * @typedef {Bar & {was?: number}} MarkedBar `was`: the probability recorded
 */

/** @param {BarRow} row @param {BarRow | undefined} recorded @returns {BarRow} */
const marked = (row, recorded) => ({
  ...row,
  bars: row.bars.map((bar, at) => ({ ...bar, was: recorded?.bars[at]?.length })),
});

/** @param {BarRow} row */
const isMarked = (row) => row.bars.some((/** @type {MarkedBar} */ bar) => bar.was !== undefined);

/**
 * A picture of a replay, its bars marked with what the same tokens had in the record.
 * @param {Picture} picture @param {Picture | null} recorded @returns {Picture}
 */
export function besideRecord(picture, recorded) {
  const before = recorded?.shapes.filter((shape) => shape.kind === 'bars') ?? [];
  if (!before.length) return picture;
  let at = 0;
  const shapes = picture.shapes.map((shape) => {
    if (shape.kind !== 'bars') return shape;
    const old = before[at++];
    const rows = shape.rows.map((row) =>
      row.rest
        ? row
        : marked(
            row,
            old?.rows.find(({ label, node }) => label === row.label && node === row.node),
          ),
    );
    return { ...shape, rows };
  });
  const marks = shapes.some((shape) => shape.kind === 'bars' && shape.rows.some(isMarked));
  return marks ? { ...picture, shapes, notes: [...(picture.notes ?? []), 'upright mark: as recorded'] } : picture;
}
