/* The table of verdicts: one row a verifier, filled one by one, two of them chosen by radio buttons. */
import { closest, el, svg } from '../base/dom.js';
import { explainedHead, headRow } from '../base/table.js';
import { marked, strip } from '../base/pieces.js';
import { meter } from '../parts/meter.js';
import { distanceWords, lengthsWords, percent, twoDigits } from './words.js';

/**
 * @import { ForestRow, OpenedForest, OptionSetup, VerdictAnswer } from '../payload.js'
 * @import { Child } from '../base/dom.js'
 * @import { Failure } from '../base/server.js'
 * @import { Options } from '../base/values.js'
 * @typedef {'a' | 'b'} Side shown, or beside it
 * @typedef {object} Line a row on the page
 * @property {ForestRow} row
 * @property {HTMLElement} body
 * @property {HTMLElement} badge
 * @property {HTMLElement[]} cells
 * @property {Record<Side, HTMLInputElement>} radios
 * @typedef {object} TableEvents
 * @property {(side: Side, name: string) => void} onpick
 * @property {(name: string, option: string, value: number) => void} onoption
 */

/** @type {[title: string, help: string, width: string][]} */
const COLUMNS = [
  ['Show', 'Show this rule in the forest.', '2.9em'],
  ['Beside', 'Set this rule beside the one that is shown.', '3.9em'],
  ['Rule', 'What decides which guesses are kept.', 'auto'],
  [
    'With these coins',
    'The tokens that come out with the coins of this draw: kept guesses, then one more token.',
    '15%',
  ],
  ['Guesses kept', 'How many guesses are kept on average, over all coins: exact, nothing is sampled.', '4.9em'],
  [
    'Tokens per target call',
    'How many tokens one target call gives on average, over all coins: kept guesses and the token after them.',
    '5.8em',
  ],
  ['How many it keeps', 'How often it keeps none, one, two … of the guesses, over all coins.', '104px'],
  [
    'First token',
    'How far the distribution of the first token is from the target’s own, as total variation: ' +
      '0 is the same. The bar: how often one of its guesses is kept, over all coins and all guesses that the ' +
      'draft could have drawn. The line is the limit of rules that keep the target’s distribution.',
    '5.8em',
  ],
];
const OPEN_END = 10; // where a slider of an open range ends

/** @param {number} at @param {...Child} children */
const cell = (at, ...children) => el('td', { 'data-label': COLUMNS[at][0] }, ...children);

/** How often it keeps 0, 1, 2 ... guesses: small bars. @param {number[]} lengths */
function bars(lengths) {
  const width = 17;
  const [all, height, full] = [width * lengths.length, 36, 23];
  const bar = (/** @type {number} */ share, /** @type {number} */ at) => {
    const place = { x: at * width + 1, width: width - 3 };
    return svg(
      'g',
      {},
      svg('rect', { class: 'room', ...place, y: 0, height: full }),
      svg('rect', { class: 'bar', ...place, y: full * (1 - share), height: full * share }),
      svg('text', { x: at * width + width / 2 - 0.5, y: 34 }, at),
    );
  };
  const label = `Guesses kept: ${lengthsWords(lengths)}`;
  const attributes = { class: 'sv-lengths', role: 'img', 'aria-label': label, width: all, height };
  return svg('svg', { ...attributes, viewBox: `0 0 ${all} ${height}` }, lengths.map(bar));
}

/** How often a first guess is kept, against the limit. @param {number} kept @param {number | null} limit */
function firstKept(kept, limit) {
  const [width, room] = [66, 36];
  const edge = limit === null ? '' : svg('path', { class: 'limit', d: `M${room * limit} 0V16` });
  const label = `A first guess is kept in ${percent(kept)}${limit === null ? '' : `; the limit is ${percent(limit)}`}`;
  return svg(
    'svg',
    { class: 'sv-first-kept', role: 'img', 'aria-label': label, width, height: 16, viewBox: `0 0 ${width} 16` },
    svg('rect', { class: 'room', y: 3, width: room, height: 10 }),
    svg('rect', { class: 'bar', y: 3, width: room * kept, height: 10 }),
    edge,
    svg('text', { x: room + 4, y: 12 }, percent(kept)),
  );
}

/**
 * A slider for one option of a rule.
 * @param {OptionSetup} option
 * @param {string} verifier
 * @param {any} value
 * @param {(value: number) => void} onchange
 */
function dial(option, verifier, value, onchange) {
  const out = el('output', {}, String(value));
  let timer = 0;
  const oninput = () => {
    out.textContent = range.value;
    clearTimeout(timer);
    timer = setTimeout(() => onchange(Number(range.value)), 150);
  };
  const high = option.name === 'rollback' ? Math.min(option.high ?? OPEN_END, OPEN_END) : option.high;
  const label = `${option.label} of ${verifier}`;
  const bounds = { min: option.low, max: high, step: 0.01, value };
  const range = el('input', { type: 'range', ...bounds, 'aria-label': label, oninput });
  const attributes = { class: 'sv-dialled', 'data-tip': option.help, 'data-part': 'options' };
  return el('label', attributes, el('span', {}, option.label), range, out);
}

/**
 * The guarantee meter of the method that is this pairing; where there is none, the guarantee in a word.
 * @param {ForestRow} row
 * @param {VerdictAnswer} answer
 * @param {Options} options
 */
