/* The Library: runs on shelves, one way to pick and compare them, files in and out. Traces stay on the server, which
   answers for (run, lane); the browser remembers only which runs are this visit's. */
import { el, pushButton } from '../base/dom.js';
import { download, megabytes } from '../base/files.js';
import * as link from '../base/link.js';
import { go } from '../base/navigation.js';
import { ask } from '../base/server.js';
import { latest, publish, subscribe } from '../base/shared.js';
import { explained } from '../base/terms.js';
import { pinsFromText } from '../base/values.js';
import { linkButton } from '../parts/link-button.js';
import { isMadeHere } from '../race/settings.js';
import { RaceFigures } from './figures.js';
import { Shelves } from './shelves.js';

/**
 * @import { LibrarySetup, OpenedFile, RaceMessage, SavedFile, Shelf, ShelfRow, ShownRace } from '../payload.js'
 * @import { Failure, Island } from '../base/server.js'
 * @typedef {[run: string, lane: number]} LaneName
 * @typedef {Record<string, string | null>} Screen parts of the address
 */

const STEP = ['at', 'pins', 'replay']; // where the Microscope stands, in the address
const MOST_FILES = 8; // opened at once
const MOST_RUNS = 40; // of this visit
const SILENT = 'The server did not answer, or refused the size of the request. Try again.';

/** @param {string} page */
function screenNow(page) {
  const step = STEP.map((name) => [name, link.get(name)]).filter(([, value]) => value !== null);
  return Object.fromEntries([['view', page], ...step]);
}

/** The lanes of the race on screen. @returns {LaneName[]} */
function lanesOnScreen() {
  const race = latest('race');
  return race ? race.lanes.flatMap((lane, at) => (lane ? [/** @type {LaneName} */ ([race.run, at])] : [])) : [];
}

class LibraryPage {
  /** @param {HTMLElement} root @param {Island} island */
  constructor(root, { props, server }) {
    /** @type {LibrarySetup} */
    this.setup = JSON.parse(props.setup);
    this.server = server;
    /** @type {Record<'visit' | 'file', string[]>} */
    this.mine = { visit: [], file: [] }; // run ids, newest first
    /** @type {ShelfRow[]} */
    this.picked = [];
    this.page = 'race'; // where the race was looked at: here or in the Microscope
    this.alert = el('div', { class: 'sv-alert', role: 'alert' });
    this.done = el('p', { class: 'sv-done', role: 'status' });
    this.onScreen = el('p', { class: 'sv-on-screen', dir: 'auto' });
    const save = () => this.save(lanesOnScreen(), screenNow(this.page));
    this.saveRace = pushButton('Save this race and its screen', save, { class: 'sv-do' });
    this.count = el('span', { class: 'sv-picked' });
    this.actions = this.buildActions();
    this.shelves = new Shelves(this.setup, (rows) => this.pick(rows));
    this.figures = new RaceFigures(
      (name, request) => this.call(name, request),
      (message) => this.refuse(message),
    );
    root.replaceChildren(this.build());
    this.listen();
  }

  /**
   * @template T
   * @param {string} name
   * @param {unknown} request
   * @returns {Promise<T | Failure>}
   */
  call(name, request) {
    return ask(this.server, name, request, { silent: SILENT });
  }

  buildActions() {
    const lanes = () => this.picked.map(({ run, lane }) => /** @type {LaneName} */ ([run, lane]));
    const button = (/** @type {string} */ label, /** @type {() => void} */ onclick) =>
      pushButton(label, onclick, { class: 'sv-do', disabled: true });
    return [
      button('Show on the Race page', () => this.present('race')),
      button('Open in the Microscope', () => this.present('microscope')),
      button('Save as a file', () => this.save(lanes(), null)),
    ];
  }

