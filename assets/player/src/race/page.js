/* The race: settings on top, lanes on one measured axis below, the verdict in words. Whatever publishes 'show' with
   a race (the Library, a lesson) puts it here; every race on screen is published as 'race'. */
import { el, pushButton } from '../base/dom.js';
import { misnamed, wrongLanes, wrongTurns, wrongValues } from '../base/address.js';
import { keep, kept } from '../base/kept.js';
import * as link from '../base/link.js';
import { go, pageNow, toLesson } from '../base/navigation.js';
import { Lifeline, ask } from '../base/server.js';
import { latest, publish, subscribe } from '../base/shared.js';
import { explained } from '../base/terms.js';
import { linkButton } from '../parts/link-button.js';
import { differenceWords } from './again.js';
import { DialChoice } from './dials.js';
import { Forks, branchHead } from './forks.js';
import { RaceForm } from './form.js';
import { LaneResult, answerOf } from './lane-result.js';
import { LaneSettings } from './lane-settings.js';
import { Summary, keyOf, legendElement, showPace } from './outcome.js';
import { RaceReplay } from './replay.js';
import { Unfamiliar } from './unfamiliar.js';
import { Openings } from './openings.js';
import { isMadeHere, newRun, openingOf, optionsOf, ownOptions, recordedNames, startLanes } from './settings.js';
import { axis, ticksFor } from './ticks.js';
import { Welcome } from './welcome.js';

/**
 * @import { LaneView, RaceMessage, RaceMotion, RaceSetup } from '../payload.js'
 * @import { RefusedMessage, RunMade, WaitingMessage } from '../payload.js'
 * @import { Failure, Island } from '../base/server.js'
 * @import { Leaving, Missing, Remade } from '../base/shared.js'
 * @import { Lane } from '../base/values.js'
 * @import { Form } from '../base/link.js'
 * @typedef {{picker: LaneSettings, result: LaneResult, pace: HTMLElement, onward: HTMLElement}} LaneOnPage
 */

/** @type {Record<string, string>} */
const STATES = {
  recorded: 'Recorded race',
  opened: 'Opened runs',
  ready: 'Ready to run',
  waiting: 'Waiting for the device …',
  running: 'Running …',
  finished: 'Finished',
  stopped: 'Stopped',
};
const PATIENCE = 6000; // milliseconds that a stopped race has to say so
const LINKED = 'Not kept here: run it to see it.';
const NO_FORM =
  'This run cannot be gone on from: it was not made from a prompt that the page could ask again, such as one inside ' +
  'a conversation.';
const STARTED = 'specviz-started'; // in sessionStorage: the form that this tab ran last
const GONE =
  'The server does not answer any more, so this race is broken off. What you typed is still here: run again once ' +
  'the server is back.';

/** Whether this tab ran this form last. @param {Form} form */
const startedHere = (form) => kept(STARTED, 'sessionStorage') === JSON.stringify(form);

/** @param {() => void} onclick */
const onwardButton = (onclick) =>
  pushButton('Go on from this answer', onclick, { class: 'sv-chip sv-onward', hidden: true });

/** Where the race stands, in a word. */
class RaceState {
  constructor() {
    this.element = el('span', { class: 'sv-state', role: 'status' }, STATES.ready);
    this.position = el('span', { class: 'sv-queue-position', 'aria-hidden': 'true', hidden: true });
  }

  /** @param {string} text @param {string} which @param {number} [ahead] how many races are before this one */
  tell(text, which, ahead) {
    this.element.textContent = text;
    this.element.dataset.state = which;
    this.position.hidden = !ahead;
    this.position.textContent = ahead ? `${ahead} ahead` : '';
  }
}

