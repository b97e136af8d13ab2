/* A picture of the page as high as it wants to be, with its key and its words. */
import { el } from '../base/dom.js';
import { figureScale } from '../base/theme.js';
import { DrawingKey } from '../draw/key.js';
import { drawPicture, needsOfPicture } from '../draw/picture.js';

/** @import { Picture } from '../payload.js' */

export class TallPicture {
  /** @type {Picture | null} */
  picture = null;
  space = ''; // it was drawn for
  box = el('div', { class: 'sv-stage', translate: 'no' });
  key = new DrawingKey();
  words = el('p', {});

  /** @param {string} name */
  constructor(name) {
    const words = el('details', { class: 'sv-words' }, el('summary', {}, 'In words'), this.words);
    this.element = el('figure', { class: `sv-forest-${name}` }, this.box, this.key.element, words);
    new ResizeObserver(() => this.fit()).observe(this.box);
  }

  /** @param {Picture} picture */
  show(picture) {
    this.picture = picture;
    this.space = '';
    this.words.textContent = picture.words ?? '';
    this.key.show(picture.key ?? [], picture.notes ?? []);
    this.fit();
  }

  /** Draw it for the space there is, unless that is done. */
  fit() {
    const { picture, box } = this;
    const scale = figureScale();
    const { clientWidth: width } = box;
    const space = `${width} ${scale}`;
    if (!picture || !width || space === this.space) return;
    this.space = space;
    const height = needsOfPicture(picture, width / scale).wanted * scale;
    box.replaceChildren(drawPicture(picture, { width, height, scale }, picture.words).drawing);
  }
}
