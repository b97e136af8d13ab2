/* The guarantee meter beside a method's name: how far the distribution of its text is from the one that it is
   compared with, on a scale from 0 (the same) to 1 (nothing in common). Two marks: the exact number on small
   models, and what runs on the real pair show. */
import { el, svg } from '../base/dom.js';
import { latest, subscribe } from '../base/shared.js';
import { placeOf, reading, sameData } from './meter-reading.js';

/**
 * @import { MeterEntry } from '../payload.js'
 * @import { Given, Reading } from './meter-reading.js'
 */

const TICKS = [0, 0.01, 0.1, 0.25, 0.5, 1];

/**
 * @param {MeterEntry['measured']} measured
 * @param {(distance: number) => number} x
 * @param {number} y
 * @param {number} r
 */
function measuredMark({ value, low, high }, x, y, r) {
  const whisker = high > low ? svg('line', { class: 'whisker', x1: x(low), x2: x(high), y1: y, y2: y }) : null;
  return [whisker, svg('circle', { class: 'measured', cx: x(value), cy: y, r })];
}

/**
 * The scale. `wide` has numbers on it.
 * @param {MeterEntry} entry
 * @param {{wide?: boolean, measured?: boolean, stale?: boolean}} options
 */
function scale(entry, { wide, measured, stale }) {
  const [width, height, edge] = wide ? [300, 46, 12] : [64, 16, 5];
  const x = (/** @type {number} */ distance) => edge + placeOf(distance) * (width - 2 * edge);
  const [top, middle, low] = wide ? [9, 16, 23] : [4.5, 8, 11.5];
  const mark = wide ? 6 : 4;
  const ticks = TICKS.map((tick) => [
    svg('line', { class: 'scale', x1: x(tick), x2: x(tick), y1: middle - 2, y2: middle + 2 }),
    wide ? svg('text', { x: x(tick), y: 43 }, String(tick).replace(/^0\./, '.')) : null,
  ]);
  const exact = `M${x(entry.exact)} ${middle} l${-mark} ${top - middle - mark / 2} h${2 * mark} z`;
  return svg(
    'svg',
    {
      class: `sv-meter-scale${stale ? ' stale' : ''}`,
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      'aria-hidden': 'true',
    },
    svg('line', { class: 'scale', x1: edge, x2: width - edge, y1: middle, y2: middle }),
    ticks,
    measured ? measuredMark(entry.measured, x, low, mark - 1) : null,
    svg('path', { class: 'exact', d: exact }),
  );
}

/** @param {SVGElement[]} shapes @param {string} text */
const keyEntry = (shapes, text) =>
  el('span', {}, svg('svg', { class: 'sv-meter-scale', viewBox: '0 0 14 14', width: 14, height: 14 }, shapes), text);

/** What the marks are. @param {Reading} read */
function keys(read) {
  const exact = svg('path', { class: 'exact', d: 'M7 12 l-5 -8 h10 z' });
  const whisker = svg('line', { class: 'whisker', x1: 0, x2: 14, y1: 7, y2: 7 });
  const measured = svg('circle', { class: 'measured', cx: 7, cy: 7, r: 4 });
  return el(
    'p',
    { class: 'sv-meter-keys' },
    keyEntry([exact], 'exact, on tiny models'),
    read.measured && keyEntry([whisker, measured], 'measured on this pair of models'),
  );
}

/** One popover for all meters: opens on hover, focus and tap, closes on Escape, and when anything else is pressed. */
class Popover {
  constructor() {
    this.element = el('div', { id: 'sv-meter-more', class: 'sv-meter-more', role: 'tooltip', hidden: true });
    /** @type {HTMLElement | null} */
    this.owner = null;
    this.closing = 0;
    this.element.addEventListener('pointerenter', () => clearTimeout(this.closing));
    this.element.addEventListener('pointerleave', () => this.closeSoon());
    this.element.addEventListener('focusin', () => clearTimeout(this.closing));
    this.element.addEventListener('focusout', () => this.closeSoon());
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.close();
    });
    const outside = (/** @type {Event} */ event) => {
      const target = /** @type {Node} */ (event.target);
      return this.owner && !this.element.contains(target) ? { owner: this.owner, target } : null;
    };
    document.addEventListener('pointerdown', (event) => {
      const found = outside(event);
      if (found && !found.owner.contains(found.target)) this.close();
    });
    document.addEventListener('scroll', (event) => outside(event) && this.place(), true);
    window.addEventListener('resize', () => this.place());
  }

  /** @param {HTMLElement} button @param {Reading} read */
  open(button, read) {
    clearTimeout(this.closing);
    if (this.owner === button) return;
    this.close();
    this.owner = button;
    const { element } = this;
    if (!element.isConnected) document.body.append(element);
    const said = [read.word, read.number].filter(Boolean).join(' ');
    element.replaceChildren(
      el('p', { class: 'sv-meter-title' }, [read.title, said].filter(Boolean).join(': ')),
      ...(read.entry ? [scale(read.entry, { ...read, wide: true }), keys(read)] : []),
      ...read.lines.map((line) => el('p', {}, line)),
    );
    element.dataset.exact = String(read.exact);
    element.hidden = false;
    button.setAttribute('aria-expanded', 'true');
    button.setAttribute('aria-describedby', element.id);
    this.place();
  }

  /** Beside its owner, or away with it. */
  place() {
    if (!this.owner) return;
    const { element } = this;
    const box = this.owner.getBoundingClientRect();
    if (box.bottom < 0 || box.top > window.innerHeight) {
      this.close();
      return;
    }
    const below = box.bottom + 6;
    const above = box.top - element.offsetHeight - 6;
    const fits = below + element.offsetHeight < window.innerHeight - 8;
    element.style.left = `${Math.min(Math.max(8, box.left), window.innerWidth - element.offsetWidth - 8)}px`;
    element.style.top = `${fits ? below : Math.max(8, above)}px`;
    element.tabIndex = element.scrollHeight > element.clientHeight ? 0 : -1; // what scrolls can be reached by keyboard
  }

  close() {
    clearTimeout(this.closing);
    this.owner?.setAttribute('aria-expanded', 'false');
    this.owner?.removeAttribute('aria-describedby');
    this.owner = null;
    this.element.hidden = true;
  }

  closeSoon() {
    clearTimeout(this.closing);
    this.closing = setTimeout(() => this.close(), 200);
  }
}

