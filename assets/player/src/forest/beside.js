/* Two rules side by side: how many guesses each keeps, and which token each writes first. */
import { el, pushButton } from '../base/dom.js';
import { explained } from '../base/terms.js';
import { TallPicture } from './picture.js';

/** @import { ComparedVerdicts } from '../payload.js' */

const FREE =
  'The draft draws its guesses at random, too. Over everything that it could have drawn, a lossless rule gives ' +
  'exactly the target’s distribution.';
const FROZEN =
  'With the guesses fixed, even a lossless rule favours them. That is no error: other draws of the draft favour ' +
  'other tokens, and averaged over all of them the result is the target’s distribution.';

export class Beside {
  /** @param {(guesses: string) => void} onguesses */
  constructor(onguesses) {
    /** @type {ComparedVerdicts | null} */
    this.pair = null;
    /** @type {string[]} */
    this.titles = [];
    this.counts = new TallPicture('counts');
    this.first = new TallPicture('first');
    this.notes = el('div', { class: 'sv-forest-notes' });
    const button = (/** @type {string} */ name, /** @type {string} */ title) =>
      pushButton(title, () => onguesses(name), { class: null, 'data-guesses': name });
    this.all = button('', 'Over all guesses');
    this.these = button('frozen', 'With these guesses only');
    const choice = { class: 'sv-forest-choice', role: 'group', 'aria-label': 'Over which guesses' };
    this.title = el('h2', {});
    this.element = el(
      'section',
      { class: 'sv-forest-pair', 'data-part': 'compare', hidden: true },
      this.title,
      el('div', {}, el('h3', {}, 'How many guesses are kept, over all coins'), this.counts.element),
      el(
        'div',
        {},
        el('h3', {}, 'Which token comes first, over all coins'),
        el('div', choice, this.all, this.these),
        this.first.element,
        this.notes,
      ),
    );
  }

  /** @param {ComparedVerdicts | null} pair @param {string[]} titles @param {string} guesses */
  show(pair, titles, guesses) {
    this.pair = pair;
    this.titles = titles;
    this.element.hidden = !pair;
    if (!pair) return;
    this.title.textContent = titles.join(' beside ');
    this.counts.show(pair.counts);
    this.showFirst(guesses);
  }

  /** The distribution of the first token. @param {string} guesses 'frozen': with these guesses only */
  showFirst(guesses) {
    if (!this.pair) return;
    const { free, frozen, notes } = this.pair;
    const shown = guesses === 'frozen' || !free ? frozen : free;
    this.all.setAttribute('aria-pressed', String(shown !== frozen));
    this.these.setAttribute('aria-pressed', String(shown === frozen));
    this.all.disabled = !free;
    this.first.show(shown.picture);
    const told =
      shown === frozen ? frozen.distances.map((words, at) => `${this.titles[at]} follows ${words}.`) : notes;
    const caption = el('p', { class: 'sv-caption' }, shown === frozen ? FROZEN : FREE);
    this.notes.replaceChildren(...told.map((text) => el('p', {}, explained(text))), caption);
  }

  fit() {
    this.counts.fit();
    this.first.fit();
  }
}
