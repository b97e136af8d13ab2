/* The student's side: this page shows what the teacher's shows, until something is touched. Only parts of the address
   that a class shares are taken over, by this page's own ways of going somewhere. */
import { closest } from '../base/dom.js';
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

const OWN = '.sv-class, .sv-tools, dialog'; // touching these leads nowhere else
// keys that only scroll, or mean something else
const STAYING = new Set('Tab Shift Control Alt Meta Escape ArrowUp ArrowDown PageUp PageDown ? f F'.split(' '));

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

  /** @param {boolean} on */
  set(on) {
    if (on === this.on) return;
    this.on = on;
    if (on) this.recalled = '';
    else publish('seek', null);
    this.onchange();
    this.apply();
  }

  /** A reader's click or key: whether the page is followed on. @param {Event} event */
  touched(event) {
    if (!event.isTrusted || closest(event.target, OWN)) return;
    if (event instanceof KeyboardEvent && STAYING.has(event.key)) return;
    this.set(false);
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
