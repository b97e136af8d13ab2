/* What theory expects of a lane, from its own acceptance and the costs of its calls, beside what was measured. */
import { el } from '../base/dom.js';
import { explainedHead, scrolled, tableOf } from '../base/table.js';
import { explained } from '../base/terms.js';

/** @import { LaneTheory } from '../payload.js' */

/** @type {[string, string][]} a heading and what it means */
const COLUMNS = [
  ['Lane', 'Lanes whose guesses form a chain and are judged one by one: what the theory is about.'],
  ['γ', 'Tokens guessed in an iteration.'],
  [
    'α, acceptance',
    'The probability that a guess is accepted where it is judged: the sum of min(target, draft), averaged. ' +
      'The acceptance rate also counts the guesses after a rejection, which are never judged, so it is lower.',
  ],
  ['c, a draft call', 'What guessing one token costs, in target calls on one token; measured in this race.'],
  ['v, the target call', 'What judging all guesses costs, in the same unit; the paper takes it as 1.'],
  [
    'Tokens an iteration',
    'Expected: (1 - α^(γ + 1)) / (1 - α), Equation 1 of the paper. Beside it what the lane did.',
  ],
  [
    'Speed-up',
    'Over plain decoding in this race. Expected: those tokens / (γ c + v), Theorem 3.8 with the measured v.',
  ],
  ['Best γ', 'The number of guesses, from 1 to 16, with the highest expected speed-up at this α, c and v.'],
];

/** @param {[string, string]} numbers */
const both = ([expected, measured]) => [el('b', {}, measured), el('span', {}, ` expected ${expected}`)];

/** @param {LaneTheory} lane */
function row({ name, gamma, alpha, draft_cost: draft, verify_cost: verify, tokens, speed, best_gamma: best }) {
  const cells = [gamma, alpha, draft, verify, both(tokens), speed[0] === '–' ? '–' : both(speed), best];
  return el(
    'tr',
    {},
    el('th', { scope: 'row' }, name),
    cells.map((cell) => el('td', {}, cell)),
  );
}

/** @param {LaneTheory[]} lanes */
export function theoryTable(lanes) {
  const heads = COLUMNS.map(([word, help]) => explainedHead(word, help));
  const table = tableOf(heads, lanes.map(row));
  const name = 'What theory expected';
  const about = lanes.map(({ name: lane, why }) =>
    el('p', {}, lanes.length > 1 ? el('b', {}, `${lane}. `) : null, explained(why)),
  );
  return [el('h3', {}, name), scrolled(name, table), about].flat();
}
