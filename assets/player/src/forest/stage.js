/* The forest under one rule, and what it is: where it comes from, at which temperature, judged how. */
import { el } from '../base/dom.js';
import { keepWhole, marked, strip } from '../base/pieces.js';
import { explained } from '../base/terms.js';
import { Picture } from '../parts/picture.js';

/**
 * @import { ForestRow, OpenedForest, VerdictAnswer } from '../payload.js'
 * @import { Failure } from '../base/server.js'
 */

/** @type {Record<string, string>} */
const WARPS = { temperature: 'Temperature', top_k: 'Top-k', top_p: 'Top-p' };

/** What is drawn, after which text, at which temperature. */
export class ForestFacts {
  /** @param {(name: string, value: number | null) => void} onwarp */
  constructor(onwarp) {
    this.onwarp = onwarp;
    this.about = el('p', { class: 'sv-forest-about' });
    this.context = strip('span', { class: 'sv-forest-before goes-on' });
    this.warp = el('div', { class: 'sv-forest-warp', 'data-part': 'warp' });
    this.element = el('div', { class: 'sv-forest-facts' }, this.about, this.warp);
  }

  /** @param {OpenedForest} forest */
  show({ before, drawn, warp }) {
    const last = before.length - 1;
    const pieces = before.map((piece, at) =>
      el('span', { class: at === last ? 'last' : '' }, marked(piece, { breaks: false })),
    );
    this.context.replaceChildren(...pieces);
    keepWhole(this.context);
    const words = el('b', {}, `${drawn[0].toUpperCase()}${drawn.slice(1)}`);
    this.about.replaceChildren(words, ', after ', this.context);
    this.showWarp(warp);
  }

  /** @param {OpenedForest['warp']} warp */
  showWarp({ options, reason }) {
    const { activeElement } = document;
    const focused = this.warp.contains(activeElement) ? activeElement?.id : null;
    const lead = options.length ? [el('span', {}, 'The same guesses at:')] : [];
    const fields = options.map((option) => this.warpField(option));
    this.warp.replaceChildren(...lead, ...fields, reason ? el('span', {}, reason) : '');
    if (focused) document.getElementById(focused)?.focus();
  }

  /** @param {OpenedForest['warp']['options'][number]} option */
  warpField({ name, value, low, high, help }) {
    const id = `sv-forest-at-${name}`;
    const onchange = () => {
      this.onwarp(name, input.value === '' ? null : Number(input.value));
    };
    const bounds = { min: low, max: high, step: name === 'top_k' ? 1 : 0.05, placeholder: 'off' };
    const input = el('input', { id, type: 'number', ...bounds, value: value ?? '', onchange });
    const label = el('label', { for: id }, WARPS[name]);
    return el('span', { class: 'sv-field', 'data-tip': help || null }, label, input);
  }
}

/** The tree with the verdict of one rule. */
export class ForestStage {
  /** @param {(name: string) => void} onrule */
  constructor(onrule) {
    this.onrule = onrule;
    this.heading = el('h2', { class: 'sv-hidden' });
    const rules = { role: 'group', 'aria-label': 'Rule shown', 'data-part': 'rules' };
    this.rules = el('div', { class: 'sv-forest-choice', ...rules });
    this.rule = el('p', { class: 'sv-forest-rule' });
    this.said = el('p', { class: 'sv-forest-said', role: 'status' });
    this.tree = new Picture('tree', 'The frozen forest');
    const parts = [this.heading, this.rules, this.rule, this.said, this.tree.element];
    this.element = el('section', { class: 'sv-forest-stage', 'aria-label': 'The forest' }, parts);
  }

  /** The rules that can judge this forest. @param {ForestRow[]} rows */
  build(rows) {
    const button = (/** @type {ForestRow} */ { name, title }) =>
      el('button', { type: 'button', 'data-rule': name, onclick: () => this.onrule(name) }, title);
    this.rules.replaceChildren(...rows.map(button));
  }

  /** @param {ForestRow} row @param {VerdictAnswer | Failure} answer @param {OpenedForest['width']} width */
  show(row, answer, { least, most }) {
    this.heading.textContent = `The forest, judged by: ${row.title}`;
    for (const button of this.rules.querySelectorAll('button')) {
      button.setAttribute('aria-pressed', String(button.dataset.rule === row.name));
    }
    this.rule.replaceChildren(...explained(row.rule));
    const failed = 'error' in answer;
    this.said.textContent = failed ? answer.error : answer.words;
    this.tree.element.hidden = failed;
    if (!failed) this.tree.show(answer.figure, answer.text, least, most);
  }
}
