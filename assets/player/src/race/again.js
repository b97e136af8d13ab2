/* Whether a run that was made again came out as it was recorded. Data only. */

/** @import { LaneView, RunMade } from '../payload.js' */

const CLOSE = 1e-5; // of a perplexity: machines round differently, where the tokens are the same

/** @param {RunMade} made */
const words = ({ tokens, perplexity }) =>
  `${tokens} tokens${perplexity === null ? '' : ` at perplexity ${perplexity.toPrecision(3)}`}`;

/**
 * How the run on screen differs from the one that was recorded, in two sentences; '' where it is the same.
 * @param {RunMade} recorded @param {Pick<LaneView, 'tokens' | 'dials'>} lane
 */
export function differenceWords(recorded, { tokens, dials }) {
  const number = (/** @type {string} */ name) => dials.find(({ key }) => key === name)?.value ?? null;
  const made = {
    tokens: tokens.length,
    tokens_per_target_call: number('tokens_per_target_call'),
    perplexity: number('perplexity'),
  };
  const near = Math.abs((made.perplexity ?? 0) - (recorded.perplexity ?? 0)) <= CLOSE * (recorded.perplexity ?? 0);
  const calls = made.tokens_per_target_call === recorded.tokens_per_target_call;
  if (near && calls && made.tokens === recorded.tokens) return '';
  return (
    `Made again, this run came out differently: ${words(made)}, where ${words(recorded)} were recorded. Other ` +
    'models do that, the same ones in another precision (bfloat16, float32), and now and then another machine, ' +
    'which rounds differently.'
  );
}
