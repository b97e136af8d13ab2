/* What a race comes to, in words: the key to its colours, each lane's pace, the verdict. */
import { el } from '../base/dom.js';
import { lessonAddress, pageLink } from '../base/page-link.js';
import { explained } from '../base/terms.js';
import { callBars } from '../parts/call-bars.js';
import { theoryTable } from './theory.js';

/** @import { OriginKey, Pace, PhaseKey, RaceLegend, RaceMessage } from '../payload.js' */

/**
 * The words of the origins of tokens, and the glyphs of origins and of what can come of a guess.
 * @param {RaceLegend} legend
 */
export function keyOf({ origins, outcomes }) {
  const words = Object.fromEntries(origins.map(({ name, word }) => [name, word]));
  const glyphs = Object.fromEntries([...outcomes, ...origins].map(({ name, glyph }) => [name, glyph]));
  return { words, glyphs };
}

/** What the colours mean. @param {RaceLegend} legend */
export function legendElement({ origins, phases }) {
  const token = (/** @type {OriginKey} */ { name, glyph, word, help }) => {
    const sample = el('i', { class: `sv-token ${name}`, 'aria-hidden': 'true' }, glyph);
    return el('span', { class: 'sv-key', tabindex: 0, 'data-tip': help }, sample, word);
  };
  const phase = (/** @type {PhaseKey} */ { name, word }) =>
    el('span', { class: 'sv-key' }, el('i', { class: `sv-swatch ${name}`, 'aria-hidden': 'true' }), word);
  const tokens = { role: 'group', 'aria-label': 'Where a token came from' };
  const time = { role: 'group', 'aria-label': 'What the clock was spent on' };
  return el(
    'div',
    { class: 'sv-legend', 'data-part': 'legend' },
    el('div', tokens, el('b', {}, 'Tokens'), origins.map(token)),
    el('div', time, el('b', {}, 'Time'), phases.map(phase)),
  );
}

/** @type {Record<Pace['kind'], string>} */
const PACE_MARKS = { faster: '▲ ', slower: '▼ ', disturbed: '⚠ ' };

/** How a lane compares, in a sentence. @param {HTMLElement} element @param {Pace | null} pace */
export function showPace(element, pace) {
  element.hidden = !pace;
  if (!pace) return;
  element.className = `sv-pace ${pace.kind}`;
  const mark = el('b', { 'aria-hidden': 'true' }, PACE_MARKS[pace.kind]);
  element.replaceChildren(mark, ...explained(pace.text));
}

/** The sentences below the lanes. */
export class Summary {
  /** @param {((lesson: string) => void) | null} toLesson opens a lesson; null where there are none */
  constructor(toLesson = null) {
    this.toLesson = toLesson;
    this.verdict = el('ul', {});
    this.calls = el('div', {});
    this.aboutCalls = el('p', {});
    this.cost = el(
      'div',
      { class: 'sv-call-costs' },
      el('h3', {}, 'What a target call cost'),
      this.calls,
      this.aboutCalls,
    );
    this.theory = el('div', { class: 'sv-theory' });
    this.lesson = el('p', { hidden: true });
    this.care = el('p', { class: 'sv-care', hidden: true });
    this.element = el(
      'section',
      { class: 'sv-verdict', hidden: true, 'data-part': 'verdict' },
      el('h2', {}, 'What this race showed'),
      this.care,
      this.verdict,
      this.lesson,
      this.cost,
      this.theory,
    );
  }

  /** @param {RaceMessage} race */
  show(race) {
    const { verdict, care, lesson } = race;
    this.element.hidden = verdict.length === 0;
    this.care.hidden = !care;
    this.care.textContent = care || '';
    this.lesson.hidden = !lesson || !this.toLesson;
    this.lesson.replaceChildren(this.lessonLink(lesson));
    this.showCalls(race);
    this.theory.hidden = !race.theory?.length;
    this.theory.replaceChildren(...(race.theory?.length ? theoryTable(race.theory) : []));
    this.verdict.replaceChildren(...verdict.map((sentence) => el('li', {}, explained(sentence))));
  }

  /** @param {string} lesson */
  lessonLink(lesson) {
    const words = 'Why lossless texts may differ: the lesson\u00a0›';
    return pageLink(lessonAddress(lesson), () => this.toLesson?.(lesson), {}, words);
  }

  /** @param {RaceMessage} race */
  showCalls({ calls, about_calls: about }) {
    this.cost.hidden = !about;
    this.aboutCalls.replaceChildren(...explained(about));
    this.calls.replaceChildren(callBars(calls));
  }
}
