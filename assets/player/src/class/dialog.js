/* The dialog of the Class button: open a class or join one; in a class its code, large, with the QR picture. */
import { el } from '../base/dom.js';

/**
 * @import { OpenedClass } from '../payload.js'
 * @typedef {{onopen: () => void, onjoin: (code: string) => void, onend: () => void}} DialogOptions
 */

const ABOUT =
  'The pages of a class show what the teacher’s page shows, and answer the teacher’s questions. Nobody needs an ' +
  'account; nothing of a student is kept, and all of it is gone when the class ends.';

/** @param {string} words @param {() => void} onclick @param {string} [kind] */
const button = (words, onclick, kind = 'sv-do') => el('button', { type: 'button', class: kind, onclick }, words);

export class ClassDialog {
  alert = el('div', { class: 'sv-alert', role: 'alert' });
  body = el('div', { class: 'sv-class-body' });

  /** @param {DialogOptions} options */
  constructor(options) {
    this.options = options;
    const title = el('h2', { id: 'sv-class-title' }, 'Class');
    const close = () => void this.element.close();
    const cross = el('button', { type: 'button', class: 'sv-quiet', 'aria-label': 'Close', onclick: close }, '✕');
    this.element = el(
      'dialog',
      { class: 'sv-class-dialog', 'aria-labelledby': 'sv-class-title' },
      el('div', { class: 'sv-class-head' }, title, cross),
      this.alert,
      this.body,
    );
  }

  open() {
    if (!this.element.open) this.element.showModal();
  }

  close() {
    this.element.close();
  }

  /** @param {string} text */
  tell(text) {
    this.alert.textContent = text;
  }

  /** In no class. @param {string} [text] what went wrong */
  outside(text = '') {
    const { onopen, onjoin } = this.options;
    const code = el('input', {
      type: 'text',
      class: 'sv-class-input',
      maxlength: 6,
      autocomplete: 'off',
      autocapitalize: 'characters',
      spellcheck: 'false',
      'aria-label': 'Code of the class, six letters',
    });
    const onsubmit = (/** @type {Event} */ event) => {
      event.preventDefault();
      if (code.value.trim()) onjoin(code.value.trim().toUpperCase());
    };
    const join = el('button', { type: 'submit', class: 'sv-do' }, 'Join');
    const first = el('h3', {}, 'For students: join a class by its code');
    const second = el('h3', {}, 'For a teacher: let a class follow this page');
    this.tell(text);
    this.body.replaceChildren(
      el('p', {}, ABOUT),
      el('form', { onsubmit }, first, el('div', { class: 'sv-class-row' }, code, join)),
      el('div', {}, second, button('Open a class', onopen)),
    );
  }

  /** @param {OpenedClass} room */
  teaching({ code, address, picture }) {
    this.tell('');
    const alt = `QR picture of ${address}`;
    this.body.replaceChildren(
      el('p', {}, 'Students join with this picture, this address, or the Class button and the code:'),
      el('p', { class: 'sv-class-code', 'aria-label': `The code: ${[...code].join(' ')}` }, code),
      el('img', { class: 'sv-class-picture', src: picture, alt, width: 260, height: 260 }),
      el('p', { class: 'sv-class-address' }, address),
      el('p', { class: 'sv-hint' }, 'Your page shows them where you are. The bar below asks questions.'),
      button('End the class', this.options.onend),
    );
  }

  /** @param {string} code */
  attending(code) {
    this.tell('');
    const place = `You are in the class ${code}.`;
    this.body.replaceChildren(
      el('p', {}, `${place} Your page goes where the teacher’s goes, until you touch something.`),
      button('Leave the class', this.options.onend),
    );
  }
}
