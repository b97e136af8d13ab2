/* A column of the lanes side by side, drawn with the colours of the page: an iteration's forest, its attention mask,
   its gauges. Of the style sheet it needs the colours alone. */
import { svg } from '../base/dom.js';
import { ISOLATE, goesOn } from '../base/pieces.js';
import { HEIGHT as FOREST, arrange } from '../draw/arrange.js';
import { gaugesOf, longest, secondsOf } from './position.js';

/**
 * @import { PlacedGuess, Arrangement } from '../draw/arrange.js'
 * @import { Column, Gauge, Lane } from './position.js'
 * @typedef {(name: string) => string} Colour of the page, by the name of its property
 */

export const GAP = 14;
const PAD = 10;
const HEAD = 66;
const MASK = 150;
const GAUGE = 24;
const LABELS = 152; // pixels left of the gauges
export const TALL = HEAD + FOREST + MASK + 2 * GAP + 7 * GAUGE + PAD;
const PHASES = ['draft', 'target', 'verify'];
/** @type {Record<string, string>} */
export const FATE_COLOURS = {
  accepted: 'accepted',
  dropped: 'accepted',
  rejected: 'rejected',
  unjudged: 'rejected',
  resampled: 'resampled',
  bonus: 'bonus',
  target: 'target',
  root: 'target',
  spare: 'target',
};
export const HOLLOW = ['ghost', 'dropped', 'unjudged', 'pruned', 'spare'];

/** Draws columns with the colours of the page. */
export class Sheet {
  /** @param {Colour} colour @param {Record<string, string>} glyphs by state @param {Lane[]} lanes all of them */
  constructor(colour, glyphs, lanes) {
    this.colour = colour;
    this.glyphs = glyphs;
    this.lanes = lanes;
    this.longest = longest(lanes);
  }

  /** @param {string} text @param {number} x @param {number} y @param {Record<string, string | number>} [more] */
  words(text, x, y, more = {}) {
    const { size = 13, colour = 'ink', ...rest } = more;
    const fill = this.colour(String(colour));
    return svg('text', { x, y, fill, 'font-size': size, 'dominant-baseline': 'central', ...rest }, text);
  }

  /** @param {Column | null} column @param {number} number of the lane @param {string} title @param {number} width */
  column(column, number, title, width) {
    const inside = width - 2 * PAD;
    const ground = svg('rect', {
      width,
      height: TALL,
      rx: 10,
      fill: this.colour('paper'),
      stroke: this.colour('line'),
    });
    const name = this.words(`${number}  ${title}`, PAD, 20, { size: 15, 'font-weight': 700 });
    if (!column) return [ground, name, this.words('wrote nothing', PAD, 44, { colour: 'muted' })];
    const down = (/** @type {number} */ y, /** @type {SVGElement[]} */ parts) =>
      svg('g', { transform: `translate(${PAD} ${y})` }, parts);
    return [
      ground,
      name,
      this.words(`iteration ${column.index + 1} of ${column.lane.view.iterations}`, width - PAD, 20, {
        colour: 'muted',
        'text-anchor': 'end',
      }),
      this.written(column),
      down(HEAD, this.forest(column, inside)),
      down(HEAD + FOREST + GAP, this.mask(column, inside)),
      down(HEAD + FOREST + MASK + 2 * GAP, this.gauges(column, inside)),
    ];
  }

  /** What the iteration wrote, the token in question in bold. @param {Column} column */
  written({ written, at }) {
    const before = written.slice(0, at).join('');
    const alone = !goesOn(before, written[at]) && !goesOn(before + written[at], written[at + 1] ?? '');
    const now = { 'font-weight': alone ? 800 : null, 'text-decoration': 'underline' }; // joined letters: one weight
    const tokens = written.map((piece, index) => {
      const text = piece.replaceAll(' ', '·').replaceAll('\n', '↵');
      return svg('tspan', index === at ? now : {}, text);
    });
    const clip = { x: PAD, y: 46, fill: this.colour('ink'), 'font-size': 14, 'dominant-baseline': 'central' };
    const [begin, end] = ISOLATE;
    return svg('text', clip, svg('tspan', { fill: this.colour('muted') }, 'writes '), begin, tokens, end);
  }

  /** @param {Column} column @param {number} width */
  forest({ iteration, lane }, width) {
    const arrangement = arrange(iteration, lane.motion.look, width);
    const roots = arrangement.roots.map(({ x, y, text }) =>
      svg(
        'g',
        {},
        this.words(text, x, y, { size: arrangement.type, colour: 'muted', 'text-anchor': 'end' }),
        this.block(x + 5, y - 3, 6, 6, 'ink'),
      ),
    );
    const edges = arrangement.guesses.map(({ curve, stroke, guess }) =>
      svg('path', {
        d: curve,
        fill: 'none',
        stroke: this.fate(guess.fate),
        'stroke-width': stroke.toFixed(1),
        'stroke-opacity': 0.55,
      }),
    );
    const folded = iteration.folded
      ? [
          this.words(`+${iteration.folded} guesses not drawn`, width, FOREST + 4, {
            size: 11.5,
            colour: 'muted',
            'text-anchor': 'end',
          }),
        ]
      : [];
    return [...edges, ...roots, ...arrangement.guesses.map((one) => this.guess(one, arrangement)), ...folded];
  }

