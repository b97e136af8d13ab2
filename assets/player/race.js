/* The race: settings on top, lanes on one measured axis below, the verdict in words. Whatever publishes 'show' with a race
   (the Library, a lesson) puts it here; every race on screen is published as 'race'. */
(() => {
  'use strict';
  const specviz = window.specviz;
  const { el } = specviz;

  const STATES = {
    recorded: 'Recorded race',
    opened: 'Opened runs',
    ready: 'Ready to run',
    waiting: 'Waiting for the device …',
    running: 'Running …',
    finished: 'Finished',
    stopped: 'Stopped',
  };
  const newRun = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

  /** Round tick marks of the common axis, from 0 to just after the slowest lane, in seconds. */
  function ticksFor(clock) {
    if (!(clock > 0)) return [0, 0.5, 1];
    const unit = 10 ** Math.floor(Math.log10(clock / 5));
    const step = [1, 2, 2.5, 5, 10].map((k) => k * unit).find((size) => size >= clock / 5);
    return Array.from({ length: Math.ceil((clock * 1.01) / step) + 1 }, (_, k) => k * step);
  }

  function legend(setup) {
    const token = ({ name, glyph, word, help }) => el('span', { class: 'sv-key', tabindex: 0, 'data-tip': help },
      el('i', { class: `sv-token ${name}`, 'aria-hidden': 'true' }, glyph), word);
    const phase = ({ name, word }) => el('span', { class: 'sv-key' }, el('i', { class: `sv-swatch ${name}`, 'aria-hidden': 'true' }), word);
    return el('div', { class: 'sv-legend', 'data-part': 'legend' },
      el('div', { role: 'group', 'aria-label': 'Where a token came from' }, el('b', {}, 'Tokens'), setup.legend.origins.map(token)),
      el('div', { role: 'group', 'aria-label': 'What the clock was spent on' }, el('b', {}, 'Time'), setup.legend.phases.map(phase)));
  }

  function axis() {
    const ticks = el('div', { class: 'sv-axis', 'aria-hidden': 'true' });
    return {
      element: ticks,
      draw(marks) {
        const end = marks[marks.length - 1];
        ticks.replaceChildren(...marks.map((mark) => el('span', { style: { left: `${(100 * mark) / end}%` } }, `${Number(mark.toPrecision(3))} s`)));
      },
    };
  }

  specviz.mount.race = (root, { props, watch, server, triggers }) => {
    const setup = JSON.parse(props.setup);
    const words = Object.fromEntries(setup.legend.origins.map(({ name, word }) => [name, word]));
    const link = specviz.link.read();
    let lanes = [];
    let sent = null; // the form of the run on its way
    let left = null; // a run that was under way when another race was shown
    let pending = link.form ? link.at : null;
    let recalled = 0;
    let heard = ''; // the last message
    const line = specviz.lifeline(lost);

    const alert = el('div', { id: 'sv-alert', class: 'sv-alert', role: 'alert' });
    const verdict = el('ul', {});
    const care = el('p', { class: 'sv-care', hidden: true });
    const summary = el('section', { class: 'sv-verdict', hidden: true, 'data-part': 'verdict' }, el('h2', {}, 'What this race showed'), care, verdict);
    const state = el('span', { class: 'sv-state', role: 'status' }, STATES.ready);
    const queuePosition = el('span', { class: 'sv-queue-position', 'aria-hidden': 'true', hidden: true });
    const said = el('blockquote', { class: 'sv-asked', dir: 'auto' });
    const deck = el('div', { class: 'sv-deck' });
    const scale = axis();
    scale.element.dataset.part = 'timeline';
    const form = specviz.form(setup, { onrun: run, onstop: stop });
    form.element.dataset.part = 'form';
    const add = el('button', { type: 'button', class: 'sv-chip', 'data-part': 'form', onclick: () => addLane({ method: setup.methods[0].name, options: {} }) }, '+ Add a lane');
    const intro = el('p', { class: 'sv-intro', 'data-part': 'intro' }, specviz.explained(setup.intro));
    const share = specviz.linkButton(() => specviz.go('library'));
    const results = el('section', { class: 'sv-results', 'aria-label': 'The race' },
      el('div', { class: 'sv-headline' }, queuePosition, state, share, legend(setup), said), deck,
      el('div', { class: 'sv-foot' }, add, scale.element), summary);
    root.replaceChildren(el('div', { class: 'sv-page' }, el('h1', { class: 'sv-hidden' }, 'Race'), intro, form.element, alert, results));

    function addLane(chosen) {
      lanes.push({ settings: chosen, result: null });
      buildDeck();
      recall();
    }
    /** While recorded lanes are on screen, they are those of the methods chosen. */
    async function recall() {
      const names = lanes.map(({ picker }) => picker.method());
      const turn = ++recalled;
      const shown = specviz.latest('race');
      if (sent || !setup.recorded || (shown && shown.state !== 'recorded')) return;
      let answer = null;
      try { answer = JSON.parse(await server.recorded(names)); } catch { /* the lanes stay as they are */ }
      if (!answer || sent || turn !== recalled) return;
      specviz.link.writeRecorded(names);
      draw(answer);
      specviz.publish('race', answer);
    }
    function buildDeck() {
      lanes = lanes.map((lane, index) => {
        const chosen = lane.picker ? lane.picker.read() : lane.settings;
        const picker = specviz.laneSettings(setup, index + 1, chosen, {
          onremove: () => { lanes.splice(index, 1); buildDeck(); recall(); },
          onchange: () => { redraw(); recall(); },
        });
        picker.removable(lanes.length > setup.limits.min_lanes);
        const result = specviz.laneResult(index + 1, words, (iteration, token) => open(index, iteration, token));
        for (const [part, where] of [['dials', '.sv-dials'], ['timeline', '.sv-time']]) result.element.querySelector(where).dataset.part = part;
        return { picker, result, pace: el('p', { class: 'sv-pace', 'data-part': 'verdict' }), settings: chosen };
      });
      deck.replaceChildren(...lanes.map(({ picker, result, pace }, index) =>
        el('article', { class: 'sv-lane', 'aria-label': `Lane ${index + 1}` }, picker.element, el('div', { class: 'sv-outcome' }, result.element, pace))));
      add.hidden = lanes.length >= setup.limits.max_lanes;
      redraw();
    }

    function open(lane, iteration, token) {
      specviz.go('microscope');
      specviz.publish('open', { lane, iteration, scene: null, token });
    }

    const read = () => ({ ...form.read(), lanes: lanes.map(({ picker }) => picker.read()) });

    function refuse({ field, message }) {
      alert.textContent = message;
      for (const marked of root.querySelectorAll('[aria-invalid]')) marked.removeAttribute('aria-invalid');
      for (const said of root.querySelectorAll('.sv-wrong')) said.remove();
      const holder = [...root.querySelectorAll('[data-field]')].find((element) => element.dataset.field === field);
      if (!holder) return;
      const lane = holder.closest('details');
      if (lane) lane.open = true;
      const input = holder.querySelector('textarea, input, select');
      input.setAttribute('aria-invalid', 'true');
      if (field.startsWith('lane-')) holder.append(el('small', { class: 'sv-wrong', 'aria-hidden': 'true' }, message)); // the alert may be out of sight
      input.focus();
    }
    function accept() {
      alert.textContent = '';
      for (const marked of root.querySelectorAll('[aria-invalid]')) marked.removeAttribute('aria-invalid');
      for (const said of root.querySelectorAll('.sv-wrong')) said.remove();
    }

    function run() {
      if (sent) return;
      const asked = read();
      if (asked.prompt.length > setup.limits.prompt)
        return refuse({ field: 'prompt', message: `The prompt has ${asked.prompt.length.toLocaleString('en')} characters; this page takes up to `
          + `${setup.limits.prompt.toLocaleString('en')}. Nothing was lost: shorten it and run again.` });
      if (lanes.length < setup.limits.min_lanes)
        return refuse({ field: 'lane-1-method', message: `A race has at least ${setup.limits.min_lanes} lanes: add one below, then run.` });
      accept();
      sent = { ...asked, run: newRun() };
      form.running(true);
      tell(STATES.waiting, 'waiting');
      triggers.run(sent);
      line.wait();
    }
    function lost() {
      settle();
      tell('Broken off', 'stopped');
      alert.textContent = 'The server does not answer any more, so this race is broken off. What you typed is still here: run again once the server is back.';
    }
    function stop() {
      if (!sent) return;
      tell('Stopping …', 'waiting');
      const { run: stopped } = sent;
      server.stop(stopped).catch(() => {});
      setTimeout(() => { if (sent && sent.run === stopped) { settle(); tell(STATES.stopped, 'stopped'); } }, 6000);
    }
    function settle() {
      sent = null;
      line.rest();
      form.running(false);
    }

    function draw(race) {
      const seconds = Math.max(0, ...race.lanes.map((lane) => (lane ? lane.clock : 0)));
      const marks = ticksFor(seconds);
      lanes.forEach(({ picker, result, pace }, index) => {
        const view = race.lanes[index];
        if (view) result.update(race.run, view, picker.method() !== view.method); else result.clear();
        picker.showGuarantee(view && picker.method() === view.method ? view : null);
        result.axis(marks[marks.length - 1], view);
        showPace(pace, view && view.pace);
      });
      scale.draw(marks);
      tell(race.note || STATES[race.state] + (race.state === 'running' && seconds ? ` ${seconds.toFixed(1)} s` : ''), race.state);
      const asked = race.prompt || '';
      said.textContent = asked === form.read().prompt ? '' : asked;
      summary.hidden = race.verdict.length === 0;
      care.hidden = !race.care;
      care.textContent = race.care || '';
      verdict.replaceChildren(...race.verdict.map((sentence) => el('li', {}, specviz.explained(sentence))));
    }
    function showPace(element, pace) {
      element.hidden = !pace;
      if (!pace) return;
      element.classList.toggle('slower', pace.slower);
      element.replaceChildren(el('b', { 'aria-hidden': 'true' }, pace.slower ? '▼ ' : '▲ '), ...specviz.explained(pace.text));
    }
    /** Where the race stands; `ahead`: how many races are before this one. */
    function tell(text, which, ahead) {
      state.textContent = text;
      state.dataset.state = which;
      queuePosition.hidden = !ahead;
      queuePosition.textContent = ahead ? `${ahead} ahead` : '';
    }
    function redraw() {
      const race = specviz.latest('race');
      if (race) draw(race);
    }

    function receive() {
      if (!props.value) return;
      const message = JSON.parse(props.value);
      if (sent && props.value !== heard) line.wait();
      heard = props.value;
      if (message.form && (message.form === left || (sent && message.form !== sent.run))) return;
      if (message.kind === 'refused') { settle(); tell(STATES.ready, 'ready'); refuse(message); redraw(); return; }
      if (message.kind === 'waiting') { tell(message.text, 'waiting', message.queue_position); return; }
      const before = specviz.latest('race');
      if (sent && message.run === sent.run && (!before || before.run !== message.run)) specviz.link.writeForm(sent);
      draw(message);
      specviz.publish('race', message);
      const mine = Boolean(sent) && message.run === sent.run;
      if (message.state === 'finished' || message.state === 'stopped') settle();
      if (mine && pending && message.lanes[pending[0]] && message.lanes[pending[0]].iterations > pending[1]) {
        const [lane, iteration, scene] = pending;
        pending = null;
        specviz.publish('open', { lane, iteration, scene });
      }
    }

    /** Take over a race from elsewhere: its lanes with their options, its prompt and its results. */
    function take(race) {
      if (race === specviz.latest('race')) return;
      if (race.missing) { refuse({ field: 'form', message: race.missing }); tell(STATES.ready, 'ready'); return receive(); }
      if (sent) { left = sent.run; server.stop(left).catch(() => {}); settle(); }
      recalled++;
      pending = null;
      accept();
      const views = race.lanes.filter(Boolean);
      const options = views.length ? views[0].options : {};
      const asked = { ...form.read(), ...(race.prompt === null ? {} : { prompt: race.prompt }), ...(race.seed === null ? {} : { seed: race.seed }) };
      for (const name of Object.keys(asked.shared)) if (name in options) asked.shared[name] = options[name];
      if (options.max_new_tokens) asked.max_new_tokens = options.max_new_tokens;
      lanes = race.lanes.map((view) => ({ settings: view ? { method: view.method, options: view.options } : { method: setup.methods[0].name, options: {} } }));
      form.write(asked);
      specviz.publish('race', race);
      buildDeck();
      if (race.state === 'recorded') { specviz.link.writeShown(null); specviz.link.writeRecorded(lanes.map(({ picker }) => picker.method())); }
      else if (/^[0-9a-f]{32}$/.test(race.run)) specviz.link.writeForm(read()); // can be made again from the form
      else specviz.link.writeShown(race.run);
    }

    const recording = !link.form && !link.shown && setup.recorded && link.recorded;
    const start = link.form || (recording ? { lanes: link.recorded.map((method) => ({ method, options: {} })) } : setup.start);
    const [known, unknown] = [true, false].map((there) => start.lanes.filter(({ method }) => setup.methods.some(({ name }) => name === method) === there));
    lanes = (known.length >= (recording ? 1 : setup.limits.min_lanes) ? known.slice(0, setup.limits.max_lanes) : setup.start.lanes)
      .map((lane) => ({ settings: { ...lane, options: { ...lane.options } } }));
    buildDeck();
    form.write({ ...setup.start, ...start });
    if (unknown.length) alert.textContent = `The address asks for methods that this page does not have: ${unknown.map(({ method }) => `“${method.slice(0, 40)}”`).join(', ')}.`;
    watch('value', receive);
    specviz.subscribe('show', take);
    if (recording) recall(); else if (link.shown) tell('Opening …', 'waiting'); else receive();
    if (link.form && !unknown.length) run();
  };
})();
