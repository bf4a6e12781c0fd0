import { sanitizeText } from '../../drivers/model/text.ts';
import { formatPath } from '../model/path.ts';

/** One thing that is wrong with a JSON text. */
export interface JsonProblem {
  /** As {@link formatPath} writes it; "" is the document itself. */
  readonly path: string;
  readonly message: string;
}

export interface ScanResult {
  /** The text is not JSON at all; nothing after it was looked at. */
  readonly syntax: JsonProblem | null;
  /** JSON, but ambiguous or not safe to take. */
  readonly problems: readonly JsonProblem[];
}

const MAX_PROBLEMS = 20;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const PLAIN_INTEGER = /^-?[0-9]+$/;
const SPACE = /[ \t\n\r]*/y;
/** Whole runs of plain characters, escapes included (RFC 8259, 7). */
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*"/y;
const LITERAL = /true|false|null/y;

class SyntaxProblem extends Error {
  readonly at: number;
  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

/** Deepest nesting of objects and arrays in a text, strings left out; linear, and right for any text, JSON or not. */
export function jsonDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (inString) {
      if (char === 0x5c) at++;
      else if (char === 0x22) inString = false;
    } else if (char === 0x22) inString = true;
    else if (char === 0x7b || char === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (char === 0x7d || char === 0x5d) depth--;
  }
  return deepest;
}

/**
 * Reads a JSON text strictly (RFC 8259) for what `JSON.parse` hides: a name that comes twice in an object, a number that
 * is not exactly what was written, a `__proto__` name, an escaped NUL. Recursive: the caller has bounded the depth.
 */
export function scanJson(text: string): ScanResult {
  const problems: JsonProblem[] = [];
  const path: (string | number)[] = [];
  let at = 0;

  const report = (message: string) => {
    if (problems.length < MAX_PROBLEMS) problems.push({ path: formatPath(path), message });
  };
  const skip = () => {
    if (text.charCodeAt(at) > 0x20) return;
    SPACE.lastIndex = at;
    SPACE.test(text);
    at = SPACE.lastIndex;
  };
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    if (!pattern.test(text)) return null;
    const found = text.slice(at, pattern.lastIndex);
    at = pattern.lastIndex;
    return found;
  };
  const fail = (expected: string): never => {
    const found = at >= text.length ? 'the end of the document' : `"${sanitizeText(text.slice(at, at + 12), 12)}"`;
    throw new SyntaxProblem(at, `expected ${expected} but found ${found}`);
  };
  const string = (expected: string): string => {
    const quoted = take(STRING);
    if (quoted === null) {
      if (text[at] === '"')
        throw new SyntaxProblem(at, 'this string has no end, a control character or a wrong escape');
      return fail(expected);
    }
    const plain: unknown = quoted.includes('\\') ? JSON.parse(quoted) : quoted.slice(1, -1);
    return String(plain);
  };

  const value = () => {
    skip();
    const char = text[at];
    if (char === '{') object();
    else if (char === '[') array();
    else if (char === '"') {
      if (string('a string').includes('\u0000')) report('contains a NUL character');
    } else {
      const number = take(NUMBER);
      if (number !== null) checkNumber(number);
      else if (take(LITERAL) === null) fail('a value');
    }
  };

  const object = () => {
    at++;
    const names = new Set<string>();
    skip();
    if (text[at] === '}') {
      at++;
      return;
    }
    for (;;) {
      skip();
      const name = string('a name in double quotes');
      skip();
      if (text[at] !== ':') fail('":"');
      at++;
      path.push(name);
      if (names.has(name)) report('this name is there twice; which one counts would be a guess');
      if (name === '__proto__') report('this name is not allowed');
      if (name.includes('\u0000')) report('contains a NUL character');
      names.add(name);
      value();
      path.pop();
      skip();
      if (text[at] === '}') break;
      if (text[at] !== ',') fail('"," or "}"');
      at++;
    }
    at++;
  };

  const array = () => {
    at++;
    skip();
    if (text[at] === ']') {
      at++;
      return;
    }
    for (let index = 0; ; index++) {
      path.push(index);
      value();
      path.pop();
      skip();
      if (text[at] === ']') break;
      if (text[at] !== ',') fail('"," or "]"');
      at++;
    }
    at++;
  };

  const checkNumber = (literal: string) => {
    // At most 15 digits: exact whatever they are.
    if (literal.length <= 15 && PLAIN_INTEGER.test(literal)) return;
    const shown = literal.length > 40 ? `${literal.slice(0, 40)}...` : literal;
    if (!Number.isFinite(Number(literal))) report(`${shown} is too large a number`);
    else if (!isExact(literal)) report(`${shown} has more digits than a number can hold; it would be rounded`);
  };

  try {
    value();
    skip();
    if (at < text.length) fail('the end of the document');
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error;
    const syntax = { path: formatPath(path), message: `not JSON: ${error.message} (${place(text, error.at)})` };
    return { syntax, problems };
  }
  return { syntax: null, problems };
}

/** False for a literal that becomes another whole number when it is read: beyond 2^53 - 1, or rounded to a whole one. */
function isExact(literal: string): boolean {
  const value = Number(literal);
  if (!Number.isInteger(value)) return true;
  if (!Number.isSafeInteger(value)) return false;
  const [mantissa = '', exponent = '0'] = literal.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const all = (whole + fraction).replace(/^0+/, '');
  const digits = all.replace(/0+$/, '');
  if (digits === '') return true;
  const zeros = Number(exponent) - fraction.length + (all.length - digits.length);
  return zeros >= 0 && zeros <= 16 && digits + '0'.repeat(zeros) === String(Math.abs(value));
}

function place(text: string, at: number): string {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  return `line ${line}, column ${at - before.lastIndexOf('\n')}`;
}
