/* The Library: runs on shelves, one way to pick and compare them, files in and out. Traces stay on the server, which answers
   for (run, lane); the browser remembers only which runs are this visit's. */
(() => {
  'use strict';
  const specviz = window.specviz;
  const { el } = specviz;
  const COLUMNS = [
    ['title', 'Method'], ['prompt', 'Prompt'], ['tokens', 'Tokens'], ['tokens_per_target_call', 'Tokens per target call'],
    ['acceptance_rate', 'Acceptance'], ['perplexity', 'Perplexity'], ['tokens_per_second', 'Tokens/s'], ['size', 'Size'],
  ];
  const SHELVES = [['recorded', 'Recorded runs'], ['visit', 'Runs of this visit'], ['file', 'Opened files']];
  const EMPTY = { visit: 'Runs that you make on the Race page appear here until you reload the page.', file: 'Files that you open appear here.' };
  const RACE = /^[0-9a-f]{32}$/; // the id of a race run here
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

  /** Save text, bytes or a Blob as a file of the reader's. */
  specviz.download = (name, content, type = 'application/json') => {
    const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
    el('a', { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  };
  const bytesOf = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

  const STEP = ['at', 'pins', 'replay']; // where the Microscope stands, in the address
  const screenNow = (page) => Object.fromEntries([['view', page], ...STEP.map((name) => [name, specviz.link.get(name)])].filter(([, value]) => value !== null));

  /** The rows on their shelves: sorted by any column, filtered by text, up to `most` picked. */
  function table({ most, help }, onpick) {
    const picked = new Map();
    let rows = { recorded: [], visit: [], file: [] };
    const [, down, column] = /^(-?)(.*)$/.exec(specviz.link.get('sort') || '');
    let order = COLUMNS.some(([name]) => name === column) ? { column, down: Boolean(down) } : { column: null, down: false };
    const said = el('p', { class: 'sv-said', role: 'status' });
    const filter = el('input', { type: 'search', id: 'sv-library-filter', placeholder: 'mtad, fairy tale, tau 0.1 …', autocomplete: 'off',
      value: (specviz.link.get('find') || '').slice(0, 200), oninput: () => { specviz.link.set({ find: filter.value || null }); draw(); } });
    const heads = COLUMNS.map(([name, label]) => el('th', { scope: 'col', role: 'columnheader', 'data-column': name },
      el('button', { type: 'button', 'data-tip': help[name] || null, onclick: () => sort(name) }, label, el('i', { 'aria-hidden': 'true' }))));
    const groups = SHELVES.map(([shelf]) => el('tbody', { role: 'rowgroup', 'data-shelf': shelf }));
    const element = el('div', { class: 'sv-shelves', 'data-part': 'shelves' },
      el('div', { class: 'sv-find' }, el('label', { for: 'sv-library-filter' }, 'Find'), filter, said),
      el('table', { role: 'table', 'aria-label': 'Runs' }, el('thead', { role: 'rowgroup' },
        el('tr', { role: 'row' }, el('th', { scope: 'col', role: 'columnheader' }, el('span', { class: 'sv-hidden' }, 'Pick')), heads)), groups));

    const keyOf = (row) => `${row.run}.${row.lane}`;
    const wordsOf = (row) => `${row.title} ${row.method} ${row.guarantee.name} ${row.set} ${row.prompt}`.toLowerCase();
    const valueOf = (row, column) => (column in row.numbers ? row.numbers[column][0] : row[column].toLowerCase());
    function sort(column) {
      order = { column, down: order.column === column ? !order.down : column !== 'title' && column !== 'prompt' }; // large numbers first
      specviz.link.set({ sort: (order.down ? '-' : '') + column });
      draw();
    }
    function compare(a, b) {
      const [left, right] = [valueOf(a, order.column), valueOf(b, order.column)];
      if (left === null || right === null) return (left === null) - (right === null); // rows without the number come last
      return (left < right ? -1 : left > right ? 1 : 0) * (order.down ? -1 : 1);
    }
    function pick(row, box) {
      if (box.checked && picked.size >= most) {
        box.checked = false;
        said.textContent = `${most} runs at most: put one back first.`;
        return;
      }
      if (box.checked) picked.set(keyOf(row), row); else picked.delete(keyOf(row));
      said.textContent = '';
      box.closest('tr').classList.toggle('picked', box.checked);
      onpick([...picked.values()]);
    }
    function line(row) {
      const box = el('input', { type: 'checkbox', checked: picked.has(keyOf(row)), 'aria-label': `Pick ${row.title}: ${row.prompt.slice(0, 40)}`, onchange: () => pick(row, box) });
      const meter = specviz.meter(row.method, { options: row.options, guarantee: row.guarantee });
      const cell = (name, ...content) => el('td', { role: 'cell', 'data-column': name }, ...content);
      return el('tr', { role: 'row', class: box.checked ? 'picked' : null }, cell('pick', box),
        cell('title', el('b', { dir: 'auto', 'data-tip': row.set || null, tabindex: row.set ? 0 : null }, row.title), ' ', meter),
        cell('prompt', el('span', { dir: 'auto' }, row.prompt)),
        COLUMNS.slice(2).map(([name, label]) => cell(name, el('span', { class: 'sv-label', 'aria-hidden': 'true' }, `${label} `), row.numbers[name][1])));
    }
    function draw() {
      const wanted = filter.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
      let count = 0;
      for (const head of heads) {
        const mine = head.dataset.column === order.column;
        if (mine) head.setAttribute('aria-sort', order.down ? 'descending' : 'ascending'); else head.removeAttribute('aria-sort');
        head.querySelector('i').textContent = mine ? (order.down ? ' ▼' : ' ▲') : '';
      }
      SHELVES.forEach(([shelf, title], at) => {
        const found = rows[shelf].filter((row) => wanted.every((word) => wordsOf(row).includes(word)));
        if (order.column) found.sort(compare);
        count += found.length;
        const note = rows[shelf].length ? (found.length ? null : 'Nothing here fits.') : EMPTY[shelf] || 'None.';
        const wide = (tag, attributes, text) => el('tr', { role: 'row' }, el(tag, { colspan: COLUMNS.length + 1, ...attributes }, text));
        groups[at].replaceChildren(wide('th', { scope: 'rowgroup', role: 'rowheader', class: 'sv-shelf' }, title),
          ...(note ? [wide('td', { role: 'cell', class: 'sv-none' }, note)] : []), ...found.map(line));
      });
      said.textContent = wanted.length ? `${count} found` : '';
    }
    return {
      element,
      /** {recorded, visit, file}: the rows of each shelf. What is gone is no longer picked. */
      fill(next) {
        rows = next;
        const there = new Set(Object.values(rows).flat().map(keyOf));
        for (const key of [...picked.keys()]) if (!there.has(key)) picked.delete(key);
        draw();
        onpick([...picked.values()]);
      },
    };
  }

  specviz.mount.library = (root, { props, server }) => {
    const setup = JSON.parse(props.setup);
    const mine = { visit: [], file: [] }; // run ids, newest first
    let picked = [];
    let page = 'race'; // where the race was looked at: here or in the Microscope
    const alert = el('div', { class: 'sv-alert', role: 'alert' });
    const done = el('p', { class: 'sv-done', role: 'status' });
    const call = async (name, request) => {
      let answer = null;
      try { answer = JSON.parse(await server[name](request)); } catch { /* said below */ }
      return answer || { error: 'The server did not answer, or refused the size of the request. Try again.' };
    };

    /* What is on screen, and what is picked. */
    const onScreen = el('p', { class: 'sv-on-screen', dir: 'auto' });
    const saveRace = el('button', { type: 'button', class: 'sv-do', onclick: () => save(lanesOnScreen(), screenNow(page)) }, 'Save this race and its screen');
    const share = specviz.linkButton(() => saveRace.click());
    const actions = [
      ['Show on the Race page', 1, () => present('race')],
      ['Open in the Microscope', 1, () => present('microscope')],
      ['Save as a file', 1, () => save(picked.map(({ run, lane }) => [run, lane]), null)],
    ].map(([label, least, act]) => ({ least, button: el('button', { type: 'button', class: 'sv-do', disabled: true, onclick: act }, label) }));
    const count = el('span', { class: 'sv-picked' });
    const bar = el('div', { class: 'sv-toolbar', role: 'group', 'aria-label': 'With the picked runs', 'data-part': 'actions' }, count, actions.map(({ button }) => button));
    const shelves = table(setup, (rows) => {
      picked = rows;
      count.textContent = rows.length ? `${rows.length} picked` : `Pick up to ${setup.most} runs`;
      for (const { button, least } of actions) button.disabled = rows.length < least;
      actions[0].button.textContent = rows.length > 1 ? 'Compare on the Race page' : 'Show on the Race page';
    });
    const lanesOnScreen = () => { const race = specviz.latest('race'); return race ? race.lanes.flatMap((lane, at) => (lane ? [[race.run, at]] : [])) : []; };

    /* Files in. */
    const input = el('input', { type: 'file', class: 'sv-hidden', id: 'sv-library-file', accept: '.json,application/json', multiple: true, onchange: () => { openFiles([...input.files]); input.value = ''; } });
    const drop = el('div', { class: 'sv-drop', 'data-part': 'open' }, input, el('label', { for: 'sv-library-file', class: 'sv-do' }, 'Open a saved trace or race'),
      el('span', {}, `or drop it here. JSON, up to ${megabytes(setup.largest)}; it is checked before anything of it is shown.`));
    drop.addEventListener('dragover', (event) => { event.preventDefault(); drop.classList.add('over'); });
    drop.addEventListener('dragleave', () => drop.classList.remove('over'));
    drop.addEventListener('drop', (event) => { event.preventDefault(); drop.classList.remove('over'); openFiles([...event.dataTransfer.files]); });

    const figures = specviz.libraryFigures(call, refuse);
    root.replaceChildren(el('div', { class: 'sv-page sv-library' }, el('h1', { class: 'sv-hidden' }, 'Library'),
      el('p', { class: 'sv-intro', 'data-part': 'intro' }, specviz.explained(setup.intro)),
      el('div', { class: 'sv-boxes' },
        el('section', { class: 'sv-box', 'aria-label': 'On screen', 'data-part': 'screen' }, el('h2', {}, 'On screen now'), onScreen, el('div', { class: 'sv-row' }, saveRace, share)),
        el('section', { class: 'sv-box', 'aria-label': 'Open a file', 'data-part': 'open' }, el('h2', {}, 'Open'), drop)),
      alert, done, bar, shelves.element, figures.element));

    function refuse(message) { alert.textContent = message; done.textContent = ''; }
    function accept(message = '') { alert.textContent = ''; done.textContent = message; }

    async function openFiles(files) {
      accept();
      const opened = [];
      for (const file of files.slice(0, 8)) {
        done.textContent = `Checking ${file.name} …`;
        const answer = await openFile(file);
        if (answer.error) { await fill(); return refuse(`${file.name}: ${answer.error}. Nothing was opened from it.`.replace('..', '.')); }
        mine.file = [answer.race.run, ...mine.file.filter((run) => run !== answer.race.run)];
        opened.push(answer);
      }
      accept(`Opened ${opened.length === 1 ? files[0].name : `${opened.length} files`}.`);
      await fill();
      if (opened.length === 1) display(opened[0].race, opened[0].screen);
    }
    async function openFile(file) {
      if (file.size === 0) return { error: 'the file is empty' };
      if (file.size > setup.largest) return { error: `the file has ${megabytes(file.size)}; this page opens up to ${megabytes(setup.largest)}` };
      let text;
      try { text = await file.text(); } catch { return { error: 'the file could not be read' }; }
      return call('open', text);
    }
    /** Put a race on screen, as it was seen when it was saved. */
    function display(race, screen) {
      specviz.publish('show', race);
      specviz.link.set(Object.fromEntries(STEP.map((name) => [name, screen[name] ?? null])));
      const { at } = specviz.link.read();
      specviz.go(screen.view === 'microscope' ? 'microscope' : 'race');
      if (!at) return;
      const [lane, iteration, scene] = at;
      specviz.publish('open', { lane, iteration, scene, kept: { replay: screen.replay ?? null, pins: (screen.pins || '').split(',').filter(Boolean).map(Number) } });
    }
    async function present(where) {
      accept();
      const answer = await call('show', { lanes: picked.map(({ run, lane }) => [run, lane]) });
      if (answer.error) { await fill(); return refuse(answer.error); }
      specviz.publish('show', answer.race);
      specviz.go(where);
      if (where === 'microscope') specviz.publish('open', { lane: 0, iteration: 0, scene: null });
    }
    async function save(lanes, screen) {
      accept();
      if (!lanes.length) return refuse('There is no race on screen yet.');
      const answer = await call('save', screen ? { lanes, screen } : { lanes });
      if (answer.error) { await fill(); return refuse(answer.error); }
      specviz.download(answer.name, answer.text);
      accept(`Saved ${answer.name}. ${answer.note || ''}`);
    }

    async function fill() {
      const answer = await call('shelf', { runs: [...mine.visit, ...mine.file] });
      if (answer.error) return refuse(answer.error);
      for (const shelf of ['visit', 'file']) mine[shelf] = mine[shelf].filter((run) => !answer.gone.includes(run));
      shelves.fill({
        recorded: answer.rows.filter(({ run }) => run.startsWith('gallery:')),
        ...Object.fromEntries(['visit', 'file'].map((shelf) => [shelf, mine[shelf].flatMap((run) => answer.rows.filter((row) => row.run === run))])),
      });
    }

    specviz.subscribe('race', (race) => {
      const names = race.lanes.filter(Boolean).map((lane) => lane.title);
      onScreen.textContent = names.length ? `${names.join(', ')}: “${(race.prompt || '').slice(0, 120)}”` : 'Nothing yet: run a race.';
      saveRace.disabled = names.length === 0 || race.state === 'running';
      if (race.state === 'running') return;
      if (RACE.test(race.run) && !mine.visit.includes(race.run)) mine.visit.unshift(race.run);
      if (mine.visit.length > 40) mine.visit.pop();
      figures.offer(race);
    });
    specviz.subscribe('page', (next) => { if (next === 'library') { accept(); fill(); } else if (next === 'race' || next === 'microscope') page = next; });
    const { shown } = specviz.link.read();
    if (shown) call('show', { run: shown }).then((answer) => {
      if (answer.race && shown.startsWith('file:')) mine.file.push(shown);
      specviz.publish('show', answer.race || { missing: answer.error });
    });
  };

  /** Figures of the race on screen as PNG and SVG (drawn here) or PDF (drawn by the server). */
  specviz.libraryFigures = (call, refuse) => {
    let race = null;
    let turn = 0;
    let shown = null; // the figure in the preview
    const which = el('select', { 'aria-label': 'Figure', onchange: preview }, el('option', { value: 'timeline' }, 'Timeline of all lanes'), el('option', { value: 'dials' }, 'Numbers of all lanes'));
    const sheet = el('img', { class: 'sv-preview', alt: '', hidden: true });
    const words = el('p', { class: 'sv-words' });
    const buttons = ['PNG', 'SVG', 'PDF'].map((format) => el('button', { type: 'button', class: 'sv-do', disabled: true, onclick: () => save(format.toLowerCase()) }, `Save ${format}`));
    const element = el('details', { class: 'sv-box sv-figures', 'data-part': 'figures', ontoggle: preview },
      el('summary', {}, 'Figures of the race on screen'), el('div', { class: 'sv-row' }, which, buttons), sheet, words,
      el('p', { class: 'sv-hint' }, 'Figures of single steps, and a step as a page that opens without a server, are saved in the Microscope.'));
    const asked = () => ({ run: race.run, key: which.value, dark: specviz.isDark() });

    async function preview() {
      if (!race || !element.open) return;
      const mine = ++turn;
      for (const button of buttons) button.disabled = true;
      const answer = await call('figure', asked());
      if (mine !== turn) return;
      if (answer.error) return refuse(answer.error);
      shown = JSON.parse(answer.figure);
      const picture = await draw('svg');
      if (mine !== turn) return;
      sheet.src = picture;
      sheet.hidden = false;
      sheet.alt = `${which.selectedOptions[0].textContent}, said in words below`;
      words.textContent = answer.text;
      for (const button of buttons) button.disabled = false;
    }
    const draw = (format) => window.Plotly.toImage(shown, { format, width: 900, height: shown.layout.height, scale: 2 });
    async function save(format) {
      const name = `specviz-race-${which.value}.${format}`;
      if (format === 'pdf') {
        const answer = await call('figure', { ...asked(), format });
        return answer.error ? refuse(answer.error) : specviz.download(name, bytesOf(answer.file), 'application/pdf');
      }
      const image = await draw(format);
      const content = image.slice(image.indexOf(',') + 1);
      if (format === 'svg') specviz.download(name, decodeURIComponent(content), 'image/svg+xml');
      else specviz.download(name, bytesOf(content), 'image/png');
    }
    specviz.subscribe('dark', preview);
    return { element, offer(next) { race = next; preview(); } };
  };
})();
