/* Same forest, every verdict: one frozen draft; each rule's verdict on it comes from the server, row by row. */
import { el, pushButton } from '../base/dom.js';
import { go, pageNow } from '../base/navigation.js';
import { ask, Lifeline } from '../base/server.js';
import { latest, publish, subscribe } from '../base/shared.js';
import { explained } from '../base/terms.js';
import { isMadeHere } from '../race/settings.js';
import { Beside } from './beside.js';
import { readForest, writeForest } from './link.js';
import { ForestForm, ForestSteps } from './source.js';
import { ForestFacts, ForestStage } from './stage.js';
import { VerdictTable } from './table.js';
import { limitWords, summaryWords } from './words.js';

/**
 * @import { ComparedVerdicts, DraftedMessage, ForestSetup, KeptDraft, OpenedForest, RaceMessage } from '../payload.js'
 * @import { RefusedMessage, VerdictAnswer, WaitingMessage } from '../payload.js'
 * @import { Failure, Island } from '../base/server.js'
 * @import { Draft, ForestState, Recorded, Source } from './link.js'
 * @import { Side } from './table.js'
 */

const NOTHING = 'No forest to show yet: choose a recorded iteration, or draft a new one.';
const GONE =
  'The server does not answer any more. What you typed is still here: draft it again once the server is back.';
const RUN_AGAIN = 'This race is not on screen any more: run it again on the Race page.';
const COINS = 'Every rule gets the same coins. Another number is another set of coins; the forest stays.';

/** What the server calls a source. @param {Source} source */
const requestOf = (source) => ('form' in source ? { id: source.id } : source);

class ForestPage {
  alert = el('div', { class: 'sv-alert', role: 'alert' });
  summary = el('p', { class: 'sv-forest-summary', role: 'status' });
  empty = el('p', { class: 'sv-empty', role: 'status' }, 'Opening the forest …');
  facts = new ForestFacts((name, value) => this.warp(name, value));
  stage = new ForestStage();
  table = new VerdictTable({
    onpick: (side, name) => this.pick(side, name),
    onoption: (name, option, value) => this.setOption(name, option, value),
  });
  beside = new Beside((guesses) => this.chooseGuesses(guesses));
  whole = el('div', { class: 'sv-forest', hidden: true }, this.stage.element, this.verdicts());
  toggle = pushButton('Draft a new forest', () => this.unfold(Boolean(this.form.element.hidden)), {
    'aria-expanded': 'false',
    'data-part': 'draft',
  });
  inside = pushButton('Open in the Microscope', () => this.lookInside(), { 'data-part': 'links' });
  /** @type {OpenedForest | null} */
  forest = null;
  /** @type {Source | null} */
  framed = null; // where that one comes from
  /** @type {Map<string, VerdictAnswer | Failure>} */
  answers = new Map(); // by verifier, for the forest and the coins on screen
  turn = 0; // answers to older questions are dropped
  compared = 0; // answers to older comparisons, too
  /** @type {(Draft & {form: string}) | null} */
  sent = null; // the drafting form on its way
  /** @type {Recorded | null} */
  waiting = null; // a source in a race that is not on screen yet
  mounted = false;
  line = new Lifeline(() => this.lost());
  linked = readForest();

  /** @param {HTMLElement} root @param {Island} island */
  constructor(root, { props, server, triggers }) {
    /** @type {ForestSetup} */
    this.setup = JSON.parse(props.setup);
    this.root = root;
    this.props = props;
    this.server = server;
    this.triggers = triggers;
    const { coins, pair } = this.setup;
    /** @type {Omit<ForestState, 'source'> & {source: Source | null}} */
    this.state = { source: null, seed: coins, options: {}, a: pair[0], b: pair[1], guesses: '' };
    this.steps = new ForestSteps(this.setup, (source) => this.open(source));
    this.form = new ForestForm(this.setup, (form) => this.send(form));
    const bounds = { min: 0, max: this.setup.limits.seed, step: 1, value: 0, id: 'sv-forest-coins' };
    const onchange = () => {
      this.flip(Number(this.seed.value));
    };
    this.seed = el('input', { type: 'number', ...bounds, onchange });
    this.page = this.build();
    this.listen();
  }

  verdicts() {
    const attributes = { class: 'sv-forest-rows', 'aria-label': 'Every verdict', 'data-part': 'table' };
    return el('section', attributes, this.table.element, this.summary);
  }

