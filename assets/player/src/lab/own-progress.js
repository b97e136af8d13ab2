/* How far a sweep is: a bar with words, and what can be done with it. */
import { el, pushButton } from '../base/dom.js';
import { SaveBox } from '../parts/save-box.js';
import { isActive, keptWords, progressWords } from './own-words.js';

/** @import { SweepState } from '../payload.js' */

const FORMATS = { csv: 'CSV', parquet: 'Parquet', jsonl: 'JSON lines' };

/** @param {string} words @param {() => void} onclick */
const button = (words, onclick) => pushButton(words, onclick, { class: 'sv-do' });

export class OwnProgress {
  /**
   * @param {object} on
   * @param {() => void} on.onstop
   * @param {() => void} on.ongoon
   * @param {() => void} on.onaway
   * @param {(format: string) => Promise<void>} on.onsave throws what went wrong
   */
  constructor({ onstop, ongoon, onaway, onsave }) {
    this.title = el('h3', { id: 'sv-sweep-title' });
    this.bar = el('progress', { 'aria-labelledby': 'sv-sweep-title', 'aria-describedby': 'sv-sweep-words' });
    this.words = el('p', { id: 'sv-sweep-words' });
    this.end = el('p', { class: 'sv-hidden', role: 'status' }); // said once, unlike the words
    this.alert = el('p', { class: 'sv-alert', role: 'alert' });
    this.kept = el('p', { class: 'sv-note' });
    this.stop = button('Stop', onstop);
    this.goOn = button('Go on', ongoon);
    this.away = button('A new sweep', onaway);
    this.save = this.saveBox(onsave);
    const buttons = { class: 'sv-own-buttons', role: 'group', 'aria-label': 'With this sweep' };
    this.element = el(
      'div',
      { class: 'sv-own-progress', hidden: true },
      this.title,
      this.bar,
      this.words,
      this.end,
      this.alert,
      el('div', buttons, this.stop, this.goOn, this.save.element, this.away),
      this.kept,
    );
  }

  /** @param {(format: string) => Promise<void>} onsave */
  saveBox(onsave) {
    const box = new SaveBox({ tell: (text) => this.tell(text) });
    const items = Object.entries(FORMATS).map(([format, name]) =>
      box.item((event) => box.busy(event, 'Writing …', () => onsave(format)), name),
    );
    box.fill(...items);
    return box;
  }

  /** @param {SweepState} state @param {boolean} mine it was begun in this browser */
  show(state, mine) {
    const { title, done, total } = state;
    const active = isActive(state);
    this.element.hidden = false;
    this.element.dataset.state = state.state;
    this.title.textContent = title;
    this.bar.max = total;
    this.bar.value = done;
    this.words.textContent = progressWords(state);
    const end = active ? '' : progressWords(state);
    if (this.end.textContent !== end) this.end.textContent = end;
    this.kept.textContent = keptWords(state, mine);
    this.tell('');
    this.arrange(active, done, total, mine);
  }

  /**
   * What can be done now; the focus goes to what follows.
   * @param {boolean} active @param {number} done @param {number} total @param {boolean} mine
   */
  arrange(active, done, total, mine) {
    const focused = document.activeElement;
    this.stop.hidden = !active || !mine;
    this.goOn.hidden = active || done >= total || !mine;
    this.save.element.hidden = done === 0;
    this.away.hidden = active && mine;
    if (focused === this.stop && !active) (this.goOn.hidden ? this.away : this.goOn).focus();
    if (focused === this.goOn && active) this.stop.focus();
  }

  /** @param {string} text what went wrong; '' for nothing */
  tell(text) {
    this.alert.textContent = text;
  }
}
