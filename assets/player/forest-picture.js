/* One figure of a page: plotly's drawing in a box that scrolls where it must, its key as a list, and its words. */
(() => {
  'use strict';
  const specviz = window.specviz;
  const { el } = specviz;
  const CONFIG = { responsive: false, displaylogo: false, displayModeBar: false, showSendToCloud: false };
  const LARGE = 1.25; // how much larger figures are for a projector

  /** `<span style="color:#hex">■</span> glyph word` of the figures' keys as an element. */
  function entry(text) {
    const [, color, rest] = text.match(/^<span style="color:([^"]*)">■<\/span>(.*)$/) || [null, null, text];
    return el('li', {}, color ? el('i', { 'aria-hidden': 'true', style: { background: color } }) : null, rest.trim());
  }

  /** A figure with its key and its words beside it. `least`: pixels it needs, a narrower box scrolls; `most`: what it takes. */
  specviz.picture = (name, title) => {
    const plot = el('div', { class: 'sv-drawing' });
    const box = el('div', { class: 'sv-scroll', tabindex: 0, role: 'group', 'aria-label': title }, plot);
    const key = el('ul', { class: 'sv-marks-key', 'data-part': 'legend' });
    const words = el('p', {});
    const element = el('figure', { class: `sv-panel sv-forest-${name}` }, box, key, el('details', { class: 'sv-words' }, el('summary', {}, 'In words'), words));
    let shown = null;
    let width = 0; // of the box when it was drawn
    function draw() {
      const { figure, least, most } = shown;
      const scale = document.documentElement.classList.contains('sv-present') ? LARGE : 1;
      const room = Math.floor(box.clientWidth / scale);
      if (!room) return;
      width = box.clientWidth;
      const layout = structuredClone(figure.layout);
      const at = layout.annotations.findIndex((one) => one.yref === 'paper' && one.y === 0 && one.yanchor === 'top');
      const lines = at < 0 ? [] : layout.annotations.splice(at, 1)[0].text.split('<br>');
      layout.margin.b -= 16 * lines.length;
      layout.height -= 16 * lines.length;
      layout.width = Math.max(Math.min(room, most), least);
      layout.font.family = getComputedStyle(element).fontFamily;
      plot.style.zoom = scale;
      plot.style.height = `${layout.height}px`;
      plot.style.width = `${layout.width}px`;
      key.replaceChildren(...lines.flatMap((line) => line.split(/ {3,}/)).map(entry));
      Plotly.react(plot, structuredClone(figure.data), layout, CONFIG);
      if (shown.fresh && box.scrollHeight > box.clientHeight) box.scrollTop = (box.scrollHeight - box.clientHeight) / 2; // the root is in the middle
      shown.fresh = false;
    }
    new ResizeObserver(() => { if (shown && box.clientWidth !== width) draw(); }).observe(element);
    return {
      element, plot,
      show(figure, text, least = 0, most = Infinity) {
        const same = shown && shown.figure.layout.height === figure.layout.height;
        shown = { figure, least, most, fresh: !same };
        words.textContent = text;
        draw();
      },
      fit() { if (shown) draw(); },
    };
  };
})();