function guarantee(row, answer, options) {
  if (row.method) return meter(row.method, { options, guarantee: answer.guarantee });
  const { exact, help, name } = answer.guarantee;
  return el('span', { class: `sv-guarantee${exact ? ' exact' : ''}`, tabindex: 0, 'data-tip': help }, name);
}

export class VerdictTable {
  /** @param {TableEvents} events */
  constructor(events) {
    this.on = events;
    /** @type {Map<string, Line>} */
    this.lines = new Map();
    /** @type {number | null} */
    this.limit = null; // of how often a first guess is kept
    const heads = COLUMNS.map(([title, help]) => explainedHead(title, help));
    this.element = el(
      'table',
      { class: 'sv-verdicts' },
      el('caption', { class: 'sv-hidden' }, 'What each verifier keeps of the same forest'),
      el(
        'colgroup',
        {},
        COLUMNS.map(([, , width]) => el('col', { style: { width } })),
      ),
      headRow(heads),
    );
  }

  /** @param {OpenedForest} forest @param {Record<string, Options>} options those set, by verifier */
  build({ rows, limit }, options) {
    this.limit = limit;
    const lines = rows.map((row) => this.line(row, options[row.name] ?? {}));
    this.lines = new Map(lines.map((line) => [line.row.name, line]));
    for (const old of this.element.querySelectorAll('tbody')) old.remove();
    this.element.append(...lines.map((line) => line.body));
  }

  /** @param {Side} side @param {ForestRow} row */
  radio(side, row) {
    return el('input', {
      type: 'radio',
      name: `sv-forest-${side}`,
      value: row.name,
      disabled: Boolean(row.refused),
      'aria-label': `${side === 'a' ? 'Show' : 'Compare with'} ${row.title}`,
      onchange: () => this.on.onpick(side, row.name),
    });
  }

  /** @param {ForestRow} row @param {Options} options @returns {Line} */
  line(row, options) {
    const badge = el('span', { class: 'sv-badges' });
    const cells = [3, 4, 5, 6, 7].map((at) => cell(at));
    const radios = { a: this.radio('a', row), b: this.radio('b', row) };
    const called = el('b', { tabindex: 0, 'data-tip': row.rule }, row.title);
    const title = el('th', { scope: 'rowgroup' }, called, ' ', badge);
    const refused = row.refused && el('td', { colspan: 5, class: 'sv-reason' }, row.refused);
    const onclick = (/** @type {Event} */ event) => {
      if (row.refused || closest(event.target, 'input, label, a, button, .sv-badges')) return;
      radios.a.checked = true;
      this.on.onpick('a', row.name);
    };
    const body = el(
      'tbody',
      { 'data-verifier': row.name, class: row.refused ? 'refused' : '', onclick },
      el('tr', {}, cell(0, radios.a), cell(1, radios.b), title, refused || cells),
      row.refused || !row.options.length ? null : this.dials(row, options),
    );
    return { row, body, badge, cells, radios };
  }

  /** @param {ForestRow} row @param {Options} options */
  dials(row, options) {
    const dials = row.options.map((option) => {
      const changed = (/** @type {number} */ value) => this.on.onoption(row.name, option.name, value);
      return dial(option, row.title, options[option.name] ?? option.default, changed);
    });
    return el('tr', { class: 'sv-rule-dials' }, el('td', { colspan: 2 }), el('td', { colspan: 6 }, dials));
  }

  /**
   * A row's numbers, or why there are none.
   * @param {string} name
   * @param {VerdictAnswer | Failure} answer
   * @param {Options} options those set for it
   */
  fill(name, answer, options) {
    const line = this.lines.get(name);
    if (!line) return;
    const { row, body, badge, cells } = line;
    body.classList.remove('waiting');
    if ('error' in answer) {
      badge.replaceChildren();
      badge.dataset.says = '';
      for (const one of cells) one.replaceChildren();
      cells[0].replaceChildren(el('span', { class: 'sv-reason' }, answer.error));
      return;
    }
    const says = JSON.stringify([answer.guarantee.name, options]);
    if (badge.dataset.says !== says) badge.replaceChildren(guarantee(row, answer, options));
    badge.dataset.says = says;
    this.fillCells(cells, answer);
  }

  /** @param {HTMLElement[]} cells @param {VerdictAnswer} answer */
  fillCells([out, kept, tokens, lengths, first], answer) {
    const written = answer.emitted.map(({ piece, origin }) =>
      el('span', { class: `sv-token ${origin}` }, marked(piece)),
    );
    out.replaceChildren(strip('span', { class: 'sv-out', 'aria-label': answer.words }, written));
    kept.replaceChildren(el('b', {}, twoDigits(answer.accepted)), ` of ${answer.lengths.length - 1}`);
    tokens.replaceChildren(el('b', {}, twoDigits(answer.tokens)));
    lengths.replaceChildren(bars(answer.lengths));
    const about = { tabindex: 0, 'data-tip': answer.distance_words };
    const bar = answer.first === null ? '' : firstKept(answer.first, this.limit);
    first.replaceChildren(el('span', about, distanceWords(answer.distance)), bar);
  }

  /** @param {string} name */
  wait(name) {
    this.lines.get(name)?.body.classList.add('waiting');
  }

  /** @param {string} a shown @param {string} b beside it */
  picked(a, b) {
    for (const [name, { body, radios }] of this.lines) {
      radios.a.checked = name === a;
      radios.b.checked = name === b;
      body.classList.toggle('shown', name === a);
      body.classList.toggle('beside', name === b);
    }
  }
}
