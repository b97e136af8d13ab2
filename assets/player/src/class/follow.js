/* The student's side: this page shows what the teacher's shows, until the student says otherwise. One may look around:
   the teacher's next step brings the page back. Only parts of the address that a class shares are taken over, by this
   page's own ways of going somewhere. */
import * as link from '../base/link.js';
import { go, pageNow } from '../base/navigation.js';
import { latest, publish } from '../base/shared.js';
import { pinsFromText, stepFromText } from '../base/values.js';
import { stateFromText } from '../forest/link.js';
import { LESSON, STEP, differ, only, partsOf } from './screen.js';

/**
 * @import { ClassScreen } from '../payload.js'
 * @import { Parts } from './screen.js'
 */

/** @type {Record<string, string[]>} */
const PLACE = { lessons: LESSON, microscope: STEP, forest: ['forest'], race: ['beside'] }; // on each page

/**
 * The recorded step in the address of the Same forest page; null where there is none.
 * @param {string | null} text
 * @param {string | null} run the race on screen
 */
function forestStep(text, run) {
  const source = text ? stateFromText(text).source : null;
  if (!source || 'form' in source) return null;
  return { run: source.run === 'here' ? (run ?? '') : source.run, lane: source.lane, iteration: source.step };
}

export class Following {
  /** @type {ClassScreen | null} */
  screen = null; // the teacher's
  on = true;
  touched = false; // by the reader, since the page was last where the teacher is
  recalled = ''; // the run that was asked for

  /** @param {string[]} pages @param {() => void} onchange when it begins or ends to follow */
  constructor(pages, onchange) {
    this.pages = pages;
    this.onchange = onchange;
  }

  /** @param {ClassScreen | null} screen */
  show(screen) {
    this.screen = screen;
    this.apply();
  }

  /** Follow, from where the teacher is now. */
  begin() {
    this.on = true;
    this.recalled = '';
    this.apply();
    this.onchange();
  }

  /** Follow no more. */
  stop() {
    this.on = false;
    publish('seek', null);
    this.onchange();
  }

  /** Whether the reader has gone elsewhere, until the teacher goes on. */
  get aside() {
    if (!this.on || !this.touched || !this.screen) return false;
    const wanted = partsOf(this.screen.address);
    const view = wanted.view ?? '';
    return view !== pageNow() || differ(partsOf(window.location.search), wanted, PLACE[view] ?? []);
  }

  /** Whether the race of the teacher is the one here; if not it is asked for, once. @param {Parts} wanted */
  hasRace({ shown }) {
    if (!shown || latest('race')?.run === shown) return true;
    if (this.recalled !== shown) {
      this.recalled = shown;
      publish('recall', shown);
    }
    return false;
  }

  /** Go where the teacher is, as far as this page is not there. */
  apply() {
    if (!this.on || !this.screen) return;
    if (this.touched) this.recalled = '';
    this.touched = false;
    const wanted = partsOf(this.screen.address);
    const view = wanted.view ?? '';
    if (!this.pages.includes(view)) return;
    const now = partsOf(window.location.search);
    const ready = this.hasRace(wanted);
    const lesson = view === 'lessons' && differ(now, wanted, LESSON);
    if (lesson) link.set(only(wanted, LESSON));
    if (lesson || view !== pageNow()) go(view);
    if (!ready) return; // comes back with the race
    if (view === 'microscope') this.openStep(now, wanted);
    if (view === 'forest') this.openForest(now, wanted);
    if (view === 'race') this.seek(wanted, this.screen.moment);
  }

  /** @param {Parts} now @param {Parts} wanted */
  openStep(now, wanted) {
    const at = stepFromText(wanted.at);
    if (!at || !differ(now, wanted, STEP)) return;
    const [lane, iteration, scene] = at;
    const kept = { replay: wanted.replay, pins: pinsFromText(wanted.pins) };
    publish('open', { lane, iteration, scene, kept });
  }

  /** @param {Parts} now @param {Parts} wanted */
  openForest(now, wanted) {
    const step = forestStep(wanted.forest, wanted.shown);
    const mine = forestStep(now.forest, latest('race')?.run ?? null);
    if (step && JSON.stringify(step) !== JSON.stringify(mine)) publish('forest-from', step);
  }

  /** @param {Parts} wanted @param {number | null} moment */
  seek({ beside }, moment) {
    link.set({ beside });
    publish('seek', moment);
  }
}
