import { isIP } from 'node:net';
import { normalizeMac } from '../model/mac.ts';

/** IANA address family numbers, as the first octet of a network address in LLDP (IEEE 802.1AB-2016, 8.5.2.2). */
const IPV4 = 1;
const IPV6 = 2;
const MAC = 6;

/**
 * An IP address as LLDP carries it: family octet and address; some send the bare address, or its text. In canonical text form
 * (RFC 5952 for IPv6); null when it is none of these.
 */
export function networkAddress(octets: Uint8Array): string | null {
  if (octets.length === 5 && octets[0] === IPV4) return ipv4(octets.subarray(1));
  if (octets.length === 17 && octets[0] === IPV6) return ipv6(octets.subarray(1));
  const text = addressText(octets);
  if (text !== null) return text;
  if (octets.length === 4) return ipv4(octets);
  return octets.length === 16 ? ipv6(octets) : null;
}

/** An address written out in ASCII; null when it is none. Padding NULs and spaces do not count. */
export function addressText(octets: Uint8Array): string | null {
  // The shortest text of an IPv4 address has 7 octets; what is shorter is an address, not its text.
  if (octets.length < 7 || octets.length > 64) return null;
  const text = String.fromCharCode(...octets)
    .replace(/[\0 ]+$/, '')
    .trim();
  const version = isIP(text);
  if (version === 0 || text.includes('%')) return null;
  return version === 4 ? text : canonical(text);
}

/** Four octets in dotted form. */
export function ipv4(octets: Uint8Array): string {
  return octets.join('.');
}

/** Sixteen octets in the form of RFC 5952. */
export function ipv6(octets: Uint8Array): string {
  const groups = Array.from({ length: 8 }, (_, i) =>
    ((octets[2 * i] ?? 0) * 256 + (octets[2 * i + 1] ?? 0)).toString(16),
  );
  return canonical(groups.join(':'));
}

/** The URL standard's serialiser shortens as RFC 5952 asks for. */
function canonical(address: string): string {
  return new URL(`http://[${address}]/`).hostname.slice(1, -1);
}

/**
 * A management address from the tail of an index of lldpRemManAddrTable: subtype (IANA family; 6: a MAC address), length and octets.
 * Some agents leave the length out, pad the address with zeros, or put its text there. null: not understood, or no address at all.
 */
export function managementAddress(index: readonly number[]): string | null {
  const [subtype, ...rest] = index;
  if (rest.length > 65 || rest.some((octet) => octet > 255)) return null;
  const size = subtype === IPV4 ? 4 : subtype === IPV6 ? 16 : subtype === MAC ? 6 : null;
  if (size === null) return null;
  const hasLength = rest.length !== size && rest[0] === rest.length - 1;
  const octets = Uint8Array.from(hasLength ? rest.slice(1) : rest);
  const padded = octets.length > size && octets.subarray(size).every((octet) => octet === 0);
  const address = padded ? octets.subarray(0, size) : octets;
  if (address.every((octet) => octet === 0)) return null;
  if (subtype !== MAC) return networkAddress(address);
  return address.length === size ? normalizeMac(Buffer.from(address).toString('hex')) : null;
}
