/* "What if?": a recorded step judged again with another coin, threshold or temperature. The server recomputes the
   verdict from the record alone; whatever is shown of it says that it is a replay, and the record is one click
   away. */
import { el, pushButton } from '../base/dom.js';
import { marked, strip } from '../base/pieces.js';
import { changesFromText, changesToText, countChanges, sameValue } from '../base/values.js';
import { Dial } from './dial.js';

/**
 * @import { Changeable, ChangeableOption, CoinSetup, ReplayAnswer } from '../payload.js'
 * @import { Failure } from '../base/server.js'
 * @import { Changes } from '../base/values.js'
 * @typedef {object} WhatIfOptions
 * @property {(changes: Changes) => Promise<ReplayAnswer | Failure>} ask
 * @property {(answer: ReplayAnswer) => void} onreplay puts a replay on screen
 * @property {() => void} onrecord puts the record on screen
 * @property {() => void} onrefuse what was asked for last is not to be had
 * @property {(scene: string) => void} ongo shows another scene
 * @property {(changes: string | null) => void} onaddress keeps the changes in the address
 * @property {(changes: Changes) => void} onleave goes on from the step as it is judged now
 */

const HEAT = 'temperature'; // stands over the bars that it changes
const WAIT = 120; // milliseconds of quiet before the server is asked
const MANY = 4; // coins that have a button each, elsewhere than on their own screen
const HELP =
  'What if a coin or a setting had been different? Change something: the same guesses are judged again, from the ' +
  'record alone.';

/** @param {[piece: string, origin: string | null][]} line */
const lineElement = (line) =>
  strip(
    'span',
    { class: 'sv-line' },
    line.length === 0 ? el('i', { class: 'sv-blank' }, 'nothing yet') : null,
    line.map(([piece, origin]) => el('span', { class: `sv-token ${origin || 'plain'}` }, marked(piece))),
  );
/** @param {string} title @param {ReplayAnswer['now']} lines */
const side = (title, lines) => el('div', {}, el('dt', {}, title), el('dd', {}, lines.map(lineElement)));
/** @param {string} text */
const upper = (text) => text.charAt(0).toUpperCase() + text.slice(1);
/** @returns {Changes} */
const none = () => ({ coins: {}, options: {} });

export class WhatIf {
  /** @type {Changeable} */
  known = { coins: [], options: [], reason: null };
  wanted = none();
  granted = none(); // the changes of what is on screen; none: the record
  /** @type {CoinSetup[]} */
  coins = []; // of the verdict on screen, recorded or replayed
  /** @type {Set<string>} */
  scenes = new Set();
  at = '';
  turn = 0; // answers to older questions are dropped
  timer = 0;
  busy = false;
  again = false;

  coin = el('div', { class: 'sv-coins' });
  options = el('div', { class: 'sv-dials-row' });
  heat = el('div', { class: 'sv-heat', 'data-part': 'replay' });
  reason = el('p', { class: 'sv-whatif-reason' });
  refused = el('p', { class: 'sv-alert', role: 'alert' });
  panel = el(
    'section',
    { class: 'sv-whatif', id: 'sv-whatif', hidden: true, 'aria-label': 'What if?' },
    el('p', { class: 'sv-whatif-help' }, HELP),
    [this.coin, this.options, this.reason, this.refused],
  );
  button = pushButton('What if?', () => this.open(Boolean(this.panel.hidden)), {
    'data-part': 'replay',
    'aria-expanded': 'false',
    'aria-controls': 'sv-whatif',
  });
  told = el('p', { class: 'sv-alert', role: 'alert' }); // of a branch that is asked for
  said = el('p', {});
  sides = el('dl', { class: 'sv-sides' });
  banner = el(
    'section',
    { class: 'sv-replayed', hidden: true, 'aria-label': 'Replayed', 'data-part': 'replay' },
    el('div', { role: 'status' }, this.said),
    this.sides,
    el(
      'div',
      { class: 'sv-coins' },
      pushButton('Go on from here', () => this.on.onleave(structuredClone(this.granted))),
      pushButton('Back to the record', () => this.leave()),
    ),
    this.told,
  );
  element = el('div', { 'data-part': 'replay' }, this.panel);

