/* The text of a film in lines. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linesOf } from '../../../assets/player/src/stage/film-lines.js';

const wide = (text) => 10 * [...text].length;
const told = (tokens, most = 100) =>
  linesOf(tokens, wide, most).map(({ pieces, rightToLeft }) => `${rightToLeft ? '<' : '>'}${pieces.join('|')}`);

test('a line is as long as there is room, and ends after a newline', () => {
  assert.deepEqual(told(['One', ' day', ' a', ' fox\n', 'ran']), ['>One|·day|·a', '>·fox↵', '>ran']);
  assert.deepEqual(told(['a token longer than a line', 'b']), ['>a token longer than a line', '>b']);
});

test('the lines of a paragraph have one direction, that of its first letter', () => {
  assert.deepEqual(told(['שלום', ' עולם', ' GPT', ' שלי\n', 'GPT', ' של']), [
    '<שלום|·עולם',
    '<·GPT|·שלי↵',
    '>GPT|·של',
  ]);
  assert.deepEqual(told(['GPT', ' 4', ' שלום', ' עולם']), ['>GPT|·4|·שלום', '>·עולם']);
});

test('no line begins within a character or joined letters', () => {
  assert.deepEqual(told(['abcdefghi', 'e', '\u0301t', 'u']), ['>abcdefghi|e|\u0301t', '>u']);
  assert.deepEqual(told(['السلامالسلام', 'ام'], 60), ['<السلامالسلام|ام']);
});
