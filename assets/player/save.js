/* "Save": the step as one offline HTML file, what is drawn as PNG, SVG or PDF, the lane's trace as JSON, a link, or paper. */
(() => {
  'use strict';
  const specviz = window.specviz;
  const { el } = specviz;
  const SHARP = 1400; // pixels across that a PNG has at least
  const LINE = 18; // pixels a line of a title
  const TYPES = { html: 'text/html', json: 'application/json', pdf: 'application/pdf' };

  function download(name, blob) {
    const url = URL.createObjectURL(blob);
    el('a', { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  }
  const bytes = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  /* plotly's texts are markup */
  const markup = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

  /** Words in lines of at most `most` letters. */
  function wrapped(text, most) {
    const lines = [''];
    for (const word of text.split(' ')) {
      if (lines.at(-1) && lines.at(-1).length + word.length >= most) lines.push(word);
      else lines[lines.length - 1] += (lines.at(-1) ? ' ' : '') + word;
    }
    return lines;
  }
  /** What a panel shows, as a figure of its own: with a title and a background. The marks of focus and pins are not part of it. */
  function sheet(gd, title) {
    const style = getComputedStyle(document.querySelector('.sv-island'));
    const layout = structuredClone(gd.layout);
    const top = layout.margin?.t ?? 80;
    const lines = wrapped(title, layout.width / 8);
    const room = 16 + LINE * lines.length;
    layout.margin = { ...layout.margin, t: top + room };
    layout.height += room;
    layout.paper_bgcolor = style.getPropertyValue('--sv-paper').trim();
    layout.annotations = [...(layout.annotations || []), { text: `<b>${lines.map(markup).join('<br>')}</b>`, showarrow: false, xref: 'paper', yref: 'paper', x: 0, y: 1, xanchor: 'left',
      yanchor: 'bottom', xshift: 10 - gd._fullLayout._size.l, yshift: top + 8, align: 'left', font: { size: 14, color: style.getPropertyValue('--sv-ink').trim() } }];
    return { data: gd.data, layout };
  }
  async function image(gd, format, title) {
    const figure = sheet(gd, title);
    const { width, height } = figure.layout;
    const url = await Plotly.toImage(figure, { format, width, height, scale: format === 'png' ? Math.max(2, SHARP / width) : 1 });
    return format === 'svg' ? new Blob([decodeURIComponent(url.slice(url.indexOf(',') + 1))], { type: 'image/svg+xml' })
      : new Blob([bytes(url.slice(url.indexOf(',') + 1))], { type: 'image/png' });
  }

  /** The menu. `step()` says what is on screen: {stem, lane stem, title, scene, figures: panel -> key, replayed}; `plot(panel)` is its
      plotly element; `server` has step, figure and trace, each taking `request(more)`. `tell(text)` says what went wrong. */
  specviz.saveMenu = ({ step, plot, server, request, tell }) => {
    const progress = el('p', { class: 'sv-saving', role: 'status' });
    const pictures = el('div', { class: 'sv-pictures' });
    const note = el('p', { class: 'sv-save-note', hidden: true }, 'The HTML file and the trace hold the recorded step, not the replayed one. Figures are saved as they are on screen.');
    const whole = el('button', { type: 'button', class: 'sv-item', onclick: (event) => busy(event, 'Writing the HTML file, some megabytes …', () => fromServer('step', { scene: step().scene })) },
      'This step as one HTML file', el('small', {}, 'Opens offline, with the same player'));
    const trace = el('button', { type: 'button', class: 'sv-item', onclick: (event) => busy(event, 'Writing the trace …', () => fromServer('trace', {})) },
      'The lane’s trace as JSON', el('small', {}, 'Opens again in the Library'));
    const paper = el('button', { type: 'button', class: 'sv-item', onclick: () => { menu.open = false; window.print(); } }, 'Print this step …');
    const items = el('div', { class: 'sv-save-items' }, whole, pictures, trace, paper, specviz.linkButton(() => specviz.go('library')), note, progress);
    const menu = el('details', { class: 'sv-save', 'data-part': 'save', ontoggle: () => { if (menu.open) fill(); } }, el('summary', { class: 'sv-chip' }, 'Save'), items);
    menu.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || !menu.open) return;
      menu.open = false;
      menu.firstElementChild.focus();
    });
    document.addEventListener('pointerdown', (event) => { if (menu.open && !menu.contains(event.target)) menu.open = false; });

    async function fromServer(call, more) {
      const answer = JSON.parse(await server[call](request(more)));
      if (answer.error) throw new Error(answer.error);
      const parts = 'base64' in answer ? [bytes(answer.base64)] : [answer.text];
      download(answer.name, new Blob(parts, { type: TYPES[answer.name.split('.').pop()] }));
    }
    async function busy({ currentTarget }, text, work) {
      if (menu.hasAttribute('aria-busy')) return;
      menu.setAttribute('aria-busy', 'true');
      currentTarget.classList.add('busy');
      progress.textContent = text;
      tell('');
      try {
        await work();
        progress.textContent = 'Saved.';
      } catch (error) {
        progress.textContent = '';
        tell(error.message || 'The server did not answer. Try again.');
      }
      currentTarget.classList.remove('busy');
      menu.removeAttribute('aria-busy');
    }
    function picture(panel, key) {
      const name = specviz.PANELS[panel][0];
      const title = () => { const now = step(); return `${name}. ${now.title}${now.replayed ? ' (replayed)' : ''}`; };
      const local = (format) => async () => download(`${step().stem}-${key}.${format}`, await image(plot(panel), format, title()));
      const far = () => fromServer('figure', { figure: key, scene: step().scene, format: 'pdf', ...(step().replayed || {}) });
      return el('div', { role: 'group', 'aria-label': name }, el('span', {}, name), [['png', local('png')], ['svg', local('svg')], ['pdf', far]].map(([format, work]) =>
        el('button', { type: 'button', class: 'sv-chip', 'aria-label': `${name} as ${format.toUpperCase()}`, onclick: (event) => busy(event, `Drawing the ${format.toUpperCase()} …`, work) }, format.toUpperCase())));
    }
    /** The menu for what is on screen. */
    function fill() {
      const now = step();
      progress.textContent = '';
      note.hidden = !now.replayed;
      pictures.replaceChildren(...Object.entries(now.figures).filter(([panel]) => plot(panel)).map(([panel, key]) => picture(panel, key)));
    }
    return { element: menu, refresh() { if (menu.open) fill(); } };
  };
})();
