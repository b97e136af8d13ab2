/* One lane: its settings, its text with every token coloured by origin, its dials and its measured timeline. */
(() => {
  'use strict';
  const specviz = window.specviz;
  const { el, svg } = specviz;
  const HEIGHTS = { draft: [0.5, 0.5], target: [0, 1], verify: [0.75, 0.25] }; // top and height: phases differ in shape, too

  /** Method picker and options. read() gives {method, options}. */
  specviz.laneSettings = (setup, number, chosen, { onremove, onchange }) => {
    let fields = [];
    let result = null; // the view of what ran with these settings
    let told = null;
    const caption = el('p', { class: 'sv-caption' });
    const options = el('div', { class: 'sv-options', onchange: () => { relevant(); showGuarantee(result); } });
    const meter = el('span', { class: 'sv-lane-meter' });
    const more = el('details', { class: 'sv-more' }, el('summary', {}, 'Options'), options);
    const picker = el('select', { 'aria-label': `Lane ${number}: method`, onchange: () => { build({}); onchange(); } },
      setup.families.map((family) => el('optgroup', { label: family.title }, family.methods.map((name) => {
        const { title } = setup.methods.find((method) => method.name === name);
        return el('option', { value: name }, title);
      }))));
    function build(values) {
      const method = setup.methods.find(({ name }) => name === picker.value) || setup.methods[0];
      picker.value = method.name;
      caption.textContent = method.summary;
      fields = method.options.map((option) => specviz.optionField(option, `lane-${number}`));
      for (const field of fields) if (field.name in values) field.write(values[field.name]);
      options.replaceChildren(...fields.map((field) => field.element));
      relevant();
      showGuarantee(null);
      more.hidden = fields.length === 0;
    }
    /** Hide the fields that matter for other choices only. */
    function relevant() {
      const chosen = fields.map((field) => field.read());
      for (const { element: field, usedBy } of fields) field.hidden = usedBy.length > 0 && !usedBy.some((choice) => chosen.includes(choice));
    }
    const chosenOptions = () => Object.fromEntries(fields.filter((field) => !field.element.hidden).map((field) => [field.name, field.read()]));
    /** The guarantee meter: of the result, or of the method as it is set while there is none. */
    function showGuarantee(view) {
      result = view;
      const about = view ? { options: view.options, guarantee: view.guarantee } : { options: chosenOptions() };
      const key = JSON.stringify([picker.value, about]);
      if (told !== key) meter.replaceChildren(specviz.meter(picker.value, about));
      told = key;
    }
    const remove = el('button', { type: 'button', class: 'sv-quiet sv-remove', 'aria-label': `Remove lane ${number}`, onclick: onremove }, '×');
    const element = el('div', { class: 'sv-settings', 'data-field': `lane-${number}-method` },
      el('div', { class: 'sv-pick' }, el('span', { class: 'sv-number', 'aria-hidden': 'true' }, number), picker, remove),
      caption, el('div', { class: 'sv-badges' }, meter, more));
    picker.value = chosen.method;
    build(chosen.options || {});
    return {
      element,
      removable(on) { remove.hidden = !on; },
      method: () => picker.value,
      showGuarantee,
      read: () => ({ method: picker.value, options: chosenOptions() }),
    };
  };

  const marked = (piece) => specviz.visible(piece).map(([text, isMark]) => (isMark ? el('i', { class: isMark === 'space' ? 'space' : 'mark' }, text) : text));

  function tokenElement([piece, origin, iteration, logprob], words, beams) {
    const probability = logprob === null ? 'the target gives it no probability' : `target probability ${Number(Math.exp(logprob).toPrecision(2))}`;
    const name = piece.trim() === '' ? JSON.stringify(piece) : piece;
    return el('span', { class: `sv-token ${origin}`, role: 'button', tabindex: -1, 'data-iteration': iteration, dir: 'auto',
      'aria-label': `${name}, ${words[origin]}`,
      'data-tip': `${words[origin]} · ${beams ? 'settled in ' : ''}iteration ${iteration + 1} · ${probability} · click to look inside` },
      marked(piece));
  }

  /** What the likeliest beam says beyond the settled text; a click leads to the newest iteration. */
  const pendingElement = (view) => el('span', { class: 'sv-token pending', role: 'button', tabindex: -1, 'data-iteration': view.iterations - 1, dir: 'auto',
    'aria-label': `${view.pending.join('')}, not settled`,
    'data-tip': 'Not settled yet: the likeliest beam says this, and the beams still differ here. Click to look inside the newest iteration.' },
    view.pending.flatMap(marked));

  /** The results of a lane. update(view) appends what is new; axis(seconds) sets the common scale. */
  specviz.laneResult = (number, words, onopen) => {
    let shown = null;
    let tokens = 0;
    let segments = 0;
    const text = el('p', { class: 'sv-text', role: 'group', 'aria-label': `Text of lane ${number}: arrow keys walk its tokens, Enter looks inside` });
    const note = el('p', { class: 'sv-note' });
    const dials = el('dl', { class: 'sv-dials' });
    const drawing = svg('svg', { class: 'sv-track', viewBox: '0 0 1 1', preserveAspectRatio: 'none', role: 'img' });
    const clock = el('span', { class: 'sv-clock' });
    const element = el('div', { class: 'sv-result' }, note, text, dials,
      el('div', { class: 'sv-time' }, drawing, clock));

    /** Which of its iteration's tokens a token is; null for something else. */
    function positionOf(token) {
      const kin = [...text.querySelectorAll(`.sv-token:not(.pending)[data-iteration="${token.dataset.iteration}"]`)];
      return kin.includes(token) ? kin.indexOf(token) : null;
    }
    const open = (target) => { const at = target.closest('[data-iteration]'); if (at) onopen(Number(at.dataset.iteration), positionOf(at)); };
    text.addEventListener('click', (event) => open(event.target));
    drawing.addEventListener('click', (event) => open(event.target));
    text.addEventListener('keydown', (event) => {
      const here = event.target.closest('.sv-token');
      if (!here) return;
      const next = { ArrowRight: here.nextElementSibling, ArrowLeft: here.previousElementSibling, Home: text.firstElementChild, End: text.lastElementChild }[event.key];
      if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); open(here); }
      else if (next) { event.preventDefault(); here.tabIndex = -1; next.tabIndex = 0; next.focus(); }
    });
    const light = (event) => {
      const at = event.target instanceof Element ? event.target.closest('[data-iteration]') : null;
      for (const lit of element.querySelectorAll('.lit')) lit.classList.remove('lit');
      if (at && event.type !== 'pointerleave') for (const same of element.querySelectorAll(`[data-iteration="${at.dataset.iteration}"]`)) same.classList.add('lit');
    };
    for (const name of ['pointerover', 'pointerleave', 'focusin']) element.addEventListener(name, light);

    function grow(view) {
      const waiting = text.querySelector('.pending');
      if (waiting) waiting.remove();
      for (; tokens < view.tokens.length; tokens++) text.append(tokenElement(view.tokens[tokens], words, view.beams));
      if (view.pending.length) text.append(pendingElement(view));
      if (text.firstElementChild && !text.querySelector('[tabindex="0"]')) text.firstElementChild.tabIndex = 0;
      for (; segments < view.segments.length; segments++) {
        const [phase, start, end, iteration] = view.segments[segments];
        let group = drawing.lastElementChild;
        if (!group || group.dataset.iteration !== String(iteration))
          drawing.append((group = svg('g', { 'data-iteration': iteration, 'data-tip': '' })));
        const [y, height] = HEIGHTS[phase];
        group.append(svg('rect', { class: phase, x: start, y, width: Math.max(0, end - start), height }));
        group.dataset.tip = [group.dataset.tip || `iteration ${iteration + 1}`, `${phase} ${((end - start) * 1000).toFixed(1)} ms`].join(' · ');
      }
    }
    function showDials(view) {
      dials.replaceChildren(...view.dials.map((dial) => el('div', { class: 'sv-dial', tabindex: 0, 'data-tip': dial.help },
        el('dt', {}, dial.label), el('dd', {}, ...(dial.unit === '%' ? [`${dial.text} %`] : [dial.text, dial.unit ? el('small', {}, dial.unit) : null])))));
    }
    return {
      element,
      clear() { shown = null; tokens = 0; segments = 0; text.replaceChildren(); drawing.replaceChildren(); dials.replaceChildren(); note.textContent = ''; clock.textContent = ''; },
      update(run, view, stale) {
        const key = [run, view.method, JSON.stringify(view.options)].join();
        if (shown !== key || view.tokens.length < tokens) { this.clear(); shown = key; }
        note.textContent = stale ? `Result of ${view.title}: run the race to see the lane as it is set now.` : '';
        grow(view);
        showDials(view);
        clock.textContent = `${view.clock.toFixed(2)} s`;
        drawing.setAttribute('aria-label', `Timeline: ${view.iterations} iterations in ${view.clock.toFixed(2)} seconds of this lane's own clock`);
        element.classList.toggle('finished', view.finished);
      },
      axis(seconds, view) {
        drawing.setAttribute('viewBox', `0 0 ${seconds} 1`);
        clock.style.left = `${(100 * (view ? view.clock : 0)) / seconds}%`;
      },
    };
  };
})();
