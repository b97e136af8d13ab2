/* The dialog of the Class button: open a class or join one; in a class its code, large, with the QR picture. */
import { el, pushButton } from '../base/dom.js';

/**
 * @import { OpenedClass } from '../payload.js'
 * @typedef {{onopen: () => void, onjoin: (code: string) => void, onend: () => void}} DialogOptions
 */

const ABOUT =
  'Students see what the teacher’s page shows, and answer the teacher’s questions. Nobody needs an account. Nothing ' +
  'about a student is kept, and everything is forgotten when the class ends.';

/** @param {string} words @param {() => void} onclick */
const button = (words, onclick) => pushButton(words, onclick, { class: 'sv-do' });

export class ClassDialog {
  alert = el('div', { class: 'sv-alert', role: 'alert' });
  body = el('div', { class: 'sv-class-body' });

  /** @param {DialogOptions} options */
  constructor(options) {
    this.options = options;
    const title = el('h2', { id: 'sv-class-title' }, 'Class');
    const close = () => void this.element.close();
    const cross = pushButton('✕', close, { class: 'sv-quiet', 'aria-label': 'Close' });
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
  teaching({ code, address, picture, unreachable, restart }) {
    this.tell(unreachable);
    const alt = `QR picture of ${address}`;
    const again = [
      el('p', {}, 'Stop the server (Ctrl+C) and start it for the whole network with:'),
      el('p', {}, el('code', { class: 'sv-class-restart' }, restart)),
    ];
    this.body.replaceChildren(
      ...(restart ? again : []),
      el(
        'p',
        {},
        unreachable ? 'On this machine itself:' : 'Students scan this, type the address, or enter the code:',
      ),
      el('p', { class: 'sv-class-code', 'aria-label': `The code: ${[...code].join(' ')}` }, code),
      ...(picture ? [el('img', { class: 'sv-class-picture', src: picture, alt, width: 260, height: 260 })] : []),
      el('p', { class: 'sv-class-address' }, address),
      el('p', { class: 'sv-hint' }, 'They see where you are on this page. The bar below asks them questions.'),
      button('End the class', this.options.onend),
    );
  }

  /** @param {string} code */
  attending(code) {
    this.tell('');
    const place = `You are in the class ${code}.`;
    this.body.replaceChildren(
      el('p', {}, `${place} Your page goes where the teacher’s goes. You may look around in between.`),
      button('Leave the class', this.options.onend),
    );
  }
}
