/* A lane's forest, growing out of the end of its text: drawn once an iteration, then moved. Between two iterations
   nothing is laid out; a frame changes transforms, opacities and the states of what just changed. */
import { el, svg } from '../base/dom.js';
import { HEIGHT, arrange } from '../draw/arrange.js';
import { guessElement, rootElement } from '../draw/elements.js';
import { eased, frameOf, iterationAt, lengthOf, tailOf, words } from './moment.js';

/**
 * @import { LaneMotion } from '../payload.js'
 * @import { Arrangement, PlacedGuess } from '../draw/arrange.js'
 * @import { Frame, GuessFrame } from './moment.js'
 * @typedef {(slot: number) => DOMRect | null} PlaceOf where an output token stands on screen
 * @typedef {{copy: SVGElement, by: [number, number]}} Flight a copy that flies to its place in the text
 * @typedef {object} DrawnGuess
 * @property {PlacedGuess} placed
 * @property {SVGElement} body
 * @property {SVGElement} edge
 * @property {SVGElement} glyph
 * @property {Flight | null} flight
 * @property {string} shown what was drawn last
 */

export const FALL = 16; // pixels that a rejected guess sinks
export const BAND = 34; // pixels that the target call's sweep is wide
export const TAKEN = ['accepted', 'root', 'resampled', 'bonus', 'target', 'hand'];

/** @param {SVGElement} body @param {number} dx @param {number} dy */
function moveBy(body, dx, dy) {
  const inner = /** @type {SVGElement} */ (body.firstElementChild);
  inner.style.transform = `translate(${dx.toFixed(1)}px, ${dy.toFixed(1)}px)`;
}

/** One iteration's drawing. */
class Drawing {
  /** @param {Arrangement} arrangement @param {string} look @param {Record<string, string>} glyphs by state */
  constructor(arrangement, look, glyphs) {
    const [from, to] = (this.reach = arrangement.reach);
    this.glyphs = glyphs;
    this.aimed = false;
    this.band = svg('rect', { class: 'sv-band', x: 0, y: 0, width: BAND, height: HEIGHT, rx: 6 });
    this.glow = svg('rect', { class: 'sv-glow', x: from, y: 0, width: to - from, height: HEIGHT, rx: 6 });
    /** @type {DrawnGuess[]} */
    this.guesses = arrangement.guesses.map((placed) => ({
      placed,
      ...guessElement(placed, arrangement),
      flight: null,
      shown: '',
    }));
    this.roots = svg(
      'g',
      {},
      arrangement.roots.map((root) => rootElement(root, arrangement)),
    );
    this.element = svg(
      'g',
      { class: `sv-iteration ${look}` },
      this.glow,
      this.guesses.map(({ edge }) => edge),
      this.roots,
      this.guesses.map(({ body }) => body),
      this.band,
    );
  }

  /** Measure where survivors go: once, before they move. @param {DOMRect} frame @param {PlaceOf} placeOf */
  aim(frame, placeOf) {
    this.aimed = true;
    for (const one of this.guesses) {
      const { guess, box } = one.placed;
      const place = guess.slot === null ? null : placeOf(guess.slot);
      if (!place) continue;
      const copy = /** @type {SVGElement} */ (one.body.cloneNode(true));
      const down = place.top + place.height / 2 - frame.top;
      one.flight = { copy, by: [place.left - frame.left - box.x, down - box.y] };
      one.shown = '';
      this.element.append(copy);
    }
  }

  /** @param {Frame} frame @param {boolean} stays whether the verdict stays to be seen */
  draw(frame, stays) {
    this.guesses.forEach((one, at) => this.drawGuess(one, frame.guesses[at], stays));
    const calling = frame.phase === 'target';
    const [from, to] = this.reach;
    this.band.style.opacity = this.glow.style.opacity = calling ? '1' : '0';
    const along = from + (to - from - BAND) * frame.sweep;
    if (calling) this.band.style.transform = `translateX(${along.toFixed(1)}px)`;
    this.roots.style.opacity = stays || frame.away === 0 ? '1' : '0'; // the next ones take their place
  }

