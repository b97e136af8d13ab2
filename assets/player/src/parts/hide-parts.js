/* "Hide": every part of the page on screen with a switch; what is hidden stands in the address (hide=form,legend).
   Where the top bar itself is hidden, a button at the window's edge leads back. */
import { el, pushButton } from '../base/dom.js';
import { get } from '../base/link.js';
import { hide, pageNow } from '../base/navigation.js';
import { PART_NAMES, namedParts, toggledWords, wordsOf } from '../base/parts.js';
import { subscribe } from '../base/shared.js';

const TIP = 'Take parts of this page away, for a lesson';

/** The parts of the page on screen, those hidden included. */
function partsHere() {
  const found = document.querySelectorAll(`#sv-header [data-part], #sv-${pageNow()} [data-part]`);
  return namedParts([...found].map((one) => one.getAttribute('data-part')));
}

export class HideParts {
  button = this.opener('sv-quiet sv-hide-open');
  edge = this.opener('sv-chip sv-hide-edge');
  list = el('div', { class: 'sv-hide-list' });
  all = pushButton('Show all parts', () => this.showAll());
  shut = pushButton('✕', () => void this.close(), { class: 'sv-quiet', 'aria-label': 'Close' });
  dialog = el(
    'dialog',
    { class: 'sv-hide', 'aria-labelledby': 'sv-hide-title' },
    el(
      'div',
      { class: 'sv-hide-head' },
      el('h2', { id: 'sv-hide-title' }, 'Parts of this page'),
      this.all,
      this.shut,
    ),
    this.list,
  );
  element = el('div', {}, this.edge, this.dialog);

  constructor() {
    this.dialog.addEventListener('keydown', (event) => {
      event.stopPropagation(); // letters are no keys of the page here
      if (event.key === 'Escape') this.close();
    });
    subscribe('address', () => this.refresh());
    subscribe('page', () => this.dialog.open && this.draw());
    this.refresh();
  }

  /** @param {string} look */
  opener(look) {
    return pushButton('Hide', () => this.toggle(), { class: look, 'aria-haspopup': 'dialog', 'data-tip': TIP });
  }

  toggle() {
    if (this.dialog.open) {
      this.close();
      return;
    }
    this.draw();
    this.dialog.show();
    this.list.querySelector('input')?.focus();
  }

  close() {
    this.dialog.close();
    (this.edge.hidden ? this.button : this.edge).focus();
  }

  /** @param {string | null} words */
  put(words) {
    hide(words);
    this.refresh();
  }

  showAll() {
    this.put(null);
    this.draw();
    this.list.querySelector('input')?.focus(); // the button that was pressed is of no use now
  }

  draw() {
    const hidden = wordsOf(get('hide'));
    const row = (/** @type {string} */ part) => {
      const onchange = () => this.put(toggledWords(wordsOf(get('hide')), part));
      const box = el('input', { type: 'checkbox', checked: !hidden.includes(part), onchange });
      return el('label', {}, box, PART_NAMES[part]);
    };
    this.list.replaceChildren(...partsHere().map(row));
  }

  refresh() {
    const hidden = wordsOf(get('hide'));
    const words = hidden.length ? `Hide (${hidden.length})` : 'Hide';
    for (const button of [this.button, this.edge]) if (button.textContent !== words) button.textContent = words;
    this.button.classList.toggle('some', hidden.length > 0);
    this.edge.hidden = !hidden.includes('header');
    this.all.disabled = !hidden.length;
  }
}
