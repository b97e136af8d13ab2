/* A button that copies the address, and the words that say so. */
import { el, pushButton } from '../base/dom.js';
import { shortcomings, toShare } from '../base/link.js';

/** A field with the address: no permission, or a page without https, so the reader copies by hand. */
function addressField() {
  const address = el('input', {
    class: 'sv-address',
    readonly: true,
    'aria-label': 'Address of this screen',
    value: toShare(),
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
    if (reason) said.append(' ', pushButton('Save as a file instead', onsave));
    if (useless) return;
    try {
      await navigator.clipboard.writeText(toShare());
      said.prepend('Link copied. ');
    } catch {
      said.prepend('Copy this: ', addressField());
    }
  }
  const button = pushButton('Copy link', copy);
  return el('span', { class: 'sv-share', 'data-part': 'share' }, button, said);
}
