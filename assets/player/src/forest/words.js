/* What the page says of verdicts: numbers and sentences. */

/**
 * @import { VerdictAnswer } from '../payload.js'
 * @typedef {{title: string, answer: VerdictAnswer}} Judged
 */

/** @param {number} value */
export const twoDigits = (value) => (value === 0 ? '0' : value.toFixed(2));
/** @param {number} value */
export const percent = (value) => (value > 1e-7 && value < 0.005 ? '<1%' : `${Math.round(100 * value)}%`);

/** How far a distribution is from the target's. @param {number | null} distance */
export function distanceWords(distance) {
  if (distance === null) return 'not known';
  return distance < 1e-6 ? '= target' : `${twoDigits(distance)} away`;
}

/** How often none, one, two ... guesses are kept. @param {number[]} lengths */
export const lengthsWords = (lengths) =>
  lengths
    .map((probability, at) => (probability > 1e-7 ? `${at}: ${percent(probability)}` : ''))
    .filter(Boolean)
    .join(', ');

/** Those that keep the most, in order. @param {Judged[]} judged */
function best(judged) {
  const most = Math.max(...judged.map(({ answer }) => answer.accepted));
  return judged.filter(({ answer }) => answer.accepted > most - 1e-9);
}

/** @param {string[]} titles */
const listed = (titles) => new Intl.ListFormat('en').format(titles);

/** @param {Judged[]} judged */
const told = (judged) =>
  `${listed(judged.map(({ title }) => title))} (${judged[0].answer.accepted.toFixed(2)} on average)`;

/** Which rule keeps the most guesses; '' where none was judged. @param {Judged[]} judged */
export function summaryWords(judged) {
  if (!judged.length) return '';
  const most = best(judged);
  const lossless = judged.filter(({ answer }) => answer.guarantee.exact);
  const lead = `Keeps the most of these guesses: ${told(most)}. `;
  if (!lossless.length) return `${lead}No rule here keeps the target’s distribution for guesses drawn like these.`;
  const [first] = best(lossless);
  if (most.length === 1 && first === most[0]) return `${lead}And it is lossless.`;
  return `${lead}Of the lossless ones: ${told([first])}.`;
}

/**
 * How near the lossless rules come to the most that any could keep of the first guesses; '' where that is not known.
 * @param {Judged[]} judged
 * @param {number | null} limit
 */
export function limitWords(judged, limit) {
  const counted = judged.flatMap(({ title, answer }) =>
    answer.first === null ? [] : [{ title, kept: answer.first, exact: answer.guarantee.exact }],
  );
  const lossless = counted.filter(({ exact }) => exact);
  if (limit === null || !lossless.length) return '';
  const most = Math.max(...lossless.map(({ kept }) => kept));
  const first = lossless.filter(({ kept }) => kept > most - 1e-9).map(({ title }) => title);
  const reached = most > limit - 1e-6 ? 'just that' : percent(most);
  const beyond = counted.some(({ exact, kept }) => !exact && kept > limit + 0.005);
  return [
    `The limit: no rule that keeps the target’s distribution keeps a first guess more often than ${percent(limit)}.`,
    `${listed(first)} ${first.length > 1 ? 'come' : 'comes'} to ${reached}.`,
    beyond ? 'Who keeps more pays with the distribution.' : '',
  ].join(' ');
}
