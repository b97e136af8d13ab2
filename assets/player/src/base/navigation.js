/* Where the reader is: one page at a time, parts that a teacher took away by the address, large type.
   ?hide=form,legend takes parts away (every element with that word in data-part; parts.js has their names),
   ?present=1 is large type. */
import { el } from './dom.js';
import * as link from './link.js';
import { wordsOf } from './parts.js';
import { plotly } from './plotly.js';
import { publish } from './shared.js';

const rules = () => {
  const known = document.getElementById('sv-cover');
  if (known) return known;
  const made = el('style', { id: 'sv-cover' });
  document.head.append(made);
  return made;
};

export const pageNow = () => document.documentElement.dataset.page;
export const isPresented = () => link.get('present') === '1';

/** The pages that are not shown and the parts that a teacher hid. */
function cover() {
  const hidden = wordsOf(link.get('hide')).map((part) => `.sv-island [data-part~="${part}"]`);
  const others = `.sv-host[id^="sv-"]:not(#sv-header, #sv-${pageNow()})`;
  rules().textContent = [others, ...hidden].map((one) => `${one} { display: none !important; }`).join('\n');
  document.documentElement.classList.toggle('sv-present', isPresented());
}

const WITH_FIGURES = ['forest', 'lab'];

/** Show one page; every island hears of it. @param {string} page */
export function go(page) {
  const first = !pageNow();
  if (WITH_FIGURES.includes(page)) plotly();
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

/** Open a lesson at its beginning. @param {string} lesson */
export function toLesson(lesson) {
  link.set({ lesson, step: null, answer: null, rule: null });
  go('lessons');
}

/** Fill the screen, or leave it; where the browser refuses, the type is large all the same. @param {boolean} on */
function fullScreen(on) {
  const refused = () => {};
  if (on && document.fullscreenEnabled) document.documentElement.requestFullscreen().catch(refused);
  else if (!on && document.fullscreenElement) document.exitFullscreen().catch(refused);
}

/** Large type and the whole screen for a projector, on or off; every island hears of it. @param {boolean} on */
export function present(on) {
  fullScreen(on);
  link.set({ present: on ? '1' : null });
  cover();
  publish('present', on);
}

/** Take these parts away, and no others. @param {string | null} words as in an address */
export function hide(words) {
  link.set({ hide: words });
  cover();
}

/** Escape leaves the whole screen, and the large type with it. */
export function installPresenting() {
  document.addEventListener('fullscreenchange', () => {
    if (!document.fullscreenElement && isPresented()) present(false);
  });
}

/** Follow Back and Forward. */
export function installHistory() {
  window.addEventListener('popstate', () => {
    const page = link.returned();
    if (page) go(page);
  });
}