class RacePage {
  alert = el('div', { id: 'sv-alert', class: 'sv-alert', role: 'alert' });
  summary = new Summary(toLesson);
  unfamiliar = new Unfamiliar(() => this.run());
  state = new RaceState();
  said = el('blockquote', { class: 'sv-asked', dir: 'auto', translate: 'no' });
  deck = el('div', { class: 'sv-deck' });
  scale = axis();
  numbers = new DialChoice();
  moved = ''; // the race that can be played
  add = pushButton('+ Add a lane', () => this.addLane(), { 'data-part': 'form' });
  /** @type {LaneOnPage[]} */
  lanes = [];
  /** @type {Record<string, any>[]} */
  branches = []; // that leave the first lane
  /** @type {Leaving['tell'] | null} */
  tell = null; // where a branch was asked for
  /** @type {HTMLElement[]} */
  heads = []; // of the branches' lanes
  whole = pushButton('Without branches', () => this.rejoin(), { 'data-part': 'form', hidden: true });
  forks = new Forks((lane, iteration) => this.open(lane, iteration, null));
  /** @type {(Form & {run: string}) | null} */
  sent = null; // the form of the run on its way
  left = ''; // a run that was under way when another race was shown
  /** @type {RunMade | null} */
  made = null; // what is being made again, to look into it
  recalled = 0;
  heard = ''; // the last message
  line = new Lifeline(() => this.lost());

  /** @param {HTMLElement} root @param {Island} island */
  constructor(root, { props, server, triggers }) {
    /** @type {RaceSetup} */
    this.setup = JSON.parse(props.setup);
    this.root = root;
    this.props = props;
    this.server = server;
    this.triggers = triggers;
    this.key = keyOf(this.setup.legend);
    this.checkAddress();
    const start = link.read();
    this.pending = start.form ? start.at : null; // a step to look into once it is there
    this.replay = new RaceReplay({
      deck: this.deck,
      results: () => this.lanes.map(({ result }) => result),
      glyphs: this.key.glyphs,
      server,
      tell: (text) => (this.alert.textContent = text),
      onend: () => this.welcome.played(this.replay.element),
    });
    this.intro = el('p', { class: 'sv-intro', 'data-part': 'intro' }, explained(this.setup.intro));
    this.welcome = new Welcome(this.intro, () => this.watch());
    this.openings = new Openings(this.setup.openings, (opening) => this.reopen(opening));
    this.form = new RaceForm(this.setup, { onrun: () => this.run(), onstop: () => this.stop() });
    root.replaceChildren(this.build());
    this.begin(start);
  }

  /** Say which values of the address cannot be, and go on without them. */
  checkAddress() {
    const wrong = wrongValues(link.whole(), this.setup);
    const names = this.setup.shared.map(({ name }) => name);
    const turns = wrongTurns(link.whole());
    link.ignore([...wrong.map(({ name }) => name), ...(turns.length ? ['turns'] : [])]);
    const said = [...wrong.map(({ sentence }) => sentence), ...turns, ...wrongLanes(link.whole(), this.setup)];
    link.complain(...said, ...misnamed(link.whole(), names));
  }

  build() {
    const { intro } = this;
    const openings = this.openings.element;
    const share = linkButton(() => go('library'));
    const { position, element: state } = this.state;
    const results = el(
      'section',
      { class: 'sv-results', 'aria-label': 'The race' },
      el(
        'div',
        { class: 'sv-headline' },
        position,
        state,
        openings,
        share,
        legendElement(this.setup.legend),
        this.said,
      ),
      this.forks.element,
      this.replay.element,
      el('div', { class: 'sv-foot' }, el('div', {}, this.add, this.whole, this.numbers.element), this.scale.element),
      this.summary.element,
    );
    const heading = el('h1', { class: 'sv-hidden' }, 'Race');
    return el(
      'div',
      { class: 'sv-page' },
      heading,
      this.welcome.element,
      intro,
      this.form.element,
      this.alert,
      this.unfamiliar.element,
      results,
    );
  }

  /** Play the race on screen from its beginning, once it is there. */
  watch() {
    const { playback } = this.replay;
    playback.pause();
    playback.goTo(0);
    playback.start();
  }

