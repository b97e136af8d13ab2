/* A race at a moment of its lanes' clocks: what is under way, what can be seen, what has become text. Everything here
   is a function of the record and the moment, so a race can be played forwards, backwards and as slowly as one
   likes. */

/**
 * @import { GuessMotion, IterationMotion, LaneMotion } from '../payload.js'
 * @typedef {'draft' | 'target' | 'verify' | 'commit'} PhaseName
 * @typedef {object} GuessFrame how a token of a forest looks
 * @property {number} there how far it has appeared, 0 to 1
 * @property {string} state ghost, pending, or its fate
 * @property {number} away how far it has fallen, or slid into the text, 0 to 1
 * @typedef {object} Frame how an iteration looks
 * @property {PhaseName} phase
 * @property {number} sweep how far the target call has come, 0 to 1
 * @property {number} away
 * @property {GuessFrame[]} guesses
 */

export const FACTORS = [1, 2, 5, 10, 20, 50, 100, 200]; // how many times slower than measured
const WATCHABLE = 25; // seconds that a race takes at the factor it is first played with
const TAIL = 0.3; // share of an iteration in which what was decided falls, or slides into the text

/** @param {number} value */
const share = (value) => Math.min(1, Math.max(0, value));
/** A number from `from` (0) to `to` (1). @param {number} at @param {readonly [number, number]} span */
const within = (at, [from, to]) => (to > from ? share((at - from) / (to - from)) : at >= to ? 1 : 0);
/** A share that starts and stops softly. @param {number} at */
export const eased = (at) => at * at * (3 - 2 * at);
/** @param {IterationMotion} iteration */
const startOf = ({ phases }) => phases.draft[0];
/** @param {IterationMotion} iteration */
export const endOf = ({ phases }) => phases.verify[1];

/**
 * How long the outcome of an iteration takes to be carried out, in seconds.
 * @param {IterationMotion[]} all @param {number} index
 */
export function tailOf(all, index) {
  const next = all[index + 1] ?? all[index];
  return TAIL * Math.min(endOf(all[index]) - startOf(all[index]), endOf(next) - startOf(next));
}

/** When a lane is over, its last tokens being in the text. @param {LaneMotion} lane */
export function lengthOf({ iterations }) {
  const last = iterations.length - 1;
  return last < 0 ? 0 : endOf(iterations[last]) + tailOf(iterations, last);
}

/** The iteration that has begun last; -1 before the first. @param {LaneMotion} lane @param {number} moment */
export function iterationAt({ iterations }, moment) {
  let low = 0;
  let high = iterations.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (startOf(iterations[middle]) <= moment) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** How many iterations have become text. @param {LaneMotion} lane @param {number} moment */
export function settledAt(lane, moment) {
  const { iterations } = lane;
  const last = iterationAt(lane, moment);
  const before = Math.max(0, last - 1); // whose tail may reach into the next
  for (let index = before; index <= last; index++) {
    if (moment < endOf(iterations[index]) + tailOf(iterations, index)) return index;
  }
  return last + 1;
}

/** @param {IterationMotion} iteration @param {number} moment @returns {PhaseName} */
function phaseAt({ phases }, moment) {
  if (moment < phases.draft[1]) return 'draft';
  if (moment < phases.target[1]) return 'target';
  return moment < phases.verify[1] ? 'verify' : 'commit';
}

/**
 * A token of a forest: it appears while it is drafted, waits for the target, and comes to what the record says.
 * @param {GuessMotion} guess @param {number} moment @param {{fade: number, called: number, away: number}} at
 * @returns {GuessFrame}
 */
function guessAt({ appears, settles, fate }, moment, { fade, called, away }) {
  const there = within(moment, [appears - fade, appears]);
  if (moment >= settles) return { there, state: fate, away };
  return { there, state: moment < called ? 'ghost' : 'pending', away };
}

/**
 * How an iteration looks at a moment.
 * @param {IterationMotion} iteration @param {number} moment @param {number} tail seconds
 * @returns {Frame}
 */
export function frameOf(iteration, moment, tail) {
  const { phases, guesses, depth } = iteration;
  const away = within(moment, [endOf(iteration), endOf(iteration) + tail]);
  const fade = (phases.draft[1] - phases.draft[0]) / Math.max(1, depth);
  const at = { fade, called: phases.target[0], away };
  return {
    phase: phaseAt(iteration, moment),
    sweep: within(moment, phases.target),
    away,
    guesses: guesses.map((guess) => guessAt(guess, moment, at)),
  };
}

/** How many verdicts have fallen. @param {IterationMotion} iteration @param {number} moment */
function judgedAt({ decisions, phases }, moment) {
  return Math.min(decisions, Math.floor(within(moment, phases.verify) * (decisions + 1)));
}

/** @param {number} count @param {string} one @param {string} several */
const many = (count, one, several) => (count === 1 ? `1 ${one}` : `${count} ${several}`);

/**
 * What is happening, in a few words.
 * @param {IterationMotion} iteration @param {number} moment
 * @param {number} before tokens of the text when it began
 */
function happening(iteration, moment, before) {
  const { asked, decisions, guesses, tokens } = iteration;
  switch (phaseAt(iteration, moment)) {
    case 'draft': {
      const there = guesses.filter(({ appears }) => appears <= moment).length;
      return there ? `drafting: ${many(there, 'guess', 'guesses')}` : 'drafting';
    }
    case 'target':
      if (!asked) return 'one target call, for one token';
      return `one target call reads ${asked === 1 ? 'the guess' : `all ${asked} guesses at once`}`;
    case 'verify':
      return decisions ? `deciding: ${judgedAt(iteration, moment)} of ${decisions}` : 'deciding';
    default:
      return tokens > before ? `${many(tokens - before, 'token joins', 'tokens join')} the text` : 'the beams go on';
  }
}

/** The same with what is not drawn. @param {IterationMotion[]} all @param {number} index @param {number} moment */
export function words(all, index, moment) {
  const said = happening(all[index], moment, all[index - 1]?.tokens ?? 0);
  const { folded } = all[index];
  return folded ? `${said} · +${many(folded, 'guess', 'guesses')} not drawn` : said;
}

/** The moments at which a phase of some lane is over, in order. @param {LaneMotion[]} lanes */
export function phaseEnds(lanes) {
  const ends = lanes.flatMap(({ iterations }) =>
    iterations.flatMap(({ phases }) => [phases.draft[1], phases.target[1], phases.verify[1]]),
  );
  return [...new Set(ends)].sort((a, b) => a - b);
}

/** The moments at which an iteration of some lane is decided, in order. @param {LaneMotion[]} lanes */
export function iterationEnds(lanes) {
  return [...new Set(lanes.flatMap(({ iterations }) => iterations.map(endOf)))].sort((a, b) => a - b);
}

/** The factor at which a race of so many seconds can be watched. @param {number} seconds */
export function watchable(seconds) {
  const off = (/** @type {number} */ factor) => Math.abs(Math.log((factor * seconds) / WATCHABLE));
  return seconds > 0 ? FACTORS.reduce((best, factor) => (off(factor) < off(best) ? factor : best)) : 1;
}
