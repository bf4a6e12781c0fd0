import { normalizeMac } from '../model/mac.ts';
import { canonicalPortName } from './port-family.ts';
import { rangeNames } from './port-range.ts';

export { portPatternProblem } from './port-range.ts';

/** What is needed to find a port: its own name and its other names. */
export interface NamedPort {
  readonly name: string;
  readonly aliases: readonly string[];
}

export type PortMatch<P> = { readonly found: P } | { readonly ambiguous: readonly P[] } | { readonly missing: true };

/**
 * Order for people: numbers by value, text without regard to case ("swp2" before "swp10", "Ethernet1/2" before
 * "Ethernet1/10"). A total order: 0 only for equal names.
 */
export function comparePortNames(a: string, b: string): number {
  const left = a.toLowerCase().match(CHUNKS) ?? [];
  const right = b.toLowerCase().match(CHUNKS) ?? [];
  for (let i = 0; i < left.length && i < right.length; i++) {
    const order = compareChunks(left[i] ?? '', right[i] ?? '');
    if (order !== 0) return order;
  }
  return left.length - right.length || compareText(a, b);
}

const CHUNKS = /\d+|\D+/g;

function compareChunks(a: string, b: string): number {
  const numeric = isNumber(a);
  if (numeric !== isNumber(b)) return numeric ? -1 : 1;
  if (!numeric) return compareText(a, b);
  const [x, y] = [a.replace(/^0+(?=\d)/, ''), b.replace(/^0+(?=\d)/, '')];
  return x.length - y.length || compareText(x, y);
}

function isNumber(chunk: string): boolean {
  return /^\d/.test(chunk);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Finds a port by any of its names. The first of these that fits decides: the exact name, the name in another case, an
 * alias, an alias in another case (or a MAC address in another notation), a long or short form. Several ports at the
 * deciding step are `ambiguous`: nothing is ever guessed.
 */
export function matchPort<P extends NamedPort>(query: string, ports: readonly P[]): PortMatch<P> {
  const found = lookUp(query, indexOf(ports))
    .map((i) => ports[i])
    .filter((p) => p !== undefined);
  const [first] = found;
  if (first === undefined) return { missing: true };
  return found.length === 1 ? { found: first } : { ambiguous: found };
}

type Index = readonly ReadonlyMap<string, readonly number[]>[];

/** Lists of ports are immutable and asked many times; the index lives as long as the list. */
const indexes = new WeakMap<readonly NamedPort[], Index>();

function indexOf(ports: readonly NamedPort[]): Index {
  const known = indexes.get(ports);
  if (known) return known;
  const index = KEYS.map(({ names, key }) => {
    const map = new Map<string, number[]>();
    ports.forEach((port, at) => {
      for (const name of names(port)) {
        const text = key(name);
        if (text === null) continue;
        const entry = map.get(text);
        if (!entry) map.set(text, [at]);
        else if (entry[entry.length - 1] !== at) entry.push(at);
      }
    });
    return map;
  });
  indexes.set(ports, index);
  return index;
}

function lookUp(query: string, index: Index): readonly number[] {
  for (const [step, { key }] of KEYS.entries()) {
    const text = key(query.trim());
    const found = text === null ? undefined : index[step]?.get(text);
    if (found) return found;
  }
  return [];
}

/** The steps of {@link matchPort}, strongest first. */
const KEYS: readonly { names: (port: NamedPort) => readonly string[]; key: (name: string) => string | null }[] = [
  { names: (port) => [port.name], key: (name) => name },
  { names: (port) => [port.name], key: (name) => name.toLowerCase() },
  { names: (port) => port.aliases, key: (name) => name },
  { names: (port) => port.aliases, key: (name) => normalizeMac(name) ?? name.toLowerCase() },
  { names: (port) => [port.name, ...port.aliases], key: canonicalPortName },
];

export interface ExpandedPorts {
  /** Names of the ports that the patterns stand for. */
  readonly matched: Set<string>;
  /** Patterns that fit no port; the ambiguous ones are among them. */
  readonly unmatched: string[];
  /** Patterns (or single names of a range) that fit several ports, with the names of these. */
  readonly ambiguous: Map<string, readonly string[]>;
}

/**
 * What a list of names and ranges ("swp1-swp48", "swp1-48", "Ethernet1/1-Ethernet1/48", "xe-0/0/0-xe-0/0/47") stands for
 * on a switch. A pattern that is the name of a port is that port, whatever else it looks like. Of a range, the ports that
 * exist count; an ambiguous name stands for none.
 */
export function expandPortList(patterns: readonly string[], ports: readonly NamedPort[]): ExpandedPorts {
  const matched = new Set<string>();
  const unmatched: string[] = [];
  const ambiguous = new Map<string, readonly string[]>();
  for (const pattern of patterns) {
    const names = (isName(pattern, ports) ? null : rangeNames(pattern)) ?? [pattern];
    let fits = false;
    for (const name of names) {
      const match = matchPort(name, ports);
      if ('ambiguous' in match) {
        ambiguous.set(
          name,
          match.ambiguous.map((p) => p.name),
        );
      }
      if ('found' in match) {
        fits = true;
        matched.add(match.found.name);
      }
    }
    if (!fits) unmatched.push(pattern);
  }
  return { matched, unmatched, ambiguous };
}

function isName(pattern: string, ports: readonly NamedPort[]): boolean {
  return !('missing' in matchPort(pattern, ports));
}
