/* The lanes side by side, drawn with the colours of the page: of each an iteration's forest, its attention mask, its
   gauges. Of the style sheet it needs the colours alone. */
import { svg } from '../base/dom.js';
import { END, ISOLATE, asDrawn, goesOn, named } from '../base/pieces.js';
import { HEIGHT as FOREST, arrange } from '../draw/arrange.js';
import { SMALL, widthOf } from '../draw/type.js';
import { gaugesOf, longest, secondsOf } from './position.js';

/**
 * @import { PlacedGuess, Arrangement } from '../draw/arrange.js'
 * @import { Column, Gauge, Lane } from './position.js'
 * @typedef {(name: string) => string} Colour of the page, by the name of its property
 */

const GAP = 12;
const PAD = 10;
const HEAD = 52;
const GAUGE = 17;
const GAUGES = 7 * GAUGE; // pixels of all of them, and of a mask
const MASK = 134; // pixels across a mask and what is said of it
const LABELS = 144; // left of the gauges
const NUMBERS = 100; // right of them
const LEAST = 480; // of a column that has another beside it
const BESIDE = 440; // and of one whose mask is beside its gauges
const KEY = 18; // pixels a line
const PHASES = ['draft', 'target', 'verify'];
/** @type {[says: string, colour: string | null, opacity: number][]} */
const MASK_KEY = [
  ['Mask: each row sees', null, 1],
  ['the context', 'muted', 0.45],
  ['what it follows', 'accepted', 0.7],
  ['itself', 'ink', 1],
];
/** @type {[says: string, colour: string | null, opacity: number][]} */
const TIME_KEY = [
  ['Time:', null, 1],
  ['drafting', 'draft', 1],
  ['target call', 'target', 1],
  ['verifying', 'verify', 1],
];

/**
 * Where columns stand: as many in a row as leave labels legible.
 * @param {number} count @param {number} width pixels
 */
