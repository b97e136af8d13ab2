/* What to sweep: a card, or a grid in TOML; built-in prompts or a file; seeds and tokens. What is refused says so
   beside its field. */
import { el, pushButton } from '../base/dom.js';
import { megabytes } from '../base/files.js';
import { latest } from '../base/shared.js';
import { fileWords, numberOf } from './own-words.js';

/**
 * @import { SweepSetup } from '../payload.js'
 * @import { SweepForm } from './own-words.js'
 * @typedef {{name: string, title: string}} CardName
 */

const ALL = '';
const FILE = 'file';

/** @param {string} id @param {string} words @param {HTMLElement} input @param {string} [field] */
function labelled(id, words, input, field = id) {
  return el(
    'div',
    { class: 'sv-field', 'data-field': `sweep-${field}` },
    el('label', { for: input.id }, words),
    input,
  );
}

export class OwnForm {
  /** @param {SweepSetup} setup @param {{oncheck: () => void, onrun: () => void, onchange: () => void}} on */
  constructor(setup, { oncheck, onrun, onchange }) {
    this.setup = setup;
    /** @type {CardName | null} */
    this.card = null;
    this.grid = el('textarea', { id: 'sv-sweep-grid', rows: 12, spellcheck: 'false', value: setup.grid });
    this.prompts = this.promptSets();
    this.file = el('input', { id: 'sv-sweep-file', type: 'file', accept: '.jsonl,.json,.ndjson,.txt' });
    this.seeds = this.number('seeds', setup.seeds, setup.limits.seeds);
    this.tokens = this.number('tokens', setup.tokens, setup.limits.tokens);
    this.wrong = el('p', { class: 'sv-wrong', id: 'sv-sweep-wrong', role: 'alert' });
    this.check = pushButton('Check', oncheck, { class: 'sv-do' });
    this.run = el('button', { type: 'submit', class: 'sv-run' }, 'Run');
    this.cardLine = el('p', { class: 'sv-own-card', 'data-field': 'sweep-card', hidden: true });
    this.gridField = labelled('grid', 'Methods and options, as TOML', this.grid);
    this.fileField = this.fileBox();
    this.numbers = this.numberBoxes();
    this.element = this.build(onrun, onchange);
    this.arrange();
  }

  promptSets() {
    const all = this.setup.sets.reduce((sum, { prompts, usual }) => sum + (usual ? prompts : 0), 0);
    return el(
      'select',
      { id: 'sv-sweep-prompts', onchange: () => this.arrange() },
      el('option', { value: ALL, 'data-all': `Tales, sums and queries (${all})` }),
      this.setup.sets.map(({ name, prompts, scored }) =>
        el('option', { value: name }, `${name} (${prompts}${scored ? ', with answers' : ''})`),
      ),
      el('option', { value: FILE }, 'A file of mine …'),
    );
  }

  /** @param {string} name @param {number} value @param {number} max */
  number(name, value, max) {
    return el('input', { id: `sv-sweep-${name}`, type: 'number', inputmode: 'numeric', min: 1, max, step: 1, value });
  }

  fileBox() {
    const { prompts, file } = this.setup.limits;
    const box = labelled('file', 'Prompts, as JSON lines', this.file);
    const most = `Up to ${prompts} prompts and ${megabytes(file)}.`;
    const about = 'Lines with question_id, category and turns, as of Spec-Bench; the first turn is answered. ';
    box.append(el('small', {}, about + most));
    return box;
  }

  /** What is drawn of a grid, to choose from. */
  numberBoxes() {
    const boxes = this.setup.numbers.map(({ name, label, help, usual }) =>
      el('label', { 'data-tip': help }, el('input', { type: 'checkbox', value: name, checked: usual }), ` ${label}`),
    );
    return el(
      'details',
      { class: 'sv-own-numbers', 'data-field': 'sweep-numbers' },
      el('summary', {}, `Numbers to draw, up to ${this.setup.limits.charts}`),
      el('div', {}, boxes),
    );
  }

