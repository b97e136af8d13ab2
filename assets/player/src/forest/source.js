/* Where a frozen forest comes from: a recorded step, chosen here, or one drafted by the server. */
import { el } from '../base/dom.js';
import { choosePair, latest } from '../base/shared.js';
import { exampleButtons } from '../parts/examples.js';
import { OptionField, readAll } from '../parts/field.js';
import { matters } from '../race/lane-settings.js';

/**
 * @import { ForestSetup } from '../payload.js'
 * @import { Draft, Recorded } from './link.js'
 */

/** Which recorded step: a method, then one of its steps. */
export class ForestSteps {
  /** @param {ForestSetup} setup @param {(source: Recorded) => void} onchoose */
  constructor(setup, onchoose) {
    this.setup = setup;
    /** @type {Recorded | null} */
    this.now = null;
    this.other = el('option', { value: '', hidden: true, disabled: true });
    const methods = setup.recorded.map(({ run, title }) => el('option', { value: run }, title));
    const chooseMethod = () => {
      const one = setup.recorded.find(({ run }) => run === this.method.value);
      if (one) onchoose({ run: one.run, lane: 0, step: one.steps[0], warp: {} });
    };
    const chooseStep = () => {
      if (this.now) onchoose({ ...this.now, step: Number(this.step.value), warp: {} });
    };
    this.method = el('select', { id: 'sv-forest-method', onchange: chooseMethod }, this.other, methods);
    this.step = el('select', { 'aria-label': 'Recorded iteration', onchange: chooseStep });
    const label = el('label', { for: 'sv-forest-method' }, 'Forest of');
    this.element = el('span', { class: 'sv-field sv-pick' }, label, this.method, this.step);
  }

  /** @param {Recorded | null} source null: drafted @param {string} title @param {number[]} steps */
  show(source, title, steps) {
    this.now = source;
    const listed = this.setup.recorded.some(({ run }) => run === source?.run);
    this.other.textContent = title;
    this.method.value = listed && source ? source.run : '';
    this.step.hidden = !steps.length;
    const item = (/** @type {number} */ at) =>
      el('option', { value: at, selected: at === source?.step }, `step ${at + 1}`);
    this.step.replaceChildren(...steps.map(item));
  }
}

/** The form of "Draft a new forest". */
export class ForestForm {
  /** @param {ForestSetup} setup @param {(form: Draft) => void} onsend */
  constructor(setup, onsend) {
    this.setup = setup;
    this.onsend = onsend;
    const text = { id: 'sv-forest-prompt', rows: 2, dir: 'auto', spellcheck: 'false' };
    this.prompt = el('textarea', { ...text, 'aria-describedby': 'sv-forest-wrong' });
    const drafters = setup.drafters.map(({ name, about }) => el('option', { value: name }, `${name}: ${about}`));
    const onchange = () => this.hideIrrelevant();
    this.drafter = el('select', { id: 'sv-forest-drafter', onchange }, drafters);
    this.fields = setup.options.map((option) => new OptionField(option, 'forest'));
    this.seed = new OptionField(setup.seed, 'forest');
    this.send = el('button', { type: 'submit', class: 'sv-run' }, 'Draft it');
    this.status = el('p', { class: 'sv-caption', role: 'status' });
    this.wrong = el('p', { id: 'sv-forest-wrong', class: 'sv-alert', role: 'alert' });
    this.element = this.build();
    this.prompt.value = setup.examples[0].prompt;
    this.drafter.value = 'tree';
    this.hideIrrelevant();
  }

  build() {
    const onsubmit = (/** @type {Event} */ event) => {
      event.preventDefault();
      this.accept();
      this.onsend(this.read());
    };
    const take = (/** @type {string} */ text) => {
      this.prompt.value = text;
      this.prompt.focus();
    };
    const about = { for: 'sv-forest-prompt', class: 'sv-caption' };
    const prompt = el('label', about, 'Text that the guesses continue');
    const drafter = el('label', { for: 'sv-forest-drafter' }, 'Drafter');
    const fields = [...this.fields, this.seed].map((field) => field.element);
    return el(
      'form',
      { class: 'sv-form sv-forest-form', 'data-part': 'draft', hidden: true, onsubmit },
      el('div', { class: 'sv-prompt', 'data-field': 'prompt' }, prompt, this.prompt),
      el('div', { class: 'sv-actions' }, this.send),
      el(
        'div',
        { class: 'sv-settle' },
        exampleButtons('Example texts', this.setup.examples, take),
        el(
          'div',
          { class: 'sv-shared' },
          el('span', { class: 'sv-field', 'data-field': 'forest-drafter' }, drafter, this.drafter),
          fields,
        ),
      ),
      el('div', { class: 'sv-settle' }, this.status),
      this.wrong,
    );
  }

  hideIrrelevant() {
    for (const field of this.fields) field.element.hidden = !matters(field.usedBy, [this.drafter.value]);
  }

  /** @returns {Draft} */
  read() {
    const shown = this.fields.filter((field) => !field.element.hidden);
    const { prompt, drafter, seed } = this;
    const pair = latest('pair') ?? '';
    return { prompt: prompt.value, drafter: drafter.value, options: readAll(shown), seed: seed.read(), pair };
  }

  /** @param {Draft} form */
  write(form) {
    this.prompt.value = form.prompt;
    choosePair(form.pair);
    if (this.setup.drafters.some(({ name }) => name === form.drafter)) this.drafter.value = form.drafter;
    this.hideIrrelevant();
    this.seed.write(form.seed);
    for (const field of this.fields) if (field.name in form.options) field.write(form.options[field.name]);
  }

  accept() {
    this.wrong.textContent = '';
    for (const one of this.element.querySelectorAll('[aria-invalid]')) one.removeAttribute('aria-invalid');
  }

  /** @param {{field: string, message: string}} refusal */
  refuse({ field, message }) {
    this.status.textContent = '';
    this.wrong.textContent = message;
    const selector = `[data-field="${CSS.escape(field)}"] :is(input, select, textarea)`;
    const at = this.element.querySelector(selector);
    if (!(at instanceof HTMLElement)) return;
    at.setAttribute('aria-invalid', 'true');
    at.focus();
  }

  /** @param {string} text '' once it is done */
  busy(text) {
    this.status.textContent = text;
    this.send.disabled = Boolean(text);
  }
}
