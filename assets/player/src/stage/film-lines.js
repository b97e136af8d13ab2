/* The text of a lane in lines, for a canvas, which places no words by itself: lines are as long as there is room, each
   in the direction of its paragraph, and where every token of a line stands is asked of the page. */
import { el } from '../base/dom.js';
import { asDrawn, goesOn, isRightToLeft } from '../base/pieces.js';

/**
 * @typedef {{text: string, pieces: string[], rightToLeft: boolean}} Line
 * @typedef {{x: number, width: number}} Stretch from the left edge; a token may be several, in text of two directions
 */

/**
 * @param {string[]} tokens
 * @param {(text: string) => number} widthOf
 * @param {number} most that a line may be wide
 * @returns {Line[]}
 */
export function linesOf(tokens, widthOf, most) {
  const empty = () => ({ text: '', pieces: /** @type {string[]} */ ([]) });
  const paragraphs = [[empty()]];
  for (const token of tokens) {
    const piece = asDrawn(token);
    const lines = paragraphs[paragraphs.length - 1];
    const { text } = lines[lines.length - 1];
    if (text && widthOf(text + piece) > most && !goesOn(text, piece)) lines.push(empty());
    const line = lines[lines.length - 1];
    line.text += piece;
    line.pieces.push(piece);
    if (token.includes('\n')) paragraphs.push([empty()]);
  }
  return paragraphs.flatMap((lines) => {
    const rightToLeft = isRightToLeft(lines.map(({ text }) => text).join(''));
    return lines.map((line) => ({ ...line, rightToLeft }));
  });
}

/**
 * Where the tokens of every line stand.
 * @param {Line[]} lines @param {string} font @param {number} width of the lines
 * @returns {Stretch[][][]} of every line, of every token
 */
export function placesIn(lines, font, width) {
  const rows = lines.map(({ pieces, rightToLeft }) => {
    const spans = pieces.map((piece) => el('span', {}, piece));
    return { spans, row: el('div', { dir: rightToLeft ? 'rtl' : 'ltr' }, spans) };
  });
  const style = { font, width: `${width}px`, 'white-space': 'pre', position: 'fixed', visibility: 'hidden' };
  const box = el(
    'div',
    { style: { ...style, 'inset-block-start': '0', left: '0' } },
    rows.map(({ row }) => row),
  );
  document.body.append(box);
  const places = rows.map(({ spans }) =>
    spans.map((span) => Array.from(span.getClientRects(), ({ left, width: wide }) => ({ x: left, width: wide }))),
  );
  box.remove();
  return places;
}
