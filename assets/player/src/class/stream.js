/* What a class is told: server-sent events, read with fetch, since EventSource cannot send the teacher's token. A
   stream that breaks off is asked for again. */
import { NO_ANSWER } from '../base/server.js';

/** @import { ClassMessage } from '../payload.js' */

const AGAIN = 1500; // milliseconds before a lost stream is asked for again
const SILENCE = 20000; // milliseconds without a sign of life, after which it is lost
const TOKEN = 'X-Specviz-Token';

/** The data of all whole events of a text, and what is left of it. @param {string} text */
export function eventsIn(text) {
  const parts = text.split('\n\n');
  const rest = parts.pop() ?? '';
  const lines = parts.flatMap((part) => part.split('\n'));
  return { data: lines.filter((line) => line.startsWith('data: ')).map((line) => line.slice(6)), rest };
}

/** @param {string} code */
const pathOf = (code) => `specviz-room/${encodeURIComponent(code)}`;

/**
 * Ask the server; what it answers, or why it does not.
 * @template T
 * @param {string | null} code of a class; null: for a new one
 * @param {object} body
 * @returns {Promise<T | {error: string}>}
 */
export async function post(code, body) {
  try {
    const headers = { 'Content-Type': 'application/json' };
    const path = code === null ? 'specviz-room' : pathOf(code);
    return await (await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })).json();
  } catch {
    return { error: NO_ANSWER };
  }
}

export class RoomStream {
  ended = false;
  reading = new AbortController();

  /**
   * @param {string} code
   * @param {string | null} token of the teacher
   * @param {{onmessage: (message: ClassMessage) => void, onlost: () => void}} on
   */
  constructor(code, token, { onmessage, onlost }) {
    this.onmessage = onmessage;
    this.onlost = onlost;
    this.path = `${pathOf(code)}/events`;
    /** @type {Record<string, string>} */
    this.headers = token ? { [TOKEN]: token } : {};
    this.run();
  }

  /** Listen no more. */
  close() {
    this.ended = true;
    this.reading.abort();
  }

  async run() {
    while (!this.ended) {
      this.reading = new AbortController();
      try {
        await this.read();
      } catch {
        // asked again below
      }
      if (this.ended) return;
      this.onlost();
      await new Promise((resolve) => setTimeout(resolve, AGAIN));
    }
  }

  async read() {
    const { signal } = this.reading;
    const { body } = await fetch(this.path, { headers: this.headers, cache: 'no-store', signal });
    if (!body) return;
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    let timer = 0;
    const alive = () => {
      clearTimeout(timer);
      timer = setTimeout(() => this.reading.abort(), SILENCE);
    };
    try {
      for (alive(); !this.ended; alive()) {
        const { done, value } = await reader.read();
        if (done) return;
        const { data, rest } = eventsIn(text + value);
        text = rest;
        for (const one of data) this.tell(JSON.parse(one));
      }
    } finally {
      clearTimeout(timer);
    }
  }

  /** @param {ClassMessage} message */
  tell(message) {
    if (message.kind === 'ended') this.close();
    this.onmessage(message);
  }
}
