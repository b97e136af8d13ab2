/* The parts of a lesson: whole runs side by side, what people often think, everything in order for paper. */
import { el } from '../base/dom.js';
import { marked, strip } from '../base/pieces.js';
import { explained } from '../base/terms.js';
import { callBars } from '../parts/call-bars.js';
import { Player } from '../player/player.js';

/**
 * @import { IterationPayload, LessonData, LessonLane, LessonLook } from '../payload.js'
 * @import { LessonStep, MeasuredCosts, Misconception } from '../payload.js'
 */

/** Players by the panels they show: a lesson needs two or three, made when first used. */
export class PlayerRack {
  /** @param {HTMLElement} stage @param {(direction: number) => void} onedge */
  constructor(stage, onedge) {
    this.stage = stage;
    this.onedge = onedge;
    /** @type {Map<string, {spot: HTMLElement, player: Player}>} */
    this.rack = new Map();
  }

  /** @param {string[]} panels */
  playerFor(panels) {
    const name = panels.join();
    const known = this.rack.get(name);
    if (known) return known;
    const spot = el('div', { 'data-panels': name });
    const made = { spot, player: new Player(spot, { panels, compact: true, onedge: this.onedge }) };
    this.rack.set(name, made);
    return made;
  }

  /**
   * Show one scene of a payload with some panels, and a node lit; no payload: nothing.
   * @param {IterationPayload | null} payload
   * @param {LessonLook} look
   */
  show(payload, { scene, panels, light }) {
    const chosen = payload && this.playerFor(panels);
    this.stage.replaceChildren(...(chosen ? [chosen.spot] : [])); // the hidden ones could give the answer away
    if (!payload || !chosen || scene === null) return;
    chosen.player.load(payload, scene, { only: [scene] });
    if (light !== null) chosen.player.focus(light);
  }
}

/** @param {LessonLane['numbers'][number]} number */
function measure({ label, text, unit, help, share }) {
  const bar = el('span', { class: 'sv-length', style: { width: `${100 * share}%` } });
  const value = el('dd', {}, bar, el('b', {}, `${text} ${unit}`.trim()));
  return el('div', { class: 'sv-measure' }, el('dt', { 'data-tip': help, tabindex: 0 }, label), value);
}

/**
 * Whole runs side by side: what they wrote, and numbers with bars.
 * @param {LessonLane[]} views
 * @param {((method: string) => Node) | null} meter how each keeps the target's distribution; null: not said
 */
export function lanes(views, meter) {
  const token = (/** @type {LessonLane['tokens'][number]} */ [piece, origin]) =>
    el('span', { class: `sv-token ${origin}` }, marked(piece));
  const lane = (/** @type {LessonLane} */ { method, title, options, tokens, numbers }) => {
    const heading = el('h3', {}, title, options ? el('small', {}, ` ${options}`) : null);
    return el(
      'section',
      { class: 'sv-lesson-lane' },
      el('div', { class: 'sv-lesson-method' }, heading, meter && meter(method)),
      strip('p', { class: 'sv-wrote' }, tokens.map(token)),
      el('dl', {}, numbers.map(measure)),
    );
  };
  return el('div', { class: 'sv-lesson-lanes' }, views.map(lane));
}

/** What calls cost by the tokens they read. @param {MeasuredCosts} measured */
export const costs = ({ calls, source }) =>
  el('figure', { class: 'sv-lesson-costs' }, callBars(calls), el('figcaption', { class: 'sv-hint' }, source));

/** @param {Misconception} one */
export const misconception = ({ think, but }) =>
  el(
    'aside',
    { class: 'sv-think', 'aria-label': 'People often think' },
    el('h3', {}, 'People often think'),
    el('blockquote', {}, `“${think}”`),
    el('p', {}, explained(but)),
  );

/** @param {LessonStep} step */
function printedStep({ say, misconceptions, look }) {
  const thoughts = misconceptions.map(({ think, but }) =>
    el('p', {}, el('b', {}, `People often think: “${think}” `), but),
  );
  return el('li', {}, el('p', {}, say), look.where && el('p', { class: 'sv-hint' }, look.where.words), thoughts);
}

/** Everything in order, for paper. @param {LessonData} data */
export function printed({ lesson }) {
  const choices = lesson.question.choices.map(({ text, answer, right }) =>
    el('li', {}, el('b', {}, `${right ? '✓' : '✗'} ${text} `), answer),
  );
  return el(
    'section',
    { class: 'sv-printed' },
    el('h2', {}, 'The whole lesson'),
    el('p', {}, el('b', {}, lesson.question.text)),
    el('ol', { type: 'A' }, choices),
    el('ol', {}, lesson.steps.map(printedStep)),
    el('p', {}, el('b', {}, lesson.takeaway)),
  );
}
