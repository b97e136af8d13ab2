/* Which of the recorded races is on screen, where the page comes with several. */
import { el, pushButton } from '../base/dom.js';

/** @import { OpeningSetup } from '../payload.js' */

export class Openings {
  /** @param {OpeningSetup[]} setup @param {(name: string) => void} onchange */
  constructor(setup, onchange) {
    this.chosen = '';
    this.chips = setup.map(({ name, label }) => {
      const chip = pushButton(label, () => onchange(name));
      return { name, chip };
    });
    const about = { class: 'sv-openings', role: 'group', 'aria-label': 'Recorded races', hidden: true };
    this.element = el('div', about, ...this.chips.map(({ chip }) => chip));
  }

  /** @param {string} name */
  choose(name) {
    this.chosen = name;
    for (const one of this.chips) one.chip.setAttribute('aria-pressed', String(one.name === name));
  }

  /** Which one a race is; none of them is offered beside any other race. @param {{run: string, state: string}} race */
  show({ run, state }) {
    this.element.hidden = state !== 'recorded' || !this.chips.length;
    if (state === 'recorded')
      this.choose(this.chips.find(({ name }) => run.startsWith(`gallery:${name}/`))?.name ?? '');
  }
}
