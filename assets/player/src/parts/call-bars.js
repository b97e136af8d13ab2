/* What target calls cost by the number of tokens they read, as bars: under a race, in a lesson, at a target call. */
import { el } from '../base/dom.js';

/** @import { CallCost } from '../payload.js' */

/** @param {number} seconds */
export const milliseconds = (seconds) => `${Number((1000 * seconds).toPrecision(3))} ms`;

/** @param {number} tokens */
const tokensWords = (tokens) => `${tokens} token${tokens === 1 ? '' : 's'}`;

/**
 * A bar for every number of tokens; one of them may be marked: the call at hand.
 * @param {CallCost[]} calls
 * @param {number | null} [marked] tokens
 */
export function callBars(calls, marked = null) {
  const most = Math.max(0, ...calls.map(({ seconds }) => seconds));
  const bars = calls.map(({ tokens, seconds, calls: times }) => {
    const here = tokens === marked;
    return el(
      'div',
      { role: 'listitem', class: here ? 'here' : null, 'data-tip': `the median of ${times} calls` },
      el('span', {}, here ? '▸ ' : '', tokensWords(tokens)),
      el('i', { style: { width: `${(100 * seconds) / most}%` }, 'aria-hidden': 'true' }),
      el('b', {}, milliseconds(seconds)),
    );
  });
  return el('div', { class: 'sv-calls', role: 'list', 'aria-label': 'Target calls by the tokens they read' }, bars);
}
