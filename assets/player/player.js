/* The player: steps through the scenes of one iteration and keeps every panel in step, without asking the server.
   Give it an `iteration_payload` (specviz/views/story/scenes.py says what is in it). Needs Plotly, dom.js, panels.js, focus.js,
   pins.js and console.js, nothing else: the page and every exported file use it. */
(() => {
  'use strict';
  const specviz = window.specviz;
  const { el } = specviz;

  const AHEAD = [1, 2, -1, 3]; // the neighbours of a step that are drawn while nothing else is to do, in this order
  const MOST_PINS = 2;
  const idle = window.requestIdleCallback ? (work) => requestIdleCallback(work, { timeout: 1000 }) : (work) => setTimeout(work, 30);
  /** Once what was just changed has been painted and nothing else is to do. */
  const whenIdle = (work) => requestAnimationFrame(() => requestAnimationFrame(() => idle(work)));

  /** The payload with its figures put together: they share traces by number. Done once. */
  function whole(payload) {
    if (!payload.parts) return payload;
    for (const figure of Object.values(payload.figures)) figure.data = figure.data.map((number) => payload.parts[number]);
    delete payload.parts;
    return payload;
  }

  /**
   * A player in `root`. Options: `onscene(scene, index)` after each step, `onedge(direction)` when stepping past an end,
   * `onpins(nodes)` when a reader pins or unpins, `panels`: names of those to show, `compact`: without buttons and slider.
   */
  specviz.player = (root, { onscene = () => {}, onedge = () => {}, onpins = () => {}, panels: names = Object.keys(specviz.PANELS), compact = false } = {}) => {
    let payload = null;
    let scenes = [];
    let records = new Map(); // node: record, roots included
    let index = 0;
    let timer = null;
    let waiting = false;
    let held = null; // the record in focus when it is not the scene's own
    let pins = [];
    const panels = names.map((name) => specviz.panel(name, { onhover: (node) => light(records.get(node) || null), onpick: toggle }));
    const bar = specviz.playerBar({ show, back, forward, toggle: playOrPause });
    const story = specviz.playerStory();
    const board = specviz.pinBoard({ ongo: goTo, onunpin: toggle });
    const chips = el('div', { class: 'sv-nodes', role: 'group', 'aria-label': 'Drafted tokens: arrow keys move, Enter pins' });
    const about = el('p', { class: 'sv-about', 'aria-hidden': 'true' }); // every chip says the same as its name
    const reason = el('p', { class: 'sv-reason sv-formula', 'data-part': 'formula', 'aria-hidden': 'true', hidden: true });
    const heard = el('p', { class: 'sv-hidden', role: 'status' });
    const element = el('div', { class: `sv-player${compact ? ' compact' : ''}`, role: 'group', tabindex: 0, 'aria-label': 'Step player: arrow keys step, space plays' },
      compact ? null : bar.element, el('div', { class: 'sv-console' }, story.element, story.strip),
      el('div', { class: `sv-panels${panels.length < 4 ? ' few' : ''}` }, panels.map((one) => one.element)),
      board.element, el('div', { class: 'sv-drafted', 'data-part': 'nodes' }, chips, about, reason), heard);
    root.replaceChildren(element);
    element.addEventListener('keydown', keys);
    for (const name of ['pointerover', 'focusin']) element.addEventListener(name, (event) => { const node = linked(event.target); if (node !== null) light(records.get(node) || null); });
    for (const name of ['pointerout', 'focusout']) element.addEventListener(name, (event) => { if (linked(event.target) !== null && linked(event.relatedTarget) === null) light(null); });
    element.addEventListener('click', (event) => {
      const node = linked(event.target);
      if (node === null || event.target.closest('.sv-card')) return;
      const top = event.target.getBoundingClientRect().top;
      toggle(node);
      window.scrollBy({ top: event.target.getBoundingClientRect().top - top, behavior: 'instant' }); // the cards above a chip push it down
    });
    new IntersectionObserver(([title]) => bar.title(!title.isIntersecting)).observe(story.title);
    new ResizeObserver(() => { if (panels.map((one) => one.fit()).some(Boolean)) { relight(); plan(); } }).observe(element);
    specviz.subscribe('present', () => { if (panels.map((one) => one.fit()).some(Boolean)) relight(); });
    window.addEventListener('beforeprint', () => element.querySelectorAll('details').forEach((one) => { one.open = true; }));

    /** The node that something in the page stands for, or null. */
    function linked(target) {
      const owner = target instanceof Element && target.closest('[data-node]');
      return owner && element.contains(owner) ? Number(owner.dataset.node) : null;
    }
    const own = () => records.get(scenes[index].focus) || null;
    const figureOf = (scene, panel) => payload.figures[scene.panels[panel.name]] || null;

    function show(wanted) {
      if (!payload) return;
      index = Math.max(0, Math.min(wanted, scenes.length - 1));
      const scene = scenes[index];
      story.step(scene);
      bar.step(index, scenes);
      for (const one of panels) one.show(figureOf(scene, one), payload.texts[scene.panels[one.name]] || '', comes(one));
      element.dataset.scene = scene.key;
      held = null;
      for (const chip of chips.children) name(chip);
      relight();
      plan();
      onscene(scene, index);
    }
    /** When an empty panel has something to show. */
    function comes(panel) {
      const at = scenes.findIndex((scene, at) => at > index && figureOf(scene, panel));
      return at < 0 ? 'Nothing to show at this step.' : `Comes at step ${at + 1}: ${scenes[at].title}.`;
    }
    function goTo(key) {
      const at = scenes.findIndex((scene) => scene.key === key);
      if (at >= 0) show(at);
    }

    /* While nothing else is to do, the figures of the neighbouring steps are drawn, one at a time. */
    function plan() {
      if (waiting) return;
      waiting = true;
      whenIdle(() => {
        waiting = false;
        for (const step of AHEAD) {
          const scene = scenes[index + step];
          for (const one of scene ? panels : []) {
            const figure = figureOf(scene, one);
            if (figure && one.ahead(figure)) return plan();
          }
        }
      });
    }

    /* One focus for all views: the node under the pointer, under the keyboard, or the one the scene is about. */
    function light(record) {
      if (!payload || held === record) return;
      held = record;
      relight();
    }
    function relight() {
      if (!payload) return;
      const record = held || own();
      const kin = new Set(record ? record.ancestors : []);
      for (const group of [chips, story.strip]) {
        for (const one of group.querySelectorAll('[data-node]')) {
          const node = Number(one.dataset.node);
          one.classList.toggle('lit', Boolean(record) && node === record.node);
          one.classList.toggle('kin', kin.has(node));
        }
      }
      about.textContent = record ? told(record) : '';
      const formula = record ? decided(record) : '';
      reason.textContent = formula;
      reason.hidden = !formula || formula === scenes[index].formula;
      for (const one of panels) one.mark({ record, pins });
      board.show(pins, say);
    }

    /** What has come of a node by this step, '' where no tree is drawn. */
    function outcome(record) {
      const tree = payload.figures[scenes[index].panels.tree];
      const mark = tree && tree.data.find((trace) => (trace.customdata || []).includes(record.node));
      return mark ? mark.name : '';
    }
    /** The formula that decides about a node, once it has been told. */
    function decided(record) {
      return scenes.findIndex((scene) => scene.key === record.scene) > index ? '' : record.formula || '';
    }
    /** A node in a sentence, as far as this step knows. */
    const told = (record) => [record.text, record.node >= 0 && outcome(record)].filter(Boolean).join(', ');
    function name(chip) {
      const record = records.get(Number(chip.dataset.node));
      chip.setAttribute('aria-label', [told(record), decided(record)].filter(Boolean).join('. '));
    }
    /** What a pinned node's card says of it at this step. */
    function say(record) {
      const mask = payload.figures.mask;
      return {
        path: [...record.ancestors].reverse().concat(record.node).map((node) => (records.get(node) || { label: node < 0 ? 'context' : `node ${node}` }).label).join(' → '),
        outcome: outcome(record) || 'not drafted yet',
        formula: decided(record),
        rows: mask ? mask.data[0].z.length : '?',
      };
    }
    /** Pin a drafted node, or let it go; a third replaces the older one. */
    function toggle(node) {
      const record = records.get(node);
      if (!record || node < 0) return;
      const was = pins.includes(record);
      setPins(was ? pins.filter((one) => one !== record) : [...pins, record].slice(-MOST_PINS));
      heard.textContent = was ? `Unpinned ${record.label}` : `Pinned ${pins.length}: ${record.label}`;
      onpins(pins.map((one) => one.node));
    }
    function setPins(next) {
      pins = next;
      for (const chip of chips.children) {
        const at = pins.findIndex((one) => one.node === Number(chip.dataset.node));
        chip.setAttribute('aria-pressed', String(at >= 0));
        if (at >= 0) chip.dataset.pin = at + 1; else delete chip.dataset.pin;
      }
      relight();
    }
    function buildChips() {
      chips.replaceChildren(...payload.nodes.map((record, at) => el('button', { type: 'button', class: 'sv-node', 'data-node': record.node, 'aria-pressed': 'false',
        tabindex: at === 0 ? 0 : -1 }, record.label)));
      chips.parentElement.hidden = payload.nodes.length === 0;
    }

    function back() { if (index > 0) show(index - 1); else onedge(-1); }
    function forward() { if (payload && index < scenes.length - 1) show(index + 1); else { pause(); onedge(1); } }
    function pause() {
      clearTimeout(timer);
      timer = null;
      bar.playing(false);
    }
    function playOn() {
      timer = setTimeout(() => { if (index >= scenes.length - 1) pause(); else { show(index + 1); playOn(); } }, bar.wait());
    }
    function playOrPause() {
      if (timer) return pause();
      if (!payload) return;
      if (index >= scenes.length - 1) show(0);
      bar.playing(true);
      playOn();
    }
    function keys(event) {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      const chip = event.target.closest('.sv-node');
      if (chip && (event.key === 'ArrowRight' || event.key === 'ArrowLeft')) {
        const next = event.key === 'ArrowRight' ? chip.nextElementSibling : chip.previousElementSibling;
        if (next) { event.preventDefault(); chip.tabIndex = -1; next.tabIndex = 0; next.focus(); }
        return;
      }
      if (event.target.closest('select, summary') || (event.key === ' ' && event.target.closest('button'))) return;
      const action = { ArrowRight: forward, ArrowLeft: back, Home: () => show(0), End: () => show(1e9), ' ': playOrPause,
        Escape: pins.length ? () => { setPins([]); onpins([]); } : null }[event.key];
      if (action) { event.preventDefault(); action(); }
    }

    return {
      element,
      /** Show a payload from `at`: a scene key, an index, or -1 for the last scene; `only`: the keys of the scenes to step through. */
      load(next, at = 0, { only = null } = {}) {
        if (timer && payload && next.iteration !== payload.iteration) pause();
        payload = whole(next);
        const before = pins;
        scenes = payload.scenes.filter((scene) => !only || only.includes(scene.key));
        if (!scenes.length) scenes = payload.scenes;
        records = new Map([...(payload.roots || []), ...payload.nodes].map((record) => [record.node, record]));
        element.classList.toggle('tall', Object.entries(payload.figures).some(([key, figure]) => key.startsWith('tree') && figure.layout.height > 300));
        bar.build(scenes);
        const entire = !only || scenes.some((scene) => scene.phase === 'commit'); // else the text would show the outcome
        story.build(entire && payload.text ? payload.text : null, payload.roots?.length === 1 ? payload.roots[0].node : null);
        index = 0;
        held = null;
        pins = [];
        buildChips();
        for (const one of panels) {
          one.about({ ever: scenes.some((scene) => figureOf(scene, one)), drafted: payload.nodes.length > 0 });
          one.fit();
        }
        const found = typeof at === 'string' ? scenes.findIndex((scene) => scene.key === at) : at;
        show(found < 0 ? (typeof at === 'string' ? 0 : scenes.length - 1) : found);
        const same = before.filter((pin) => records.get(pin.node)?.text === pin.text); // the same step in another theme
        if (same.length) setPins(same.map((pin) => records.get(pin.node)));
        if (same.length < before.length) onpins(same.map((pin) => pin.node));
      },
      scene: () => (payload ? scenes[index] : null),
      pause,
      /** Pin these nodes, at most two; those that do not exist are left out. Does not call `onpins`. */
      pin(nodes) { if (payload) setPins([...new Set(nodes)].filter((node) => node >= 0 && records.has(node)).slice(-MOST_PINS).map((node) => records.get(node))); },
      /** Light a node in all views until the pointer or a step says otherwise; null: the scene's own. */
      focus(node) { light(records.get(node) || null); },
      /** The plotly element that a panel shows, or null. */
      gd: (name) => panels.find((one) => one.name === name)?.gd() || null,
    };
  };
})();
