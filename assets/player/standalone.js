/* An exported file: the player around data that stands in the file itself. `specviz.standalone[kind](root, data)` shows
   a kind of document; the frame around it (heading, theme, note) is the same for all. */
(() => {
  'use strict';
  const specviz = window.specviz;
  const { el } = specviz;
  const ABOUT = 'This file holds recorded steps and shows nothing else: no model runs in it, and it asks nothing of any server.';
  const kinds = (specviz.standalone = specviz.standalone || {});

  function themeButton() {
    const button = el('button', { type: 'button', class: 'sv-quiet', onclick: () => {
      document.body.classList.toggle('dark');
      name();
      specviz.publish('dark', specviz.isDark());
    } });
    const name = () => { button.textContent = specviz.isDark() ? '☀ Light' : '☾ Dark'; };
    name();
    return button;
  }

  /** Show a document: {kind, glossary, data}; data brings a title and a note on where others come from. */
  specviz.open = (root, { kind, glossary, data }) => {
    document.body.classList.toggle('dark', window.matchMedia('(prefers-color-scheme: dark)').matches);
    specviz.publish('glossary', glossary);
    specviz.publish('dark', specviz.isDark());
    const stage = el('div', {});
    root.replaceChildren(
      el('header', { class: 'sv-cover' }, el('h1', {}, data.title), themeButton()),
      el('main', { class: 'sv-page' }, stage, el('p', { class: 'sv-note' }, ABOUT, data.note ? ` ${data.note}` : '')));
    kinds[kind](stage, data);
  };

  /** One recorded step: {light, dark: payloads, at: scene key, pins: nodes}. */
  kinds.step = (root, data) => {
    const stage = el('div', {});
    const player = specviz.player(stage);
    const steps = data.light.scenes.map(({ title, sentence, formula }) => el('li', {}, el('h3', {}, title), el('p', {}, sentence), formula ? el('p', { class: 'sv-formula' }, formula) : null));
    root.replaceChildren(stage, el('section', { class: 'sv-printed' }, el('h2', {}, 'All steps'), el('ol', {}, steps)));
    const payload = () => (specviz.isDark() ? data.dark : data.light);
    player.load(payload(), data.at || 0);
    player.pin(data.pins || []);
    specviz.subscribe('dark', () => { if (player.scene()) player.load(payload(), player.scene().key); });
  };
})();
