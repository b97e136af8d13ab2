/* An exported file: the player around data that stands in the file itself. The frame around it (heading, theme,
   note) is the same for all kinds of document. */
import { el } from './base/dom.js';
import { bytesOf } from './base/files.js';
import { meetNotebook } from './base/frame.js';
import { publish, subscribe } from './base/shared.js';
import { learn } from './base/terms.js';
import { isDark, themeButton } from './base/theme.js';
import { installTooltip } from './base/tooltip.js';
import { AllLessons } from './lesson/all.js';
import { handout, speakerNotes } from './lesson/paper.js';
import { LessonView } from './lesson/view.js';
import { Iterations } from './player/iterations.js';
import { Player } from './player/player.js';
import { raceElement } from './race/show.js';

/** @import { LessonDocument, Scene, StandaloneDocument, StepDocument } from './payload.js' */

const ABOUT =
  'This file holds recorded steps and shows nothing else: no model runs in it, and it asks nothing of any server.';
const NARROWEST = 680; // pixels of a window, or of a notebook's cell, that has a step on one screen
const TOO_OLD =
  'This browser is too old to unpack what this file holds. Chrome and Edge open it from version 80 on, Safari from ' +
  '16.4, Firefox from 113.';

/** All steps in order, for paper. @param {Scene[]} scenes */
function printedScenes(scenes) {
  const items = scenes.map(({ title, sentence, formula }) => {
    const worked = formula ? el('p', { class: 'sv-formula' }, formula) : null;
    return el('li', {}, el('h3', {}, title), el('p', {}, sentence), worked);
  });
  return el('section', { class: 'sv-printed' }, el('h2', {}, 'All steps'), el('ol', {}, items));
}

/**
 * Recorded iterations, one on screen: stepping past an end of it goes on to the next. What chooses among them, where
 * there are several, is for the heading.
 * @param {HTMLElement} root
 * @param {StepDocument} data
 */
function showSteps(root, { payloads, first = 0, at, pins }) {
  const stage = el('div', {});
  const player = new Player(stage, {
    stagedFrom: NARROWEST,
    onedge: (direction) => turn(iterations.iteration + direction, direction > 0 ? 0 : -1),
  });
  const iterations = new Iterations((to) => turn(to, 0));
  /** @param {number} to @param {string | number} scene */
  const turn = (to, scene) => {
    if (!payloads[to]) return;
    iterations.show(to, payloads.length);
    player.load(payloads[to], scene);
  };
  root.replaceChildren(stage, printedScenes(payloads.flatMap(({ scenes }) => scenes)));
  turn(first, at || 0);
  player.pin(pins || []);
  document.addEventListener('keydown', (event) => player.keysElsewhere(event));
  return payloads.length > 1 ? [iterations.element] : [];
}

/** A lesson. @param {HTMLElement} root @param {LessonDocument} data */
function showLesson(root, data) {
  const lesson = new LessonView(root);
  lesson.load(data);
  document.addEventListener('keydown', (event) => lesson.keys(event));
}

/** @param {string} packed deflated JSON, in base64 @returns {Promise<StandaloneDocument>} */
async function unpacked(packed) {
  const stream = new Blob([bytesOf(packed)]).stream().pipeThrough(new DecompressionStream('deflate'));
  return JSON.parse(await new Response(stream).text());
}

/**
 * Show a document; its data brings a title and a note on where others come from.
 * @param {HTMLElement} root
 * @param {string} packed the document
 */
export async function open(root, packed) {
  if (!('DecompressionStream' in window)) {
    root.append(el('p', { class: 'sv-alert', role: 'alert' }, TOO_OLD));
    return;
  }
  document.body.classList.toggle('dark', window.matchMedia('(prefers-color-scheme: dark)').matches);
  meetNotebook(root);
  show(root, await unpacked(packed));
}

/** @param {HTMLElement} root @param {StandaloneDocument} whole */
function show(root, whole) {
  const { glossary, data } = whole;
  publish('glossary', glossary);
  publish('dark', isDark());
  const stage = el('div', {});
  const onPaper = whole.kind === 'handout' || whole.kind === 'notes';
  const note = el('p', { class: 'sv-about' }, onPaper ? '' : ABOUT, data.note ? ` ${data.note}` : '');
  const heading = el('h1', {}, data.title);
  const cover = el('header', { class: 'sv-cover' }, heading, themeButton());
  root.replaceChildren(cover, el('main', { class: 'sv-page', 'data-kind': whole.kind, tabindex: 0 }, stage, note));
  if (whole.kind === 'step') heading.after(...showSteps(stage, whole.data));
  else if (whole.kind === 'race') stage.replaceChildren(raceElement(whole.data));
  else if (whole.kind === 'lessons') new AllLessons(stage, whole.data);
  else if (whole.kind === 'handout') stage.replaceChildren(handout(whole.data));
  else if (whole.kind === 'notes') stage.replaceChildren(speakerNotes(whole.data));
  else showLesson(stage, whole.data);
}

subscribe('glossary', learn);
installTooltip();