  /** @param {WhatIfOptions} options */
  constructor(options) {
    this.on = options;
  }

  /** @param {boolean} on */
  open(on) {
    this.panel.hidden = !on;
    this.button.setAttribute('aria-expanded', String(on));
  }

  /** @param {'coins' | 'options'} kind @param {string | number} name @param {any} value @param {any} recorded */
  change(kind, name, value, recorded) {
    if (recorded !== undefined && sameValue(value, recorded)) delete this.wanted[kind][name];
    else this.wanted[kind][name] = value;
    this.on.onaddress(changesToText(this.wanted));
    clearTimeout(this.timer);
    if (countChanges(this.wanted)) this.timer = setTimeout(() => this.send(), WAIT);
    else this.undo();
  }

  async send() {
    if (this.busy) {
      this.again = true;
      return;
    }
    this.busy = true;
    this.panel.setAttribute('aria-busy', 'true');
    const mine = this.turn;
    const asked = structuredClone(this.wanted);
    const answer = await this.on.ask(asked);
    this.busy = false;
    this.panel.removeAttribute('aria-busy');
    if (mine === this.turn) this.show(answer, asked);
    if (!this.again) return;
    this.again = false;
    if (countChanges(this.wanted)) this.send();
  }

  /** @param {ReplayAnswer | Failure} answer @param {Changes} asked */
  show(answer, asked) {
    if ('error' in answer) {
      if (changesToText(asked) === changesToText(this.wanted)) this.refuse(answer.error);
      return;
    }
    this.refused.textContent = '';
    this.told.textContent = '';
    this.granted = asked;
    this.coins = answer.coins;
    this.said.textContent = answer.said;
    this.sides.replaceChildren(side('Recorded', answer.recorded), side('Now', answer.now));
    this.banner.hidden = false;
    this.on.onreplay(answer);
  }

  /** Say why not; page and dials stay at, or go back to, what was on screen. @param {string} reason */
  refuse(reason) {
    this.refused.textContent = reason;
    this.wanted = structuredClone(this.granted);
    this.on.onaddress(changesToText(this.wanted));
    this.open(true);
    const held = document.activeElement?.id;
    this.drawDials();
    if (held) document.getElementById(held)?.focus();
    this.on.onrefuse();
  }

  /** The recorded step again. */
  restore() {
    this.banner.hidden = true;
    this.coins = this.known.coins;
    if (!countChanges(this.granted)) return;
    this.granted = none();
    this.on.onrecord();
  }

  undo() {
    this.forget();
    this.on.onaddress(null);
    this.refused.textContent = '';
    this.restore();
  }

  /** Back to the record. */
  leave() {
    this.undo();
    this.drawDials();
    this.button.focus();
  }

  forget() {
    this.turn++;
    clearTimeout(this.timer);
    this.wanted = none();
    this.again = false;
  }

  drawDials() {
    this.drawOptions();
    this.drawCoin(true);
  }

  drawOptions() {
    const dialOf = (/** @type {ChangeableOption} */ option) => {
      const { name, value } = option;
      const changed = (/** @type {any} */ now) => this.change('options', name, now, value);
      const about = { ...option, label: option.label ?? name, recorded: value };
      const dial = new Dial(`sv-whatif-${name}`, about, changed);
      dial.write(name in this.wanted.options ? this.wanted.options[name] : value);
      return dial.element;
    };
    const { options } = this.known;
    this.options.replaceChildren(...options.filter(({ name }) => name !== HEAT).map(dialOf));
    this.heat.replaceChildren(...options.filter(({ name }) => name === HEAT).map(dialOf));
  }

  /** A setting that can be changed now; null: there is none of that name. @param {string} wanted */
  option(wanted) {
    return this.known.options.find(({ name }) => name === wanted) ?? null;
  }