export function placeColumns(count, width) {
  const most = Math.max(1, Math.floor((width + GAP) / (LEAST + GAP)));
  const across = Math.ceil(count / Math.ceil(count / most));
  const wide = (width - GAP * (across - 1)) / across;
  const tall = HEAD + FOREST + GAP + GAUGES + PAD + (wide < BESIDE ? GAUGES + GAP : 0);
  const places = Array.from({ length: count }, (_, at) => ({
    x: (at % across) * (wide + GAP),
    y: Math.floor(at / across) * (tall + GAP),
  }));
  const keys = wide < BESIDE ? 2 : 1;
  const foot = Math.ceil(count / across) * (tall + GAP);
  return { places, wide, tall, keys, foot, height: foot + keys * KEY };
}
/** @type {Record<string, string>} */
export const FATE_COLOURS = {
  accepted: 'accepted',
  dropped: 'accepted',
  rejected: 'rejected',
  unjudged: 'rejected',
  resampled: 'resampled',
  bonus: 'bonus',
  hand: 'hand',
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

  /**
   * All columns, and the key to their colours.
   * @param {(Column | null)[]} columns of the lanes @param {number} width
   */
  page(columns, width) {
    const { places, wide, tall, keys, foot, height } = placeColumns(columns.length, width);
    const drawn = columns.map((column, at) =>
      svg(
        'g',
        { transform: `translate(${places[at].x} ${places[at].y})`, 'data-lane': at },
        this.column(column, `${at + 1}  ${this.lanes[at].view.title}`, wide, tall),
      ),
    );
    const line = foot + KEY / 2 - 4;
    const last = keys > 1 ? { x: 0, y: line + KEY } : { x: width / 2, y: line };
    return { height, parts: [...drawn, ...this.key(MASK_KEY, 0, line), ...this.key(TIME_KEY, last.x, last.y)] };
  }

  /** @param {typeof MASK_KEY} entries @param {number} x @param {number} y */
  key(entries, x, y) {
    let left = x;
    return entries.flatMap(([says, colour, opacity]) => {
      const block = colour ? [this.block(left, y - 5, 10, 10, colour, opacity)] : [];
      const text = left + (colour ? 15 : 0);
      left = text + widthOf(says, SMALL) + 14;
      return [...block, this.words(says, text, y, { size: SMALL, colour: 'muted' })];
    });
  }

  /** @param {Column | null} column @param {string} title @param {number} width @param {number} height */
  column(column, title, width, height) {
    const inside = width - 2 * PAD;
    const ground = svg('rect', {
      width,
      height,
      rx: 10,
      fill: this.colour('paper'),
      stroke: this.colour('line'),
    });
    const name = this.words(title, PAD, 18, { size: 15, 'font-weight': 700 });
    if (!column) return [ground, name, this.words('wrote nothing', PAD, 42, { colour: 'muted' })];
    const placed = (/** @type {number} */ x, /** @type {number} */ y, /** @type {SVGElement[]} */ parts) =>
      svg('g', { transform: `translate(${PAD + x} ${y})` }, parts);
    const [below, beside] = [HEAD + FOREST + GAP, width >= BESIDE];
    const gauges = beside ? { x: MASK + GAP, y: below } : { x: 0, y: below + GAUGES + GAP };
    return [
      ground,
      name,
      this.words(`iteration ${column.index + 1} of ${column.lane.view.iterations}`, width - PAD, 18, {
        colour: 'muted',
        'text-anchor': 'end',
      }),
      this.written(column),
      placed(0, HEAD, this.forest(column, inside)),
      placed(0, below, this.mask(column)),
      placed(gauges.x, gauges.y, this.gauges(column, inside - gauges.x)),
    ];
  }

  /** What the iteration wrote, the token in question in bold. @param {Column} column */
  written({ written, at }) {
    const before = written.slice(0, at).join('');
    const alone = !goesOn(before, written[at]) && !goesOn(before + written[at], written[at + 1] ?? '');
    const now = { 'font-weight': alone ? 800 : null, 'text-decoration': 'underline' }; // joined letters: one weight
    const tokens = written.map((piece, index) => {
      return svg('tspan', index === at ? now : {}, piece === END ? ` ${named(END)}` : asDrawn(piece));
    });
    const clip = { x: PAD, y: 39, fill: this.colour('ink'), 'font-size': 14, 'dominant-baseline': 'central' };
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

  /** Rows of the target call, and what each sees: the context, those before it, itself. @param {Column} column */
  mask({ iteration }) {
    const { reads } = iteration;
    const cell = Math.min(14, (GAUGES - 16) / reads.length, (MASK - 3) / (reads.length + 2));
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
    const said = reads.length === 1 ? '1 row in this call' : `${reads.length} rows in one call`;
    return [...lines, this.words(said, 0, reads.length * cell + 10, { size: SMALL, colour: 'muted' })];
  }

  /** @param {Column} column @param {number} width */
  gauges(column, width) {
    const left = LABELS;
    const room = Math.max(30, width - left - NUMBERS);
    const lines = gaugesOf(column, this.lanes).map((gauge, at) => this.gauge(gauge, at * GAUGE, left, room, width));
    const top = lines.length * GAUGE;
    const { phases } = column.iteration;
    const scale = room / (this.longest || 1);
    let x = left;
    const time = PHASES.map((phase) => {
      const wide = (phases[phase][1] - phases[phase][0]) * scale;
      const block = this.block(x, top + 2, wide, 12, phase);
      x += wide;
      return block;
    });
    const text = `${Number((1000 * secondsOf(column.iteration)).toPrecision(2))} ms`;
    const more = { size: 12.5 };
    return [
      ...lines.flat(),
      this.words('time of this iteration', 0, top + 8, { ...more, colour: 'muted' }),
      this.block(left, top + 2, room, 12, 'soft'),
      ...time,
      this.words(text, width, top + 8, { ...more, 'text-anchor': 'end', 'font-weight': 650 }),
    ];
  }

  /** @param {Gauge} gauge @param {number} top @param {number} left @param {number} room @param {number} width */
  gauge({ label, text, value, most }, top, left, room, width) {
    const share = value === null || !most ? 0 : value / most;
    return [
      this.words(label, 0, top + 8, { size: 12.5, colour: 'muted' }),
      this.block(left, top + 2, room, 12, 'soft'),
      this.block(left, top + 2, room * share, 12, 'accent'),
      this.words(text, width, top + 8, { size: 12.5, 'text-anchor': 'end', 'font-weight': 650 }),
    ];
  }
}
