/* What a panel shows, as an image with a title. */
import { bytesOf } from '../base/files.js';
import { markup } from '../player/layout.js';

/** @import { PlotElement } from '../plotly.js' */

const SHARP = 1400; // pixels across that a PNG has at least
const LINE = 18; // pixels a line of a title

/** Words in lines of at most `most` letters. @param {string} text @param {number} most */
export function wrapped(text, most) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines[lines.length - 1];
    if (last && last.length + word.length >= most) lines.push(word);
    else lines[lines.length - 1] += (last ? ' ' : '') + word;
  }
  return lines;
}

/**
 * A figure of its own: with a title and a background. The marks of focus and pins are not part of it.
 * @param {PlotElement} gd
 * @param {string} title
 */
function sheet(gd, title) {
  const style = getComputedStyle(/** @type {Element} */ (document.querySelector('.sv-island')));
  const layout = structuredClone(gd.layout);
  const top = layout.margin?.t ?? 80;
  const lines = wrapped(title, layout.width / 8);
  const room = 16 + LINE * lines.length;
  layout.margin = { ...layout.margin, t: top + room };
  layout.height += room;
  layout.paper_bgcolor = style.getPropertyValue('--sv-paper').trim();
  const heading = {
    text: `<b>${lines.map(markup).join('<br>')}</b>`,
    showarrow: false,
    xref: 'paper',
    yref: 'paper',
    x: 0,
    y: 1,
    xanchor: 'left',
    yanchor: 'bottom',
    xshift: 10 - gd._fullLayout._size.l,
    yshift: top + 8,
    align: 'left',
    font: { size: 14, color: style.getPropertyValue('--sv-ink').trim() },
  };
  layout.annotations = [...(layout.annotations || []), heading];
  return { data: gd.data, layout };
}

/** @param {PlotElement} gd @param {'png' | 'svg'} format @param {string} title */
export async function image(gd, format, title) {
  const figure = sheet(gd, title);
  const { width, height } = figure.layout;
  const scale = format === 'png' ? Math.max(2, SHARP / width) : 1;
  const url = await Plotly.toImage(figure, { format, width, height, scale });
  const content = url.slice(url.indexOf(',') + 1);
  if (format === 'svg') return new Blob([decodeURIComponent(content)], { type: 'image/svg+xml' });
  return new Blob([bytesOf(content)], { type: 'image/png' });
}
