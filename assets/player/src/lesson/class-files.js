/* For the teacher: the way through the lessons in 45 minutes, and files for a class. The speaker's notes tell answers,
   so they come as a page of their own, which no class that follows this page sees. */
import { el, pushButton } from '../base/dom.js';
import { download } from '../base/files.js';
import { lessonAddress, pageLink } from '../base/page-link.js';

/**
 * @import { FileAnswer, PathPart, TeachingPath } from '../payload.js'
 * @import { Failure } from '../base/server.js'
 * @typedef {'all' | 'handout' | 'answers' | 'notes'} Kind
 * @typedef {object} FilesOptions
 * @property {(kind: Kind) => Promise<FileAnswer | Failure>} ask
 * @property {(name: string) => void} onopen a lesson
 * @property {(text: string) => void} tell what went wrong
 */

/** @type {[Kind, string, string][]} */
const FILES = [
  ['handout', 'Handout', 'Questions and pictures to print, without answers'],
  ['answers', 'Handout with answers', 'The same with the answers'],
  ['all', 'All lessons as one file', 'Opens without a server, from a disk or a stick; about 5 MB'],
];

/** @param {number[]} steps */
export function stepsWords(steps) {
  const names = steps.map((step) => (step === 1 ? 'the question' : `step ${step}`));
  const row = steps.every((step, at) => at === 0 || step === steps[at - 1] + 1);
  if (steps.length > 2 && row) return `${names[0]} to ${names[names.length - 1]}`;
  return names.join(', ');
}

/** @param {number} minutes */
export const clock = (minutes) => `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;

export class ClassFiles {
  /** @param {TeachingPath | null} path @param {FilesOptions} options */
  constructor(path, { ask, onopen, tell }) {
    this.ask = ask;
    this.onopen = onopen;
    this.tell = tell;
    const files = FILES.map(([kind, label, tip]) => this.chip(label, tip, () => this.save(kind)));
    this.panel = el('section', { class: 'sv-path', hidden: true, 'aria-label': 'A way through the lessons' });
    if (path) this.panel.append(...this.wayParts(path));
    const shows = { 'aria-expanded': 'false', 'aria-controls': 'sv-path' };
    this.toggle = this.chip(
      path?.title ?? '',
      'An order of lessons with minutes, for a class',
      () => this.flip(),
      shows,
    );
    this.toggle.hidden = path === null;
    this.panel.id = 'sv-path';
    const row = el(
      'div',
      { class: 'sv-class-files', role: 'group', 'aria-label': 'For a class' },
      this.toggle,
      files,
    );
    this.element = el('div', { 'data-part': 'teach' }, row, this.panel);
  }

  /** @param {string} label @param {string} tip @param {() => void} onclick @param {Record<string, string>} [more] */
  chip(label, tip, onclick, more = {}) {
    return pushButton(label, onclick, { 'data-tip': tip, ...more });
  }

  flip() {
    this.panel.hidden = !this.panel.hidden;
    this.toggle.setAttribute('aria-expanded', String(!this.panel.hidden));
  }

  /** @param {TeachingPath} path */
  wayParts({ about, parts }) {
    const open = this.chip('Speaker’s notes, in a window of their own', 'Not seen by a class that follows', () =>
      this.openNotes(),
    );
    const save = this.chip('Save the notes', 'A page to print', () => this.save('notes'));
    return [
      el('p', {}, about),
      el(
        'ol',
        {},
        parts.map((part) => this.wayPart(part)),
      ),
      el('div', { class: 'sv-class-files' }, open, save),
    ];
  }

  /** @param {PathPart} part */
  wayPart({ begins, minutes, title, lesson, steps }) {
    const time = el('span', { class: 'sv-when' }, `${clock(begins)} – ${clock(begins + minutes)}`);
    if (lesson === null) return el('li', {}, time, el('span', {}, title));
    const link = pageLink(lessonAddress(lesson), () => this.onopen(lesson), {}, title);
    return el('li', {}, time, el('span', {}, link, ` ${stepsWords(steps)}`));
  }

  /** @param {Kind} kind */
  async fetch(kind) {
    const answer = await this.ask(kind);
    this.tell('error' in answer ? answer.error : '');
    return 'error' in answer ? null : answer;
  }

  /** @param {Kind} kind */
  async save(kind) {
    const file = await this.fetch(kind);
    if (file) download(file.name, file.text ?? '', 'text/html');
  }

  async openNotes() {
    const opened = window.open('', '_blank'); // now, while the browser knows that a click asked for it
    const file = await this.fetch('notes');
    if (!file) opened?.close();
    else if (opened) opened.location.href = URL.createObjectURL(new Blob([file.text ?? ''], { type: 'text/html' }));
    else download(file.name, file.text ?? '', 'text/html'); // the browser lets no window open
  }
}
