/* The panels of the player. A panel keeps the plots it has drawn, each in a box of its own, and draws the neighbours
   of a step ahead, so that a step only changes which box is seen. */
import { el, svg } from '../base/dom.js';
import { plotly, withPlotly } from '../base/plotly.js';
import { figureScale } from '../base/theme.js';
import { unchanged } from './changed.js';
import { marksOn, nodeUnder } from './focus.js';
import { layoutFor } from './layout.js';

/**
 * @import { WholeFigure } from './player.js'
 * @import { CoinHandle } from './coin-handle.js'
 * @import { Common } from './focus.js'
 * @import { PlotElement } from '../plotly.js'
 * @typedef {{figure: WholeFigure, plot: PlotElement, width: number, scale: number, height: number,
 *   done: Promise<void>}} Box a kept plot; `done`: it is drawn
 * @typedef {[title: string, help: string]} Heading
 * @typedef {object} PanelKind
 * @property {Heading} heading how to read it
 * @property {number} most its height
 * @property {Heading} [undrafted] where nothing was drafted
 */

const KEPT = 7; // plots that a panel keeps: those around a step, and the last ones seen
export const CONFIG = { responsive: false, displaylogo: false, displayModeBar: false, showSendToCloud: false };
/** @type {Record<string, PanelKind>} */
export const PANELS = {
  tree: {
    heading: [
      'Draft tree',
      'The guesses, left to right; thicker is likelier. What this step changed has a bar at its left.',
    ],
    most: 1180,
    undrafted: ['What was written', 'The target’s own choices, left to right.'],
  },
  mask: {
    heading: ['Attention mask', 'In the one target call each guess sees its own ancestors only.'],
    most: 500,
    undrafted: ['Attention mask', 'In the target call each row sees its own past only.'],
  },
  probabilities: {
    heading: ['Probabilities', 'Of the next token here; the key says whose.'],
    most: 720,
  },
  decision: { heading: ['The decision', 'The rule, with this step’s numbers.'], most: 240 },
};

const family = () => getComputedStyle(document.documentElement).getPropertyValue('--sv-sans').trim();

export class Panel {
  /**
   * @param {string} name
   * @param {Record<'onhover' | 'onpick', (node: number | null) => void>} on what the pointer does in its plots
   */
  constructor(name, { onhover, onpick }) {
    this.name = name;
    this.onhover = onhover;
    this.onpick = onpick;
    this.marks = svg('svg', { class: 'sv-marks', 'aria-hidden': 'true' });
    this.stage = el('div', { class: 'sv-stage', translate: 'no' }, this.marks);
    this.words = el('p', {});
    this.nothing = el('p', { class: 'sv-nothing' }, '');
    const more = { class: 'sv-words', 'data-part': 'words' };
    this.more = el('details', more, el('summary', {}, 'In words'), this.words);
    this.title = el('h3', {});
    this.help = el('p', {});
    const attributes = { class: `sv-panel sv-panel-${name}`, 'data-panel': name, 'data-part': name };
    this.tab = el('button', { type: 'button', class: 'sv-drawer-tab', hidden: true });
    this.closed = false; // a drawer that draws nothing
    const caption = el('figcaption', {}, this.title, this.help, this.tab);
    this.element = el('figure', attributes, caption, this.stage, this.nothing, this.more);
    /** @type {Box[]} */
    this.kept = []; // the last used last
    /** @type {WholeFigure | null | undefined} */
    this.wanted = undefined; // the figure to be seen; undefined before the first step
    /** @type {Box | null} */
    this.seen = null; // the box that is
    /** @type {Common} */
    this.common = { record: null, pins: [], changed: unchanged() };
    this.width = 0;
    this.scale = 1;
    /** @type {CoinHandle | null} */
    this.handle = null;
    this.about({ ever: true, drafted: true });
  }

  /** Put a handle over the plots, and what it says above them. @param {CoinHandle} handle */
  hold(handle) {
    this.handle = handle;
    this.stage.append(handle.layer);
    this.stage.before(handle.said);
  }

  /**
   * Whether this iteration ever has something to show here, and whether there are drafted tokens in it.
   * @param {{ever: boolean, drafted: boolean}} iteration
   */
  about({ ever, drafted }) {
    const { heading, undrafted = heading } = PANELS[this.name];
    [this.title.textContent, this.help.textContent] = drafted ? heading : undrafted;
    this.tab.textContent = this.title.textContent;
    this.element.classList.toggle('never', !ever);
  }

  /** @param {boolean} on whether it is a drawer @param {boolean} open */
  drawer(on, open) {
    this.closed = on && !open;
    this.element.classList.toggle('drawer', on);
    this.element.classList.toggle('open', on && open);
    this.tab.hidden = !on;
    this.tab.setAttribute('aria-expanded', String(open));
    if (!this.closed && !this.fit()) this.update();
  }

  /** The plotly element that is seen, or null. */
  gd() {
    return this.seen ? this.seen.plot : null;
  }

  /** Whether there is a figure to be had now, seen or in a closed drawer. */
  get filled() {
    return Boolean(this.wanted && this.width);
  }

  /** The plotly element of the figure, drawn for it where its drawer is closed; null without a figure. */
  async drawn() {
    const { wanted } = this;
    if (!wanted || this.seen || !this.filled) return this.gd();
    await plotly();
    this.element.classList.add('measuring');
    const box = this.find(wanted) ?? this.draw(wanted);
    try {
      await box.done;
    } finally {
      this.element.classList.remove('measuring');
    }
    return box.plot;
  }

  /** @param {Box} box */
  fits(box) {
    return box.width === this.width && box.scale === this.scale;
  }

