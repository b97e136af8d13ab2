/* A whole race to be looked at and played again, without a form: what an exported file shows. */
import { el } from '../base/dom.js';
import { explained } from '../base/terms.js';
import { LaneResult } from './lane-result.js';
import { Summary, keyOf, legendElement, showPace } from './outcome.js';
import { RaceReplay } from './replay.js';
import { axis, ticksFor } from './ticks.js';

/** @import { LaneView, RaceDocument } from '../payload.js' */

/** What a lane is, beside its result. @param {LaneView} view @param {number} number */
function laneHead({ title, summary, guarantee }, number) {
  const badge = el(
    'span',
    { class: `sv-told${guarantee.exact ? '' : ' lossy'}`, 'data-tip': guarantee.help, tabindex: 0 },
    guarantee.name,
  );
  const name = el(
    'h2',
    { class: 'sv-pick' },
    el('span', { class: 'sv-number', 'aria-hidden': 'true' }, number),
    title,
  );
  return el('div', { class: 'sv-settings' }, name, el('p', { class: 'sv-caption' }, explained(summary)), badge);
}

/** @param {RaceDocument} data */
export function raceElement({ race, legend, motion }) {
  const key = keyOf(legend);
  const views = race.lanes.filter((view) => view !== null);
  const results = views.map((_, index) => new LaneResult(index + 1, key, null));
  const marks = ticksFor(Math.max(0, ...views.map(({ clock }) => clock)));
  const lanes = views.map((view, index) => {
    const pace = el('p', { class: 'sv-pace' });
    showPace(pace, view.pace);
    results[index].update(race.run, view, false);
    results[index].axis(marks[marks.length - 1], view);
    const outcome = el('div', { class: 'sv-outcome' }, results[index].element, pace);
    return el('article', { class: 'sv-lane', 'aria-label': `Lane ${index + 1}` }, laneHead(view, index + 1), outcome);
  });
  const alert = el('div', { class: 'sv-alert', role: 'alert' });
  const deck = el('div', { class: 'sv-deck' }, lanes);
  const tell = (/** @type {string} */ text) => (alert.textContent = text);
  const replay = new RaceReplay({ deck, results: () => results, glyphs: key.glyphs, server: null, tell });
  replay.load(
    { ...race, lanes: views },
    motion.filter((_, index) => race.lanes[index]),
  );
  const scale = axis();
  scale.draw(marks);
  const summary = new Summary();
  summary.show(race);
  const asked =
    race.prompt === null ? null : el('blockquote', { class: 'sv-asked', dir: 'auto', translate: 'no' }, race.prompt);
  const headline = el('div', { class: 'sv-headline' }, legendElement(legend), asked);
  const foot = el('div', { class: 'sv-foot' }, el('span', {}), scale.element);
  return el(
    'section',
    { class: 'sv-results', 'aria-label': 'The race' },
    headline,
    alert,
    replay.element,
    foot,
    summary.element,
  );
}
