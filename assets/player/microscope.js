/* The Microscope: choose a lane and an iteration; the player shows what happened inside. */
(() => {
  'use strict';
  const specviz = window.specviz;
  const { el } = specviz;

  specviz.mount.microscope = (root, { server }) => {
    const cache = new Map();
    let race = null;
    let lane = 0;
    let iteration = 0;
    let asked = 0;
    let wanted = 0; // the scene to show once the payload is here
    let wish = specviz.link.read().form ? null : specviz.link.read().at; // where the address wants to be

    const lanes = el('div', { class: 'sv-lanes', role: 'group', 'aria-label': 'Lane' });
    const number = el('select', { 'aria-label': 'Iteration', onchange: () => open(lane, Number(number.value)) });
    const earlier = el('button', { type: 'button', 'aria-label': 'Previous iteration', onclick: () => open(lane, iteration - 1) }, '‹');
    const later = el('button', { type: 'button', 'aria-label': 'Next iteration', onclick: () => open(lane, iteration + 1) }, '›');
    const of = el('span', {});
    const text = el('p', { class: 'sv-context', 'aria-label': 'The lane’s text; the tokens of this iteration are marked' });
    const alert = el('div', { class: 'sv-alert', role: 'alert' });
    const stage = el('div', {});
    const busy = el('p', { class: 'sv-empty', role: 'status', hidden: true }, 'Opening the iteration …');
    const chooser = el('div', { class: 'sv-choose' }, lanes,
      el('div', { class: 'sv-iteration' }, el('span', {}, 'Iteration'), earlier, number, of, later),
      el('p', { class: 'sv-aim' }, 'What the draft model guessed, what the target made of it, and why each token stayed or went.'));
    const empty = el('p', { class: 'sv-empty' }, 'No race to look into yet. Run one on the Race page.');
    root.replaceChildren(el('div', { class: 'sv-page' }, el('h1', { class: 'sv-hidden' }, 'Microscope'),
      empty, chooser, text, alert, busy, stage));
    const player = specviz.player(stage, {
      onscene: (scene) => { if (shown()) specviz.link.writeAt(lane, iteration, scene.key); },
      onedge: (direction) => {
        const next = iteration + direction;
        if (race && next >= 0 && next < race.lanes[lane].iterations) open(lane, next, direction > 0 ? 0 : -1);
      },
    });
    const shown = () => document.documentElement.dataset.page === 'microscope';

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

    async function open(which, at, scene = 0) {
      if (!race || !race.lanes[which]) return;
      lane = which;
      iteration = Math.max(0, Math.min(at, race.lanes[which].iterations - 1));
      wanted = scene;
      const turn = ++asked;
      chrome();
      if (!shown() || race.lanes[which].iterations === 0) return;
      stage.hidden = !player.scene();
      busy.hidden = !stage.hidden;
      let payload;
      try { payload = await fetchIteration(lane, iteration); } catch { payload = { error: 'The server did not answer. Try again.' }; }
      if (turn !== asked) return;
      busy.hidden = true;
      alert.textContent = payload.error || '';
      if (payload.error) return;
      stage.hidden = false;
      player.load(payload, wanted);
      wanted = null;
      if (iteration + 1 < race.lanes[lane].iterations) fetchIteration(lane, iteration + 1).catch(() => {});
    }

    function chrome() {
      empty.hidden = Boolean(race && race.lanes.some((one) => one && one.iterations));
      for (const part of [chooser, text]) part.hidden = !empty.hidden;
      if (!empty.hidden) stage.hidden = true;
      if (!race) return;
      lanes.replaceChildren(...race.lanes.map((one, which) => el('button', { type: 'button', 'aria-pressed': which === lane ? 'true' : 'false',
        disabled: !one || !one.iterations, onclick: () => open(which, 0) }, `${which + 1}  ${one ? one.title : '…'}`)));
      const view = race.lanes[lane];
      if (!view) return;
      if (number.childElementCount !== view.iterations)
        number.replaceChildren(...Array.from({ length: view.iterations }, (_, at) => el('option', { value: at }, at + 1)));
      number.value = iteration;
      of.textContent = `of ${view.iterations}`;
      earlier.disabled = iteration === 0;
      later.disabled = iteration >= view.iterations - 1;
      text.replaceChildren(...view.tokens.map(([piece, origin, at]) => el('span', { class: `sv-token ${origin}${at === iteration ? ' now' : ''}`, 'data-iteration': at },
        specviz.visible(piece).map(([run, isMark]) => (isMark ? el('i', { class: isMark === 'space' ? 'space' : 'mark' }, run) : run)))));
      const now = text.querySelector('.now');
      if (now) text.scrollTop = now.offsetTop - text.offsetTop - 8;
    }
    text.addEventListener('click', (event) => { const at = event.target.closest('[data-iteration]'); if (at) open(lane, Number(at.dataset.iteration)); });

    specviz.subscribe('race', (next) => {
      const other = !race || race.run !== next.run;
      race = next;
      if (other) { lane = Math.max(0, race.lanes.findIndex((one) => one && one.method !== 'autoregressive')); iteration = 0; }
      if (wish) { const [which, at, scene] = wish; wish = null; open(which, at, scene || 0); }
      else if (other && shown()) open(lane, iteration);
      else chrome();
    });
    specviz.subscribe('open', ({ lane: which, iteration: at, scene }) => open(which, at, scene || 0));
    specviz.subscribe('page', (page) => {
      if (page !== 'microscope') return player.pause();
      open(lane, iteration, wanted ?? player.scene().key);
    });
    specviz.subscribe('dark', () => { const scene = player.scene(); if (scene) open(lane, iteration, scene.key); });
    chrome();
  };
})();
