/* The common axis of the lanes. */
import { el } from '../base/dom.js';

/** Round tick marks from 0 to just after the slowest lane, in seconds. @param {number} clock */
export function ticksFor(clock) {
  if (!(clock > 0)) return [0, 0.5, 1];
  const unit = 10 ** Math.floor(Math.log10(clock / 5));
  const step = [1, 2, 2.5, 5, 10].map((k) => k * unit).find((size) => size >= clock / 5) ?? 10 * unit;
  return Array.from({ length: Math.ceil((clock * 1.01) / step) + 1 }, (_, k) => k * step);
}

/** An axis that draws such marks. */
export function axis() {
  const element = el('div', { class: 'sv-axis', 'aria-hidden': 'true', 'data-part': 'timeline' });
  /** @param {number} mark @param {number} end */
  const tick = (mark, end) =>
    el('span', { style: { left: `${(100 * mark) / end}%` } }, `${Number(mark.toPrecision(3))} s`);
  return {
    element,
    /** @param {number[]} marks */
    draw(marks) {
      const end = marks[marks.length - 1];
      element.replaceChildren(...marks.map((mark) => tick(mark, end)));
    },
  };
}
