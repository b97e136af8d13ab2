/* What the page uses of plotly.js, which comes with the installed plotly package as the global `Plotly`. */

export interface PlotLayout {
  width: number;
  height: number;
  margin: { l: number; r: number; t: number; b: number };
  font: { family: string; [name: string]: unknown };
  [name: string]: any;
}

interface PlotlyGlobal {
  react(element: HTMLElement, data: object[], layout: object, config: object): Promise<unknown>;
  toImage(figure: { data: object[]; layout: object }, options: object): Promise<string>;
}

declare global {
  const Plotly: PlotlyGlobal;
}