  /** What the address asks for, or the race that the page comes with. @param {ReturnType<typeof link.read>} asked */
  begin(asked) {
    const { setup } = this;
    const recorded = !asked.form && !asked.shown && setup.recorded ? asked.recorded : null;
    const { lanes, unknown, form } = startLanes(setup, asked.form, recorded);
    this.openings.choose(recorded ? openingOf(recorded) : (this.setup.openings[0]?.name ?? ''));
    this.branches = asked.form?.branches ?? [];
    this.buildDeck(lanes);
    this.form.write(form);
    if (unknown.length) {
      const names = unknown.map(({ method }) => `“${method.slice(0, 40)}”`).join(', ');
      link.complain(`The address asks for methods that this page does not have: ${names}.`);
    }
    subscribe('numbers', () => this.lanes.forEach(({ result }) => result.choose()));
    for (const name of /** @type {const} */ (['models', 'race'])) subscribe(name, () => this.offerTurns());
    subscribe('show', (race) => this.take(race));
    subscribe('again', (asked) => this.again(asked));
    subscribe('leave', (asked) => this.branch(asked));
    if (recorded) this.recall();
    else if (asked.shown) this.state.tell('Opening …', 'waiting');
    else if (asked.form && !unknown.length) this.find();
    else this.receive();
  }

  /** A link alone starts nothing: it shows the race that the server keeps of this form. Only one that this very tab
      started is run again, such as after loading the page anew. */
  async find() {
    const asked = this.read();
    /** @type {RaceMessage | Failure} */
    const answer = await ask(this.server, 'find', asked);
    if (this.sent || latest('race')) return;
    if (!('error' in answer)) {
      this.draw(answer);
      publish('race', answer);
      this.openPending(answer);
    } else if (startedHere(asked)) this.run();
    else {
      this.state.tell(LINKED, 'ready');
      if (link.get('view') === 'microscope') go('race'); // there is nothing to look into yet
    }
  }

  addLane() {
    this.buildDeck([...this.settings(), { method: this.setup.methods[0].name, options: {} }]);
    this.recall();
  }

  /** @param {number} index */
  removeLane(index) {
    this.buildDeck(this.settings().toSpliced(index, 1));
    this.recall();
  }

  settings() {
    return this.lanes.slice(0, this.branches.length ? 1 : undefined).map(({ picker }) => picker.read());
  }

  /** While recorded lanes are on screen, they are those of the methods chosen. */
  async recall() {
    const methods = this.lanes.map(({ picker }) => picker.method);
    const names = recordedNames(this.openings.chosen, methods);
    const turn = ++this.recalled;
    const shown = latest('race');
    if (this.sent || !this.setup.recorded || (shown && shown.state !== 'recorded')) return;
    /** @type {RaceMessage | Failure} */
    const answer = await ask(this.server, 'recorded', names);
    if ('error' in answer || this.sent || turn !== this.recalled) return;
    link.writeRecorded(names);
    this.draw(answer);
    publish('race', answer);
  }

  /** Another recorded race of these methods. @param {string} opening */
  async reopen(opening) {
    const names = recordedNames(
      opening,
      this.lanes.map(({ picker }) => picker.method),
    );
    /** @type {RaceMessage | Failure} */
    const answer = await ask(this.server, 'recorded', names);
    if (!('error' in answer)) this.take(answer);
  }

  /** Lanes with these settings, and those of the branches that leave the first. @param {Lane[]} chosen */
  buildDeck(chosen) {
    const { min_lanes: least, max_lanes: most } = this.setup.limits;
    const all = this.branches.length ? [chosen[0], ...this.branches.map(() => chosen[0])] : chosen;
    this.whole.hidden = this.branches.length === 0;
    this.heads = this.branches.map((_, index) => branchHead(index + 1, undefined));
    this.lanes = all.map((lane, index) => {
      const picker = new LaneSettings(this.setup, index + 1, lane, {
        onremove: () => this.removeLane(index),
        onchange: () => {
          this.redraw();
          this.recall();
        },
      });
      picker.removable(chosen.length > least && !this.branches.length);
      const open = (/** @type {number} */ iteration, /** @type {number | null} */ token) =>
        this.open(index, iteration, token);
      const result = new LaneResult(index + 1, this.key, open);
      const onward = onwardButton(() => this.goOn(index));
      return { picker, result, onward, pace: el('p', { class: 'sv-pace', 'data-part': 'verdict' }) };
    });
    this.deck.replaceChildren(
      ...this.lanes.map(({ picker, result, pace, onward }, index) => {
        const outcome = el('div', { class: 'sv-outcome' }, result.element, pace, onward);
        const about = { class: 'sv-lane', 'aria-label': `Lane ${index + 1}` };
        return el('article', about, this.heads[index - 1] ?? picker.element, outcome);
      }),
    );
    this.moved = '';
    this.add.hidden = this.lanes.length >= most || this.branches.length > 0;
    this.redraw();
  }

