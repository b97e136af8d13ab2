/* All lessons in one file: the list, and the lesson that the reader opens. What they show is packed in the file, and
   unpacked here. */
import { el } from '../base/dom.js';
import { LessonCards } from './cards.js';
import { reached } from './progress.js';
import { totalSteps } from './state.js';
import { LessonView } from './view.js';

/** @import { LessonData, LessonsDocument } from '../payload.js' */

/** @param {string} packed deflated JSON, in base64 @returns {Promise<LessonData[]>} */
export async function unpacked(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return JSON.parse(await new Response(stream).text());
}

class AllLessons {
  /** @type {string | null} */
  open = null;

  /** @param {HTMLElement} root @param {LessonsDocument} data @param {LessonData[]} lessons */
  constructor(root, { cards }, lessons) {
    this.lessons = lessons;
    this.cards = new LessonCards(cards, (name) => this.show(name));
    this.back = el('button', { type: 'button', class: 'sv-chip', onclick: () => this.show(null) }, '‹ All lessons');
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
    window.scrollTo(0, 0);
  }
}

/** @param {HTMLElement} root @param {LessonsDocument} data */
export async function showLessons(root, data) {
  root.replaceChildren(el('p', { class: 'sv-empty', role: 'status' }, 'Opening the lessons …'));
  new AllLessons(root, data, await unpacked(data.packed));
}
