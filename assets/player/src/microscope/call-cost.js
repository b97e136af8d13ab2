/* At the target call: what calls of this race cost by the tokens they read, this one marked. Shown where the race has
   calls that compare. */
import { el } from '../base/dom.js';
import { explained } from '../base/terms.js';
import { callBars } from '../parts/call-bars.js';

/** @import { CallCost, RaceMessage } from '../payload.js' */

/**
 * How many tokens a call read; null where it is not among those that were timed.
 * @param {CallCost[]} calls
 * @param {number} tokens
 */
export const timed = (calls, tokens) => (calls.some((call) => call.tokens === tokens) ? tokens : null);

export class CallCosts {
  constructor() {
    this.bars = el('div', {});
    this.about = el('p', {});
    const title = el('h3', {}, 'What a target call cost in this race');
    const attributes = { class: 'sv-cost-here', 'data-part': 'costs', hidden: true };
    this.element = el('section', attributes, title, this.bars, this.about);
  }

  /**
   * @param {RaceMessage | null} race
   * @param {number | null} tokens that the call on screen read; null: there is none
   */
  show(race, tokens) {
    const calls = race?.about_calls ? race.calls : [];
    this.element.hidden = tokens === null || calls.length === 0;
    if (!race || tokens === null || this.element.hidden) return;
    const here = timed(calls, tokens);
    const mark = here === null ? ` This call read ${tokens}: none like it was timed twice.` : '';
    this.bars.replaceChildren(callBars(calls, here));
    this.about.replaceChildren(...explained(race.about_calls), mark);
  }
}
