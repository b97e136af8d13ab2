/* What to race: the prompt, examples, options of all lanes, Run and Stop. Fields come from the catalog's option
   records. */
import { el, pushButton } from '../base/dom.js';
import { choosePair, latest } from '../base/shared.js';
import { exampleButtons } from '../parts/examples.js';
import { OptionField, readAll } from '../parts/field.js';
import { Conversation } from './conversation.js';

/** @import { RaceSetup } from '../payload.js' */

/** How long a prompt is, as soon as that matters; '' before. @param {number} length @param {number} most */
export function lengthWords(length, most) {
  if (length <= 0.8 * most) return '';
  return `${length.toLocaleString('en')} of ${most.toLocaleString('en')} characters`;
}

/**
 * What the models are told to be: a line that opens, where they have a place for it.
 * @param {(event: KeyboardEvent) => void} onkeydown
 */
function systemField(onkeydown) {
  const placeholder = 'What the models’ own template says';
  const input = { id: 'sv-system', rows: 2, dir: 'auto', placeholder, 'aria-describedby': 'sv-alert', onkeydown };
  const text = /** @type {HTMLTextAreaElement} */ (el('textarea', { ...input, oninput: () => tell() }));
  const set = el('span', {});
  const tell = () => {
    set.textContent = text.value.trim() ? ' (set)' : '';
  };
  const label = el('label', { for: 'sv-system', class: 'sv-hidden' }, 'System message');
  const about = { class: 'sv-system', 'data-field': 'system', hidden: true };
  const element = /** @type {HTMLDetailsElement} */ (
    el('details', about, el('summary', {}, 'System message', set), label, text)
  );
  return {
    element,
    read: () => text.value.trim(),
    /** @param {string} value */
    write: (value) => {
      text.value = value;
      tell();
      element.open = Boolean(value);
      if (value) element.hidden = false;
    },
    /** What is written there is seen, also where the models take none. @param {boolean} on */
    offer: (on) => {
      element.hidden = !on && !text.value.trim();
    },
  };
}

/** The form above the lanes. `read()` and `write()` handle {prompt, turns, system, shared, max_new_tokens, seed};
    the models are chosen in the header. */
export class RaceForm {
  /** @param {RaceSetup} setup @param {{onrun: () => void, onstop: () => void}} on */
  constructor(setup, { onrun, onstop }) {
    this.setup = setup;
    this.onrun = onrun;
    this.shared = setup.shared.map((option) => new OptionField(option, 'shared'));
    this.plain = setup.numbers.map((option) => new OptionField(option, 'form'));
    this.count = el('span', { class: 'sv-count', 'aria-live': 'polite' });
    this.conversation = new Conversation();
    this.system = systemField((event) => this.onkeydown(event));
    this.prompt = this.promptField();
    this.run = pushButton('Run the race', onrun, { class: 'sv-run' });
    this.stop = pushButton('Stop', onstop, { class: 'sv-stop', hidden: true });
    this.element = this.layout();
  }

  promptField() {
    return el('textarea', {
      id: 'sv-prompt',
      rows: 2,
      spellcheck: 'false',
      dir: 'auto',
      placeholder: 'Type the beginning of a text …',
      'aria-describedby': 'sv-alert',
      oninput: () => this.measure(),
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.onkeydown(event),
    });
  }

  /** @param {KeyboardEvent} event */
  onkeydown(event) {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    this.onrun();
  }

  layout() {
    const { setup, prompt, count, run, stop } = this;
    const take = (/** @type {string} */ text) => {
      prompt.value = text;
      this.measure();
      prompt.focus();
    };
    const label = el('label', { for: 'sv-prompt', class: 'sv-hidden' }, 'Prompt');
    const asked = el('div', { 'data-field': 'prompt' }, label, prompt, count);
    const fields = [...this.shared, ...this.plain].map((field) => field.element);
    return el(
      'form',
      { class: 'sv-form', 'data-part': 'form', onsubmit: (/** @type {Event} */ event) => event.preventDefault() },
      el('div', { class: 'sv-prompt' }, this.system.element, this.conversation.element, asked),
      el('div', { class: 'sv-actions' }, run, stop),
      el(
        'div',
        { class: 'sv-settle' },
        exampleButtons('Example prompts', setup.examples, take),
        el('div', { class: 'sv-shared', role: 'group', 'aria-label': 'Options of all lanes' }, fields),
      ),
    );
  }

  measure() {
    const { length } = this.prompt.value;
    const most = this.setup.limits.prompt;
    this.count.textContent = lengthWords(length, most);
    this.count.classList.toggle('over', length > most);
  }

  read() {
    const { prompt, shared, plain } = this;
    const { turns } = this.conversation;
    const system = this.system.read();
    const said = { ...(turns.length ? { turns } : {}), ...(system ? { system } : {}) };
    return { prompt: prompt.value, ...said, pair: latest('pair') ?? '', shared: readAll(shared), ...readAll(plain) };
  }

  /**
   * What is missing stays as it is.
   * @param {{prompt?: unknown, shared?: Record<string, any>, [name: string]: any}} form
   */
  write(form) {
    if (typeof form.prompt === 'string') this.prompt.value = form.prompt;
    if (form.turns) this.conversation.show(form.turns);
    if (typeof form.system === 'string') this.system.write(form.system);
    choosePair(form.pair);
    for (const field of this.shared) {
      if (form.shared && field.name in form.shared) field.write(form.shared[field.name]);
    }
    for (const field of this.plain) if (form[field.name] !== undefined) field.write(form[field.name]);
    this.measure();
  }

  /** Ask on behind these turns. @param {[string, string][]} turns @param {string} system */
  goOn(turns, system) {
    this.write({ prompt: '', turns, system });
    this.prompt.focus();
    this.prompt.scrollIntoView({ block: 'center' });
  }

  /** Run or Stop, one in place of the other: the focus stays there. @param {boolean} on */
  running(on) {
    const { run, stop } = this;
    const focused = document.activeElement === run || document.activeElement === stop;
    run.hidden = on;
    stop.hidden = !on;
    if (focused) (on ? stop : run).focus();
  }
}
