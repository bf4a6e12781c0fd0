/** A word of a command line and where it stands in it (from 0). */
export interface Token {
  readonly text: string;
  readonly column: number;
}

/** Reads a parameter from the words at `at`: its value and how many words it took, or null when it does not fit. */
export type Matcher = (
  tokens: readonly Token[],
  at: number,
) => { readonly value: string; readonly used: number } | null;

export interface Rule<C> {
  /**
   * Keywords and parameters: "switchport access vlan <1-4094>", "name <word>", "description <line>", "interface <port>".
   * A range is a number, `<word>` one word, `<line>` the rest; other names are looked up among the grammar's matchers.
   */
  readonly pattern: string;
  /** Lowest privilege level that sees the command; default 1. */
  readonly level?: number;
  /** IOS ignores whatever follows (many "no" forms). */
  readonly ignoreRest?: boolean;
  readonly run: (context: C, args: readonly string[]) => void;
}

export type Parsed<C> =
  | { readonly kind: 'run'; readonly run: Rule<C>['run']; readonly args: readonly string[] }
  | { readonly kind: 'invalid'; readonly column: number }
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'ambiguous' };

interface Node<C> {
  readonly keywords: Map<string, Node<C>>;
  readonly params: { readonly name: string; readonly match: Matcher; readonly node: Node<C> }[];
  rule: Rule<C> | null;
}

const word: Matcher = (tokens, at) => {
  const token = tokens[at];
  return token ? { value: token.text, used: 1 } : null;
};
const line: Matcher = (tokens, at) => {
  const rest = tokens.slice(at);
  const first = rest[0];
  if (!first) return null;
  const value = rest.reduce((text, t) => text.padEnd(t.column - first.column) + t.text, '');
  return { value, used: rest.length };
};

function numberIn(min: number, max: number): Matcher {
  return (tokens, at) => {
    const text = tokens[at]?.text ?? '';
    const fits = /^[0-9]{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max;
    return fits ? { value: String(Number(text)), used: 1 } : null;
  };
}

/** Splits a line into words with their columns. */
export function tokenize(text: string): Token[] {
  return [...text.matchAll(/\S+/g)].map((m) => ({ text: m[0], column: m.index }));
}

/** The commands of one mode: unambiguous abbreviation, parameters and where a line goes wrong. */
export class Grammar<C> {
  readonly #root: Node<C> = newNode();
  readonly #matchers: Readonly<Record<string, Matcher>>;

  constructor(rules: readonly Rule<C>[], matchers: Readonly<Record<string, Matcher>> = {}) {
    this.#matchers = matchers;
    for (const rule of rules) this.#add(rule);
  }

  #add(rule: Rule<C>): void {
    let node = this.#root;
    for (const part of rule.pattern.split(' ')) {
      const name = /^<(.+)>$/.exec(part)?.[1];
      node = name === undefined ? keywordNode(node, part) : this.#paramNode(node, name);
    }
    node.rule = rule;
  }

  #paramNode(node: Node<C>, name: string): Node<C> {
    const known = node.params.find((p) => p.name === name);
    if (known) return known.node;
    const range = /^([0-9]+)-([0-9]+)$/.exec(name);
    const match = range ? numberIn(Number(range[1]), Number(range[2])) : { word, line, ...this.#matchers }[name];
    if (!match) throw new Error(`no matcher for <${name}>`);
    const param = { name, match, node: newNode<C>() };
    node.params.push(param);
    return param.node;
  }

  /** Finds the command for the words from `start` on. */
  parse(tokens: readonly Token[], start = 0): Parsed<C> {
    let node = this.#root;
    const args: string[] = [];
    for (let at = start; at < tokens.length; ) {
      const token = tokens[at] as Token;
      const next = keyword(node, token.text);
      if (next === 'ambiguous') return { kind: 'ambiguous' };
      if (next) {
        node = next;
        at++;
        continue;
      }
      const param = firstMatch(node, tokens, at);
      if (!param) {
        if (node.rule?.ignoreRest) break;
        return { kind: 'invalid', column: token.column + sharedPrefix(node, token.text) };
      }
      args.push(param.value);
      at += param.used;
      node = param.node;
    }
    return node.rule ? { kind: 'run', run: node.rule.run, args } : { kind: 'incomplete' };
  }

  /** What may follow the given words, for `?` and Tab: keywords that begin with `partial`, and parameters. */
  next(tokens: readonly Token[], partial: string): string[] | null {
    let node = this.#root;
    for (let at = 0; at < tokens.length; ) {
      const step = keyword(node, tokens[at]?.text ?? '');
      if (step === 'ambiguous') return null;
      const param = step ? null : firstMatch(node, tokens, at);
      if (!step && !param) return null;
      node = step ?? (param as NonNullable<typeof param>).node;
      at += param?.used ?? 1;
    }
    const words = [...node.keywords.keys()].filter((k) => k.startsWith(partial.toLowerCase())).sort();
    const params = partial === '' ? node.params.map((p) => (p.name === 'line' ? 'LINE' : `<${p.name}>`)) : [];
    return [...words, ...params, ...(partial === '' && node.rule ? ['<cr>'] : [])];
  }
}

function newNode<C>(): Node<C> {
  return { keywords: new Map(), params: [], rule: null };
}

function keywordNode<C>(node: Node<C>, text: string): Node<C> {
  const known = node.keywords.get(text);
  if (known) return known;
  const made = newNode<C>();
  node.keywords.set(text, made);
  return made;
}

function keyword<C>(node: Node<C>, text: string): Node<C> | 'ambiguous' | null {
  const lower = text.toLowerCase();
  const exact = node.keywords.get(lower);
  if (exact) return exact;
  const found = [...node.keywords].filter(([name]) => name.startsWith(lower));
  return found.length > 1 ? 'ambiguous' : (found[0]?.[1] ?? null);
}

function firstMatch<C>(node: Node<C>, tokens: readonly Token[], at: number) {
  for (const param of node.params) {
    const hit = param.match(tokens, at);
    if (hit) return { ...hit, node: param.node };
  }
  return null;
}

/** IOS puts the caret under the first letter that no keyword has there. */
function sharedPrefix<C>(node: Node<C>, text: string): number {
  let best = 0;
  for (const name of node.keywords.keys()) {
    let i = 0;
    while (i < text.length && i < name.length && text[i]?.toLowerCase() === name[i]) i++;
    best = Math.max(best, i);
  }
  return Math.min(best, Math.max(text.length - 1, 0));
}
