/* The page in small: elements from plain data, one tooltip, values shared between islands.
   Text only ever enters as text nodes, so nothing a model or a visitor wrote is read as markup. */
(() => {
  'use strict';
  const specviz = (window.specviz = window.specviz || { mount: {} });
  const PROPERTIES = new Set(['value', 'checked', 'disabled', 'hidden', 'open', 'selected']);
  const SVG = 'http://www.w3.org/2000/svg';

  function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
      else if (name === 'style') for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
      else if (PROPERTIES.has(name)) element[name] = value;
      else element.setAttribute(name, value === true ? '' : String(value));
    }
    element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
    return element;
  }

  /** An element: el('button', {class: 'run', onclick: go}, 'Run'). Strings become text nodes. */
  specviz.el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
  specviz.svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

  /** White space as a reader sees it: [text, is it a mark?] runs. Newlines keep breaking the line. */
  specviz.visible = (piece) => {
    if (piece === '') return [['▯', true]];
    const runs = [];
    for (const part of piece.split(/(\n|\t|^ +| +$)/)) {
      if (part === '') continue;
      if (part === '\n') runs.push(['↵', true], ['\n', false]);
      else if (part === '\t') runs.push(['⇥', true], ['\t', false]);
      else runs.push([part, part.trim() === '' ? 'space' : false]);
    }
    return runs;
  };

  let terms = {};
  let known = null; // one pattern for all terms, longest first
  /** Take over the glossary: {term: sentence}. */
  specviz.learn = (glossary) => {
    terms = Object.fromEntries(Object.entries(glossary || {}).map(([term, about]) => [term.toLowerCase(), about]));
    const quoted = Object.keys(terms).sort((a, b) => b.length - a.length).map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    known = quoted.length ? new RegExp(`(?<![\\p{L}\\d“])(${quoted.join('|')})(?![\\p{L}\\d])`, 'giu') : null;
  };
  /** A sentence as nodes: the first mention of every term of the glossary explains itself on hover, focus and tap. */
  specviz.explained = (text) => {
    if (!known) return [text];
    const said = new Set();
    return text.split(known).map((part, at) => {
      const about = at % 2 && terms[part.toLowerCase()];
      if (!about || said.has(about)) return part;
      said.add(about);
      return specviz.el('span', { class: 'sv-term', tabindex: 0, 'data-tip': about }, part);
    });
  };

  const shared = new Map();
  const listeners = new Map();
  /** Share a value between islands; listeners hear it at once and those who come later hear the last one. */
  specviz.publish = (name, value) => {
    shared.set(name, value);
    for (const listener of listeners.get(name) || []) listener(value);
  };
  specviz.subscribe = (name, listener) => {
    listeners.set(name, [...(listeners.get(name) || []), listener]);
    if (shared.has(name)) listener(shared.get(name));
  };
  specviz.latest = (name) => shared.get(name);
  specviz.subscribe('glossary', specviz.learn);

  const SILENCE = 5000; // milliseconds
  /** Is the server still there? wait() asks it once it has been silent, and again; `lost` is called if it is gone. rest() ends that. */
  specviz.lifeline = (lost) => {
    let timer = null;
    function rest() { clearTimeout(timer); timer = null; }
    function wait() {
      rest();
      const mine = (timer = setTimeout(() => {
        const then = (next) => () => { if (timer === mine) next(); };
        fetch('?', { method: 'HEAD', cache: 'no-store' }).then(then(wait), then(() => { rest(); lost(); }));
      }, SILENCE));
    }
    return { wait, rest };
  };

  specviz.isDark = () => document.body.classList.contains('dark');
  specviz.calm = () => window.matchMedia('(prefers-reduced-motion: reduce)').matches;

  /* One tooltip for everything with data-tip: on hover, on focus, gone with Escape. */
  const tip = specviz.el('div', { id: 'sv-tip', role: 'tooltip', hidden: true });
  let owner = null;
  function show(element) {
    if (!tip.isConnected) document.body.append(tip);
    hide();
    owner = element;
    tip.textContent = element.dataset.tip;
    tip.hidden = false;
    element.setAttribute('aria-describedby', 'sv-tip');
    const box = element.getBoundingClientRect();
    const left = Math.min(Math.max(8, box.left + box.width / 2 - tip.offsetWidth / 2), innerWidth - tip.offsetWidth - 8);
    const above = box.top - tip.offsetHeight - 8;
    tip.style.left = `${left}px`;
    tip.style.top = `${above > 8 ? above : box.bottom + 8}px`;
  }
  function hide() {
    if (owner) owner.removeAttribute('aria-describedby');
    owner = null;
    tip.hidden = true;
  }
  const tipped = (event) => event.target instanceof Element && event.target.closest('[data-tip]');
  for (const name of ['pointerover', 'focusin'])
    document.addEventListener(name, (event) => { const element = tipped(event); if (element) show(element); else if (owner) hide(); });
  document.addEventListener('focusout', hide);
  document.addEventListener('scroll', hide, true);
  document.addEventListener('keydown', (event) => { if (event.key === 'Escape') hide(); });
})();