  build() {
    return el(
      'div',
      { class: 'sv-page' },
      el('h1', { class: 'sv-hidden' }, 'Same forest, every verdict'),
      el('p', { class: 'sv-intro', 'data-part': 'intro' }, explained(this.setup.intro)),
      this.sourceBar(),
      this.form.element,
      this.alert,
      this.facts.element,
      this.empty,
      this.whole,
      this.beside.element,
    );
  }

  /** Which forest, and which coins. */
  sourceBar() {
    const label = el('label', { for: 'sv-forest-coins' }, 'Coins no.');
    const coins = el(
      'div',
      { class: 'sv-forest-coins', 'data-part': 'coins' },
      pushButton('Flip the coins again', () => this.flip(this.state.seed + 1), { class: 'sv-run' }),
      el('span', { class: 'sv-field', 'data-tip': COINS }, label, this.seed),
    );
    const parts = [this.steps.element, this.inside, this.toggle, coins];
    return el('div', { class: 'sv-forest-bar', 'data-part': 'source' }, parts);
  }

  /** @param {string} guesses */
  chooseGuesses(guesses) {
    this.state.guesses = guesses;
    this.save();
    this.beside.showFirst(guesses);
  }

  listen() {
    const fit = () => {
      this.stage.tree.build();
      this.beside.fit();
    };
    new ResizeObserver(() => {
      const top = this.whole.getBoundingClientRect().top + window.scrollY;
      this.whole.style.setProperty('--top', `${Math.round(top)}px`);
    }).observe(this.page);
    subscribe('page', (name) => {
      if (name !== 'forest') return;
      if (this.mounted) fit();
      else this.start();
    });
    subscribe('forest-from', ({ run, lane, iteration }) => {
      this.mounted = true;
      if (!this.page.isConnected) this.root.replaceChildren(this.page);
      this.waiting = null;
      this.open({ run, lane, step: iteration, warp: {} });
      if (pageNow() !== 'forest') go('forest');
    });
    subscribe('race', (race) => {
      const { source } = this.state;
      if (source && 'run' in source) this.save();
      this.fromRace(race);
    });
    subscribe('present', fit);
  }

  /** The page is shown for the first time. */
  start() {
    this.mounted = true;
    this.root.replaceChildren(this.page);
    const { linked, state, setup } = this;
    if (linked) {
      const { seed, options, guesses } = linked;
      Object.assign(state, { seed, options, guesses: guesses === 'frozen' ? 'frozen' : '' });
      state.a = linked.a || state.a;
      state.b = linked.b || state.b;
    }
    if (linked) this.begin(linked.source);
    else if (setup.start) this.begin({ ...setup.start, warp: {} });
    else {
      this.unfold(true);
      this.empty.textContent = 'No recorded iteration here: draft a forest.';
    }
  }

  /** @param {Source} source */
  begin(source) {
    if ('form' in source) {
      this.state.source = source;
      this.form.write(source.form);
      this.recall(source.form);
    } else if (source.run !== 'here') this.open(source);
    else {
      this.waiting = source;
      this.empty.textContent = 'The forest of this link is one of a race: run that on the Race page to see it.';
      this.fromRace(latest('race'));
    }
  }

  /** A link alone drafts nothing: its forest is shown while the server keeps it. @param {Draft} form */
  async recall(form) {
    /** @type {KeptDraft | Failure} */
    const answer = await ask(this.server, 'kept_draft', form);
    if (this.forest || this.sent) return;
    if (!('error' in answer)) {
      this.open({ form, id: answer.id });
      return;
    }
    this.unfold(true);
    this.empty.textContent = 'The forest of this link is not kept here: draft it to see it.';
  }

  /** The race of the link, once it has come to the step. @param {RaceMessage | undefined} race */
  fromRace(race) {
    const { waiting } = this;
    if (!waiting || !race || !isMadeHere(race.run)) return;
    const lane = race.lanes[waiting.lane];
    if (!lane || lane.iterations <= waiting.step) return;
    this.waiting = null;
    this.open({ ...waiting, run: race.run });
  }

  save() {
    const { source } = this.state;
    if (source) writeForest({ ...this.state, source });
  }

