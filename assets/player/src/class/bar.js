/* The slim bar at the bottom of a page in a class: what a teacher does with it, where a student stands. */
import { el, pushButton } from '../base/dom.js';

/** @import { ClassPoll } from '../payload.js' */

export class TeacherBar {
  students = el('span', {});

  /**
   * @param {Record<'oncode' | 'onask' | 'onshow' | 'onanswer' | 'onclose', () => void>} on
   * @param {string} code
   */
  constructor({ oncode, onask, onshow, onanswer, onclose }, code) {
    this.ask = pushButton('Ask the question on screen', onask);
    this.show = pushButton('Show the tally', onshow);
    this.answer = pushButton('Show the answer', onanswer);
    this.close = pushButton('Close the question', onclose);
    const name = pushButton(`Class ${code}`, oncode, { 'data-tip': 'The code, large, and the QR picture' });
    this.hint = el('small', {}, 'A lesson or a step in the Microscope has a question.');
    this.parts = [name, this.students, this.ask, this.hint, this.show, this.answer, this.close];
  }

  /** @param {number} students @param {ClassPoll | null} poll @param {boolean} askable @param {boolean} lost */
  update(students, poll, askable, lost) {
    this.students.textContent = lost
      ? 'The server does not answer …'
      : students === 1
        ? 'one student'
        : `${students} students`;
    const open = poll !== null && poll.right === null;
    this.ask.hidden = !askable || open;
    this.hint.hidden = askable || Boolean(poll);
    this.show.hidden = !poll || poll.tally !== null;
    this.answer.hidden = !open;
    this.close.hidden = !poll;
  }
}

export class StudentBar {
  words = el('span', { role: 'status' });

  /** @param {Record<'onstop' | 'onback' | 'onleave', () => void>} on @param {string} code */
  constructor({ onstop, onback, onleave }, code) {
    this.code = code;
    this.stop = pushButton('Stop following', onstop);
    this.back = pushButton('Back to the class (F)', onback);
    this.parts = [
      this.words,
      this.back,
      this.stop,
      pushButton('Leave', onleave, { 'aria-label': 'Leave the class' }),
    ];
  }

  /**
   * @param {boolean} follows
   * @param {boolean} aside the page is elsewhere until the teacher goes on
   * @param {boolean} lost
   * @param {string} trouble why the screen cannot be followed
   */
  update(follows, aside, lost, trouble) {
    const place = !follows
      ? `You no longer follow the class ${this.code}.`
      : aside
        ? `You follow the class ${this.code}: the teacher’s next step brings you back.`
        : `You follow the class ${this.code}.`;
    const said = lost ? 'The server does not answer …' : trouble || place;
    if (this.words.textContent !== said) this.words.textContent = said;
    this.stop.hidden = !follows;
    this.back.hidden = follows && !aside;
  }
}
