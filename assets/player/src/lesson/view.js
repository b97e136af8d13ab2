/* A lesson: a question first, then recorded steps that answer it. The page and every exported file use this view.
   Data: specviz/lab/lessons/lesson.py (words, switches, pictures). */
import { closest, el, pushButton } from '../base/dom.js';
import { explained } from '../base/terms.js';
import { evidenceOf } from '../class/questions.js';
import { breakIt } from './break-it.js';
import { GuessFirst } from './guess.js';
import { PlayerRack, costs, lanes, misconception, printed } from './parts.js';
import { answered, forgetScore } from './score.js';
import { SHOWN, addressOf, soundState, totalSteps } from './state.js';

/**
 * @import { LessonChoice, LessonData, LessonLook, LessonQuestion, LessonStep, Where } from '../payload.js'
 * @import { LessonState } from './state.js'
 * @typedef {object} LessonOptions
 * @property {(state: LessonState) => void} [onmove] after every move
 * @property {(guess: string | null) => void} [onpredict] a guess is to be predicted, or no more
 * @property {((where: Where, event: MouseEvent) => void) | null} [onopen] when a reader wants a step in the Microscope
 * @property {(() => void) | null} [onnext] for the lesson after this one (null: such links are not offered)
 * @property {((method: string) => Node) | null} [meter] how a method keeps the target's distribution
 */

/** @param {string} words @param {() => void} onclick @param {boolean} [main] */
const button = (words, onclick, main = false) => pushButton(words, onclick, { class: main ? 'sv-do main' : 'sv-do' });

/** @type {LessonState} */
const START = { step: 1, chosen: null, rule: null };
const GUESS = 'The draft has guessed this token. Here is what draft and target say of it. What becomes of the guess?';
const QUESTION = 'question'; // among the answers of a score; a step is `step-3`

export class LessonView {
  /** @param {HTMLElement} root @param {LessonOptions} [options] */
  constructor(root, options = {}) {
    const { onmove = () => {}, onpredict = () => {}, onopen = null, onnext = null, meter = null } = options;
    this.onmove = onmove;
    this.onopen = onopen;
    this.onnext = onnext;
    this.meter = meter;
    /** @type {LessonData | null} */
    this.data = null;
    this.now = START;
    this.guess = new GuessFirst({ onleave: () => this.draw(), onguess: (guess) => onpredict(guess) });
    this.asked = 0; // the step that a class is asked about, from 1: its answer is kept back; 0: none
    /** @type {string | null} */
    this.after = null; // the title of the next lesson
    this.progress = el('ol', { class: 'sv-progress', 'aria-label': 'Steps of this lesson' });
    this.heading = el('h2', { class: 'sv-kicker', tabindex: -1 });
    this.said = el('p', { class: 'sv-say' });
    this.runs = el('div', {});
    this.stage = el('div', { class: 'sv-lesson-stage' });
    this.choices = el('ol', { class: 'sv-choices' });
    this.more = el('div', {});
    this.foot = el('div', { class: 'sv-lesson-foot', 'data-part': 'lesson-buttons' });
    this.paper = el('div', {}); // once the answer may be read
    /** @type {HTMLElement} */
    this.sheet = this.paper;
    const { button: asks, element: guess } = this.guess.predict;
    this.ways = el('div', { class: 'sv-lesson-ways' }, asks, this.progress);
    const bar = el('div', { class: 'sv-lesson-bar', 'data-part': 'lesson-bar' }, this.heading, this.ways);
    this.words = el('div', { class: 'sv-lesson-words' }, this.said, guess, this.choices);
    const evidence = el('div', { class: 'sv-lesson-evidence' }, this.runs, this.stage);
    const body = el('div', { class: 'sv-lesson-body' }, this.words, evidence);
    this.element = el('article', { class: 'sv-lesson' }, bar, body, this.more, this.foot, this.paper);
    root.replaceChildren(this.element);
    this.rack = new PlayerRack(this.stage, (direction) => this.move(this.now.step + direction));
  }

  draw() {
    const { data, now, element } = this;
    if (!data) return;
    const revealed = now.chosen !== null;
    this.ways.hidden = this.asked > 0;
    this.paper.replaceChildren(...(revealed && !this.asked ? [this.sheet] : []));
    element.classList.toggle('closed', this.asked > 0);
    if (this.asked) {
      this.drawAsked(data);
      return;
    }
    if (this.guess.step) {
      this.drawGuess(data, this.guess.step);
      return;
    }
    const { question, steps } = data.lesson;
    const asking = now.step === 1;
    const scene = asking ? question : steps[now.step - 2];
    const { look } = scene;
    const total = totalSteps(data.lesson);
    this.heading.textContent = asking ? (revealed ? 'The answer' : 'The question') : `Step ${now.step} of ${total}`;
    element.dataset.step = String(now.step);
    element.classList.toggle('asking', asking);
    element.classList.toggle('revealed', revealed);
    this.said.replaceChildren(...explained('say' in scene ? scene.say : scene.text));
    this.showLook(data, look, revealed);
    if (asking) this.words.append(this.foot);
    else this.more.after(this.foot);
    this.choices.hidden = !asking;
    if (asking) this.choices.replaceChildren(...question.choices.map((choice, at) => this.choice(choice, at + 1)));
    this.more.replaceChildren(...('say' in scene ? this.stepParts(data, scene) : []));
    this.foot.replaceChildren(...this.footParts(scene, total));
    this.progress.replaceChildren(...Array.from({ length: total }, (_, at) => this.progressMark(at + 1, total)));
  }

