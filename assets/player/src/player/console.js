/* Over the panels: the player's bar (buttons, slider with the phases, speed), which stays in sight, and the story of
   a step with the text. */
import { el, pushButton, svg } from '../base/dom.js';
import { keepWhole, marked, strip } from '../base/pieces.js';
import { explained } from '../base/terms.js';
import { typeset } from '../draw/formula.js';
import { phaseSpans } from './lookup.js';

/**
 * @import { Scene, TextStrip } from '../payload.js'
 * @import { Fold } from './folds.js'
 * @import { Span, Verdict } from './lookup.js'
 * @typedef {object} BarActions
 * @property {(index: number) => void} show
 * @property {() => void} back
 * @property {() => void} forward
 * @property {() => void} toggle
 * @property {(verdict: Verdict) => void} verdict
 */

/** @type {[verdict: Verdict, glyph: string, key: string][]} */
const VERDICTS = [
  ['accepted', '✓', 'A'],
  ['rejected', '✗', 'R'],
];

/** @type {Record<string, string>} */
const PHASES = {
  context: 'Context',
  draft: 'Draft',
  target: 'Target call',
  verify: 'Judge',
  draw: 'Draw',
  commit: 'Commit',
};
/** @type {Record<string, string>} */
const ICONS = {
  first: 'M4 4h2v12H4zM16 4v12L7 10z',
  back: 'M14 4v12L5 10z',
  play: 'M5 3v14l12-7z',
  pause: 'M4 3h4v14H4zM12 3h4v14h-4z',
  forward: 'M6 4v12l9-6z',
  last: 'M14 4h2v12h-2zM4 4v12l9-6z',
};
/** @type {[name: string, wait: number][]} */
const SPEEDS = [
  ['slow', 5000],
  ['normal', 2500],
  ['fast', 1000],
]; // milliseconds a step
export const PAST_THE_END = 1e9;

/** @param {string} name */
const icon = (name) =>
  svg(
    'svg',
    { viewBox: '0 0 20 20', width: 16, height: 16, 'aria-hidden': 'true' },
    svg('path', { d: ICONS[name], fill: 'currentColor' }),
  );

/**
 * One of the bar; Tab passes by those that have a key.
 * @param {string} name @param {string} label @param {() => void} action
 */
const button = (name, label, action) => {
  const more = { class: null, 'data-act': name, 'aria-label': label, 'data-tip': label };
  return pushButton(icon(name), action, { ...more, tabindex: name === 'play' ? 0 : -1 });
};

/** The slider's frame: buttons, marks of the phases, speed. */
export class PlayerBar {
  /** @param {BarActions} act */
  constructor({ show, back, forward, toggle, verdict }) {
    this.show = show;
    this.play = button('play', 'Play', toggle);
    this.phases = el('div', { class: 'sv-phases', role: 'group', 'aria-label': 'Phases of this iteration' });
    const slide = () => {
      show(Number(this.range.value));
    };
    const range = { type: 'range', min: 0, max: 0, step: 1, value: 0, 'aria-label': 'Step', oninput: slide };
    this.range = el('input', range);
    this.count = el('span', { class: 'sv-step-count' });
    this.verdicts = VERDICTS.map(([name, glyph, key]) => {
      const label = `Next ${name} (${key})`;
      const more = { class: 'sv-next', 'data-act': name, 'aria-label': label, 'data-tip': label, tabindex: -1 };
      return pushButton(`${glyph}›`, () => verdict(name), more);
    });
    this.now = el('b', { class: 'sv-now', 'aria-hidden': 'true', hidden: true });
    const speeds = SPEEDS.map(([name, wait]) => el('option', { value: wait, selected: name === 'normal' }, name));
    this.speed = el('select', { 'aria-label': 'Speed', title: 'Speed' }, speeds);
    this.element = el(
      'div',
      { class: 'sv-bar', 'data-part': 'player-bar' },
      button('first', 'First step', () => show(0)),
      button('back', 'Step back', back),
      this.play,
      button('forward', 'Step forward', forward),
      button('last', 'Last step', () => show(PAST_THE_END)),
      this.verdicts,
      el('div', { class: 'sv-slider' }, this.phases, this.range),
      this.count,
      this.now,
      this.speed,
    );
  }

  /** Which verdicts are still to come. @param {(verdict: Verdict) => boolean} comes */
  offer(comes) {
    VERDICTS.forEach(([name], at) => {
      this.verdicts[at].disabled = !comes(name);
    });
  }

  wait() {
    return Number(this.speed.value);
  }

  /** New scenes: a mark for every phase, as wide as it has steps. @param {Scene[]} scenes */
  build(scenes) {
    this.range.max = String(scenes.length - 1);
    this.phases.replaceChildren(...phaseSpans(scenes).map((span) => this.phaseMark(span)));
  }

  /** @param {Span} span */
  phaseMark({ phase, from, to }) {
    const attributes = {
      tabindex: -1,
      class: `sv-phase ${phase}`,
      'data-phase': phase,
      'data-from': from,
      'data-to': to,
      style: { 'flex-grow': String(to - from + 1) },
    };
    return pushButton(PHASES[phase] || phase, () => this.show(from), attributes);
  }

  /** @param {number} index @param {Scene[]} scenes @param {number} [first] of the steps that it stands for */
  step(index, scenes, first = index) {
    const { title } = scenes[index];
    const [at, said] = first < index ? [`${first + 1}–${index + 1}`, `${first + 1} to ${index + 1}`] : [];
    this.range.value = String(index);
    this.range.setAttribute('aria-valuetext', `${said ?? index + 1} of ${scenes.length}: ${title}`);
    this.count.textContent = `${at ?? index + 1} / ${scenes.length}`;
    this.now.textContent = title;
    for (const mark of this.phases.querySelectorAll('button')) {
      const here = index >= Number(mark.dataset.from) && index <= Number(mark.dataset.to);
      mark.setAttribute('aria-current', here ? 'step' : 'false');
    }
  }

