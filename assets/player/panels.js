/* The panels of the player. A panel keeps the plots it has drawn, each in a box of its own, and draws the neighbours of
   a step ahead, so that a step only changes which box is seen. */
(() => {
  'use strict';
  const specviz = window.specviz;
  const { el, svg } = specviz;

  const KEPT = 7; // plots that a panel keeps: those around a step, and the last ones seen
  const LARGE = 1.25; // how much larger plots are for a projector
  const CONFIG = { responsive: false, displaylogo: false, displayModeBar: false, showSendToCloud: false };
  /** name: title, how to read it, height at most; title and reading where nothing was drafted. */
  specviz.PANELS = {
    tree: ['Draft tree', 'The guesses, left to right; thicker is likelier.', 1180, ['What was drawn', 'The target’s own draws, left to right.']],
    mask: ['Attention mask', 'In the one target call each guess sees its own ancestors only.', 500, ['Attention mask', 'In the target call each row sees its own past only.']],
    probabilities: ['Target and draft', 'Filled: both agree. Hatched: what only one of them wants.', 720],
    decision: ['The decision', 'The rule, with this step’s numbers.', 400],
  };
  // plotly writes url(#...) for hatching; a <base> would break them whenever the address changes, and ours says './' anyway
  document.querySelector('base')?.remove();

  /** Legends are drawn for wide figures, entries three spaces apart: break them to the width there is, below the figure. */
  function wrapKey(layout, width) {
    const at = layout.annotations.findIndex((one) => one.yref === 'paper' && one.y === 0 && one.yanchor === 'top' && one.x === 0);
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

  /** A tree says how long the words right of its marks are: where they would be cut, the axis goes on to the right. */
  function makeRoom(layout, width) {
    const [from, to] = layout.xaxis?.range || [];
    const space = width - layout.margin.l - layout.margin.r;
    const ends = (layout.meta?.labels || []).map(([x, length]) => from + (space * (x - from)) / Math.max(60, space - 24 - 7 * length));
    if (ends.length) layout.xaxis.range = [from, Math.max(to, ...ends)];
  }

  let family = null;
  /** The figure's layout for a width: a copy as deep as plotly writes into it. */
  function layoutFor(figure, width, most) {
    family = family || getComputedStyle(document.documentElement).getPropertyValue('--sv-sans').trim();
    const from = figure.layout;
    const layout = { ...from, width, height: Math.min(from.height || most, most), margin: { ...from.margin }, font: { ...from.font, family }, annotations: [...(from.annotations || [])] };
    for (const key of Object.keys(layout)) if (/^[xy]axis\d*$/.test(key)) layout[key] = { ...layout[key] };
    makeRoom(layout, width);
    wrapKey(layout, width);
    return layout;
  }

  /** One panel. `onhover(node | null)` and `onpick(node)` hear of what the pointer does in its plots. */
  specviz.panel = (name, { onhover, onpick }) => {
    const [title, help, most, undrafted = [title, help]] = specviz.PANELS[name];
    const marks = svg('svg', { class: 'sv-marks', 'aria-hidden': 'true' });
    const stage = el('div', { class: 'sv-stage' }, marks);
    const words = el('p', {});
    const nothing = el('p', { class: 'sv-nothing' }, '');
    const more = el('details', { class: 'sv-words', 'data-part': 'words' }, el('summary', {}, 'In words'), words);
    const element = el('figure', { class: `sv-panel sv-panel-${name}`, 'data-panel': name, 'data-part': name },
      el('figcaption', {}, el('h3', {}, title), el('p', {}, help)), stage, nothing, more);
    const kept = []; // {figure, width, scale, plot}, the last used last
    let wanted = false; // the figure to be seen; false before the first step
    let seen = null; // the box that is
    let common = { record: null, pins: [] };
    let width = 0;
    let scale = 1;

    const fits = (box) => box.width === width && box.scale === scale;
    const find = (figure) => kept.find((box) => box.figure === figure && fits(box));
    function use(box) {
      kept.splice(kept.indexOf(box), 1);
      kept.push(box);
      return box;
    }
    /** A free box: one that no longer fits, a new one, or the one not seen for longest. */
    function free() {
      const spare = kept.find((box) => box !== seen && !fits(box)) || (kept.length < KEPT ? null : kept.find((box) => box !== seen));
      if (spare) return use(spare);
      const box = { plot: el('div', { class: 'sv-kept' }) };
      stage.insertBefore(box.plot, marks);
      kept.push(box);
      return box;
    }
    function draw(figure) {
      const box = free();
      Object.assign(box, { figure, width, scale });
      const layout = layoutFor(figure, Math.floor(width / scale), most);
      box.height = layout.height;
      box.plot.classList.add('drawing'); // words can be measured only where there is space for them
      const done = Plotly.react(box.plot, figure.data.map((trace) => ({ ...trace })), layout, CONFIG);
      done.then(() => {
        box.plot.classList.remove('drawing');
        if (box === seen) mark(); // margins may have made space for words meanwhile
      });
      if (!box.bound) {
        box.bound = true;
        box.plot.on('plotly_hover', (event) => onhover(specviz.nodeUnder(event.points)));
        box.plot.on('plotly_unhover', () => onhover(null));
        box.plot.on('plotly_click', (event) => onpick(specviz.nodeUnder(event.points)));
      }
      return box;
    }
    function see(box) {
      if (box !== seen) {
        if (seen) seen.plot.classList.replace('sv-plot', 'sv-kept');
        if (box) {
          box.plot.classList.replace('sv-kept', 'sv-plot');
          stage.prepend(box.plot);
        }
        seen = box;
      }
      const size = `${Math.ceil(box ? box.height * scale : 0)}px`;
      if (stage.style.height !== size) stage.style.height = size;
    }
    function mark() {
      marks.replaceChildren(...(seen ? specviz.marksOn(seen.plot, seen.figure, common) : []));
    }
    function update() {
      if (!wanted) see(null);
      else if (width) see(use(find(wanted) || draw(wanted)));
    }
    return {
      name, element,
      /** Whether this iteration ever has something to show here, and whether there are drafted tokens in it. */
      about({ ever, drafted }) {
        element.classList.toggle('never', !ever);
        element.querySelectorAll('figcaption > *').forEach((one, at) => { one.textContent = (drafted ? [title, help] : undrafted)[at]; });
      },
      /** The plotly element that is seen, or null. */
      gd: () => (seen ? seen.plot : null),
      /** See a figure with its words; null: say with `without` that there is nothing yet. */
      show(figure, text, without) {
        if (!figure) nothing.textContent = without;
        if (figure === wanted) return;
        wanted = figure;
        element.classList.toggle('empty', !figure);
        nothing.hidden = Boolean(figure);
        stage.hidden = more.hidden = !figure;
        words.textContent = text;
        update();
      },
      /** Draw a figure ahead; false when that is done already, or there is no space to draw in. */
      ahead(figure) {
        if (!width || find(figure)) return false;
        draw(figure);
        return true;
      },
      /** Take a new width, or large type, into account. */
      fit(given = element.clientWidth) {
        const style = getComputedStyle(element);
        const room = Math.floor(given - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight));
        const large = document.documentElement.classList.contains('sv-present') ? LARGE : 1;
        if (room <= 0 || (room === width && large === scale)) return false;
        width = room;
        scale = large;
        stage.style.setProperty('--sv-scale', scale);
        update();
        return true;
      },
      /** Light what the views have in common: {record, pins} (focus.js). */
      mark(next) {
        common = next;
        mark();
      },
    };
  };
})();
