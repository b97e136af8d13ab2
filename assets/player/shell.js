/* The top of the page: where am I, are the models there, light or dark; and what a teacher set by the address:
   ?hide=form,legend takes parts away (every element with that word in data-part), ?present=1 is large type. */
(() => {
  'use strict';
  const specviz = window.specviz;
  const { el, svg } = specviz;

  const mark = () => svg('svg', { viewBox: '0 0 32 24', class: 'sv-mark', 'aria-hidden': 'true' },
    svg('path', { d: 'M4 12 L15 5 M4 12 L15 19 M15 5 L27 5 M15 19 L27 19', class: 'branch' }),
    svg('circle', { cx: 4, cy: 12, r: 3.2, class: 'root' }), svg('circle', { cx: 15, cy: 5, r: 3.2, class: 'kept' }),
    svg('circle', { cx: 27, cy: 5, r: 3.2, class: 'kept' }), svg('rect', { x: 12, y: 16, width: 6, height: 6, class: 'gone' }),
    svg('rect', { x: 24.5, y: 16.5, width: 5, height: 5, class: 'ghost' }));

  const frame = () => svg('svg', { viewBox: '0 0 16 16', class: 'sv-icon', 'aria-hidden': 'true' }, svg('path', { d: 'M1 5 V1 H5 M11 1 H15 V5 M15 11 V15 H11 M5 15 H1 V11' }));

  const rules = el('style', {});
  document.head.append(rules);
  const words = (text) => (text || '').split(',').filter((word) => /^[a-z-]+$/.test(word));
  /** The pages that are not shown and the parts that a teacher hid. */
  function cover() {
    const hidden = words(specviz.link.get('hide')).map((part) => `.sv-island [data-part~="${part}"]`);
    const page = document.documentElement.dataset.page;
    rules.textContent = [`.sv-host[id^="sv-"]:not(#sv-header, #sv-${page})`, ...hidden].map((one) => `${one} { display: none !important; }`).join('\n');
    document.documentElement.classList.toggle('sv-present', specviz.link.get('present') === '1');
  }

  /** Show one page; every island hears of it. */
  specviz.go = (page) => {
    const first = !document.documentElement.dataset.page;
    document.documentElement.dataset.page = page;
    specviz.link[first ? 'set' : 'visit']({ view: page });
    cover();
    const heading = document.querySelector(`#sv-${page} h1`);
    if (heading && !document.activeElement.checkVisibility()) { // what had the focus is gone with its page
      heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
    }
    specviz.publish('page', page);
    window.scrollTo(0, 0);
  };
  /** Large type for a projector, on or off; every island hears of it. */
  specviz.present = (on) => {
    specviz.link.set({ present: on ? '1' : null });
    cover();
    specviz.publish('present', on);
  };

  function navigation(pages) {
    const links = pages.map(({ name, title }) =>
      el('a', { href: `?view=${name}`, 'data-name': name, onclick: (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        specviz.go(name);
      } }, title));
    specviz.subscribe('page', (page) => links.forEach((link) => {
      if (link.dataset.name === page) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }));
    return el('nav', { 'aria-label': 'Pages' }, links);
  }

  function themeButton() {
    const button = el('button', { type: 'button', class: 'sv-quiet', onclick: () => {
      document.body.classList.toggle('dark');
      name();
    } });
    const name = () => { button.textContent = specviz.isDark() ? '☀ Light' : '☾ Dark'; };
    new MutationObserver(() => { name(); specviz.publish('dark', specviz.isDark()); })
      .observe(document.body, { attributes: true, attributeFilter: ['class'] });
    name();
    return button;
  }

  function presentButton() {
    const button = el('button', { type: 'button', class: 'sv-quiet', 'data-tip': 'Large type for a projector', onclick: () => specviz.present(specviz.link.get('present') !== '1') }, frame(), 'Present');
    const show = () => button.setAttribute('aria-pressed', String(specviz.link.get('present') === '1'));
    specviz.subscribe('present', show);
    show();
    return button;
  }

  specviz.mount.header = (root, { props, server }) => {
    const setup = JSON.parse(props.setup);
    specviz.publish('glossary', setup.glossary);
    specviz.publish('guarantees', setup.guarantees);
    const status = el('p', { class: 'sv-status', role: 'status' });
    root.replaceChildren(el('header', { class: 'sv-header', 'data-part': 'header' },
      el('a', { class: 'sv-brand', href: '?' }, mark(), el('span', {}, 'specviz')),
      navigation(setup.pages), status, el('div', { class: 'sv-tools' }, specviz.glossaryButton(setup.glossary), presentButton(), themeButton())));

    async function follow() {
      let answer = { state: 'loading', text: 'The server does not answer …' };
      try { answer = (await server.status()) || answer; } catch { /* asked again below */ }
      status.replaceChildren(el('span', {}, answer.text));
      status.dataset.tip = answer.text;
      status.dataset.state = answer.state;
      specviz.publish('models', answer);
      if (answer.state === 'loading') setTimeout(follow, 600);
    }
    follow();
    const wanted = specviz.link.get('view');
    specviz.go(setup.pages.some(({ name }) => name === wanted) ? wanted : setup.pages[0].name);
  };
})();
