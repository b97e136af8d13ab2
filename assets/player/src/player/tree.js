/* The panel of the draft tree: the tree under its heading, with its key, and all of it in words. */
import { el } from '../base/dom.js';
import { drawingAsImage } from '../draw/image.js';
import { Tree } from '../draw/tree.js';
import { PanelFrame } from './panel-frame.js';

/**
 * @import { ForestStage, IterationPayload } from '../payload.js'
 * @import { Common } from './panel.js'
 */

export class ForestPanel extends PanelFrame {
  tree = new Tree();
  corner = el('div', { class: 'sv-corner' }, this.tree.zoom);
  foot = el('div', { class: 'sv-forest-foot' }, el('div', {}, this.key.element, this.more), this.corner);

  constructor() {
    super('tree');
    this.nothing.hidden = true;
    this.element.append(this.caption, this.tree.element, this.nothing, this.foot);
  }

  get filled() {
    return this.tree.filled;
  }

  /** Another iteration's forest. @param {IterationPayload} payload */
  load({ forest, outcomes }) {
    this.key.ofForest(forest.key);
    this.tree.load(forest, outcomes);
  }

  /**
   * See a stage with its words; null: say with `without` that there is nothing yet.
   * @param {ForestStage | null} stage @param {string} words @param {string} without
   */
  show(stage, words, without) {
    this.element.classList.toggle('empty', !stage);
    this.nothing.hidden = Boolean(stage);
    this.nothing.textContent = without;
    this.tree.element.hidden = this.foot.hidden = !stage;
    this.words.textContent = words;
    this.tree.show(stage);
  }

  /** Light what the views have in common. @param {Common} common */
  mark(common) {
    this.tree.mark(common);
  }

  /** What is on screen as a file. @param {'png' | 'svg'} format @param {string} title */
  async image(format, title) {
    return this.filled ? drawingAsImage(this.tree.drawing, format, title, this.key.element) : null;
  }
}
