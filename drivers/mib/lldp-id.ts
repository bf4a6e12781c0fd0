import { normalizeMac } from '../model/mac.ts';
import type { IdSubtype, LldpId } from '../model/neighbor.ts';
import { sanitizeText } from '../model/text.ts';
import { networkAddress } from './network-address.ts';

/** lldpRemChassisIdSubtype (IEEE 802.1AB-2016, 8.5.2.2). Not the numbers of the port ID: 3, 4 and 5 mean other things there. */
const CHASSIS_SUBTYPES: Readonly<Record<number, IdSubtype>> = {
  1: 'component',
  2: 'ifalias',
  3: 'component',
  4: 'mac',
  5: 'network',
  6: 'ifname',
  7: 'local',
};

/** lldpRemPortIdSubtype (IEEE 802.1AB-2016, 8.5.3.2). */
const PORT_SUBTYPES: Readonly<Record<number, IdSubtype>> = {
  1: 'ifalias',
  2: 'component',
  3: 'mac',
  4: 'network',
  5: 'ifname',
  6: 'circuit',
  7: 'local',
};

/** Chassis ID from its subtype number and octets; see {@link portIdOf}. */
export function chassisIdOf(subtype: number | null, octets: Uint8Array): LldpId {
  return idOf(CHASSIS_SUBTYPES, subtype, octets);
}

/**
 * Port ID from its subtype number (null: the agent does not tell) and octets. Total: an ID that is not what its subtype says, and
 * a subtype that is none, become `unknown` with the octets shown as well as can be: as a MAC, as text, or in hexadecimal.
 */
export function portIdOf(subtype: number | null, octets: Uint8Array): LldpId {
  return idOf(PORT_SUBTYPES, subtype, octets);
}

function idOf(table: Readonly<Record<number, IdSubtype>>, subtype: number | null, octets: Uint8Array): LldpId {
  const kind = subtype !== null && Object.hasOwn(table, subtype) ? (table[subtype] ?? 'unknown') : 'unknown';
  const value = valueFor(kind, octets);
  return value === null ? { subtype: 'unknown', value: shown(octets) } : { subtype: kind, value };
}

/** The value as its subtype wants it; null when it is no such thing. */
function valueFor(kind: IdSubtype, octets: Uint8Array): string | null {
  if (kind === 'mac') return macOf(octets);
  if (kind === 'network') return networkAddress(octets);
  if (kind === 'unknown') return null;
  // Some send their ifIndex as a number of four octets.
  if (kind === 'local' && octets.length === 4 && !isText(octets)) return String(uint32(octets));
  return shown(octets);
}

/**
 * A MAC address of six octets, or written out: "00:50:D7:..", "e4 f0 04 ..", "0050d7..". null: something else, such as the name
 * of an interface under the subtype of a MAC address.
 */
function macOf(octets: Uint8Array): string | null {
  if (octets.length === 6) return isNameLike(octets) ? null : hex(octets);
  if (octets.length > 32) return null;
  const text = ascii(octets);
  return text === null ? null : normalizeMac(text.trim().replace(/ +/g, ':'));
}

/**
 * Six octets that are a name ("vmnic2") rather than a MAC address: letters and then digits, and as an address it would be a group's or
 * locally made up. Names whose first letter allows a universal address ("port12") are shown as one: a real address must stay one.
 */
function isNameLike(octets: Uint8Array): boolean {
  return /^[A-Za-z]{2,}[A-Za-z0-9]*[0-9]$/.test(ascii(octets) ?? '') && ((octets[0] ?? 0) & 3) !== 0;
}

/** Text when the octets are some, else hexadecimal pairs. Six octets that are no text look like the MAC address that they mostly are. */
function shown(octets: Uint8Array): string {
  return isText(octets) ? sanitizeText(decode(octets) ?? '') : sanitizeText(hex(octets));
}

/** UTF-8 without control characters; NULs and white space at the end are padding. */
function isText(octets: Uint8Array): boolean {
  const text = decode(octets);
  return text !== null && !/[\0-\x1f\x7f]/.test(text);
}

const PADDING: ReadonlySet<number> = new Set([0x00, 0x09, 0x0a, 0x0d, 0x20]);

function decode(octets: Uint8Array): string | null {
  let end = octets.length;
  while (end > 0 && PADDING.has(octets[end - 1] ?? -1)) end--;
  if (end === 0 && octets.length > 0) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(octets.subarray(0, end));
  } catch {
    return null;
  }
}

function ascii(octets: Uint8Array): string | null {
  const text = decode(octets);
  return text !== null && /^[\x20-\x7e]*$/.test(text) ? text : null;
}

function hex(octets: Uint8Array): string {
  return Array.from(octets.subarray(0, 255), (octet) => octet.toString(16).padStart(2, '0')).join(':');
}

function uint32(octets: Uint8Array): number {
  return octets.reduce((value, octet) => value * 256 + octet, 0);
}
