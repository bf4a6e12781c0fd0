import {
  CST,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  parseAllDocuments,
  visit,
  type YAMLMap,
} from 'yaml';
import { type CheckTools, checkYaml, type LoadedConfig, type RefusedConfig } from './check.ts';
import { type Issue, placed } from './problem.ts';
import type { Place, YamlText } from './yaml-text.ts';

/** Largest configuration file in bytes. */
export const MAX_CONFIG_BYTES = 1_048_576;
/** Deepest nesting; the configuration itself needs six levels. */
const MAX_DEPTH = 64;
const MAX_COLUMN = 512;

/** Checks the text of a configuration file; `file` is its name in messages. Finds every problem at once; never throws. */
export function loadConfig(text: string | Uint8Array, file: string, tools: CheckTools): LoadedConfig | RefusedConfig {
  const refuse = (message: string): RefusedConfig => ({
    ok: false,
    problems: [placed({ severity: 'error', path: [], message }, file, 1, 1)],
  });
  if (text.length > MAX_CONFIG_BYTES) return refuse(`is larger than ${MAX_CONFIG_BYTES} bytes`);
  const decoded = typeof text === 'string' ? text : decode(text);
  if (decoded === null) return refuse('is not UTF-8 text');
  const unprintable = UNPRINTABLE.exec(decoded);
  if (unprintable) {
    const line = decoded.slice(0, unprintable.index).split('\n');
    const found: Issue = { severity: 'error', path: [], message: 'a control character; remove it' };
    return { ok: false, problems: [placed(found, file, line.length, (line.at(-1)?.length ?? 0) + 1)] };
  }
  return checkYaml(readYaml(decoded), file, tools);
}

/** Characters that YAML itself does not allow (YAML 1.2.2, 5.1). */
const UNPRINTABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f]/;

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/**
 * Reads YAML 1.2 with the core schema. Anchors, aliases, tags, directives, duplicate keys and several documents are problems: the
 * file is to mean what it looks like. Never throws, whatever the text.
 */