  /**
   * A setting was moved in the picture that it is drawn in.
   * @param {string} name @param {number | null} value null: the recorded one
   */
  dragSetting(name, value) {
    const recorded = this.option(name)?.value;
    this.change('options', name, value ?? recorded, recorded);
    this.drawOptions();
  }

  /** The coins of the scene on screen; `anew`: even where they are drawn. @param {boolean} anew */
  drawCoin(anew) {
    const here = this.coins.filter((one) => one.scene === this.at);
    const key = [this.at, ...here.map((one) => one.decision)].join();
    if (!anew && this.coin.dataset.key === key) return;
    this.coin.dataset.key = key;
    this.coin.replaceChildren(...(here.length ? here.map((one) => this.coinDial(one)) : this.elsewhere()));
  }

  /** @param {CoinSetup} coin */
  coinDial({ decision, label, help, uniform }) {
    const recorded = this.known.coins.find((other) => other.decision === decision)?.uniform;
    const about = { label: upper(label), help, low: 0, high: 1, recorded };
    const changed = (/** @type {number} */ value) => this.change('coins', decision, value, recorded);
    const dial = new Dial(`sv-whatif-coin-${decision}`, about, changed);
    dial.write(decision in this.wanted.coins ? this.wanted.coins[decision] : uniform);
    return dial.element;
  }

  /** The recorded number of a scene's coin; null where it has none that can be changed. @param {string} scene */
  recorded(scene) {
    return this.known.coins.find((one) => one.scene === scene)?.uniform ?? null;
  }

  /**
   * A coin was dragged on its own strip.
   * @param {string} scene
   * @param {number | null} uniform null: back to the recorded one
   */
  drag(scene, uniform) {
    const coin = this.known.coins.find((one) => one.scene === scene);
    if (!coin) return;
    this.change('coins', coin.decision, uniform ?? coin.uniform, coin.uniform);
    this.drawCoin(true);
  }

  /** Where the coins are when none is here. @returns {(Node | string)[]} */
  elsewhere() {
    const found = this.coins.filter((one) => this.scenes.has(one.scene));
    if (!found.length)
      return this.known.reason || !this.known.options.length ? [] : ['No coin falls in this iteration.'];
    return ['No coin falls on this screen.', ...this.links(found)];
  }

  /** @param {CoinSetup[]} found @returns {Node[]} */
  links(found) {
    if (found.length <= MANY) {
      return found.map(({ scene, label }) => pushButton(`Go to the ${label}`, () => this.on.ongo(scene)));
    }
    const first = el('option', { value: this.at, disabled: true, selected: true }, 'Go to …');
    const items = found.map(({ scene, label }) => el('option', { value: scene }, label));
    const list = el(
      'select',
      { 'aria-label': 'Go to a coin', onchange: () => void this.on.ongo(list.value) },
      first,
      items,
    );
    return [list];
  }

  /**
   * A recorded step is on screen: what can be changed of it, and what the address (or null) wants changed. True if
   * that is asked for now.
   * @param {Changeable} changeable
   * @param {string | null} [wish]
   */
  load(changeable, wish = null) {
    this.forget();
    this.known = changeable;
    this.coins = changeable.coins;
    this.granted = none();
    this.banner.hidden = true;
    this.refused.textContent = '';
    this.reason.textContent = changeable.reason || '';
    this.reason.hidden = !changeable.reason;
    if (wish) this.wanted = changesFromText(wish);
    this.on.onaddress(changesToText(this.wanted));
    this.drawDials();
    if (countChanges(this.wanted) === 0) return false;
    this.open(true);
    this.send();
    return true;
  }

  /** The scene on screen, of the scenes there are. @param {string} key @param {string[]} all */
  scene(key, all) {
    this.at = key;
    this.scenes = new Set(all);
    this.drawCoin(false);
  }

  /** What is changed on screen, or null. */
  changes() {
    return countChanges(this.granted) ? structuredClone(this.granted) : null;
  }
}
