/* "Save": the step as one offline HTML file, the stage or a picture of it as PNG, SVG or PDF, the lane's trace as
   JSON, a link, or paper. */
import { el, pushButton } from '../base/dom.js';
import { download, saveAnswer } from '../base/files.js';
import { go } from '../base/navigation.js';
import { isDark } from '../base/theme.js';
import { linkButton } from '../parts/link-button.js';
import { SaveBox } from '../parts/save-box.js';
import { PANELS } from '../player/kinds.js';

/**
 * @import { FileAnswer } from '../payload.js'
 * @import { Calls, Failure } from '../base/server.js'
 * @import { Changes } from '../base/values.js'
 * @typedef {object} OnScreen
 * @property {string} stem what files are called
 * @property {string} title
 * @property {string} scene
 * @property {Record<string, string>} pictures the key of each panel's picture
 * @property {Changes | null} replayed
 * @typedef {object} SaveOptions
 * @property {() => OnScreen} step what is on screen
 * @property {(panel: string) => boolean} has whether a panel has a picture, seen or not
 * @property {(panel: string, format: 'png' | 'svg', title: string) => Promise<Blob | null>} image of a panel
 * @property {(format: 'png' | 'svg', title: string) => Promise<Blob>} stage all that is on screen of the step
 * @property {Calls} server has step, figure and trace
 * @property {(more: object) => unknown} request
 * @property {(text: string) => void} tell says what went wrong
 */

const NOTE =
  'The HTML file and the trace hold the recorded iteration, not the replayed one. Figures are saved as on screen.';

export class SaveMenu {
  /** @param {SaveOptions} options */
  constructor(options) {
    this.on = options;
    this.pictures = el('div', { class: 'sv-pictures' });
    this.note = el('p', { class: 'sv-save-note', hidden: true }, NOTE);
    this.box = new SaveBox({ tell: options.tell, onopen: () => this.refresh() });
    this.element = this.box.element;
    this.fill();
  }

  fill() {
    const { box } = this;
    const writeStep = () => this.fromServer('step', { scene: this.on.step().scene });
    const writeTrace = () => this.fromServer('trace', {});
    const print = () => {
      this.element.open = false;
      window.print();
    };
    box.fill(
      box.item(
        (event) => box.busy(event, 'Writing the HTML file …', writeStep),
        'This iteration as one HTML file',
        'Opens offline, with the same player',
      ),
      this.pictures,
      box.item(
        (event) => box.busy(event, 'Writing the trace …', writeTrace),
        'The lane’s trace as JSON',
        'Opens again in the Library',
      ),
      box.item(print, 'Print this iteration …'),
      linkButton(() => go('library')),
      this.note,
    );
  }

  /** @param {string} call @param {object} more */
  async fromServer(call, more) {
    /** @type {FileAnswer | Failure} */
    const answer = JSON.parse(await this.on.server[call](this.on.request(more)));
    if ('error' in answer) throw new Error(answer.error);
    saveAnswer(answer);
  }

  heading() {
    const { title, replayed } = this.on.step();
    return `${title}${replayed ? ' (replayed)' : ''}`;
  }

  /** @param {'png' | 'svg'} format */
  async saveStage(format) {
    download(`${this.on.step().stem}-stage.${format}`, await this.on.stage(format, this.heading()));
  }

  /** @param {string} panel @param {string} key of its picture @param {'png' | 'svg'} format */
  async savePicture(panel, key, format) {
    const file = await this.on.image(panel, format, `${PANELS[panel].heading[0]}. ${this.heading()}`);
    if (file) download(`${this.on.step().stem}-${key}.${format}`, file);
  }

  /** @param {string} key of a picture */
  savePdf(key) {
    const { scene, replayed } = this.on.step();
    return this.fromServer('figure', { figure: key, scene, format: 'pdf', dark: isDark(), ...replayed });
  }

  /** Buttons that save a picture in formats. @param {string} name @param {Record<string, () => Promise<void>>} ways */
  picture(name, ways) {
    const buttons = Object.entries(ways).map(([format, work]) => {
      const label = format.toUpperCase();
      const onclick = (/** @type {Event} */ event) => this.box.busy(event, `Drawing the ${label} …`, work);
      return pushButton(label, onclick, { 'aria-label': `${name} as ${label}` });
    });
    return el('div', { role: 'group', 'aria-label': name }, el('span', {}, name), buttons);
  }

  /** What is on screen has changed. */
  refresh() {
    if (!this.element.open) return;
    const { replayed, pictures } = this.on.step();
    this.note.hidden = !replayed;
    const shown = Object.entries(pictures).filter(([panel]) => this.on.has(panel));
    this.pictures.replaceChildren(
      this.picture('The whole stage', { png: () => this.saveStage('png'), svg: () => this.saveStage('svg') }),
      ...shown.map(([panel, key]) =>
        this.picture(PANELS[panel].heading[0], {
          png: () => this.savePicture(panel, key, 'png'),
          svg: () => this.savePicture(panel, key, 'svg'),
          pdf: () => this.savePdf(key),
        }),
      ),
    );
  }
}
