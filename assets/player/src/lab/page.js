/* The Lab: what the papers promise, cards with recorded results, theory to play with, sweeps of one's own. */
import { el } from '../base/dom.js';
import * as link from '../base/link.js';
import { pageNow } from '../base/navigation.js';
import { pageLink } from '../base/page-link.js';
import { ask } from '../base/server.js';
import { subscribe } from '../base/shared.js';
import { explained } from '../base/terms.js';
import { isDark } from '../base/theme.js';
import { LabCard } from './card.js';
import { OwnSweep } from './own.js';
import { promiseTable } from './promises.js';
import { TheoryPlayground } from './theory.js';

/**
 * @import { LabPromises, LabSetup, TheoryPoint } from '../payload.js'
 * @import { Failure, Island } from '../base/server.js'
 * @import { Source } from './card.js'
 */

const INTRO =
  'A race shows one prompt and one seed. Here methods run on many prompts with many seeds, theory is drawn beside ' +
  'what was measured, and what the papers promise is held against it.';
const PROMISES = 'promises';
const THEORY = 'theory';
const OWN = 'own';
const PARTS = [PROMISES, THEORY, OWN];

class LabPage {
  /** @param {HTMLElement} root @param {Island} island */
  constructor(root, { props, server }) {
    /** @type {LabSetup} */
    this.setup = JSON.parse(props.setup);
    this.server = server;
    this.titles = Object.fromEntries(this.setup.cards.map(({ name, title }) => [name, title]));
    this.shown = '';
    this.turn = 0;
    this.alert = el('div', { class: 'sv-alert', role: 'alert' });
    this.list = el('ul', {});
    this.content = el('div', { class: 'sv-lab-content' });
    root.replaceChildren(
      el(
        'div',
        { class: 'sv-page sv-lab' },
        el('h1', { class: 'sv-hidden' }, 'Lab'),
        el('p', { class: 'sv-intro', 'data-part': 'intro' }, explained(INTRO)),
        this.alert,
        el(
          'div',
          { class: 'sv-lab-body' },
          el('nav', { 'aria-label': 'Parts of the Lab', 'data-part': 'chooser' }, this.list),
          this.content,
        ),
      ),
    );
    this.own = new OwnSweep(server, this.setup.sweeps, (id) => this.showSweep(id));
    this.ownRows = el('div', {});
    this.theory = new TheoryPlayground();
    this.offered = false; // what was measured, to the theory
    this.fillList();
    this.listen();
  }

  fillList() {
    const entry = (/** @type {string} */ name, /** @type {string} */ title, /** @type {string} */ about) => {
      const words = [el('b', {}, title), el('small', {}, about)];
      return el(
        'li',
        {},
        pageLink(`?view=lab&card=${name}`, () => this.visit(name), { 'data-card': name }, words),
      );
    };
    this.list.replaceChildren(
      entry(PROMISES, 'What the papers promise', 'each with its number, and whether it holds here'),
      entry(THEORY, 'Theory to play with', 'expected tokens, speed and arithmetic, instantly'),
      ...this.setup.cards.map(({ name, title, paper }) => entry(name, title, paper)),
      entry(OWN, 'A sweep of your own', 'your methods, on your prompts, made here'),
    );
  }

  listen() {
    subscribe('page', (page) => {
      if (page !== 'lab') return;
      const wanted = link.get('card') ?? (link.get('sweep') ? OWN : link.get('theory') ? THEORY : PROMISES);
      if (wanted !== this.shown) this.open(wanted);
    });
    subscribe('dark', () => {
      if (pageNow() === 'lab' && this.shown) this.open(this.shown);
    });
  }

  /** @param {string} message */
  refuse(message) {
    this.alert.textContent = message;
  }

  /** @param {string} name @param {string} [setting] of a card: with its runs */
  open(name, setting) {
    this.refuse('');
    if (!PARTS.includes(name) && !(name in this.titles)) {
      this.refuse(`The Lab has no card called “${name.slice(0, 40)}”: what the papers promise is shown.`);
      name = PROMISES;
    }
    this.shown = name;
    for (const one of this.list.querySelectorAll('a')) {
      if (one.dataset.card !== name) one.removeAttribute('aria-current');
      else {
        one.setAttribute('aria-current', 'true');
        this.reveal(one);
      }
    }
    if (name === PROMISES) this.showPromises();
    else if (name === THEORY) this.showTheory();
    else if (name === OWN) this.showOwn();
    else this.showCard(name, setting);
  }

