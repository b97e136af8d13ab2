/* A panel of the player: a heading, the picture of the step on screen, its key, and all of it in words. The player
   says how high the picture may be (room.js); a picture that needs more is scrolled. */
import { el } from '../base/dom.js';
import { figureScale } from '../base/theme.js';
import { drawingAsImage } from '../draw/image.js';
import { DrawingKey } from '../draw/key.js';
import { badgeElement } from '../draw/marks.js';
import { drawPicture, needsOfPicture } from '../draw/picture.js';
import { unchanged } from './changed.js';
import { PANELS } from './kinds.js';

/**
 * @import { Picture } from '../payload.js'
 * @import { Needs } from '../draw/marks.js'
 * @import { CoinHandle } from './coin-handle.js'
 * @import { Changed } from './changed.js'
 * @import { AnyRecord } from './lookup.js'
 * @typedef {object} Common what the views have in common
 * @property {AnyRecord | null} record the node in focus
 * @property {AnyRecord[]} pins up to two
 * @property {Changed} changed what the step changed
 * @typedef {{picture: Picture, width: number, height: number, scale: number}} Drawn
 */

const SCROLLED = 12; // pixels that a bar to scroll takes

/** @param {Drawn} one @param {Drawn} other */
const same = (one, other) =>
  one.picture === other.picture &&
  one.width === other.width &&
  one.height === other.height &&
  one.scale === other.scale;

/**
 * Whether a part of a drawing stands for a node: one of its own, or, where it has none, the row that it shares.
 * @param {DOMStringMap} part @param {AnyRecord} record @param {Set<number>} nodes that have parts of their own
 */
const standsFor = (part, { node, row }, nodes) =>
  nodes.has(node) ? Number(part.node) === node : row !== null && Number(part.row ?? NaN) === row;

export class Panel {
  /** @type {Picture | null | undefined} */
  picture = undefined; // of the step on screen; undefined before the first
  /** @type {SVGSVGElement | null} */
  drawing = null;
  /** @type {Drawn | null} */
  drawn = null; // what it was drawn from
  hidden = ''; // what of the picture there was no space for
  width = 0;
  /** @type {Common} */
  common = { record: null, pins: [], changed: unchanged() };
  /** @type {CoinHandle | null} */
  handle = null;

  title = el('h3', {});
  help = el('p', {});
  stage = el('div', { class: 'sv-stage', translate: 'no' });
  key = new DrawingKey();
  words = el('p', {});
  nothing = el('p', { class: 'sv-nothing' }, '');
  more = el('details', { class: 'sv-words', 'data-part': 'words' }, el('summary', {}, 'In words'), this.words);

  /** @param {string} name */
  constructor(name) {
    this.name = name;
    const caption = el('figcaption', {}, this.title, this.help);
    this.element = el('figure', { class: `sv-panel sv-panel-${name}`, 'data-panel': name, 'data-part': name }, [
      caption,
      this.stage,
      this.key.element,
      this.nothing,
      this.more,
    ]);
    this.about({ ever: true, drafted: true });
  }

  /** Put a handle over the picture, and what it says above it. @param {CoinHandle} handle */
  hold(handle) {
    this.handle = handle;
    this.stage.append(handle.layer);
    this.stage.before(handle.said);
  }

  /**
   * Whether this iteration ever has something to show here, and whether there are drafted tokens in it.
   * @param {{ever: boolean, drafted: boolean}} iteration
   */
  about({ ever, drafted }) {
    const { heading, undrafted = heading } = PANELS[this.name];
    [this.title.textContent, this.help.textContent] = drafted ? heading : undrafted;
    this.element.classList.toggle('never', !ever);
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
    this.element.classList.toggle('empty', !picture);
    this.nothing.hidden = Boolean(picture);
    this.stage.hidden = this.more.hidden = !picture;
    this.words.textContent = words;
    this.hidden = '';
    this.key.show(picture?.key ?? [], picture?.notes ?? []);
  }

  /**
   * The heights its picture takes in the space there is; null where there is nothing to draw.
   * @param {number} scale of the type
   * @returns {Needs | null}
   */
  measure(scale) {
    const style = getComputedStyle(this.element);
    this.width = this.element.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    if (!this.picture || this.width <= 0) return null;
    const { least, wanted } = needsOfPicture(this.picture, this.width / scale);
    return { least: least * scale, wanted: wanted * scale };
  }

  /**
   * Draw the picture so high, unless that is done; after `measure`.
   * @param {number} wanted @param {number} scale
   * @returns {boolean} whether its key has become another, and with it the space for pictures
   */
  draw(wanted, scale) {
    const { picture, width, drawn, stage } = this;
    const height = Math.floor(wanted);
    if (!picture || width <= 0) return false;
    const wish = { picture, width, height, scale };
    if (drawn && same(drawn, wish)) return false;
    this.drawn = wish;
    const said = this.words.textContent ?? '';
    let made = drawPicture(picture, wish, said);
    const scrolled = made.height > height + 1;
    if (scrolled) made = drawPicture(picture, { ...wish, width: width - SCROLLED }, said);
    const told = this.hidden !== made.hidden;
    this.hidden = made.hidden;
    if (told) this.key.show(picture.key ?? [], [...(picture.notes ?? []), ...(made.hidden ? [made.hidden] : [])]);
    this.drawing?.remove();
    this.drawing = made.drawing;
    stage.prepend(made.drawing);
    stage.style.height = `${scrolled ? height : made.height}px`;
    stage.classList.toggle('scrolled', scrolled);
    stage.scrollTop = 0;
    const judged = scrolled ? made.drawing.querySelector('.judged') : null;
    if (judged) stage.scrollTop = judged.getBoundingClientRect().bottom + 2 - stage.getBoundingClientRect().bottom;
    this.mark(this.common);
    this.handle?.place(made.stretch, scale);
    return told;
  }

  /** Light what the views have in common. @param {Common} common */
  mark(common) {
    this.common = common;
    const { record, pins, changed } = common;
    const kin = new Set(record?.ancestors);
    for (const badge of this.drawing?.querySelectorAll('.sv-badge') ?? []) badge.remove();
    const found = [...(this.drawing?.querySelectorAll('[data-node]') ?? [])];
    const groups = found.filter((one) => one instanceof SVGElement);
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
      const known = drawn?.picture === picture ? drawn : null;
      const scale = known?.scale ?? figureScale();
      const needs = this.measure(scale);
      if (needs) this.draw(known?.height ?? needs.wanted, scale);
      const { drawing } = this;
      return needs && drawing ? await drawingAsImage(drawing, format, title, this.key.element) : null;
    } finally {
      element.classList.remove('measuring');
    }
  }
}
