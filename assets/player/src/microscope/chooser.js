/* Which lane and which iteration to look into. */
import { el, pushButton } from '../base/dom.js';
import { meter } from '../parts/meter.js';
import { Iterations } from '../player/iterations.js';

/** @import { LaneView, RaceMessage } from '../payload.js' */

/** The first iteration that kept a guess, and so has something to show; the first of all where none did. */
export const telling = (/** @type {LaneView | null | undefined} */ view) =>
  view?.tokens.find(([, origin]) => origin === 'accepted')?.[2] ?? 0;

export class Chooser {
  /** @param {(lane: number, iteration: number) => void} onchoose */
  constructor(onchoose) {
    this.onchoose = onchoose;
    this.lane = 0;
    /** @type {RaceMessage | null} */
    this.race = null;
    this.key = '';
    this.lanes = el('div', { class: 'sv-lanes', role: 'group', 'aria-label': 'Lane' });
    this.iterations = new Iterations((iteration) => onchoose(this.lane, iteration));
    this.element = el('div', { class: 'sv-choose', 'data-part': 'chooser' }, this.lanes, this.iterations.element);
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
    Object.assign(this, { race, lane });
    const about = race.lanes.map((one) => one && [one.method, one.title, one.options, one.iterations > 0]);
    const key = JSON.stringify([race.run, about]);
    if (key !== this.key) this.lanes.replaceChildren(...race.lanes.map((one, at) => this.laneChoice(one, at)));
    this.key = key;
    [...this.lanes.children].forEach((choice, at) => {
      choice.firstElementChild?.setAttribute('aria-pressed', String(at === lane));
    });
    const view = race.lanes[lane];
    if (view) this.iterations.show(iteration, view.iterations);
  }
}
