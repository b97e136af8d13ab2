/* The slim bar at the bottom of a page in a class: what a teacher does with it, where a student stands. */
import { el } from '../base/dom.js';

/** @import { ClassPoll } from '../payload.js' */

/** @param {string} words @param {() => void} onclick @param {object} [more] */
const button = (words, onclick, more = {}) =>
  el('button', { type: 'button', class: 'sv-chip', onclick, ...more }, words);

export class TeacherBar {
  students = el('span', {});

  /**
   * @param {{oncode: () => void, onask: () => void, onshow: () => void, onclose: () => void}} on
   * @param {string} code
   */
  constructor({ oncode, onask, onshow, onclose }, code) {
    this.ask = button('Ask the question on screen', onask);
    this.show = button('Show the tally', onshow);
    this.close = button('Close the question', onclose);
    const name = button(`Class ${code}`, oncode, { 'data-tip': 'The code, large, and the QR picture' });
    this.hint = el('small', {}, 'A lesson or a step in the Microscope has a question.');
    this.parts = [name, this.students, this.ask, this.hint, this.show, this.close];
  }

  /** @param {number} students @param {ClassPoll | null} poll @param {boolean} askable @param {boolean} lost */
  update(students, poll, askable, lost) {
    this.students.textContent = lost
      ? 'The server does not answer …'
      : students === 1
        ? 'one student'
        : `${students} students`;
    this.ask.hidden = !askable;
    this.hint.hidden = askable || Boolean(poll);
    this.show.hidden = !poll || poll.tally !== null;
    this.close.hidden = !poll;
  }
}

export class StudentBar {
  words = el('span', { role: 'status' });

  /** @param {{onfollow: (on: boolean) => void, onleave: () => void}} on @param {string} code */
  constructor({ onfollow, onleave }, code) {
    this.code = code;
    this.stray = button('Look around by yourself', () => onfollow(false));
    this.back = button('Back to the class (F)', () => onfollow(true));
    this.parts = [this.words, this.stray, this.back, button('Leave', onleave, { 'aria-label': 'Leave the class' })];
  }

  /** @param {boolean} follows @param {boolean} lost @param {string} trouble why the screen cannot be followed */
  update(follows, lost, trouble) {
    const place = follows ? `You follow the class ${this.code}.` : 'You look around by yourself.';
    const said = lost ? 'The server does not answer …' : trouble || place;
    if (this.words.textContent !== said) this.words.textContent = said;
    this.stray.hidden = !follows;
    this.back.hidden = follows;
  }
}
