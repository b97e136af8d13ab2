/* The table of verdicts: one row a verifier, filled one by one, two of them chosen by radio buttons. */
(() => {
  'use strict';
  const specviz = window.specviz;
  const { el, svg } = specviz;

  const COLUMNS = [
    ['Show', 'Show this rule in the forest.'],
    ['Compare', 'Set this rule beside the one that is shown.'],
    ['Rule', 'What decides which guesses are kept.'],
    ['With these coins', 'The tokens that come out with the coins of this draw: kept guesses, then one more token.'],
    ['Guesses kept', 'How many guesses are kept on average, over all coins: exact, nothing is sampled.'],
    ['Tokens per target call', 'How many tokens one target call gives on average, over all coins: kept guesses and the token after them.'],
    ['How many it keeps', 'How often it keeps none, one, two … of the guesses, over all coins.'],
    ['First token', 'How far the distribution of the first token is from the target’s own, as total variation: 0 is the same distribution.'],
  ];
  const WIDTHS = ['58px', '76px', 'auto', '27%', '96px', '106px', '124px', '112px'];
  const number = (value) => (value === 0 ? '0' : value.toFixed(2));
  const share = (value) => (value > 1e-7 && value < 0.005 ? '<1%' : `${Math.round(100 * value)}%`);
  const marked = (piece) => specviz.visible(piece).map(([text, isMark]) => (isMark ? el('i', { class: isMark === 'space' ? 'space' : 'mark' }, text) : text));

  /** How often it keeps 0, 1, 2 ... guesses: small bars. */
  function bars(lengths) {
    const label = lengths.map((probability, at) => [probability, at]).filter(([probability]) => probability > 1e-7).map(([probability, at]) => `${at}: ${share(probability)}`).join(', ');
    const width = 17;
    return svg('svg', { class: 'sv-lengths', role: 'img', 'aria-label': `Guesses kept: ${label}`, width: width * lengths.length, height: 46, viewBox: `0 0 ${width * lengths.length} 46` },
      lengths.map((probability, at) => svg('g', {},
        svg('rect', { class: 'room', x: at * width + 1, y: 0, width: width - 3, height: 32 }),
        svg('rect', { class: 'bar', x: at * width + 1, y: 32 * (1 - probability), width: width - 3, height: 32 * probability }),
        svg('text', { x: at * width + width / 2 - 0.5, y: 44 }, at))));
  }

  /** A slider for one option of a rule. */
  function dial(option, verifier, value, onchange) {
    const out = el('output', {}, String(value));
    const high = Math.min(option.high, option.name === 'rollback' ? 10 : option.high);
    let timer = null;
    const range = el('input', { type: 'range', min: option.low, max: high, step: 0.01, value, 'aria-label': `${option.label} of ${verifier}`, oninput: () => {
      out.textContent = range.value;
      clearTimeout(timer);
      timer = setTimeout(() => onchange(option.name, Number(range.value)), 150);
    } });
    return el('label', { class: 'sv-dialled', 'data-tip': option.help, 'data-part': 'options' }, el('span', {}, option.label), range, out);
  }

  function head() {
    return el('thead', {}, el('tr', {}, COLUMNS.map(([title, help]) => el('th', { scope: 'col' }, el('span', { tabindex: 0, 'data-tip': help }, title)))));
  }

  /** The table. `onpick('a' | 'b', name)`, `onoption(name, option, value)`; build(rows, state), fill(name, answer), picked(a, b). */
  specviz.verdictTable = ({ onpick, onoption }) => {
    const element = el('table', { class: 'sv-verdicts' }, el('caption', { class: 'sv-hidden' }, 'What each verifier keeps of the same forest'),
      el('colgroup', {}, WIDTHS.map((width) => el('col', { style: { width } }))), head());
    const bodies = (...lines) => { for (const old of element.querySelectorAll('tbody')) old.remove(); element.append(...lines); };
    let lines = new Map();
    const cell = (at, ...children) => el('td', { 'data-label': COLUMNS[at][0] }, ...children);
    const radio = (which, row) => el('input', { type: 'radio', name: `sv-forest-${which}`, value: row.name, disabled: Boolean(row.refused),
      'aria-label': `${which === 'a' ? 'Show' : 'Compare with'} ${row.title}`, onchange: () => onpick(which, row.name) });

    /** The guarantee meter of the method that is this pairing; where there is none, the guarantee in a word. */
    function guarantee(row, answer, options) {
      if (row.method) return specviz.meter(row.method, { options, guarantee: answer.guarantee });
      return el('span', { class: `sv-guarantee${answer.guarantee.exact ? ' exact' : ''}`, tabindex: 0, 'data-tip': answer.guarantee.help }, answer.guarantee.name);
    }
    function build(rows, options) {
      lines = new Map();
      bodies(...rows.map((row) => {
        const badge = el('span', { class: 'sv-badges' });
        const dials = row.options.map((option) => dial(option, row.title, (options[row.name] || {})[option.name] ?? option.default, (name, value) => onoption(row.name, name, value)));
        const cells = [3, 4, 5, 6, 7].map((at) => cell(at));
        const radios = { a: radio('a', row), b: radio('b', row) };
        const line = el('tbody', { 'data-verifier': row.name, class: row.refused ? 'refused' : '', onclick: (event) => {
          if (row.refused || event.target.closest('input, label, a, button, [data-tip]')) return;
          radios.a.checked = true;
          onpick('a', row.name);
        } }, el('tr', {}, cell(0, radios.a), cell(1, radios.b), el('th', { scope: 'rowgroup' }, el('b', {}, row.title), ' ', badge),
          row.refused ? el('td', { colspan: 5, class: 'sv-reason' }, row.refused) : cells),
        el('tr', { class: 'sv-rule' }, el('td', { colspan: 2 }), el('td', { colspan: 6 }, el('p', {}, specviz.explained(row.rule)), row.refused ? null : dials)));
        lines.set(row.name, { row, line, badge, cells, radios });
        return line;
      }));
    }
    /** A row's numbers, or why there are none; `options`: those set for it. */
    function fill(name, answer, options) {
      const { row, line, badge, cells } = lines.get(name);
      line.classList.remove('waiting');
      const says = answer.error ? '' : JSON.stringify([answer.guarantee.name, options]);
      if (badge.dataset.says !== says) badge.replaceChildren(...(says ? [guarantee(row, answer, options)] : []));
      badge.dataset.says = says;
      if (answer.error) {
        cells.forEach((one) => one.replaceChildren());
        cells[0].replaceChildren(el('span', { class: 'sv-reason' }, answer.error));
        return;
      }
      const away = answer.distance;
      cells[0].replaceChildren(el('span', { class: 'sv-out', 'aria-label': answer.words }, answer.emitted.map(({ piece, origin }) => el('span', { class: `sv-token ${origin}` }, marked(piece)))));
      cells[1].replaceChildren(el('b', {}, number(answer.accepted)), ` of ${answer.lengths.length - 1}`);
      cells[2].replaceChildren(el('b', {}, number(answer.tokens)));
      cells[3].replaceChildren(bars(answer.lengths));
      cells[4].replaceChildren(el('span', { tabindex: 0, 'data-tip': answer.distance_words }, away === null ? 'not known' : away < 1e-6 ? '= target' : `${number(away)} away`));
    }
    return {
      element, build, fill,
      wait(name) { lines.get(name).line.classList.add('waiting'); },
      picked(a, b) {
        for (const [name, { line, radios }] of lines) {
          radios.a.checked = name === a;
          radios.b.checked = name === b;
          line.classList.toggle('shown', name === a);
          line.classList.toggle('beside', name === b);
        }
      },
    };
  };
})();
