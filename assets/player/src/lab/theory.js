/* The theory playground: sliders for the paper's symbols, what follows from them as three curves, and measured runs
   as points among those. */
import { noTheory } from '../base/address.js';
import { el, pushButton } from '../base/dom.js';
import { scrolled, tableOf } from '../base/table.js';
import * as link from '../base/link.js';
import { go } from '../base/navigation.js';
import { subscribe } from '../base/shared.js';
import { drawCurve, keyOfCurves } from './curve.js';
import * as theory from './formulas.js';

/**
 * @import { RaceMessage } from '../payload.js'
 * @import { Place } from './curve.js'
 * @import { Field, Setting } from './formulas.js'
 * @typedef {object} Point a measured run, or several
 * @property {string} name
 * @property {number} alpha
 * @property {number | null} c null where nothing was timed
 * @property {number | null} v
 * @property {number} gamma may be a mean
 * @property {number} tokens
 * @property {number | null} speed
 * @property {number | null} [arithmetic]
 * @property {number | null} [operations] c^
 * @property {string} opens what it opens
 * @property {() => void} open
 * @typedef {object} Chart
 * @property {'tokens' | 'speed' | 'arithmetic'} key
 * @property {string} title
 * @property {string} unit
 * @property {string} source
 * @property {(setting: Setting, gamma: number) => number} of
 */

const GAMMAS = Array.from({ length: theory.MOST_GAMMA + 1 }, (_, gamma) => gamma);
const INTRO =
  'A draft model guesses γ tokens, one call of the target judges them all. Leviathan et al. (2023) tell what that ' +
  'should gain, from five numbers. Move them, or click into a chart.';

/** @type {Chart[]} */
const CHARTS = [
  {
    key: 'tokens',
    title: 'Tokens an iteration',
    unit: 'tokens',
    source: 'Equation 1: (1 − α^(γ + 1)) / (1 − α)',
    of: ({ alpha }, gamma) => theory.expectedTokens(alpha, gamma),
  },
  {
    key: 'speed',
    title: 'Speed-up',
    unit: 'times plain decoding’s speed',
    source: 'Theorem 3.8, with v measured: tokens / (γ c + v)',
    of: theory.speedUp,
  },
  {
    key: 'arithmetic',
    title: 'Arithmetic',
    unit: 'times plain decoding’s operations',
    source: 'Theorem 3.11: (γ ĉ + γ + 1) / tokens',
    of: theory.arithmetic,
  },
];

/** One symbol: a slider, and a field for what is typed. */
class Slider {
  /** @param {Field} field @param {(value: number, done: boolean) => void} onvalue */
  constructor(field, onvalue) {
    const id = `sv-theory-${field.name}`;
    const [min, max, step] = field.slider;
    const tell = (/** @type {HTMLInputElement} */ from, /** @type {boolean} */ done) => {
      const value = from.value === '' ? NaN : Number(from.value);
      if (theory.isPossible(field, value)) onvalue(value, done);
      else if (done) this.write(this.value); // what cannot be goes back
    };
    const heard = (/** @type {boolean} */ done) => (/** @type {Event} */ event) =>
      tell(/** @type {HTMLInputElement} */ (event.target), done);
    const label = `${field.label}, as a slider`;
    const on = { oninput: heard(false), onchange: heard(true) };
    this.range = el('input', { type: 'range', min, max, step, 'aria-label': label, ...on });
    const limits = { min: field.low, max: field.high, step: field.name === 'gamma' ? 1 : 'any' };
    this.field = el('input', { id, type: 'number', ...limits, ...on });
    this.value = min;
    this.element = el(
      'div',
      { class: 'sv-theory-slider', 'data-name': field.name },
      el('label', { for: id, 'data-tip': field.help, tabindex: 0 }, el('b', {}, field.symbol), ` ${field.label}`),
      this.field,
      this.range,
    );
  }

  /** @param {number} value */
  write(value) {
    this.value = value;
    this.range.value = String(value);
    const typed = document.activeElement === this.field && Number(this.field.value) === value;
    if (!typed) this.field.value = theory.brief(value, 3);
  }
}

/** @param {RaceMessage} race @returns {Point[]} */
const pointsOf = (race) =>
  race.theory.map(({ name, numbers }) => ({
    name: `${name}, race on screen`,
    ...numbers,
    opens: 'the race',
    open: () => go('race'),
  }));