  /** @param {LessonData} data @param {LessonLook} look @param {boolean} revealed */
  showLook(data, look, revealed) {
    const whole = look.lanes.length ? [lanes(look.lanes, revealed ? this.meter : null)] : [];
    this.runs.replaceChildren(...whole, ...(look.costs ? [costs(look.costs)] : []));
    this.rack.show(look.picture === null ? null : data.pictures[look.picture], look);
  }

  /**
   * What is known of a guess before a step judges it, and nothing else.
   * @param {LessonData} data
   * @param {number} step
   */
  showEvidence(data, step) {
    const { look } = data.lesson.steps[step - 2];
    const { picture, scene } = look;
    this.element.classList.add('asking');
    for (const part of [this.runs, this.more]) part.replaceChildren();
    this.choices.hidden = true;
    const evidence = picture === null || scene === null ? null : evidenceOf(data.pictures[picture], scene);
    this.rack.show(evidence, { ...look, panels: ['probabilities'] });
  }

  /**
   * A class is asked: the question stands beside this, and here is what it is about.
   * @param {LessonData} data
   */
  drawAsked(data) {
    this.heading.textContent = 'Asked in class';
    if (this.asked > 1) this.showEvidence(data, this.asked);
    else this.showLook(data, data.lesson.question.look, false);
    this.element.classList.add('asking');
    this.element.classList.remove('revealed');
    for (const part of [this.said, this.choices, this.more, this.foot]) part.replaceChildren();
  }

  /** @param {LessonData} data @param {number} step that judges the guess */
  drawGuess(data, step) {
    this.heading.textContent = 'Your guess';
    this.said.replaceChildren(...explained(GUESS));
    this.showEvidence(data, step);
    this.words.append(this.foot);
    const pass = button('Show me', () => this.move(this.guess.step, false), true);
    this.foot.replaceChildren(
      button('‹ Back', () => this.guess.leave()),
      pass,
    );
  }

  /** @param {number} step @param {number} total */
  progressMark(step, total) {
    const { now } = this;
    const attributes = {
      class: null,
      disabled: step > 1 && now.chosen === null,
      'aria-current': step === now.step ? 'step' : null,
      'aria-label': step === 1 ? 'The question' : `Step ${step} of ${total}`,
    };
    return el(
      'li',
      {},
      pushButton(step, () => this.move(step), attributes),
    );
  }

  /** @param {LessonChoice} choice @param {number} number */
  choice({ text, answer, right }, number) {
    const { chosen } = this.now;
    const mine = chosen === number;
    const told = chosen !== null && (mine || right);
    const attributes = {
      class: 'sv-choice',
      'aria-pressed': chosen === null ? null : String(mine),
      disabled: chosen !== null && !mine,
    };
    const verdict = told ? el('em', {}, right ? '✓ right' : '✗ not so') : null;
    const key = el('kbd', { 'aria-hidden': 'true' }, number);
    const status = mine || (right && chosen === SHOWN) ? 'status' : null;
    return el(
      'li',
      { class: told ? (right ? 'right' : 'wrong') : null },
      pushButton([key, el('span', {}, text), verdict], () => this.choose(number), attributes),
      told ? el('p', { class: 'sv-answer', role: status }, explained(answer)) : null,
    );
  }

  /** @param {LessonData} data @param {LessonStep} scene */
  stepParts(data, scene) {
    const { step, rule } = this.now;
    const broken = data.breaks[String(step - 2)];
    const parts = broken ? [breakIt(broken, rule, (name) => this.breakRule(name))] : [];
    const last = step === totalSteps(data.lesson);
    return [...parts, ...scene.misconceptions.map(misconception), ...(last ? [this.ending(data)] : [])];
  }

  /**
   * A class is asked about a step, from 1, the question: until the answer is told, nobody here can choose, look it
   * up or go on. 0: it is asked no more.
   * @param {number} step
   */
  close(step) {
    if (step === this.asked) return;
    this.asked = step;
    this.guess.leave();
    this.draw();
  }

  /** The answer to what the class was asked is told. */
  tell() {
    const { asked: step, now } = this;
    this.asked = 0;
    if (step) this.settle({ step, chosen: now.chosen ?? SHOWN, rule: null });
  }

  /** @param {string | null} rule */
  breakRule(rule) {
    this.now = { ...this.now, rule };
    this.onmove(this.now);
  }

