/* Formulas are typeset: a formula is written as plain text, the way a person types it (`min(1, 0.03 / 0.14) = 0.25`),
   and read here into fractions, powers and signs, which MathML draws. Statements are parted by semicolons. */
import { el } from '../base/dom.js';
import { explained } from '../base/terms.js';

/**
 * @typedef {{kind: 'number' | 'words' | 'sign', text: string}} Leaf
 * @typedef {{kind: 'row', parts: Term[]}} Row
 * @typedef {{kind: 'fraction' | 'power', parts: [Row, Row]}} Pair over and under, or base and exponent
 * @typedef {Leaf | Row | Pair} Term
 * @typedef {{said: string, term: Row | null, verdict: string}} Statement words before it, itself, words after it
 */

const MATH = 'http://www.w3.org/1998/Math/MathML';
const TOKEN = /“[^”]*”|[−-]?(?:\d+(?:,\d{3})*(?:\.\d+)?(?:e-?\d+)?|∞)|[+−×=<>≤≥≠/^(),|]|[^\s“”+−×=<>≤≥≠/^(),|]+/gu;
const SIGNS = new Set('+−×=<>≤≥≠');
const COUNTED = /target call/; // tokens to a call: nothing to calculate

/** Reads tokens from left to right. */
class Reader {
  at = 0;

  /** @param {string[]} tokens */
  constructor(tokens) {
    this.tokens = tokens;
  }

  get next() {
    return this.tokens[this.at];
  }

  /** Terms and signs, up to a bracket that closes. @returns {Row} */
  row() {
    /** @type {Term[]} */
    const parts = [];
    while (this.next !== undefined && this.next !== ')') {
      if (SIGNS.has(this.next) || this.next === ',' || this.next === '|') {
        parts.push({ kind: 'sign', text: this.tokens[this.at++] });
      } else parts.push(...this.product());
    }
    return { kind: 'row', parts };
  }

  /** Factors in a row, over what they are divided by. @returns {Term[]} */
  product() {
    const over = this.factors();
    while (this.next === '×') {
      over.push({ kind: 'sign', text: this.tokens[this.at++] }, ...this.factors());
    }
    if (this.next !== '/') return over;
    this.at += 1;
    return [{ kind: 'fraction', parts: [bare(over), bare(this.factors())] }];
  }

  /** What stands side by side. @returns {Term[]} */
  factors() {
    /** @type {Term[]} */
    const found = [];
    while (this.next !== undefined && !SIGNS.has(this.next) && !',)|/'.includes(this.next))
      found.push(...this.factor());
    if (!found.length) throw new SyntaxError(`nothing before ${this.next}`);
    return found;
  }

  /** @returns {Term[]} */
  factor() {
    const token = this.tokens[this.at++];
    /** @type {Term[]} */
    let found;
    if (token === '(') {
      const inner = this.row();
      if (this.next !== ')') throw new SyntaxError('a bracket stays open');
      this.at += 1;
      found = [{ kind: 'sign', text: '(' }, ...inner.parts, { kind: 'sign', text: ')' }];
    } else found = [{ kind: /^[−-]?(\d|∞)/u.test(token) ? 'number' : 'words', text: token }];
    if (this.next !== '^') return found;
    this.at += 1;
    return [
      {
        kind: 'power',
        parts: [
          { kind: 'row', parts: found },
          { kind: 'row', parts: this.factor() },
        ],
      },
    ];
  }
}

/**
 * Terms without the brackets around all of them, which a fraction's line makes needless.
 * @param {Term[]} parts @returns {Row}
 */
function bare(parts) {
  const [first, last] = [parts[0], parts[parts.length - 1]];
  let open = 0;
  const whole = parts.every((part, at) => {
    if (part.kind === 'sign' && part.text === '(') open += 1;
    if (part.kind === 'sign' && part.text === ')') open -= 1;
    return open > 0 || at === parts.length - 1;
  });
  const around = first.kind === 'sign' && first.text === '(' && last.kind === 'sign' && last.text === ')';
  return { kind: 'row', parts: around && whole ? parts.slice(1, -1) : parts };
}

/** @param {string} text @returns {Row | null} null: it is not to be read as a formula */
function read(text) {
  if (!/[=<>≤≥≠×]|\d \/ /u.test(text) || COUNTED.test(text)) return null;
  const reader = new Reader(text.match(TOKEN) ?? []);
  try {
    const row = reader.row();
    return reader.next === undefined ? row : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** A formula's statements. @param {string} formula @returns {Statement[]} */
export function statementsOf(formula) {
  return formula
    .split('; ')
    .filter(Boolean)
    .map((text) => {
      const parts = text.split(': ');
      const at = parts.findIndex((part) => read(part));
      if (at < 0) return { said: text, term: null, verdict: '' };
      const [before, after] = [parts.slice(0, at), parts.slice(at + 1)];
      return {
        said: before.length ? `${before.join(': ')}:` : '',
        term: read(parts[at]),
        verdict: after.join(': '),
      };
    });
}

/** @param {string} tag @param {...(Node | string)} children */
function math(tag, ...children) {
  const element = document.createElementNS(MATH, tag);
  element.append(...children);
  return element;
}

/** @param {Term} term @returns {Element} */
function termElement(term) {
  if (term.kind === 'row') return math('mrow', ...spaced(term.parts));
  if (!('text' in term)) return math(term.kind === 'fraction' ? 'mfrac' : 'msup', ...term.parts.map(termElement));
  if (term.kind === 'number') return math('mn', term.text);
  if (term.kind === 'words') return math('mtext', ...explained(term.text));
  const sign = math('mo', term.text);
  if ('()'.includes(term.text)) sign.setAttribute('stretchy', 'false');
  return sign;
}

/** Elements of terms, with a space between words and what stands beside them. @param {Term[]} parts */
function spaced(parts) {
  return parts.flatMap((part, at) => {
    const before = parts[at - 1];
    const beside = before && part.kind !== 'sign' && before.kind !== 'sign';
    if (!beside) return [termElement(part)];
    const space = math('mspace');
    space.setAttribute('width', '0.3em');
    return [space, termElement(part)];
  });
}

/** A formula as elements; what it says in plain text is its label. @param {HTMLElement} box @param {string} formula */
export function typeset(box, formula) {
  box.hidden = !formula;
  box.setAttribute('aria-label', formula);
  box.setAttribute('role', 'math');
  box.replaceChildren(
    ...statementsOf(formula).map(({ said, term, verdict }) =>
      el(
        'span',
        { class: 'sv-statement' },
        explained(said),
        term && math('math', ...spaced(term.parts)),
        verdict && el('b', { class: 'sv-verdict-word' }, explained(verdict)),
      ),
    ),
  );
}
