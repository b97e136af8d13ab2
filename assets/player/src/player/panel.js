/* A panel of the player: a heading, the picture of the step on screen, its key, and all of it in words. The player
   says how high the picture may be (room.js); a picture that needs more is scrolled. */
import { el } from '../base/dom.js';
import { figureScale } from '../base/theme.js';
import { drawingAsImage } from '../draw/image.js';
import { badgeElement } from '../draw/marks.js';
import { drawPicture, needsOfPicture } from '../draw/picture.js';
import { unchanged } from './changed.js';
import { PanelFrame } from './panel-frame.js';

/**
 * @import { Picture } from '../payload.js'
 * @import { CoinHandle } from './coin-handle.js'
 * @import { SettingHandle } from './setting-handle.js'
 * @import { Changed } from './changed.js'
 * @import { AnyRecord } from './lookup.js'
 * @typedef {object} Common what the views have in common
 * @property {AnyRecord | null} record the node in focus
 * @property {AnyRecord[]} pins up to two
 * @property {Changed} changed what the step changed
 * @typedef {{picture: Picture, width: number, height: number, scale: number}} Wish
 * @typedef {ReturnType<typeof drawPicture> & {wish: Wish, scrolled: boolean}} Made
 */

const SCROLLED = 12; // pixels that a bar to scroll takes

/** @param {Wish} one @param {Wish} other */
const same = (one, other) => one.width === other.width && one.height === other.height && one.scale === other.scale;

/**
 * Whether a part of a drawing stands for a node: one of its own, or, where it has none, the row that it shares.
 * @param {DOMStringMap} part @param {AnyRecord} record @param {Set<number>} nodes that have parts of their own
 */
const standsFor = (part, { node, row }, nodes) =>
  nodes.has(node) ? Number(part.node) === node : row !== null && Number(part.row ?? NaN) === row;

export class Panel extends PanelFrame {
  /** @type {Picture | null | undefined} */
  picture = undefined; // of the step on screen; undefined before the first
  /** @type {WeakMap<Picture, Made>} */
  made = new WeakMap(); // the last drawing of each picture
  /** @type {Made | null} */
  drawn = null; // the one on screen
  hidden = ''; // what of the picture there was no space for
  width = 0;
  /** @type {Common} */
  common = { record: null, pins: [], changed: unchanged() };
  /** @type {(CoinHandle | SettingHandle)[]} */
  handles = [];

  stage = el('div', { class: 'sv-stage', translate: 'no' });

  /** @param {string} name */
  constructor(name) {
    super(name);
    this.element.append(this.caption, this.stage, this.key.element, this.nothing, this.more);
  }

  /** Put a handle over the picture. @param {CoinHandle | SettingHandle} handle */
  hold(handle) {
    this.handles.push(handle);
    this.stage.append(handle.layer);
  }

  /** Whether there is a picture to be had now, seen or not. */
  get filled() {
    return Boolean(this.picture);
  }

  /**
   * The picture of a step, to be drawn by `draw`, with its words; null: say with `without` that there is nothing yet.
   * @param {Picture | null} picture @param {string} words @param {string} without
   */
  show(picture, words, without) {
    this.nothing.textContent = picture ? '' : without;
    if (picture === this.picture) return;
    this.picture = picture;
    this.headed(picture?.title ?? '');
    this.element.classList.toggle('empty', !picture);
    this.nothing.hidden = Boolean(picture);
    this.stage.hidden = this.more.hidden = !picture;
    this.words.textContent = words;
    this.tell((picture && this.made.get(picture)?.hidden) ?? '');
  }

  /** What the marks mean, and what there was no space for. @param {string} hidden */
  tell(hidden) {
    this.hidden = hidden;
    this.key.show(this.picture?.key ?? [], [...(this.picture?.notes ?? []), ...(hidden ? [hidden] : [])]);
  }

  /** Take the width there is; whether there is a picture to be drawn in it. */
  place() {
    const style = getComputedStyle(this.element);
    this.width = this.element.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    return Boolean(this.picture) && this.width > 0;
  }

