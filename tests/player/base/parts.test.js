import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { PART_NAMES, namedParts, toggledWords, wordsOf } from '../../../assets/player/src/base/parts.js';

test('every part that the pages have can be switched by its name', () => {
  const sources = globSync('assets/player/src/**/*.js').map((file) => readFileSync(file, 'utf-8'));
  const words = sources.flatMap((text) => [...text.matchAll(/'data-part': '([a-z -]+)'/g)].map(([, one]) => one));
  assert.ok(words.length > 30);
  assert.deepEqual(
    words.flatMap((one) => one.split(' ')).filter((word) => !(word in PART_NAMES)),
    [],
  );
});

test('what is hidden goes into the address and out of it', () => {
  assert.equal(toggledWords([], 'form'), 'form');
  assert.equal(toggledWords(['form', 'legend'], 'text'), 'form,legend,text');
  assert.equal(toggledWords(['form', 'legend'], 'form'), 'legend');
  assert.equal(toggledWords(['form'], 'form'), null);
  assert.deepEqual(wordsOf('form,<b>,text'), ['form', 'text']);
});

test('parts are listed once, in their order, those without a name left out', () => {
  assert.deepEqual(namedParts(['share save', 'legend', null, 'save', 'unheard-of']), ['share', 'save', 'legend']);
});
