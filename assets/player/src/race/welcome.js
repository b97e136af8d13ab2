/* The first minute: what this is, the race that waits below, the first lesson. Seen until it is put away, by those who
   come without a race of their own; this browser remembers. */
import { el, pushButton } from '../base/dom.js';
import { keep, kept } from '../base/kept.js';
import { toLesson } from '../base/navigation.js';
import { lessonAddress, pageLink } from '../base/page-link.js';
import { explained } from '../base/terms.js';

const KEY = 'specviz-welcome';
const WHAT =
  'A large model writes one token per call; here a small one guesses ahead, and one call checks all its guesses.';
const SEEN = 'You have seen it run. The first lesson asks, and shows, why it works.';
const OWN = ['prompt', 'shown', 'room', 'recorded', 'beside']; // in an address: somebody sent the reader somewhere

/** Whether a reader is new here. @param {string} search the address @param {string | null} seen */
export function isNew(search, seen) {
  const query = new URLSearchParams(search);
  return seen === null && !OWN.some((name) => query.has(name));
}

const remember = () => keep(KEY, 'seen');

export class Welcome {
  /** @param {HTMLElement} intro what stands there for those who know the page @param {() => void} onplay */
  constructor(intro, onplay) {
    this.intro = intro;
    this.watched = false;
    this.said = el('p', {}, explained(WHAT));
    const play = pushButton('▶ Watch it', () => this.watch(onplay), { class: 'sv-run' });
    const about = el('span', { class: 'sv-welcome-hint' }, 'a recorded race, in slow motion');
    const words = 'Then: Lesson 1, Why speculate?\u00a0›';
    this.lesson = pageLink(lessonAddress('why'), () => this.toLesson(), { class: 'sv-welcome-next' }, words);
    this.lesson.addEventListener('click', remember); // also where it opens in another tab
    const away = { class: 'sv-quiet', 'aria-label': 'Put this away', 'data-tip': 'Put this away' };
    const close = pushButton('✕', () => this.leave(), away);
    const row = el('div', { class: 'sv-welcome-row' }, play, about, this.lesson);
    const attributes = { class: 'sv-welcome', 'aria-label': 'Welcome', 'data-part': 'intro welcome', hidden: true };
    this.element = el('section', attributes, this.said, row, close);
    const seen = kept(KEY, 'localStorage', 'seen'); // where nothing is kept it would come again and again
    this.show(isNew(window.location.search, seen));
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

  /** The race has been played to its end: the next step comes below what was played. @param {Element} race */
  played(race) {
    if (!this.watched || this.element.hidden) return;
    this.said.textContent = SEEN;
    this.element.classList.add('after');
    race.after(this.element);
    this.element.scrollIntoView({ block: 'nearest' });
  }

  toLesson() {
    this.show(false);
    toLesson('why');
  }

  leave() {
    remember();
    this.show(false);
  }
}
