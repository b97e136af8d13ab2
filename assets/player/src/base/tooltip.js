/* One tooltip for everything with data-tip: on hover, on focus, gone with Escape. */
import { closest, el } from './dom.js';

class Tooltip {
  constructor() {
    this.tip = el('div', { id: 'sv-tip', role: 'tooltip', hidden: true });
    /** @type {HTMLElement | null} */
    this.owner = null;
  }

  /** @param {HTMLElement} element */
  show(element) {
    const { tip } = this;
    if (!tip.isConnected) document.body.append(tip);
    this.hide();
    this.owner = element;
    tip.textContent = element.dataset.tip ?? '';
    tip.hidden = false;
    element.setAttribute('aria-describedby', 'sv-tip');
    const box = element.getBoundingClientRect();
    const middle = Math.max(8, box.left + box.width / 2 - tip.offsetWidth / 2);
    const above = box.top - tip.offsetHeight - 8;
    tip.style.left = `${Math.min(middle, innerWidth - tip.offsetWidth - 8)}px`;
    tip.style.top = `${above > 8 ? above : box.bottom + 8}px`;
  }

  hide() {
    this.owner?.removeAttribute('aria-describedby');
    this.owner = null;
    this.tip.hidden = true;
  }

  /** @param {Event} event */
  follow(event) {
    const element = closest(event.target, '[data-tip]');
    if (element) this.show(element);
    else if (this.owner) this.hide();
  }
}

/** Show tooltips from now on. */
export function installTooltip() {
  const tooltip = new Tooltip();
  for (const name of ['pointerover', 'focusin']) document.addEventListener(name, (event) => tooltip.follow(event));
  document.addEventListener('focusout', () => tooltip.hide());
  document.addEventListener('scroll', () => tooltip.hide(), true);
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') tooltip.hide();
  });
}
