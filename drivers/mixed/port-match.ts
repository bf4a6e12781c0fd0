import { normalizeMac } from '../model/mac.ts';
import { canonicalPortName } from '../text/port-family.ts';

/** A port as one of the two sides knows it. */
export interface MatchablePort {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly ifIndex: number | null;
  readonly macAddress: string | null;
  readonly description: string;
}

export interface PortMatches {
  /** Name on the first side to name on the second. */
  readonly pairs: ReadonlyMap<string, string>;
  /** Ports of the first side without a partner, and why. */
  readonly refused: ReadonlyMap<string, string>;
}

/** Ways in which the two sides may mean the same port, strongest first. A key that two ports of a side share means neither. */
const WAYS: readonly { readonly what: string; readonly keys: (port: MatchablePort) => readonly (string | null)[] }[] = [
  { what: 'name', keys: (p) => [p.name.toLowerCase()] },
  { what: 'name in another form', keys: (p) => [canonicalPortName(p.name)] },
  {
    what: 'other name',
    keys: (p) => [p.name, ...p.aliases].flatMap((n) => (isNumber(n) ? [] : [n.toLowerCase(), canonicalPortName(n)])),
  },
  { what: 'ifIndex', keys: (p) => [p.ifIndex === null ? null : String(p.ifIndex)] },
  { what: 'MAC address', keys: (p) => [p.macAddress === null ? null : normalizeMac(p.macAddress)] },
  { what: 'description', keys: (p) => [p.description.trim() === '' ? null : p.description.trim()] },
];

/**
 * Which ports of two readings of one switch are the same. Each pair is found by one way, and no other way may say anything else of
 * either port: a port of which two ways disagree, or that no way finds, is refused. Pure; the order of the lists does not matter.
 */
export function matchPorts(first: readonly MatchablePort[], second: readonly MatchablePort[]): PortMatches {
  const found = new Map<string, Map<string, string[]>>();
  for (const { what, keys } of WAYS) {
    const [left, right] = [keysOf(first, keys), keysOf(second, keys)];
    for (const [key, name] of left) {
      const other = right.get(key);
      if (name === null || other === null || other === undefined) continue;
      const mine = found.get(name) ?? new Map<string, string[]>();
      found.set(name, mine);
      mine.set(other, [...(mine.get(other) ?? []), what]);
    }
  }
  const pairs = new Map<string, string>();
  const refused = new Map<string, string>();
  for (const { name } of first) {
    const partners = found.get(name) ?? new Map<string, string[]>();
    const [partner] = partners.keys();
    if (partner === undefined) refused.set(name, 'no port of the other side has its name, number or address');
    else if (partners.size > 1)
      refused.set(
        name,
        `it may be ${[...partners].map(([other, ways]) => `${other} (by ${ways.join(', ')})`).join(' or ')}`.slice(
          0,
          160,
        ),
      );
    else pairs.set(name, partner);
  }
  // One port of the other side is the partner of one port at most.
  const claims = new Map<string, string[]>();
  for (const [name, partner] of pairs) claims.set(partner, [...(claims.get(partner) ?? []), name]);
  for (const [partner, names] of claims) {
    if (names.length === 1) continue;
    for (const name of names) {
      pairs.delete(name);
      refused.set(name, `${names.slice(0, 4).join(' and ')} may all be ${partner}`);
    }
  }
  return { pairs, refused };
}

/** Key to port; null: several ports have the key. */
function keysOf(
  ports: readonly MatchablePort[],
  keys: (port: MatchablePort) => readonly (string | null)[],
): Map<string, string | null> {
  const owners = new Map<string, string | null>();
  for (const port of ports)
    for (const key of new Set(keys(port))) {
      if (key === null) continue;
      const owner = owners.get(key);
      owners.set(key, owner === undefined || owner === port.name ? port.name : null);
    }
  return owners;
}

function isNumber(text: string): boolean {
  return /^\d+$/.test(text);
}
