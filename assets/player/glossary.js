/* The words and the keys, in a dialog: opened by its button or by "?", closed by Escape. */
(() => {
  'use strict';
  const specviz = window.specviz;
  const { el } = specviz;

  const KEYS = [
    ['← →', 'step back, step forward (in the player, in a lesson)'],
    ['Home End', 'first step, last step'],
    ['Space', 'play, pause'],
    ['Enter', 'pin a token, or let it go; look into a token of a race'],
    ['Escape', 'close, unpin'],
    ['Ctrl Enter', 'run the race, while writing the prompt'],
    ['?', 'this list'],
  ];
  const IN_CLASS = [ // to be added to the address of any page; the parts are named in each island
    ['&present=1', 'large type for a projector, as the Present button makes it'],
    ['&hide=form', 'takes parts of the page away, several with commas; among them header, intro, form, legend, verdict, share, save, replay, judge, text, chooser'],
  ];

  /** A button that opens the glossary; one dialog serves the whole page. */
  specviz.glossaryButton = (glossary) => {
    const terms = Object.entries(glossary).sort(([a], [b]) => a.localeCompare(b, 'en'));
    const find = el('input', { type: 'text', role: 'searchbox', placeholder: 'Find a word', 'aria-label': 'Find a word', oninput: () => {
      const wanted = find.value.trim().toLowerCase();
      for (const entry of list.children) entry.hidden = !entry.textContent.toLowerCase().includes(wanted);
    } });
    const list = el('dl', {}, terms.map(([term, about]) => el('div', {}, el('dt', {}, term), el('dd', {}, about))));
    const keys = el('dl', { class: 'sv-keys' }, KEYS.map(([key, about]) => el('div', {}, el('dt', {}, key.split(' ').map((one) => el('kbd', {}, one))), el('dd', {}, about))));
    const inClass = el('dl', { class: 'sv-keys' }, IN_CLASS.map(([key, about]) => el('div', {}, el('dt', {}, el('kbd', {}, key)), el('dd', {}, about))));
    const dialog = el('dialog', { class: 'sv-glossary', 'aria-labelledby': 'sv-glossary-title' },
      el('div', { class: 'sv-glossary-head' }, el('h2', { id: 'sv-glossary-title' }, 'Words'), find,
        el('button', { type: 'button', class: 'sv-quiet', 'aria-label': 'Close', onclick: () => dialog.close() }, '✕')),
      el('div', { class: 'sv-glossary-body', tabindex: 0, role: 'group', 'aria-label': 'Words and keys' }, list, el('h2', {}, 'Keys'), keys, el('h2', {}, 'In class: add to the address'), inClass));
    dialog.addEventListener('click', (event) => { if (event.target === dialog) dialog.close(); });
    const open = () => { find.value = ''; find.dispatchEvent(new Event('input')); dialog.showModal(); };
    document.addEventListener('keydown', (event) => {
      const typing = event.target instanceof Element && event.target.closest('input, textarea, select, [contenteditable]');
      if (event.key === '?' && !typing && !event.ctrlKey && !event.metaKey && !event.altKey && !dialog.open) { event.preventDefault(); open(); }
    });
    const button = el('button', { type: 'button', class: 'sv-quiet', 'aria-haspopup': 'dialog', 'data-tip': 'What the words mean, and the keys', onclick: open }, 'Words');
    return [button, dialog];
  };
})();
