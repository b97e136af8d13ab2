/* The guarantee meter beside a method's name: how far the distribution of its text is from the one that it is compared with, on
   a scale from 0 (the same) to 1 (nothing in common). Two marks: the exact number on small models, and what runs on the real pair show. */
(() => {
  'use strict';
  const specviz = window.specviz;
  const { el, svg } = specviz;
  const TICKS = [0, 0.01, 0.1, 0.25, 0.5, 1];
  const at = (distance) => Math.sqrt(Math.min(1, Math.max(0, distance))); // so that .02 and .39 both show

  /** The scale. `wide` has numbers on it; `stale`: the marks are about other options. */
  function scale(entry, { wide, measured, stale }) {
    const [width, height, edge] = wide ? [300, 46, 12] : [64, 16, 5];
    const x = (distance) => edge + at(distance) * (width - 2 * edge);
    const [top, middle, low] = wide ? [9, 16, 23] : [4.5, 8, 11.5];
    const mark = wide ? 6 : 4;
    const parts = [svg('line', { class: 'scale', x1: edge, x2: width - edge, y1: middle, y2: middle })];
    for (const tick of TICKS) {
      parts.push(svg('line', { class: 'scale', x1: x(tick), x2: x(tick), y1: middle - 2, y2: middle + 2 }));
      if (wide) parts.push(svg('text', { x: x(tick), y: 43 }, String(tick).replace(/^0\./, '.')));
    }
    if (measured) {
      const { value, low: from, high: to } = entry.measured;
      if (to > from) parts.push(svg('line', { class: 'whisker', x1: x(from), x2: x(to), y1: low, y2: low }));
      parts.push(svg('circle', { class: 'measured', cx: x(value), cy: low, r: mark - 1 }));
    }
    parts.push(svg('path', { class: 'exact', d: `M${x(entry.exact)} ${middle} l${-mark} ${top - middle - mark / 2} h${2 * mark} z` }));
    return svg('svg', { class: `sv-meter-scale${stale ? ' stale' : ''}`, viewBox: `0 0 ${width} ${height}`, width, height, 'aria-hidden': 'true' }, parts);
  }

  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  const typed = (value) => String(value); // a list as it is typed
  /** The options of the lane that are not the ones measured, by name. */
  const changed = (entry, options) => Object.keys(options || {}).filter((name) => name in entry.defaults && typed(options[name]) !== typed(entry.defaults[name]));

  /** What the meter says here: word, number, marks and sentences. */
  function reading(name, { options, guarantee }) {
    const guarantees = specviz.latest('guarantees') || {};
    const entry = Object.hasOwn(guarantees, name) ? guarantees[name] : undefined; // a file may name its method anything
    if (!entry) return guarantee ? { word: guarantee.name, exact: guarantee.exact, lines: [guarantee.help] } : null;
    const other = changed(entry, options);
    const known = guarantee || (other.length ? null : entry.guarantee);
    const kept = known && known.name === entry.guarantee.name && (known.exact || !other.length);
    const { pair } = specviz.latest('models') || {};
    const here = !pair || same(pair, entry.pair);
    const about = other.length ? `The numbers below are for the default options; here ${other.join(', ')} ${other.length > 1 ? 'differ' : 'differs'}.` : '';
    return {
      entry, title: entry.title, stale: !kept, measured: here,
      word: kept ? entry.word : known ? known.name : 'other options',
      number: kept ? entry.number : '',
      exact: known ? known.exact : null,
      lines: [
        known && known.name === entry.guarantee.name ? entry.guarantee.help : known ? known.help : 'What it guarantees with these options is said once it has run.', about,
        entry.says.exact, here ? entry.says.measured : 'Not measured on this pair of models: the numbers of runs are those of the embedded pair only.',
        entry.says.distance, here ? entry.says.made : '',
      ].filter(Boolean),
    };
  }

  /* One popover for all meters: opens on hover, focus and tap, closes on Escape, and when anything else is pressed. */
  const more = el('div', { id: 'sv-meter-more', class: 'sv-meter-more', role: 'tooltip', hidden: true });
  let owner = null;
  let closing = 0;
  function open(button, read) {
    clearTimeout(closing);
    if (owner === button) return;
    close();
    owner = button;
    if (!more.isConnected) document.body.append(more);
    const key = (shape, text) => el('span', {}, svg('svg', { class: 'sv-meter-scale', viewBox: '0 0 14 14', width: 14, height: 14 }, shape), text);
    const keys = read.entry && el('p', { class: 'sv-meter-keys' },
      key(svg('path', { class: 'exact', d: 'M7 12 l-5 -8 h10 z' }), 'exact, on tiny models'),
      read.measured && key([svg('line', { class: 'whisker', x1: 0, x2: 14, y1: 7, y2: 7 }), svg('circle', { class: 'measured', cx: 7, cy: 7, r: 4 })], 'measured on this pair of models'));
    more.replaceChildren(el('p', { class: 'sv-meter-title' }, [read.title, [read.word, read.number].filter(Boolean).join(' ')].filter(Boolean).join(': ')),
      ...(read.entry ? [scale(read.entry, { ...read, wide: true }), keys] : []), ...read.lines.map((line) => el('p', {}, line)));
    more.dataset.exact = String(read.exact);
    more.hidden = false;
    button.setAttribute('aria-expanded', 'true');
    button.setAttribute('aria-describedby', more.id);
    place();
  }
  function place() {
    const box = owner.getBoundingClientRect();
    if (box.bottom < 0 || box.top > window.innerHeight) return close();
    const left = Math.min(Math.max(8, box.left), window.innerWidth - more.offsetWidth - 8);
    const below = box.bottom + 6;
    const fits = below + more.offsetHeight < window.innerHeight - 8;
    more.style.left = `${left}px`;
    const above = box.top - more.offsetHeight - 6;
    more.style.top = `${fits ? below : Math.max(8, above)}px`;
  }
  function close() {
    clearTimeout(closing);
    if (owner) { owner.setAttribute('aria-expanded', 'false'); owner.removeAttribute('aria-describedby'); }
    owner = null;
    more.hidden = true;
  }
  const closeSoon = () => { clearTimeout(closing); closing = setTimeout(close, 200); };
  more.addEventListener('pointerenter', () => clearTimeout(closing));
  more.addEventListener('pointerleave', closeSoon);
  document.addEventListener('keydown', (event) => { if (event.key === 'Escape') close(); });
  document.addEventListener('pointerdown', (event) => { if (owner && !owner.contains(event.target) && !more.contains(event.target)) close(); });
  document.addEventListener('scroll', (event) => { if (owner && !more.contains(event.target)) place(); }, true);
  window.addEventListener('resize', () => { if (owner) place(); });

  const meters = new Set(); // weak references: a meter that left the page is forgotten
  const fills = new WeakMap();
  function refill() {
    for (const meter of meters) { const element = meter.deref(); if (element) fills.get(element)(); else meters.delete(meter); }
  }

  /** A method's meter: specviz.meter('mtad', {options, guarantee}). `options` are those it runs with here, `guarantee` what the race
      says of them ({name, help, exact}); without either it tells about the default options. Fills itself. */
  specviz.meter = (name, given = {}) => {
    const button = el('button', { type: 'button', class: 'sv-meter', 'aria-expanded': 'false' });
    let read = null;
    let pressed = false;
    function fill() {
      const next = reading(name, given);
      if (same(next, read)) return;
      read = next;
      button.hidden = !read;
      if (!read) return;
      const said = [read.word, read.number].filter(Boolean).join(' ');
      button.dataset.exact = String(read.exact);
      button.setAttribute('aria-label', `${said}${read.title ? `, the guarantee of ${read.title}` : ''}${read.entry && !read.stale ? `. ${read.entry.says.short}` : ''}`);
      button.replaceChildren(read.entry ? scale(read.entry, read) : '', el('span', { class: 'sv-guarantee' }, read.word), read.number ? el('span', {}, read.number) : '');
      if (owner === button) close();
    }
    button.addEventListener('pointerenter', (event) => { if (event.pointerType === 'mouse') open(button, read); });
    button.addEventListener('pointerleave', (event) => { if (event.pointerType === 'mouse') closeSoon(); });
    button.addEventListener('pointerdown', () => { pressed = true; });
    button.addEventListener('focus', () => { if (!pressed) open(button, read); });
    button.addEventListener('blur', closeSoon);
    button.addEventListener('click', (event) => {
      if (owner === button && event.pointerType !== 'mouse') close(); else open(button, read);
      pressed = false;
    });
    queueMicrotask(() => { if (owner && !owner.isConnected) close(); }); // this one replaces it
    fills.set(button, fill);
    meters.add(new WeakRef(button));
    fill();
    return button;
  };
  specviz.subscribe('guarantees', refill);
  specviz.subscribe('models', refill);
})();
