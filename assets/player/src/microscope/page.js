/* The Microscope: choose a lane and an iteration; the player shows what happened inside. On top of it: the step
   judged again with something changed (what-if.js), files of it (save-menu.js), and the same guesses before every
   verifier.

   Parts that ?hide= takes away (data-part): chooser (lanes, iteration, what the page is about), costs (of target
   calls), replay ("What if?"), save, judge (to the Same forest page), and in the player story and panels. In the
   address: `at` lane.iteration.scene, `replay` what is changed (decision-2:0.8;tau:0.3), `pins` the pinned nodes
   (3,7). */
import { el, pushButton } from '../base/dom.js';
import { noStep, outside } from '../base/address.js';
import * as link from '../base/link.js';
import { go, pageNow } from '../base/navigation.js';
import { ask } from '../base/server.js';
import { latest, publish, subscribe } from '../base/shared.js';
import { explained } from '../base/terms.js';
import { pinsFromText, stepFromText } from '../base/values.js';
import { partsAsImage } from '../draw/image.js';
import { nearestScene, sceneOfToken, verdictOf } from '../player/lookup.js';
import { Player } from '../player/player.js';
import { asksAt, closedBy, evidenceOf } from '../class/questions.js';
import { CallCosts } from './call-cost.js';
import { Chooser } from './chooser.js';
import { OtherToken } from './other-token.js';
import { Predict } from './predict.js';
import { SaveMenu } from './save-menu.js';
import { WhatIf } from './what-if.js';

/**
 * @import { IterationPayload, LaneView, MicroscopePayload, RaceMessage, Scene } from '../payload.js'
 * @import { Failure, Island } from '../base/server.js'
 * @import { Kept, Missing, Opened } from '../base/shared.js'
 * @typedef {string | number | {token: number}} Spot a scene's key, an index, or where a token of the text was decided
 * @typedef {Kept & {at: string}} Restore what the address has of one step, `lane.iteration`
 */

const CACHED = 60; // payloads
const JUDGE = 'The Same forest page: what each verifier keeps of these very guesses';
const AIM =
  'One iteration, step by step: what the draft guessed, what the target made of it, and why each token was kept or ' +
  'not. Arrow keys step.';

const shown = () => pageNow() === 'microscope';
const pinned = () => pinsFromText(link.get('pins'));
/** @param {number[]} pins */
const keepPins = (pins) => {
  if (shown()) link.set({ pins: pins.length ? pins.join(',') : null });
};

class MicroscopePage {
  chooser = new Chooser((lane, iteration) => this.choose(lane, iteration));
  alert = el('div', { class: 'sv-alert', role: 'alert' });

  /** What is to be known of the race on screen, such as that it is another than the one asked for: it stays while that
      race does. */
  care = '';
  predict = new Predict((on) => {
    this.player.fold(!on); // every verdict is asked
  });
  otherToken = new OtherToken((put) => this.leave(put, (words) => this.otherToken.tell(words)));
  costs = new CallCosts();
  stage = el('div', { class: 'sv-step' });

  /** In place of the step while a class is asked about it: what is known before the verdict. */
  evidence = el('div', { class: 'sv-step sv-evidence', hidden: true });
  /** @type {Player | null} */
  before = null; // of the evidence
  /** @type {IterationPayload | null} */
  covered = null; // what it is of
  /** @type {string | null} */
  kept = null; // the scene whose verdict is kept back
  busy = el('p', { class: 'sv-empty', role: 'status', hidden: true }, 'Opening the iteration …');
  empty = el('p', { class: 'sv-empty' }, 'No race to look into yet. Run one on the Race page.');
  paper = el('p', { class: 'sv-paper', 'aria-hidden': 'true' }); // what a printed sheet is about
  judge = pushButton('Every verdict', () => this.judgeForest(), { 'data-part': 'judge', 'data-tip': JUDGE });
  /** @type {Map<string, Promise<MicroscopePayload | Failure>>} */
  cache = new Map();
  /** @type {RaceMessage | null} */
  race = null;
  lane = 0;
  iteration = 0;
  asked = 0;
  opening = false; // an iteration is asked for and not here yet
  /** @type {Spot | null} */
  wanted = 0; // the scene to show once the payload is here
  /** @type {MicroscopePayload | null} */
  record = null; // the payload of the recorded step on screen
  /** @type {IterationPayload | null} */
  onstage = null; // the payload on screen, recorded or replayed
  start = link.read();
  wish = this.start.form ? null : this.start.at; // where the address wants to be
  /** @type {Restore | null} */
  restore = this.start.at && {
    at: this.start.at.slice(0, 2).join('.'),
    replay: link.get('replay'),
    pins: pinned(),
  };

