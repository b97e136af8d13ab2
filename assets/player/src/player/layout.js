/* A figure's layout for the width there is: its legend below it, space for the words in a tree. */

/**
 * @import { Figure, Legend, LegendEntry } from '../payload.js'
 * @import { PlotLayout } from '../plotly.js'
 */

const LETTER = 6.3; // pixels of a letter of the legend, as a rule
const LINE = 15; // pixels of a line of it
const NARROW = 480; // pixels from which on the words at the ticks are level

/** plotly's texts are markup. @param {string} text */
export const markup = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** What an entry of a legend says beside its colour. @param {LegendEntry} entry */
export const entryWords = ({ glyph, word }) => `${glyph} ${word}`.trim();

/** Every entry and note of a legend: what plotly shows, and how many letters that takes. @param {Legend} legend */
function legendParts({ entries, notes }) {
  return [
    ...entries.map(({ color, glyph, word }) => {
      const text = ` ${glyph} ${word}`;
      return { shown: `<span style="color:${color}">■</span>${markup(text)}`, size: text.length + 1 };
    }),
    ...notes.map((note) => ({ shown: markup(note), size: note.length })),
  ];
}

/** A legend in lines that fit a width in pixels. @param {Legend} legend @param {number} width */
export function legendLines(legend, width) {
  /** @type {string[]} */
  const lines = [];
  let room = 0;
  for (const { shown, size } of legendParts(legend)) {
    const taken = LETTER * (size + 3);
    if (!lines.length || taken > room) {
      lines.push(shown);
      room = width - 12 - taken;
    } else {
      lines[lines.length - 1] += `   ${shown}`;
      room -= taken;
    }
  }
  return lines;
}

/**
 * Put the legend below the figure, which leaves space for some lines of it.
 * @param {PlotLayout} layout
 * @param {Legend} legend
 * @param {number} width
 */
function addLegend(layout, legend, width) {
  const lines = legendLines(legend, width);
  const below = { l: 6, b: 5 + LINE * (lines.length - 1) };
  layout.title = {
    text: lines.join('<br>'),
    font: { size: 12 },
    xref: 'container',
    x: 0,
    xanchor: 'left',
    pad: below,
    yref: 'container',
    y: 0,
    yanchor: 'bottom',
  };
  let more = LINE * (lines.length - legend.lines);
  if (width < NARROW && layout.xaxis?.ticktext && layout.xaxis.side !== 'top') more += 30; // tick words will be tilted
  layout.margin.b += more;
  layout.height += more;
}

/**
 * A tree says how long the words right of its marks are: where they would be cut, the axis goes on to the right.
 * @param {PlotLayout} layout
 * @param {number} width
 */
function makeRoom(layout, width) {
  const { xaxis } = layout;
  const labels = layout.meta?.labels;
  if (!xaxis?.range || !labels?.length) return;
  const [from, to] = xaxis.range;
  const space = width - layout.margin.l - layout.margin.r;
  const ends = labels.map(([x, length]) => from + (space * (x - from)) / Math.max(60, space - 24 - 7 * length));
  xaxis.range = [from, Math.max(to, ...ends)];
}

/**
 * The figure's layout for a width: a copy as deep as plotly writes into it.
 * @param {Pick<Figure, 'layout' | 'legend'>} figure
 * @param {{width: number, most: number, family: string}} room pixels, pixels of height at most, font
 * @returns {PlotLayout}
 */
export function layoutFor(figure, { width, most, family }) {
  const from = /** @type {PlotLayout} */ (figure.layout);
  /** @type {PlotLayout} */
  const layout = {
    ...from,
    width,
    height: Math.min(from.height || most, most),
    margin: { ...from.margin },
    font: { ...from.font, family },
    annotations: [...(from.annotations || [])],
  };
  for (const key of Object.keys(layout)) if (/^[xy]axis\d*$/.test(key)) layout[key] = { ...layout[key] };
  makeRoom(layout, width);
  if (figure.legend) addLegend(layout, figure.legend, width);
  return layout;
}