  /** Ask on behind the answer of a lane. @param {number} index */
  goOn(index) {
    const race = latest('race');
    const view = race?.lanes[index];
    if (race && view) this.form.goOn([...(race.turns ?? []), [race.prompt ?? '', answerOf(view)]], race.system ?? '');
  }

  /** @param {number} lane @param {number} iteration @param {number | null} token */
  open(lane, iteration, token) {
    go('microscope');
    publish('open', { lane, iteration, scene: null, token });
  }

  /** @returns {Form} */
  read() {
    const { branches } = this;
    return { ...this.form.read(), lanes: this.settings(), ...(branches.length ? { branches } : {}) };
  }

  /** @param {{field: string, message: string}} refusal */
  refuse({ field, message }) {
    this.accept();
    this.alert.textContent = message;
    /** @type {HTMLElement[]} */
    const fields = [...this.root.querySelectorAll('[data-field]')].filter((one) => one instanceof HTMLElement);
    const holder = fields.find((element) => element.dataset.field === field);
    if (!holder) return;
    const options = holder.closest('details');
    if (options) options.open = true;
    const input = holder.querySelector('textarea, input, select');
    input?.setAttribute('aria-invalid', 'true');
    if (field.startsWith('lane-')) {
      const wrong = el('small', { class: 'sv-wrong', 'aria-hidden': 'true' }, message);
      holder.append(wrong); // the alert may be out of sight
    }
    if (input instanceof HTMLElement) input.focus();
  }

  accept() {
    this.alert.textContent = '';
    for (const marked of this.root.querySelectorAll('[aria-invalid]')) marked.removeAttribute('aria-invalid');
    for (const said of this.root.querySelectorAll('.sv-wrong')) said.remove();
  }

  /** Why the form cannot be sent; null where it can. @param {Form} asked */
  refusal(asked) {
    const { prompt: most, min_lanes: least } = this.setup.limits;
    const size = asked.prompt.length;
    if (size > most) {
      const has = `The prompt has ${size.toLocaleString('en')} characters; this page takes up to `;
      const message = `${has}${most.toLocaleString('en')}. Nothing was lost: shorten it and run again.`;
      return { field: 'prompt', message };
    }
    if (this.lanes.length >= least) return null;
    return { field: 'lane-1-method', message: `A race has at least ${least} lanes: add one below, then run.` };
  }

  run() {
    if (this.sent) return;
    const asked = this.read();
    const refusal = this.refusal(asked);
    if (refusal) {
      this.refuse(refusal);
      return;
    }
    this.accept();
    this.welcome.leave();
    this.made = null;
    this.send(asked);
  }

  /** @param {Form} asked @param {{run: string, lane: number} | null} [parent] what is kept of the lane to be left */
  send(asked, parent = null) {
    this.sent = { ...asked, run: newRun() };
    keep(STARTED, JSON.stringify(asked), 'sessionStorage');
    this.form.running(true);
    this.state.tell(STATES.waiting, 'waiting');
    this.triggers.run({ ...this.sent, ...(parent ? { parent } : {}) });
    this.line.wait();
  }

  /** Leave a lane of the race on screen; what is there stays until the branch begins. @param {Leaving} asked */
  branch({ lane, iteration, change, tell }) {
    const race = latest('race');
    const view = race?.lanes[race.branches ? 0 : lane];
    if (this.sent) tell('A run is under way: stop it first, or wait for it.');
    else if (!race || !view || race.prompt === null) tell(NO_FORM);
    else {
      const form = optionsOf({ ...race, lanes: [view] }, this.form.read());
      const options = ownOptions(view.options, form.shared);
      const nothing = { onremove: () => {}, onchange: () => {} };
      const own = new LaneSettings(this.setup, 1, { method: view.method, options }, nothing).read();
      const branches = [...(race.branches ?? []), { of: race.branches ? lane : 0, iteration, ...change }];
      this.tell = tell;
      this.welcome.leave();
      tell(STATES.waiting);
      this.send(
        { ...form, pair: race.pair ?? '', lanes: [own], branches },
        { run: race.run, lane: race.branches ? 0 : lane },
      );
    }
  }

