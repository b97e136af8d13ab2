/* Same forest, every verdict: one frozen draft; each rule's verdict on it comes from the server, row by row. */
(() => {
  'use strict';
  const specviz = window.specviz;
  const { el } = specviz;
  const NOTHING = 'No forest to show yet: choose a recorded step, or draft a new one.';

  function mountForest(root, { props, watch, server, triggers }) {
    const setup = JSON.parse(props.setup);
    const linked = specviz.forestLink.read();
    const state = { source: null, seed: setup.coins, options: {}, a: setup.pair[0], b: setup.pair[1], guesses: '' };
    let forest = null; // the answer of open_forest
    let answers = new Map(); // verifier -> its answer, for the forest, coins and theme on screen
    let turn = 0; // answers to older questions are dropped
    let sent = null; // the drafting form on its way
    let waiting = null; // a source in a race that is not on screen yet

    const alert = el('div', { class: 'sv-alert', role: 'alert' });
    const steps = specviz.forestSteps(setup, { onchoose: (source) => go({ ...source, warp: {} }) });
    const form = specviz.forestForm(setup, { onsend: send });
    const toggle = el('button', { type: 'button', class: 'sv-chip', 'aria-expanded': 'false', 'data-part': 'draft', onclick: () => unfold(form.element.hidden) }, 'Draft a new forest');
    const inside = el('button', { type: 'button', class: 'sv-chip', 'data-part': 'links', onclick: lookInside }, 'Look at this step in the Microscope');
    const about = el('p', { class: 'sv-forest-about' });
    const context = el('span', { class: 'sv-forest-before', dir: 'auto' });
    const heading = el('h2', { class: 'sv-hidden' });
    const rules = el('div', { class: 'sv-forest-choice', role: 'group', 'aria-label': 'Rule shown', 'data-part': 'rules' });
    const rule = el('p', { class: 'sv-forest-rule' });
    const said = el('p', { class: 'sv-forest-said', role: 'status' });
    const tree = specviz.picture('tree', 'The frozen forest');
    const warp = el('div', { class: 'sv-forest-warp', 'data-part': 'warp' });
    const seed = el('input', { type: 'number', min: 0, max: setup.limits.seed, step: 1, value: 0, id: 'sv-forest-coins', onchange: () => flip(Number(seed.value)) });
    const flipper = el('button', { type: 'button', class: 'sv-run', onclick: () => flip(state.seed + 1) }, 'Flip the coins again');
    const coins = el('div', { class: 'sv-forest-coins', 'data-part': 'coins' }, flipper,
      el('span', { class: 'sv-field', 'data-tip': 'Every rule gets the same coins. Another number is another set of coins; the forest stays.' }, el('label', { for: 'sv-forest-coins' }, 'Coins no.'), seed));
    const table = specviz.verdictTable({ onpick: pick, onoption: (name, option, value) => {
      state.options[name] = { ...state.options[name], [option]: value };
      save();
      judge([name]);
    } });
    const summary = el('p', { class: 'sv-forest-summary', role: 'status' });
    const counts = specviz.picture('counts', 'How many guesses each rule keeps');
    const first = specviz.picture('first', 'The distribution of the first token');
    const notes = el('div', { class: 'sv-forest-notes' });
    const guessesButton = (name, title) => el('button', { type: 'button', 'data-guesses': name, onclick: () => { state.guesses = name; save(); showFirst(); } }, title);
    const guessesChoice = el('div', { class: 'sv-forest-choice', role: 'group', 'aria-label': 'Over which guesses' }, guessesButton('', 'Over all guesses'), guessesButton('frozen', 'With these guesses only'));
    const pairTitle = el('h2', {});
    const beside = el('section', { class: 'sv-forest-pair', 'data-part': 'compare', hidden: true }, pairTitle,
      el('div', {}, el('h3', {}, 'How many guesses are kept, over all coins'), counts.element),
      el('div', {}, el('h3', {}, 'Which token comes first, over all coins'), guessesChoice, first.element, notes));
    const panel = el('section', { class: 'sv-forest-stage', 'aria-label': 'The forest' }, heading, rules, rule, said, tree.element);
    const verdicts = el('section', { class: 'sv-forest-rows', 'aria-label': 'Every verdict', 'data-part': 'table' }, table.element, summary);
    const whole = el('div', { class: 'sv-forest', hidden: true }, panel, verdicts);
    const empty = el('p', { class: 'sv-empty', role: 'status' }, 'Opening the forest …');
    const page = el('div', { class: 'sv-page' }, el('h1', { class: 'sv-hidden' }, 'Same forest, every verdict'),
      el('p', { class: 'sv-intro', 'data-part': 'intro' }, specviz.explained(setup.intro)),
      el('div', { class: 'sv-forest-bar', 'data-part': 'source' }, steps.element, inside, toggle, coins), form.element, alert, el('div', { class: 'sv-forest-facts' }, about, warp), empty, whole, beside);

    const onPage = () => document.documentElement.dataset.page === 'forest';
    const sourceOf = () => (state.source.form ? { id: state.source.id } : { run: state.source.run, lane: state.source.lane, step: state.source.step, warp: state.source.warp });
    const save = () => specviz.forestLink.write(state);
    const asked = async (name, request) => {
      try { return JSON.parse(await server[name](request)); } catch { return { error: 'The server did not answer. Try again.' }; }
    };
    function unfold(on) {
      form.element.hidden = !on;
      toggle.setAttribute('aria-expanded', String(on));
    }

    /** Show a forest: {run, lane, step, warp}, or {form, id} once it is drafted. */
    async function go(source) {
      const before = forest ? state.source : null;
      state.source = source;
      const mine = ++turn;
      save();
      empty.hidden = Boolean(forest);
      const answer = await asked('open_forest', { source: sourceOf() });
      if (mine !== turn) return;
      empty.hidden = true;
      alert.textContent = answer.error || '';
      if (answer.error) {
        if (before) { state.source = before; save(); judge(); return; } // what was typed stays in its field
        empty.hidden = false;
        empty.textContent = NOTHING;
        return;
      }
      forest = answer;
      chrome();
      judge();
    }
    function chrome() {
      const able = forest.rows.filter((row) => !row.refused).map((row) => row.name);
      if (!able.includes(state.a)) state.a = able[0];
      if (!able.includes(state.b) || state.b === state.a) state.b = able.find((name) => name !== state.a) || state.a;
      steps.show(state.source.form ? { run: '' } : state.source, forest.title, forest.steps);
      inside.hidden = Boolean(state.source.form);
      context.replaceChildren('… ', ...forest.before.map((piece, at) => el('span', { class: at === forest.before.length - 1 ? 'last' : '' }, piece.replaceAll('\n', '↵'))));
      about.replaceChildren(el('b', {}, `${forest.drawn[0].toUpperCase()}${forest.drawn.slice(1)}`), ', after ', context);
      showWarp();
      rules.replaceChildren(...forest.rows.filter(({ name }) => able.includes(name)).map(({ name, title }) => el('button', { type: 'button', 'data-rule': name, onclick: () => pick('a', name) }, title)));
      whole.hidden = false;
      answers = new Map();
      table.build(forest.rows, state.options);
      table.picked(state.a, state.b);
      seed.value = state.seed;
      save();
    }
    function showWarp() {
      const { options, reason } = forest.warp;
      const source = state.source;
      const change = (name, value) => { if (source === state.source) go({ ...source, warp: { ...source.warp, [name]: value } }); };
      const focused = warp.contains(document.activeElement) && document.activeElement.id;
      warp.replaceChildren(...(options.length ? [el('span', {}, 'The same guesses at:')] : []), ...options.map(({ name, value, low, high, help }) => {
        const id = `sv-forest-at-${name}`;
        const input = el('input', { id, type: 'number', min: low, max: high, step: name === 'top_k' ? 1 : 0.05, value: value ?? '', placeholder: 'off',
          onchange: () => change(name, input.value === '' ? null : Number(input.value)) });
        return el('span', { class: 'sv-field', 'data-tip': help || null }, el('label', { for: id }, { temperature: 'Temperature', top_k: 'Top-k', top_p: 'Top-p' }[name]), input);
      }), reason ? el('span', {}, reason) : '');
      if (focused) document.getElementById(focused)?.focus();
    }

    /** Ask for verdicts one after the other: those shown first, then the others. */
    async function judge(names) {
      const mine = names ? turn : ++turn;
      const able = forest.rows.filter((row) => !row.refused).map((row) => row.name);
      const order = names || [...new Set([state.a, state.b, ...able])];
      order.forEach((name) => table.wait(name));
      if (!names) answers = new Map([...answers].filter(([name]) => able.includes(name)));
      for (const name of order) {
        const options = state.options[name] || {};
        const answer = await asked('judge_forest', { source: sourceOf(), verifier: name, options, seed: state.seed, dark: specviz.isDark() });
        if (mine !== turn) return;
        if ((state.options[name] || {}) !== options && state.options[name]) continue; // the slider has moved on
        if (answer.error && answer.error.includes('Draft it again')) return send(state.source.form);
        answers.set(name, answer);
        table.fill(name, answer, options);
        if (name === state.a) showTree();
        if ((name === state.a || name === state.b) && answers.has(state.a) && answers.has(state.b)) compare();
      }
      if (able.every((name) => answers.has(name))) sumUp(able);
    }
    const titleOf = (name) => forest.rows.find((row) => row.name === name).title;
    function showTree() {
      const answer = answers.get(state.a);
      const row = forest.rows.find(({ name }) => name === state.a);
      if (!answer || !row) return;
      heading.textContent = `The forest, judged by: ${row.title}`;
      for (const button of rules.children) button.setAttribute('aria-pressed', String(button.dataset.rule === state.a));
      rule.replaceChildren(...specviz.explained(row.rule));
      said.textContent = answer.error || answer.words;
      tree.element.hidden = Boolean(answer.error);
      if (!answer.error) tree.show(answer.figure, answer.text, forest.width.least, forest.width.most);
    }
    let pair = null;
    let compared = 0; // answers to older comparisons are dropped
    async function compare() {
      const mine = ++compared;
      const before = turn;
      const names = [...new Set([state.a, state.b])];
      const answer = await asked('compare_verdicts', { source: sourceOf(), pair: names.map((name) => ({ verifier: name, options: state.options[name] || {} })), seed: state.seed, dark: specviz.isDark() });
      if (mine !== compared || before !== turn) return;
      pair = answer.error ? null : answer;
      beside.hidden = !pair;
      if (!pair) return;
      pairTitle.textContent = names.map(titleOf).join(' beside ');
      counts.show(pair.counts.figure, pair.counts.text);
      showFirst();
    }
    function showFirst() {
      if (!pair) return;
      const which = state.guesses === 'frozen' || !pair.free ? 'frozen' : 'free';
      for (const button of guessesChoice.children) {
        button.setAttribute('aria-pressed', String((button.dataset.guesses === 'frozen') === (which === 'frozen')));
        if (button.dataset.guesses === '') button.disabled = !pair.free;
      }
      first.show(pair[which].figure, pair[which].text);
      const names = [...new Set([state.a, state.b])].map(titleOf);
      notes.replaceChildren(...(which === 'free' ? pair.notes : pair.frozen.distances.map((words, at) => `${names[at]} follows ${words}.`)).map((text) => el('p', {}, specviz.explained(text))),
        el('p', { class: 'sv-caption' }, which === 'free'
          ? 'The draft draws its guesses at random, too. Over everything that it could have drawn, a lossless rule gives exactly the target’s distribution.'
          : 'With the guesses fixed, even a lossless rule favours them. That is no error: other draws of the draft favour other tokens, and averaged over all of them the result is the target’s distribution.'));
    }
    function sumUp(able) {
      const known = able.map((name) => [name, answers.get(name)]).filter(([, answer]) => !answer.error);
      const best = (list) => list.reduce((most, one) => (!most || one[1].accepted > most[1].accepted + 1e-9 ? one : most), null);
      const tell = ([name, answer]) => `${titleOf(name)} (${answer.accepted.toFixed(2)} on average)`;
      const all = best(known);
      const exact = best(known.filter(([, answer]) => answer.guarantee.name === 'lossless'));
      if (!all) return;
      const tied = known.filter(([, answer]) => answer.accepted > all[1].accepted - 1e-9);
      const most = tied.length > 1 ? `${tied.map(([name]) => titleOf(name)).join(' and ')} (${all[1].accepted.toFixed(2)} on average)` : tell(all);
      summary.textContent = `Keeps the most of these guesses: ${most}. `
        + (exact === null ? 'No rule here keeps the target’s distribution for guesses drawn like these.' : exact[0] === all[0] && tied.length === 1 ? 'And it is lossless.' : `Of the lossless ones: ${tell(exact)}.`);
    }

    function pick(which, name) {
      const other = which === 'a' ? 'b' : 'a';
      if (state[other] === name) state[other] = state[which];
      state[which] = name;
      table.picked(state.a, state.b);
      save();
      showTree();
      if (answers.has(state.a) && answers.has(state.b)) compare();
    }
    function flip(next) {
      if (!Number.isInteger(next) || next < 0 || next > setup.limits.seed) { seed.value = state.seed; return; }
      state.seed = next;
      seed.value = next;
      save();
      if (forest) judge();
    }

    const line = specviz.lifeline(() => {
      sent = null;
      form.busy(null);
      unfold(true);
      form.refuse({ field: 'form', message: 'The server does not answer any more. What you typed is still here: draft it again once the server is back.' });
      if (!forest) empty.textContent = NOTHING;
    });
    function send(asking) {
      sent = { ...asking, form: String(Math.random()).slice(2) };
      alert.textContent = '';
      form.busy('Drafting …');
      triggers.draft(sent);
      line.wait();
    }
    function receive() {
      const message = props.value ? JSON.parse(props.value) : null;
      if (!message || !sent || message.form !== sent.form) return;
      line.wait();
      if (message.kind === 'waiting') { form.busy(message.text); empty.textContent = message.text; return; }
      const { form: _, ...asking } = sent;
      sent = null;
      line.rest();
      form.busy(null);
      if (message.kind === 'refused') {
        unfold(true);
        form.refuse(message);
        if (!forest) empty.textContent = NOTHING;
      } else {
        if (form.element.contains(document.activeElement)) toggle.focus();
        unfold(false);
        go({ form: asking, id: message.id });
      }
    }

    async function lookInside() {
      const { run, lane, step } = state.source;
      let race = specviz.latest('race');
      if (!race || race.run !== run) {
        race = run.startsWith('gallery:') ? await asked('race_of', { methods: run.slice(8).split(',') }) : null;
        if (!race || race.error) { alert.textContent = 'This race is not on screen any more: run it again on the Race page.'; return; }
        specviz.publish('show', race);
      }
      specviz.go('microscope');
      specviz.publish('open', { lane, iteration: step });
    }

    function start() {
      root.replaceChildren(page);
      if (linked) {
        Object.assign(state, { seed: linked.seed, options: linked.options, guesses: linked.guesses === 'frozen' ? 'frozen' : '' });
        for (const which of ['a', 'b']) if (linked[which]) state[which] = linked[which];
      }
      const source = linked ? linked.source : setup.start && { ...setup.start, warp: {} };
      if (!source) { unfold(true); empty.textContent = 'No recorded step here: draft a forest.'; } else open(source);
    }
    function open(source) {
      if (source.form) { state.source = source; form.write(source.form); send(source.form); return; }
      if (source.run !== 'here') { go(source); return; }
      waiting = source;
      empty.textContent = 'Waiting for the race of this link to be run again …';
      fromRace(specviz.latest('race'));
    }
    function fromRace(race) {
      if (!waiting || !race || !/^[0-9a-f]{32}$/.test(race.run)) return;
      const lane = race.lanes[waiting.lane];
      if (!lane || lane.iterations <= waiting.step) return;
      const source = { ...waiting, run: race.run };
      waiting = null;
      go(source);
    }

    let mounted = false;
    watch('value', receive);
    specviz.subscribe('page', (name) => {
      if (name !== 'forest') return;
      if (!mounted) { mounted = true; start(); } else for (const one of [tree, counts, first]) one.fit();
    });
    specviz.subscribe('forest-from', ({ run, lane, iteration }) => {
      mounted = true;
      if (!page.isConnected) root.replaceChildren(page);
      waiting = null;
      go({ run, lane, step: iteration, warp: {} });
      if (!onPage()) specviz.go('forest');
    });
    specviz.subscribe('race', (race) => { if (state.source && state.source.run) save(); fromRace(race); });
    specviz.subscribe('dark', () => { if (forest) judge(); });
    specviz.subscribe('present', () => { for (const one of [tree, counts, first]) one.fit(); });
  }
  specviz.mount.forest = mountForest;
})();