  build() {
    const bar = { class: 'sv-toolbar', role: 'group', 'aria-label': 'With the picked runs', 'data-part': 'actions' };
    const share = linkButton(() => this.saveRace.click());
    const screen = { class: 'sv-box', 'aria-label': 'On screen', 'data-part': 'screen' };
    const open = { class: 'sv-box', 'aria-label': 'Open a file', 'data-part': 'open' };
    return el(
      'div',
      { class: 'sv-page sv-library' },
      el('h1', { class: 'sv-hidden' }, 'Library'),
      el('p', { class: 'sv-intro', 'data-part': 'intro' }, explained(this.setup.intro)),
      el(
        'div',
        { class: 'sv-boxes' },
        el(
          'section',
          screen,
          el('h2', {}, 'On screen now'),
          this.onScreen,
          el('div', { class: 'sv-row' }, this.saveRace, share),
        ),
        el('section', open, el('h2', {}, 'Open'), this.dropArea()),
      ),
      this.alert,
      this.done,
      el('div', bar, this.count, this.actions),
      this.shelves.element,
      this.figures.element,
    );
  }

  dropArea() {
    const input = el('input', {
      type: 'file',
      class: 'sv-hidden',
      id: 'sv-library-file',
      accept: '.json,application/json',
      multiple: true,
      onchange: () => {
        this.openFiles([...(input.files ?? [])]);
        input.value = '';
      },
    });
    const label = el('label', { for: 'sv-library-file', class: 'sv-do' }, 'Open a saved trace or race');
    const size = megabytes(this.setup.largest);
    const hint = `or drop it here. JSON, up to ${size}; it is checked before anything of it is shown.`;
    const drop = el('div', { class: 'sv-drop', 'data-part': 'open' }, input, label, el('span', {}, hint));
    drop.addEventListener('dragover', (event) => {
      event.preventDefault();
      drop.classList.add('over');
    });
    drop.addEventListener('dragleave', () => drop.classList.remove('over'));
    drop.addEventListener('drop', (event) => {
      event.preventDefault();
      drop.classList.remove('over');
      this.openFiles([...(event.dataTransfer?.files ?? [])]);
    });
    return drop;
  }

  listen() {
    subscribe('race', (race) => this.follow(race));
    subscribe('page', (page) => {
      if (page === 'library') {
        this.accept();
        this.fill();
      } else if (page === 'race' || page === 'microscope') this.page = page;
    });
    subscribe('recall', (run) => this.recall(run));
    const { shown } = link.read();
    if (shown) this.recall(shown);
  }

  /** The race that the address, or a class, names. @param {string} run */
  async recall(run) {
    /** @type {ShownRace | Failure} */
    const answer = await this.call('show', { run });
    if ('error' in answer) publish('show', { missing: answer.error });
    else {
      if (run.startsWith('file:')) this.mine.file.push(run);
      publish('show', answer.race);
    }
  }

  /** What is on screen elsewhere, and kept as a run of this visit. @param {RaceMessage} race */
  follow(race) {
    const names = race.lanes.flatMap((lane) => (lane ? [lane.title] : []));
    const about = `${names.join(', ')}: “${(race.prompt || '').slice(0, 120)}”`;
    this.onScreen.textContent = names.length ? about : 'Nothing yet: run a race.';
    this.saveRace.disabled = names.length === 0 || race.state === 'running';
    if (race.state === 'running') return;
    const { visit } = this.mine;
    if (isMadeHere(race.run) && !visit.includes(race.run)) visit.unshift(race.run);
    if (visit.length > MOST_RUNS) visit.pop();
    this.figures.offer(race);
  }

  /** @param {ShelfRow[]} rows */
  pick(rows) {
    this.picked = rows;
    this.count.textContent = rows.length ? `${rows.length} picked` : `Pick up to ${this.setup.most} runs`;
    for (const button of this.actions) button.disabled = rows.length < 1;
    this.actions[0].textContent = rows.length > 1 ? 'Compare on the Race page' : 'Show on the Race page';
  }

  /** @param {string} message */
  refuse(message) {
    this.alert.textContent = message;
    this.done.textContent = '';
  }