  /** @param {HTMLElement} root @param {Island} island */
  constructor(root, { server }) {
    this.server = server;
    this.player = this.newPlayer();
    this.whatIf = this.newWhatIf();
    this.save = this.newSaveMenu();
    const aim = el('p', { class: 'sv-aim', 'data-part': 'chooser' }, explained(AIM));
    this.tools = el(
      'div',
      { class: 'sv-steptools' },
      this.predict.button,
      this.whatIf.button,
      this.otherToken.button,
      this.judge,
      this.save.element,
    );
    this.top = el('div', { class: 'sv-top' }, this.chooser.element, aim, this.tools);
    const heading = el('h1', { class: 'sv-hidden' }, 'Microscope');
    this.player.aside(this.whatIf.element, this.otherToken.element, this.predict.element);
    const parts = [this.top, this.alert, this.busy, this.stage, this.evidence];
    root.replaceChildren(el('div', { class: 'sv-page sv-microscope' }, heading, this.paper, this.empty, parts));
    this.player.panel('decision')?.element.after(this.whatIf.banner); // what is under a hand stays there
    this.player.panel('probabilities')?.element.querySelector('figcaption')?.append(this.whatIf.heat);
    this.stage.querySelector('.sv-panel-decision')?.append(this.costs.element); // nothing is decided yet
    for (const part of ['story', 'panels']) this.stage.querySelector(`.sv-${part}`)?.setAttribute('data-part', part);
    this.listen();
    this.frame();
  }

  judgeForest() {
    if (!this.race) return;
    publish('forest-from', { run: this.race.run, lane: this.lane, iteration: this.iteration });
    go('forest');
  }

  newPlayer() {
    return new Player(this.stage, {
      onscene: (scene) => this.sceneShown(scene),
      onpins: keepPins,
      onedge: (direction) => this.pastEdge(direction),
      holds: (next, go) => this.holds(next, go),
      coins: {
        recorded: (scene) => this.whatIf.recorded(scene),
        put: (scene, uniform) => this.whatIf.drag(scene, uniform),
      },
      settings: {
        option: (name) => this.whatIf.option(name),
        put: (name, value) => this.whatIf.dragSetting(name, value),
      },
    });
  }

  /** Whether a verdict is to be guessed first. @param {Scene} next @param {() => void} go */
  holds(next, go) {
    if (!this.onstage) return false;
    const guess = this.onstage.nodes.find(({ node }) => node === next.focus);
    return this.predict.asks(verdictOf(this.onstage, next), guess?.label ?? '', go);
  }

  /** @param {Scene} scene */
  sceneShown({ key, phase }) {
    this.costs.show(this.race, phase === 'target' ? (this.onstage?.rows_read ?? null) : null);
    if (this.predict.open) this.predict.leave();
    const keys = this.onstage ? this.onstage.scenes.map((one) => one.key) : [];
    this.whatIf.scene(key, keys);
    this.save.refresh();
    const { race, lane, iteration } = this;
    publish('asking', this.onstage && race && asksAt(this.onstage, key, { run: race.run, lane, iteration }));
    if (shown()) link.writeAt(this.lane, this.iteration, key);
  }

