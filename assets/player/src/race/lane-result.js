/* The result of one lane: its text with every token coloured by origin, the forest at its end, its dials and its
   measured timeline; whole, or as it was at a moment of the lane's clock. */
import { closest, el, svg } from '../base/dom.js';
import { END, keepWhole, marked, named, strip } from '../base/pieces.js';
import { LaneForest } from '../stage/forest.js';
import { endOf, settledAt } from '../stage/moment.js';
import { isShown } from './dials.js';

/** @import { Dial, LaneMotion, LaneView } from '../payload.js' */

/** @type {Record<string, [top: number, height: number]>} */
const HEIGHTS = { draft: [0.5, 0.5], target: [0, 1], verify: [0.75, 0.25] }; // phases differ in shape, too
const PENDING = 'Not settled yet: the likeliest beam says this, and the beams still differ here.';

/** How likely the target found a token, in words. @param {number | null} logprob */
export const probabilityWords = (logprob) =>
  logprob === null
    ? 'the target gives it no probability'
    : `target probability ${Number(Math.exp(logprob).toPrecision(2))}`;

/** What a lane has written, without the end. @param {LaneView} view */
export const answerOf = ({ tokens }) =>
  tokens
    .map(([piece]) => piece)
    .filter((piece) => piece !== END)
    .join('')
    .trim();

/**
 * @param {LaneView['tokens'][number]} token
 * @param {Record<string, string>} words of the origins
 * @param {boolean} beams whether tokens become output in the iteration that settles them
 * @param {boolean} opens whether a click looks inside
 */
function tokenElement([piece, origin, iteration, logprob], words, beams, opens) {
  const when = `${beams ? 'settled in ' : ''}iteration ${iteration + 1}`;
  const attributes = {
    class: `sv-token ${origin}`,
    role: opens ? 'button' : 'note',
    tabindex: -1,
    'data-iteration': iteration,
    'aria-label': `${named(piece)}, ${words[origin]}`,
    'data-tip': `${words[origin]} · ${when} · ${probabilityWords(logprob)}${opens ? ' · click to look inside' : ''}`,
  };
  return el('span', attributes, marked(piece));
}

/**
 * What the likeliest beam says beyond the settled text; a click leads to the newest iteration.
 * @param {LaneView} view
 */
function pendingElement(view) {
  const attributes = {
    class: 'sv-token pending',
    role: 'button',
    tabindex: -1,
    'data-iteration': view.iterations - 1,
    'aria-label': `${view.pending.join('')}, not settled`,
    'data-tip': `${PENDING} Click to look inside the newest iteration.`,
  };
  return el(
    'span',
    attributes,
    view.pending.map((piece) => marked(piece)),
  );
}

/** @param {string} text @param {string} unit */
const dialValue = (text, unit) => (unit === '%' ? [`${text} %`] : [text, unit ? el('small', {}, unit) : null]);

/** @param {Dial} dial */
function dialElement(dial) {
  const value = el('dd', {}, dialValue(dial.text, dial.unit));
  const about = { class: 'sv-dial', tabindex: 0, 'data-tip': dial.help, hidden: !isShown(dial) };
  return el('div', about, el('dt', {}, dial.label), value);
}

