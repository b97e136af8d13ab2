/* What the player uses of plotly.js, which comes with the installed plotly package as the global `Plotly`. */

export interface PlotAxis {
  range?: [number, number];
  ticktext?: string[];
  side?: string;
  /** Of a drawn figure: from its coordinates to pixels, and where it stands. */
  d2p(value: number): number;
  _offset: number;
  _length: number;
}

/** A recorded number from 0 to 1, the axis it stands on, and what every value of it leads to. */
export interface Chance {
  uniform: number;
  axis: string;
  outcomes: { end: number; word: string; kind: 'accepted' | 'rejected' | 'drawn' | 'other' }[];
}

export interface PlotLayout {
  width: number;
  height: number;
  margin: { l: number; r: number; t: number; b: number };
  font: { family: string; [name: string]: unknown };
  annotations?: { [name: string]: unknown }[];
  xaxis?: PlotAxis;
  /** Words right of the marks: where, and how many letters; the height of what was drawn last; a number's outcomes. */
  meta?: { labels?: [x: number, length: number][]; last?: number; chance?: Chance };
  [name: string]: any;
}

export interface BarTrace {
  type: 'bar';
  y: number[];
  meta?: { nodes?: (number | null)[] };
  xaxis?: string;
  yaxis?: string;
}
export interface HeatmapTrace {
  type: 'heatmap';
  z: (number | null)[][];
  customdata: number[][];
  xaxis?: string;
  yaxis?: string;
}
export interface PointTrace {
  type: 'scatter';
  x: number[];
  y: number[];
  customdata?: (number | null)[];
  xaxis?: string;
  yaxis?: string;
}
export type PlotTrace = BarTrace | HeatmapTrace | PointTrace;

export interface PlotPoint {
  data: PlotTrace;
  pointNumber: number;
  customdata?: unknown;
}

/** An element with a drawn figure. */
export interface PlotElement extends HTMLElement {
  data: object[];
  layout: PlotLayout;
  _fullLayout: { _size: { l: number; t: number; w: number }; [axis: string]: any };
  on(name: string, listener: (event: { points: PlotPoint[] }) => void): void;
}

interface PlotlyGlobal {
  react(element: HTMLElement, data: object[], layout: object, config: object): Promise<unknown>;
  toImage(figure: { data: object[]; layout: object }, options: object): Promise<string>;
}

declare global {
  const Plotly: PlotlyGlobal;
}