  /** @param {boolean} on */
  unfold(on) {
    this.form.element.hidden = !on;
    this.toggle.setAttribute('aria-expanded', String(on));
  }

  /** @param {string} name @param {number | null} value */
  warp(name, value) {
    const { source } = this.state;
    if (source !== this.framed) return; // another one is on its way
    if (source && 'run' in source) this.open({ ...source, warp: { ...source.warp, [name]: value } });
  }

  /** Show a forest: a recorded step, or one that is drafted. @param {Source} source */
  async open(source) {
    const before = this.forest ? this.state.source : null;
    this.state.source = source;
    const mine = ++this.turn;
    this.save();
    this.empty.hidden = Boolean(this.forest);
    /** @type {OpenedForest | Failure} */
    const answer = await ask(this.server, 'open_forest', { source: requestOf(source) });
    if (mine !== this.turn) return;
    this.empty.hidden = true;
    this.alert.textContent = 'error' in answer ? answer.error : '';
    if (!('error' in answer)) {
      this.forest = answer;
      this.frame(answer, source);
      this.judge();
    } else if (before) {
      this.state.source = before;
      this.save();
      this.judge(); // what was typed stays in its field
    } else {
      this.empty.hidden = false;
      this.empty.textContent = NOTHING;
    }
  }

  /** What stays while the verdicts come in. @param {OpenedForest} forest @param {Source} source */
  frame(forest, source) {
    const { state } = this;
    this.framed = source;
    const able = forest.rows.filter((row) => !row.refused);
    const names = able.map((row) => row.name);
    if (!names.includes(state.a)) state.a = names[0];
    if (!names.includes(state.b) || state.b === state.a) state.b = names.find((name) => name !== state.a) || state.a;
    const recorded = 'run' in source ? source : null;
    this.steps.show(recorded, forest.title, forest.steps);
    this.inside.hidden = !recorded;
    this.facts.show(forest);
    this.whole.hidden = false;
    this.answers = new Map();
    this.table.build(forest, state.options);
    this.table.picked(state.a, state.b);
    this.seed.value = String(state.seed);
    this.save();
  }

  able() {
    return (this.forest?.rows ?? []).flatMap((row) => (row.refused ? [] : [row.name]));
  }

  /**
   * Ask for verdicts one after the other: those shown first, then the others.
   * @param {string[]} [names] default: all
   */
  async judge(names) {
    const mine = names ? this.turn : ++this.turn;
    const able = this.able();
    const order = names || [...new Set([this.state.a, this.state.b, ...able])];
    for (const name of order) this.table.wait(name);
    if (!names) this.answers = new Map([...this.answers].filter(([name]) => able.includes(name)));
    for (const name of order) {
      const going = await this.judgeOne(name, mine);
      if (!going) return;
    }
    if (!able.every((name) => this.answers.has(name))) return;
    const judged = this.judged(able);
    this.summary.replaceChildren(summaryWords(judged), ' ', limitWords(judged, this.forest?.limit ?? null));
  }

  /** One verdict; false where no others are wanted any more. @param {string} name @param {number} mine the turn */
  async judgeOne(name, mine) {
    const { source, seed } = this.state;
    if (!source) return false;
    const options = this.optionsOf(name);
    const request = { source: requestOf(source), verifier: name, options, seed };
    /** @type {VerdictAnswer | Failure} */
    const answer = await ask(this.server, 'judge_forest', request);
    if (mine !== this.turn) return false;
    if (this.state.options[name] && this.state.options[name] !== options) return true; // the slider has moved on
    if ('error' in answer && answer.code === 'gone' && 'form' in source) {
      this.send(source.form);
      return false;
    }
    this.answers.set(name, answer);
    this.table.fill(name, answer, options);
    const { a, b } = this.state;
    if (name === a) this.showTree();
    if (name === a || name === b) this.compareIfKnown();
    return true;
  }

  /** @param {string} name */
  optionsOf(name) {
    return this.state.options[name] ?? {};
  }

  /** @param {string[]} names */
  judged(names) {
    return names.flatMap((name) => {
      const answer = this.answers.get(name);
      return answer && !('error' in answer) ? [{ title: this.titleOf(name), answer }] : [];
    });
  }

  /** @param {string} name */
  rowOf(name) {
    return this.forest?.rows.find((row) => row.name === name);
  }

