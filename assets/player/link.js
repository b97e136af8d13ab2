/* The address bar remembers what is shown: page (`view`; `page` is gradio's own), prompt, lanes, options, seed, and where the Microscope stands. */
(() => {
  'use strict';
  const specviz = window.specviz;
  const NUMBERS = ['max_new_tokens', 'seed'];

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

  function replace(change) {
    const url = new URL(window.location.href);
    change(url.searchParams);
    if (url.href !== window.location.href && url.href.length < 8000) window.history.replaceState(window.history.state, '', url);
  }

  specviz.link = {
    /** A page's own part of the address: one parameter, or null. */
    get: (name) => new URL(window.location.href).searchParams.get(name),
    /** Change parameters: {name: text}; null takes one away. Others stay, so that going back to a page finds it as it was. */
    set: (changes) => replace((query) => {
      for (const [name, value] of Object.entries(changes)) {
        if (value === null) query.delete(name); else query.set(name, String(value));
      }
    }),
    /** What the address asks for: {page, form or null, recorded: methods or null, at: [lane, iteration, scene] or null}. */
    read() {
      const query = new URL(window.location.href).searchParams;
      const at = (query.get('at') || '').match(/^(\d+)\.(\d+)(?:\.([\w-]+))?$/);
      return {
        page: query.get('view'),
        form: query.has('prompt') ? this.readForm(query) : null,
        recorded: query.has('recorded') ? query.get('recorded').split(',') : null,
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
    writeRecorded: (names) => replace((query) => query.set('recorded', names.join(','))),
    writeAt: (lane, iteration, scene) => replace((query) => query.set('at', [lane, iteration, scene].join('.'))),
    /** The form behind the race on screen; a prompt too long for an address is left out, with all that belongs to it. */
    writeForm(form) {
      replace((query) => {
        for (const key of [...query.keys()])
          if (key === 'prompt' || key === 'lane' || key === 'at' || key === 'recorded' || key.startsWith('o.') || NUMBERS.includes(key)) query.delete(key);
        if (form.prompt.length > 2000) return;
        query.set('prompt', form.prompt);
        for (const lane of form.lanes) query.append('lane', laneToText(lane));
        for (const [name, value] of Object.entries(form.shared)) query.set(`o.${name}`, write(value));
        for (const name of NUMBERS) query.set(name, String(form[name]));
      });
    },
  };
})();