  /** The numbers chosen. @returns {string[]} */
  get drawn() {
    return [...this.numbers.querySelectorAll('input')].flatMap(({ checked, value }) => (checked ? [value] : []));
  }

  /** @param {() => void} onrun @param {() => void} onchange */
  build(onrun, onchange) {
    const onsubmit = (/** @type {Event} */ event) => {
      event.preventDefault();
      onrun();
    };
    return el(
      'form',
      { class: 'sv-own-form', novalidate: true, onsubmit, oninput: onchange },
      this.cardLine,
      this.gridField,
      el(
        'div',
        { class: 'sv-own-fields' },
        labelled('prompts', 'Prompts', this.prompts),
        labelled('seeds', 'Seeds', this.seeds),
        labelled('tokens', 'Tokens a run', this.tokens, 'max_new_tokens'),
      ),
      this.fileField,
      this.numbers,
      el('div', { class: 'sv-own-buttons' }, this.check, this.run),
    );
  }

  /** What is of no use now is not there. */
  arrange() {
    this.fileField.hidden = this.prompts.value !== FILE;
    this.gridField.hidden = this.numbers.hidden = this.card !== null;
    this.cardLine.hidden = this.card === null;
    this.prompts.options[0].textContent = this.card
      ? 'Those of the card'
      : (this.prompts.options[0].dataset.all ?? '');
  }

  /** Run a card in place of one's own grid; null: one's own again. @param {CardName | null} card */
  choose(card) {
    this.card = card;
    const own = () => {
      this.choose(null);
      this.grid.focus();
    };
    const back = pushButton('My own grid instead', own);
    this.cardLine.replaceChildren(...(card ? ['The card ', el('b', {}, card.title), ' ', back] : []));
    this.seeds.value = card ? '' : String(this.setup.seeds);
    this.tokens.value = card ? '' : String(this.setup.tokens);
    for (const field of [this.seeds, this.tokens]) field.placeholder = card ? 'its own' : '';
    this.prompts.value = ALL;
    this.accept();
    this.arrange();
  }

  /** What the server takes; null where it cannot be read, which is said. @returns {Promise<SweepForm | null>} */
  async read() {
    this.accept();
    /** @type {SweepForm} */
    const form = this.card ? { card: this.card.name } : { grid: this.grid.value, numbers: this.drawn };
    form.pair = latest('pair') ?? '';
    for (const [name, input] of /** @type {const} */ ([
      ['seeds', this.seeds],
      ['max_new_tokens', this.tokens],
    ])) {
      const { value } = numberOf(input.value);
      if (value !== undefined) form[name] = value;
    }
    if (this.prompts.value === FILE) {
      const file = this.file.files?.[0];
      const wrong = file ? fileWords(file.size, this.setup.limits) : 'Choose a file.';
      if (wrong || !file) return this.refuse('sweep-file', wrong);
      try {
        form.file = await file.text();
      } catch {
        return this.refuse('sweep-file', 'The file could not be read.');
      }
    } else if (this.prompts.value !== ALL) form.prompts = [this.prompts.value];
    return form;
  }

  accept() {
    this.wrong.textContent = '';
    this.wrong.remove();
    for (const one of this.element.querySelectorAll('[aria-invalid]')) {
      one.removeAttribute('aria-invalid');
      one.removeAttribute('aria-describedby');
    }
  }

  /** Say beside its field, or at the end, what is wrong. @param {string} field @param {string} message */
  refuse(field, message) {
    this.accept();
    const place = this.element.querySelector(`[data-field="${CSS.escape(field)}"]`);
    if (place instanceof HTMLDetailsElement) place.open = true;
    (place instanceof HTMLElement && !place.hidden ? place : this.element).append(this.wrong);
    this.wrong.textContent = message;
    const input = place?.querySelector('textarea, select, input');
    if (input instanceof HTMLElement) {
      input.setAttribute('aria-invalid', 'true');
      input.setAttribute('aria-describedby', this.wrong.id);
      input.focus();
    }
    return null;
  }

  /** @param {boolean} on */
  busy(on) {
    this.check.disabled = this.run.disabled = on;
  }
}
