/* Elements from plain data. Text only ever enters as text nodes, so nothing a model or a visitor wrote is read as
   markup. */

/**
 * @typedef {Node | string | number | false | null | undefined | readonly Child[]} Child
 * @typedef {string | number | boolean | null | undefined | ((event: any) => unknown) | Record<string, string>} Value
 * @typedef {Record<string, Value>} Attributes
 */

const PROPERTIES = new Set(['value', 'checked', 'disabled', 'hidden', 'open', 'selected']);
const SVG = 'http://www.w3.org/2000/svg';

/** @param {Element} element @param {string} name @param {Value} value */
function assign(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (typeof value === 'function') element.addEventListener(name.slice(2), value);
  else if (typeof value === 'object') {
    for (const [key, text] of Object.entries(value))
      /** @type {HTMLElement} */ (element).style.setProperty(key, text);
  } else if (PROPERTIES.has(name)) /** @type {any} */ (element)[name] = value;
  else element.setAttribute(name, value === true ? '' : String(value));
}

/** @param {readonly Child[]} children @returns {(Node | string)[]} */
function nodesOf(children) {
  return children.flatMap((child) => {
    if (child === null || child === undefined || child === false) return [];
    if (typeof child === 'object' && !(child instanceof Node)) return nodesOf(child);
    return [typeof child === 'number' ? String(child) : child];
  });
}

/**
 * @template {Element} Found
 * @param {Found} element
 * @param {Attributes} attributes
 * @param {readonly Child[]} children
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) assign(element, name, value);
  element.append(...nodesOf(children));
  return element;
}

/**
 * An element: el('button', {class: 'run', onclick: go}, 'Run'). Strings become text nodes.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} attributes
 * @param {...Child} children
 */
export function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/**
 * A button, a chip unless it is of another class: pushButton('Run', go, {class: 'sv-run'}).
 * @param {Child} words @param {((event: any) => unknown) | null} onclick @param {Attributes} [more]
 */
export const pushButton = (words, onclick, more = {}) =>
  el('button', { type: 'button', class: 'sv-chip', onclick, ...more }, words);

/**
 * The same for a drawing.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} attributes
 * @param {...Child} children
 */
export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/**
 * The nearest element around an event's target that fits; null where there is none.
 * @param {EventTarget | null} target
 * @param {string} selector
 * @returns {HTMLElement | null}
 */
export function closest(target, selector) {
  return target instanceof Element ? target.closest(selector) : null;
}