  /** To the iteration before or after this one. @param {number} direction */
  pastEdge(direction) {
    const next = this.iteration + direction;
    const view = this.view();
    if (this.opening || !view || next < 0 || next >= view.iterations) return;
    this.restore = null;
    this.open(this.lane, next, direction > 0 ? 0 : -1);
  }

  newWhatIf() {
    return new WhatIf({
      ask: (changes) => ask(this.server, 'replay', this.request(changes)),
      onreplay: ({ payload }) => this.put(payload, this.wanted ?? this.sceneNow(), true),
      onrecord: () => {
        this.resetHandles();
        if (this.record) this.put(this.record, this.sceneNow(), false);
      },
      onrefuse: () => this.resetHandles(),
      ongo: (key) => this.onstage && this.put(this.onstage, key),
      onleave: (changes) => this.leave(changes, (words) => this.whatIf.told.replaceChildren(words)),
      onaddress: (changes) => {
        if (shown()) link.set({ replay: changes });
      },
    });
  }

  /** A branch of the text, from this step on. @param {object} change @param {(words: string) => void} tell */
  leave(change, tell) {
    const { lane, iteration } = this;
    publish('leave', { lane, iteration, change: { ...change }, tell });
  }

  /** What was moved by hand stands where the picture has it. */
  resetHandles() {
    this.player.coin.reset();
    this.player.setting.reset();
  }

  newSaveMenu() {
    return new SaveMenu({
      step: () => this.onScreen(),
      has: (panel) => Boolean(this.player.panel(panel)?.filled),
      image: async (panel, format, title) => (await this.player.panel(panel)?.image(format, title)) ?? null,
      stage: (format, title) => {
        const parts = this.stage.querySelectorAll('.sv-strip, .sv-panel-tree, .sv-right, .sv-story');
        return partsAsImage(title, [[...parts]], format);
      },
      server: this.server,
      request: (more) => this.request(more),
      tell: (words) => {
        this.alert.textContent = words;
      },
    });
  }

  /** @returns {string | number} */
  sceneNow() {
    return this.player.scene()?.key ?? 0;
  }

  listen() {
    document.addEventListener('keydown', (event) => {
      if (shown() && !this.kept && !this.predict.keys(event)) this.player.keysElsewhere(event);
    });
    subscribe('race', (race) => this.follow(race));
    subscribe('show', (race) => this.missing(race));
    subscribe('open', (asked) => this.openFor(asked));
    subscribe('poll', (poll) => {
      const { kept } = this;
      this.cover();
      const told = poll?.right ?? null;
      if (kept && !this.kept && told !== null && this.onstage) this.put(this.onstage, kept); // the answer
    });
    subscribe('page', (page) => {
      if (page === 'microscope') this.reopen();
      else this.player.pause();
    });
  }

  /** @param {object} more */
  request(more) {
    const { lane, iteration } = this;
    return { run: this.race?.run, lane, iteration, ...more };
  }

  /** The reader's own choice. @param {number} lane @param {number} iteration */
  choose(lane, iteration) {
    this.restore = null;
    this.open(lane, iteration);
  }

  view() {
    return this.race?.lanes[this.lane] ?? null;
  }

  /** What the Save menu names and saves. */
  onScreen() {
    const scene = this.player.scene();
    const view = this.view();
    if (!scene || !view) throw new Error('No step is on screen.');
    const number = this.iteration + 1;
    return {
      stem: `specviz-${view.method}-iteration-${number}`,
      title: `${view.title}, iteration ${number}: ${scene.title}`,
      scene: scene.key,
      pictures: scene.panels,
      replayed: this.whatIf.changes(),
    };
  }

