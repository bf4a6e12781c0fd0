import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSecureAnswer, isVersion3, peekEngineId } from '../../../drivers/transport/snmp-header.ts';

/** BER with a long-form length, as senders of large messages use it. */
const tlv = (tag: number, ...parts: Uint8Array[]) => {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, 0x82, content.length >> 8, content.length & 255]), content]);
};
const int = (value: number) => Buffer.from([2, 1, value]);
const message = (version: number, engineId: Uint8Array) =>
  tlv(
    0x30,
    int(version),
    tlv(0x30, int(1), int(2), tlv(4, Buffer.from([7])), int(3)),
    tlv(4, tlv(0x30, tlv(4, engineId), int(1), int(2))),
    tlv(4, Buffer.from('sealed')),
  );

describe('the engine ID of a message', () => {
  it('is found without reading the rest', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (engineId) => {
        expect(Buffer.from(peekEngineId(message(3, engineId)) ?? [99])).toEqual(Buffer.from(engineId));
      }),
    );
  });

  it('is not there in a message of another version, cut short, or of any other bytes', () => {
    const whole = message(3, Buffer.from('800000000512', 'hex'));
    expect(peekEngineId(message(1, Buffer.from([1])))).toBeNull();
    expect(isVersion3(message(1, Buffer.from([1])))).toBe(false);
    expect(isVersion3(whole)).toBe(true);
    for (let i = 0; i < whole.length; i++) expect(peekEngineId(whole.subarray(0, i)), `${i} octets`).toBeNull();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        expect(() => [peekEngineId(bytes), isVersion3(bytes)]).not.toThrow();
      }),
    );
    expect(peekEngineId(Buffer.from([0x30, 0x84, 255, 255, 255, 255, 2, 1, 3]))).toBeNull();
  });
});

describe('an answer to a request with authentication and privacy', () => {
  const with3 = (flags: number, data: Uint8Array) =>
    tlv(
      0x30,
      int(3),
      tlv(0x30, int(1), int(2), tlv(4, Buffer.from([flags])), int(3)),
      tlv(4, tlv(0x30, tlv(4, Buffer.from('engine')))),
      data,
    );
  const scoped = (pdu: number) => tlv(0x30, tlv(4, Buffer.from('engine')), tlv(4), tlv(pdu, int(1)));

  it('is believed with both, and in the clear only as a report', () => {
    expect(isSecureAnswer(with3(3, tlv(4, Buffer.from('sealed'))))).toBe(true);
    expect(isSecureAnswer(with3(0, scoped(0xa8)))).toBe(true);
    for (const flags of [0, 1, 4]) expect(isSecureAnswer(with3(flags, scoped(0xa2)))).toBe(false);
    expect(isSecureAnswer(with3(1, tlv(4, Buffer.from('signed only'))))).toBe(false);
    expect(isSecureAnswer(message(1, Buffer.from([1])))).toBe(false);
  });

  it('of any other bytes is not believed', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        expect(isSecureAnswer(bytes)).toBe(false);
      }),
    );
  });
});
