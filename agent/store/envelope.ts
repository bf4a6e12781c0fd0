import { createHash } from 'node:crypto';

/** Layout of the envelope; raised only when the envelope itself changes. */
const FORMAT = 1;
const HEAD = /^\{"format":([0-9]{1,6}),"writtenBy":"([^"\\]{0,64})"/;
const REST = /^,"sha256":"([0-9a-f]{64})","data":/;
const TAIL = '}\n';

/** What an envelope holds. */
export type Opened =
  | { readonly kind: 'ok'; readonly data: unknown; readonly writtenBy: string }
  | { readonly kind: 'newer'; readonly writtenBy: string }
  | { readonly kind: 'damaged'; readonly why: string };

/**
 * Wraps JSON text for the disk: one JSON object with the program that wrote it and the SHA-256 of the data's own bytes,
 * so that a flipped bit or a torn write is seen before the data is used.
 */
export function seal(json: string, writtenBy: string): Uint8Array {
  const by = writtenBy.replace(/[^\x20-\x7e]|["\\]/g, '?').slice(0, 64);
  return Buffer.from(`{"format":${FORMAT},"writtenBy":"${by}","sha256":"${sha256(json)}","data":${json}${TAIL}`);
}

/** Unwraps what {@link seal} made; never throws. */
export function unseal(bytes: Uint8Array): Opened {
  if (bytes.length === 0) return { kind: 'damaged', why: 'the file is empty' };
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const head = HEAD.exec(text);
  if (!head) return { kind: 'damaged', why: 'it does not begin like a portkeeper store' };
  const writtenBy = head[2] ?? '';
  if (Number(head[1]) > FORMAT) return { kind: 'newer', writtenBy };
  const rest = REST.exec(text.slice(head[0].length));
  if (!rest || !text.endsWith(TAIL)) return { kind: 'damaged', why: 'it is cut off' };
  const json = text.slice(head[0].length + rest[0].length, -TAIL.length);
  if (sha256(json) !== rest[1]) return { kind: 'damaged', why: 'its checksum is wrong' };
  try {
    return { kind: 'ok', data: JSON.parse(json), writtenBy };
  } catch {
    return { kind: 'damaged', why: 'it is not JSON' };
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
