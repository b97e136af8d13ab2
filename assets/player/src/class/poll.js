/* A question to the class: one button an answer for students, one bar an answer once the teacher shows the tally. */
import { el } from '../base/dom.js';
import { sharesOf } from './screen.js';

/**
 * @import { ClassPoll } from '../payload.js'
 * @typedef {{answer: HTMLElement, share: HTMLElement}} Row
 */

export class PollCard {
  /** @type {ClassPoll | null} */
  poll = null;
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
    { class: 'sv-poll', 'aria-label': 'A question to the class', hidden: true },
    this.heading,
    this.choices,
    this.foot,
  );

  /** @param {(poll: number, choice: number) => void} onvote */
  constructor(onvote) {
    this.onvote = onvote;
  }

  /** @param {ClassPoll | null} poll @param {boolean} teaches */
  show(poll, teaches) {
    this.poll = poll;
    this.element.hidden = !poll;
    const wanted = poll ? `${poll.number} ${teaches}` : '';
    if (wanted !== this.built) this.build(poll, teaches);
    this.built = wanted;
    if (!poll) return;
    const shares = poll.tally && sharesOf(poll.tally);
    this.rows.forEach(({ answer, share }, at) => {
      const pressed = this.mine?.poll === poll.number && this.mine.choice === at;
      if (!teaches) answer.setAttribute('aria-pressed', String(pressed));
      share.hidden = !shares;
      if (!shares) return;
      const { count, percent } = shares[at];
      const length = el('span', { class: 'sv-length', style: { width: `${percent}%` } });
      share.replaceChildren(length, el('b', {}, `${count} (${percent} %)`));
    });
    const said = this.words(poll, teaches);
    if (this.foot.textContent !== said) this.foot.textContent = said;
  }

  /**
   * Rows that stay while votes come in, so that no click is lost.
   * @param {ClassPoll | null} poll
   * @param {boolean} teaches
   */
  build(poll, teaches) {
    this.heading.textContent = poll ? poll.question : '';
    const { number = 0, choices = [] } = poll ?? {};
    this.rows = choices.map((words, at) => {
      const attributes = { type: 'button', class: 'sv-choice', onclick: () => this.vote(number, at) };
      const answer = teaches ? el('span', {}, words) : el('button', attributes, words);
      return { answer, share: el('span', { class: 'sv-poll-share', hidden: true }) };
    });
    this.choices.replaceChildren(...this.rows.map(({ answer, share }) => el('li', {}, answer, share)));
  }

  /** @param {number} poll @param {number} choice */
  vote(poll, choice) {
    this.mine = { poll, choice };
    this.onvote(poll, choice);
    this.show(this.poll, false);
  }

  /** @param {ClassPoll} poll @param {boolean} teaches */
  words({ number, answered, tally }, teaches) {
    const answers = answered === 1 ? 'One answer' : `${answered} answers`;
    if (teaches) return `${answers} so far.${tally ? '' : ' The tally is hidden until you show it.'}`;
    if (tally) return `${answers} so far.`;
    const voted = this.mine?.poll === number;
    return voted ? 'Answered. You may change your answer.' : 'Choose an answer. Nobody sees whose it is.';
  }
}
