/* The settings of one lane: its method, with the guarantee meter, the method's options and its own temperature. */
import { el, pushButton } from '../base/dom.js';
import { OptionField, OwnField, readAll } from '../parts/field.js';
import { meter } from '../parts/meter.js';

/**
 * @import { LaneView, RaceSetup } from '../payload.js'
 * @import { Lane } from '../base/values.js'
 */

/**
 * Whether a field matters: always, or because something that it is used by is chosen.
 * @param {string[]} usedBy
 * @param {unknown[]} chosen
 */
export const matters = (usedBy, chosen) => usedBy.length === 0 || usedBy.some((choice) => chosen.includes(choice));

export class LaneSettings {
  /**
   * @param {RaceSetup} setup
   * @param {number} number the lane's, from 1
   * @param {Lane} chosen
   * @param {{onremove: () => void, onchange: () => void}} on
   */
  constructor(setup, number, chosen, { onremove, onchange }) {
    this.setup = setup;
    this.number = number;
    /** @type {OptionField[]} */
    this.fields = [];
    /** @type {LaneView | null} */
    this.result = null; // the view of what ran with these settings
    this.told = '';
    this.caption = el('p', { class: 'sv-caption' });
    this.options = el('div', { class: 'sv-options', onchange: () => this.changed() });
    this.meter = el('span', { class: 'sv-lane-meter' });
    this.own = el('span', { class: 'sv-lane-own' }); // what of the shared options is this lane's own
    this.more = el('details', { class: 'sv-more' }, el('summary', {}, 'Options', this.own), this.options);
    this.picker = this.methodPicker(onchange);
    const label = `Remove lane ${number}`;
    this.remove = pushButton('×', onremove, { class: 'sv-quiet sv-remove', 'aria-label': label });
    this.element = el(
      'div',
      { class: 'sv-settings', 'data-field': `lane-${number}-method` },
      el(
        'div',
        { class: 'sv-pick' },
        el('span', { class: 'sv-number', 'aria-hidden': 'true' }, number),
        this.picker,
        this.remove,
      ),
      this.caption,
      el('div', { class: 'sv-badges' }, this.meter, this.more),
    );
    this.picker.value = chosen.method;
    this.build(chosen.options || {});
  }

  /** @param {() => void} onchange */
  methodPicker(onchange) {
    const title = (/** @type {string} */ name) => this.setup.methods.find((method) => method.name === name)?.title;
    const option = (/** @type {string} */ name) => el('option', { value: name }, title(name));
    const change = () => {
      this.build({});
      onchange();
    };
    const families = this.setup.families.map((family) =>
      el('optgroup', { label: family.title }, family.methods.map(option)),
    );
    return el('select', { 'aria-label': `Lane ${this.number}: method`, onchange: change }, families);
  }

  /** Fields for the method that is picked. @param {Record<string, any>} values */
  build(values) {
    const { methods, shared } = this.setup;
    const method = methods.find(({ name }) => name === this.picker.value) || methods[0];
    this.picker.value = method.name;
    this.caption.textContent = method.summary;
    const own = shared.filter(({ name }) => name === 'temperature' || name in values);
    this.fields = [
      ...method.options.map((option) => new OptionField(option, `lane-${this.number}`)),
      ...own.map((option) => new OwnField(option, `lane-${this.number}`)),
    ];
    for (const field of this.fields) if (field.name in values) field.write(values[field.name]);
    this.options.replaceChildren(...this.fields.map((field) => field.element));
    this.result = null;
    this.changed();
  }

  changed() {
    this.hideIrrelevant();
    const own = this.fields.filter((field) => field instanceof OwnField && field.read() !== undefined);
    this.own.textContent = own.map(({ option, input }) => ` · ${option.label} ${input.value}`).join('');
    this.showGuarantee(this.result);
  }

  /** Hide the fields that matter for other choices only. */
  hideIrrelevant() {
    const chosen = this.fields.map((field) => field.read());
    for (const { element, usedBy } of this.fields) element.hidden = !matters(usedBy, chosen);
  }

  chosenOptions() {
    return readAll(this.fields.filter((field) => !field.element.hidden));
  }

  /**
   * The guarantee meter: of the result, or of the method as it is set while there is none.
   * @param {LaneView | null} view
   */
  showGuarantee(view) {
    this.result = view;
    const { options, guarantee, pair } = view || { options: this.chosenOptions() };
    const about = { options, guarantee, pair };
    const key = JSON.stringify([this.picker.value, about]);
    if (this.told !== key) this.meter.replaceChildren(meter(this.picker.value, about));
    this.told = key;
  }

  /** @param {boolean} on */
  removable(on) {
    this.remove.hidden = !on;
  }

  get method() {
    return this.picker.value;
  }

  /** @returns {Lane} */
  read() {
    return { method: this.picker.value, options: this.chosenOptions() };
  }
}
