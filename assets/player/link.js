/* The address bar remembers what is shown: page (`view`; `page` is gradio's own), prompt, lanes, options, seed, and where the
   Microscope stands. A race is either made again (prompt, lanes, options, seed), recorded (`recorded`) or kept on the server (`shown`). */
(() => {
  'use strict';
  const specviz = window.specviz;
  const { el } = specviz;
  const NUMBERS = ['max_new_tokens', 'seed'];
  const LONGEST = 8000; // what browsers, mail programs and servers pass on
  let incomplete = ''; // why the address does not restore the race on screen

  const parse = (text) => {
    if (text === 'off') return null;
    if (text === 'true' || text === 'false') return text === 'true';
    return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
  };
  const write = (value) => (value === null ? 'off' : String(value));

  /** `speculative;gamma=6` and back. */
  const laneToText = (lane) => [lane.method, ...Object.entries(lane.options).map(([k, v]) => `${k}=${write(v)}`)].join(';');
  function laneFromText(text) {
    const [method, ...pairs] = text.split(';');
    const options = {};
    for (const pair of pairs) {
      const cut = pair.indexOf('=');
      if (cut > 0) options[pair.slice(0, cut)] = parse(pair.slice(cut + 1));
    }
    return { method, options };
  }

  let here = window.location.href; // as last written: Back and Forward bring older ones
  function replace(change, how = 'replaceState') {
    const url = new URL(window.location.href);
    change(url.searchParams);
    if (url.href !== window.location.href && url.href.length < LONGEST) window.history[how](window.history.state, '', url);
    here = window.location.href;
  }
  function assign(query, changes) {
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) query.delete(name); else query.set(name, String(value));
    }
  }

  /* Back and Forward lead from page to page, and from lesson to lesson; the race, the step and the forest stay those on screen. */
  const LESSON = ['lesson', 'step', 'answer', 'rule'];
  window.addEventListener('popstate', () => {
    const old = new URL(window.location.href).searchParams;
    const page = old.get('view');
    if (!page) return;
    const url = new URL(here);
    assign(url.searchParams, Object.fromEntries(['view', ...(page === 'lessons' ? LESSON : [])].map((name) => [name, old.get(name)])));
    window.history.replaceState(window.history.state, '', url);
    here = url.href;
    specviz.go(page);
  });

  const RACE = new Set(['prompt', 'lane', 'at', 'recorded', 'shown', ...NUMBERS]);
  function forgetRace(query) {
    for (const key of [...query.keys()]) if (RACE.has(key) || key.startsWith('o.')) query.delete(key);
  }
  const fieldsOf = (form) => [['prompt', form.prompt], ...form.lanes.map((lane) => ['lane', laneToText(lane)]),
    ...Object.entries(form.shared).map(([name, value]) => [`o.${name}`, write(value)]), ...NUMBERS.map((name) => [name, String(form[name])])];
  const addressOf = (form) => `${window.location.origin}${window.location.pathname}?${new URLSearchParams(fieldsOf(form))}`;

  specviz.link = {
    /** A page's own part of the address: one parameter, or null. */
    get: (name) => new URL(window.location.href).searchParams.get(name),
    /** Change parameters: {name: text}; null takes one away. Others stay, so that going back to a page finds it as it was. */
    set: (changes) => replace((query) => assign(query, changes)),
    /** The same as a new entry of the history: Back leads to where the reader was. */
    visit: (changes) => replace((query) => assign(query, changes), 'pushState'),
    /** What the address asks for: {page, form or null, recorded: methods or null, shown: a run's id or null, at: [lane, iteration, scene] or null}. */
    read() {
      const query = new URL(window.location.href).searchParams;
      const at = (query.get('at') || '').match(/^(\d+)\.(\d+)(?:\.([\w-]+))?$/);
      return {
        page: query.get('view'),
        form: query.has('prompt') ? this.readForm(query) : null,
        recorded: query.has('recorded') ? query.get('recorded').split(',') : null,
        shown: query.get('shown'),
        at: at ? [Number(at[1]), Number(at[2]), at[3] || null] : null,
      };
    },
    readForm(query) {
      const form = { prompt: query.get('prompt'), lanes: query.getAll('lane').map(laneFromText), shared: {} };
      for (const [key, value] of query)
        if (key.startsWith('o.')) form.shared[key.slice(2)] = parse(value);
        else if (NUMBERS.includes(key)) form[key] = parse(value);
      return form;
    },
    /** The recorded lanes on screen. */
    writeRecorded: (names) => { incomplete = ''; replace((query) => query.set('recorded', names.join(','))); },
    writeAt: (lane, iteration, scene) => replace((query) => query.set('at', [lane, iteration, scene].join('.'))),
    /** The form behind the race on screen; a prompt too long for an address is left out, with all that belongs to it. */
    writeForm(form) {
      incomplete = '';
      replace((query) => {
        forgetRace(query);
        if (addressOf(form).length > LONGEST - 500) { incomplete = 'The prompt is too long for a link.'; return; } // space for the rest of the address
        for (const [name, value] of fieldsOf(form)) query.append(name, value);
      });
    },
    /** A race that only this server keeps, under an id of its own; null: nothing of a race stays in the address. */
    writeShown(run) {
      incomplete = '';
      replace((query) => { if (run && query.get('shown') === run) return; forgetRace(query); if (run) query.set('shown', run); });
    },
    /** Why a copied link would not show this race again; '' where it would. */
    incomplete() {
      if (incomplete) return incomplete;
      return new URL(window.location.href).searchParams.has('shown') ? 'A link to opened or picked runs works only while this server keeps them.' : '';
    },
  };

  /** A button that copies the address, and the words that say so; `onsave` offers a file where a link is not enough. */
  specviz.linkButton = (onsave) => {
    const said = el('span', { class: 'sv-copied', role: 'status' });
    async function copy() {
      const reason = specviz.link.incomplete();
      const lost = reason.startsWith('The prompt');
      said.replaceChildren(reason);
      if (reason && onsave) said.append(' ', el('button', { type: 'button', class: 'sv-chip', onclick: onsave }, 'Save as a file instead'));
      if (lost) return;
      try {
        await navigator.clipboard.writeText(window.location.href);
        said.prepend('Link copied. ');
      } catch { // no permission, or a page without https: the reader copies by hand
        const address = el('input', { class: 'sv-address', readonly: true, 'aria-label': 'Address of this screen', value: window.location.href, onfocus: () => address.select() });
        said.prepend('Copy this: ', address);
      }
    }
    return el('span', { class: 'sv-share', 'data-part': 'share' }, el('button', { type: 'button', class: 'sv-chip', onclick: copy }, 'Copy link'), said);
  };
})();
