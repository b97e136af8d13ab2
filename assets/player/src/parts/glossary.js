/* The keys and the words, in a dialog: opened by its button or by "?", closed by Escape. */
import { closest, el, pushButton } from '../base/dom.js';

const KEYS = [
  ['← →', 'step back, step forward (in the player, in a lesson)'],
  ['Home End', 'first step, last step'],
  ['Space', 'play, pause'],
  ['A R', 'the next guess that is accepted, rejected'],
  ['M', 'the attention mask, large or in its corner'],
  ['Enter', 'pin a token, or let it go; look into a token of a race'],
  ['← → ↑ ↓', 'on a guess of the draft tree: to the one beside it'],
  ['Escape', 'close, unpin'],
  ['Ctrl Enter', 'run the race, while writing the prompt'],
  ['F', 'follow the class again'],
  ['?', 'this list'],
];
// as named in each island
const PARTS = 'header, intro, form, legend, verdict, share, save, replay, judge, text, chooser';
const IN_CLASS = [
  ['&present=1', 'large type for a projector, as the Present button makes it'],
  ['&hide=form', `takes parts of the page away, as the Hide button does; several with commas; among them ${PARTS}`],
];

/** @param {string[]} keys @param {string} about */
const entry = (keys, about) =>
  el(
    'div',
    {},
    el(
      'dt',
      {},
      keys.map((one) => el('kbd', {}, one)),
    ),
    el('dd', {}, about),
  );

/** @param {Record<string, string>} glossary */
function wordList(glossary) {
  const terms = Object.entries(glossary).sort(([a], [b]) => a.localeCompare(b, 'en'));
  return el(
    'dl',
    {},
    terms.map(([term, about]) => el('div', {}, el('dt', {}, term), el('dd', {}, about))),
  );
}

/**
 * A field that hides the words that do not fit, and all but words.
 * @param {HTMLElement} list @param {HTMLElement[]} others
 */
function finder(list, others) {
  const find = el('input', {
    type: 'text',
    role: 'searchbox',
    placeholder: 'Find a word',
    'aria-label': 'Find a word',
    oninput: () => {
      const wanted = find.value.trim().toLowerCase();
      for (const one of others) one.hidden = wanted !== '';
      for (const one of list.querySelectorAll('div')) {
        one.hidden = !(one.textContent ?? '').toLowerCase().includes(wanted);
      }
    },
  });
  return find;
}

/** @param {Record<string, string>} glossary */
function glossaryDialog(glossary) {
  const list = wordList(glossary);
  /** @param {string} title @param {HTMLElement[]} entries */
  const section = (title, entries) => el('section', {}, el('h2', {}, title), el('dl', { class: 'sv-keys' }, entries));
  const keys = section(
    'Keys',
    KEYS.map(([key, about]) => entry(key.split(' '), about)),
  );
  const inClass = section(
    'In class: add to the address',
    IN_CLASS.map(([key, about]) => entry([key], about)),
  );
  const find = finder(list, [keys, inClass]);
  const close = pushButton('✕', () => void dialog.close(), { class: 'sv-quiet', 'aria-label': 'Close' });
  const body = el(
    'div',
    { class: 'sv-glossary-body', tabindex: 0, role: 'group', 'aria-label': 'Keys and words' },
    keys,
    el('h2', {}, 'Words'),
    list,
    inClass,
  );
  const head = el(
    'div',
    { class: 'sv-glossary-head' },
    el('h2', { id: 'sv-glossary-title' }, 'Keys and words'),
    find,
    close,
  );
  const dialog = el('dialog', { class: 'sv-glossary', 'aria-labelledby': 'sv-glossary-title' }, head, body);
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  return { dialog, find };
}

/** A button that opens the glossary; one dialog serves the whole page. @param {Record<string, string>} glossary */
export function glossaryButton(glossary) {
  const { dialog, find } = glossaryDialog(glossary);
  const open = () => {
    find.value = '';
    find.dispatchEvent(new Event('input'));
    dialog.showModal();
  };
  document.addEventListener('keydown', (event) => {
    const typing = closest(event.target, 'input, textarea, select, [contenteditable]');
    if (event.key !== '?' || typing || event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
    event.preventDefault();
    open();
  });
  const about = { 'aria-haspopup': 'dialog', 'data-tip': 'The keys, and what the words mean' };
  return [pushButton('Words', open, { class: 'sv-quiet', ...about }), dialog];
}
