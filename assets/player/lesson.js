/* A lesson: a question first, then recorded steps that answer it. The page and every exported file use this view.
   Data: specviz/lab/lessons/lesson.py (words, switches, pictures of either theme). Needs the player. */
(() => {
  'use strict';
  const specviz = window.specviz;
  const { el } = specviz;
  const SHOWN = 'shown'; // chosen: the number of an answer, or this when the reader asked to be shown

  const nodes = (text) => specviz.explained(text);
  const fixed = (value, digits) => (value < 1e-6 ? '0' : value.toFixed(digits));

  /** Players by the panels they show: a lesson needs two or three, made when first used. */
  function playerRack(stage, onedge) {
    const rack = new Map();
    return {
      /** Show one scene of a payload with these panels, and a node lit (null: the scene's own); no payload: nothing. */
      show(payload, { scene, panels, light }) {
        const name = panels.join();
        if (payload && !rack.has(name)) {
          const spot = el('div', { 'data-panels': name });
          stage.append(spot);
          rack.set(name, { spot, player: specviz.player(spot, { panels, compact: true, onedge }) });
        }
        for (const [key, { spot }] of rack) spot.hidden = !payload || key !== name;
        if (!payload) return;
        const { player } = rack.get(name);
        player.load(payload, scene, { only: [scene] });
        if (light !== null) player.focus(light);
      },
    };
  }

  /** Whole runs side by side: what they wrote, and numbers with bars; `told`: also how each keeps the target's distribution. */
  function lanes(views, told) {
    const token = ([piece, origin]) => el('span', { class: `sv-token ${origin}` },
      specviz.visible(piece).map(([run, isMark]) => (isMark ? el('i', { class: isMark === 'space' ? 'space' : 'mark' }, run) : run)));
    const number = ({ label, text, unit, help, share }) => el('div', { class: 'sv-measure' },
      el('dt', { 'data-tip': help, tabindex: 0 }, label), el('dd', {}, el('span', { class: 'sv-length', style: { width: `${100 * share}%` } }), el('b', {}, `${text} ${unit}`.trim())));
    return el('div', { class: 'sv-lesson-lanes' }, views.map((view) => el('section', { class: 'sv-lesson-lane' },
      el('div', { class: 'sv-lesson-method' }, el('h3', {}, view.title, view.options ? el('small', {}, ` ${view.options}`) : null), told && specviz.meter ? specviz.meter(view.method) : null),
      el('p', { class: 'sv-wrote' }, view.tokens.map(token)), el('dl', {}, view.numbers.map(number)))));
  }

  let groups = 0;
  /** The switches that break the rule, with a meter of the distance from the target's distribution; `rule`: the name of the one that is on. */
  function breakIt(switches, rule, onrule) {
    const group = `sv-break-${++groups}`;
    const about = el('p', {});
    const needle = el('span', { class: 'sv-length' });
    const distance = el('b', {});
    const said = el('p', {});
    const small = el('p', { class: 'sv-hint' });
    const rows = el('tbody', {});
    const bar = (kind, share) => el('td', {}, el('span', { class: `sv-length ${kind}`, style: { width: `${100 * share}%` } }), el('b', {}, share.toFixed(3)));
    function choose(one) {
      about.textContent = one.about;
      needle.style.width = `${100 * one.distance}%`;
      distance.textContent = fixed(one.distance, 3);
      meter.classList.toggle('off', one.distance > 1e-6);
      said.textContent = one.sentence;
      small.textContent = `On a small pair of models, where every coin can be tried, the distance over two tokens is ${fixed(one.reference, 3)}.`;
      rows.replaceChildren(...one.distribution.map(({ token, target, broken }) => el('tr', { class: Math.abs(target - broken) > 5e-4 ? 'off' : null },
        el('th', { scope: 'row' }, token), bar('target', target), bar('out', broken))));
    }
    const first = switches.find((one) => one.name === rule) || switches[0];
    const inputs = switches.map((one) => el('label', {}, el('input', { type: 'radio', name: group, value: one.name, checked: one === first, onchange: () => { choose(one); onrule(one === switches[0] ? null : one.name); } }), one.title));
    const meter = el('div', { class: 'sv-distance' }, el('span', {}, 'Distance from the target’s distribution'), el('span', { class: 'sv-scale', 'aria-hidden': 'true' }, needle), distance);
    choose(first);
    return el('section', { class: 'sv-break', 'aria-label': 'Break it' }, el('h3', {}, 'Break it'),
      el('div', { class: 'sv-switches', role: 'radiogroup', 'aria-label': 'The rule' }, inputs),
      el('div', { role: 'status' }, about, meter, said), small,
      el('table', {}, el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Token'), el('th', { scope: 'col' }, 'Target'), el('th', { scope: 'col' }, 'What comes out'))), rows));
  }

  const misconception = ({ think, but }) => el('aside', { class: 'sv-think', 'aria-label': 'People often think' },
    el('h3', {}, 'People often think'), el('blockquote', {}, `“${think}”`), el('p', {}, nodes(but)));

  /** Everything in order, for paper. */
  function printed({ lesson }) {
    const step = ({ say, misconceptions, look }) => el('li', {}, el('p', {}, say), look.where ? el('p', { class: 'sv-hint' }, look.where.words) : null,
      misconceptions.map(({ think, but }) => el('p', {}, el('b', {}, `People often think: “${think}” `), but)));
    return el('section', { class: 'sv-printed' }, el('h2', {}, 'The whole lesson'), el('p', {}, el('b', {}, lesson.question.text)),
      el('ol', { type: 'A' }, lesson.question.choices.map(({ text, answer, right }) => el('li', {}, el('b', {}, `${right ? '✓' : '✗'} ${text} `), answer))),
      el('ol', {}, lesson.steps.map(step)), el('p', {}, el('b', {}, lesson.takeaway)));
  }

  /** Where a step is on the page, as an address. */
  specviz.addressOf = ({ run, at }) => {
    const [kind, names] = [run.slice(0, run.indexOf(':')), run.slice(run.indexOf(':') + 1)];
    const query = new URLSearchParams({ view: at ? 'microscope' : 'race' });
    query.set(kind === 'gallery' ? 'recorded' : 'shown', kind === 'gallery' ? names : run);
    if (at) query.set('at', at);
    return `?${query}`;
  };

  /**
   * A lesson in `root`. Options: `onmove({step, chosen, rule})` after every move; `onopen(where, event)` when a reader wants a
   * step in the Microscope, and `onnext()` for the lesson after this one (null: such links are not offered).
   * States: `step` from 1 (the question) on; `chosen`: the answer chosen (from 1), 'shown', or null before the reveal;
   * `rule`: the switch that breaks the rule of the step's coin, or null.
   */
  specviz.lesson = (root, { onmove = () => {}, onopen = null, onnext = null } = {}) => {
    let data = null;
    let step = 1;
    let chosen = null;
    let rule = null;
    let after = null; // the title of the next lesson
    const total = () => data.lesson.steps.length + 1;
    const progress = el('ol', { class: 'sv-progress', 'aria-label': 'Steps of this lesson' });
    const heading = el('h2', { class: 'sv-kicker', tabindex: -1 });
    const said = el('p', { class: 'sv-say' });
    const runs = el('div', {});
    const stage = el('div', { class: 'sv-lesson-stage' });
    const choices = el('ol', { class: 'sv-choices' });
    const more = el('div', {});
    const foot = el('div', { class: 'sv-lesson-foot', 'data-part': 'lesson-buttons' });
    const paper = el('div', {});
    const view = el('article', { class: 'sv-lesson' }, el('div', { class: 'sv-lesson-bar', 'data-part': 'lesson-bar' }, heading, progress), said, runs, choices, stage, more, foot, paper);
    root.replaceChildren(view);
    const rack = playerRack(stage, (direction) => move(step + direction));
    const pictures = () => (specviz.isDark() ? data.dark || data.light : data.light || data.dark);

    function draw() {
      const asking = step === 1;
      const { question, steps } = data.lesson;
      const scene = asking ? question : steps[step - 2];
      heading.textContent = asking ? (chosen ? 'The answer' : 'The question') : `Step ${step} of ${total()}`;
      view.dataset.step = step;
      view.classList.toggle('asking', asking);
      view.classList.toggle('revealed', chosen !== null);
      said.replaceChildren(...nodes(asking ? question.text : scene.say));
      runs.replaceChildren(...(scene.look.lanes.length ? [lanes(scene.look.lanes, chosen !== null)] : []));
      rack.show(scene.look.picture === null ? null : pictures()[scene.look.picture], scene.look);
      (asking ? choices : more).after(foot);
      choices.hidden = !asking;
      if (asking) drawChoices(question.choices);
      more.replaceChildren(...(asking ? [] : stepParts(scene)));
      foot.replaceChildren(...footParts(scene));
      progress.replaceChildren(...Array.from({ length: total() }, (_, at) => el('li', {}, el('button', { type: 'button', disabled: at > 0 && chosen === null,
        'aria-current': at + 1 === step ? 'step' : null, 'aria-label': at === 0 ? 'The question' : `Step ${at + 1} of ${total()}`, onclick: () => move(at + 1) }, at + 1))));
    }
    function drawChoices(list) {
      choices.replaceChildren(...list.map(({ text, answer, right }, at) => {
        const mine = chosen === at + 1;
        const told = chosen !== null && (mine || right);
        const button = el('button', { type: 'button', class: 'sv-choice', 'aria-pressed': chosen === null ? null : String(mine), disabled: chosen !== null && !mine, onclick: () => choose(at + 1) },
          el('kbd', { 'aria-hidden': 'true' }, at + 1), el('span', {}, text), told ? el('em', {}, right ? '✓ right' : '✗ not so') : null);
        return el('li', { class: told ? (right ? 'right' : 'wrong') : null }, button, told ? el('p', { class: 'sv-answer', role: mine || (right && chosen === SHOWN) ? 'status' : null }, nodes(answer)) : null);
      }));
    }
    function stepParts(scene) {
      const broken = data.breaks[String(step - 2)];
      return [broken ? breakIt(broken, rule, (name) => { rule = name; onmove(state()); }) : null, ...scene.misconceptions.map(misconception), step === total() ? ending() : null].filter(Boolean);
    }
    function ending() {
      const links = data.lesson.tries.map(({ text, link }) => el('li', {}, onopen ? el('a', { href: link }, text) : text));
      return el('section', { class: 'sv-takeaway' }, el('h3', {}, 'To take away'), el('p', {}, nodes(data.lesson.takeaway)),
        links.length ? el('h3', {}, onopen ? 'Try it' : 'Try it in specviz') : null, links.length ? el('ul', {}, links) : null);
    }
    function footParts(scene) {
      const { where } = scene.look;
      const open = where && chosen !== null && el(onopen ? 'a' : 'span', onopen ? { class: 'sv-open', href: specviz.addressOf(where), onclick: (event) => onopen(where, event) } : { class: 'sv-hint' },
        onopen ? (where.at ? 'Open this step in the Microscope' : 'Open these runs on the Race page') : `In specviz: ${where.words}`);
      const button = (words, act, main) => el('button', { type: 'button', class: main ? 'sv-do main' : 'sv-do', onclick: act }, words);
      return [
        chosen === null ? button('Show me', () => reveal(), true) : null,
        step > 1 ? button('‹ Back', () => move(step - 1)) : null,
        chosen !== null && step < total() ? button(step === 1 ? 'See why ›' : 'Go on ›', () => move(step + 1), true) : null,
        chosen !== null && step === total() && onnext ? button(after ? `Next: ${after} ›` : 'All lessons', onnext, true) : null,
        open || null,
        chosen !== null ? button('Start again', restart) : null,
      ].filter(Boolean);
    }

    const state = () => ({ step, chosen, rule });
    function settle() {
      draw();
      onmove(state());
    }
    function choose(number) {
      if (chosen !== null || step !== 1 || number > data.lesson.question.choices.length) return;
      chosen = number;
      settle();
      choices.querySelector('[aria-pressed="true"]').focus({ preventScroll: true });
    }
    function reveal() {
      if (chosen !== null) return;
      chosen = SHOWN;
      settle();
      heading.focus({ preventScroll: true });
    }
    function move(to) {
      if (chosen === null || to < 1 || to > total() || to === step) return;
      step = to;
      rule = null;
      settle();
      heading.focus({ preventScroll: true });
      view.scrollIntoView({ block: 'start', behavior: 'instant' });
    }
    function restart() {
      step = 1;
      chosen = rule = null;
      settle();
      heading.focus({ preventScroll: true });
    }
    /** Keys of a lesson: 1 to 4 choose, Enter reveals, arrows step, Home starts at the question. */
    function keys(event) {
      if (!data || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
      const target = event.target instanceof Element ? event.target : document.body;
      if (target.closest('input, select, textarea, dialog')) return;
      if (event.key === 'Enter' && target.closest('button, a, summary')) return;
      const digit = /^[1-4]$/.test(event.key) ? Number(event.key) : 0;
      const action = digit ? () => choose(digit) : { Enter: reveal, ArrowRight: () => move(step + 1), ArrowLeft: () => move(step - 1), Home: () => move(1) }[event.key];
      if (action) { event.preventDefault(); action(); }
    }

    return {
      element: view,
      keys,
      restart,
      /** Show a lesson from a state (`next`: the title of the one after it); what it asks for and cannot be is left out. */
      load(next, { step: wanted = 1, chosen: answer = null, rule: broken = null, next: title = null } = {}) {
        data = next;
        after = title;
        const number = Number(answer);
        chosen = answer === SHOWN ? SHOWN : Number.isInteger(number) && number >= 1 && number <= data.lesson.question.choices.length ? number : null;
        step = Number.isInteger(wanted) ? Math.max(1, Math.min(wanted, total())) : 1;
        if (step > 1 && chosen === null) chosen = SHOWN;
        rule = broken;
        paper.replaceChildren(printed(data));
        draw();
      },
      /** The same step with other pictures: another theme. */
      repaint(next) { data = next; draw(); },
      state,
    };
  };

  specviz.standalone = specviz.standalone || {};
  /** An exported lesson: everything is in the file. */
  specviz.standalone.lesson = (root, data) => {
    const lesson = specviz.lesson(root);
    lesson.load(data);
    document.addEventListener('keydown', lesson.keys);
    let drawn = specviz.isDark();
    specviz.subscribe('dark', (dark) => { if (dark !== drawn) { drawn = dark; lesson.repaint(data); } });
  };
})();
