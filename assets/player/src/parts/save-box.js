/* "Save ▾": a button that opens a list of files to save, one at a time, and says how far it is. */
import { el, pushButton } from '../base/dom.js';
import { NO_ANSWER } from '../base/server.js';

export class SaveBox {
  /** @param {{tell: (text: string) => void, onopen?: () => void}} on what says what went wrong; before it is seen */
  constructor({ tell, onopen = () => {} }) {
    this.tell = tell;
    this.progress = el('p', { class: 'sv-saving', role: 'status' });
    this.items = el('div', { class: 'sv-save-items' });
    const summary = el('summary', { class: 'sv-chip' }, 'Save');
    const ontoggle = () => {
      if (!this.element.open || this.busyNow) return;
      this.progress.textContent = '';
      onopen();
    };
    this.element = el('details', { class: 'sv-save', 'data-part': 'save', ontoggle }, summary, this.items);
    this.element.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || !this.element.open) return;
      this.element.open = false;
      summary.focus();
    });
    document.addEventListener('pointerdown', ({ target }) => {
      if (target instanceof Node && !this.element.contains(target)) this.element.open = false;
    });
  }

  get busyNow() {
    return this.element.hasAttribute('aria-busy');
  }

  /** What can be saved, from top to bottom; how far it is stands below. @param {(Node | null)[]} items */
  fill(...items) {
    this.items.replaceChildren(...items.filter((item) => item !== null), this.progress);
  }

  /** @param {(event: Event) => void} onclick @param {string} label @param {string} [about] */
  item(onclick, label, about = '') {
    return pushButton([label, about ? el('small', {}, about) : null], onclick, { class: 'sv-item' });
  }

  /**
   * Do the work of a button, one at a time.
   * @param {Event} event @param {string} text @param {() => Promise<void>} work
   */
  async busy({ currentTarget }, text, work) {
    if (this.busyNow || !(currentTarget instanceof Element)) return;
    this.element.setAttribute('aria-busy', 'true');
    currentTarget.classList.add('busy');
    this.progress.textContent = text;
    this.tell('');
    try {
      await work();
      this.progress.textContent = 'Saved.';
    } catch (error) {
      this.progress.textContent = '';
      this.tell((error instanceof Error && error.message) || NO_ANSWER);
    }
    currentTarget.classList.remove('busy');
    this.element.removeAttribute('aria-busy');
  }
}