/** The results of a lane. `update` appends what is new; `axis` sets the common scale. */
export class LaneResult {
  /**
   * @param {number} number the lane's, from 1
   * @param {{words: Record<string, string>, glyphs: Record<string, string>}} key words of the origins, and what stands
   * for origins and outcomes
   * @param {((iteration: number, token: number | null) => void) | null} onopen null: nothing is to be looked into
   */
  constructor(number, { words, glyphs }, onopen) {
    this.words = words;
    this.onopen = onopen;
    this.shown = '';
    /** @type {LaneView | null} */
    this.view = null;
    this.settled = -1; // iterations that are shown as text; -1: all
    this.seconds = 1; // of the axis
    this.forest = new LaneForest(glyphs, (slot) => this.placeOf(slot));
    this.tokens = 0;
    this.segments = 0;
    const label = `Text of lane ${number}: arrow keys walk its tokens${onopen ? ', Enter looks inside' : ''}`;
    this.text = strip('p', { class: 'sv-text', role: 'group', 'aria-label': label });
    this.note = el('p', { class: 'sv-note' });
    this.dials = el('dl', { class: 'sv-dials', 'data-part': 'dials' });
    const drawing = { class: 'sv-track', viewBox: '0 0 1 1', preserveAspectRatio: 'none', role: 'img' };
    this.drawing = svg('svg', drawing);
    this.clock = el('span', { class: 'sv-clock' });
    this.future = el('div', { class: 'sv-future' });
    this.playhead = el('div', { class: 'sv-playhead' });
    const moving = el('div', { class: 'sv-moving', 'aria-hidden': 'true' }, this.future, this.playhead);
    const time = el('div', { class: 'sv-time', 'data-part': 'timeline' }, this.drawing, moving, this.clock);
    this.element = el('div', { class: 'sv-result' }, this.note, this.text, this.forest.element, this.dials, time);
    this.listen();
  }

  listen() {
    this.text.addEventListener('click', (event) => this.open(event.target));
    this.drawing.addEventListener('click', (event) => this.open(event.target));
    this.text.addEventListener('keydown', (event) => this.walk(event));
    for (const name of ['pointerover', 'pointerleave', 'focusin']) {
      this.element.addEventListener(name, (event) => this.light(event));
    }
  }

  /** Which of its iteration's tokens a token is; null for something else. @param {HTMLElement} token */
  positionOf(token) {
    const same = `.sv-token:not(.pending)[data-iteration="${token.dataset.iteration}"]`;
    const at = [...this.text.querySelectorAll(same)].indexOf(token);
    return at < 0 ? null : at;
  }

  /** @param {EventTarget | null} target */
  open(target) {
    const at = closest(target, '[data-iteration]');
    if (at) this.onopen?.(Number(at.dataset.iteration), this.positionOf(at));
  }

