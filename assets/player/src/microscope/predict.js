/* "Predict": before a guess is judged the reader says whether it stays, and sees how often that was right. */
import { el, pushButton } from '../base/dom.js';

/** @import { Verdict } from '../player/lookup.js' */

/** @type {[Verdict, label: string, key: string][]} */
const ANSWERS = [
  ['accepted', 'It stays', 'S'],
  ['rejected', 'It goes', 'G'],
];

export class Predict {
  on = false;
  right = 0;
  asked = 0;
  /** @type {{verdict: Verdict, go: () => void} | null} */
  open = null;

  /**
   * @param {(on: boolean) => void} ontoggle
   * @param {object} [options]
   * @param {boolean} [options.on] from the beginning
   * @param {boolean} [options.quiet] nothing is said before the first guess
   * @param {(right: boolean) => void} [options.onanswer]
   */
  constructor(ontoggle, { on = false, quiet = false, onanswer = () => {} } = {}) {
    this.ontoggle = ontoggle;
    this.on = on;
    this.quiet = quiet;
    this.onanswer = onanswer;
    const tip = 'Say before each verdict whether the guess stays; keys S and G';
    const more = { 'aria-pressed': String(on), 'data-tip': tip, 'data-part': 'predict' };
    this.button = pushButton('Predict', () => this.toggle(), more);
    this.question = el('b', {});
    this.buttons = ANSWERS.map(([verdict, label, key]) =>
      pushButton(`${label} (${key})`, () => this.answer(verdict)),
    );
    this.score = el('span', { class: 'sv-score', role: 'status' });
    this.element = el('div', { class: 'sv-predict', hidden: true }, this.question, this.buttons, this.score);
  }

  toggle() {
    this.on = !this.on;
    this.open = null;
    [this.right, this.asked] = [0, 0];
    this.button.setAttribute('aria-pressed', String(this.on));
    this.ontoggle(this.on);
    this.draw('');
  }

  /**
   * Ask about the step to come, and go there once it is answered. False where nothing is to be asked.
   * @param {Verdict | null} verdict what the step decides
   * @param {string} guess
   * @param {() => void} go
   */
  asks(verdict, guess, go) {
    if (!this.on || !verdict) return false;
    if (this.open) return true;
    this.open = { verdict, go };
    this.question.textContent = `“${guess}”: stays or goes?`;
    this.draw('');
    this.buttons[0].focus();
    return true;
  }

  /** @param {Verdict} said */
  answer(said) {
    const { open } = this;
    if (!open) return;
    const right = said === open.verdict;
    this.asked += 1;
    this.right += Number(right);
    this.open = null;
    this.onanswer(right);
    open.go();
    this.draw(right ? 'Right: ' : 'No: ', open.verdict);
  }

  /** Leave the question where the reader went elsewhere. */
  leave() {
    this.open = null;
    this.draw('');
  }

  /** @param {string} said @param {Verdict} [verdict] */
  draw(said, verdict) {
    this.element.hidden = !this.on || (this.quiet && !this.open && !said);
    const asking = this.open !== null;
    this.question.hidden = !asking;
    for (const button of this.buttons) button.hidden = !asking;
    const happened = verdict ? `it ${verdict === 'accepted' ? 'stays' : 'goes'}. ` : '';
    const tally = this.asked ? `${this.right} of ${this.asked} right.` : 'Step forward: each verdict is asked first.';
    this.score.textContent = asking ? '' : `${said}${happened}${tally}`;
  }

  /** Keys that answer; true where one did. @param {KeyboardEvent} event */
  keys({ key }) {
    const answer = ANSWERS.find(([, , letter]) => letter.toLowerCase() === key.toLowerCase());
    if (!this.open || !answer) return false;
    this.answer(answer[0]);
    return true;
  }
}