  /** @param {DrawnGuess} one @param {GuessFrame} frame @param {boolean} stays */
  drawGuess(one, { there, state, away }, stays) {
    const { body, edge, glyph, flight } = one;
    const key = `${state} ${there.toFixed(2)} ${away.toFixed(3)}`;
    if (key === one.shown) return;
    one.shown = key;
    if (body.dataset.state !== state) {
      body.dataset.state = edge.dataset.state = state;
      glyph.textContent = this.glyphs[state] ?? '';
    }
    const moved = eased(away);
    const gone = stays ? 0 : moved;
    if (!TAKEN.includes(state)) moveBy(body, 0, FALL * gone);
    body.style.opacity = edge.style.opacity = String(there * (1 - gone));
    if (!flight) return;
    moveBy(flight.copy, flight.by[0] * moved, flight.by[1] * moved);
    flight.copy.style.opacity = away > 0 && away < 1 ? '1' : '0';
  }
}

/** The forest of a lane at any moment, with a line that says what is happening. */
export class LaneForest {
  /** @param {Record<string, string>} glyphs by state @param {PlaceOf} placeOf */
  constructor(glyphs, placeOf) {
    this.glyphs = glyphs;
    this.placeOf = placeOf;
    this.drawing = svg('svg', { class: 'sv-forest-strip', translate: 'no', height: HEIGHT, 'aria-hidden': 'true' });
    this.caption = el('p', { class: 'sv-happening' });
    this.element = el('div', { class: 'sv-lane-stage', 'data-part': 'stage' }, this.drawing, this.caption);
    /** @type {Map<number, Drawing>} */
    this.drawn = new Map();
    /** @type {LaneMotion | null} */
    this.lane = null;
    this.moment = 0;
    this.width = 0;
    new ResizeObserver(() => this.fit()).observe(this.drawing);
  }

  fit() {
    const width = this.drawing.clientWidth;
    if (width === this.width || !width) return;
    this.width = width;
    this.forget();
    if (this.lane) this.draw(this.lane, this.moment);
  }

  forget() {
    this.drawn.clear();
    this.drawing.replaceChildren();
  }

  clear() {
    this.lane = null;
    this.caption.textContent = '';
    this.forget();
  }

  /** @param {LaneMotion} lane @param {number} moment */
  draw(lane, moment) {
    if (lane !== this.lane) this.forget();
    this.lane = lane;
    this.moment = moment;
    if (!this.width) return;
    const { iterations } = lane;
    const now = iterationAt(lane, moment);
    const falling = now > 0 && moment < iterations[now - 1].phases.verify[1] + tailOf(iterations, now - 1);
    const wanted = now < 0 ? [] : falling ? [now - 1, now] : [now];
    for (const [at, drawing] of this.drawn) {
      if (wanted.includes(at)) continue;
      drawing.element.remove();
      this.drawn.delete(at);
    }
    for (const at of wanted) this.drawIteration(lane, at, moment);
    const over = moment >= lengthOf(lane);
    const said = now < 0 || over ? '' : words(iterations, now, moment);
    if (this.caption.textContent !== said) this.caption.textContent = said;
  }

  /** @param {LaneMotion} lane @param {number} at @param {number} moment */
  drawIteration({ iterations, look }, at, moment) {
    let drawing = this.drawn.get(at);
    if (!drawing) {
      drawing = new Drawing(arrange(iterations[at], look, this.width), look, this.glyphs);
      this.drawn.set(at, drawing);
      this.drawing.append(drawing.element);
    }
    const frame = frameOf(iterations[at], moment, tailOf(iterations, at));
    const stays = at === iterations.length - 1;
    drawing.draw(frame, stays);
    if (frame.away === 0 || drawing.aimed) return;
    drawing.aim(this.drawing.getBoundingClientRect(), this.placeOf); // copies of what was just drawn
    drawing.draw(frame, stays);
  }
}
