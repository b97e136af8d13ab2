/* A question to the class: one button an answer for students, one bar an answer once the teacher shows the tally, and
   the right one marked once the teacher shows the answer. */
import { el, pushButton } from '../base/dom.js';
import { sharesOf } from './screen.js';

/**
 * @import { ClassPoll } from '../payload.js'
 * @typedef {{item: HTMLElement, answer: HTMLElement, share: HTMLElement, said: HTMLElement}} Row
 */

/** How many have answered. @param {number} votes @param {number} students */
export function turnoutWords(votes, students) {
  if (votes === 0) return 'Nobody has answered yet.';
  if (students > 1 && votes >= students) return `All ${students} students have answered.`;
  if (votes >= students) return votes === 1 ? 'One student has answered.' : `${votes} students have answered.`;
  return `${votes} of ${students} students ${votes === 1 ? 'has' : 'have'} answered.`;
}

export class PollCard {
  /** @type {ClassPoll | null} */
  poll = null;
  students = 0;
  teaches = false;
  /** @type {{poll: number, choice: number} | null} */
  mine = null; // this student's vote
  built = ''; // which question the rows are of, and for whom
  /** @type {Row[]} */
  rows = [];
  heading = el('h2', {});
  choices = el('ol', { class: 'sv-poll-choices' });
  foot = el('p', { class: 'sv-poll-foot', role: 'status' });
  element = el(
    'section',
    { class: 'sv-poll', 'data-part': 'class', 'aria-label': 'A question to the class', hidden: true },
    this.heading,
    this.choices,
    this.foot,
  );

  /** @param {(poll: number, choice: number) => void} onvote */
  constructor(onvote) {
    this.onvote = onvote;
  }

  /** @param {ClassPoll | null} poll @param {boolean} teaches @param {number} students */
  show(poll, teaches, students) {
    Object.assign(this, { poll, teaches, students });
    this.element.hidden = !poll;
    const wanted = poll ? `${poll.number} ${teaches}` : '';
    if (wanted !== this.built) this.build(poll);
    this.built = wanted;
    if (poll) this.draw(poll);
  }

  /** @param {ClassPoll} poll */
  draw(poll) {
    const { tally, right } = poll;
    const shares = tally && sharesOf(tally);
    const chosen = this.chosen(poll);
    this.rows.forEach(({ item, answer, share, said }, at) => {
      if (answer instanceof HTMLButtonElement) {
        answer.setAttribute('aria-pressed', String(chosen === at));
        answer.disabled = right !== null;
      }
      item.classList.toggle('right', right === at);
      const mine = chosen === at ? 'your answer' : '';
      said.textContent = right === at ? ['✓ right answer', mine].filter(Boolean).join(', ') : mine;
      share.hidden = !shares;
      if (!shares) return;
      const { count, percent } = shares[at];
      const length = el('span', { class: 'sv-length', style: { width: `${percent}%` } });
      share.replaceChildren(length, el('b', {}, `${count} (${percent} %)`));
    });
    const said = this.words(poll);
    if (this.foot.textContent !== said) this.foot.textContent = said;
  }

  /**
   * Rows that stay while votes come in, so that no click is lost.
   * @param {ClassPoll | null} poll
   */
  build(poll) {
    this.heading.textContent = poll ? poll.question : '';
    const { number = 0, choices = [] } = poll ?? {};
    this.rows = choices.map((words, at) => {
      const vote = () => this.vote(number, at);
      const answer = this.teaches ? el('span', {}, words) : pushButton(words, vote, { class: 'sv-choice' });
      const said = el('em', { class: 'sv-poll-said' });
      const share = el('span', { class: 'sv-poll-share', hidden: true });
      return { item: el('li', {}, answer, said, share), answer, share, said };
    });
    this.choices.replaceChildren(...this.rows.map(({ item }) => item));
  }

  /** This student's choice; null where there is none. @param {ClassPoll} poll */
  chosen({ number }) {
    return this.mine?.poll === number ? this.mine.choice : null;
  }

  /** @param {number} poll @param {number} choice */
  vote(poll, choice) {
    this.mine = { poll, choice };
    this.onvote(poll, choice);
    if (this.poll) this.draw(this.poll);
  }

  /** @param {ClassPoll} poll */
  words(poll) {
    const { votes, tally, right } = poll;
    const turnout = turnoutWords(votes, this.students);
    if (this.teaches) return tally ? turnout : `${turnout} Nobody sees the answers until you show the tally.`;
    const chosen = this.chosen(poll);
    if (right !== null)
      return chosen === null ? turnout : chosen === right ? 'You were right.' : 'You were not right.';
    if (chosen === null) return 'Choose an answer. Nobody sees which one is yours.';
    return tally ? `${turnout} You may still change yours.` : 'You have answered, and may still change your answer.';
  }
}