  /** @param {string} fate */
  fate(fate) {
    return this.colour(FATE_COLOURS[fate] ?? 'muted');
  }

  /** @param {PlacedGuess} placed @param {Arrangement} like */
  guess({ box, text, guess }, { pill, corner, type }) {
    const stroke = this.fate(guess.fate);
    const hollow = HOLLOW.includes(guess.fate);
    const frame = { width: box.width, height: pill, y: -pill / 2, rx: corner, stroke, 'stroke-width': 1.5 };
    const dashes = hollow && guess.fate !== 'dropped' ? { 'stroke-dasharray': '3 3' } : {};
    return svg(
      'g',
      { transform: `translate(${box.x} ${box.y})`, 'data-node': guess.name },
      svg('rect', { ...frame, fill: this.colour('paper') }),
      svg('rect', { ...frame, ...dashes, fill: stroke, 'fill-opacity': hollow ? 0 : 0.16 }),
      svg(
        'text',
        {
          x: 10,
          fill: stroke,
          'font-size': type - 1,
          'font-weight': 700,
          'text-anchor': 'middle',
          'dominant-baseline': 'central',
        },
        this.glyphs[guess.fate] ?? '',
      ),
      this.words(text, (box.width + 14) / 2, 0, { size: type, 'text-anchor': 'middle' }),
    );
  }

  /**
   * @param {number} x @param {number} y @param {number} width @param {number} height
   * @param {string} colour @param {number} [opacity]
   */
  block(x, y, width, height, colour, opacity = 1) {
    return svg('rect', {
      x,
      y,
      width: Math.max(0, width),
      height,
      fill: this.colour(colour),
      'fill-opacity': opacity,
    });
  }

  /**
   * Rows of the target call, and what each sees: the context, those before it, itself.
   * @param {Column} column @param {number} width
   */
  mask({ iteration }, width) {
    const { reads } = iteration;
    const tall = MASK - 20;
    const cell = Math.min(14, tall / reads.length, (width * 0.6) / (reads.length + 2));
    const across = (/** @type {number} */ row) => (row + 2) * cell + 3;
    const lines = reads.map(([name, follows], row) => {
      const seen = [];
      for (let at = follows; at >= 0; at = reads[at][1]) seen.push(at);
      return svg(
        'g',
        { 'data-node': name },
        this.block(0, row * cell, 2 * cell, cell - 0.6, 'muted', 0.45),
        this.block(across(0), row * cell, cell * reads.length - 0.6, cell - 0.6, 'soft'),
        seen.map((at) => this.block(across(at), row * cell, cell - 0.6, cell - 0.6, 'accepted', 0.7)),
        this.block(across(row), row * cell, cell - 0.6, cell - 0.6, 'ink'),
      );
    });
    return [...lines, ...this.maskKey(reads.length, across(reads.length) + 10)];
  }

  /** What its marks mean. @param {number} count of the rows @param {number} left */
  maskKey(count, left) {
    if (count === 1)
      return [this.words('1 row is read: it sees the context', left, 8, { size: 12, colour: 'muted' })];
    /** @type {[text: string, colour: string | null, opacity: number][]} */
    const key = [
      [`${count} rows in one call, each sees`, null, 0],
      ['the context', 'muted', 0.45],
      ['what it follows', 'accepted', 0.7],
      ['itself', 'ink', 1],
    ];
    return key.flatMap(([text, colour, opacity], at) => {
      const said = this.words(text, left + (colour ? 15 : 0), 8 + 20 * at, { size: 12, colour: 'muted' });
      return colour ? [this.block(left, 3 + 20 * at, 10, 10, colour, opacity), said] : [said];
    });
  }

  /** @param {Column} column @param {number} width */
  gauges(column, width) {
    const left = LABELS;
    const room = Math.max(30, width - left - 92);
    const lines = gaugesOf(column, this.lanes).map((gauge, at) => this.gauge(gauge, at * GAUGE, left, room, width));
    const top = lines.length * GAUGE;
    const { phases } = column.iteration;
    const scale = room / (this.longest || 1);
    let x = left;
    const time = PHASES.map((phase) => {
      const wide = (phases[phase][1] - phases[phase][0]) * scale;
      const block = this.block(x, top + 5, wide, 13, phase);
      x += wide;
      return block;
    });
    const text = `${Number((1000 * secondsOf(column.iteration)).toPrecision(2))} ms`;
    const more = { size: 12.5 };
    return [
      ...lines.flat(),
      this.words('time of this iteration', 0, top + 12, { ...more, colour: 'muted' }),
      this.block(left, top + 5, room, 13, 'soft'),
      ...time,
      this.words(text, width, top + 12, { ...more, 'text-anchor': 'end', 'font-weight': 650 }),
    ];
  }

  /** @param {Gauge} gauge @param {number} top @param {number} left @param {number} room @param {number} width */
  gauge({ label, text, value, most }, top, left, room, width) {
    const share = value === null || !most ? 0 : value / most;
    return [
      this.words(label, 0, top + 12, { size: 12.5, colour: 'muted' }),
      this.block(left, top + 5, room, 13, 'soft'),
      this.block(left, top + 5, room * share, 13, 'accent'),
      this.words(text, width, top + 12, { size: 12.5, 'text-anchor': 'end', 'font-weight': 650 }),
    ];
  }
}
