/* The Lessons page: a list, and the lesson that the address names. The server gives one lesson at a time. */
import { el, pushButton } from '../base/dom.js';
import { download } from '../base/files.js';
import * as link from '../base/link.js';
import { go, pageNow } from '../base/navigation.js';
import { pageLink, plainClick } from '../base/page-link.js';
import { ask } from '../base/server.js';
import { latest, publish, subscribe } from '../base/shared.js';
import { stepFromText } from '../base/values.js';
import { asksOf, closedBy } from '../class/questions.js';
import { meter } from '../parts/meter.js';
import { LessonCards } from './cards.js';
import { ClassFiles } from './class-files.js';
import { reached } from './progress.js';
import { soundState, totalSteps } from './state.js';
import { LessonView } from './view.js';

/**
 * @import { FileAnswer, LessonCard, LessonData, LessonsSetup, RaceMessage, Where } from '../payload.js'
 * @import { Failure, Island } from '../base/server.js'
 * @import { LessonState } from './state.js'
 * @typedef {{step?: number, chosen?: string | null, rule?: string | null}} Wanted
 */

const INTRO =
  'Each lesson asks first and then shows what really happened, at recorded steps of the two models that come with ' +
  'this page. Keys: 1 to 4 choose an answer, Enter shows it, the arrows step, S and G say whether a guess stays or ' +
  'goes.';
const shown = () => pageNow() === 'lessons';

/** Where the address wants to be. @returns {Wanted} */
function wanted() {
  const step = Number(link.get('step') || 1);
  return { step: Number.isInteger(step) ? step : 1, chosen: link.get('answer'), rule: link.get('rule') };
}

class LessonsPage {
  title = el('h1', { tabindex: -1 });
  back = pageLink(
    '?view=lessons',
    () => this.show(null),
    { class: 'sv-back', 'data-part': 'lesson-bar' },
    '‹ All lessons',
  );
  keep = pushButton('Save this lesson as a file', () => this.save(), { 'data-part': 'share save' });
  alert = el('div', { class: 'sv-alert', role: 'alert' });
  busy = el('p', { class: 'sv-empty', role: 'status', hidden: true }, 'Opening the lesson …');
  intro = el('p', { class: 'sv-intro', 'data-part': 'intro' }, INTRO);
  stage = el('div', { hidden: true });
  view = new LessonView(this.stage, {
    onmove: (state) => this.remember(state),
    onpredict: () => this.publishAsking(),
    onopen: (where, event) => this.openStep(where, event),
    onnext: () => this.next(),
    meter: (method) => meter(method),
  });
  /** @type {Map<string, LessonData>} */
  cache = new Map();
  /** @type {string | null} */
  open = null; // the name of the lesson shown
  asked = 0;

  /** @param {HTMLElement} root @param {Island} island */
  constructor(root, { props, server }) {
    /** @type {LessonsSetup} */
    const { lessons, path } = JSON.parse(props.setup);
    this.lessons = lessons;
    this.server = server;
    this.cards = new LessonCards(lessons, (name) => this.show(name));
    this.files = new ClassFiles(path, {
      ask: (kind) => this.ask('lesson_pack', kind),
      onopen: (name) => this.show(name),
      tell: (text) => (this.alert.textContent = text),
    });
    root.replaceChildren(this.build());
    this.listen();
  }

  build() {
    const empty = { class: 'sv-empty', hidden: this.lessons.length > 0 };
    const none = el('p', empty, 'No lesson could be read. The server’s log says why.');
    const top = el('div', { class: 'sv-lesson-top' }, this.back, this.title, this.keep);
    const list = [this.files.element, this.cards.element];
    const parts = [top, this.intro, none, this.alert, this.busy, list, this.stage];
    return el('div', { class: 'sv-page' }, parts);
  }

  listen() {
    document.addEventListener('keydown', (event) => {
      if (shown() && this.open && !this.stage.hidden) this.view.keys(event);
    });
    this.frame(null);
    subscribe('page', (page) => {
      if (page === 'lessons') this.show(link.get('lesson'), wanted());
    });
    subscribe('poll', (poll) => {
      if (poll && poll.right !== null) this.view.tell();
      else this.view.close(this.kept(this.view.data));
      this.keep.hidden = this.open === null || this.view.asked > 0;
    });
  }

