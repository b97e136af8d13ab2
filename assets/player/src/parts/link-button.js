/* A button that copies the address, and the words that say so. */
import { el } from '../base/dom.js';
import { shortcomings } from '../base/link.js';

/** A field with the address: no permission, or a page without https, so the reader copies by hand. */
function addressField() {
  const address = el('input', {
    class: 'sv-address',
    readonly: true,
    'aria-label': 'Address of this screen',
    value: window.location.href,
    onfocus: () => void address.select(),
  });
  return address;
}

/** `onsave` offers a file where a link is not enough. @param {() => void} onsave */
export function linkButton(onsave) {
  const said = el('span', { class: 'sv-copied', role: 'status' });
  async function copy() {
    const { reason, useless } = shortcomings();
    said.replaceChildren(reason);
    if (reason)
      said.append(' ', el('button', { type: 'button', class: 'sv-chip', onclick: onsave }, 'Save as a file instead'));
    if (useless) return;
    try {
      await navigator.clipboard.writeText(window.location.href);
      said.prepend('Link copied. ');
    } catch {
      said.prepend('Copy this: ', addressField());
    }
  }
  const button = el('button', { type: 'button', class: 'sv-chip', onclick: copy }, 'Copy link');
  return el('span', { class: 'sv-share', 'data-part': 'share' }, button, said);
}
