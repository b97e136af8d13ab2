/* The comparison of pinned nodes, side by side. */
import { el, pushButton } from '../base/dom.js';
import { typeset } from '../draw/formula.js';

/**
 * @import { AnyRecord } from './lookup.js'
 * @typedef {{path: string, outcome: string, rows: number, formula: string}} Said what a card says at a step
 */

/** The facts of a card that no step changes. @param {AnyRecord} record @param {Said} said */
function facts(record, { path, rows }) {
  return [
    ['Path', path],
    ['Draft probability', record.draft || 'from the target'],
    ['Target probability', record.target || 'not in the record'],
    ['Position id', String(record.position)],
    ['Mask row', record.row === null ? 'not sent to the target' : `${record.row + 1} of ${rows}`],
  ];
}

/** Cards for up to two nodes. */
export class PinBoard {
  /** @param {{ongo: (scene: string) => void, onunpin: (node: number) => void}} on */
  constructor({ ongo, onunpin }) {
    this.ongo = ongo;
    this.onunpin = onunpin;
    /** @type {AnyRecord[]} */
    this.shown = [];
    this.cards = el('div', { class: 'sv-cards' });
    const attributes = { class: 'sv-pins', 'aria-label': 'Pinned nodes', hidden: true };
    this.element = el('section', attributes, this.cards);
  }

  /** @param {AnyRecord} record @param {number} at @param {Said} said */
  card(record, at, said) {
    const { scene } = record;
    const fact = (/** @type {string[]} */ [name, value]) =>
      el('div', {}, el('dt', {}, name), el('dd', { translate: name === 'Path' ? 'no' : null }, value));
    const outcome = el('dd', { 'data-fact': 'outcome' }, said.outcome);
    const formula = el('p', { class: 'sv-formula', 'data-fact': 'formula' });
    typeset(formula, said.formula);
    const go = () => scene && this.ongo(scene);
    return el(
      'article',
      { class: 'sv-card', 'data-node': record.node, 'aria-label': `Pin ${at + 1}` },
      this.cardHead(record, at),
      el('dl', {}, facts(record, said).map(fact), el('div', {}, el('dt', {}, 'Outcome so far'), outcome)),
      formula,
      scene
        ? pushButton('Go to the step that judges it', go, { class: 'sv-go' })
        : el('p', { class: 'sv-never' }, 'No decision judges it.'),
    );
  }

  /** @param {AnyRecord} record @param {number} at */
  cardHead(record, at) {
    const label = `Unpin “${record.label}”`;
    const unpin = { class: 'sv-quiet', 'aria-label': label, 'data-tip': 'Unpin' };
    return el(
      'header',
      {},
      el('b', { class: 'sv-number' }, at + 1),
      el('strong', { translate: 'no' }, `“${record.label}”`),
      el('span', {}, `node ${record.node}`),
      pushButton('×', () => this.onunpin(record.node), unpin),
    );
  }

  /**
   * Show records; `say` gives what a card says of one at the present step. Cards stay while their records do.
   * @param {AnyRecord[]} records
   * @param {(record: AnyRecord) => Said} say
   */
  show(records, say) {
    this.element.hidden = records.length === 0;
    const same = records.length === this.shown.length && records.every((record, at) => record === this.shown[at]);
    this.shown = [...records];
    if (!same) this.cards.replaceChildren(...records.map((record, at) => this.card(record, at, say(record))));
    else for (const [at, card] of [...this.cards.children].entries()) this.renew(card, say(records[at]));
  }

  /** @param {Element} card @param {Said} said */
  renew(card, { outcome, formula }) {
    const [told, worked] = ['outcome', 'formula'].map((name) => card.querySelector(`[data-fact="${name}"]`));
    if (told) told.textContent = outcome;
    if (worked instanceof HTMLElement) typeset(worked, formula);
  }
}
