/* Over the panels: the player's bar (buttons, slider with the phases, speed), which stays in sight, and the story of a step with
   the text. */
(() => {
  'use strict';
  const specviz = window.specviz;
  const { el, svg } = specviz;

  const PHASES = { context: 'Context', draft: 'Draft', target: 'Target call', verify: 'Judge', draw: 'Draw', commit: 'Commit' };
  const ICONS = {
    first: 'M4 4h2v12H4zM16 4v12L7 10z', back: 'M14 4v12L5 10z', play: 'M5 3v14l12-7z', pause: 'M4 3h4v14H4zM12 3h4v14h-4z',
    forward: 'M6 4v12l9-6z', last: 'M14 4h2v12h-2zM4 4v12l9-6z',
  };
  const icon = (name) => svg('svg', { viewBox: '0 0 20 20', width: 16, height: 16, 'aria-hidden': 'true' }, svg('path', { d: ICONS[name], fill: 'currentColor' }));

  /** The slider's frame: buttons, marks of the phases, speed. */
  specviz.playerBar = ({ show, back, forward, toggle }) => {
    const button = (name, label, action) => el('button', { type: 'button', 'data-act': name, 'aria-label': label, 'data-tip': label, onclick: action }, icon(name));
    const play = button('play', 'Play', toggle);
    const phases = el('div', { class: 'sv-phases', role: 'group', 'aria-label': 'Phases of this iteration' });
    const range = el('input', { type: 'range', min: 0, max: 0, step: 1, value: 0, 'aria-label': 'Step', oninput: () => show(Number(range.value)) });
    const count = el('span', { class: 'sv-step-count' });
    const title = el('b', { class: 'sv-now', 'aria-hidden': 'true', hidden: true });
    const speed = el('select', { 'aria-label': 'Speed', title: 'Speed' },
      [['slow', 5000], ['normal', 2500], ['fast', 1000]].map(([name, wait]) => el('option', { value: wait, selected: name === 'normal' }, name)));
    const element = el('div', { class: 'sv-bar', 'data-part': 'player-bar' },
      button('first', 'First step', () => show(0)), button('back', 'Step back', back), play,
      button('forward', 'Step forward', forward), button('last', 'Last step', () => show(1e9)),
      el('div', { class: 'sv-slider' }, phases, range), count, title, speed);
    return {
      element,
      wait: () => Number(speed.value),
      /** New scenes: a mark for every phase, as wide as it has steps. */
      build(scenes) {
        const spans = [];
        scenes.forEach((scene, at) => {
          const last = spans[spans.length - 1];
          if (last && last.phase === scene.phase) last.to = at; else spans.push({ phase: scene.phase, from: at, to: at });
        });
        range.max = scenes.length - 1;
        phases.replaceChildren(...spans.map(({ phase, from, to }) => el('button', { type: 'button', tabindex: -1, class: `sv-phase ${phase}`,
          'data-phase': phase, 'data-from': from, 'data-to': to, style: { 'flex-grow': String(to - from + 1) }, onclick: () => show(from) }, PHASES[phase] || phase)));
      },
      step(index, scenes) {
        range.value = index;
        range.setAttribute('aria-valuetext', `${index + 1} of ${scenes.length}: ${scenes[index].title}`);
        count.textContent = `${index + 1} / ${scenes.length}`;
        title.textContent = scenes[index].title;
        for (const mark of phases.children) mark.setAttribute('aria-current', index >= Number(mark.dataset.from) && index <= Number(mark.dataset.to) ? 'step' : 'false');
      },
      /** Say the step's title here, too: while the story is out of sight. */
      title(on) { title.hidden = !on; },
      playing(on) {
        const label = on ? 'Pause' : 'Play';
        play.replaceChildren(icon(on ? 'pause' : 'play'));
        play.setAttribute('aria-label', label);
        play.dataset.tip = label;
        play.setAttribute('aria-pressed', String(on));
      },
    };
  };

  /** What is told of a step: title, sentence, formula, and the text with the tokens that this iteration writes. */
  specviz.playerStory = () => {
    const title = el('h2', {});
    const sentence = el('p', { class: 'sv-sentence', 'data-part': 'sentence' });
    const formula = el('p', { class: 'sv-formula', 'data-part': 'formula' });
    const strip = el('div', { class: 'sv-strip', role: 'group', 'data-part': 'strip', 'aria-label': 'The end of the text, and the tokens that this iteration writes' });
    const piece = (text, more) => el('span', more, specviz.visible(text).filter(([run]) => run !== '\n').map(([run, isMark]) => (isMark ? el('i', { class: isMark === 'space' ? 'space' : 'mark' }, run) : run)));
    return {
      element: el('div', { class: 'sv-story', 'aria-live': 'polite' }, title, sentence, formula),
      strip,
      title,
      build(text, root) {
        strip.hidden = !text;
        if (!text) return;
        const last = text.context.length - 1;
        strip.replaceChildren(
          el('span', { class: 'sv-tail' }, text.context.length ? '… ' : '', text.context.map((one, at) => piece(one, at === last && root !== null ? { class: 'sv-link', 'data-node': root } : {}))),
          ...text.emitted.map((one) => piece(one.piece, { class: `sv-token ${one.origin}${one.node === null ? '' : ' sv-link'}`, 'data-node': one.node })));
      },
      step(scene) {
        title.textContent = scene.title;
        sentence.replaceChildren(...specviz.explained(scene.sentence));
        formula.replaceChildren(...specviz.explained(scene.formula));
        formula.hidden = !scene.formula;
        strip.classList.toggle('open', scene.phase !== 'commit');
      },
    };
  };
})();
