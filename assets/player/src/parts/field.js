/* One labelled field for one option of the catalog. */
import { el } from '../base/dom.js';
import { writeValue } from '../base/values.js';

/** @import { OptionSetup } from '../payload.js' */

/** A value as it is typed: lists are comma-separated. @param {unknown} value */
const typed = (value) => (value === null || value === undefined ? '' : String(value));

/**
 * What a field's text says, or the text itself where that is no number (the server says what is wrong).
 * @param {OptionSetup} option
 * @param {string} text
 */
export function valueOf(option, text) {
  if (option.kind === 'choice') return option.choices.find((choice) => typed(choice) === text) ?? (text || null);
  if (option.kind === 'integers') return text;
  if (text === '') return option.optional ? null : '';
  return Number.isFinite(Number(text)) ? Number(text) : text;
}

/** @param {OptionSetup} option @param {Record<string, string>} common */
function choiceField(option, common) {
  const choices = option.optional ? [null, ...option.choices] : option.choices;
  const item = (/** @type {any} */ choice) =>
    el('option', { value: typed(choice), selected: choice === option.default }, choice ?? 'off');
  return el('select', common, choices.map(item));
}

/** @param {OptionSetup} option @param {Record<string, string>} common */
function textField(option, common) {
  const words = option.choices.filter((choice) => typeof choice === 'string');
  const items = words.map((word) => el('option', { value: word }));
  const list = words.length ? el('datalist', { id: `${common.id}-list` }, items) : null;
  const several = option.kind === 'integers';
  const input = el('input', {
    ...common,
    type: words.length || several ? 'text' : 'number',
    inputmode: several ? 'text' : 'decimal',
    'data-list': several,
    value: typed(option.default),
    min: option.off ?? option.low,
    max: option.high,
    step: option.kind === 'integer' ? 1 : 'any',
    placeholder: option.optional ? 'off' : null,
    list: list ? list.id : null,
    autocomplete: 'off',
  });
  return { input, list };
}

/** A field with its label; `usedBy`: choices of other fields that it matters for. */
export class OptionField {
  /** @param {OptionSetup} option @param {string} where the form's name, for ids */
  constructor(option, where) {
    const id = `sv-${where}-${option.name}`;
    const empty = option.optional && option.kind !== 'choice' ? 'Leave empty to switch it off.' : '';
    const help = [option.help, empty].join(' ').trim();
    const { input, list } = OptionField.control(option, { id, 'aria-describedby': `${id}-help` });
    this.option = option;
    this.name = option.name;
    this.usedBy = option.used_by;
    this.input = input;
    const label = el('label', { for: id }, option.label || option.name);
    const about = el('span', { id: `${id}-help`, hidden: true }, help);
    const attributes = { class: 'sv-field', 'data-tip': help || null, 'data-field': `${where}-${option.name}` };
    this.element = el('div', attributes, label, input, list, about);
  }

  /**
   * @param {OptionSetup} option
   * @param {Record<string, string>} common
   * @returns {{input: HTMLInputElement | HTMLSelectElement, list?: HTMLElement | null}}
   */
  static control(option, common) {
    if (option.kind === 'flag') {
      return { input: el('input', { ...common, type: 'checkbox', checked: Boolean(option.default) }) };
    }
    return option.kind === 'choice' ? { input: choiceField(option, common) } : textField(option, common);
  }

  /** @returns {any} */
  read() {
    const { input } = this;
    if (input instanceof HTMLInputElement && this.option.kind === 'flag') return input.checked;
    return valueOf(this.option, input.value.trim());
  }

  /** @param {any} value */
  write(value) {
    const { input } = this;
    if (input instanceof HTMLInputElement && this.option.kind === 'flag') input.checked = Boolean(value);
    else input.value = typed(value);
  }
}

/** One lane's own value of an option that all lanes share; undefined while it has none. */
export class OwnField extends OptionField {
  /** @param {OptionSetup} option @param {string} where */
  constructor(option, where) {
    const help = `${option.help} Of this lane alone; leave empty for that of all lanes.`;
    super({ ...option, default: null, optional: false, choices: option.optional ? ['off'] : [], help }, where);
    this.input.setAttribute('placeholder', 'as all');
  }

  read() {
    const value = super.read();
    return value === '' ? undefined : value === 'off' ? null : value;
  }

  /** @param {any} value */
  write(value) {
    super.write(writeValue(value));
  }
}

/** What fields hold, by name; those that hold nothing are left out. @param {OptionField[]} fields */
export const readAll = (fields) =>
  Object.fromEntries(fields.map((field) => [field.name, field.read()]).filter(([, value]) => value !== undefined));
