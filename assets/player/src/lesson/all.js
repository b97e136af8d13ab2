/* All lessons in one file: the list, and the lesson that the reader opens. */
import { el, pushButton } from '../base/dom.js';
import { LessonCards } from './cards.js';
import { reached } from './progress.js';
import { totalSteps } from './state.js';
import { LessonView } from './view.js';

/** @import { LessonsDocument } from '../payload.js' */

export class AllLessons {
  /** @type {string | null} */
  open = null;

  /** @param {HTMLElement} root @param {LessonsDocument} data */
  constructor(root, { cards, lessons }) {
    this.lessons = lessons;
    this.cards = new LessonCards(cards, (name) => this.show(name));
    this.back = pushButton('‹ All lessons', () => this.show(null));
    this.title = el('h2', { tabindex: -1 });
    this.top = el('div', { class: 'sv-lesson-top' }, this.back, this.title);
    this.stage = el('div', {});
    this.view = new LessonView(this.stage, {
      onmove: ({ step, chosen }) => {
        const known = this.known();
        if (known && chosen !== null) reached(known.lesson.name, step, totalSteps(known.lesson));
      },
      onnext: () => this.show(this.next()?.lesson.name ?? null),
    });
    root.replaceChildren(this.cards.element, this.top, this.stage);
    document.addEventListener('keydown', (event) => this.open && this.view.keys(event));
    window.addEventListener('hashchange', () => this.show(window.location.hash.slice(1)));
    this.show(window.location.hash.slice(1));
  }

  known() {
    return this.lessons.find(({ lesson }) => lesson.name === this.open) ?? null;
  }

  next() {
    const known = this.known();
    return known ? this.lessons[this.lessons.indexOf(known) + 1] : undefined;
  }

  /** @param {string | null} name of a lesson; another or none: the list */
  show(name) {
    this.open = this.lessons.some(({ lesson }) => lesson.name === name) ? name : null;
    const known = this.known();
    this.cards.element.hidden = known !== null;
    this.top.hidden = this.stage.hidden = known === null;
    if (window.location.hash.slice(1) !== (this.open ?? '')) window.location.hash = this.open ?? '';
    this.cards.refresh();
    if (!known) return;
    this.title.textContent = known.lesson.title;
    this.view.load(known, { next: this.next()?.lesson.title });
    this.title.focus({ preventScroll: true });
    this.top.scrollIntoView({ block: 'start', behavior: 'instant' });
  }
}
