/* The teacher's side: tells the class what is on this screen, a few times a second at most. */
import { latest } from '../base/shared.js';
import { screenOf } from './screen.js';

/**
 * @import { ClassScreen } from '../payload.js'
 * @typedef {(screen: ClassScreen) => Promise<boolean>} Send whether it arrived
 */

const PACE = 150; // milliseconds between two screens

/** What is on screen now, with the last race that stands. @param {string | null} run */
function screenNow(run) {
  const address = screenOf(window.location.search, run);
  const moment = latest('page') === 'race' ? (latest('moment') ?? null) : null;
  return { address, moment };
}

export class Teaching {
  timer = 0; // 0: nothing is to be told
  told = ''; // the last screen
  /** @type {string | null} */
  run = null;

  /** @param {Send} send */
  constructor(send) {
    this.send = send;
  }

  /** Something on screen may have changed. */
  changed() {
    const race = latest('race');
    if (race && race.state !== 'running') this.run = race.run;
    this.timer ||= setTimeout(() => this.publish(), PACE);
  }

  async publish() {
    const screen = screenNow(this.run);
    const text = JSON.stringify(screen);
    const arrived = text === this.told || (await this.send(screen));
    this.timer = 0;
    if (!arrived) {
      this.changed();
      return;
    }
    this.told = text;
    if (JSON.stringify(screenNow(this.run)) !== text) this.changed();
  }
}
