/* A race on a canvas, at any moment: what the page shows in slow motion, for files of it (video.js). */
import { isolated } from '../base/pieces.js';
import { isShown } from '../race/dials.js';
import { HEIGHT as FOREST, arrange } from '../draw/arrange.js';
import { linesOf, placesIn } from './film-lines.js';
import { BAND, FALL, TAKEN } from './forest.js';
import { eased, frameOf, iterationAt, lengthOf, settledAt, tailOf, words } from './moment.js';
import { FATE_COLOURS, HOLLOW } from './sheet.js';

/**
 * @import { LaneMotion, LaneView } from '../payload.js'
 * @import { Arrangement, PlacedGuess } from '../draw/arrange.js'
 * @import { Line, Stretch } from './film-lines.js'
 * @import { Colour } from './gif.js'
 * @import { Frame, GuessFrame } from './moment.js'
 * @typedef {{y: number, stretches: Stretch[], origin: string, line: Line}} PlacedToken
 * @typedef {object} FilmLane
 * @property {LaneView} view
 * @property {LaneMotion} motion
 * @property {PlacedToken[]} tokens
 * @property {Map<number, Arrangement>} arranged
 */

const WIDTH = 1280;
const HEAD = 44;
const LANE = { height: 216, pad: 14, name: 30, track: 18 };
const TEXT = { width: 430, line: 26, size: 16 };
/** @type {Record<string, number>} */
const SHARES = { draft: 0.5, target: 1, verify: 0.25 }; // of the height of a timeline