/** What was measured of a point, and at which numbers. @param {Point} point @returns {[made: string, at: string]} */
function measuredWords({ alpha, c, v, gamma, tokens, speed, arithmetic }) {
  const parts = (/** @type {[string, number | null | undefined][]} */ ...named) =>
    named
      .flatMap(([name, value]) => (typeof value === 'number' ? [`${name} ${theory.number(value)}`] : []))
      .join(', ');
  const made = parts(['tokens an iteration', tokens], ['speed-up', speed], ['arithmetic', arithmetic]);
  return [made, parts(['α', alpha], ['c', c], ['v', v], ['γ', gamma])];
}

export class TheoryPlayground {
  said = el('p', { class: 'sv-theory-said', 'aria-live': 'polite', 'aria-atomic': 'true' });
  charts = el('div', { class: 'sv-theory-charts' });
  choice = el('figure', { class: 'sv-theory-chart' });
  list = el('div', { class: 'sv-theory-points' });
  table = scrolled('The curves as a table', null);
  /** @type {Point[]} */
  raced = []; // of the race on screen
  followed = ''; // of the address
  own = false; // whether the reader chose the numbers

  /** @param {Point[]} [points] */
  constructor(points = []) {
    this.given = points;
    this.setting = theory.DEFAULT;
    this.sliders = theory.FIELDS.map((field) => {
      const { name } = field;
      return new Slider(field, (value, done) => this.set(theory.changed(this.setting, name, value), done));
    });
    this.element = this.build();
    this.follow();
    subscribe('race', (race) => {
      this.raced = pointsOf(race);
      if (this.raced.length && !this.own) this.setting = theory.settingOf(this.setting, this.raced[0]);
      this.drawPoints();
      this.draw();
    });
    this.drawPoints();
    this.draw();
  }

  get points() {
    return [...this.raced, ...this.given];
  }

  build() {
    const title = el('h2', {}, 'Theory to play with');
    const numbers = el('details', {}, el('summary', {}, 'The curves as a table'), this.table);
    return el(
      'section',
      { class: 'sv-theory-play', 'aria-label': 'Theory to play with', 'data-part': 'theory' },
      title,
      el('p', { class: 'sv-note' }, INTRO),
      el(
        'div',
        { class: 'sv-theory-sliders' },
        this.sliders.map(({ element }) => element),
      ),
      this.said,
      this.charts,
      keyOfCurves(),
      el('div', { class: 'sv-theory-more' }, this.choice, this.list),
      numbers,
    );
  }

  /** Show what the address asks for, where it has changed. */
  show() {
    this.follow();
    this.draw();
  }

  /** Further points, in place of those offered before. @param {Point[]} points */
  offer(points) {
    this.given = points;
    this.drawPoints();
    this.draw();
  }

  follow() {
    const asked = link.get('theory');
    if (asked === null || asked === this.followed) return;
    this.followed = asked;
    const found = theory.settingFromText(asked);
    if (found) {
      this.setting = found;
      this.own = true;
    } else link.complain(noTheory(asked));
  }

  /** @param {Setting} setting @param {boolean} done whether the reader has let go */
  set(setting, done) {
    this.setting = setting;
    this.own = true;
    this.draw();
    if (!done) return; // browsers refuse addresses that change too often
    this.followed = theory.settingToText(setting);
    link.set({ theory: this.followed });
  }

  draw() {
    const { setting } = this;
    this.sliders.forEach((slider, at) => slider.write(setting[theory.FIELDS[at].name]));
    this.said.textContent = theory.sentence(setting);
    const works = theory.workings(setting);
    this.charts.replaceChildren(...CHARTS.map((about, at) => this.chart(about, works[at])));
    this.drawChoice();
    this.drawTable();
  }

