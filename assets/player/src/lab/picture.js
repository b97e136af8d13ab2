/* One figure of the Lab: plotly's drawing in a box that scrolls where it must, its legend as a list, its words. */
import { el } from '../base/dom.js';
import { withPlotly } from '../base/plotly.js';
import { figureScale } from '../base/theme.js';

/**
 * @import { DrawnFigure, Legend } from '../payload.js'
 * @import { PlotLayout } from '../plotly.js'
 */

const CONFIG = { responsive: false, displaylogo: false, displayModeBar: false, showSendToCloud: false };
const LINE = 16; // pixels that the layout leaves for a line of the legend

/** A legend as items of a list. @param {Legend | null} legend */
function legendItems(legend) {
  if (!legend) return [];
  const swatch = (/** @type {string} */ color) => el('i', { 'aria-hidden': 'true', style: { background: color } });
  const entries = legend.entries.map(({ color, glyph, word }) =>
    el('li', {}, swatch(color), `${glyph} ${word}`.trim()),
  );
  return [...entries, ...legend.notes.map((note) => el('li', {}, note))];
}

/** A figure with its legend and its words beside it. */
export class Picture {
  /** @param {string} title */
  constructor(title) {
    this.plot = el('div', { class: 'sv-drawing', translate: 'no' });
    this.box = el('div', { class: 'sv-scroll', tabindex: 0, role: 'group', 'aria-label': title }, this.plot);
    this.legend = el('ul', { class: 'sv-marks-key', 'data-part': 'legend' });
    this.words = el('p', {});
    const words = el('details', { class: 'sv-words' }, el('summary', {}, 'In words'), this.words);
    this.element = el('figure', { class: 'sv-panel' }, this.box, this.legend, words);
    /** @type {{figure: DrawnFigure} | null} */
    this.shown = null;
    this.width = 0; // of the box when it was drawn
    new ResizeObserver(() => {
      if (this.box.clientWidth !== this.width) this.fit();
    }).observe(this.element);
  }

  /** @param {DrawnFigure} figure @param {string} text */
  show(figure, text) {
    this.shown = { figure };
    this.words.textContent = text;
    this.fit();
  }

  /** Draw what is shown for the space there is. */
  fit() {
    withPlotly(() => this.draw());
  }

  draw() {
    const { shown, box, plot } = this;
    const scale = figureScale();
    const room = Math.floor(box.clientWidth / scale);
    if (!shown || !room) return;
    this.width = box.clientWidth;
    const { figure } = shown;
    const layout = /** @type {PlotLayout} */ (structuredClone(figure.layout));
    const below = LINE * (figure.legend?.lines ?? 0);
    layout.margin.b -= below;
    layout.height -= below;
    layout.width = room;
    layout.font.family = getComputedStyle(this.element).fontFamily;
    plot.style.zoom = String(scale);
    plot.style.height = `${layout.height}px`;
    plot.style.width = `${layout.width}px`;
    this.legend.replaceChildren(...legendItems(figure.legend));
    Plotly.react(plot, structuredClone(figure.data), layout, CONFIG);
  }
}
