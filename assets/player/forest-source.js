/* Where a frozen forest comes from: a recorded step, chosen here, or one drafted by the server; and its part of the address. */
(() => {
  'use strict';
  const specviz = window.specviz;
  const { el } = specviz;

  const parse = (text) => (text === 'off' ? null : text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text);
  const write = (value) => (value === null ? 'off' : String(value));
  /** Names with a prefix, as an object. */
  const under = (query, prefix) => Object.fromEntries([...query].filter(([name]) => name.startsWith(prefix)).map(([name, text]) => [name.slice(prefix.length), parse(text)]));

  /** A race made here is made again by a link to it (`here`) while it is on screen; later the server alone has it. */
  const runOf = (run) => (/^[0-9a-f]{32}$/.test(run) && (specviz.latest('race') || {}).run === run ? 'here' : run);

  /** The state of the page as one parameter, and back; null where there is none. */
  specviz.forestLink = {
    read() {
      const text = specviz.link.get('forest');
      if (!text) return null;
      const query = new URLSearchParams(text.slice(0, 6000));
      const [lane, step, seed] = ['lane', 'step', 'seed'].map((name) => Math.max(0, Math.floor(Number(query.get(name)) || 0)));
      const options = {};
      for (const [name, value] of Object.entries(under(query, 'v.'))) {
        const [verifier, option] = name.split('.');
        options[verifier] = { ...options[verifier], [option]: value };
      }
      const source = query.has('drafter')
        ? { form: { prompt: query.get('prompt') || '', drafter: query.get('drafter'), options: under(query, 'o.'), seed: parse(query.get('dice') || '0') } }
        : { run: query.get('run') || '', lane, step, warp: under(query, 'w.') };
      return { source, seed, options, a: query.get('a'), b: query.get('b'), guesses: query.get('guesses') || query.get('law') };
    },
    write({ source, seed, options, a, b, guesses }) {
      const query = new URLSearchParams();
      if (source.form) {
        query.set('prompt', source.form.prompt);
        query.set('drafter', source.form.drafter);
        for (const [name, value] of Object.entries(source.form.options)) query.set(`o.${name}`, write(value));
        query.set('dice', String(source.form.seed));
      } else {
        query.set('run', runOf(source.run));
        query.set('lane', String(source.lane));
        query.set('step', String(source.step));
        for (const [name, value] of Object.entries(source.warp)) query.set(`w.${name}`, write(value));
      }
      query.set('seed', String(seed));
      query.set('a', a);
      query.set('b', b);
      if (guesses) query.set('guesses', guesses);
      for (const [verifier, values] of Object.entries(options))
        for (const [name, value] of Object.entries(values)) query.set(`v.${verifier}.${name}`, write(value));
      specviz.link.set({ forest: query.toString() });
    },
  };

  /** Which recorded step: a method, then one of its steps. `onchoose({run, lane, step})`. show(source, title, steps). */
  specviz.forestSteps = (setup, { onchoose }) => {
    const other = el('option', { value: '', hidden: true, disabled: true });
    const method = el('select', { id: 'sv-forest-method', onchange: () => {
      const one = setup.recorded.find(({ run }) => run === method.value);
      if (one) onchoose({ run: one.run, lane: 0, step: one.steps[0] });
    } }, other, setup.recorded.map(({ run, title }) => el('option', { value: run }, title)));
    const step = el('select', { 'aria-label': 'Recorded step', onchange: () => onchoose({ ...now, step: Number(step.value) }) });
    let now = null;
    const element = el('span', { class: 'sv-field sv-pick' }, el('label', { for: 'sv-forest-method' }, 'Forest of'), method, step);
    return {
      element,
      show(source, title, steps) {
        now = source;
        const listed = setup.recorded.some(({ run }) => run === source.run);
        other.textContent = title;
        method.value = listed ? source.run : '';
        step.hidden = !steps.length;
        step.replaceChildren(...steps.map((at) => el('option', { value: at, selected: at === source.step }, `step ${at + 1}`)));
      },
    };
  };

  /** The form of "Draft a new forest". `onsend(form)`; read, write, refuse({field, message}), busy(text | null). */
  specviz.forestForm = (setup, { onsend }) => {
    const prompt = el('textarea', { id: 'sv-forest-prompt', rows: 2, dir: 'auto', spellcheck: 'false', 'aria-describedby': 'sv-forest-wrong' });
    const about = el('p', { class: 'sv-caption' });
    const drafter = el('select', { id: 'sv-forest-drafter', onchange: relevant }, setup.drafters.map(({ name, about: text }) => el('option', { value: name }, `${name}: ${text}`)));
    const seed = { name: 'seed', label: 'Seed of the draft', kind: 'integer', default: 0, low: 0, high: setup.limits.seed, help: 'Starts the draft’s own dice: the same seed gives the same guesses again.', used_by: [] };
    const fields = [...setup.options, seed].map((option) => specviz.optionField(option, 'forest'));
    const send = el('button', { type: 'submit', class: 'sv-run' }, 'Draft it');
    const status = el('p', { class: 'sv-caption', role: 'status' });
    const wrong = el('p', { id: 'sv-forest-wrong', class: 'sv-alert', role: 'alert' });
    const examples = setup.examples.map(({ label, prompt: text }) => el('button', { type: 'button', class: 'sv-chip', onclick: () => { prompt.value = text; prompt.focus(); } }, label));
    const element = el('form', { class: 'sv-form sv-forest-form', 'data-part': 'draft', hidden: true, onsubmit: (event) => { event.preventDefault(); accept(); onsend(read()); } },
      el('div', { class: 'sv-prompt', 'data-field': 'prompt' }, el('label', { for: 'sv-forest-prompt', class: 'sv-caption' }, 'Text that the guesses continue'), prompt),
      el('div', { class: 'sv-actions' }, send),
      el('div', { class: 'sv-settle' },
        el('div', { class: 'sv-examples', role: 'group', 'aria-label': 'Example texts' }, examples),
        el('div', { class: 'sv-shared' }, el('span', { class: 'sv-field', 'data-field': 'forest-drafter' }, el('label', { for: 'sv-forest-drafter' }, 'Drafter'), drafter), fields.map((field) => field.element))),
      el('div', { class: 'sv-settle' }, status), wrong);

    function relevant() {
      for (const field of fields) field.element.hidden = field.usedBy.length > 0 && !field.usedBy.includes(drafter.value);
      about.textContent = '';
    }
    function read() {
      const shown = fields.filter((field) => !field.element.hidden && field.name !== 'seed');
      return { prompt: prompt.value, drafter: drafter.value, options: Object.fromEntries(shown.map((field) => [field.name, field.read()])), seed: fields.at(-1).read() };
    }
    function accept() {
      wrong.textContent = '';
      for (const one of element.querySelectorAll('[aria-invalid]')) one.removeAttribute('aria-invalid');
    }
    prompt.value = setup.examples[0].prompt;
    drafter.value = 'tree';
    relevant();
    return {
      element,
      read,
      write(form) {
        prompt.value = form.prompt;
        if (setup.drafters.some(({ name }) => name === form.drafter)) drafter.value = form.drafter;
        relevant();
        for (const field of fields) {
          if (field.name === 'seed') field.write(form.seed);
          else if (field.name in form.options) field.write(form.options[field.name]);
        }
      },
      refuse({ field, message }) {
        status.textContent = '';
        wrong.textContent = message;
        const at = element.querySelector(`[data-field="${CSS.escape(field)}"] :is(input, select, textarea)`);
        if (!at) return;
        at.setAttribute('aria-invalid', 'true');
        at.focus();
      },
      busy(text) { status.textContent = text || ''; send.disabled = Boolean(text); },
    };
  };
})();
