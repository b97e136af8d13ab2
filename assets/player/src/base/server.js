/* The server as the islands see it: calls that answer with JSON text, and whether it is still there. */

/**
 * What an island's script is handed.
 * @typedef {object} Island
 * @property {{value?: string, setup: string}} props
 * @property {(name: string, listener: () => void) => void} watch
 * @property {Calls} server
 * @property {Record<string, (data: unknown) => void>} triggers
 */
/** @typedef {Record<string, (request?: unknown) => Promise<string>>} Calls */
/**
 * Why there is no answer, its kind (specviz/errors.py), and the field at fault of a form.
 * @typedef {{error: string, code?: string, field?: string}} Failure
 */

export const NO_ANSWER = 'The server did not answer. Try again.';
const SILENCE = 5000; // milliseconds

/**
 * The calls of an island, by their names.
 * @param {string} island
 * @param {string[]} names
 * @returns {Calls}
 */
export function server(island, names) {
  /** @param {string} name @returns {(request?: unknown) => Promise<string>} */
  const call = (name) => async (request) => {
    const body = JSON.stringify(request ?? null);
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`specviz/${island}/${name}`, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
    return answer.text();
  };
  return Object.fromEntries(names.map((name) => [name, call(name)]));
}

/**
 * What the server answers, or why it does not: `silent` where nothing came, `empty` where it was nothing.
 * @template T
 * @param {Calls} server
 * @param {string} name
 * @param {unknown} request
 * @param {{silent?: string, empty?: string}} [words]
 * @returns {Promise<T | Failure>}
 */
export async function ask(server, name, request, { silent = NO_ANSWER, empty = silent } = {}) {
  try {
    return JSON.parse(await server[name](request)) || { error: empty };
  } catch {
    return { error: silent };
  }
}

/** Asks a silent server whether it is still there. */
export class Lifeline {
  /** @param {() => void} lost called once it is gone */
  constructor(lost) {
    this.lost = lost;
    this.timer = 0; // 0: not asking
  }

  /** Ask once it has been silent, and again. */
  wait() {
    this.rest();
    const mine = setTimeout(() => {
      const answered = () => this.timer === mine && this.wait();
      const failed = () => {
        if (this.timer !== mine) return;
        this.rest();
        this.lost();
      };
      fetch('?', { method: 'HEAD', cache: 'no-store' }).then(answered, failed);
    }, SILENCE);
    this.timer = mine;
  }

  rest() {
    clearTimeout(this.timer);
    this.timer = 0;
  }
}