export class Film {
  /**
   * @param {string} title
   * @param {{view: LaneView, motion: LaneMotion}[]} lanes
   * @param {Record<string, string>} glyphs by state
   * @param {Element} styled where the page's colours apply
   */
  constructor(title, lanes, glyphs, styled) {
    this.canvas = document.createElement('canvas');
    this.canvas.width = WIDTH;
    this.canvas.height = HEAD + LANE.height * lanes.length + 8;
    this.pen = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext('2d', { willReadFrequently: true }));
    this.title = title;
    this.glyphs = glyphs;
    const style = getComputedStyle(styled);
    this.colour = (/** @type {string} */ name) => style.getPropertyValue(`--sv-${name}`).trim();
    this.font = style.getPropertyValue('--sv-sans').trim();
    this.length = Math.max(...lanes.map(({ motion }) => lengthOf(motion)));
    this.clock = Math.max(...lanes.map(({ view }) => view.clock));
    this.lanes = lanes.map(({ view, motion }) => ({ view, motion, tokens: this.wrap(view), arranged: new Map() }));
  }

  /** A colour of the page, from 0 to 255 each. @param {string} name @returns {Colour} */
  rgb(name) {
    this.pen.globalAlpha = 1;
    this.pen.fillStyle = this.colour(name);
    this.pen.fillRect(0, 0, 1, 1);
    const [red, green, blue] = this.pen.getImageData(0, 0, 1, 1).data;
    return [red, green, blue];
  }

  /** @param {number} size @param {number} [weight] */
  type(size, weight = 400) {
    this.pen.font = `${weight} ${size}px ${this.font}`;
  }

  /**
   * @param {string} text @param {number} x @param {number} y
   * @param {string} colour @param {CanvasTextAlign} [align]
   */
  write(text, x, y, colour, align = 'left') {
    const { pen } = this;
    pen.fillStyle = this.colour(colour);
    pen.textAlign = align;
    pen.textBaseline = 'middle';
    pen.fillText(text, x, y);
  }

  /** The lane's tokens in lines. @param {LaneView} view @returns {PlacedToken[]} */
  wrap({ tokens }) {
    this.type(TEXT.size);
    const pieces = tokens.map(([piece]) => piece);
    const lines = linesOf(pieces, (text) => this.pen.measureText(text).width, TEXT.width);
    const places = placesIn(lines, this.pen.font, TEXT.width);
    return lines
      .flatMap((line, at) => places[at].map((stretches) => ({ y: at * TEXT.line, stretches, line })))
      .map((placed, at) => ({ ...placed, origin: tokens[at][1] }));
  }

  /** Draw everything as it was. @param {number} moment */
  paint(moment) {
    const { pen, canvas } = this;
    pen.globalAlpha = 1;
    pen.fillStyle = this.colour('ground');
    pen.fillRect(0, 0, canvas.width, canvas.height);
    this.type(19, 700);
    this.write('specviz', 20, HEAD / 2, 'ink');
    this.type(15);
    this.write(isolated(this.title), 110, HEAD / 2, 'muted');
    this.write(`${Math.min(moment, this.clock).toFixed(3)} s`, WIDTH - 20, HEAD / 2, 'muted', 'right');
    this.lanes.forEach((lane, index) => {
      pen.save();
      pen.translate(12, HEAD + index * LANE.height);
      this.lane(lane, moment);
      pen.restore();
    });
  }

  /** @param {FilmLane} lane @param {number} moment */
  lane(lane, moment) {
    const { pen } = this;
    const { view, motion } = lane;
    const width = WIDTH - 24;
    pen.fillStyle = this.colour('paper');
    pen.beginPath();
    pen.roundRect(0, 0, width, LANE.height - 8, 10);
    pen.fill();
    const settled = settledAt(motion, moment);
    this.head(view, motion.dials[settled - 1], width);
    this.text(lane, settled ? motion.iterations[settled - 1].tokens : 0);
    this.track(view, moment, width);
    const left = LANE.pad + TEXT.width + 20;
    pen.translate(left, LANE.name + 6);
    this.forest(lane, moment, width - left - LANE.pad, [LANE.pad - left, TEXT.line / 2 + 4]);
  }

  /** @param {LaneView} view @param {LaneMotion["dials"][number] | undefined} dials @param {number} width */
  head(view, dials, width) {
    this.type(16, 700);
    this.write(view.title, LANE.pad, 20, 'ink');
    this.type(14);
    const shown = view.dials.flatMap((dial, at) => {
      const [text, unit] = dials?.[at] ?? ['–', ''];
      return isShown(dial) ? [`${text} ${unit || dial.label}`] : [];
    });
    this.write(shown.slice(0, 3).join('   ·   '), width - LANE.pad, 20, 'muted', 'right');
  }

  /** The end of the text, as much as there is room for. @param {FilmLane} lane @param {number} count */
  text({ tokens }, count) {
    const all = tokens.slice(0, count);
    const up = this.scrolled(all[all.length - 1]);
    const shown = all.filter(({ y }) => y >= up);
    for (const line of new Set(shown.map((token) => token.line))) {
      this.line(
        shown.filter((token) => token.line === line),
        tokens.filter((token) => token.line === line),
        LANE.name + 10 + TEXT.line / 2 - up,
      );
    }
  }

  /** The tokens of a line that are there by now, each where it will stand in the whole line.
   * @param {PlacedToken[]} shown @param {PlacedToken[]} whole @param {number} down */
  line(shown, whole, down) {
    const { pen } = this;
    const middle = down + shown[0].y;
    const written = new Path2D();
    for (const { stretches, origin } of shown) {
      pen.fillStyle = this.colour(origin);
      for (const { x, width } of stretches) {
        pen.globalAlpha = 0.16;
        pen.fillRect(LANE.pad + x, middle - 10, width - 1, 20);
        pen.globalAlpha = 1;
        pen.fillRect(LANE.pad + x, middle + 10, width - 1, 2);
        written.rect(LANE.pad + x, middle - TEXT.line / 2, width, TEXT.line);
      }
    }
    const { line } = shown[0];
    const left = Math.min(...whole.flatMap(({ stretches }) => stretches.map(({ x }) => x)));
    pen.save();
    if (shown.length < whole.length) pen.clip(written);
    this.type(TEXT.size);
    pen.direction = line.rightToLeft ? 'rtl' : 'ltr';
    this.write(line.text, LANE.pad + left, middle, 'ink');
    pen.restore();
  }

  /** How far the text has moved up. @param {PlacedToken | undefined} newest */
  scrolled(newest) {
    const lines = Math.floor((LANE.height - LANE.name - LANE.track - 34) / TEXT.line);
    return Math.max(0, (newest?.y ?? 0) - (lines - 1) * TEXT.line);
  }

  /** @param {LaneView} view @param {number} moment @param {number} width */
  track(view, moment, width) {
    const { pen } = this;
    const [left, top, wide] = [LANE.pad, LANE.height - LANE.track - 20, width - 2 * LANE.pad];
    const across = (/** @type {number} */ at) => left + (wide * at) / this.clock;
    pen.fillStyle = this.colour('soft');
    pen.fillRect(left, top, wide, LANE.track);
    for (const [phase, start, end] of view.segments) {
      if (start >= moment) break;
      const tall = LANE.track * SHARES[phase];
      pen.fillStyle = this.colour(phase);
      pen.fillRect(across(start), top + LANE.track - tall, across(Math.min(end, moment)) - across(start), tall);
    }
    pen.fillStyle = this.colour('ink');
    pen.fillRect(across(Math.min(moment, this.clock)), top, 2, LANE.track);
  }

  /**
   * @param {FilmLane} lane @param {number} moment @param {number} width
   * @param {[number, number]} text where the text begins, seen from here
   */
  forest(lane, moment, width, text) {
    const { iterations, look } = lane.motion;
    const now = iterationAt(lane.motion, moment);
    for (const at of [now - 1, now]) {
      if (at < 0) continue;
      const frame = frameOf(iterations[at], moment, tailOf(iterations, at));
      if (at < now && frame.away >= 1) continue;
      if (!lane.arranged.has(at)) lane.arranged.set(at, arrange(iterations[at], look, width));
      const arrangement = /** @type {Arrangement} */ (lane.arranged.get(at));
      this.iteration(arrangement, frame, at === iterations.length - 1);
      this.flights(lane, arrangement, frame, text);
    }
    if (now < 0 || moment >= lengthOf(lane.motion)) return;
    this.pen.globalAlpha = 1;
    this.type(13);
    this.write(words(iterations, now, moment), width, FOREST + 10, 'muted', 'right');
  }

  /** @param {Arrangement} arrangement @param {Frame} frame @param {boolean} stays */
  iteration(arrangement, frame, stays) {
    const { pen } = this;
    const [from, to] = arrangement.reach;
    if (frame.phase === 'target') {
      pen.fillStyle = this.colour('target');
      pen.globalAlpha = 0.1;
      pen.fillRect(from, 0, to - from, FOREST);
      pen.globalAlpha = 0.28;
      pen.fillRect(from + (to - from - BAND) * frame.sweep, 0, BAND, FOREST);
    }
    pen.globalAlpha = stays || frame.away === 0 ? 1 : 0; // the next roots take their place
    this.type(arrangement.type);
    for (const { x, y, text } of arrangement.roots) {
      this.write(text, x, y, 'muted', 'right');
      pen.fillStyle = this.colour('ink');
      pen.fillRect(x + 5, y - 3, 6, 6);
    }
    arrangement.guesses.forEach((placed, at) => {
      const one = frame.guesses[at];
      const gone = stays ? 0 : eased(one.away);
      pen.globalAlpha = one.there * (1 - gone);
      this.edge(placed, one.state);
      this.guess(placed, one, arrangement, [0, TAKEN.includes(one.state) ? 0 : FALL * gone]);
    });
  }

  /** @param {string} state */
  stateColour(state) {
    return this.colour(FATE_COLOURS[state] ?? 'muted');
  }

  /** @param {PlacedGuess} placed @param {string} state */
  edge({ curve, stroke }, state) {
    const { pen } = this;
    const alpha = pen.globalAlpha;
    pen.globalAlpha = alpha * 0.55;
    pen.lineWidth = stroke;
    pen.strokeStyle = this.stateColour(state);
    pen.stroke(new Path2D(curve));
    pen.globalAlpha = alpha;
  }

  /** @param {PlacedGuess} placed @param {GuessFrame} frame @param {Arrangement} like @param {[number, number]} by */
  guess({ box, text }, { state }, { pill, corner, type }, [dx, dy]) {
    const { pen } = this;
    const [x, y] = [box.x + dx, box.y + dy];
    const alpha = pen.globalAlpha;
    pen.beginPath();
    pen.roundRect(x, y - pill / 2, box.width, pill, corner);
    pen.fillStyle = this.colour('paper');
    pen.fill();
    pen.globalAlpha = HOLLOW.includes(state) ? 0 : alpha * 0.16;
    pen.fillStyle = this.stateColour(state);
    pen.fill();
    pen.globalAlpha = alpha;
    pen.strokeStyle = this.stateColour(state);
    pen.lineWidth = 1.5;
    pen.setLineDash(HOLLOW.includes(state) && state !== 'dropped' ? [3, 3] : []);
    pen.stroke();
    pen.setLineDash([]);
    this.type(type, 700);
    pen.fillStyle = this.stateColour(state);
    pen.textAlign = 'center';
    pen.fillText(this.glyphs[state] ?? '', x + 10, y);
    this.type(type);
    this.write(text, x + (box.width + 14) / 2, y, 'ink', 'center');
  }

  /**
   * Survivors on their way into the text.
   * @param {FilmLane} lane @param {Arrangement} arrangement @param {Frame} frame @param {[number, number]} text
   */
  flights({ tokens, motion }, arrangement, frame, [left, top]) {
    if (frame.away <= 0 || frame.away >= 1) return;
    const moved = eased(frame.away);
    arrangement.guesses.forEach((placed, at) => {
      const { slot } = placed.guess;
      if (slot === null) return;
      const after = motion.iterations.find((one) => one.tokens > slot)?.tokens ?? tokens.length;
      const { y, stretches } = tokens[slot];
      const up = this.scrolled(tokens[after - 1]);
      this.pen.globalAlpha = 1;
      const by = [(left + (stretches[0]?.x ?? 0) - placed.box.x) * moved, (top + y - up - placed.box.y) * moved];
      this.guess(placed, frame.guesses[at], arrangement, [by[0], by[1]]);
    });
  }
}
