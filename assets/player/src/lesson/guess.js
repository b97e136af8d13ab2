/* "Stays or goes?" in a lesson: a verdict that nothing has told yet is predicted before its step is shown. It counts
   for the reader's score once. */
import { Predict } from '../microscope/predict.js';
import { answered, scores } from './score.js';

/** @import { LessonWords } from '../payload.js' */

/** A step among the answers of a score. @param {number} step */
const nameOf = (step) => `step-${step}`;

export class GuessFirst {
  step = 0; // whose guess is to be predicted, from 1; 0: none
  lesson = '';

  /**
   * @param {object} on
   * @param {() => void} on.onleave the question is left without an answer
   * @param {(guess: string | null) => void} on.onguess a guess is to be predicted, or no more
   */
  constructor({ onleave, onguess }) {
    this.onleave = onleave;
    this.onguess = onguess;
    this.predict = new Predict(() => this.leave(), {
      on: true,
      quiet: true,
      onanswer: (right) => {
        answered(this.lesson, nameOf(this.step), right);
        this.end();
      },
    });
  }

  /** Another lesson. @param {LessonWords} lesson */
  load({ name, steps }) {
    this.lesson = name;
    this.leave();
    this.predict.leave();
    Object.assign(this.predict, { right: 0, asked: 0 });
    this.predict.button.hidden = !steps.some(({ predict }) => predict);
  }

  /**
   * Ask before a step, unless it was answered; false where nothing is to be asked.
   * @param {LessonWords} lesson
   * @param {number} step from 1
   * @param {() => void} go
   */
  asks({ name, steps }, step, go) {
    const guess = step > 1 ? steps[step - 2].predict : null;
    if (!guess || nameOf(step) in (scores()[name] ?? {})) return false;
    if (!this.predict.asks(guess.verdict, guess.label, go)) return false;
    this.step = step;
    this.onguess(guess.label);
    return true;
  }

  end() {
    this.step = 0;
    this.onguess(null);
  }

  /** The question is left without an answer. */
  leave() {
    if (!this.step) return;
    this.end();
    this.predict.leave();
    this.onleave();
  }
}
