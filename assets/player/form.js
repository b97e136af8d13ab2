/* What to race: the prompt, examples, options of all lanes, Run and Stop. Fields come from the catalog's option records. */
(() => {
  'use strict';
  const specviz = window.specviz;
  const { el } = specviz;

  const show = (value) => (value === null || value === undefined ? '' : String(value)); // lists: comma-separated

  function control(option, id) {
    const common = { id, 'aria-describedby': `${id}-help` };
    if (option.kind === 'flag') return el('input', { ...common, type: 'checkbox', checked: Boolean(option.default) });
    if (option.kind === 'choice')
      return el('select', common, (option.optional ? [null, ...option.choices] : option.choices).map((choice) =>
        el('option', { value: show(choice), selected: choice === option.default }, choice ?? 'off')));
    const words = (option.choices || []).filter((choice) => typeof choice === 'string');
    const list = words.length ? el('datalist', { id: `${id}-list` }, words.map((word) => el('option', { value: word }))) : null;
    const several = option.kind === 'integers';
    const input = el('input', { ...common, type: words.length || several ? 'text' : 'number', inputmode: several ? 'text' : 'decimal', 'data-list': several, value: show(option.default),
      min: option.low, max: option.high, step: option.kind === 'integer' ? 1 : 'any', placeholder: option.optional ? 'off' : null,
      list: list ? list.id : null, autocomplete: 'off' });
    return list ? [input, list] : input;
  }

  /** One labelled field; `usedBy`: choices of other fields that it matters for; read() gives its value, or what was typed where that is no number (the server says what is wrong). */
  specviz.optionField = (option, where) => {
    const id = `sv-${where}-${option.name}`;
    const parts = [control(option, id)].flat();
    const input = parts[0];
    const help = [option.help, option.optional && option.kind !== 'choice' ? 'Leave empty to switch it off.' : ''].join(' ').trim();
    const element = el('div', { class: 'sv-field', 'data-tip': help || null, 'data-field': `${where}-${option.name}` },
      el('label', { for: id }, option.label || option.name), parts, el('span', { id: `${id}-help`, hidden: true }, help));
    return {
      name: option.name,
      usedBy: option.used_by,
      element,
      read() {
        if (option.kind === 'flag') return input.checked;
        const text = input.value.trim();
        if (option.kind === 'choice') return option.choices.find((choice) => show(choice) === text) ?? (text || null);
        if (option.kind === 'integers') return text;
        if (text === '') return option.optional ? null : '';
        return Number.isFinite(Number(text)) ? Number(text) : text;
      },
      write(value) { if (option.kind === 'flag') input.checked = Boolean(value); else input.value = show(value); },
    };
  };

  /** The form above the lanes. `read()` and `write()` handle {prompt, shared, max_new_tokens, seed}. */
  specviz.form = (setup, { onrun, onstop }) => {
    const shared = setup.shared.map((option) => specviz.optionField(option, 'shared'));
    const plain = setup.numbers.map((option) => specviz.optionField(option, 'form'));
    const count = el('span', { class: 'sv-count', 'aria-live': 'polite' });
    const prompt = el('textarea', { id: 'sv-prompt', rows: 2, spellcheck: 'false', dir: 'auto', placeholder: 'Type the beginning of a text …',
      'aria-describedby': 'sv-alert', oninput: measure, onkeydown: (event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); onrun(); }
      } }, '');
    function measure() {
      const over = prompt.value.length > setup.limits.prompt;
      count.textContent = prompt.value.length > 0.8 * setup.limits.prompt
        ? `${prompt.value.length.toLocaleString('en')} of ${setup.limits.prompt.toLocaleString('en')} characters` : '';
      count.classList.toggle('over', over);
    }
    const run = el('button', { type: 'button', class: 'sv-run', onclick: onrun }, 'Run the race');
    const stop = el('button', { type: 'button', class: 'sv-stop', hidden: true, onclick: onstop }, 'Stop');
    const examples = setup.examples.map(({ label, prompt: text }) =>
      el('button', { type: 'button', class: 'sv-chip', onclick: () => { prompt.value = text; measure(); prompt.focus(); } }, label));
    const element = el('form', { class: 'sv-form', onsubmit: (event) => event.preventDefault() },
      el('div', { class: 'sv-prompt', 'data-field': 'prompt' },
        el('label', { for: 'sv-prompt', class: 'sv-hidden' }, 'Prompt'), prompt, count),
      el('div', { class: 'sv-actions' }, run, stop),
      el('div', { class: 'sv-settle' },
        el('div', { class: 'sv-examples', role: 'group', 'aria-label': 'Example prompts' }, examples),
        el('div', { class: 'sv-shared', role: 'group', 'aria-label': 'Options of all lanes' }, [...shared, ...plain].map((field) => field.element))));
    return {
      element,
      read: () => ({
        prompt: prompt.value,
        shared: Object.fromEntries(shared.map((field) => [field.name, field.read()])),
        ...Object.fromEntries(plain.map((field) => [field.name, field.read()])),
      }),
      write(form) {
        if (typeof form.prompt === 'string') prompt.value = form.prompt;
        for (const field of shared) if (form.shared && field.name in form.shared) field.write(form.shared[field.name]);
        for (const field of plain) if (form[field.name] !== undefined) field.write(form[field.name]);
        measure();
      },
      /** Run or Stop, one in place of the other: the focus stays there. */
      running(on) {
        const focused = [run, stop].includes(document.activeElement);
        run.hidden = on;
        stop.hidden = !on;
        if (focused) (on ? stop : run).focus();
      },
    };
  };
})();