  /** The form and the lanes of a race with branches that begins. @param {Form} form */
  fork(form) {
    this.tell?.('');
    this.tell = null;
    this.branches = form.branches ?? [];
    this.form.write({ turns: [], system: '', ...form });
    this.buildDeck(form.lanes);
    if (pageNow() === 'microscope') go('race');
  }

  /** The lane that the branches leave, by itself and a plain one, to be run as a race. */
  rejoin() {
    const [first] = this.settings();
    this.branches = [];
    this.buildDeck([first, { method: 'autoregressive', options: {} }]);
  }

  /** Make a recorded run again, and look into it. @param {Remade} asked */
  again({ form, made }) {
    this.abandon();
    this.pending = null;
    this.branches = form.branches ?? [];
    this.form.write({ turns: [], system: '', ...form });
    this.buildDeck(form.lanes);
    go('race');
    this.run();
    this.made = made;
  }

  /**
   * Into the first lane, once its race is over; who has gone on to another page stays there.
   * @param {RaceMessage} race
   */
  lookInto({ state, lanes: [lane] }) {
    if (!this.made || state !== 'finished' || !lane) return;
    const note = differenceWords(this.made, lane);
    this.made = null;
    publish('open', { lane: 0, iteration: 0, note });
    if (pageNow() === 'race') go('microscope');
  }

  /** Leave the run that is under way. */
  abandon() {
    if (!this.sent) return;
    this.left = this.sent.run;
    this.server.stop(this.left).catch(() => {});
    this.settle();
  }

  lost() {
    this.settle();
    this.state.tell('Broken off', 'stopped');
    this.alert.textContent = GONE;
  }

  stop() {
    if (!this.sent) return;
    const { run } = this.sent;
    this.state.tell('Stopping …', 'waiting');
    this.server.stop(run).catch(() => {});
    setTimeout(() => {
      if (this.sent?.run !== run) return;
      this.settle();
      this.state.tell(STATES.stopped, 'stopped');
    }, PATIENCE);
  }

  settle() {
    this.sent = null;
    this.line.rest();
    this.form.running(false);
  }

  /** @param {RaceMessage} race */
  draw(race) {
    const seconds = Math.max(0, ...race.lanes.map((lane) => (lane ? lane.clock : 0)));
    const marks = ticksFor(seconds);
    this.lanes.forEach((lane, index) => this.drawLane(lane, race, race.lanes[index] ?? null, marks));
    this.scale.draw(marks);
    const running = race.state === 'running' && seconds ? ` ${seconds.toFixed(1)} s` : '';
    this.state.tell(race.note || STATES[race.state] + running, race.state);
    this.openings.show(race);
    const asked = race.prompt || '';
    this.said.textContent = asked === this.form.read().prompt ? '' : asked;
    this.unfamiliar.show(race);
    this.forks.show(race);
    race.forks.forEach((fork, at) => this.heads[at]?.replaceChildren(...branchHead(at + 1, fork).childNodes));
    this.summary.show(race);
    this.numbers.show(race.lanes.find((lane) => lane !== null)?.dials ?? []);
    this.follow(race);
  }

  /** Have ready how the race moves, once it stands. @param {RaceMessage} race */
  async follow(race) {
    const moved = race.state === 'running' ? '' : `${race.run} ${race.state}`;
    if (moved === this.moved && moved) return;
    this.moved = moved;
    this.replay.leave();
    if (!moved) return;
    /** @type {RaceMotion | Failure} */
    const answer = await ask(this.server, 'motion', race.run);
    if (this.moved === moved && !('error' in answer)) this.replay.load(race, answer.lanes);
  }

