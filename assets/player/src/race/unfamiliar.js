/* What the models on screen cannot know, said below the form, and which others can be asked in their place. */
import { el, pushButton } from '../base/dom.js';
import { choosePair, latest, publish, subscribe } from '../base/shared.js';

/** @import { RaceMessage } from '../payload.js' */

export class Unfamiliar {
  /** @param {() => void} onrun runs the race anew */
  constructor(onrun) {
    this.onrun = onrun;
    this.said = el('p', {});
    this.ways = el('span', {});
    this.element = el('div', { class: 'sv-unfamiliar', role: 'status', hidden: true }, this.said, this.ways);
    for (const name of /** @type {const} */ (['pairs', 'offered'])) subscribe(name, () => this.offer());
  }

  /** @param {RaceMessage} race */
  show({ unfamiliar, pair }) {
    this.asked = pair || latest('pairs')?.[0];
    this.element.hidden = !unfamiliar;
    this.said.textContent = unfamiliar || '';
    this.offer();
  }

  offer() {
    const others = (latest('pairs') ?? []).filter((name) => name !== this.asked);
    const ask = (/** @type {string} */ name) => {
      choosePair(name);
      this.onrun();
    };
    const ways = others.map((name) => pushButton(`Ask ${name}`, () => ask(name)));
    const more = latest('offered') && pushButton('Get a real assistant', () => publish('get', null));
    this.ways.replaceChildren(...ways, ...(more ? [more] : []));
  }
}
