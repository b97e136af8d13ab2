/* A sweep of the reader's own: it runs on the server behind every race, survives a reload, can be stopped and kept. */
import { el } from '../base/dom.js';
import { saveAnswer } from '../base/files.js';
import { keep, kept } from '../base/kept.js';
import * as link from '../base/link.js';
import { ask } from '../base/server.js';
import { OwnForm } from './own-form.js';
import { OwnProgress } from './own-progress.js';
import { checkedWords, isActive, isSweep } from './own-words.js';

/**
 * @import { FileAnswer, SweepBegun, SweepChecked, SweepSetup, SweepState } from '../payload.js'
 * @import { Calls, Failure } from '../base/server.js'
 * @import { CardName } from './own-form.js'
 */

const KEY = 'specviz-sweep';
const LOOK = 1000; // milliseconds between two looks at how far it is
const REDRAW = 5000; // between two pictures of the rows of a sweep that goes on
const GONE = 'gone';

let latest = ''; // where the browser keeps nothing

/** The last sweep that was begun in this browser: its id, and the key that stops it. */
function remembered() {
  const [id = '', key = ''] = (kept(KEY) ?? latest).split(' ');
  return { id, key };
}

/** @param {string} id @param {string} key */
function remember(id, key) {
  latest = `${id} ${key}`;
  keep(KEY, latest);
}

/** A sweep is gone, or put away. @param {string} id */
function forget(id) {
  link.set({ sweep: null, category: null });
  if (remembered().id !== id) return;
  latest = '';
  keep(KEY, null);
}

/**
 * A form, and the sweep that came of it. `show(id)` is called whenever there are new rows, and `show(null)` when the
 * sweep is put away.
 */
export class OwnSweep {
  /** @param {Calls} server @param {SweepSetup} setup @param {(id: string | null) => void} show */
  constructor(server, setup, show) {
    this.server = server;
    this.show = show;
    this.id = '';
    this.key = ''; // '': it was begun elsewhere
    this.active = false;
    this.done = 0; // rows that were shown
    this.redrawn = -REDRAW;
    this.timer = 0;
    this.form = new OwnForm(setup, {
      oncheck: () => this.check(),
      onrun: () => this.start(),
      onchange: () => this.said.replaceChildren(),
    });
    this.said = el('p', { class: 'sv-note', role: 'status' });
    this.progress = new OwnProgress({
      onstop: () => this.change('sweep_stop'),
      ongoon: () => this.change('sweep_continue'),
      onaway: () => this.putAway(),
      onsave: (format) => this.save(format),
    });
    const { element } = this.form;
    const about = { class: 'sv-own', 'aria-label': 'A sweep of your own', 'data-part': 'sweep' };
    this.element = el('section', about, element, this.said, this.progress.element);
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden && this.active) this.look();
    });
  }

  /** Offer a card to be run here, unless a sweep is under way. @param {CardName} card */
  choose(card) {
    if (this.active && this.key) {
      this.progress.tell('This sweep is under way: let it end, or stop it, before another begins.');
      return;
    }
    this.putAway();
    this.form.choose(card);
    this.check();
  }

  /** The sweep that the address names, or the last of this browser. Whether there is one. */
  async resume() {
    const asked = link.get('sweep');
    const id = asked ?? remembered().id;
    if (!id) return false;
    if (id === this.id) return true;
    return this.open(id, asked === null);
  }

  /**
   * Show a sweep, and follow it. Whether it is there.
   * @param {string} id
   * @param {boolean} [quietly] say nothing where it is gone
   */
  async open(id, quietly = false) {
    /** @type {SweepState | Failure} */
    const found = isSweep(id)
      ? await ask(this.server, 'sweep_state', { id })
      : { error: 'The address asks for a sweep that there is not.', code: GONE };
    if ('error' in found) {
      if (found.code === GONE) forget(id);
      if (!quietly) this.said.textContent = found.error;
      return false;
    }
    this.follow(found);
    return true;
  }

  async check() {
    const form = await this.form.read();
    if (!form) return;
    this.said.textContent = 'Checking …';
    /** @type {SweepChecked | Failure} */
    const found = await this.asked('sweep_check', form);
    this.said.textContent = 'error' in found ? '' : checkedWords(found);
  }

  async start() {
    const form = await this.form.read();
    if (!form) return;
    this.said.textContent = 'Checking …';
    /** @type {SweepBegun | Failure} */
    const found = await this.asked('sweep_start', form);
    this.said.replaceChildren();
    if ('error' in found) return;
    remember(found.id, found.key);
    this.follow(found);
  }

  /**
   * A call with the form; what is refused is said beside its field.
   * @param {string} name @param {unknown} form
   * @returns {Promise<any>}
   */
  async asked(name, form) {
    this.form.busy(true);
    const silent = 'The server did not answer, or refused the size of the request. Try again.';
    /** @type {Failure | object} */
    const found = await ask(this.server, name, form, { silent });
    this.form.busy(false);
    if ('error' in found) this.form.refuse(found.field ?? '', found.error);
    return found;
  }

  /** @param {SweepState} state */
  follow(state) {
    const { id, done } = state;
    if (id !== this.id) {
      const last = remembered();
      this.id = id;
      this.key = last.id === id ? last.key : '';
      this.done = 0;
      link.set({ sweep: id });
    }
    this.active = isActive(state);
    this.form.element.hidden = true;
    this.progress.show(state, this.key !== '');
    const now = performance.now();
    if (done !== this.done && (!this.active || now >= this.redrawn + REDRAW)) {
      this.done = done;
      this.redrawn = now;
      this.show(id);
    }
    this.rest();
    if (this.active) this.timer = setTimeout(() => this.look(), LOOK);
  }

  rest() {
    clearTimeout(this.timer);
    this.timer = 0;
  }

  /** Ask how far it is, unless nobody can see it. */
  async look() {
    if (document.hidden) return;
    this.rest();
    await this.change('sweep_state');
  }

  /** @param {string} name of a call that answers with the state */
  async change(name) {
    const { id, key } = this;
    /** @type {SweepState | Failure} */
    const found = await ask(this.server, name, name === 'sweep_state' ? { id } : { key });
    if (id !== this.id) return;
    if (!('error' in found)) {
      this.follow(found);
      return;
    }
    if (found.code === GONE) {
      this.putAway();
      this.said.textContent = found.error;
      return;
    }
    this.progress.tell(found.error);
    if (name === 'sweep_state') this.timer = setTimeout(() => this.look(), LOOK);
  }

  /** @param {string} format */
  async save(format) {
    /** @type {FileAnswer | Failure} */
    const found = await ask(this.server, 'sweep_file', { id: this.id, format });
    if ('error' in found) throw new Error(found.error);
    saveAnswer(found);
  }

  /** Back to the form; the sweep stays on the server. */
  putAway() {
    this.rest();
    const { id } = this;
    this.id = '';
    this.active = false;
    this.done = 0;
    this.progress.element.hidden = true;
    this.form.element.hidden = false;
    this.said.replaceChildren();
    if (!id) return;
    forget(id);
    this.show(null);
    this.form.run.focus();
  }
}