  /** @param {WholeFigure} figure */
  find(figure) {
    return this.kept.find((box) => box.figure === figure && this.fits(box));
  }

  /** @param {Box} box */
  use(box) {
    this.kept = [...this.kept.filter((one) => one !== box), box];
    return box;
  }

  /**
   * A free box for a figure: one that no longer fits, a new one, or the one not seen for longest.
   * @param {WholeFigure} figure
   */
  free(figure) {
    const unseen = this.kept.filter((box) => box !== this.seen);
    const spare = unseen.find((box) => !this.fits(box)) ?? (this.kept.length < KEPT ? undefined : unseen[0]);
    const { width, scale } = this;
    if (spare) return this.use(Object.assign(spare, { figure, width, scale }));
    const plot = /** @type {PlotElement} */ (/** @type {unknown} */ (el('div', { class: 'sv-kept' })));
    this.stage.insertBefore(plot, this.marks);
    return this.use({ plot, figure, width, scale, height: 0, done: Promise.resolve() });
  }

  /** @param {WholeFigure} figure */
  draw(figure) {
    const box = this.free(figure);
    const { plot } = box;
    const known = box.height > 0;
    const { most } = PANELS[this.name];
    const layout = layoutFor(figure, { width: Math.floor(this.width / this.scale), most, family: family() });
    box.height = layout.height;
    plot.classList.add('drawing'); // words can be measured only where there is space for them
    const data = figure.data.map((trace) => ({ ...trace }));
    box.done = Plotly.react(plot, data, layout, CONFIG).then(() => {
      if (box !== this.seen) plot.getBoundingClientRect(); // laid out now, and not when it is to be seen
      plot.classList.remove('drawing');
      if (box === this.seen) this.drawMarks(); // margins may have made space for words meanwhile
    });
    if (known) return box;
    plot.on('plotly_hover', ({ points }) => this.onhover(nodeUnder(points)));
    plot.on('plotly_unhover', () => this.onhover(null));
    plot.on('plotly_click', ({ points }) => this.onpick(nodeUnder(points)));
    return box;
  }

  /** @param {Box | null} box */
  see(box) {
    if (box !== this.seen) {
      this.seen?.plot.classList.replace('sv-plot', 'sv-kept');
      box?.plot.classList.replace('sv-kept', 'sv-plot');
      this.seen = box;
    }
    const size = `${Math.ceil(box ? box.height * this.scale : 0)}px`;
    if (this.stage.style.height !== size) this.stage.style.height = size;
  }

  drawMarks() {
    const { seen } = this;
    this.marks.replaceChildren(...(seen ? marksOn(seen.plot, seen.figure, this.common) : []));
    this.handle?.place(seen);
    if (this.name === 'tree') requestAnimationFrame(() => this.keepInSight()); // once all panels have changed
  }

  /** Scroll to the lit node, what the step changed, or what was drawn, where the plot takes more space than it has. */
  keepInSight() {
    const { stage } = this;
    const half = stage.clientHeight / 2;
    const at = stage.scrollHeight <= 2 * half + 1 ? null : this.sight();
    const off = at === null ? 0 : at - stage.getBoundingClientRect().top - half;
    if (Math.abs(off) > half / 2) stage.scrollTop += off;
  }

  /** The height on screen of what is to be in sight; null: of nothing. */
  sight() {
    const { marks, seen, scale } = this;
    const mark = (marks.querySelector('.sv-lit') ?? marks.querySelector('.sv-new'))?.getBoundingClientRect();
    if (mark) return mark.top + mark.height / 2;
    const last = seen?.figure.layout.meta?.last;
    if (!seen || last === undefined) return null;
    const { yaxis } = seen.plot._fullLayout;
    return seen.plot.getBoundingClientRect().top + scale * (yaxis._offset + yaxis.d2p(last));
  }

  seeWanted() {
    const { wanted } = this;
    if (wanted && this.width && !this.closed) this.see(this.use(this.find(wanted) ?? this.draw(wanted)));
  }

  update() {
    if (!this.wanted || this.closed) this.see(null);
    else if (this.width) withPlotly(() => this.seeWanted());
  }

  /**
   * See a figure with its words; null: say with `without` that there is nothing yet.
   * @param {WholeFigure | null} figure
   * @param {string} text
   * @param {string} without
   */
  show(figure, text, without) {
    if (!figure) this.nothing.textContent = without;
    if (figure === this.wanted) return;
    this.wanted = figure;
    this.element.classList.toggle('empty', !figure);
    this.nothing.hidden = Boolean(figure);
    this.stage.hidden = this.more.hidden = !figure;
    this.words.textContent = text;
    this.update();
  }

  /**
   * Draw a figure ahead; false when that is done already, or there is no space to draw in.
   * @param {WholeFigure} figure
   */
  ahead(figure) {
    if (!this.seen || this.find(figure)) return false;
    this.draw(figure);
    return true;
  }

  /** Take a new width, or large type, into account. */
  fit() {
    const style = getComputedStyle(this.element);
    const padding = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
    const width = Math.floor(this.element.clientWidth - padding);
    const scale = figureScale();
    if (width <= 0 || (width === this.width && scale === this.scale)) return false;
    Object.assign(this, { width, scale });
    this.stage.style.setProperty('--sv-scale', String(scale));
    this.update();
    return true;
  }

  /** Light what the views have in common. @param {Common} common */
  mark(common) {
    const own = this.name === 'tree' || this.name === 'mask' ? common.changed : unchanged();
    this.common = { ...common, changed: own };
    this.drawMarks();
  }
}
