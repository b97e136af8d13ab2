/* What was said before the prompt, where a race goes on from an answer. */
import { el, pushButton } from '../base/dom.js';

/** @import { Turn } from '../base/values.js' */

const SHOWN = 400; // characters of an answer in the list

/** @param {string} text */
const cut = (text) => (text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);

/** The turns above the prompt. */
export class Conversation {
  /** @type {Turn[]} */
  turns = [];

  constructor() {
    this.list = el('dl', {});
    const anew = pushButton('Start anew', () => this.show([]));
    const about = { class: 'sv-conversation', 'aria-label': 'Said before', hidden: true };
    this.element = el('section', about, this.list, anew);
  }

  /** @param {Turn[]} turns */
  show(turns) {
    this.turns = turns;
    this.element.hidden = !turns.length;
    this.list.replaceChildren(
      ...turns.flatMap(([question, answer]) => [
        el('dt', { dir: 'auto', translate: 'no' }, question),
        el('dd', { dir: 'auto', translate: 'no' }, cut(answer)),
      ]),
    );
  }
}
