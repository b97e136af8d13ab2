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

  /** A button that opens the glossary; one dialog serves the whole page. */
  specviz.glossaryButton = (glossary) => {
    const terms = Object.entries(glossary).sort(([a], [b]) => a.localeCompare(b, 'en'));
    const find = el('input', { type: 'text', role: 'searchbox', placeholder: 'Find a word', 'aria-label': 'Find a word', oninput: () => {
      const wanted = find.value.trim().toLowerCase();
      for (const entry of list.children) entry.hidden = !entry.textContent.toLowerCase().includes(wanted);
    } });
    const list = el('dl', {}, terms.map(([term, about]) => el('div', {}, el('dt', {}, term), el('dd', {}, about))));
    const keys = el('dl', { class: 'sv-keys' }, KEYS.map(([key, about]) => el('div', {}, el('dt', {}, key.split(' ').map((one) => el('kbd', {}, one))), el('dd', {}, about))));
    const dialog = el('dialog', { class: 'sv-glossary', 'aria-labelledby': 'sv-glossary-title' },
      el('div', { class: 'sv-glossary-head' }, el('h2', { id: 'sv-glossary-title' }, 'Words'), find,
        el('button', { type: 'button', class: 'sv-quiet', 'aria-label': 'Close', onclick: () => dialog.close() }, '✕')),
      el('div', { class: 'sv-glossary-body', tabindex: 0, role: 'group', 'aria-label': 'Words and keys' }, list, el('h2', {}, 'Keys'), keys));
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