  /** Say the step's title here, too: while the story is out of sight. @param {boolean} on */
  title(on) {
    this.now.hidden = !on;
  }

  /** @param {boolean} on */
  playing(on) {
    const label = on ? 'Pause' : 'Play';
    this.play.replaceChildren(icon(on ? 'pause' : 'play'));
    this.play.setAttribute('aria-label', label);
    this.play.dataset.tip = label;
    this.play.setAttribute('aria-pressed', String(on));
  }
}

/** What is told of a step: title, sentence, formula, and the text with the tokens that this iteration writes. */
export class PlayerStory {
  /** @param {() => void} onfold opens the steps that one stands for, or folds them again */
  constructor(onfold) {
    this.title = el('h2', {});
    this.folded = pushButton(null, onfold, { class: 'sv-chip sv-fold', hidden: true });
    this.sentence = el('p', { class: 'sv-sentence', 'data-part': 'sentence' });
    this.formula = el('p', { class: 'sv-formula', 'data-part': 'formula' });
    this.more = pushButton(null, () => this.open(), { class: 'sv-chip sv-more-words' });
    const label = 'The end of the text, and the tokens that this iteration writes';
    this.strip = strip('div', { class: 'sv-strip', role: 'group', 'data-part': 'strip', 'aria-label': label });
    const story = { class: 'sv-story', 'aria-live': 'polite' };
    const head = el('div', { class: 'sv-story-head' }, this.title, this.folded, this.more);
    this.element = el('div', story, head, this.sentence, this.formula);
  }

  /** See every word, over the tree, or as much as there is space for. @param {boolean} [on] */
  open(on = !this.element.classList.contains('whole')) {
    this.element.classList.toggle('whole', on);
    this.fit();
  }

  /** The sentence gets the lines that there is space for; the rest is offered. */
  fit() {
    this.free();
    this.cut(this.room());
  }

  /** All of the sentence, so that `room` can be asked. */
  free() {
    this.sentence.style.removeProperty('--lines');
  }

  /** How many pixels the words need that there are not, and how many lines of the sentence there is space for. */
  room() {
    const { element, sentence } = this;
    const over = element.scrollHeight - element.clientHeight;
    const line = parseFloat(getComputedStyle(sentence).lineHeight);
    return { over, lines: Math.max(1, Math.floor((sentence.clientHeight - over) / line)) };
  }

  /** @param {ReturnType<PlayerStory['room']>} room */
  cut({ over, lines }) {
    const { element, sentence, more } = this;
    const whole = element.classList.contains('whole');
    if (over > 0 && !whole) sentence.style.setProperty('--lines', String(lines));
    more.hidden = !whole && over <= 0;
    more.textContent = whole ? 'Less' : 'More';
    more.setAttribute('aria-expanded', String(whole));
  }

  /** @param {TextStrip | null} text @param {number | null} root the node that the last token of the context is */
  build(text, root) {
    this.strip.hidden = !text;
    if (!text) return;
    const piece = (/** @type {string} */ one, /** @type {import('../base/dom.js').Attributes} */ more) =>
      el('span', more, marked(one, { breaks: false }));
    const last = text.context.length - 1;
    const context = text.context.map((one, at) =>
      piece(one, at === last && root !== null ? { class: 'sv-link', 'data-node': root } : {}),
    );
    const emitted = text.emitted.map(({ piece: one, origin, node }) =>
      piece(one, { class: `sv-token ${origin}${node === null ? '' : ' sv-link'}`, 'data-node': node }),
    );
    this.strip.replaceChildren(el('span', { class: 'sv-tail' }, context), ...emitted);
    this.strip.classList.toggle('goes-on', context.length > 0);
    keepWhole(this.strip);
    this.strip.scrollLeft = this.strip.scrollWidth; // the end of the text, where the tree grows
  }

  /** @param {Fold | undefined} closed that the step stands for @param {Fold | undefined} around open, with the step */
  fold(closed, around) {
    this.folded.hidden = !closed && !around;
    this.folded.setAttribute('aria-expanded', String(Boolean(around)));
    if (closed) this.folded.textContent = `+${closed.to - closed.from} like this`;
    else if (around) this.folded.textContent = `Fold these ${around.to - around.from + 1} again`;
    this.folded.dataset.tip = closed
      ? 'Steps in which nearly the same happens: step through each of them'
      : 'Make one step of them again';
  }

  /** Tokens that have just become known. @param {Set<number>} tokens from 0 */
  markNew(tokens) {
    [...this.strip.querySelectorAll('.sv-token')].forEach((token, at) => {
      token.classList.toggle('changed', tokens.has(at));
    });
  }

  /** @param {Scene} scene @param {(node: number | null) => boolean} told whether a token written is known by now */
  step(scene, told) {
    this.title.textContent = scene.title;
    this.sentence.replaceChildren(...explained(scene.sentence));
    typeset(this.formula, scene.formula);
    this.element.classList.remove('whole');
    this.strip.classList.toggle('open', scene.phase !== 'commit');
    for (const token of this.strip.querySelectorAll('.sv-token')) {
      const node = token.getAttribute('data-node');
      const later = !told(node === null ? null : Number(node));
      token.classList.toggle('later', later);
      token.setAttribute('aria-hidden', String(later));
    }
  }
}
