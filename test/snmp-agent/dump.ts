import { integer, oid, TAG, tlv } from './ber.ts';

/** One object of an agent: its value as it goes over the wire. */
export interface Row {
  readonly oid: string;
  readonly value: Buffer;
}

/** Compares OIDs by their numbers. */
export function compare(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Rows in the order of their OIDs, each once (the first counts), for GETNEXT. */
export class Table {
  readonly rows: readonly (Row & { readonly key: readonly number[] })[];
  readonly #byOid: ReadonlyMap<string, Row>;

  constructor(rows: readonly Row[]) {
    const once = new Map<string, Row>();
    for (const row of rows) if (!once.has(row.oid)) once.set(row.oid, row);
    this.#byOid = once;
    this.rows = [...once.values()]
      .map((row) => ({ ...row, key: row.oid.split('.').map(Number) }))
      .sort((a, b) => compare(a.key, b.key));
  }

  get(name: string): Row | undefined {
    return this.#byOid.get(name);
  }

  /** The first row behind this OID. */
  next(name: string): Row | undefined {
    const key = name.split('.').map(Number);
    let [low, high] = [0, this.rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(this.rows[middle]?.key ?? [], key) <= 0) low = middle + 1;
      else high = middle;
    }
    return this.rows[low];
  }
}

/** Reads lines "OID|tag|value" of the snmprec form: decimal tags, with "x" for hexadecimal octets and "e" for escapes. */
export function readDump(text: string): Row[] {
  return text.split('\n').flatMap((line): Row[] => {
    const match = /^\.?([\d.]+)\|(\d+)([xe]?)(?::\w+)?\|(.*)$/s.exec(line);
    if (!match) return [];
    const [, name = '', tag = '', form, value = ''] = match;
    const octets = form === 'x' ? Buffer.from(value, 'hex') : Buffer.from(value, 'utf8');
    return [{ oid: name, value: encode(Number(tag), value, octets) }];
  });
}

function encode(tag: number, value: string, octets: Buffer): Buffer {
  if (tag === TAG.oid) return oid(value.replace(/^\./, ''));
  if (tag === TAG.octets || tag === TAG.opaque) return tlv(tag, octets);
  if (tag === TAG.ipAddress) return tlv(tag, value.includes('.') ? Buffer.from(value.split('.').map(Number)) : octets);
  if (tag === TAG.none) return tlv(tag);
  const whole = /^-?\d+/.exec(value)?.[0] ?? '0';
  return integer(BigInt(whole), tag);
}
