/* Pages to print: handouts, with answers or with lines to write on, and the speaker's notes. */
import { el } from '../base/dom.js';
import { clock, stepsWords } from './class-files.js';
import { sketch } from './sketch.js';

/**
 * @import { NotedPart, NotesDocument, PaperChoice, PaperDocument, PaperLesson } from '../payload.js'
 * @import { PaperStep, PaperThought, Sketch } from '../payload.js'
 */

const KEY =
  'Where two bars stand together, the upper one is the target’s probability and the lower one the draft’s; the ' +
  'token in bold is the guess.';

/** Lines to write on. @param {number} count */
const lines = (count) => Array.from({ length: count }, () => el('div', { class: 'sv-line', 'aria-hidden': 'true' }));

/** @param {Sketch | null} picture */
const figure = (picture) => (picture ? el('figure', {}, sketch(picture)) : null);

/** @param {PaperChoice} choice */
function choicePart({ text, answer, right }) {
  const mark = el('span', { class: 'sv-tick', 'aria-hidden': 'true' }, right ? '☑' : '☐');
  const told = answer && el('p', { class: 'sv-told-answer' }, el('b', {}, right ? 'Right. ' : 'No. '), answer);
  return el('li', {}, mark, text, told);
}

/** @param {PaperThought} one */
const thought = ({ think, but }) =>
  el(
    'div',
    { class: 'sv-thought' },
    el('p', {}, el('b', {}, 'Somebody says: '), `“${think}” `, but ? '' : 'What do you answer?'),
    but ? el('p', { class: 'sv-told-answer' }, but) : lines(3),
  );

/** @param {PaperStep} step */
function stepPart({ picture, guess, verdict, say, thoughts }) {
  const fate = verdict ? el('b', {}, verdict === 'accepted' ? 'It stays.' : 'It goes.') : '☐ It stays.  ☐ It goes.';
  const guessed = guess && el('p', {}, `The draft guessed “${guess}”. `, fate);
  return el('li', {}, figure(picture), guessed, say && el('p', {}, say), thoughts.map(thought));
}

/** @param {PaperLesson} lesson @param {number} number */
function lessonPart({ title, goal, picture, question, choices, steps, takeaway }, number) {
  const end = takeaway
    ? el('p', { class: 'sv-told-answer' }, el('b', {}, 'To take away: '), takeaway)
    : el('div', {}, el('p', {}, el('b', {}, 'In one sentence, what I take away:')), lines(2));
  return el(
    'section',
    {},
    el('h2', {}, `${number}. ${title}`),
    goal && el('p', { class: 'sv-goal' }, el('b', {}, 'Goal: '), goal),
    figure(picture),
    el('p', { class: 'sv-asked-on-paper' }, question),
    el('ul', {}, choices.map(choicePart)),
    el('ol', {}, steps.map(stepPart)),
    end,
  );
}

/** @param {PaperDocument} data */
export function handout({ answers, lessons }) {
  const name = answers ? null : el('p', { class: 'sv-name' }, 'Name: ', el('span', { class: 'sv-line' }));
  const parts = lessons.map((lesson, at) => lessonPart(lesson, at + 1));
  return el('article', { class: 'sv-handout' }, name, el('p', { class: 'sv-goal' }, KEY), parts);
}

/** @param {NotedPart} part */
function notedPart({ begins, minutes, title, lesson, steps, screen, say, ask, wrong }) {
  const shown = screen.map((text, at) => el('p', {}, steps.length ? el('b', {}, `${steps[at]}. `) : null, text));
  const said = [
    ['Say', say],
    ['Ask', ask],
    ['They will get wrong', wrong],
  ].flatMap(([name, text]) => [el('dt', {}, name), el('dd', {}, text)]);
  const screenful = [el('dt', {}, 'On the screen'), el('dd', {}, shown)];
  const where = lesson === null ? null : el('p', { class: 'sv-goal' }, `Lesson “${lesson}”: ${stepsWords(steps)}`);
  const time = el('span', { class: 'sv-when' }, `${clock(begins)} – ${clock(begins + minutes)} `);
  return el('section', {}, el('h2', {}, time, title), where, el('dl', {}, screenful, said));
}

/** @param {NotesDocument} data */
export const speakerNotes = ({ about, parts }) =>
  el('article', { class: 'sv-handout sv-notes' }, el('p', {}, about), parts.map(notedPart));
