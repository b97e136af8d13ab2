/* The top of the page: where am I, are the models there, light or dark, large type. */
import { el, pushButton, svg } from '../base/dom.js';
import { ClassRoom } from '../class/room.js';
import { noPage, noPair, noPlace } from '../base/address.js';
import { complain, get, reachedAt, set } from '../base/link.js';
import { go, isPresented, present } from '../base/navigation.js';
import { pageLink } from '../base/page-link.js';
import { choosePair, latest, publish, subscribe } from '../base/shared.js';
import { themeButton } from '../base/theme.js';
import { stepFromText } from '../base/values.js';
import { glossaryButton } from './glossary.js';
import { HideParts } from './hide-parts.js';
import { Offers } from './offers.js';

/**
 * @import { HeaderSetup, PageName, Status } from '../payload.js'
 * @import { Island } from '../base/server.js'
 */

const ASKED_AGAIN = 600; // milliseconds

const mark = () =>
  svg(
    'svg',
    { viewBox: '0 0 32 24', class: 'sv-mark', 'aria-hidden': 'true' },
    svg('path', { d: 'M4 12 L15 5 M4 12 L15 19 M15 5 L27 5 M15 19 L27 19', class: 'branch' }),
    svg('circle', { cx: 4, cy: 12, r: 3.2, class: 'root' }),
    svg('circle', { cx: 15, cy: 5, r: 3.2, class: 'kept' }),
    svg('circle', { cx: 27, cy: 5, r: 3.2, class: 'kept' }),
    svg('rect', { x: 12, y: 16, width: 6, height: 6, class: 'gone' }),
    svg('rect', { x: 24.5, y: 16.5, width: 5, height: 5, class: 'ghost' }),
  );

const frame = () =>
  svg(
    'svg',
    { viewBox: '0 0 16 16', class: 'sv-icon', 'aria-hidden': 'true' },
    svg('path', { d: 'M1 5 V1 H5 M11 1 H15 V5 M15 11 V15 H11 M5 15 H1 V11' }),
  );

/** @param {PageName[]} pages */
function navigation(pages) {
  const links = pages.map(({ name, title }) =>
    pageLink(`?view=${name}`, () => go(name), { 'data-name': name }, title),
  );
  subscribe('page', (page) => {
    for (const link of links) {
      if (link.dataset.name === page) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
  });
  return el('nav', { 'aria-label': 'Pages' }, links);
}

function presentButton() {
  const more = { class: 'sv-quiet', 'data-tip': 'Large type for a projector' };
  const button = pushButton([frame(), 'Present'], () => present(!isPresented()), more);
  const show = () => button.setAttribute('aria-pressed', String(isPresented()));
  subscribe('present', show);
  show();
  return button;
}

/** Which models compute, where there are several; there may be more by and by. @param {string[]} pairs */
function pairChoice(pairs) {
  const select = el('select', { class: 'sv-pair', 'aria-label': 'Models', 'data-tip': 'Which models compute' });
  select.addEventListener('change', () => {
    set({ pair: select.value });
    publish('pair', select.value);
  });
  subscribe('pairs', (names) => {
    select.hidden = names.length < 2;
    if (select.options.length === names.length) return;
    select.replaceChildren(...names.map((name) => el('option', { value: name }, name)));
    select.value = latest('pair') ?? names[0];
  });
  let shown = '';
  subscribe('race', ({ run, pair }) => {
    if (run !== shown && pair !== null) choosePair(pair || pairs[0]);
    shown = run;
  });
  subscribe('pair', (name) => (select.value = name));
  const wanted = get('pair');
  publish('pairs', pairs);
  publish('pair', pairs.find((name) => name === wanted) ?? pairs[0]);
  return select;
}

/** How far the models are, asked until they are there. @param {Island['server']} server */
function modelStatus(server) {
  const element = el('p', { class: 'sv-status', role: 'status' });
  let wanted = get('pair'); // by the address, until the server has said which there are
  /** @param {string} name */
  async function follow(name) {
    /** @type {Status} */
    let answer = { state: 'loading', text: 'The server does not answer …', pair: null, chats: false, pairs: [] };
    try {
      answer = JSON.parse(await server.status(name)) || answer;
    } catch {
      // asked again below
    }
    if (latest('pair') !== name) return;
    element.replaceChildren(el('span', {}, answer.text));
    element.dataset.tip = answer.text;
    element.dataset.state = answer.state;
    publish('models', answer);
    if (answer.pairs.length) takePairs(answer.pairs);
    if (latest('pair') === name && answer.state === 'loading') setTimeout(() => follow(name), ASKED_AGAIN);
  }
  /** @param {string[]} pairs */
  function takePairs(pairs) {
    publish('pairs', pairs);
    if (wanted && pairs.includes(wanted)) choosePair(wanted);
    else if (wanted) complain(noPair(wanted, pairs));
    wanted = null;
  }
  subscribe('pair', (name) => {
    element.dataset.state = 'loading';
    follow(name);
  });
  return element;
}

/** What of the address is not followed, until it is closed. @param {HTMLElement} root @param {string[]} sentences */
function showWrong(root, sentences) {
  root.querySelector('.sv-wrong-address')?.remove();
  if (!sentences.length) return;
  const onclick = () => publish('wrong', []);
  const close = pushButton('✕', onclick, { class: 'sv-quiet', 'aria-label': 'Close' });
  const said = sentences.map((one) => el('p', {}, one));
  root.append(el('div', { class: 'sv-alert sv-wrong-address', role: 'alert' }, el('div', {}, said), close));
}

/** @param {HTMLElement} root @param {Island} island */
export function mountHeader(root, { props, server }) {
  /** @type {HeaderSetup} */
  const setup = JSON.parse(props.setup);
  reachedAt(setup.public);
  publish('glossary', setup.glossary);
  publish('guarantees', setup.guarantees);
  const brand = el('a', { class: 'sv-brand', href: '?' }, mark(), el('span', {}, 'specviz'));
  const classRoom = new ClassRoom(setup.pages.map(({ name }) => name));
  const parts = new HideParts();
  const buttons = [glossaryButton(setup.glossary), classRoom.button, parts.button, presentButton(), themeButton()];
  const header = { class: 'sv-header', 'data-part': 'header' };
  const offers = new Offers(server);
  if (setup.offers) offers.begin();
  const models = [pairChoice(setup.pairs), offers.button, modelStatus(server)];
  const top = [brand, navigation(setup.pages), ...models, el('div', { class: 'sv-tools' }, buttons)];
  root.replaceChildren(el('header', header, top), offers.element, classRoom.element, parts.element);
  const wanted = get('view');
  const known = setup.pages.find(({ name }) => name === wanted);
  const place = get('at');
  if (wanted && !known) {
    complain(
      noPage(
        wanted,
        setup.pages.map(({ name }) => name),
      ),
    );
  }
  if (place && !stepFromText(place)) complain(noPlace(place));
  subscribe('wrong', (sentences) => showWrong(root, sentences));
  go((known ?? setup.pages[0]).name);
  classRoom.begin();
}
