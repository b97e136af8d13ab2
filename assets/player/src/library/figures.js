/* Figures of the race on screen as PNG and SVG (drawn here) or PDF (drawn by the server). */
import { el, pushButton } from '../base/dom.js';
import { bytesOf, download } from '../base/files.js';
import { plotly } from '../base/plotly.js';
import { subscribe } from '../base/shared.js';
import { isDark } from '../base/theme.js';

/**
 * @import { RaceFigure, RaceMessage } from '../payload.js'
 * @import { Failure } from '../base/server.js'
 * @import { PlotLayout } from '../plotly.js'
 * @typedef {(name: string, request: unknown) => Promise<any>} Call
 */

const HINT =
  'Figures of single steps, and a step as a page that opens without a server, are saved in the Microscope.';

export class RaceFigures {
  /** @param {Call} call @param {(message: string) => void} refuse */
  constructor(call, refuse) {
    this.call = call;
    this.refuse = refuse;
    /** @type {RaceMessage | null} */
    this.race = null;
    this.turn = 0;
    /** @type {{data: object[], layout: PlotLayout} | null} */
    this.shown = null; // the figure in the preview
    this.which = el(
      'select',
      { 'aria-label': 'Figure', onchange: () => this.preview() },
      el('option', { value: 'timeline' }, 'Timeline of all lanes'),
      el('option', { value: 'dials' }, 'Numbers of all lanes'),
    );
    this.sheet = el('img', { class: 'sv-preview', alt: '', hidden: true });
    this.words = el('p', { class: 'sv-words' });
    this.buttons = ['png', 'svg', 'pdf'].map((format) =>
      pushButton(`Save ${format.toUpperCase()}`, () => this.save(format), { class: 'sv-do', disabled: true }),
    );
    this.element = el(
      'details',
      { class: 'sv-box sv-figures', 'data-part': 'figures', ontoggle: () => this.preview() },
      el('summary', {}, 'Figures of the race on screen'),
      el('div', { class: 'sv-row' }, this.which, this.buttons),
      this.sheet,
      this.words,
      el('p', { class: 'sv-hint' }, HINT),
    );
    subscribe('dark', () => this.preview());
  }

  /** @param {RaceMessage} race @param {object} [more] @returns {Promise<RaceFigure | Failure>} */
  ask(race, more = {}) {
    return this.call('figure', { run: race.run, key: this.which.value, dark: isDark(), ...more });
  }

  /** @param {boolean} on */
  enable(on) {
    for (const button of this.buttons) button.disabled = !on;
  }

  async preview() {
    if (!this.race || !this.element.open) return;
    const mine = ++this.turn;
    this.enable(false);
    const answer = await this.ask(this.race);
    if (mine !== this.turn) return;
    if ('error' in answer) {
      this.refuse(answer.error);
      return;
    }
    this.shown = JSON.parse(answer.figure ?? 'null');
    const picture = await this.draw('svg');
    if (mine !== this.turn) return;
    this.sheet.src = picture;
    this.sheet.hidden = false;
    this.sheet.alt = `${this.which.selectedOptions[0].textContent}, said in words below`;
    this.words.textContent = answer.text ?? '';
    this.enable(true);
  }

  /** @param {string} format */
  async draw(format) {
    if (!this.shown) return '';
    await plotly();
    return Plotly.toImage(this.shown, { format, width: 900, height: this.shown.layout.height, scale: 2 });
  }

  /** @param {string} format */
  async save(format) {
    const name = `specviz-race-${this.which.value}.${format}`;
    if (format === 'pdf') {
      await this.savePdf(name);
      return;
    }
    const image = await this.draw(format);
    const content = image.slice(image.indexOf(',') + 1);
    if (format === 'svg') download(name, decodeURIComponent(content), 'image/svg+xml');
    else download(name, bytesOf(content), 'image/png');
  }

  /** @param {string} name */
  async savePdf(name) {
    if (!this.race) return;
    const answer = await this.ask(this.race, { format: 'pdf' });
    if ('error' in answer) this.refuse(answer.error);
    else download(name, bytesOf(answer.file ?? ''), 'application/pdf');
  }

  /** The race on screen. @param {RaceMessage} race */
  offer(race) {
    this.race = race;
    this.preview();
  }
}
