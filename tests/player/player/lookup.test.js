import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  decidedFormula,
  emptyWords,
  nearestScene,
  nodeWords,
  outcomeOf,
  pathWords,
  phaseSpans,
  pictureOf,
  samePins,
  sceneOfToken,
  startIndex,
  togglePin,
  wantedScenes,
  wordsOf,
} from '../../../assets/player/src/player/lookup.js';

const scene = (key, phase, panels = {}) => ({ key, phase, title: `Title of ${key}`, formula: 'passes', panels });
const SCENES = [
  scene('context', 'context', { tree: 'tree-context' }),
  scene('draft-1', 'draft', { tree: 'tree-draft-1' }),
  scene('decision-1', 'verify', { tree: 'tree-decision-1', decision: 'coin-1' }),
  scene('decision-2', 'verify', { tree: 'tree-decision-2' }),
  scene('draw', 'draw'),
];
const NODES = [
  { node: 0, label: 'a', ancestors: [-1], scene: 'decision-1', formula: 'accept', text: 'node 0' },
  { node: 4, label: 'b', ancestors: [0, -1], scene: null, formula: '', text: 'node 4' },
];
const PAYLOAD = {
  scenes: SCENES,
  nodes: NODES,
  pictures: { 'coin-1': [2, [0, [1, 'strip', [0, 0.5, 1]]], 'a'] },
  fields: [
    ['kind', 'ends'],
    ['shapes', 'words'],
  ],
  outcomes: ['accepted', 'rejected', 'waiting'].map((word) => [word, '', word]),
  stages: {
    'tree-context': { states: [null, null] },
    'tree-draft-1': { states: [2, null] },
    'tree-decision-1': { states: [0, 1] },
  },
  text: {
    context: [],
    emitted: [
      { piece: 'a', node: 0 },
      { piece: 'b', node: 4 },
      { piece: 'c', node: null },
    ],
  },
};
const RECORDS = new Map([{ node: -1, label: 'root', ancestors: [] }, ...NODES].map((one) => [one.node, one]));

test('phases are as long as they have scenes in a row', () => {
  assert.deepEqual(phaseSpans(SCENES), [
    { phase: 'context', from: 0, to: 0 },
    { phase: 'draft', from: 1, to: 1 },
    { phase: 'verify', from: 2, to: 3 },
    { phase: 'draw', from: 4, to: 4 },
  ]);
  assert.deepEqual(phaseSpans([]), []);
});

test('a player begins at a key, an index, or the end', () => {
  assert.deepEqual(
    ['decision-2', 'nope', 2, -1].map((at) => startIndex(SCENES, at)),
    [3, 0, 2, 4],
  );
});

test('all scenes where none of those wanted is there', () => {
  assert.deepEqual(wantedScenes(SCENES, ['draw']), [SCENES[4]]);
  assert.equal(wantedScenes(SCENES, ['nope']).length, SCENES.length);
  assert.equal(wantedScenes(SCENES, null).length, SCENES.length);
});

test('a scene that is gone has the nearest of its phase in its place', () => {
  assert.equal(nearestScene(SCENES, 'draft-1', []), 'draft-1');
  assert.equal(nearestScene(SCENES, 'draft-2', [scene('draft-2', 'draft')]), 'draft-1');
  assert.equal(nearestScene(SCENES, 'decision-9', []), 'decision-2');
  assert.equal(nearestScene(SCENES, 'draw-3', []), 'draw');
  assert.equal(nearestScene(SCENES, 'commit', [scene('commit', 'commit')]), 'draw');
});

test('a token of the text leads to the scene that decides about it', () => {
  assert.equal(sceneOfToken(PAYLOAD, 0), 'decision-1');
  assert.equal(sceneOfToken(PAYLOAD, 1), 'draw');
  assert.equal(sceneOfToken(PAYLOAD, 2), 'draw');
  assert.equal(sceneOfToken({ ...PAYLOAD, scenes: SCENES.slice(0, 2) }, 2), 0);
});

test('what has come of a node is said as far as a scene knows', () => {
  const [context, draft, first, second] = SCENES;
  assert.deepEqual(
    [context, draft, first, second].map((one) => outcomeOf(PAYLOAD, one, 0)),
    ['', 'waiting', 'accepted', ''],
  );
  assert.equal(outcomeOf(PAYLOAD, first, 4), 'rejected');
  assert.equal(outcomeOf(PAYLOAD, first, 7), '');
  assert.equal(nodeWords(PAYLOAD, draft, NODES[0]), 'node 0, waiting');
  assert.equal(nodeWords(PAYLOAD, draft, { node: -1, text: 'the context' }), 'the context');
});

test('a formula is told from its scene on, that of the scene where a node has none of its own', () => {
  const told = (node) => [1, 2, 3].map((index) => decidedFormula(SCENES, index, node));
  assert.deepEqual(told(NODES[0]), ['', 'accept', 'accept']);
  assert.deepEqual(told({ ...NODES[0], formula: '' }), ['', 'passes', 'passes']);
  assert.deepEqual(told(NODES[1]), ['', '', '']);
});

test('a picture is unpacked once', () => {
  const picture = pictureOf(PAYLOAD, SCENES[2], 'decision');
  assert.deepEqual(picture, { shapes: [{ kind: 'strip', ends: [0.5, 1] }], words: 'a' });
  assert.equal(pictureOf(PAYLOAD, SCENES[2], 'decision'), picture);
  assert.equal(pictureOf(PAYLOAD, SCENES[2], 'mask'), null);
});

test('words are put together from phrases', () => {
  const payload = { texts: { 'coin-1': [1, 0, 1] }, phrases: ['b.\n', 'a, '] };
  assert.equal(wordsOf(payload, SCENES[2], 'decision'), 'a, b.\na, ');
  assert.equal(wordsOf(payload, SCENES[2], 'mask'), '');
});

test('a path goes from the root to the node', () => {
  assert.equal(pathWords(RECORDS, NODES[1]), 'root → a → b');
  assert.equal(pathWords(new Map(), NODES[1]), 'context → node 0 → node 4');
});

test('an empty panel says when it has something to show, or that the formula is all there is', () => {
  assert.equal(emptyWords(PAYLOAD, SCENES, 0, 'decision'), 'Comes at step 3.');
  assert.equal(emptyWords(PAYLOAD, SCENES, 3, 'decision'), 'Nothing to draw here: the formula says it all.');
  assert.equal(emptyWords(PAYLOAD, SCENES, 3, 'probabilities'), 'Nothing to show at this step.');
  const bare = SCENES.map((one) => ({ ...one, formula: '' }));
  assert.equal(emptyWords(PAYLOAD, bare, 3, 'decision'), 'Nothing to show at this step.');
});

test('a third pin replaces the older one', () => {
  const [a, b] = NODES;
  const c = { node: 5, text: 'node 5' };
  assert.deepEqual(togglePin([a, b], a, 2), [b]);
  assert.deepEqual(togglePin([a, b], c, 2), [b, c]);
  assert.deepEqual(samePins([a, c], RECORDS), [a]);
  assert.deepEqual(samePins([{ ...a, text: 'other' }], RECORDS), []);
});