  accept(message = '') {
    this.alert.textContent = '';
    this.done.textContent = message;
  }

  /** @param {File[]} files */
  async openFiles(files) {
    this.accept();
    /** @type {OpenedFile[]} */
    const opened = [];
    for (const file of files.slice(0, MOST_FILES)) {
      this.done.textContent = `Checking ${file.name} …`;
      const answer = await this.openFile(file);
      if ('error' in answer) {
        await this.fill();
        this.refuse(`${file.name}: ${answer.error}. Nothing was opened from it.`.replace('..', '.'));
        return;
      }
      const { run } = answer.race;
      this.mine.file = [run, ...this.mine.file.filter((one) => one !== run)];
      opened.push(answer);
    }
    this.accept(`Opened ${opened.length === 1 ? files[0].name : `${opened.length} files`}.`);
    await this.fill();
    if (opened.length === 1) this.display(opened[0].race, opened[0].screen);
  }

  /** @param {File} file @returns {Promise<OpenedFile | Failure>} */
  async openFile(file) {
    const { largest } = this.setup;
    if (file.size === 0) return { error: 'the file is empty' };
    if (file.size > largest) {
      return { error: `the file has ${megabytes(file.size)}; this page opens up to ${megabytes(largest)}` };
    }
    try {
      return await this.call('open', await file.text());
    } catch {
      return { error: 'the file could not be read' };
    }
  }

  /** Put a race on screen, as it was seen when it was saved. @param {RaceMessage} race @param {Screen} screen */
  display(race, screen) {
    publish('show', race);
    link.set(Object.fromEntries(STEP.map((name) => [name, screen[name] ?? null])));
    const { at } = link.read();
    go(screen.view === 'microscope' ? 'microscope' : 'race');
    if (!at) return;
    const [lane, iteration, scene] = at;
    const kept = { replay: screen.replay ?? null, pins: pinsFromText(screen.pins ?? null) };
    publish('open', { lane, iteration, scene, kept });
  }

  /** @param {string} where */
  async present(where) {
    this.accept();
    /** @type {ShownRace | Failure} */
    const answer = await this.call('show', { lanes: this.picked.map(({ run, lane }) => [run, lane]) });
    if ('error' in answer) {
      await this.fill();
      this.refuse(answer.error);
      return;
    }
    publish('show', answer.race);
    go(where);
    if (where === 'microscope') publish('open', { lane: 0, iteration: 0, scene: null });
  }

  /** @param {LaneName[]} lanes @param {Screen | null} screen */
  async save(lanes, screen) {
    this.accept();
    if (!lanes.length) {
      this.refuse('There is no race on screen yet.');
      return;
    }
    /** @type {SavedFile | Failure} */
    const answer = await this.call('save', screen ? { lanes, screen } : { lanes });
    if ('error' in answer) {
      await this.fill();
      this.refuse(answer.error);
      return;
    }
    download(answer.name, answer.text);
    this.accept(`Saved ${answer.name}. ${answer.note || ''}`);
  }

  async fill() {
    const { mine } = this;
    /** @type {Shelf | Failure} */
    const answer = await this.call('shelf', { runs: [...mine.visit, ...mine.file] });
    if ('error' in answer) {
      this.refuse(answer.error);
      return;
    }
    const kept = (/** @type {string[]} */ runs) => runs.filter((run) => !answer.gone.includes(run));
    const rows = (/** @type {string[]} */ runs) =>
      runs.flatMap((run) => answer.rows.filter((row) => row.run === run));
    this.mine = { visit: kept(mine.visit), file: kept(mine.file) };
    const recorded = answer.rows.filter(({ run }) => run.startsWith('gallery:'));
    this.shelves.fill({ recorded, visit: rows(this.mine.visit), file: rows(this.mine.file) });
  }
}

/** @param {HTMLElement} root @param {Island} island */
export function mountLibrary(root, island) {
  new LibraryPage(root, island);
}
