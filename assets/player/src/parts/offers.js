/* Models that are not on this machine yet: got from here, where the page is its user's own. */
import { el, pushButton } from '../base/dom.js';
import { ask } from '../base/server.js';
import { choosePair, publish, subscribe } from '../base/shared.js';

/**
 * @import { ModelOffer, ModelOffers } from '../payload.js'
 * @import { Calls, Failure } from '../base/server.js'
 */

const ASKED_AGAIN = 400; // milliseconds
const SILENCE = 3000; // before it is asked again after no answer

/** @param {number} bytes */
const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

/** What a model is and where it would be. @param {ModelOffer} offer */
export const about = ({ title, bytes, licence, folder }) =>
  `${title}: ${megabytes(bytes)} MB from the Python package index, or else from the hub, licence ${licence}. ` +
  `It is kept in ${folder}.`;

/** What its button says. @param {ModelOffer} offer */
export const invitation = ({ bytes, licence, kept }) =>
  kept
    ? `Go on: ${megabytes(kept)} of ${megabytes(bytes)} MB are here`
    : `Get a real assistant (${Math.round(bytes / 1e6)} MB, ${licence})`;

/** How far it is. @param {ModelOffer} offer */
export const distance = ({ doing, done, total }) =>
  total ? `${doing}: ${megabytes(done)} of ${megabytes(total)} MB` : `${doing || 'beginning'} …`;

export class Offers {
  /** @param {Calls} server */
  constructor(server) {
    this.server = server;
    const onclick = () => this.show(Boolean(this.element.hidden));
    const more = { class: 'sv-quiet sv-offer-open', 'aria-expanded': 'false', hidden: true };
    this.button = pushButton('Get a real assistant', onclick, more);
    this.list = el('div', {});
    const close = pushButton('✕', () => this.show(false), { class: 'sv-quiet', 'aria-label': 'Close' });
    this.element = el(
      'section',
      { class: 'sv-offers', 'aria-label': 'Models to get', 'data-part': 'header', hidden: true },
      this.list,
      close,
    );
  }

  /** Look what there is; a model that is on its way is shown. */
  async begin() {
    subscribe('get', () => this.show(true));
    await this.ask({});
    if (this.list.querySelector('progress')) this.show(true);
  }

  /** @param {boolean} on */
  show(on) {
    this.element.hidden = !on;
    this.button.setAttribute('aria-expanded', String(on));
    if (on) this.list.querySelector('button')?.focus();
  }

  /** @param {object} request */
  async ask(request) {
    const answer = /** @type {ModelOffers | Failure} */ (await ask(this.server, 'models', request));
    if ('error' in answer) {
      this.list.replaceChildren(el('p', { role: 'alert', class: 'sv-alert' }, answer.error));
      setTimeout(() => this.ask({}), SILENCE); // what is on its way goes on
      return;
    }
    const away = answer.offers.filter((offer) => offer.state !== 'here');
    this.button.hidden = !away.length;
    publish('offered', away.length > 0);
    this.draw(away);
    if (away.some((offer) => offer.state === 'getting')) setTimeout(() => this.ask({}), ASKED_AGAIN);
    publish('pairs', answer.pairs);
    const arrived = answer.offers.find(({ name, state }) => state === 'here' && this.wanted === name);
    if (!arrived) return;
    this.wanted = '';
    this.show(false);
    choosePair(arrived.name);
  }

  /** The cards, of which the button with the keyboard's focus keeps it. @param {ModelOffer[]} offers */
  draw(offers) {
    const focused = this.list.contains(document.activeElement);
    this.list.replaceChildren(...offers.map((offer) => this.card(offer)));
    if (focused) this.list.querySelector('button')?.focus();
  }

  /** @param {ModelOffer} offer */
  card(offer) {
    const getting = offer.state === 'getting';
    const onclick = () => {
      if (!getting) this.wanted = offer.name;
      this.ask({ do: getting ? 'stop' : 'get', name: offer.name });
    };
    const button = pushButton(getting ? 'Stop' : invitation(offer), onclick, { class: 'sv-run' });
    const value = offer.total ? offer.done / offer.total : null;
    const label = `Progress of ${offer.name}`;
    const progress = getting && [
      el('progress', { max: 1, value, 'aria-label': label }),
      el('p', {}, distance(offer)),
    ];
    return el(
      'div',
      { class: 'sv-offer' },
      el('p', {}, about(offer)),
      offer.reason && el('p', { role: 'alert', class: 'sv-alert' }, offer.reason),
      el('div', { class: 'sv-offer-row' }, button, progress),
    );
  }
}