  /** The step of a lesson that the class is asked about, from 1; 0: none. @param {LessonData | null} data */
  kept(data) {
    const about = closedBy(latest('poll'));
    if (!data || about?.view !== 'lessons' || about.lesson !== data.lesson.name) return 0;
    return soundState(data.lesson, { step: Number(about.step) }).step;
  }

  /** What a class can be asked: the guess that is to be predicted, or the lesson's question. */
  publishAsking() {
    const { data, guess } = this.view;
    if (data && shown()) publish('asking', asksOf(data.lesson, guess.step || 1));
  }

  /** @param {LessonState} state */
  remember({ step, chosen, rule }) {
    const { data } = this.view;
    if (!this.open) return;
    if (data && chosen !== null) reached(this.open, step, totalSteps(data.lesson));
    link.set({ lesson: this.open, step: step > 1 ? step : null, answer: chosen, rule });
  }

  /**
   * @template T
   * @param {string} name
   * @param {unknown} request
   * @returns {Promise<T | Failure>}
   */
  ask(name, request) {
    return ask(this.server, name, request, { empty: 'The server refused.' });
  }

  /**
   * A lesson with its pictures; asked for once.
   * @param {string} name
   * @returns {Promise<LessonData | Failure>}
   */
  async fetchLesson(name) {
    const known = this.cache.get(name);
    if (known) return known;
    /** @type {LessonData | Failure} */
    const answer = await this.ask('lesson', { name });
    if (!('error' in answer)) this.cache.set(name, answer);
    return answer;
  }

  /** Show a lesson from a state, or the list. @param {string | null} name @param {Wanted} [state] */
  async show(name, state = {}) {
    const turn = ++this.asked;
    const known = this.lessons.find((one) => one.name === name) ?? null;
    const unknown = name && !known ? name.slice(0, 40) : '';
    this.alert.textContent = unknown && `There is no lesson called “${unknown}”. These are the ones there are.`;
    this.open = known && known.name;
    publish('asking', null);
    if (shown() && !state.step) link.visit({ lesson: this.open, step: null, answer: null, rule: null });
    this.frame(known);
    if (!known) {
      if (shown()) this.title.focus({ preventScroll: true });
      return;
    }
    this.busy.hidden = false;
    const answer = await this.fetchLesson(known.name);
    if (turn !== this.asked) return;
    this.busy.hidden = true;
    if ('error' in answer) {
      this.alert.textContent = answer.error;
      this.open = null;
      this.frame(null);
      return;
    }
    this.stage.hidden = false;
    const next = this.lessons[this.lessons.indexOf(known) + 1]?.title;
    this.view.load(answer, { ...state, next, asked: this.kept(answer) });
    this.keep.hidden = this.view.asked > 0;
    this.publishAsking();
    if (state.step) return;
    this.title.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }

  /** What is around a lesson, or the list. @param {LessonCard | null} known */
  frame(known) {
    this.title.textContent = known ? known.title : 'Lessons';
    for (const part of [this.back, this.keep]) part.hidden = !known;
    for (const part of [this.files.element, this.cards.element, this.intro]) part.hidden = Boolean(known);
    this.cards.refresh();
    this.stage.hidden = true;
    this.busy.hidden = true;
  }

  next() {
    const at = this.lessons.findIndex((one) => one.name === this.open);
    this.show(this.lessons[at + 1]?.name ?? null);
  }

  /** @param {Where} where @param {MouseEvent} event */
  async openStep(where, event) {
    if (!plainClick(event)) return;
    /** @type {RaceMessage | Failure} */
    const race = await this.ask('lesson_race', where.run);
    if ('error' in race) {
      this.alert.textContent = race.error;
      return;
    }
    publish('show', race);
    go(where.at ? 'microscope' : 'race');
    const at = stepFromText(where.at);
    if (at) publish('open', { lane: at[0], iteration: at[1], scene: at[2] });
  }

  async save() {
    this.keep.disabled = true;
    /** @type {FileAnswer | Failure} */
    const answer = await this.ask('lesson_file', { name: this.open });
    this.keep.disabled = false;
    this.alert.textContent = 'error' in answer ? answer.error : '';
    if (!('error' in answer)) download(answer.name, answer.text ?? '', 'text/html');
  }
}

/** @param {HTMLElement} root @param {Island} island */
export function mountLessons(root, island) {
  new LessonsPage(root, island);
}
