import { normalizeMac } from '../model/mac.ts';
import { sanitizeText } from '../model/text.ts';
import type { Column, VarBind, WalkResult } from '../snmp/session-types.ts';
import { objectName } from './oids.ts';

/**
 * Values as answered to what they mean. Every function here takes anything and never throws; null (or "") stands for a value of
 * another type, an exception of the protocol or a missing one.
 */

const NUMBERS: ReadonlySet<string> = new Set(['Integer', 'Counter32', 'Gauge32', 'TimeTicks', 'Counter64']);

/** A number of any integer type that can be held exactly. */
export function integerOf(value: VarBind | undefined): number | null {
  if (value === undefined || !NUMBERS.has(value.type)) return null;
  const number = typeof value.value === 'bigint' ? Number(value.value) : value.value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : null;
}

/** A number that is not negative. */
export function unsignedOf(value: VarBind | undefined): number | null {
  const number = integerOf(value);
  return number !== null && number >= 0 ? number : null;
}

/** A VLAN ID, or 0 or 4095, by which agents say that there is none; null for any other number as well: it is not understood. */
export function vlanNumberOf(value: VarBind | undefined): number | null {
  const number = integerOf(value);
  return number !== null && number >= 0 && number <= 4095 ? number : null;
}

/** TruthValue (RFC 2579): true(1), false(2). */
export function truthOf(value: VarBind | undefined): boolean | null {
  const number = integerOf(value);
  return number === 1 ? true : number === 2 ? false : null;
}

/** The octets of an octet string. */
export function octetsOf(value: VarBind | undefined): Uint8Array | null {
  return value?.value instanceof Uint8Array ? value.value : null;
}

/** Text for people: without NULs, line ends and blanks at its end, sanitised, at most 255 characters; "" for anything that is no text. */
export function textOf(value: VarBind | undefined): string {
  const octets = octetsOf(value);
  if (octets === null) return '';
  let end = octets.length;
  while (end > 0 && (octets[end - 1] ?? 0) <= 0x20) end--;
  return sanitizeText(Buffer.from(octets.subarray(0, Math.min(end, 1024))).toString('utf8'));
}

/** Dotted object identifier. */
export function objectIdOf(value: VarBind | undefined): string | null {
  return value?.type === 'ObjectIdentifier' && typeof value.value === 'string' ? value.value : null;
}

/** A MAC address in lower-case colon form: six octets, or the text of one as some agents send it. Null for 00:00:00:00:00:00. */
export function macAddressOf(value: VarBind | undefined): string | null {
  const octets = octetsOf(value);
  if (octets === null) return null;
  const mac = normalizeMac(octets.length === 6 ? Buffer.from(octets).toString('hex') : textOf(value));
  return mac === '00:00:00:00:00:00' ? null : mac;
}

/** The numbers of an index such as "0.100"; null when they are not exactly `count` numbers of 32 bits. */
export function indexOf(index: string, count: number): number[] | null {
  const parts = index.split('.');
  if (parts.length !== count || !parts.every((part) => /^\d{1,10}$/.test(part))) return null;
  const numbers = parts.map(Number);
  return numbers.every((number) => number <= 0xffff_ffff) ? numbers : null;
}

/**
 * The values of a column that `decode` does not understand, as sentences: three by name, then their number. What the agent does not
 * have (an exception) is missing, not wrong.
 */
export function undecoded(
  object: string,
  column: Column,
  wanted: string,
  decode: (v: VarBind) => unknown,
): readonly string[] {
  const wrong = [...column].filter(([, value]) => !EXCEPTIONS.has(value.type) && decode(value) === null);
  const named = wrong.slice(0, 3).map(([index, { type, value }]) => {
    const what = typeof value === 'number' ? `${type} ${value}` : type;
    return `${objectName(`${object}.${index}`)} is ${what}, not ${wanted}`;
  });
  return wrong.length > 3
    ? [...named, `${wrong.length - 3} more values of ${objectName(object)} are not ${wanted}`]
    : named;
}

/**
 * Why a reader of a vendor's tables does not know the ports' VLANs, as sentences; bounded: rows that may be missing, and values in
 * its columns of numbers, VLAN IDs and lists that are none. A list that is left out would read as a port in fewer VLANs.
 */
export function gaps(
  walked: WalkResult,
  columns: Partial<Record<'numbers' | 'vlans' | 'lists', readonly string[]>>,
): readonly string[] {
  const wrong = (oids: readonly string[] | undefined, wanted: string, decode: (v: VarBind) => unknown) =>
    (oids ?? []).flatMap((oid) => undecoded(oid, walked.columns.get(oid) ?? new Map(), wanted, decode));
  return [
    ...[...new Set(walked.incomplete.values())].map((why) => `the VLANs of the ports may lack rows: ${why}`),
    ...wrong(columns.numbers, 'a number', integerOf),
    ...wrong(columns.vlans, 'a VLAN ID', vlanNumberOf),
    ...wrong(columns.lists, 'a list', octetsOf),
  ].slice(0, 8);
}

const EXCEPTIONS: ReadonlySet<string> = new Set(['noSuchObject', 'noSuchInstance', 'endOfMibView']);