/** @type {Popover | null} */
let shared = null;
const popover = () => (shared ??= new Popover());

/** A method's meter, which fills itself as what is known of the method changes. */
class Meter {
  /** @param {string} name @param {Given} given */
  constructor(name, given) {
    this.name = name;
    this.given = given;
    /** @type {Reading | null} */
    this.read = null;
    this.pressed = false;
    this.button = el('button', { type: 'button', class: 'sv-meter', 'aria-expanded': 'false' });
    this.listen();
    this.fill();
  }

  listen() {
    const { button } = this;
    const more = popover();
    button.addEventListener('pointerenter', (event) => event.pointerType === 'mouse' && this.open());
    button.addEventListener('pointerleave', (event) => event.pointerType === 'mouse' && more.closeSoon());
    button.addEventListener('pointerdown', () => {
      this.pressed = true;
    });
    button.addEventListener('focus', () => {
      if (!this.pressed) this.open();
    });
    button.addEventListener('blur', () => more.closeSoon());
    button.addEventListener('keydown', (event) => {
      const down = { ArrowDown: 60, ArrowUp: -60 }[event.key];
      if (down && more.owner === button) {
        event.preventDefault();
        more.element.scrollBy(0, down);
      }
    });
    button.addEventListener('click', (event) => {
      const touched = /** @type {PointerEvent} */ (event).pointerType !== 'mouse';
      if (more.owner === button && touched) more.close();
      else this.open();
      this.pressed = false;
    });
  }

  open() {
    if (this.read) popover().open(this.button, this.read);
  }

  fill() {
    const { button } = this;
    const read = reading(this.name, this.given, latest('guarantees') || {}, latest('models')?.pair);
    if (sameData(read, this.read)) return;
    this.read = read;
    button.hidden = !read;
    if (!read) return;
    const said = [read.word, read.number].filter(Boolean).join(' ');
    const whose = read.title ? `, the guarantee of ${read.title}` : '';
    const how = read.entry && read.measured && !read.stale ? `. ${read.entry.says.short}` : '';
    button.dataset.exact = String(read.exact);
    button.setAttribute('aria-label', `${said}${whose}${how}`);
    button.replaceChildren(
      read.entry ? scale(read.entry, read) : '',
      el('span', { class: 'sv-guarantee' }, read.word),
      read.number ? el('span', {}, read.number) : '',
    );
    if (popover().owner !== button) return;
    popover().close();
    this.open(); // who is reading goes on, with what is known now
  }
}

/** @type {Set<WeakRef<HTMLElement>>} */
const buttons = new Set(); // weak references: a meter that left the page is forgotten
/** @type {WeakMap<HTMLElement, Meter>} */
const meters = new WeakMap();
function refill() {
  for (const known of buttons) {
    const button = known.deref();
    if (button) meters.get(button)?.fill();
    else buttons.delete(known);
  }
}

/**
 * A method's meter: meter('mtad', {options, guarantee}). Without either it tells about the default options.
 * @param {string} name
 * @param {Given} [given]
 */
export function meter(name, given = {}) {
  const made = new Meter(name, given);
  queueMicrotask(() => {
    const more = popover();
    if (more.owner && !more.owner.isConnected) more.close(); // this one replaces it
  });
  meters.set(made.button, made);
  buttons.add(new WeakRef(made.button));
  return made.button;
}
subscribe('guarantees', refill);
subscribe('models', refill);
