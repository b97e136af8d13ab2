/* plotly.js, run when the first figure is to be drawn: it takes longer than all the rest of the page together. The
   page names its file in a link, which a browser fetches when it has nothing else to do; an exported file has it
   inside. */

/** @type {Promise<void> | null} */
let coming = null;

const isHere = () => 'Plotly' in window;

/** @returns {Promise<void>} */
function fetched() {
  return new Promise((resolve, reject) => {
    const link = document.querySelector('link[data-plotly]');
    const script = document.createElement('script');
    script.src = link instanceof HTMLLinkElement ? link.href : '';
    script.onload = () => resolve();
    script.onerror = () => {
      coming = null; // the next figure asks again
      reject(new Error('The figures cannot be drawn: the server did not hand out plotly.js. Reload the page.'));
    };
    document.head.append(script);
  });
}

/** Once plotly.js is there. */
export function plotly() {
  coming ??= isHere() ? Promise.resolve() : fetched();
  return coming;
}

/** Draw now where plotly.js is there, or once it is. @param {() => void} draw */
export function withPlotly(draw) {
  if (isHere()) draw();
  else plotly().then(draw);
}
