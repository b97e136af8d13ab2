/* Pages to print: handouts, with answers or with lines to write on, and the speaker's notes. */
import { el } from '../base/dom.js';
import { clock, stepsWords } from './class-files.js';
import { sketch } from './sketch.js';

/**
 * @import { LessonStep, Misconception, NotedPart, NotesDocument, PaperDocument, PaperLesson } from '../payload.js'
 * @import { LessonQuestion, Sketch } from '../payload.js'
 */

const KEY =
  'Where two bars stand together, the upper one is the target’s probability and the lower one the draft’s; the ' +
  'token in bold is the guess.';

/** Lines to write on. @param {number} count */
const lines = (count) => Array.from({ length: count }, () => el('div', { class: 'sv-line', 'aria-hidden': 'true' }));

/** @param {Sketch | null} picture */
const figure = (picture) => (picture ? el('figure', {}, sketch(picture)) : null);

/** @param {LessonQuestion} question @param {boolean} answers */
function questionParts({ text, choices }, answers) {
  const items = choices.map(({ text: choice, answer, right }) => {
    const mark = el('span', { class: 'sv-tick', 'aria-hidden': 'true' }, answers ? (right ? '☑' : '☐') : '☐');
    const told = answers
      ? el('p', { class: 'sv-told-answer' }, el('b', {}, right ? 'Right. ' : 'No. '), answer)
      : null;
    return el('li', {}, mark, choice, told);
  });
  return [el('p', { class: 'sv-asked-on-paper' }, text), el('ul', {}, items)];
}

/** @param {Misconception} one @param {boolean} answers */
const thought = ({ think, but }, answers) =>
  el(
    'div',
    { class: 'sv-thought' },
    el('p', {}, el('b', {}, 'Somebody says: '), `“${think}” `, answers ? '' : 'What do you answer?'),
    answers ? el('p', { class: 'sv-told-answer' }, but) : lines(3),
  );

/** @param {LessonStep} step @param {Sketch | null} picture @param {boolean} answers */
function stepParts({ say, predict, misconceptions }, picture, answers) {
  const guess = predict
    ? el(
        'p',
        {},
        `The draft guessed “${predict.label}”. `,
        answers ? el('b', {}, predict.verdict === 'accepted' ? 'It stays.' : 'It goes.') : '☐ It stays.  ☐ It goes.',
      )
    : null;
  const told = answers ? el('p', {}, say) : null;
  const thoughts = misconceptions.map((one) => thought(one, answers));
  if (!guess && !told && !thoughts.length) return null;
  return el('li', {}, answers || guess ? figure(picture) : null, guess, told, thoughts);
}

/** @param {PaperLesson} lesson @param {number} number @param {boolean} answers */
function lessonPart({ words, question, steps }, number, answers) {
  const items = words.steps.map((step, at) => stepParts(step, steps[at], answers)).filter((item) => item !== null);
  const end = answers
    ? el('p', { class: 'sv-told-answer' }, el('b', {}, 'To take away: '), words.takeaway)
    : el('div', {}, el('p', {}, el('b', {}, 'In one sentence, what I take away:')), lines(2));
  return el(
    'section',
    {},
    el('h2', {}, `${number}. ${words.title}`),
    el('p', { class: 'sv-goal' }, el('b', {}, 'Goal: '), words.goal),
    figure(question),
    questionParts(words.question, answers),
    el('ol', {}, items),
    end,
  );
}

/** @param {PaperDocument} data */
export function handout({ answers, lessons }) {
  const name = answers ? null : el('p', { class: 'sv-name' }, 'Name: ', el('span', { class: 'sv-line' }));
  const parts = lessons.map((lesson, at) => lessonPart(lesson, at + 1, answers));
  return el('article', { class: 'sv-handout' }, name, el('p', { class: 'sv-goal' }, KEY), parts);
}

/** @param {NotedPart} part */
function notedPart({ begins, minutes, title, lesson, steps, say, ask, wrong }) {
  const said = [
    ['Say', say],
    ['Ask', ask],
    ['They will get wrong', wrong],
  ].flatMap(([name, text]) => [el('dt', {}, name), el('dd', {}, text)]);
  const where = lesson === null ? null : el('p', { class: 'sv-goal' }, `Lesson “${lesson}”: ${stepsWords(steps)}`);
  const time = el('span', { class: 'sv-when' }, `${clock(begins)} – ${clock(begins + minutes)} `);
  return el('section', {}, el('h2', {}, time, title), where, el('dl', {}, said));
}

/** @param {NotesDocument} data */
export const speakerNotes = ({ about, parts }) =>
  el('article', { class: 'sv-handout sv-notes' }, el('p', {}, about), parts.map(notedPart));
