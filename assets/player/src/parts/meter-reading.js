/* What a guarantee meter says of a method here: word, number, marks and sentences. */

/**
 * @import { GuaranteeBadge, Guarantees, MeterEntry, ModelPrints, Status } from '../payload.js'
 * @typedef {{options?: Record<string, any>, guarantee?: GuaranteeBadge, pair?: ModelPrints | null}} Given the options,
 *   what the race says of them, and which models wrote it (unless: those that are loaded)
 * @typedef {object} Reading
 * @property {string} word
 * @property {boolean | null} exact
 * @property {string[]} lines
 * @property {MeterEntry} [entry]
 * @property {string} [title]
 * @property {string} [number]
 * @property {boolean} [stale] the marks are about other options
 * @property {boolean} [measured]
 */

/** @param {unknown} one @param {unknown} other */
export const sameData = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** Where a distance stands on the scale, 0 to 1: so that .02 and .39 both show. @param {number} distance */
export const placeOf = (distance) => Math.sqrt(Math.min(1, Math.max(0, distance)));

/**
 * The options of the lane that are not the ones measured, by name; values are compared as they are typed.
 * @param {MeterEntry} entry
 * @param {Record<string, any> | undefined} options
 */
export function changedOptions(entry, options = {}) {
  const { defaults } = entry;
  return Object.keys(options).filter((name) => name in defaults && String(options[name]) !== String(defaults[name]));
}

/** @param {string[]} names */
function aboutOthers(names) {
  if (!names.length) return '';
  const differ = names.length > 1 ? 'differ' : 'differs';
  return `The numbers below are for the default options; here ${names.join(', ')} ${differ}.`;
}

/** @param {MeterEntry} entry @param {GuaranteeBadge | null} known */
function guaranteeLine(entry, known) {
  if (!known) return 'What it guarantees with these options is said once it has run.';
  return known.kind === entry.guarantee.kind ? entry.guarantee.help : known.help;
}

const NOT_MEASURED = 'The distance of its texts was not measured on this pair of models.';

/**
 * Whether an entry is about these models; a method without a draft has none to differ in.
 * @param {MeterEntry} entry
 * @param {ModelPrints} pair
 */
const isAbout = (entry, pair) =>
  entry.pair.target === pair.target && (pair.draft === null || entry.pair.draft === pair.draft);

/**
 * @param {string} name of the method; a file may name its method anything
 * @param {Given} given
 * @param {Guarantees} guarantees
 * @param {Status['pair'] | undefined} loaded the models that are loaded
 * @returns {Reading | null} null where nothing is known
 */
export function reading(name, { options, guarantee, pair: own }, guarantees, loaded) {
  const pair = own || loaded;
  const entries = Object.hasOwn(guarantees, name) ? guarantees[name] : [];
  const about = entries.find((one) => !pair || isAbout(one, pair));
  const entry = about || entries[0];
  if (!entry) return guarantee ? { word: guarantee.name, exact: guarantee.exact, lines: [guarantee.help] } : null;
  const other = changedOptions(entry, options);
  const known = guarantee || (other.length ? null : entry.guarantee);
  const kept = Boolean(known && known.kind === entry.guarantee.kind && (known.exact || !other.length));
  const measured = Boolean(about);
  const { says } = entry;
  const found = measured ? [says.measured, says.made] : [NOT_MEASURED];
  const lines = [guaranteeLine(entry, known), aboutOthers(other), ...found, says.exact, says.distance];
  return {
    entry,
    title: entry.title,
    stale: !kept,
    measured,
    word: kept ? entry.word : known ? known.name : 'other options',
    number: kept && measured ? entry.number : '',
    exact: known ? known.exact : null,
    lines: lines.filter(Boolean),
  };
}
