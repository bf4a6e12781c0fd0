/** The part of BER that SNMP uses (RFC 3417, section 8), written from the standard and not from the product's own library. */

export const TAG = {
  integer: 0x02,
  octets: 0x04,
  none: 0x05,
  oid: 0x06,
  sequence: 0x30,
  ipAddress: 0x40,
  counter32: 0x41,
  gauge32: 0x42,
  timeTicks: 0x43,
  opaque: 0x44,
  counter64: 0x46,
  noSuchObject: 0x80,
  noSuchInstance: 0x81,
  endOfMibView: 0x82,
} as const;

export function tlv(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}

export function integer(value: number | bigint, tag: number = TAG.integer): Buffer {
  let rest = BigInt(value);
  const octets: number[] = [];
  for (;;) {
    octets.unshift(Number(rest & 0xffn));
    rest >>= 8n;
    const top = octets[0] ?? 0;
    if ((rest === 0n && top < 0x80) || (rest === -1n && top >= 0x80)) return tlv(tag, Buffer.from(octets));
  }
}

export function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const octets: number[] = [];
  for (const number of [first * 40 + second, ...rest]) {
    const groups = [number % 128];
    for (let left = Math.floor(number / 128); left > 0; left = Math.floor(left / 128))
      groups.unshift((left % 128) + 128);
    octets.push(...groups);
  }
  return tlv(TAG.oid, Buffer.from(octets));
}

/** One element that was read. */
export interface Element {
  readonly tag: number;
  readonly content: Buffer;
  /** What follows it. */
  readonly rest: Buffer;
}

/** Throws RangeError on anything that is cut short. */
export function element(bytes: Buffer): Element {
  const tag = bytes.readUInt8(0);
  let length = bytes.readUInt8(1);
  let at = 2;
  if (length >= 0x80) {
    const octets = length & 0x7f;
    length = bytes.readUIntBE(2, octets);
    at += octets;
  }
  if (bytes.length < at + length) throw new RangeError('cut short');
  return { tag, content: bytes.subarray(at, at + length), rest: bytes.subarray(at + length) };
}

export function elements(bytes: Buffer): Element[] {
  const found: Element[] = [];
  for (let rest = bytes; rest.length > 0; ) {
    const next = element(rest);
    found.push(next);
    rest = next.rest;
  }
  return found;
}

export function readInteger(content: Buffer): number {
  return content.length === 0 ? 0 : content.readIntBE(0, Math.min(6, content.length));
}

export function readOid(content: Buffer): string {
  const numbers: number[] = [];
  let number = 0;
  for (const octet of content) {
    number = number * 128 + (octet & 0x7f);
    if (octet < 0x80) {
      numbers.push(number);
      number = 0;
    }
  }
  const [first = 0, ...rest] = numbers;
  const top = Math.min(2, Math.floor(first / 40));
  return [top, first - top * 40, ...rest].join('.');
}