export function readYaml(text: string): YamlText {
  const lines = new LineCounter();
  const start: Place = { line: 1, column: 1 };
  const none = { value: undefined, place: () => start, has: () => false };
  const shallow = tooDeep(text);
  if (shallow !== null) return { ...none, problems: [trouble('is nested too deep', placeIn(text, shallow))] };
  let documents: Document.Parsed[];
  try {
    const parsed = parseAllDocuments(text, {
      version: '1.2',
      schema: 'core',
      lineCounter: lines,
      prettyErrors: false,
      logLevel: 'silent',
    });
    documents = Array.isArray(parsed) ? (parsed as Document.Parsed[]) : [];
  } catch {
    return { ...none, problems: [trouble('is not YAML that can be read', start)] };
  }
  const at = (offset: number): Place => {
    const { line, col } = lines.linePos(Math.min(offset, text.length));
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const [document] = documents;
  if (!document?.contents) return { ...none, problems: [trouble('the file is empty', start)] };
  const problems = syntaxProblems(document, at);
  const second = documents[1];
  if (second)
    problems.push(trouble('a second document begins here; the file must be one document', at(second.range[0])));
  if (/^%/m.test(text.slice(0, document.contents.range?.[0] ?? 0))) {
    problems.push(trouble('YAML directives (lines that begin with "%") are not used here', start));
  }
  const root = document.contents;
  return {
    value: plain(root),
    problems: problems.slice(0, 100),
    place: (path, atKey = false) => at(offsetOf(root, path, atKey)),
    has: (path) => find(root, path).length === path.length,
  };
}

/** Why the text could bring the parser down: the offset where it is nested too deep; null when it is not. */
function tooDeep(text: string): number | null {
  let offset = 0;
  let flow = 0;
  let run = 0;
  for (const token of new Lexer().lex(text)) {
    const type = CST.tokenType(token);
    if (type === 'flow-map-start' || type === 'flow-seq-start') flow++;
    else if (type === 'flow-map-end' || type === 'flow-seq-end') flow--;
    else if (type === 'seq-item-ind' || type === 'explicit-key-ind') run++;
    else if (type === 'newline') run = 0;
    else if (type === 'space' && token.length > MAX_COLUMN && run === 0 && flow === 0) return offset;
    if (flow > MAX_DEPTH || run > MAX_DEPTH) return offset;
    // The lexer's own marks for document start and scalars are not in the text.
    if (token !== CST.DOCUMENT && token !== CST.SCALAR && token !== CST.FLOW_END) offset += token.length;
  }
  return null;
}

function placeIn(text: string, offset: number): Place {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function trouble(message: string, place: Place): Issue & { readonly place: Place } {
  return { severity: 'error', path: [], message, place };
}

/** The parser's error codes in plain words; its own messages quote the file and are not shown. */
const SYNTAX: Readonly<Record<string, string>> = {
  BAD_DIRECTIVE: 'a line that begins with "%" is not used here',
  BAD_DQ_ESCAPE: 'unknown escape in a double-quoted text; use single quotes, or \\\\ for a backslash',
  BAD_INDENT: 'wrong indentation, or a bracket that is not closed before this line',
  BAD_SCALAR_START: 'a value that begins with this character must be in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a second ":" in one line, or a line that is indented too far; put text with ": " in quotes',
  BLOCK_IN_FLOW: 'lines of a list or mapping inside brackets; write it with commas, or without brackets',
  DUPLICATE_KEY: 'this key was given before in the same mapping',
  KEY_OVER_1024_CHARS: 'a key longer than 1024 characters',
  MISSING_CHAR: 'something is missing here: a closing quote, a comma or a blank after ":"',
  MULTILINE_IMPLICIT_KEY: 'this line has no ":", or a ":" without a blank after it',
  TAB_AS_INDENT: 'a tab in the indentation; YAML takes blanks only',
  UNEXPECTED_TOKEN: 'this does not belong here; check indentation, brackets and quotes',
  RESOURCE_EXHAUSTION: 'is nested too deep',
};

function syntaxProblems(
  document: Document.Parsed,
  at: (offset: number) => Place,
): (Issue & { readonly place: Place })[] {
  const found = new Map<string, Issue & { readonly place: Place }>();
  const add = (message: string, offset: number) => {
    const place = at(offset);
    // One problem a line: the parser's later complaints about the same line only repeat the first.
    const key = String(place.line);
    if (!found.has(key)) found.set(key, trouble(message, place));
  };
  for (const error of document.errors) add(SYNTAX[error.code] ?? 'is not valid YAML', error.pos[0]);
  visit(document, {
    Node(_key, node) {
      const offset = node.range?.[0] ?? 0;
      if (isAlias(node)) add('aliases (*name) are not used here; write the value again', offset);
      else if (node.anchor !== undefined) add('anchors (&name) are not used here', offset);
      else if (node.tag !== undefined) add('tags (!name) are not used here', offset);
    },
    Pair(_key, pair) {
      if (isNode(pair.key) && !isScalar(pair.key)) add('a key must be a plain word', pair.key.range?.[0] ?? 0);
    },
  });
  return [...found.values()];
}

/** Plain values from nodes. Keys are always text; a key given twice keeps its first value; `__proto__` is a key like others. */
function plain(node: unknown): unknown {
  if (isScalar(node)) return node.value instanceof Uint8Array ? null : node.value;
  if (isSeq(node)) return node.items.map(plain);
  if (!isMap(node)) return undefined;
  const object: Record<string, unknown> = {};
  for (const pair of node.items) {
    const key = keyText(pair.key);
    if (key === null || Object.hasOwn(object, key)) continue;
    Object.defineProperty(object, key, {
      value: plain(pair.value),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return object;
}

function keyText(key: unknown): string | null {
  if (!isScalar(key)) return null;
  return key.source ?? (key.value === null ? '' : String(key.value));
}

interface Found {
  /** Node of the key; null in a list. */
  readonly key: Node | null;
  readonly value: unknown;
}

/** The steps of a path as far as the file has them. */
function find(root: unknown, path: readonly PropertyKey[]): Found[] {
  const found: Found[] = [];
  let node = root;
  for (const part of path) {
    let next: Found | undefined;
    if (isMap(node)) next = entry(node, String(part));
    else if (isSeq(node) && typeof part === 'number' && part in node.items)
      next = { key: null, value: node.items[part] };
    if (!next) break;
    found.push(next);
    node = next.value;
  }
  return found;
}

function entry(map: YAMLMap, key: string): Found | undefined {
  const pair = map.items.find((item) => isPair(item) && keyText(item.key) === key);
  return pair && { key: isNode(pair.key) ? pair.key : null, value: pair.value };
}

function offsetOf(root: unknown, path: readonly PropertyKey[], atKey: boolean): number {
  const last = find(root, path).at(-1);
  if (!last) return isNode(root) ? (root.range?.[0] ?? 0) : 0;
  const complete = find(root, path).length === path.length;
  const value = isNode(last.value) && !(isCollection(last.value) && last.key) ? last.value : null;
  // A value that is empty or a whole block is shown by its key, and so is a container that lacks something.
  const empty = value !== null && isScalar(value) && value.value === null;
  const node = atKey || !complete || value === null || empty ? (last.key ?? value) : value;
  return node?.range?.[0] ?? 0;
}