  /** @param {LaneOnPage} lane @param {RaceMessage} race @param {LaneView | null} view @param {number[]} marks */
  drawLane({ picker, result, pace }, race, view, marks) {
    const same = Boolean(view && picker.method === view.method);
    if (view) result.update(race.run, view, !same);
    else result.clear();
    picker.showGuarantee(same ? view : null);
    result.axis(marks[marks.length - 1], view);
    showPace(pace, view && view.pace);
  }

  /** Models that take turns are told what to be, and a lane of theirs that has an answer may be gone on from. */
  offerTurns() {
    const race = latest('race');
    const pair = race?.pair === '' ? latest('pairs')?.[0] : race?.pair;
    const chats = latest('models')?.chats ?? false;
    this.form.system.offer(chats);
    const takes = Boolean(pair) && pair === latest('pair') && chats;
    this.lanes.forEach(({ onward }, index) => {
      const view = race?.lanes[index];
      onward.hidden = !(takes && view?.finished && answerOf(view));
    });
  }

  redraw() {
    const race = latest('race');
    if (race) this.draw(race);
    this.offerTurns();
  }

  receive() {
    const { value } = this.props;
    if (!value) return;
    /** @type {RaceMessage | RefusedMessage | WaitingMessage} */
    const message = JSON.parse(value);
    if (this.sent && value !== this.heard) this.line.wait();
    this.heard = value;
    const other = this.sent && message.form !== this.sent.run;
    if (message.form && (message.form === this.left || other)) return;
    if (message.kind === 'refused') {
      this.settle();
      this.state.tell(STATES.ready, 'ready');
      if (this.tell) this.tell(message.message);
      else this.refuse(message);
      this.tell = null;
      this.redraw();
    } else if (message.kind === 'waiting') {
      this.state.tell(message.text, 'waiting', message.queue_position);
      this.tell?.(message.text);
    } else this.show(message);
  }

  /** A race that came from the server. @param {RaceMessage} race */
  show(race) {
    const mine = this.sent !== null && race.run === this.sent.run;
    if (this.sent && mine && latest('race')?.run !== race.run) {
      link.writeForm(this.sent);
      if (this.sent.branches) this.fork(this.sent);
    }
    this.draw(race);
    publish('race', race);
    if (race.state === 'finished' || race.state === 'stopped') this.settle();
    if (!mine) return;
    this.openPending(race);
    this.lookInto(race);
  }

  /** The step that the address asks for, once it is there. @param {RaceMessage} race */
  openPending(race) {
    if (!this.pending) return;
    const [lane, iteration, scene] = this.pending;
    const view = race.lanes[lane];
    if (!view || view.iterations <= iteration) return;
    this.pending = null;
    publish('open', { lane, iteration, scene });
  }

  /**
   * Take over a race from elsewhere: its lanes with their options, its prompt and its results.
   * @param {RaceMessage | Missing} race
   */
  take(race) {
    if (race === latest('race')) return;
    if ('missing' in race) {
      this.refuse({ field: 'form', message: race.missing });
      this.state.tell(STATES.ready, 'ready');
      this.receive();
      return;
    }
    this.abandon();
    this.recalled++;
    this.pending = null;
    this.accept();
    const form = optionsOf(race, this.form.read());
    this.branches = race.branches ?? [];
    this.form.write(form);
    publish('race', race);
    const nothing = { method: this.setup.methods[0].name, options: {} };
    const lane = (/** @type {LaneView} */ { method, options }) => ({
      method,
      options: ownOptions(options, form.shared),
    });
    this.buildDeck(race.lanes.map((view) => (view ? lane(view) : nothing)));
    this.remember(race);
  }

  /**
   * How the address gives this race back; in a class as the run it is, so that no student runs it again.
   * @param {RaceMessage} race
   */
  remember(race) {
    const methods = this.lanes.map(({ picker }) => picker.method);
    if (race.state === 'recorded') {
      link.writeShown(null);
      link.writeRecorded(recordedNames(this.openings.chosen, methods));
    } else if (isMadeHere(race.run) && race.prompt !== null && !link.get('room')) link.writeForm(this.read());
    else link.writeShown(race.run);
  }
}

/** @param {HTMLElement} root @param {Island} island */
export function mountRace(root, island) {
  const page = new RacePage(root, island);
  island.watch('value', () => page.receive());
}
