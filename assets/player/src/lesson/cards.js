/* The list of lessons, with what this browser remembers of each: how far it was read, how often the reader was
   right. */
import { el, pushButton } from '../base/dom.js';
import { lessonAddress, pageLink } from '../base/page-link.js';
import { keepProgress, progress, progressWords } from './progress.js';
import { keepScores, scores, tallyOf, tallyWords, wholeTally } from './score.js';
import { sketch } from './sketch.js';

/** @import { LessonCard } from '../payload.js' */

export class LessonCards {
  /** @param {LessonCard[]} lessons @param {(name: string) => void} onopen */
  constructor(lessons, onopen) {
    this.onopen = onopen;
    this.lessons = lessons;
    this.list = el('ol', { class: 'sv-lessons' });
    this.list.append(...lessons.map((one, at) => this.card(one, at + 1)));
    this.said = el('span', { role: 'status' });
    const tip = 'Forget what was read and answered in this browser';
    const begin = () => this.beginAgain();
    this.again = pushButton(null, begin, { 'data-tip': tip });
    this.score = el('p', { class: 'sv-own-score', hidden: true }, this.said, this.again);
    this.element = el('div', {}, this.score, this.list);
    /** @type {(() => void) | null} */
    this.undo = null;
  }

  /** @param {LessonCard} lesson @param {number} number */
  card({ name, title, asks, goal, minutes, sketch: picture }, number) {
    return el(
      'li',
      {},
      pageLink(
        lessonAddress(name),
        () => this.onopen(name),
        { 'data-lesson': name },
        el('span', { class: 'sv-count-of', 'aria-hidden': 'true' }, number),
        el('h2', {}, title),
        el('p', { class: 'sv-asks' }, asks),
        picture && sketch(picture),
        el('p', { class: 'sv-goal' }, el('b', {}, 'Goal: '), goal),
        el(
          'p',
          {},
          el('small', {}, `${minutes} minutes`),
          el('small', { class: 'sv-read', 'data-progress': name }),
          el('small', { class: 'sv-read', 'data-score': name }),
        ),
      ),
    );
  }

  /** What was read and answered by now. */
  refresh() {
    const [read, right] = [progress(), scores()];
    for (const { name } of this.lessons) {
      this.mark(`[data-progress="${name}"]`, progressWords(read[name]));
      this.mark(`[data-score="${name}"]`, tallyWords(tallyOf(right[name])));
    }
    const done = this.lessons.filter(({ name }) => (read[name] ?? 0) >= 1).length;
    const tally = wholeTally(right);
    this.undo = null;
    this.again.textContent = 'Begin again';
    this.score.hidden = tally.asked === 0 && Object.keys(read).length === 0;
    const answers = tally.asked ? `${tallyWords(tally)}, ` : '';
    this.said.textContent = `You so far: ${answers}${done} of ${this.lessons.length} lessons done.`;
  }

  /** @param {string} selector @param {string} text */
  mark(selector, text) {
    const found = this.list.querySelector(selector);
    if (found) found.textContent = text;
  }

  /** Forget, or, pressed once more, remember again. */
  beginAgain() {
    if (this.undo) {
      this.undo();
      this.refresh();
      return;
    }
    const [read, right] = [progress(), scores()];
    keepProgress({});
    keepScores({});
    this.refresh();
    this.score.hidden = false;
    this.said.textContent = 'Forgotten: all lessons begin anew.';
    this.again.textContent = 'Undo';
    this.undo = () => {
      keepProgress(read);
      keepScores(right);
    };
  }
}
