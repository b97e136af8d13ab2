/* The first minute: what this is, the race that waits below, the first lesson. Seen until it is put away, by those who
   come without a race of their own; this browser remembers. */
import { el } from '../base/dom.js';
import { toLesson } from '../base/navigation.js';
import { explained } from '../base/terms.js';

const KEY = 'specviz-welcome';
const WHAT =
  'A large model writes one token per call; here a small one guesses ahead, and one call checks all its guesses.';
const SEEN = 'You have seen it run. The first lesson asks, and shows, why it works.';
const OWN = ['prompt', 'shown', 'room', 'recorded', 'beside']; // in an address: somebody sent the reader somewhere

/** Whether a reader is new here. @param {string} search the address @param {string | null} kept */
export function isNew(search, kept) {
  const query = new URLSearchParams(search);
  return kept === null && !OWN.some((name) => query.has(name));
}

function kept() {
  try {
    return window.localStorage.getItem(KEY);
  } catch {
    return 'nothing is kept here'; // it would come again and again
  }
}

function remember() {
  try {
    window.localStorage.setItem(KEY, 'seen');
  } catch {
    // see kept()
  }
}

export class Welcome {
  /** @param {HTMLElement} intro what stands there for those who know the page @param {() => void} onplay */
  constructor(intro, onplay) {
    this.intro = intro;
    this.watched = false;
    this.said = el('p', {}, explained(WHAT));
    const play = el('button', { type: 'button', class: 'sv-run', onclick: () => this.watch(onplay) }, '▶ Watch it');
    const about = el('span', { class: 'sv-welcome-hint' }, 'a recorded race, in slow motion');
    const href = '?view=lessons&lesson=why';
    const lesson = (/** @type {MouseEvent} */ event) => this.toLesson(event);
    this.lesson = el(
      'a',
      { href, class: 'sv-welcome-next', onclick: lesson },
      'Then: Lesson 1, Why speculate?\u00a0›',
    );
    const away = { type: 'button', class: 'sv-quiet', 'aria-label': 'Put this away', 'data-tip': 'Put this away' };
    const close = el('button', { ...away, onclick: () => this.leave() }, '✕');
    const row = el('div', { class: 'sv-welcome-row' }, play, about, this.lesson);
    const attributes = { class: 'sv-welcome', 'aria-label': 'Welcome', 'data-part': 'intro welcome', hidden: true };
    this.element = el('section', attributes, this.said, row, close);
    this.show(isNew(window.location.search, kept()));
  }

  /** @param {boolean} on */
  show(on) {
    this.element.hidden = !on;
    this.intro.hidden = on;
  }

  /** @param {() => void} onplay */
  watch(onplay) {
    remember(); // next time the reader knows
    this.watched = true;
    onplay();
  }

  /** The race has been played to its end: the next step comes to where the reader looks. */
  played() {
    if (!this.watched) return;
    this.said.textContent = SEEN;
    this.element.classList.add('after');
  }

  /** @param {MouseEvent} event */
  toLesson(event) {
    remember();
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    this.show(false);
    toLesson('why');
  }

  leave() {
    remember();
    this.show(false);
  }
}
