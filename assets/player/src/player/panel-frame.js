/* What the panels of the player have in common: heading, key, and all of it in words. */
import { el } from '../base/dom.js';
import { DrawingKey } from '../draw/key.js';
import { PANELS } from './kinds.js';

export class PanelFrame {
  title = el('h3', {});
  help = el('p', {});
  caption = el('figcaption', {}, this.title, this.help);
  key = new DrawingKey();
  words = el('p', {});
  nothing = el('p', { class: 'sv-nothing' }, '');
  more = el('details', { class: 'sv-words', 'data-part': 'words' }, el('summary', {}, 'In words'), this.words);

  /** @param {string} name */
  constructor(name) {
    this.name = name;
    this.heading = PANELS[name].heading;
    this.element = el('figure', { class: `sv-panel sv-panel-${name}`, 'data-panel': name, 'data-part': name });
    this.about({ ever: true, drafted: true });
  }

  /**
   * Whether this iteration ever has something to show here, and whether there are drafted tokens in it.
   * @param {{ever: boolean, drafted: boolean}} iteration
   */
  about({ ever, drafted }) {
    const { heading, undrafted = heading } = PANELS[this.name];
    this.heading = drafted ? heading : undrafted;
    this.headed('');
    this.element.classList.toggle('never', !ever);
  }

  /** @param {string} title of what is shown; "": the usual one */
  headed(title) {
    const [usual, help] = this.heading;
    this.title.textContent = title || usual;
    this.help.textContent = title ? '' : help;
  }
}