  /** Arrow keys walk the tokens, Enter looks inside. @param {KeyboardEvent} event */
  walk(event) {
    const here = closest(event.target, '.sv-token');
    if (!here) return;
    const [on, back] = this.text.matches(':dir(rtl)') ? ['ArrowLeft', 'ArrowRight'] : ['ArrowRight', 'ArrowLeft'];
    /** @type {Record<string, Element | null>} */
    const ways = {
      [on]: here.nextElementSibling,
      [back]: here.previousElementSibling,
      Home: this.text.firstElementChild,
      End: this.text.lastElementChild,
    };
    const next = ways[event.key];
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      this.open(here);
    } else if (next instanceof HTMLElement) {
      event.preventDefault();
      here.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    }
  }

  /** What belongs to one iteration lights up together. @param {Event} event */
  light(event) {
    const at = closest(event.target, '[data-iteration]');
    for (const lit of this.element.querySelectorAll('.lit')) lit.classList.remove('lit');
    if (!at || event.type === 'pointerleave') return;
    const same = this.element.querySelectorAll(`[data-iteration="${at.dataset.iteration}"]`);
    for (const one of same) one.classList.add('lit');
  }

  /** @param {LaneView} view */
  grow(view) {
    const { text } = this;
    text.querySelector('.pending')?.remove();
    for (; this.tokens < view.tokens.length; this.tokens++) {
      text.append(tokenElement(view.tokens[this.tokens], this.words, view.beams, this.onopen !== null));
    }
    if (view.pending.length) text.append(pendingElement(view));
    keepWhole(text);
    const first = text.firstElementChild;
    if (first instanceof HTMLElement && !text.querySelector('[tabindex="0"]')) first.tabIndex = 0;
    for (; this.segments < view.segments.length; this.segments++) this.addSegment(view.segments[this.segments]);
  }

  /** @param {LaneView['segments'][number]} segment */
  addSegment([phase, start, end, iteration]) {
    let group = /** @type {SVGElement | null} */ (this.drawing.lastElementChild);
    if (!group || group.dataset.iteration !== String(iteration)) {
      group = svg('g', { 'data-iteration': iteration, 'data-tip': '' });
      this.drawing.append(group);
    }
    const [y, height] = HEIGHTS[phase];
    group.append(svg('rect', { class: phase, x: start, y, width: Math.max(0, end - start), height }));
    const before = group.dataset.tip || `iteration ${iteration + 1}`;
    group.dataset.tip = `${before} · ${phase} ${((end - start) * 1000).toFixed(1)} ms`;
  }

  clear() {
    this.shown = '';
    this.tokens = 0;
    this.segments = 0;
    for (const part of [this.text, this.drawing, this.dials]) part.replaceChildren();
    this.note.textContent = '';
    delete this.text.dataset.model;
    this.clock.textContent = '';
    this.settled = -1;
    this.forest.clear();
  }

  /**
   * @param {string} run
   * @param {LaneView} view
   * @param {boolean} stale whether the lane is set to something else now
   */
  update(run, view, stale) {
    const key = [run, view.method, JSON.stringify(view.options)].join();
    if (this.shown !== key || view.tokens.length < this.tokens) this.clear();
    this.shown = key;
    const clock = view.clock.toFixed(2);
    const label = `Timeline: ${view.iterations} iterations in ${clock} seconds of this lane's own clock`;
    this.note.textContent = stale ? `Result of ${view.title}: run the race to see the lane as it is set now.` : '';
    this.text.dataset.model = view.model;
    this.grow(view);
    this.dials.replaceChildren(...view.dials.map(dialElement));
    this.clock.textContent = `${clock} s`;
    this.drawing.setAttribute('aria-label', label);
    this.element.classList.toggle('finished', view.finished);
    this.view = view;
    this.settled = -1;
    if (view.newest) this.forest.draw(view.newest, endOf(view.newest.iterations[0]));
  }

  /** Show the numbers that the reader has chosen. */
  choose() {
    this.view?.dials.forEach((dial, at) => this.dials.children[at].toggleAttribute('hidden', !isShown(dial)));
  }

  /** The lane as it was at a moment of its clock. @param {LaneMotion} motion @param {number} moment */
  showMoment(motion, moment) {
    const settled = settledAt(motion, moment);
    if (settled !== this.settled) this.settle(motion, settled);
    this.forest.draw(motion, moment);
    const share = Math.min(1, moment / this.seconds);
    this.future.style.transform = `scaleX(${1 - share})`;
    this.playhead.style.transform = `translateX(${100 * share}%)`;
  }

  /** Show what so many iterations wrote. @param {LaneMotion} motion @param {number} settled */
  settle(motion, settled) {
    this.settled = settled;
    const whole = settled >= motion.iterations.length;
    const tokens = settled ? motion.iterations[settled - 1].tokens : 0;
    [...this.text.children].forEach((token, at) => token.classList.toggle('ahead', !whole && at >= tokens));
    const newest = this.text.children[Math.max(0, tokens - 1)];
    if (newest instanceof HTMLElement && !whole) this.scrollTo(newest);
    const then = motion.dials[settled - 1] ?? [];
    this.view?.dials.forEach((dial, at) => {
      const [text, unit] = whole ? [dial.text, dial.unit] : (then[at] ?? ['–', '']);
      this.dials.children[at].querySelector('dd')?.replaceWith(el('dd', {}, dialValue(text, unit)));
    });
  }

  /** @param {HTMLElement} token */
  scrollTo(token) {
    const { text } = this;
    const low = token.offsetTop - text.offsetTop + token.offsetHeight - text.clientHeight;
    const high = token.offsetTop - text.offsetTop;
    text.scrollTop = Math.min(high, Math.max(low, text.scrollTop));
  }

  /** Where an output token stands on screen. @param {number} slot */
  placeOf(slot) {
    const token = this.text.children[slot];
    if (!(token instanceof HTMLElement)) return null;
    this.scrollTo(token);
    return token.getBoundingClientRect();
  }

  /** @param {number} seconds of the whole axis @param {LaneView | null} view */
  axis(seconds, view) {
    this.seconds = seconds;
    this.drawing.setAttribute('viewBox', `0 0 ${seconds} 1`);
    this.clock.style.left = `${(100 * (view ? view.clock : 0)) / seconds}%`;
  }
}
