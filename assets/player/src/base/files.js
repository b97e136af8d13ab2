/* Files that a reader saves. */
import { el } from './dom.js';

/** @import { FileAnswer } from '../payload.js' */

/** @type {Record<string, string>} */
const TYPES = {
  html: 'text/html',
  json: 'application/json',
  pdf: 'application/pdf',
  csv: 'text/csv',
  jsonl: 'application/jsonl',
  parquet: 'application/vnd.apache.parquet',
};

/**
 * Save text, bytes or a Blob as a file of the reader's.
 * @param {string} name
 * @param {string | Uint8Array<ArrayBuffer> | Blob} content
 * @param {string} [type]
 */
export function download(name, content, type = 'application/json') {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  el('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** @param {string} base64 */
export const bytesOf = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

/** A file that the server wrote. @param {FileAnswer} answer */
export function saveAnswer({ name, text = '', base64 }) {
  download(name, base64 === undefined ? text : bytesOf(base64), TYPES[name.split('.').pop() ?? '']);
}

/** @param {number} bytes */
export const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