  /**
   * Show a payload from a scene; `replayed`: it is not the record.
   * @param {IterationPayload} next
   * @param {Spot} spot
   * @param {boolean} [replayed]
   */
  put(next, spot, replayed = Boolean(this.whatIf.changes())) {
    let at = typeof spot === 'object' ? sceneOfToken(next, spot.token) : spot;
    if (!this.onstage && typeof at === 'string' && !next.scenes.some(({ key }) => key === at)) {
      link.complain(noStep(at));
      at = 0;
    }
    const key = typeof at === 'string' ? nearestScene(next.scenes, at, this.onstage?.scenes ?? []) : at;
    const pins = pinned().filter((node) => next.nodes.some((one) => one.node === node));
    this.onstage = next;
    this.wanted = null;
    this.stage.classList.toggle('replayed', replayed);
    this.player.load(next, key, { record: replayed ? this.record : null });
    this.player.pin(pins);
    keepPins(pins);
    this.cover();
  }

  /** The scene on screen whose verdict the class is asked about; null where it is not. */
  askedHere() {
    const about = closedBy(latest('poll'));
    const at = about?.view === 'microscope' && about.shown === this.race?.run ? stepFromText(about.at) : null;
    return at && at[0] === this.lane && at[1] === this.iteration ? at[2] : null;
  }

  /** While the class is asked about a verdict, what is known before it stands in place of the step. */
  cover() {
    if (this.opening) return;
    this.kept = this.onstage && this.askedHere();
    this.tools.hidden = this.kept !== null;
    this.evidence.hidden = this.kept === null;
    if (this.kept && this.onstage) {
      this.player.pause();
      this.player.element.remove(); // none of its words may tell
      this.showEvidence(this.onstage, this.kept);
    } else if (!this.player.element.isConnected) {
      this.before?.element.remove();
      this.stage.append(this.player.element);
    }
  }

  /** What is known before a verdict, once for a question. @param {IterationPayload} payload @param {string} key */
  showEvidence(payload, key) {
    if (this.before?.element.isConnected && this.covered === payload) return;
    this.covered = payload;
    this.before ??= new Player(el('div', {}), { panels: ['probabilities'], compact: true });
    this.evidence.replaceChildren(this.before.element);
    this.before.load(evidenceOf(payload, key));
  }

  /**
   * A promise of the payload; asked once, refusals are not remembered.
   * @param {string} run
   * @param {number} lane
   * @param {number} iteration
   */
  fetchIteration(run, lane, iteration) {
    const key = [run, lane, iteration].join();
    const known = this.cache.get(key);
    if (known) return known;
    /** @type {Promise<MicroscopePayload | Failure>} */
    const answer = ask(this.server, 'iteration', { run, lane, iteration });
    answer.then((payload) => 'error' in payload && this.cache.delete(key));
    this.cache.set(key, answer);
    if (this.cache.size > CACHED) this.cache.delete(this.cache.keys().next().value ?? '');
    return answer;
  }

  /**
   * Look at an iteration from a scene on.
   * @param {number} lane
   * @param {number} iteration
   * @param {Spot} [spot]
   * @param {Kept | null} [kept] what is changed and pinned
   */
  async open(lane, iteration, spot = 0, kept = null) {
    const view = this.race?.lanes[lane];
    if (!this.race || !view) return;
    this.lane = lane;
    this.iteration = Math.max(0, Math.min(iteration, view.iterations - 1));
    this.wanted = spot;
    const turn = ++this.asked;
    this.frame();
    this.opening = shown() && view.iterations > 0;
    if (!this.opening) return;
    this.stage.hidden ||= !this.player.scene();
    this.busy.hidden = !this.stage.hidden;
    const payload = await this.fetchIteration(this.race.run, lane, this.iteration);
    if (turn !== this.asked) return;
    this.opening = false;
    this.busy.hidden = true;
    if ('error' in payload) this.refuse(payload);
    else this.arrived(payload, view, spot, kept);
  }

