/* The comparison of pinned nodes, side by side. */
(() => {
  'use strict';
  const { el } = window.specviz;

  /** Cards for up to two nodes. `ongo(scene key)` leads to a step, `onunpin(node)` lets a node go. */
  window.specviz.pinBoard = ({ ongo, onunpin }) => {
    const cards = el('div', { class: 'sv-cards' });
    const element = el('section', { class: 'sv-pins', 'aria-label': 'Pinned nodes', hidden: true }, cards);

    function card(record, at, { path, outcome, rows, formula }) {
      const facts = [
        ['Path', path],
        ['Draft probability', record.draft || 'drawn from the target'],
        ['Target probability', record.target || 'not in the record'],
        ['Position id', record.position],
        ['Mask row', record.row === null ? 'not sent to the target' : `${record.row + 1} of ${rows}`],
      ];
      const so = el('dd', { 'data-fact': 'outcome' }, outcome);
      return el('article', { class: 'sv-card', 'data-node': record.node, 'aria-label': `Pin ${at + 1}` },
        el('header', {}, el('b', { class: 'sv-number' }, at + 1), el('strong', {}, `“${record.label}”`), el('span', {}, `node ${record.node}`),
          el('button', { type: 'button', class: 'sv-quiet', 'aria-label': `Unpin “${record.label}”`, 'data-tip': 'Unpin', onclick: () => onunpin(record.node) }, '×')),
        el('dl', {}, facts.map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, String(value)))), el('div', {}, el('dt', {}, 'Outcome so far'), so)),
        el('p', { class: 'sv-formula', 'data-fact': 'formula', hidden: !formula }, formula),
        record.scene ? el('button', { type: 'button', class: 'sv-go', onclick: () => ongo(record.scene) }, 'Go to the step that judges it') : el('p', { class: 'sv-never' }, 'No decision judges it.'));
    }
    let shown = [];
    return {
      element,
      /** Show records; `say(record)` gives {path, outcome, rows, formula} of one at the present step. Cards stay while their records do. */
      show(records, say) {
        element.hidden = records.length === 0;
        const same = records.length === shown.length && records.every((record, at) => record === shown[at]);
        shown = [...records];
        if (same) {
          return [...cards.children].forEach((one, at) => {
            const now = say(records[at]);
            const [outcome, formula] = ['outcome', 'formula'].map((fact) => one.querySelector(`[data-fact="${fact}"]`));
            outcome.textContent = now.outcome;
            formula.textContent = now.formula;
            formula.hidden = !now.formula;
          });
        }
        cards.replaceChildren(...records.map((record, at) => card(record, at, say(record))));
      },
    };
  };
})();
