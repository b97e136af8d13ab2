/* Buttons with prompts to start from: those that suit the models chosen. */
import { el, pushButton } from '../base/dom.js';
import { subscribe } from '../base/shared.js';

/** @import { ExampleSetup } from '../payload.js' */

/**
 * The examples of these models, or else those of no models in particular.
 * @template {{pair: string | null}} Suited
 * @param {Suited[]} examples @param {string} pair
 */
export function suiting(examples, pair) {
  const own = examples.filter((one) => one.pair === pair);
  return own.length ? own : examples.filter((one) => one.pair === null);
}

/** @param {string} label of the group @param {ExampleSetup[]} examples @param {(prompt: string) => void} take */
export function exampleButtons(label, examples, take) {
  const element = el('div', { class: 'sv-examples', role: 'group', 'aria-label': label });
  subscribe('pair', (pair) => {
    const buttons = suiting(examples, pair).map(({ label: name, prompt, about }) =>
      pushButton(name, () => take(prompt), { 'data-tip': about }),
    );
    element.replaceChildren(...buttons);
  });
  return element;
}