  /** @param {LessonData} data */
  ending({ lesson: { takeaway, tries } }) {
    const { onopen } = this;
    const links = tries.map(({ text, link }) => el('li', {}, onopen ? el('a', { href: link }, text) : text));
    const more = [el('h3', {}, onopen ? 'Try it' : 'Try it in specviz'), el('ul', {}, links)];
    const lead = el('h3', {}, 'To take away');
    return el(
      'section',
      { class: 'sv-takeaway' },
      lead,
      el('p', {}, explained(takeaway)),
      links.length ? more : null,
    );
  }

  /** The way to a step on the other pages; where there are none, its name. @param {Where} where */
  wayTo(where) {
    const { onopen } = this;
    if (!onopen) return el('span', { class: 'sv-hint' }, `In specviz: ${where.words}`);
    const onclick = (/** @type {MouseEvent} */ event) => onopen(where, event);
    const words = where.at ? 'Open this step in the Microscope' : 'Open these runs on the Race page';
    return el('a', { class: 'sv-open', href: addressOf(where), onclick }, words);
  }

  /** @param {LessonQuestion | LessonStep} scene @param {number} total */
  footParts({ look }, total) {
    const { step, chosen } = this.now;
    /** @type {HTMLElement[]} */
    const parts = [];
    if (chosen === null) parts.push(button('Show me', () => this.reveal(), true));
    if (step > 1) parts.push(button('‹ Back', () => this.move(step - 1)));
    if (chosen === null) return parts;
    if (step < total) parts.push(button(step === 1 ? 'See why ›' : 'Go on ›', () => this.move(step + 1), true));
    else if (this.onnext) parts.push(button(this.after ? `Next: ${this.after} ›` : 'All lessons', this.onnext, true));
    if (look.where) parts.push(this.wayTo(look.where));
    parts.push(button('Start again', () => this.restart()));
    return parts;
  }

  /** @param {Partial<LessonState>} change */
  settle(change) {
    this.now = { ...this.now, ...change };
    this.draw();
    this.onmove(this.now);
  }

  focusHeading() {
    this.heading.focus({ preventScroll: true });
  }

  /** @param {number} number of an answer, from 1 */
  choose(number) {
    const { data, now } = this;
    if (!data || this.asked || now.chosen !== null || now.step !== 1 || number > data.lesson.question.choices.length)
      return;
    answered(data.lesson.name, QUESTION, data.lesson.question.choices[number - 1].right);
    this.settle({ chosen: number });
    const mine = this.choices.querySelector('[aria-pressed="true"]');
    if (mine instanceof HTMLElement) mine.focus({ preventScroll: true });
  }

  reveal() {
    if (this.asked || this.now.chosen !== null) return;
    this.settle({ chosen: SHOWN });
    this.focusHeading();
  }

  /** @param {number} to @param {boolean} [asks] for a guess, where there is one to be predicted */
  move(to, asks = true) {
    const { data, now } = this;
    if (!data || this.asked || now.chosen === null || to < 1 || to > totalSteps(data.lesson) || to === now.step)
      return;
    const next = asks && to === now.step + 1;
    if (next && this.guess.asks(data.lesson, to, () => this.move(to))) {
      this.draw();
      return;
    }
    this.guess.leave();
    this.guess.predict.leave();
    this.settle({ step: to, rule: null });
    this.focusHeading();
    this.element.scrollIntoView({ block: 'start', behavior: 'instant' });
  }

  restart() {
    if (this.data) forgetScore(this.data.lesson.name);
    this.guess.predict.leave();
    this.settle(START);
    this.focusHeading();
  }

  /**
   * Keys of a lesson: 1 to 4 choose, Enter reveals, arrows step, Home starts at the question, S and G predict.
   * @param {KeyboardEvent} event
   */
  keys(event) {
    const { key, target } = event;
    if (!this.data || this.asked || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    if (closest(target, 'input, select, textarea, dialog')) return;
    if (key === 'Enter' && closest(target, 'button, a, summary')) return;
    if (this.guess.predict.keys(event)) return;
    const action = this.keyAction(key);
    if (!action) return;
    event.preventDefault();
    action();
  }

  /** @param {string} key @returns {(() => void) | undefined} */
  keyAction(key) {
    if (/^[1-4]$/.test(key)) return () => this.choose(Number(key));
    const { step } = this.now;
    /** @type {Record<string, () => void>} */
    const actions = {
      Enter: () => this.reveal(),
      ArrowRight: () => this.move(step + 1),
      ArrowLeft: () => this.move(step - 1),
      Home: () => this.move(1),
    };
    return actions[key];
  }

  /**
   * Show a lesson from a state (`next`: the title of the one after it); what it asks for and cannot be is left out.
   * @param {LessonData} data
   * @param {{step?: number, chosen?: unknown, rule?: string | null, next?: string | null, asked?: number}} [wanted]
   */
  load(data, { next = null, asked = 0, ...wanted } = {}) {
    this.guess.load(data.lesson);
    this.data = data;
    this.after = next;
    this.asked = asked;
    this.now = soundState(data.lesson, wanted);
    this.sheet = printed(data);
    this.draw();
  }
}
