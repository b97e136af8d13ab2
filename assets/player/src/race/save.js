/* "Save" of a race: as one HTML file that plays offline, or as a video. */
import { download, saveAnswer } from '../base/files.js';
import { ask } from '../base/server.js';
import { SaveBox } from '../parts/save-box.js';
import { canFilm } from '../stage/film.js';

/**
 * @import { FileAnswer } from '../payload.js'
 * @import { Calls, Failure } from '../base/server.js'
 * @import { Beside } from '../stage/beside.js'
 * @import { Film } from '../stage/film.js'
 * @typedef {object} SaveRace
 * @property {Calls | null} server has `save`; null where there is no server
 * @property {() => string} run the race on screen
 * @property {() => Film} film of it
 * @property {() => number} factor at which it is played
 * @property {() => Beside | null} beside the lanes side by side, where they are
 * @property {(text: string) => void} tell says what went wrong
 */

export class RaceSave {
  /** @param {SaveRace} options */
  constructor(options) {
    this.on = options;
    this.box = new SaveBox({ tell: options.tell, onopen: () => this.refresh() });
    this.element = this.box.element;
    const { box } = this;
    const page = box.item(
      (event) => box.busy(event, 'Writing the HTML file …', () => this.writePage()),
      'This race as one HTML file',
      'Plays offline, in slow motion',
    );
    const video = box.item(
      (event) => box.busy(event, 'Recording the video …', () => this.writeVideo()),
      'As a video (WebM)',
      'Takes as long as it plays at the chosen speed',
    );
    const picture = (/** @type {'svg' | 'png'} */ format) => {
      const work = () => this.writePicture(format);
      const label = format.toUpperCase();
      return box.item((event) => box.busy(event, `Drawing the ${label} …`, work), `Side by side as ${label}`);
    };
    this.pictures = [picture('svg'), picture('png')];
    box.fill(options.server ? page : null, canFilm() ? video : null, ...this.pictures);
  }

  refresh() {
    for (const one of this.pictures) one.hidden = !this.on.beside();
  }

  async writePage() {
    if (!this.on.server) return;
    /** @type {FileAnswer | Failure} */
    const answer = await ask(this.on.server, 'save', this.on.run());
    if ('error' in answer) throw new Error(answer.error);
    saveAnswer(answer);
  }

  /** @param {'svg' | 'png'} format */
  async writePicture(format) {
    const beside = this.on.beside();
    if (!beside) return;
    const content = format === 'svg' ? beside.svgFile() : await beside.pngFile();
    download(`specviz-side-by-side.${format}`, content, 'image/svg+xml');
  }

  async writeVideo() {
    const onprogress = (/** @type {number} */ share) => {
      this.box.progress.textContent = `Recording the video: ${Math.round(100 * share)} %. Keep this page in view.`;
    };
    download('specviz-race.webm', await this.on.film().record({ factor: this.on.factor(), onprogress }));
  }
}
