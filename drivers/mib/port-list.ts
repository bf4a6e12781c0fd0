/**
 * PortList of Q-BRIDGE-MIB (RFC 4363): octet 1 stands for the bridge ports 1 to 8, the most significant bit for the lowest. Its
 * length is the agent's choice; octets that are missing at the end are zero.
 */

/** More ports than any switch has; what a list says of higher ones is left out. */
export const MAX_BRIDGE_PORT = 65_535;

/** The bridge ports whose bit is set, ascending. */
export function portsOf(list: Uint8Array): number[] {
  const ports: number[] = [];
  for (let i = 0; i < list.length && i * 8 < MAX_BRIDGE_PORT; i++) {
    const octet = list[i] ?? 0;
    if (octet === 0) continue;
    for (let bit = 0; bit < 8; bit++) if ((octet & (0x80 >> bit)) !== 0) ports.push(i * 8 + bit + 1);
  }
  return ports.filter((port) => port <= MAX_BRIDGE_PORT);
}

/** True when the bit of the bridge port is set; false for a port beyond the list's end and for what is no bridge port. */
export function hasPort(list: Uint8Array, port: number): boolean {
  return isBridgePort(port) && ((list[(port - 1) >> 3] ?? 0) & (0x80 >> ((port - 1) & 7))) !== 0;
}

/**
 * The list with one bridge port (1 to 65,535) set or cleared, and every other bit as it was. As long as it was, or longer when
 * a port to set is beyond its end; never shorter. Throws RangeError for what is no bridge port.
 */
export function withPort(list: Uint8Array, port: number, member: boolean): Uint8Array {
  if (!isBridgePort(port)) throw new RangeError(`${port} is no bridge port`);
  const at = (port - 1) >> 3;
  const mask = 0x80 >> ((port - 1) & 7);
  const next = new Uint8Array(Math.max(list.length, member ? at + 1 : 0));
  next.set(list);
  if (at < next.length) next[at] = member ? (next[at] ?? 0) | mask : (next[at] ?? 0) & ~mask;
  return next;
}

function isBridgePort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= MAX_BRIDGE_PORT;
}

/**
 * How a list is written. `bits` is the standard and the only one that is ever written; `decimal` and `hex-text` are read;
 * `unreadable` is text that is neither.
 */
export type PortListForm = 'bits' | 'decimal' | 'hex-text' | 'unreadable';

/**
 * The form of a column of lists. Junos writes bridge port numbers as text ("0,4097,4099"), unless told to write a bitmap; Dell's
 * SONiC writes the bitmap as text in hexadecimal ("ff ff f8", "0" for an empty one). A bitmap may look like text by chance, so all
 * lists of the column must agree, and one must have a separator. `junos`: the switch is one, where a number alone ("42") is text, too.
 */
export function portListForm(lists: readonly Uint8Array[], junos = false): PortListForm {
  const texts = lists.filter((list) => list.length > 0).map(textOfList);
  if (texts.length === 0) return 'bits';
  if (texts.every((t) => DECIMAL.test(t)) && (junos || texts.some((t) => t.includes(',')))) return 'decimal';
  if (texts.every((t) => HEX.test(t)) && texts.some((t) => t.includes(' '))) return 'hex-text';
  // Nothing but hexadecimal digits and blanks, yet not in pairs: a list of which a part is missing.
  return texts.every((t) => HEX_LIKE.test(t)) && texts.some((t) => /[0-9a-f] [0-9a-f]/i.test(t))
    ? 'unreadable'
    : 'bits';
}

/** As text, without the blanks and line ends that some agents leave at its end. */
function textOfList(list: Uint8Array): string {
  return Buffer.from(list).toString('latin1').trimEnd();
}

const DECIMAL = /^\d{1,6}(?:,\d{1,6})*,?$/;
const HEX = /^(?:0|[0-9a-f]{2}(?: [0-9a-f]{2})*)$/i;
const HEX_LIKE = /^[0-9a-f ]+$/i;

/**
 * The bridge ports of a list in the given form; ascending, without repeats; null for a list that cannot be read. Bridge port 0 (Junos:
 * the switch itself) is left out.
 */
export function readPortList(list: Uint8Array, form: PortListForm): number[] | null {
  if (form === 'bits' || list.length === 0) return portsOf(list);
  if (form === 'unreadable') return null;
  const text = textOfList(list);
  if (form === 'hex-text') return text === '0' ? [] : portsOf(Buffer.from(text.replaceAll(' ', ''), 'hex'));
  const numbers = text.split(',').flatMap((number) => (number === '' ? [] : [Number(number)]));
  return [...new Set(numbers)].filter(isBridgePort).sort((a, b) => a - b);
}
