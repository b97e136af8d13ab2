/* Which iteration of a run to look into. */
import { el, pushButton } from '../base/dom.js';

export class Iterations {
  iteration = 0;

  /** @param {(iteration: number) => void} onchoose */
  constructor(onchoose) {
    const pick = () => {
      onchoose(Number(this.number.value));
    };
    this.number = el('select', { 'aria-label': 'Iteration', onchange: pick });
    const step = (/** @type {string} */ label, /** @type {string} */ sign, /** @type {number} */ direction) =>
      pushButton(sign, () => onchoose(this.iteration + direction), { class: null, 'aria-label': label });
    this.earlier = step('Previous iteration', '‹', -1);
    this.later = step('Next iteration', '›', 1);
    this.of = el('span', {});
    const parts = [this.earlier, this.number, this.of, this.later];
    this.element = el('div', { class: 'sv-iteration' }, el('span', {}, 'Iteration'), parts);
  }

  /** @param {number} iteration from 0 @param {number} count how many there are */
  show(iteration, count) {
    this.iteration = iteration;
    if (this.number.childElementCount !== count) {
      this.number.replaceChildren(...Array.from({ length: count }, (_, at) => el('option', { value: at }, at + 1)));
    }
    this.number.value = String(iteration);
    this.of.textContent = `of ${count}`;
    this.earlier.disabled = iteration === 0;
    this.later.disabled = iteration >= count - 1;
  }
}