  /**
   * Bring an entry into view, where the list shows a part of its entries; the page stays where it is.
   * @param {Element} entry
   */
  reveal(entry) {
    const list = /** @type {Element} */ (this.list.parentElement);
    const [box, seen] = [entry, list].map((one) => one.getBoundingClientRect());
    if (box.top < seen.top || box.bottom > seen.bottom) {
      list.scrollTop += (box.top + box.bottom - seen.top - seen.bottom) / 2;
    }
  }

  /** Open it as a new entry of the history. @param {string} name @param {string} [setting] */
  visit(name, setting) {
    link.visit({ card: name, category: null });
    this.open(name, setting);
  }

  async showTheory() {
    this.turn += 1;
    this.content.replaceChildren(this.theory.element);
    this.theory.show();
    if (this.offered) return;
    this.offered = true;
    /** @type {TheoryPoint[] | Failure} */
    const answer = await ask(this.server, 'lab_theory', null);
    if ('error' in answer) return;
    const points = answer.map(({ card, ...point }) => {
      const open = () => this.visit(card, point.name);
      return { ...point, opens: 'its runs', open };
    });
    this.theory.offer(points);
  }

  async showPromises() {
    const mine = ++this.turn;
    /** @type {LabPromises | Failure} */
    const answer = await ask(this.server, 'lab_promises', null);
    if (mine !== this.turn) return;
    if ('error' in answer) {
      this.refuse(answer.error);
      return;
    }
    this.content.replaceChildren(
      el('h2', {}, 'What the papers promise'),
      ...promiseTable(answer.promises, this.titles, (card) => this.visit(card)),
      el('p', { class: 'sv-note' }, answer.made),
    );
  }

  /** @param {string} name @param {string} [setting] */
  async showCard(name, setting) {
    const source = this.sourceOf(name, { card: name }, ['lab_card', 'lab_runs', 'lab_file', 'lab_figure']);
    const run = () => {
      this.visit(OWN);
      this.own.choose({ name, title: this.titles[name] });
    };
    const card = await this.showRows(name, source, this.content, run);
    if (setting) card?.open(setting);
  }

  /**
   * What rows say; null where they cannot be shown, or another part of the Lab is shown by now.
   * @param {string} part @param {Source} source @param {Element} place @param {(() => void) | null} run
   */
  async showRows(part, source, place, run) {
    const mine = ++this.turn;
    const answer = await source.view(isDark());
    if (mine !== this.turn || this.shown !== part) return null;
    if ('error' in answer) {
      this.refuse(answer.error);
      return null;
    }
    const card = new LabCard(source, (message) => this.refuse(message), run);
    place.replaceChildren(card.element);
    card.show(answer);
    return card;
  }

  showOwn() {
    this.content.replaceChildren(el('h2', {}, 'A sweep of your own'), this.own.element, this.ownRows);
    if (this.own.id) this.showSweep(this.own.id);
    this.own.resume();
  }

  /** What the rows of a sweep say so far; null: there is none any more. @param {string | null} id */
  async showSweep(id) {
    if (id) {
      const calls = ['sweep_charts', 'sweep_runs', 'sweep_file', 'sweep_figure'];
      await this.showRows(OWN, this.sourceOf(`sweep-${id.slice(0, 8)}`, { id }, calls), this.ownRows, null);
      return;
    }
    this.turn += 1;
    this.ownRows.replaceChildren();
  }

  /**
   * @param {string} name @param {object} whose
   * @param {string[]} calls for a view, its runs, a file of all rows, and a figure
   * @returns {Source}
   */
  sourceOf(name, whose, [view, runs, file, figure]) {
    const call = (/** @type {string} */ one, /** @type {object} */ more) =>
      /** @type {Promise<any>} */ (ask(this.server, one, { ...whose, ...more }));
    const chosen = () => ({ category: link.get('category') ?? '' });
    return {
      name,
      view: (dark) => call(view, { dark, ...chosen() }),
      runs: (setting) => call(runs, { setting, ...chosen() }),
      file: (format) => call(file, { format }),
      pdf: (key) => call(figure, { key, dark: isDark(), ...chosen() }),
    };
  }
}

/** @param {HTMLElement} root @param {Island} island */
export function mountLab(root, island) {
  new LabPage(root, island);
}
