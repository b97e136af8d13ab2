/* "Save" of a race: as one HTML file that plays offline, as a moving picture, or the moment on screen. */
import { download, saveAnswer } from '../base/files.js';
import { ask } from '../base/server.js';
import { SaveBox } from '../parts/save-box.js';
import { gifOf, webmOf } from '../stage/video.js';

/**
 * @import { FileAnswer } from '../payload.js'
 * @import { Calls, Failure } from '../base/server.js'
 * @import { ImageFormat } from '../draw/image.js'
 * @import { Film } from '../stage/film.js'
 * @import { Recording } from '../stage/video.js'
 * @typedef {object} SaveRace
 * @property {Calls | null} server has `save`; null where there is no server
 * @property {() => string} run the race on screen
 * @property {() => Film} film of it
 * @property {() => number} factor at which it is played
 * @property {(format: ImageFormat) => Promise<Blob>} picture of what is on screen
 * @property {(text: string) => void} tell says what went wrong
 */

export class RaceSave {
  /** @param {SaveRace} options */
  constructor(options) {
    this.on = options;
    this.box = new SaveBox({ tell: options.tell });
    this.element = this.box.element;
    const { box } = this;
    const page = box.item(
      (event) => box.busy(event, 'Writing the HTML file …', () => this.writePage()),
      'This race as one HTML file',
      'Plays offline, in slow motion',
    );
    const moving = (/** @type {string} */ label, /** @type {string} */ kind, /** @type {typeof webmOf} */ make) =>
      box.item(
        (event) => box.busy(event, 'Drawing the frames …', () => this.writeFilm(kind, make)),
        label,
        'Plays at the chosen speed',
      );
    const still = (/** @type {ImageFormat} */ format) => {
      const label = format.toUpperCase();
      const work = async () => download(`specviz-race-moment.${format}`, await options.picture(format));
      return box.item((event) => box.busy(event, `Drawing the ${label} …`, work), `What is on screen as ${label}`);
    };
    box.fill(
      options.server ? page : null,
      moving('As a video (WebM)', 'webm', webmOf),
      moving('As a moving picture (GIF)', 'gif', gifOf),
      still('svg'),
      still('png'),
    );
  }

  async writePage() {
    if (!this.on.server) return;
    /** @type {FileAnswer | Failure} */
    const answer = await ask(this.on.server, 'save', this.on.run());
    if ('error' in answer) throw new Error(answer.error);
    saveAnswer(answer);
  }

  /** @param {string} kind @param {(film: Film, how: Recording) => Promise<Blob>} make */
  async writeFilm(kind, make) {
    const onprogress = (/** @type {number} */ share) => {
      this.box.progress.textContent = `Drawing the frames: ${Math.round(100 * share)} %`;
    };
    download(`specviz-race.${kind}`, await make(this.on.film(), { factor: this.on.factor(), onprogress }));
  }
}