  /** @param {MicroscopePayload} payload @param {LaneView} view @param {Spot} spot @param {Kept | null} kept */
  arrived(payload, view, spot, kept) {
    const { lane, iteration, race, restore } = this;
    this.alert.replaceChildren(this.care);
    this.stage.hidden = false;
    const again = restore?.at === `${lane}.${iteration}` ? restore : kept;
    if (again === restore) this.restore = null;
    this.record = payload;
    this.judge.hidden = payload.nodes.length === 0;
    keepPins(again ? again.pins : []);
    this.otherToken.load(payload);
    const replaying = this.whatIf.load(payload.changeable, again && again.replay);
    this.put(payload, this.wanted ?? 0, false);
    if (replaying) this.wanted = spot;
    if (race && iteration + 1 < view.iterations) this.fetchIteration(race.run, lane, iteration + 1);
  }

  /** Why there is nothing to see, and the way on. @param {Failure} failure */
  refuse(failure) {
    this.stage.hidden = true; // it shows another step
    this.alert.replaceChildren(failure.error);
    if (!this.race || failure.code !== 'gone') return;
    const recorded = this.race.lanes.flatMap((one) => (one ? [one.method] : [])).join(',');
    const query = new URLSearchParams({ view: 'microscope', recorded });
    this.alert.append(' ', el('a', { href: `?${query}` }, 'Look into the recorded runs instead'));
    if (!link.get('prompt')) return;
    const reload = (/** @type {Event} */ event) => {
      event.preventDefault();
      window.location.reload();
    };
    this.alert.append(' or ', el('a', { href: window.location.href, onclick: reload }, 'run this race again'));
  }

  /** Everything around the player, for the lane and the iteration chosen. */
  frame() {
    const { race, iteration } = this;
    const there = Boolean(race?.lanes.some((one) => one && one.iterations));
    this.empty.hidden = there;
    this.top.hidden = !there;
    if (!there) this.stage.hidden = true;
    if (race) this.chooser.show(race, this.lane, iteration);
    const view = this.view();
    if (!race || !view) return;
    const about = `${view.title}, iteration ${iteration + 1} of ${view.iterations}`;
    this.paper.replaceChildren(el('b', {}, about), ' after “', el('bdi', {}, race.prompt), '”');
  }

  /** The step on screen once more, with all that is changed and pinned: after another page. */
  reopen() {
    const scene = this.player.scene();
    const kept = this.record && { replay: link.get('replay'), pins: pinned() };
    this.open(this.lane, this.iteration, this.wanted ?? (scene ? scene.key : 0), kept);
  }

  /** A race is on screen, perhaps another one. @param {RaceMessage} race */
  follow(race) {
    const other = this.race?.run !== race.run;
    if (other && this.race) this.care = '';
    this.race = race;
    if (other) {
      this.lane = Math.max(
        0,
        race.lanes.findIndex((one) => one && one.method !== 'autoregressive'),
      );
      Object.assign(this, { iteration: 0, wanted: 0, record: null });
    }
    const { shown: named } = this.start;
    if (this.wish && named && race.run !== named) this.wish = this.restore = null; // what the address names is gone
    if (this.wish) {
      const [lane, iteration, scene] = this.wish;
      this.wish = null;
      const wrong = outside(
        race.lanes.map((one) => one?.iterations ?? 0),
        lane,
        iteration,
      );
      if (wrong) link.complain(wrong);
      if (race.lanes[lane]) this.open(lane, iteration, scene || 0);
      else this.open(this.lane, 0);
    } else if (other && shown()) this.open(this.lane, this.iteration);
    else this.frame();
  }

  /** @param {RaceMessage | Missing} race */
  missing(race) {
    if (!('missing' in race)) return;
    this.care = `${race.missing} Recorded runs are shown below.`;
    this.alert.replaceChildren(this.care);
  }

  /** @param {Opened} asked */
  openFor({ lane, iteration, scene, token = null, kept = null, note }) {
    this.care = note ?? this.care;
    this.open(lane, iteration, scene || (token === null ? 0 : { token }), kept);
  }
}

/** @param {HTMLElement} root @param {Island} island */
export function mountMicroscope(root, island) {
  new MicroscopePage(root, island);
}
