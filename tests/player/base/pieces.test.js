/* Pieces of text: which way they are read, and what is one character to a reader. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  characters,
  goesOn,
  isRightToLeft,
  isolated,
  named,
  visible,
} from '../../../assets/player/src/base/pieces.js';

test('the first letter says which way a text is read', () => {
  for (const text of ['שלום', '  “שלום” said he', '12. שלום', 'سلام', '𞤀𞤣𞤤𞤢𞤥', 'ﷺ'])
    assert.ok(isRightToLeft(text), text);
  for (const text of ['', '123', 'GPT שלום', 'Привет', '你好', '한국어']) assert.ok(!isRightToLeft(text), text);
  assert.equal(isolated('שלום'), '\u2068שלום\u2069');
});

test('a piece goes on with a character, or with joined letters, that the text before it began', () => {
  for (const [before, piece] of [
    ['e', '\u0301t'],
    ['👩\u200d', '👧'],
    ['👍', '🏽'],
    ['🇩', '🇪'],
    ['السل', 'ام'],
    ['مُ', 'حمد'],
    ['क्', 'षे'],
  ])
    assert.ok(goesOn(before, piece), before + piece);
  for (const [before, piece] of [
    ['', '\u0301t'],
    ['', 'سلام'],
    ['un', 'done'],
    ['של', 'ום'],
    ['السلام ', 'عليكم'],
    ['🇩🇪', '🇫🇷'],
    ['👩', '👧'],
    ['你', '好'],
  ])
    assert.ok(!goesOn(before, piece), `${before}|${piece}`);
});

test('characters are those that a reader counts', () => {
  assert.deepEqual(characters('ab'), ['a', 'b']);
  assert.deepEqual(characters('e\u0301👩\u200d👧b'), ['e\u0301', '👩\u200d👧', 'b']);
});

test('an end token is drawn as words, what is not whole yet as a mark', () => {
  assert.deepEqual(visible('\uffff'), [['end of answer', 'mark']]);
  assert.deepEqual(visible(''), [['▯', 'mark']]);
  assert.deepEqual(['\uffff', ' ', 'Paris'].map(named), ['end of answer', '" "', 'Paris']);
});
