/* Where runs left others: the text as a line that forks, each way on below the other, with what was changed. */
import { el } from '../base/dom.js';
import { keepWhole, marked, strip } from '../base/pieces.js';

/** @import { ForkView, RaceMessage } from '../payload.js' */
/** @typedef {(lane: number, iteration: number) => void} Opens */

/**
 * A part of a lane's text.
 * @param {RaceMessage} race @param {number} lane
 * @param {number} start @param {number | undefined} end @param {Opens} open
 */
function stretch(race, lane, start, end, open) {
  const tokens = (race.lanes[lane]?.tokens ?? []).slice(start, end);
  const token = (/** @type {typeof tokens[number]} */ [piece, origin, iteration]) =>
    el('span', { class: `sv-token ${origin}`, onclick: () => open(lane, iteration) }, marked(piece));
  const none = race.state === 'running' ? '…' : 'nothing more';
  const line = strip('p', { class: 'sv-fork-text' }, tokens.map(token));
  if (!tokens.length && end === undefined) line.append(el('i', { class: 'sv-blank' }, none));
  return keepWhole(line);
}

/**
 * The text of a lane from a token on: a line up to the next fork, then every way on.
 * @param {RaceMessage} race @param {number} lane @param {number} start @param {Opens} open @returns {HTMLElement[]}
 */
function ways(race, lane, start, open) {
  const own = race.forks.find((fork) => fork.lane === lane);
  const later = race.forks.filter(({ of, position }) => of === lane && position >= start);
  if (!later.length) return [stretch(race, lane, start, undefined, open)];
  const position = Math.min(...later.map((fork) => fork.position));
  const here = later.filter((fork) => fork.position === position);
  const rest = race.forks.filter((fork) => !here.includes(fork));
  const way = (/** @type {string} */ words, /** @type {string} */ kind, /** @type {HTMLElement[]} */ on) =>
    el('li', { class: kind }, el('span', { class: 'sv-fork-change' }, words), on);
  const recorded = own ? `${own.name} as it was` : 'as recorded';
  return [
    ...(position > start ? [stretch(race, lane, start, position, open)] : []),
    el(
      'ul',
      { class: 'sv-fork' },
      way(recorded, 'recorded', ways({ ...race, forks: rest }, lane, position, open)),
      here.map((fork) => {
        return way(
          `${fork.name} · ${fork.change}`,
          'changed',
          ways({ ...race, forks: rest }, fork.lane, position, open),
        );
      }),
    ),
  ];
}

/** The drawing; nothing where no lane left another. */
export class Forks {
  element = el('section', { class: 'sv-forks', 'aria-label': 'Where the text forks', hidden: true });

  /** @param {Opens} open */
  constructor(open) {
    this.open = open;
  }

  /** @param {RaceMessage} race */
  show(race) {
    this.element.hidden = race.forks.length === 0;
    if (this.element.hidden) return;
    const said = race.forks.filter((fork) => fork.said).map((fork) => el('p', {}, fork.said));
    const asked = el('span', { class: 'sv-fork-prompt', dir: 'auto' }, race.prompt ?? '');
    this.element.replaceChildren(
      el('p', { class: 'sv-fork-asked' }, asked),
      ...ways(race, 0, 0, this.open),
      el('div', { class: 'sv-fork-said', role: 'status' }, said),
    );
  }
}

/** Above a lane that is a branch, in place of settings. @param {number} number @param {ForkView | undefined} fork */
export const branchHead = (number, fork) =>
  el(
    'div',
    { class: 'sv-settings sv-branch-head' },
    el('b', {}, `Branch ${number}`),
    el('span', {}, fork ? fork.change : 'waiting'),
  );
