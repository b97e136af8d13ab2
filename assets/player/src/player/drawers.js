/* Where the window is wide and low, mask and probabilities are drawers at its bottom: tabs of 40 px, that open over
   the panels and not under them, so that tree, sentence and decision stay on one screen. Which are open is
   remembered. */

/** @import { Panel } from './panel.js' */

const NAMES = ['mask', 'probabilities'];
const KEY = 'specviz-drawers';
const LEAST = 180; // pixels of an open drawer: its tab, and the most probable tokens
const ONE_SCREEN = '(min-width: 1081px) and (max-height: 900px)';

/** The names in what a browser has kept. @param {string | null} kept */
export const openOnes = (kept) => (kept ?? '').split(',').filter((name) => NAMES.includes(name));

/** @returns {string[]} */
function remembered() {
  try {
    return openOnes(window.localStorage.getItem(KEY));
  } catch {
    return []; // no storage
  }
}

/** @param {string[]} names */
function remember(names) {
  try {
    window.localStorage.setItem(KEY, names.join());
  } catch {
    // nothing is kept where the browser keeps nothing
  }
}

/** @param {number} top pixels down; less than none are none */
const scrollBy = (top) => top > 0 && window.scrollBy({ top, behavior: 'instant' });

export class Drawers {
  /** @param {HTMLElement} player @param {Panel[]} panels @param {boolean} wanted whether there are to be any */
  constructor(player, panels, wanted) {
    this.player = player;
    this.panels = wanted ? panels.filter(({ name }) => NAMES.includes(name)) : [];
    this.open = remembered();
    this.screen = window.matchMedia(ONE_SCREEN);
    this.screen.addEventListener('change', () => this.arrange());
    for (const panel of this.panels) panel.tab.addEventListener('click', () => this.toggle(panel.name));
    player.addEventListener('keydown', (event) => this.escape(event));
    window.addEventListener('beforeprint', () => this.arrange(false));
    window.addEventListener('afterprint', () => this.arrange());
    this.arrange();
    const sizes = new ResizeObserver(() => this.uncover());
    if (this.panels.length) for (const part of this.above()) sizes.observe(part);
  }

  get on() {
    return this.screen.matches && this.panels.length > 0;
  }

  /** Drawers or panels, open or closed. */
  arrange(on = this.on) {
    this.player.classList.toggle('drawers', on);
    for (const panel of this.panels) panel.drawer(on, this.open.includes(panel.name));
  }

  /** Open a drawer, or close it; false where there are none. @param {string} name */
  toggle(name) {
    if (!this.on) return false;
    const before = this.open;
    this.open = before.includes(name) ? before.filter((one) => one !== name) : [...before, name];
    remember(this.open);
    this.arrange();
    if (this.open.length > before.length) this.makeRoom();
    return true;
  }

  /** The player at the top of the window, so that an open drawer covers no more than it has to. */
  makeRoom() {
    const { top } = this.player.getBoundingClientRect();
    if (this.on && this.open.length) scrollBy(top);
    this.uncover(true);
  }

  /** What stands above the drawer of the bars, and is to be seen beside it. */
  above() {
    return ['.sv-story', '.sv-panel-decision'].flatMap((part) => this.player.querySelector(part) ?? []);
  }

  /** Where the sentence has pushed the decision down to its drawer, the page is scrolled until the sentence is at its
   * top, then the drawer gets lower; only below the least height the sentence goes. Later, as steps come and go, only
   * the drawer changes. @param {boolean} [opened] whether it was opened just now */
  uncover(opened = false) {
    const bars = this.panels.find(({ name }) => name === 'probabilities')?.element;
    const [story, decision] = this.above();
    if (!bars || !decision || !this.on || !this.open.includes('probabilities')) return;
    const room = () => bars.getBoundingClientRect().bottom - decision.getBoundingClientRect().bottom;
    bars.style.removeProperty('--sv-room');
    if (opened) {
      const tallest = parseFloat(getComputedStyle(bars).maxHeight); // its figure may not be drawn yet
      scrollBy(Math.min(tallest - room(), Math.floor(story.getBoundingClientRect().top)));
      scrollBy(LEAST - room());
    }
    bars.style.setProperty('--sv-room', `${Math.floor(room())}px`);
  }

  /** Escape closes the drawer with the focus. @param {KeyboardEvent} event */
  escape(event) {
    const { target } = event;
    const inside = this.panels.find(({ element }) => target instanceof Node && element.contains(target));
    if (event.key !== 'Escape' || !inside || !this.on || !this.open.includes(inside.name)) return;
    event.preventDefault();
    event.stopImmediatePropagation(); // pins stay
    this.toggle(inside.name);
    inside.tab.focus();
  }
}
