import { INTENT_LIMITS } from '../model/intent.ts';

const PUBLISH = 3;
/** A remaining length has at most four bytes (MQTT 5.0, 1.5.5; MQTT 3.1.1, 2.2.3). */
const LENGTH_BYTES = 4;

/** Bytes of the largest inbound packet: above what a document may have, so that one too large is answered and not lost. */
export const MAX_PACKET_BYTES = 4 * INTENT_LIMITS.documentBytes;

/** Thrown when the byte stream cannot be MQTT. */
export class PacketFramingError extends Error {
  override readonly name = 'PacketFramingError';
  readonly code = 'MQTT_FRAMING';
}

/**
 * Bounds what one inbound packet costs. Works on the raw stream, in chunks as they come: a PUBLISH longer than
 * `limitBytes` is passed on with its payload cut to that length, so that it is refused as too large and acknowledged,
 * instead of filling the memory or being sent again for ever. Any other packet of that size throws
 * {@link PacketFramingError}, and so does a malformed length.
 *
 * Topic and properties must fit in the limit: MQTT 3.1.1 has at most 64 KiB of them, and an MQTT 5 broker keeps to the
 * maximum packet size that was asked for.
 */
export function packetLimiter(limitBytes: number): (chunk: Buffer) => Buffer {
  let first = -1;
  let lengthBytes = 0;
  let length = 0;
  /** Bytes of the current packet still to come, and how many of them are passed on. */
  let remaining = 0;
  let passing = 0;

  return (chunk) => {
    const out: Buffer[] = [];
    let at = 0;
    while (at < chunk.length) {
      if (remaining > 0) {
        const size = Math.min(remaining, chunk.length - at);
        const passed = Math.min(size, passing);
        if (passed > 0) out.push(chunk.subarray(at, at + passed));
        remaining -= size;
        passing -= passed;
        at += size;
        continue;
      }
      const byte = chunk[at++] ?? 0;
      if (first < 0) {
        first = byte;
        continue;
      }
      length += (byte & 0x7f) * 128 ** lengthBytes;
      lengthBytes++;
      if (byte >= 0x80) {
        if (lengthBytes === LENGTH_BYTES) throw new PacketFramingError('the broker sent a malformed packet length');
        continue;
      }
      if (length > limitBytes && first >> 4 !== PUBLISH) {
        throw new PacketFramingError(`the broker sent a control packet of ${length} bytes`);
      }
      remaining = length;
      passing = Math.min(length, limitBytes);
      out.push(header(first, passing));
      first = -1;
      length = 0;
      lengthBytes = 0;
    }
    return out.length === 1 && out[0] ? out[0] : Buffer.concat(out);
  };
}

function header(first: number, length: number): Buffer {
  const bytes = [first];
  let rest = length;
  do {
    const more = rest > 0x7f;
    bytes.push((rest & 0x7f) | (more ? 0x80 : 0));
    rest >>>= 7;
  } while (rest > 0);
  return Buffer.from(bytes);
}
