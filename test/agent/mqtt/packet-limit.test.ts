import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PacketFramingError, packetLimiter } from '../../../agent/mqtt/packet-limit.ts';

function packet(first: number, body: Buffer): Buffer {
  const bytes = [first];
  let rest = body.length;
  do {
    bytes.push((rest % 128) | (rest > 127 ? 0x80 : 0));
    rest = Math.floor(rest / 128);
  } while (rest > 0);
  return Buffer.concat([Buffer.from(bytes), body]);
}

/** Feeds the stream in pieces cut at random. */
function feed(limit: number, stream: Buffer, cuts: readonly number[]): Buffer {
  const pass = packetLimiter(limit);
  const out: Buffer[] = [];
  let at = 0;
  for (const size of [...cuts, stream.length]) {
    out.push(pass(stream.subarray(at, at + size)));
    at += size;
  }
  return Buffer.concat(out);
}

const cuts = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 40 });
const publish = fc.uint8Array({ maxLength: 600 }).map((body) => packet(0x32, Buffer.from(body)));

describe('packetLimiter', () => {
  it('passes packets within the limit unchanged, however the stream is cut', () => {
    fc.assert(
      fc.property(fc.array(publish, { maxLength: 8 }), cuts, (packets, pieces) => {
        const stream = Buffer.concat(packets);
        expect(feed(600, stream, pieces).equals(stream)).toBe(true);
      }),
    );
  });

  it('cuts a longer PUBLISH to the limit and stays in step', () => {
    fc.assert(
      fc.property(fc.array(publish, { minLength: 1, maxLength: 8 }), cuts, (packets, pieces) => {
        const expected = packets.map((whole) => {
          const body = whole.subarray(whole.length > 129 ? 3 : 2);
          return packet(0x32, body.subarray(0, 100));
        });
        expect(feed(100, Buffer.concat(packets), pieces).equals(Buffer.concat(expected))).toBe(true);
      }),
    );
  });

  it('refuses other packets above the limit, and lengths of more than four bytes', () => {
    expect(() => packetLimiter(10)(packet(0x20, Buffer.alloc(11)))).toThrow(PacketFramingError);
    expect(() => packetLimiter(10)(Buffer.from([0x32, 0xff, 0xff, 0xff, 0xff, 0x01]))).toThrow(PacketFramingError);
    expect(packetLimiter(10)(Buffer.from([0xd0, 0x00])).equals(Buffer.from([0xd0, 0x00]))).toBe(true);
  });
});
