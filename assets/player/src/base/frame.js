/* A document in a notebook's frame (specviz/notebook.py): it takes the notebook's colours, and says how high it is. */

/** Whether a colour, as a browser computes it, is light. @param {string} colour */
function isLight(colour) {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map(Number);
  return (red + green + blue) / 3 > 127;
}

/** Answer the notebook around this document, if there is one. @param {HTMLElement} root what is measured */
export function meetNotebook(root) {
  if (window.parent === window) return;
  root.classList.add('framed');
  const tell = () => window.parent.postMessage({ specviz: Math.ceil(root.getBoundingClientRect().height) }, '*');
  const sizes = new ResizeObserver(tell);
  window.addEventListener('message', ({ source, data }) => {
    if (source !== window.parent || typeof data?.specviz !== 'string') return;
    document.body.classList.toggle('dark', isLight(data.specviz));
    sizes.observe(root);
  });
}