  /** The heights that a picture takes, after `place`. @param {Picture} picture @param {number} scale of the type */
  needs(picture, scale) {
    const { least, wanted } = needsOfPicture(picture, this.width / scale);
    return { least: least * scale, wanted: wanted * scale };
  }

  /**
   * A picture drawn so high, unless it has been; after `place`.
   * @param {Picture} picture @param {string} words @param {number} height @param {number} scale
   * @returns {Made}
   */
  make(picture, words, height, scale) {
    const wish = { picture, width: this.width, height: Math.floor(height), scale };
    const before = this.made.get(picture);
    if (before && same(before.wish, wish)) return before;
    let drawn = drawPicture(picture, wish, words);
    const scrolled = drawn.height > wish.height + 1;
    if (scrolled) drawn = drawPicture(picture, { ...wish, width: wish.width - SCROLLED }, words);
    const made = { ...drawn, wish, scrolled };
    this.made.set(picture, made);
    return made;
  }

  /**
   * See the picture so high.
   * @param {number} height @param {number} scale
   * @returns {boolean} whether its key has become another, and with it the space for pictures
   */
  draw(height, scale) {
    const { picture, drawn, stage } = this;
    if (!picture) return false;
    const made = this.make(picture, this.words.textContent ?? '', height, scale);
    if (made === drawn) return false;
    this.drawn = made;
    const told = this.hidden !== made.hidden;
    if (told) this.tell(made.hidden);
    drawn?.drawing.remove();
    stage.prepend(made.drawing);
    stage.style.height = `${made.scrolled ? made.wish.height : made.height}px`;
    if (stage.classList.contains('scrolled')) stage.scrollTop = 0;
    stage.classList.toggle('scrolled', made.scrolled);
    if (made.scrolled)
      stage.tabIndex = 0; // so that keys scroll it
    else stage.removeAttribute('tabindex');
    const judged = made.scrolled ? made.drawing.querySelector('.judged') : null;
    if (judged) stage.scrollTop = judged.getBoundingClientRect().bottom + 2 - stage.getBoundingClientRect().bottom;
    this.mark(this.common);
    for (const handle of this.handles) handle.place(made.tracks, scale);
    return told;
  }

  /** Light what the views have in common. @param {Common} common */
  mark(common) {
    this.common = common;
    const { drawn } = this;
    if (!drawn || drawn.wish.picture !== this.picture) return; // another one will be seen
    const { record, pins, changed } = common;
    const kin = new Set(record?.ancestors);
    for (const badge of drawn.drawing.querySelectorAll('.sv-badge')) badge.remove();
    const groups = [...drawn.drawing.querySelectorAll('[data-node]')].filter((one) => one instanceof SVGElement);
    const nodes = new Set(groups.map(({ dataset }) => Number(dataset.node)));
    for (const group of groups) {
      const { dataset, classList } = group;
      const pin = pins.findIndex((one) => standsFor(dataset, one, nodes));
      classList.toggle('lit', record !== null && standsFor(dataset, record, nodes));
      classList.toggle('kin', kin.has(Number(dataset.node)));
      classList.toggle('changed', changed.rows.has(Number(dataset.row ?? NaN)));
      if (pin < 0) delete dataset.pin;
      else dataset.pin = String(pin + 1);
      if (pin >= 0) group.append(badgeElement(pin + 1, dataset.badge ?? ''));
    }
  }

  /** What is drawn, or would be, as a file. @param {'png' | 'svg'} format @param {string} title */
  async image(format, title) {
    const { element } = this;
    element.classList.add('measuring'); // a panel that is not seen takes its space elsewhere
    try {
      const { picture, drawn } = this;
      const known = drawn?.wish.picture === picture ? drawn?.wish : null;
      const scale = known?.scale ?? figureScale();
      if (!this.place() || !picture) return null;
      this.draw(known?.height ?? this.needs(picture, scale).wanted, scale);
      return this.drawn && (await drawingAsImage(this.drawn.drawing, format, title, this.key.element));
    } finally {
      element.classList.remove('measuring');
    }
  }
}
