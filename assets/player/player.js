/* The player: steps through the scenes of one iteration and keeps every panel in step, without asking the server.
   Give it an `iteration_payload` (specviz/views/scenes.py says what is in it). Needs Plotly and dom.js, nothing else. */
(() => {
  'use strict';
  const specviz = window.specviz;
  const { el, svg } = specviz;

  const PANELS = [
    // name, title, how to read it, height at most
    ['tree', 'Draft tree', 'The guesses, left to right; thicker is likelier.', 760],
    ['mask', 'Attention mask', 'In the one target call each guess sees its own ancestors only.', 380],
    ['probabilities', 'Target and draft', 'Filled: both agree. Hatched: what only one of them wants.', 720],
    ['decision', 'The decision', 'The rule, with this step’s numbers.', 400],
  ];
  const PHASES = { context: 'Context', draft: 'Draft', target: 'Target call', verify: 'Judge', draw: 'Draw', commit: 'Commit' };
  const CONFIG = { responsive: false, displaylogo: false, displayModeBar: false, showSendToCloud: false };
  const ICONS = {
    first: 'M4 4h2v12H4zM16 4v12L7 10z', back: 'M14 4v12L5 10z', play: 'M5 3v14l12-7z', pause: 'M4 3h4v14H4zM12 3h4v14h-4z',
    forward: 'M6 4v12l9-6z', last: 'M14 4h2v12h-2zM4 4v12l9-6z',
  };
  // plotly writes url(#...) for hatching; a <base> would break them whenever the address changes, and ours says './' anyway
  document.querySelector('base')?.remove();

  const icon = (name) => svg('svg', { viewBox: '0 0 20 20', width: 16, height: 16, 'aria-hidden': 'true' }, svg('path', { d: ICONS[name], fill: 'currentColor' }));

  /** The points (tree) or the row (mask) that light up for a node, as a plotly trace drawn over the figure. */
  function focusTrace(name, figure, record, color) {
    const trace = { name: 'focus', type: 'scatter', hoverinfo: 'skip', showlegend: false, cliponaxis: false, x: [], y: [] };
    if (name === 'mask') {
      const cells = figure.data.find((one) => one.type === 'heatmap');
      if (cells && record && record.row !== null) {
        const right = cells.z[0].length - 0.5;
        const [top, bottom] = [record.row - 0.5, record.row + 0.5];
        Object.assign(trace, { x: [-0.5, right, right, -0.5, -0.5], y: [top, top, bottom, bottom, top] });
      }
      return { ...trace, mode: 'lines', line: { color, width: 3 } };
    }
    const sizes = [];
    const widths = [];
    const path = new Set(record ? record.ancestors : []);
    for (const one of figure.data) {
      (one.customdata || []).forEach((data, i) => {
        const node = Array.isArray(data) ? data[0] : data;
        if (!record || node === null || (node !== record.node && !path.has(node))) return;
        trace.x.push(one.x[i]);
        trace.y.push(one.y[i]);
        sizes.push(node === record.node ? 31 : 26);
        widths.push(node === record.node ? 3.5 : 1.2);
      });
    }
    return { ...trace, mode: 'markers', marker: { symbol: 'circle-open', size: sizes, color, line: { width: widths, color } } };
  }

  /** Legends are drawn for wide figures, entries three spaces apart: break them to the width there is, below the figure. */
  function wrapKey(layout, width) {
    const at = (layout.annotations || []).findIndex((one) => one.yref === 'paper' && one.y === 0 && one.yanchor === 'top' && one.x === 0);
    if (at < 0) return;
    const [key] = layout.annotations.splice(at, 1);
    const lines = [];
    let room = 0;
    for (const entry of key.text.replaceAll('<br>', '   ').split(/ {3,}/)) {
      const size = 6.3 * (entry.replace(/<[^>]*>/g, '').replace(/&[^;]*;/g, '.').length + 3);
      if (!lines.length || size > room) { lines.push(entry); room = width - 12 - size; }
      else { lines[lines.length - 1] += `   ${entry}`; room -= size; }
    }
    const before = key.text.split('<br>').length;
    layout.title = { text: lines.join('<br>'), font: key.font, xref: 'container', x: 0, xanchor: 'left', pad: { l: 6, b: 5 + 15 * (lines.length - 1) }, yref: 'container', y: 0, yanchor: 'bottom' };
    let more = 15 * (lines.length - before);
    if (width < 480 && layout.xaxis?.ticktext && layout.xaxis.side !== 'top') more += 30; // tick words will be tilted
    layout.margin.b += more;
    layout.height += more;
  }

  /** The payload with its figures put together: they share traces by number. Done once. */
  function whole(payload) {
    if (!payload.parts) return payload;
    for (const figure of Object.values(payload.figures)) figure.data = figure.data.map((number) => payload.parts[number]);
    delete payload.parts;
    return payload;
  }

  function panel([name, title, help, most]) {
    const plot = el('div', { class: 'sv-plot' });
    const words = el('p', {});
    const nothing = el('p', { class: 'sv-nothing' }, 'Nothing to show in this phase.');
    const more = el('details', { class: 'sv-words' }, el('summary', {}, 'In words'), words);
    const element = el('figure', { class: `sv-panel sv-panel-${name}`, 'data-panel': name },
      el('figcaption', {}, el('h3', {}, title), el('p', {}, help)), plot, nothing, more);
    const linked = name === 'tree' || name === 'mask';
    let drawn = null;
    let lit = null;
    const color = () => getComputedStyle(element).getPropertyValue('--sv-focus').trim();

    function draw(figure, record) {
      const layout = structuredClone(figure.layout);
      layout.height = Math.min(layout.height || most, most);
      layout.width = plot.clientWidth;
      wrapKey(layout, layout.width);
      layout.font = { ...layout.font, family: getComputedStyle(element).fontFamily };
      plot.style.height = `${layout.height}px`;
      const data = structuredClone(figure.data);
      if (linked) data.push(focusTrace(name, figure, record, color()));
      Plotly.react(plot, data, layout, CONFIG);
      drawn = figure;
      lit = record;
    }
    return {
      name, element, plot, linked,
      /** Draw a figure of the payload (none: say so) with a node lit. */
      show(key, payload, record) {
        element.classList.toggle('empty', !key);
        nothing.hidden = Boolean(key);
        plot.hidden = more.hidden = !key;
        words.textContent = key ? payload.texts[key] || '' : '';
        if (!key) drawn = null;
        else if (drawn !== payload.figures[key]) draw(payload.figures[key], record);
        else this.light(record);
      },
      light(record) {
        if (!linked || !drawn || lit === record) return;
        lit = record;
        const trace = focusTrace(name, drawn, record, color());
        const change = { x: [trace.x], y: [trace.y] };
        if (trace.marker) Object.assign(change, { 'marker.size': [trace.marker.size], 'marker.line.width': [trace.marker.line.width] });
        Plotly.restyle(plot, change, [drawn.data.length]);
      },
      fit() { if (drawn && plot.clientWidth && plot.clientWidth !== plot.layout.width) draw(drawn, lit); },
      forget() { drawn = null; },
    };
  }

  /** A player in `root`. Options: `onscene(scene, index)` after each step, `onedge(direction)` when stepping past an end. */
  specviz.player = (root, { onscene = () => {}, onedge = () => {} } = {}) => {
    let payload = null;
    let index = 0;
    let timer = null;
    const panels = PANELS.map(panel);
    const title = el('h2', {});
    const sentence = el('p', { class: 'sv-sentence' });
    const formula = el('p', { class: 'sv-formula' });
    const phases = el('div', { class: 'sv-phases', role: 'group', 'aria-label': 'Phases of this iteration' });
    const range = el('input', { type: 'range', min: 0, max: 0, step: 1, value: 0, 'aria-label': 'Step', oninput: () => show(Number(range.value)) });
    const place = el('span', { class: 'sv-place' });
    const button = (name, label, action) => el('button', { type: 'button', 'data-act': name, 'aria-label': label, 'data-tip': label, onclick: action }, icon(name));
    const play = button('play', 'Play', toggle);
    const speed = el('select', { 'aria-label': 'Speed', title: 'Speed' },
      [['slow', 5000], ['normal', 2500], ['fast', 1000]].map(([name, wait]) => el('option', { value: wait, selected: name === 'normal' }, name)));
    const chips = el('div', { class: 'sv-nodes', role: 'group', 'aria-label': 'Drafted tokens' });
    const about = el('p', { class: 'sv-about', 'aria-hidden': 'true' }); // every chip says the same as its name
    const bar = el('div', { class: 'sv-bar' },
      button('first', 'First step', () => show(0)), button('back', 'Step back', back), play,
      button('forward', 'Step forward', forward), button('last', 'Last step', () => show(1e9)),
      el('div', { class: 'sv-slider' }, phases, range), place, speed);
    const element = el('div', { class: 'sv-player', role: 'group', tabindex: 0, 'aria-label': 'Step player: arrow keys step, space plays' },
      el('div', { class: 'sv-console' }, bar, el('div', { class: 'sv-story', 'aria-live': 'polite' }, title, sentence, formula)),
      el('div', { class: 'sv-panels' }, panels.map((one) => one.element)),
      el('div', { class: 'sv-drafted' }, chips, about));
    root.replaceChildren(element);
    element.addEventListener('keydown', keys);
    new ResizeObserver(() => panels.forEach((one) => one.fit())).observe(element);
    const recordOf = (node) => (payload && payload.nodes.find((one) => one.node === node)) || null;
    const own = () => recordOf(payload.scenes[index].focus);

    function show(wanted) {
      if (!payload) return;
      index = Math.max(0, Math.min(wanted, payload.scenes.length - 1));
      const scene = payload.scenes[index];
      title.textContent = scene.title;
      sentence.textContent = scene.sentence;
      formula.textContent = scene.formula;
      formula.hidden = !scene.formula;
      range.value = index;
      range.setAttribute('aria-valuetext', `${index + 1} of ${payload.scenes.length}: ${scene.title}`);
      place.textContent = `${index + 1} / ${payload.scenes.length}`;
      for (const one of panels) one.show(scene.panels[one.name] || null, payload, own());
      bind();
      for (const mark of phases.children) mark.setAttribute('aria-current', mark.dataset.phase === scene.phase && inside(mark) ? 'step' : 'false');
      element.dataset.scene = scene.key;
      light(own());
      onscene(scene, index);
    }
    const inside = (mark) => index >= Number(mark.dataset.from) && index <= Number(mark.dataset.to);

    function marks() {
      const spans = [];
      payload.scenes.forEach((scene, at) => {
        const last = spans[spans.length - 1];
        if (last && last.phase === scene.phase) last.to = at; else spans.push({ phase: scene.phase, from: at, to: at });
      });
      phases.replaceChildren(...spans.map(({ phase, from, to }) => el('button', { type: 'button', tabindex: -1, class: `sv-phase ${phase}`,
        'data-phase': phase, 'data-from': from, 'data-to': to, style: { 'flex-grow': String(to - from + 1) }, onclick: () => show(from) }, PHASES[phase] || phase)));
    }

    /* One focus for all panels: the node under the pointer, under the keyboard, or the one the scene is about. */
    function light(record) {
      const kin = new Set(record ? record.ancestors : []);
      for (const chip of chips.children) {
        const node = Number(chip.dataset.node);
        chip.classList.toggle('lit', Boolean(record) && node === record.node);
        chip.classList.toggle('kin', kin.has(node));
      }
      about.textContent = record ? record.text : '';
      for (const one of panels) one.light(record);
    }
    function bind() {
      for (const { plot, linked } of panels) {
        if (!linked || plot.dataset.bound || !plot.on) continue;
        plot.dataset.bound = '1';
        plot.on('plotly_hover', (event) => {
          const data = event.points[0].customdata;
          const record = recordOf(Array.isArray(data) ? data[0] : data);
          if (record) light(record);
        });
        plot.on('plotly_unhover', () => light(own()));
      }
    }
    function buildChips() {
      chips.replaceChildren(...payload.nodes.map((record, at) => el('button', { type: 'button', class: 'sv-node', 'data-node': record.node, 'aria-label': record.text,
        tabindex: at === 0 ? 0 : -1, onfocus: () => light(record), onpointerenter: () => light(record),
        onpointerleave: () => light(own()), onblur: () => light(own()) }, record.label)));
      chips.parentElement.hidden = payload.nodes.length === 0;
    }

    function back() { if (index > 0) show(index - 1); else onedge(-1); }
    function forward() { if (payload && index < payload.scenes.length - 1) show(index + 1); else { pause(); onedge(1); } }
    function sign(name, label, pressed) {
      play.replaceChildren(icon(name));
      play.setAttribute('aria-label', label);
      play.dataset.tip = label;
      play.setAttribute('aria-pressed', String(pressed));
    }
    function pause() {
      clearInterval(timer);
      timer = null;
      sign('play', 'Play', false);
    }
    function toggle() {
      if (timer) return pause();
      if (!payload) return;
      if (index >= payload.scenes.length - 1) show(0);
      sign('pause', 'Pause', true);
      timer = setInterval(() => { if (index >= payload.scenes.length - 1) pause(); else show(index + 1); }, Number(speed.value));
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
      const action = { ArrowRight: forward, ArrowLeft: back, Home: () => show(0), End: () => show(1e9), ' ': toggle }[event.key];
      if (action) { event.preventDefault(); action(); }
    }

    return {
      element,
      /** Show a payload from `at`: a scene key, an index, or -1 for the last scene. */
      load(next, at = 0) {
        if (timer && payload && next.iteration !== payload.iteration) pause();
        payload = whole(next);
        for (const one of panels) one.forget();
        range.max = payload.scenes.length - 1;
        element.classList.toggle('tall', Object.entries(payload.figures).some(([key, figure]) => key.startsWith('tree') && figure.layout.height > 300));
        marks();
        buildChips();
        const found = typeof at === 'string' ? payload.scenes.findIndex((scene) => scene.key === at) : at;
        show(found < 0 ? (typeof at === 'string' ? 0 : payload.scenes.length - 1) : found);
      },
      scene: () => (payload ? payload.scenes[index] : null),
      pause,
    };
  };
})();
