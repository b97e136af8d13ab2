import assert from 'node:assert/strict';
import { test } from 'node:test';
import { visible } from '../../assets/player/src/base/pieces.js';
import { explainedParts, termsOf } from '../../assets/player/src/base/terms.js';
import { distanceWords, lengthsWords, percent, summaryWords } from '../../assets/player/src/forest/words.js';
import { telling } from '../../assets/player/src/microscope/chooser.js';
import { wrapped } from '../../assets/player/src/draw/image.js';
import { changedOptions, placeOf, reading } from '../../assets/player/src/parts/meter-reading.js';
import { lengthWords } from '../../assets/player/src/race/form.js';
import { probabilityWords } from '../../assets/player/src/race/lane-result.js';

test('white space is marked, and newlines still break the line', () => {
  assert.deepEqual(visible(' a\n\tb '), [
    [' ', 'space'],
    ['a', null],
    ['↵', 'mark'],
    ['\n', null],
    ['⇥', 'mark'],
    ['\t', null],
    ['b', null],
    [' ', 'space'],
  ]);
  assert.deepEqual(visible(''), [['▯', 'mark']]);
  assert.deepEqual(visible('a  b'), [['a  b', null]]);
  assert.deepEqual(visible('  b'), [
    ['  ', 'space'],
    ['b', null],
  ]);
});

test('the first mention of a term explains itself, the longest term first', () => {
  const terms = termsOf({ draft: 'A small model.', 'draft tree': 'Guesses.', 'a.c': 'Dots are dots.' });
  const about = (text) =>
    explainedParts(text, terms).flatMap(({ text: part, about: says }) => (says ? [[part, says]] : []));
  assert.deepEqual(about('The Draft tree of a draft, a draft.'), [
    ['Draft tree', 'Guesses.'],
    ['draft', 'A small model.'],
  ]);
  assert.deepEqual(about('overdraft, drafts, “draft”, abc'), []);
  assert.deepEqual(explainedParts('a', termsOf({})), [{ text: 'a', about: null }]);
});

test('probabilities and shares in words', () => {
  assert.equal(probabilityWords(null), 'the target gives it no probability');
  assert.equal(probabilityWords(Math.log(0.12345)), 'target probability 0.12');
  assert.deepEqual([0, 0.001, 0.5, 1].map(percent), ['0%', '<1%', '50%', '100%']);
  assert.deepEqual([null, 0, 1e-7, 0.123].map(distanceWords), ['not known', '= target', '= target', '0.12 away']);
  assert.equal(lengthsWords([0.5, 0, 0.5]), '0: 50%, 2: 50%');
});

test('a prompt says how long it is once that matters', () => {
  assert.deepEqual(
    [800, 801, 1200].map((length) => lengthWords(length, 1000)),
    ['', '801 of 1,000 characters', '1,200 of 1,000 characters'],
  );
});

const judged = (title, accepted, kind, exact = kind === 'target') => ({
  title,
  answer: { accepted, guarantee: { kind, exact } },
});

test('the summary names the rule that keeps most, and the best lossless one', () => {
  const [token, joint, typical] = [judged('T', 1.5, 'target'), judged('J', 2, 'target'), judged('Y', 2.5, 'lossy')];
  assert.match(summaryWords([token, joint]), /: J \(2\.00 on average\)\. And it is lossless\.$/);
  assert.match(summaryWords([token, joint, typical]), /: Y \(2\.50 .*Of the lossless ones: J \(2\.00/);
  assert.match(summaryWords([joint, judged('K', 2, 'lossy')]), /: J and K \(2\.00 .*Of the lossless ones: J/);
  assert.match(summaryWords([typical, judged('G', 1, 'always greedy')]), /No rule here keeps/);
  assert.match(summaryWords([judged('G', 1, 'greedy', true)]), /And it is lossless\.$/); // at temperature 0
  assert.equal(summaryWords([]), '');
});

test('a lane is looked into where it first kept a guess', () => {
  const tokens = [
    ['a', 'target', 0],
    ['b', 'accepted', 3],
    ['c', 'accepted', 4],
  ];
  assert.equal(telling({ tokens }), 3);
  assert.deepEqual([telling({ tokens: tokens.slice(0, 1) }), telling(null)], [0, 0]);
});

test('a title is broken into lines', () => {
  assert.deepEqual(wrapped('one two three', 8), ['one two', 'three']);
  assert.deepEqual(wrapped('incomprehensibilities are longer', 8), ['incomprehensibilities', 'are', 'longer']);
});

const LOSSY = { kind: 'lossy', name: 'lossy', help: 'Lossy.', exact: false };
const ENTRY = {
  title: 'Typical',
  guarantee: LOSSY,
  word: 'lossy',
  number: '0.12',
  says: { exact: 'E', measured: 'M', distance: 'D', made: 'W', short: 'S' },
  defaults: { epsilon: 0.3, k_config: [3, 2] },
  pair: { target: 'a', draft: 'b' },
};

const OTHER = { ...ENTRY, number: '0.34', pair: { target: 'x', draft: 'y' } };

test('a meter is stale where options differ from those measured', () => {
  assert.deepEqual(changedOptions(ENTRY, { epsilon: 0.3, k_config: '3,2', seed: 1 }), []);
  const same = reading('typical', { options: { epsilon: 0.3 } }, { typical: [OTHER, ENTRY] }, ENTRY.pair);
  assert.deepEqual([same.word, same.number, same.stale, same.measured], ['lossy', '0.12', false, true]);
  assert.deepEqual(same.lines, ['Lossy.', 'M', 'W', 'E', 'D']);
  const other = reading('typical', { options: { epsilon: 0.5 } }, { typical: [ENTRY] }, { target: 'x', draft: 'b' });
  assert.deepEqual([other.word, other.stale, other.measured], ['other options', true, false]);
  assert.match(other.lines[1], /here epsilon differs\.$/);
});

test('a meter is about the models that wrote the text, else about those loaded', () => {
  const among = { typical: [ENTRY, OTHER] };
  const number = (own, loaded) => reading('typical', { pair: own }, among, loaded)?.number;
  assert.equal(number(undefined, OTHER.pair), '0.34');
  assert.equal(number({ target: 'a', draft: null }, OTHER.pair), '0.12'); // a method without a draft
  assert.equal(number({ target: 'a', draft: 'y' }, OTHER.pair), '');
  assert.equal(number(undefined, undefined), '0.12'); // nothing is loaded yet
});

test('a method that nobody measured says its guarantee, or nothing', () => {
  assert.equal(reading('toString', {}, {}, null), null);
  assert.deepEqual(reading('x', { guarantee: LOSSY }, {}, null), { word: 'lossy', exact: false, lines: ['Lossy.'] });
});

test('the scale of a meter ends at 0 and 1', () => {
  assert.deepEqual([-1, 0, 0.25, 1, 2].map(placeOf), [0, 0, 0.5, 1, 1]);
});
