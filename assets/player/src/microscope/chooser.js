/* Which lane and which iteration to look into. */
import { el, pushButton } from '../base/dom.js';
import { meter } from '../parts/meter.js';

/** @import { LaneView, RaceMessage } from '../payload.js' */

/** The first iteration that kept a guess, and so has something to show; the first of all where none did. */
export const telling = (/** @type {LaneView | null | undefined} */ view) =>
  view?.tokens.find(([, origin]) => origin === 'accepted')?.[2] ?? 0;

export class Chooser {
  /** @param {(lane: number, iteration: number) => void} onchoose */
  constructor(onchoose) {
    this.onchoose = onchoose;
    this.lane = 0;
    this.iteration = 0;
    /** @type {RaceMessage | null} */
    this.race = null;
    this.key = '';
    this.lanes = el('div', { class: 'sv-lanes', role: 'group', 'aria-label': 'Lane' });
    const pick = () => {
      onchoose(this.lane, Number(this.number.value));
    };
    this.number = el('select', { 'aria-label': 'Iteration', onchange: pick });
    this.earlier = this.stepButton('Previous iteration', '‹', -1);
    this.later = this.stepButton('Next iteration', '›', 1);
    this.of = el('span', {});
    this.element = el(
      'div',
      { class: 'sv-choose', 'data-part': 'chooser' },
      this.lanes,
      el(
        'div',
        { class: 'sv-iteration' },
        el('span', {}, 'Iteration'),
        this.earlier,
        this.number,
        this.of,
        this.later,
      ),
    );
  }

  /** @param {string} label @param {string} sign @param {number} direction */
  stepButton(label, sign, direction) {
    const onclick = () => this.onchoose(this.lane, this.iteration + direction);
    return pushButton(sign, onclick, { class: null, 'aria-label': label });
  }

  /** One lane, with its guarantee meter. @param {LaneView | null} view @param {number} which */
  laneChoice(view, which) {
    const onclick = () => this.onchoose(which, telling(this.race?.lanes[which]));
    const more = { class: null, disabled: !view?.iterations };
    const button = pushButton(`${which + 1}  ${view ? view.title : '…'}`, onclick, more);
    const about = view && meter(view.method, view);
    return el('span', { class: 'sv-lane-choice' }, button, about);
  }

  /** @param {RaceMessage} race @param {number} lane @param {number} iteration */
  show(race, lane, iteration) {
    Object.assign(this, { race, lane, iteration });
    const about = race.lanes.map((one) => one && [one.method, one.title, one.options, one.iterations > 0]);
    const key = JSON.stringify([race.run, about]);
    if (key !== this.key) this.lanes.replaceChildren(...race.lanes.map((one, at) => this.laneChoice(one, at)));
    this.key = key;
    [...this.lanes.children].forEach((choice, at) => {
      choice.firstElementChild?.setAttribute('aria-pressed', String(at === lane));
    });
    const view = race.lanes[lane];
    if (view) this.showIteration(view);
  }

  /** @param {LaneView} view */
  showIteration({ iterations }) {
    const option = (/** @type {unknown} */ _, /** @type {number} */ at) => el('option', { value: at }, at + 1);
    if (this.number.childElementCount !== iterations) {
      this.number.replaceChildren(...Array.from({ length: iterations }, option));
    }
    this.number.value = String(this.iteration);
    this.of.textContent = `of ${iterations}`;
    this.earlier.disabled = this.iteration === 0;
    this.later.disabled = this.iteration >= iterations - 1;
  }
}
