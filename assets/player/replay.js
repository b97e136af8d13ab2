/* "What if?": a recorded step judged again with another coin, threshold or temperature. The server recomputes the verdict from
   the record alone; whatever is shown of it says that it is a replay, and the record is one click away. */
(() => {
  'use strict';
  const specviz = window.specviz;
  const { el } = specviz;
  const WAIT = 120; // milliseconds of quiet before the server is asked
  const MANY = 4; // coins that have a button each, elsewhere than on their own screen
  const SLIDE = 2; // sliders of open ranges (temperature) end here; the number field goes on

  const short = (value) => (typeof value === 'number' ? String(Number(value.toPrecision(4))) : value === null ? 'off' : String(value));
  const same = (a, b) => a === b || (typeof a === 'number' && typeof b === 'number' && Math.abs(a - b) < 1e-12);

  /** One thing that can be changed: a slider where the range is closed, a field, the recorded value marked. `onchange(value)`. */
  function dial(id, { label, help, kind, low, high, whole, optional, choices, recorded }, onchange) {
    const listed = kind === 'choice' || kind === 'flag';
    const end = whole || listed || !Number.isFinite(low) || !Number.isFinite(high) ? null : Math.min(high, SLIDE);
    const range = end === null ? null : el('input', { type: 'range', min: low, max: end, step: 0.01, 'aria-label': `${label}, as a slider`, oninput: () => put(Number(range.value)) });
    const field = listed
      ? el('select', { id, onchange: () => put(kind === 'flag' ? field.value === 'true' : field.value) },
        (kind === 'flag' ? [true, false] : choices).map((choice) => el('option', { value: choice }, short(choice))))
      : el('input', { id, type: 'number', min: low, max: high, step: whole ? 1 : 'any', placeholder: optional ? 'off' : null, autocomplete: 'off', oninput: () => {
        const text = field.value.trim();
        if (text === '' && !(optional && !field.validity.badInput)) return;
        put(text === '' ? null : Number(text), field);
      } });
    const known = recorded !== undefined;
    const back = el('button', { type: 'button', class: 'sv-chip', onclick: () => { put(recorded); field.focus(); } }, `as recorded: ${short(recorded)}`);
    const mark = range && known && recorded !== null && recorded <= end
      ? el('i', { class: 'sv-mark-recorded', 'aria-hidden': 'true', title: `recorded: ${short(recorded)}`, style: { '--at': `${(100 * (recorded - low)) / (end - low)}%` } }) : null;
    const element = el('div', { class: 'sv-knob', 'data-name': id },
      el('label', { for: id, 'data-tip': help || null, tabindex: help ? 0 : null }, label), range && el('span', { class: 'sv-slide' }, range, mark), field, back);
    function write(value, source) {
      if (range && value !== null) range.value = value;
      if (field !== source) field.value = value === null ? '' : listed ? String(value) : short(value);
      back.hidden = !known || same(value, recorded);
    }
    function put(value, source) { write(value, source); onchange(value); }
    return { element, write };
  }

  /** `decision-2:0.8;tau:0.3`, and back: coins by the number of their decision, options by name. */
  const toAddress = ({ coins, options }) => [...Object.entries(coins).map(([decision, uniform]) => `decision-${decision}:${short(uniform)}`),
    ...Object.entries(options).map(([name, value]) => `${name}:${short(value)}`)].join(';') || null;
  function fromAddress(text) {
    const changes = { coins: {}, options: {} };
    for (const entry of (text || '').slice(0, 500).split(';')) {
      const [, name, written] = entry.match(/^([\w-]+):(.*)$/) || [];
      if (!name) continue;
      const decision = name.match(/^decision-(\d+)$/);
      const value = written === 'off' ? null : written === 'true' || written === 'false' ? written === 'true'
        : written !== '' && Number.isFinite(Number(written)) ? Number(written) : written;
      if (decision) changes.coins[decision[1]] = value; else changes.options[name] = value;
    }
    return changes;
  }

  const pieces = (line) => el('span', { class: 'sv-line' }, line.length === 0 ? el('i', { class: 'sv-blank' }, 'nothing yet') : line.map(([piece, origin]) => el('span', { class: `sv-token ${origin || 'plain'}` },
    specviz.visible(piece).map(([run, isMark]) => (isMark ? el('i', { class: isMark === 'space' ? 'space' : 'mark' }, run) : run)))));
  const side = (title, lines) => el('div', {}, el('dt', {}, title), el('dd', {}, lines.map(pieces)));

  /** The panel. `ask(changes)` is a promise of the server's answer; `onreplay(answer)` and `onrecord()` put a step on screen;
      `ongo(scene key)` shows another scene; `onaddress(text or null)` keeps the changes in the address. */
  specviz.whatIf = ({ ask, onreplay, onrecord, ongo, onaddress }) => {
    let known = { coins: [], options: [], reason: null };
    let changes = { coins: {}, options: {} };
    let coins = []; // of the verdict on screen, recorded or replayed
    let scenes = new Set();
    let at = '';
    let turn = 0; // answers to older questions are dropped
    let timer = null;
    let busy = false;
    let again = false;
    let shown = false; // whether a replay is on screen

    const coin = el('div', { class: 'sv-coins' });
    const options = el('div', { class: 'sv-dials-row' });
    const reason = el('p', { class: 'sv-whatif-reason' });
    const refused = el('p', { class: 'sv-alert', role: 'alert' });
    const panel = el('section', { class: 'sv-whatif', id: 'sv-whatif', hidden: true, 'aria-label': 'What if?' },
      el('p', { class: 'sv-whatif-help' }, 'What if a coin or a setting had been different? Change something: the same guesses are judged again, from the record alone.'), coin, options, reason, refused);
    const button = el('button', { type: 'button', class: 'sv-chip', 'data-part': 'replay', 'aria-expanded': 'false', 'aria-controls': 'sv-whatif', onclick: () => open(panel.hidden) }, 'What if?');
    const said = el('p', {});
    const sides = el('dl', { class: 'sv-sides' });
    const banner = el('section', { class: 'sv-replayed', hidden: true, 'aria-label': 'Replayed' },
      el('div', { role: 'status' }, said), sides, el('button', { type: 'button', class: 'sv-chip', onclick: () => { back(); button.focus(); } }, 'Back to the record'));
    const element = el('div', { 'data-part': 'replay' }, panel, banner);

    function open(on) {
      panel.hidden = !on;
      button.setAttribute('aria-expanded', String(on));
    }
    const count = () => Object.keys(changes.coins).length + Object.keys(changes.options).length;

    function change(kind, name, value, recorded) {
      if (recorded !== undefined && same(value, recorded)) delete changes[kind][name]; else changes[kind][name] = value;
      onaddress(toAddress(changes));
      clearTimeout(timer);
      if (count()) timer = setTimeout(send, WAIT); else undo();
    }
    async function send() {
      if (busy) { again = true; return; }
      busy = true;
      panel.setAttribute('aria-busy', 'true');
      const mine = turn;
      let answer;
      try { answer = await ask(structuredClone(changes)); } catch { answer = { error: 'The server did not answer. Try again.' }; }
      busy = false;
      panel.removeAttribute('aria-busy');
      if (mine === turn) show(answer);
      if (again) { again = false; if (count()) send(); }
    }
    function show(answer) {
      refused.textContent = answer.error || '';
      if (answer.error) { open(true); restore(); return; }
      shown = true;
      coins = answer.coins;
      said.textContent = answer.said;
      sides.replaceChildren(side('Recorded', answer.recorded), side('Now', answer.now));
      banner.hidden = false;
      onreplay(answer);
    }
    /** The recorded step again; what was typed stays. */
    function restore() {
      banner.hidden = true;
      coins = known.coins;
      if (shown) { shown = false; onrecord(); }
    }
    function undo() {
      forget();
      onaddress(null);
      refused.textContent = '';
      restore();
    }
    function back() {
      undo();
      drawOptions();
      drawCoin(true);
    }
    function forget() {
      turn++;
      clearTimeout(timer);
      changes = { coins: {}, options: {} };
      again = false;
    }

    function drawOptions() {
      options.replaceChildren(...known.options.map((option) => {
        const one = dial(`sv-whatif-${option.name}`, { ...option, recorded: option.value }, (value) => change('options', option.name, value, option.value));
        one.write(option.name in changes.options ? changes.options[option.name] : option.value);
        return one.element;
      }));
    }
    function drawCoin(anew) {
      const here = coins.filter((one) => one.scene === at);
      const key = [at, ...here.map((one) => one.decision)].join();
      if (!anew && coin.dataset.key === key) return;
      coin.dataset.key = key;
      if (here.length) {
        coin.replaceChildren(...here.map((one) => {
          const first = known.coins.find((other) => other.decision === one.decision);
          const recorded = first ? first.uniform : undefined;
          const made = dial(`sv-whatif-coin-${one.decision}`, { label: upper(one.label), help: one.help, low: 0, high: 1, recorded },
            (value) => change('coins', one.decision, value, recorded));
          made.write(one.decision in changes.coins ? changes.coins[one.decision] : one.uniform);
          return made.element;
        }));
        return;
      }
      const elsewhere = coins.filter((one) => scenes.has(one.scene));
      coin.replaceChildren(...(elsewhere.length ? ['No coin falls on this screen.', links(elsewhere)].flat()
        : known.reason || !known.options.length ? [] : ['No coin falls in this step.']));
    }
    const links = (found) => (found.length <= MANY
      ? found.map((one) => el('button', { type: 'button', class: 'sv-chip', onclick: () => ongo(one.scene) }, `Go to the ${one.label}`))
      : el('select', { 'aria-label': 'Go to a coin', onchange: (event) => ongo(event.target.value) },
        el('option', { value: at, disabled: true, selected: true }, 'Go to …'), found.map((one) => el('option', { value: one.scene }, one.label))));
    const upper = (text) => text.charAt(0).toUpperCase() + text.slice(1);

    return {
      element,
      button,
      /** A recorded step is on screen: what can be changed of it, and what the address (or null) wants changed. True if that is asked for now. */
      load(changeable, wish = null) {
        forget();
        known = changeable;
        coins = known.coins;
        shown = false;
        banner.hidden = true;
        refused.textContent = '';
        reason.textContent = known.reason || '';
        reason.hidden = !known.reason;
        if (wish) changes = fromAddress(wish);
        onaddress(toAddress(changes));
        drawOptions();
        drawCoin(true);
        if (count() === 0) return false;
        open(true);
        send();
        return true;
      },
      /** The scene on screen, of the scenes there are. */
      scene(key, all) {
        at = key;
        scenes = new Set(all);
        drawCoin(false);
      },
      /** What is changed on screen, or null. */
      changes: () => (shown ? structuredClone(changes) : null),
    };
  };
})();
