/* Links within the page: followed here, unless the reader wants another tab. */
import { el } from './dom.js';

/** @import { Attributes, Child } from './dom.js' */

/** Whether a click is followed here, not in another tab. @param {MouseEvent} event */
export function plainClick(event) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return false;
  event.preventDefault();
  return true;
}

/** @param {string} href @param {() => void} follow @param {Attributes} attributes @param {...Child} children */
export function pageLink(href, follow, attributes, ...children) {
  const onclick = (/** @type {MouseEvent} */ event) => plainClick(event) && follow();
  return el('a', { href, ...attributes, onclick }, ...children);
}

/** The address of a lesson. @param {string} lesson */
export const lessonAddress = (lesson) => `?view=lessons&lesson=${lesson}`;