  /** @param {string} name */
  titleOf(name) {
    return this.rowOf(name)?.title ?? name;
  }

  showTree() {
    const answer = this.answers.get(this.state.a);
    const row = this.rowOf(this.state.a);
    if (answer && row && this.forest) this.stage.show(row, answer, this.forest);
  }

  compareIfKnown() {
    if (this.answers.has(this.state.a) && this.answers.has(this.state.b)) this.compare();
  }

  async compare() {
    const { source, a, b, seed } = this.state;
    if (!source) return;
    const mine = ++this.compared;
    const before = this.turn;
    const names = [...new Set([a, b])];
    const pair = names.map((name) => ({ verifier: name, options: this.optionsOf(name) }));
    const request = { source: requestOf(source), pair, seed };
    /** @type {ComparedVerdicts | Failure} */
    const answer = await ask(this.server, 'compare_verdicts', request);
    if (mine !== this.compared || before !== this.turn) return;
    const titles = names.map((name) => this.titleOf(name));
    this.beside.show('error' in answer ? null : answer, titles, this.state.guesses);
  }

  /** @param {string} name @param {string} option @param {number} value */
  setOption(name, option, value) {
    this.state.options[name] = { ...this.state.options[name], [option]: value };
    this.save();
    this.judge([name]);
  }

  /** @param {Side} side @param {string} name */
  pick(side, name) {
    const { state } = this;
    const other = side === 'a' ? 'b' : 'a';
    if (state[other] === name) state[other] = state[side];
    state[side] = name;
    this.table.picked(state.a, state.b);
    this.save();
    this.showTree();
    this.compareIfKnown();
  }

  /** @param {number} next */
  flip(next) {
    const known = Number.isInteger(next) && next >= 0 && next <= this.setup.limits.seed;
    if (known) this.state.seed = next;
    this.seed.value = String(this.state.seed);
    if (!known) return;
    this.save();
    if (this.forest) this.judge();
  }

  lost() {
    this.sent = null;
    this.form.busy('');
    this.unfold(true);
    this.form.refuse({ field: 'form', message: GONE });
    if (!this.forest) this.empty.textContent = NOTHING;
  }

  /** @param {Draft} asking */
  send(asking) {
    this.sent = { ...asking, form: String(Math.random()).slice(2) };
    this.alert.textContent = '';
    this.form.busy('Drafting …');
    this.triggers.draft(this.sent);
    this.line.wait();
  }

  receive() {
    /** @type {DraftedMessage | RefusedMessage | WaitingMessage | null} */
    const message = this.props.value ? JSON.parse(this.props.value) : null;
    if (!message || !this.sent || message.form !== this.sent.form) return;
    this.line.wait();
    if (message.kind === 'waiting') {
      this.form.busy(message.text);
      this.empty.textContent = message.text;
      return;
    }
    const { prompt, drafter, options, seed, pair } = this.sent;
    const asking = { prompt, drafter, options, seed, pair };
    this.sent = null;
    this.line.rest();
    this.form.busy('');
    if (message.kind === 'drafted') this.drafted(asking, message.id);
    else {
      this.unfold(true);
      this.form.refuse(message);
      if (!this.forest) this.empty.textContent = NOTHING;
    }
  }

  /** @param {Draft} form @param {string} id */
  drafted(form, id) {
    if (this.form.element.contains(document.activeElement)) this.toggle.focus();
    this.unfold(false);
    this.open({ form, id });
  }

  async lookInside() {
    const { source } = this.state;
    if (!source || !('run' in source)) return;
    const { run, lane, step } = source;
    if (latest('race')?.run !== run) {
      const race = await this.raceOf(run);
      if (!race) {
        this.alert.textContent = RUN_AGAIN;
        return;
      }
      publish('show', race);
    }
    go('microscope');
    publish('open', { lane, iteration: step });
  }

  /** A recorded race; null for any other. @param {string} run */
  async raceOf(run) {
    if (!run.startsWith('gallery:')) return null;
    /** @type {RaceMessage | Failure} */
    const race = await ask(this.server, 'race_of', { methods: run.slice('gallery:'.length).split(',') });
    return 'error' in race ? null : race;
  }
}

/** @param {HTMLElement} root @param {Island} island */
export function mountForest(root, island) {
  const page = new ForestPage(root, island);
  island.watch('value', () => page.receive());
}
