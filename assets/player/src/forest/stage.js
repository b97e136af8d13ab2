/* The forest under one rule, and what it is: where it comes from, at which temperature, judged how. */
import { closest, el } from '../base/dom.js';
import { keepWhole, marked, strip } from '../base/pieces.js';
import { explained } from '../base/terms.js';
import { DrawingKey } from '../draw/key.js';
import { Tree } from '../draw/tree.js';

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

/** The tree with the verdict of one rule: the Microscope's, each guess filled by how often it is kept. */
export class ForestStage {
  heading = el('h2', {});
  rule = el('p', { class: 'sv-forest-rule' });
  said = el('p', { class: 'sv-forest-said', role: 'status' });
  tree = new Tree(true);
  key = new DrawingKey();
  words = el('p', {});
  /** @type {OpenedForest | null} */
  forest = null; // the one in the tree

  constructor() {
    const words = el('details', { class: 'sv-words' }, el('summary', {}, 'In words'), this.words);
    const foot = el('div', { class: 'sv-forest-foot' }, el('div', {}, this.key.element, words), this.tree.zoom);
    this.figure = el('figure', { class: 'sv-forest-tree', 'data-part': 'tree' }, this.tree.element, foot);
    const parts = [this.heading, this.rule, this.said, this.figure];
    this.element = el('section', { class: 'sv-forest-stage', 'aria-label': 'The forest' }, parts);
    this.listen();
  }

  listen() {
    const { element } = this.tree;
    const nodeOf = (/** @type {Event} */ { target }) => closest(target, '[data-node]')?.dataset.node ?? null;
    for (const name of ['pointerover', 'focusin', 'pointerout', 'focusout']) {
      element.addEventListener(name, (event) => this.light(name.endsWith('out') ? null : nodeOf(event)));
    }
    element.addEventListener('keydown', (event) => {
      const node = nodeOf(event);
      if (node !== null && this.tree.walk(Number(node), event.key)) event.preventDefault();
    });
  }

  /** Light a guess and what it follows. @param {string | null} name */
  light(name) {
    const parents = new Map(this.forest?.forest.guesses.map((one) => [one.name, one.parent]));
    const ancestors = [];
    for (let at = parents.get(name ?? ''); at !== undefined; at = parents.get(at)) ancestors.push(Number(at));
    const record = name === null ? null : { node: Number(name), ancestors };
    this.tree.mark({ ...this.tree.lit, record });
  }

  /** @param {ForestRow} row @param {VerdictAnswer | Failure} answer @param {OpenedForest} opened */
  show(row, answer, opened) {
    this.heading.textContent = row.title;
    this.rule.replaceChildren(...explained(row.rule));
    const failed = 'error' in answer;
    this.said.textContent = failed ? answer.error : answer.words;
    this.figure.hidden = failed;
    if (failed) return;
    const { stage, emits, marks, lead, said, words } = answer;
    const { forest, outcomes } = opened;
    const key = { marks, notes: forest.key.notes };
    this.key.ofForest(key);
    this.words.textContent = [lead, ...Object.values(said), words].join('\n');
    const drawn = { ...forest, key, guesses: [...forest.guesses, ...(emits ? [emits] : [])] };
    if (this.forest === opened) this.tree.change(drawn, outcomes);
    else this.tree.load(drawn, outcomes);
    this.forest = opened;
    this.tree.show(stage);
    this.tree.say((node) => said[node] ?? 'Where the text ends');
  }
}