  /** @param {Chart} about @param {{work: string, result: string}} worked */
  chart({ key, title, unit, source, of }, { work, result }) {
    const { setting } = this;
    const { gamma } = setting;
    const best = theory.bestGamma(setting);
    /** @param {number} x @returns {Place} */
    const place = (x) => [x, of(setting, x)];
    const marks = this.points.flatMap((point, at) => {
      const y = point[key];
      if (y === null || y === undefined) return [];
      const x = Math.min(point.gamma, theory.MOST_GAMMA);
      return [
        {
          number: String(at + 1),
          label: `${point.name}: ${measuredWords(point).join('; at ')}`,
          at: /** @type {Place} */ ([x, y]),
          opens: point.opens,
          open: point.open,
        },
      ];
    });
    const there = theory.number(of(setting, best));
    const label = `${title} against γ: ${result} at ${gamma}, ${there} at ${best}, the fastest`;
    return el(
      'figure',
      { class: 'sv-theory-chart', 'data-chart': key },
      el('figcaption', {}, el('h3', {}, title), el('span', {}, el('b', {}, result), ` ${unit}`)),
      drawCurve({
        label,
        line: GAMMAS.map(place),
        ticks: [0, 4, 8, 12, 16],
        axis: 'γ, guesses an iteration',
        reference: 1,
        dots: true,
        now: place(gamma),
        best: place(best),
        marks,
        columns: {
          text: ([x, y]) => `γ ${x}: ${theory.number(y)} ${unit}`,
          choose: (x) => this.set(theory.changed(setting, 'gamma', Math.max(1, x)), true),
        },
      }),
      el('p', { class: 'sv-theory-work', 'data-tip': source, tabindex: 0 }, `${work} = `, el('b', {}, result)),
    );
  }

  /** Figure 3 of the paper, at this c and v. */
  drawChoice() {
    const { setting } = this;
    const best = (/** @type {number} */ alpha) => theory.bestGamma({ ...setting, alpha });
    const alphas = Array.from({ length: 101 }, (_, at) => at / 100);
    const here = best(setting.alpha);
    const ends = `from ${best(0)} at 0 to ${best(1)} at 1`;
    this.choice.replaceChildren(
      el('figcaption', {}, el('h3', {}, 'The fastest γ'), el('span', {}, el('b', {}, here), ' at this α')),
      drawCurve({
        label: `The fastest γ against α: ${ends}; ${here} at ${theory.number(setting.alpha)}`,
        line: alphas.flatMap((alpha, at) => [
          [alpha, best(alphas[Math.max(0, at - 1)])],
          [alpha, best(alpha)],
        ]),
        ticks: [0, 0.25, 0.5, 0.75, 1],
        axis: 'α, acceptance (Figure 3 of the paper)',
        top: theory.MOST_GAMMA,
        now: [setting.alpha, here],
      }),
    );
  }

  drawTable() {
    const { setting } = this;
    const best = theory.bestGamma(setting);
    const rows = GAMMAS.map((gamma) => {
      const notes = [gamma === 0 && 'plain', gamma === setting.gamma && 'yours', gamma === best && 'fastest'];
      const said = notes.filter(Boolean).join(', ');
      const v = gamma ? theory.verifyAt(setting, gamma) : 1;
      const cells = [v, ...CHARTS.map(({ of }) => of(setting, gamma))];
      return el(
        'tr',
        { class: gamma === setting.gamma ? 'here' : null },
        el('th', { scope: 'row' }, gamma, said && el('small', {}, ` ${said}`)),
        cells.map((value) => el('td', {}, value.toFixed(2))),
      );
    });
    this.table.replaceChildren(tableOf(['γ', 'v', ...CHARTS.map(({ title }) => title)], rows));
  }

  drawPoints() {
    const rows = this.points.map((point, at) => {
      const take = () => this.set(theory.settingOf(this.setting, point), true);
      const { name, opens, open } = point;
      const [made, given] = measuredWords(point);
      const button = (/** @type {string} */ text, /** @type {string} */ label, /** @type {() => void} */ onclick) =>
        pushButton(text, onclick, { 'aria-label': `${label} ${name}` });
      return el(
        'li',
        {},
        el('span', { class: 'sv-theory-number', 'aria-hidden': 'true' }, at + 1),
        el('span', {}, el('b', {}, name), el('span', {}, made), el('small', {}, given)),
        el(
          'div',
          {},
          button('Set the sliders to it', 'Set the sliders to it:', take),
          button(`Open ${opens}`, `Open ${opens}:`, open),
        ),
      );
    });
    const none =
      'No run on screen is of the kind that the theory is about: guesses in a chain, judged one by one. Run a race ' +
      'with Speculative decoding beside Autoregressive.';
    this.list.replaceChildren(
      el('h3', {}, 'Measured'),
      rows.length ? el('ol', {}, rows) : el('p', { class: 'sv-note' }, none),
    );
  }
}
