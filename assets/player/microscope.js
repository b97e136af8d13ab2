/* The Microscope: choose a lane and an iteration; the player shows what happened inside. On top of it: the step judged again with
   something changed (replay.js), files of it (save.js), and the same guesses before every verifier.

   Parts that ?hide= takes away (data-part): chooser (lanes, iteration, what the page is about), text (the lane's text), replay
   ("What if?"), save, judge (to the Same forest page), and in the player story and panels.
   In the address: `at` lane.iteration.scene, `replay` what is changed (decision-2:0.8;tau:0.3), `pins` the pinned nodes (3,7). */
(() => {
  'use strict';
  const specviz = window.specviz;
  const { el } = specviz;
  const LONGEST_PINS = 2;

  const marked = (piece) => specviz.visible(piece).map(([run, isMark]) => (isMark ? el('i', { class: isMark === 'space' ? 'space' : 'mark' }, run) : run));
  const numbers = (text) => (text || '').split(',').filter((one) => /^-?\d{1,5}$/.test(one)).map(Number).slice(0, LONGEST_PINS);
  /** The scene of `scenes` that stands where `key` stood: the same, or the nearest of its phase, or the last before. */
  function nearest(scenes, key, old) {
    if (typeof key !== 'string' || scenes.some((scene) => scene.key === key)) return key;
    const before = old.find((scene) => scene.key === key);
    const phase = before ? before.phase : key.startsWith('draw') ? 'draw' : 'verify';
    const kin = scenes.filter((scene) => scene.phase === phase);
    return (kin.at(-1) || scenes.at(-1)).key;
  }

  /** The scene that decides about a token of the text that an iteration wrote. */
  function sceneOf(payload, token) {
    const one = payload.text.emitted[token];
    const judged = one && payload.nodes.find((record) => record.node === one.node);
    return (judged && judged.scene) || payload.scenes.find((scene) => scene.phase === 'draw')?.key || 0;
  }

  /** The row of lanes, each with its guarantee meter. */
  function laneChooser(onchoose) {
    const element = el('div', { class: 'sv-lanes', role: 'group', 'aria-label': 'Lane' });
    let key = '';
    return {
      element,
      show(race, lane) {
        const now = JSON.stringify([race.run, race.lanes.map((one) => one && [one.method, one.title, one.options, one.iterations > 0])]);
        if (now !== key) {
          key = now;
          element.replaceChildren(...race.lanes.map((one, which) => el('span', { class: 'sv-lane-choice' },
            el('button', { type: 'button', disabled: !one || !one.iterations, onclick: () => onchoose(which) }, `${which + 1}  ${one ? one.title : '…'}`),
            one && specviz.meter ? specviz.meter(one.method, { options: one.options, guarantee: one.guarantee }) : null)));
        }
        [...element.children].forEach((choice, which) => choice.firstElementChild.setAttribute('aria-pressed', String(which === lane)));
      },
    };
  }

  specviz.mount.microscope = (root, { server }) => {
    const cache = new Map();
    const start = specviz.link.read();
    let race = null;
    let lane = 0;
    let iteration = 0;
    let asked = 0;
    let wanted = 0; // the scene to show once the payload is here
    let record = null; // the payload of the recorded step on screen
    let onstage = null; // the payload on screen, recorded or replayed
    let wish = start.form ? null : start.at; // where the address wants to be
    let restore = start.at && { at: start.at.slice(0, 2).join('.'), replay: specviz.link.get('replay'), pins: numbers(specviz.link.get('pins')) };

    const choose = (which, at) => { restore = null; open(which, at); }; // the reader's own choice
    const lanes = laneChooser((which) => choose(which, 0));
    const number = el('select', { 'aria-label': 'Iteration', onchange: () => choose(lane, Number(number.value)) });
    const earlier = el('button', { type: 'button', 'aria-label': 'Previous iteration', onclick: () => choose(lane, iteration - 1) }, '‹');
    const later = el('button', { type: 'button', 'aria-label': 'Next iteration', onclick: () => choose(lane, iteration + 1) }, '›');
    const of = el('span', {});
    const text = el('p', { class: 'sv-context', 'data-part': 'text', role: 'group', tabindex: 0, 'aria-label': 'The lane’s text; the tokens of this iteration are marked' });
    const alert = el('div', { class: 'sv-alert', role: 'alert' });
    const stage = el('div', { class: 'sv-step' });
    const busy = el('p', { class: 'sv-empty', role: 'status', hidden: true }, 'Opening the iteration …');
    const judge = el('button', { type: 'button', class: 'sv-chip', 'data-part': 'judge', 'data-tip': 'The Same forest page: what each verifier keeps of these very guesses', onclick: () => {
      specviz.publish('forest-from', { run: race.run, lane, iteration });
      specviz.go('forest');
    } }, 'Judge this forest with every verifier');
    const empty = el('p', { class: 'sv-empty' }, 'No race to look into yet. Run one on the Race page.');
    const request = (more) => ({ run: race.run, lane, iteration, dark: specviz.isDark(), ...more });

    const player = specviz.player(stage, {
      onscene: (scene) => {
        whatIf.scene(scene.key, onstage.scenes.map((one) => one.key));
        save.refresh();
        if (shown()) specviz.link.writeAt(lane, iteration, scene.key);
      },
      onpins: keepPins,
      onedge: (direction) => {
        const next = iteration + direction;
        if (race && next >= 0 && next < race.lanes[lane].iterations) { restore = null; open(lane, next, direction > 0 ? 0 : -1); }
      },
    });
    const whatIf = specviz.whatIf({
      ask: async (changes) => JSON.parse(await server.replay(request(changes))),
      onreplay: ({ payload }) => put(payload, wanted ?? player.scene().key, true),
      onrecord: () => put(record, player.scene().key, false),
      ongo: (key) => put(onstage, key),
      onaddress: (changes) => { if (shown()) specviz.link.set({ replay: changes }); },
    });
    const save = specviz.saveMenu({ step: onScreen, plot: (panel) => player.gd(panel), server, request, tell: (words) => { alert.textContent = words; } });
    const chooser = el('div', { class: 'sv-choose', 'data-part': 'chooser' }, lanes.element,
      el('div', { class: 'sv-iteration' }, el('span', {}, 'Iteration'), earlier, number, of, later));
    const tools = el('div', { class: 'sv-steptools' }, whatIf.button, judge, save.element);
    const aim = el('p', { class: 'sv-aim', 'data-part': 'chooser' },
      specviz.explained('One iteration, step by step: what the draft guessed, what the target made of it, and why each token was kept or not. Arrow keys step.'));
    const top = el('div', { class: 'sv-top' }, chooser, aim, tools);
    const paper = el('p', { class: 'sv-paper', 'aria-hidden': 'true' }); // what a printed sheet is about
    root.replaceChildren(el('div', { class: 'sv-page sv-microscope' }, el('h1', { class: 'sv-hidden' }, 'Microscope'), paper, empty, top, text, alert, whatIf.element, busy, stage));
    for (const [part, selector] of [['story', '.sv-story'], ['panels', '.sv-panels']]) stage.querySelector(selector)?.setAttribute('data-part', part);
    const shown = () => document.documentElement.dataset.page === 'microscope';

    /** What the Save menu names and saves. */
    function onScreen() {
      const scene = player.scene();
      const view = race.lanes[lane];
      return { stem: `specviz-${view.method}-iteration-${iteration + 1}`, title: `${view.title}, iteration ${iteration + 1}: ${scene.title}`,
        scene: scene.key, figures: scene.panels, replayed: whatIf.changes() };
    }
    /** Show a payload from a scene; `replayed`: it is not the record. */
    function put(next, scene, replayed = Boolean(whatIf.changes())) {
      const at = scene !== null && typeof scene === 'object' ? sceneOf(next, scene.token) : scene;
      const key = nearest(next.scenes, at, onstage ? onstage.scenes : []);
      const pins = pinned().filter((node) => next.nodes.some((one) => one.node === node));
      onstage = next;
      wanted = null;
      stage.classList.toggle('replayed', replayed);
      player.load(next, key);
      player.pin(pins);
      keepPins(pins);
    }
    function keepPins(pins) { if (shown()) specviz.link.set({ pins: pins.length ? pins.join(',') : null }); }
    const pinned = () => numbers(specviz.link.get('pins'));

    const keyOf = (which, at) => [race.run, which, at, specviz.isDark()].join();
    const ask = async (which, at) => JSON.parse(await server.iteration({ run: race.run, lane: which, iteration: at, dark: specviz.isDark() }));
    /** A promise of the payload; asked once, refusals are not remembered. */
    function fetchIteration(which, at) {
      const key = keyOf(which, at);
      if (!cache.has(key)) {
        const answer = ask(which, at);
        const forget = () => cache.delete(key);
        answer.then((payload) => payload.error && forget(), forget);
        cache.set(key, answer);
        if (cache.size > 60) cache.delete(cache.keys().next().value);
      }
      return cache.get(key);
    }

    /** Look at an iteration from `scene` on: a key, an index, or {token} for where that token of its text was decided. */
    async function open(which, at, scene = 0, kept = null) {
      if (!race || !race.lanes[which]) return;
      lane = which;
      iteration = Math.max(0, Math.min(at, race.lanes[which].iterations - 1));
      wanted = scene;
      const turn = ++asked;
      chrome();
      if (!shown() || race.lanes[which].iterations === 0) return;
      stage.hidden ||= !player.scene();
      busy.hidden = !stage.hidden;
      let payload;
      try { payload = await fetchIteration(lane, iteration); } catch { payload = { error: 'The server did not answer. Try again.' }; }
      if (turn !== asked) return;
      busy.hidden = true;
      if (payload.error) return refuse(payload.error);
      alert.replaceChildren();
      stage.hidden = false;
      const again = restore && restore.at === `${lane}.${iteration}` ? restore : kept;
      restore = again === restore ? null : restore;
      record = payload;
      judge.hidden = payload.nodes.length === 0;
      keepPins(again ? again.pins : []);
      const replaying = whatIf.load(payload.changeable, again && again.replay);
      put(payload, wanted, false);
      if (replaying) wanted = scene;
      if (iteration + 1 < race.lanes[lane].iterations) fetchIteration(lane, iteration + 1).catch(() => {});
    }
    /** Why there is nothing to see, and the way on. */
    function refuse(reason) {
      const methods = race.lanes.filter(Boolean).map((one) => one.method);
      const recorded = new URLSearchParams({ view: 'microscope', recorded: methods.join(',') });
      const gone = /no longer kept/.test(reason);
      stage.hidden = true; // it shows another step
      alert.replaceChildren(reason, ...(gone ? [' ', el('a', { href: `?${recorded}` }, 'Look into the recorded runs instead'),
        specviz.link.get('prompt') ? [' or ', el('a', { href: window.location.href, onclick: (event) => { event.preventDefault(); window.location.reload(); } }, 'run this race again')] : []].flat() : []));
    }

    function chrome() {
      empty.hidden = Boolean(race && race.lanes.some((one) => one && one.iterations));
      for (const part of [top, text]) part.hidden = !empty.hidden;
      if (!empty.hidden) stage.hidden = true;
      if (!race) return;
      lanes.show(race, lane);
      const view = race.lanes[lane];
      if (!view) return;
      if (number.childElementCount !== view.iterations)
        number.replaceChildren(...Array.from({ length: view.iterations }, (_, at) => el('option', { value: at }, at + 1)));
      number.value = iteration;
      of.textContent = `of ${view.iterations}`;
      paper.replaceChildren(el('b', {}, `${view.title}, iteration ${iteration + 1} of ${view.iterations}`), ` after “${race.prompt}”`);
      earlier.disabled = iteration === 0;
      later.disabled = iteration >= view.iterations - 1;
      text.replaceChildren(...view.tokens.map(([piece, origin, at]) =>
        el('span', { class: `sv-token ${origin}${at === iteration ? ' now' : ''}`, 'data-iteration': at }, marked(piece))));
      const now = text.querySelector('.now');
      if (now) text.scrollTop += now.getBoundingClientRect().top - text.getBoundingClientRect().top + 1; // not the underlines of the line above
    }
    text.addEventListener('click', (event) => { const at = event.target.closest('[data-iteration]'); if (at) choose(lane, Number(at.dataset.iteration)); });

    /** The step on screen once more, with all that is changed and pinned: in the other colours, or after another page. */
    function reopen() {
      const scene = player.scene();
      const kept = record && { replay: specviz.link.get('replay'), pins: pinned() };
      open(lane, iteration, wanted ?? (scene ? scene.key : 0), kept);
    }

    specviz.subscribe('race', (next) => {
      const other = !race || race.run !== next.run;
      race = next;
      if (other) { lane = Math.max(0, race.lanes.findIndex((one) => one && one.method !== 'autoregressive')); iteration = 0; wanted = 0; record = null; }
      if (wish && start.shown && next.run !== start.shown) wish = restore = null; // what the address names is gone
      if (wish) { const [which, at, scene] = wish; wish = null; open(which, at, scene || 0); }
      else if (other && shown()) open(lane, iteration);
      else chrome();
    });
    specviz.subscribe('show', (next) => { if (next.missing) alert.replaceChildren(next.missing, ' ', 'Recorded runs are shown below.'); });
    specviz.subscribe('open', ({ lane: which, iteration: at, scene, token = null, kept }) => open(which, at, scene || (token === null ? 0 : { token }), kept || null)); // kept: {replay, pins}
    specviz.subscribe('page', (page) => { if (page !== 'microscope') player.pause(); else reopen(); });
    specviz.subscribe('dark', () => { if (player.scene() && race) reopen(); });
    chrome();
  };
})();
