/* What this browser, or this tab alone (`sessionStorage`), keeps of a reader's own. Some browsers keep nothing. */

/** @typedef {'localStorage' | 'sessionStorage'} Where */

/**
 * What is kept under a name; null: nothing.
 * @param {string} name @param {Where} [where] @param {string | null} [refused] where the browser keeps nothing
 */
export function kept(name, where = 'localStorage', refused = null) {
  try {
    return window[where].getItem(name);
  } catch {
    return refused;
  }
}

/** The data kept under a name; null where that is nothing, or no JSON. @param {string} name @param {Where} [where] */
export function keptData(name, where) {
  try {
    return JSON.parse(kept(name, where) ?? 'null');
  } catch {
    return null;
  }
}

/** @param {string} name @param {string | null} text null: it is forgotten @param {Where} [where] */
export function keep(name, text, where = 'localStorage') {
  try {
    if (text === null) window[where].removeItem(name);
    else window[where].setItem(name, text);
  } catch {
    // nothing is kept where the browser keeps nothing
  }
}
