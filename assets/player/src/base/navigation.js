/* Where the reader is: one page at a time, parts that a teacher took away by the address, large type.
   ?hide=form,legend takes parts away (every element with that word in data-part), ?present=1 is large type. */
import { el } from './dom.js';
import * as link from './link.js';
import { publish } from './shared.js';

const rules = () => {
  const known = document.getElementById('sv-cover');
  if (known) return known;
  const made = el('style', { id: 'sv-cover' });
  document.head.append(made);
  return made;
};

/** The words of a list in an address. @param {string | null} text */
export const wordsOf = (text) => (text || '').split(',').filter((word) => /^[a-z-]+$/.test(word));

export const pageNow = () => document.documentElement.dataset.page;
export const isPresented = () => link.get('present') === '1';

/** The pages that are not shown and the parts that a teacher hid. */
function cover() {
  const hidden = wordsOf(link.get('hide')).map((part) => `.sv-island [data-part~="${part}"]`);
  const others = `.sv-host[id^="sv-"]:not(#sv-header, #sv-${pageNow()})`;
  rules().textContent = [others, ...hidden].map((one) => `${one} { display: none !important; }`).join('\n');
  document.documentElement.classList.toggle('sv-present', isPresented());
}

/** Show one page; every island hears of it. @param {string} page */
export function go(page) {
  const first = !pageNow();
  document.documentElement.dataset.page = page;
  link[first ? 'set' : 'visit']({ view: page });
  cover();
  /** @type {HTMLElement | null} */
  const heading = document.querySelector(`#sv-${page} h1`);
  if (heading && !document.activeElement?.checkVisibility()) {
    heading.tabIndex = -1; // what had the focus is gone with its page
    heading.focus({ preventScroll: true });
  }
  publish('page', page);
  window.scrollTo(0, 0);
}

/** Large type for a projector, on or off; every island hears of it. @param {boolean} on */
export function present(on) {
  link.set({ present: on ? '1' : null });
  cover();
  publish('present', on);
}

/** Follow Back and Forward. */
export function installHistory() {
  window.addEventListener('popstate', () => {
    const page = link.returned();
    if (page) go(page);
  });
}
