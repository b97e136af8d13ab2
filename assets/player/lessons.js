/* The Lessons page: a list, and the lesson that the address names. The server gives one lesson at a time. */
(() => {
  'use strict';
  const specviz = window.specviz;
  const { el } = specviz;

  specviz.mount.lessons = (root, { props, server }) => {
    const { lessons } = JSON.parse(props.setup);
    const cache = new Map();
    let open = null; // the name of the lesson shown
    let asked = 0;

    const title = el('h1', { tabindex: -1 });
    const back = el('a', { class: 'sv-back', href: '?view=lessons', 'data-part': 'lesson-bar', onclick: (event) => { if (plain(event)) show(null); } }, '‹ All lessons');
    const keep = el('button', { type: 'button', class: 'sv-chip', 'data-part': 'share save', onclick: save }, 'Save this lesson as a file');
    const alert = el('div', { class: 'sv-alert', role: 'alert' });
    const busy = el('p', { class: 'sv-empty', role: 'status', hidden: true }, 'Opening the lesson …');
    const list = el('ol', { class: 'sv-lessons' }, lessons.map((one, at) => el('li', {}, el('a', { href: address(one.name), 'data-lesson': one.name, onclick: (event) => { if (plain(event)) show(one.name); } },
      el('span', { class: 'sv-count-of', 'aria-hidden': 'true' }, at + 1),
      el('h2', {}, one.title), el('p', { class: 'sv-asks' }, one.asks), el('p', { class: 'sv-goal' }, el('b', {}, 'Goal: '), one.goal), el('small', {}, `${one.minutes} minutes`)))));
    const intro = el('p', { class: 'sv-intro', 'data-part': 'intro' }, 'Each lesson asks first and then shows what really happened, at recorded steps of the two models that come with this page. '
      + 'Keys: 1 to 4 choose an answer, Enter shows it, the arrows step.');
    const stage = el('div', { hidden: true });
    const none = el('p', { class: 'sv-empty', hidden: lessons.length > 0 }, 'No lesson could be read. The server’s log says why.');
    root.replaceChildren(el('div', { class: 'sv-page' }, el('div', { class: 'sv-lesson-top' }, back, title, keep), intro, none, alert, busy, list, stage));

    function plain(event) {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return false;
      event.preventDefault();
      return true;
    }
    function address(name) { return `?view=lessons&lesson=${name}`; }
    const shown = () => document.documentElement.dataset.page === 'lessons';
    const remember = ({ step, chosen, rule }) => specviz.link.set({ lesson: open, step: step > 1 ? step : null, answer: chosen, rule });
    const ask = async (call, request) => {
      try { return JSON.parse(await server[call](request)) || { error: 'The server refused.' }; } catch { return { error: 'The server did not answer. Try again.' }; }
    };
    const view = specviz.lesson(stage, { onmove: remember, onopen: openStep, onnext: next });
    /** A lesson with its pictures in this theme; asked for once. */
    async function fetchLesson(name) {
      const key = `${name} ${specviz.isDark()}`;
      if (!cache.has(key)) {
        const answer = await ask('lesson', { name, dark: specviz.isDark() });
        if (answer.error) return answer;
        cache.set(key, answer);
      }
      return cache.get(key);
    }

    /** Show a lesson from a state, or the list. */
    async function show(name, state = {}) {
      const turn = ++asked;
      alert.textContent = '';
      const known = lessons.find((one) => one.name === name);
      if (name && !known) alert.textContent = `There is no lesson called “${name.slice(0, 40)}”. These are the ones there are.`;
      open = known ? name : null;
      if (shown() && !state.step) specviz.link.visit({ lesson: open, step: null, answer: null, rule: null });
      frame(known);
      if (!known) { if (shown()) title.focus({ preventScroll: true }); return; }
      busy.hidden = false;
      const answer = await fetchLesson(name);
      if (turn !== asked) return;
      busy.hidden = true;
      if (answer.error) { alert.textContent = answer.error; open = null; return frame(null); }
      stage.hidden = false;
      view.load(answer, { ...state, next: lessons[lessons.indexOf(known) + 1]?.title });
      if (!state.step) { title.focus({ preventScroll: true }); window.scrollTo(0, 0); }
    }
    function frame(known) {
      title.textContent = known ? known.title : 'Lessons';
      for (const part of [back, keep]) part.hidden = !known;
      for (const part of [list, intro]) part.hidden = Boolean(known);
      stage.hidden = true;
      busy.hidden = true;
    }
    function next() {
      const at = lessons.findIndex((one) => one.name === open);
      show(at + 1 < lessons.length ? lessons[at + 1].name : null);
    }
    async function openStep(where, event) {
      if (!plain(event)) return;
      const race = await ask('lesson_race', where.run);
      if (race.error) { alert.textContent = race.error; return; }
      specviz.publish('show', race);
      specviz.go(where.at ? 'microscope' : 'race');
      if (!where.at) return;
      const [lane, iteration, scene] = where.at.split('.');
      specviz.publish('open', { lane: Number(lane), iteration: Number(iteration), scene });
    }
    async function save() {
      keep.disabled = true;
      const answer = await ask('lesson_file', { name: open });
      keep.disabled = false;
      alert.textContent = answer.error || '';
      if (!answer.error) specviz.download(answer.name, answer.text, 'text/html');
    }
    /** Where the address wants to be. */
    function wanted() {
      const step = Number(specviz.link.get('step') || 1);
      return [specviz.link.get('lesson'), { step: Number.isInteger(step) ? step : 1, chosen: specviz.link.get('answer'), rule: specviz.link.get('rule') }];
    }

    document.addEventListener('keydown', (event) => { if (shown() && open && !stage.hidden) view.keys(event); });
    specviz.subscribe('dark', async () => {
      if (!open || stage.hidden || !shown()) return;
      const turn = ++asked;
      const answer = await fetchLesson(open);
      if (turn === asked && !answer.error) view.repaint(answer);
    });
    frame(null);
    specviz.subscribe('page', (page) => { if (page === 'lessons') show(...wanted()); });
  };
})();
