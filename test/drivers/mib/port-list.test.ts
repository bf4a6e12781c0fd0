import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasPort, portListForm, portsOf, readPortList, withPort } from '../../../drivers/mib/port-list.ts';

const text = (value: string) => new Uint8Array(Buffer.from(value, 'latin1'));
const list = fc.uint8Array({ maxLength: 64 });
const port = fc.integer({ min: 1, max: 600 });

describe('a bitmap', () => {
  it('has the lowest port in the most significant bit of the first octet', () => {
    expect(portsOf(Uint8Array.of(0x80, 0x01, 0x40))).toEqual([1, 16, 18]);
    expect(withPort(new Uint8Array(0), 9, true)).toEqual(Uint8Array.of(0, 0x80));
  });

  it('is read back as it was written, whatever the ports', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 4000 })), (ports) => {
        const written = ports.reduce<Uint8Array>((l, p) => withPort(l, p, true), new Uint8Array(0));
        expect(portsOf(written)).toEqual([...ports].sort((a, b) => a - b));
      }),
    );
  });

  it('changes in the one bit only, and keeps its length', () => {
    fc.assert(
      fc.property(list, port, fc.boolean(), (before, changed, member) => {
        const after = withPort(before, changed, member);
        expect(hasPort(after, changed)).toBe(member);
        expect(portsOf(after).filter((p) => p !== changed)).toEqual(portsOf(before).filter((p) => p !== changed));
        const needed = member ? Math.ceil(changed / 8) : 0;
        expect(after.length).toBe(Math.max(before.length, needed));
      }),
    );
  });

  it('is not changed in place', () => {
    const before = Uint8Array.of(0);
    withPort(before, 1, true);
    expect(before).toEqual(Uint8Array.of(0));
  });

  it.each([0, -1, 1.5, 65_536, Number.NaN])('has no bridge port %d', (wrong) => {
    expect(() => withPort(new Uint8Array(2), wrong, true)).toThrow(RangeError);
    expect(hasPort(Uint8Array.of(0xff), wrong)).toBe(false);
  });

  it('has no member beyond its end', () => {
    expect(hasPort(Uint8Array.of(0xff), 9)).toBe(false);
    expect(portsOf(new Uint8Array(5480))).toEqual([]);
  });

  it('ends at the highest bridge port there can be', () => {
    expect(portsOf(new Uint8Array(10_000).fill(0xff))).toHaveLength(65_535);
  });
});

describe('the form of a column', () => {
  it.each([
    ['bits', [text('')]],
    ['bits', [Uint8Array.of(0xff, 0x00)]],
    ['bits', [text('42'), text('13')]],
    ['bits', [text('0,12'), Uint8Array.of(0xff)]],
    ['decimal', [text('0,4097,4099'), text(''), text('4106')]],
    ['hex-text', [text('ff ff f8'), text('0')]],
    ['hex-text', [text('ff ff f8 80 00\r'), text('0\r')]],
    ['unreadable', [text('ff ff f')]],
  ] as const)('%s of %j', (form, lists) => {
    expect(portListForm(lists)).toBe(form);
  });

  it('is text on Junos also where every list has one port', () => {
    expect(portListForm([text('42'), text('13')], true)).toBe('decimal');
    expect(portListForm([Uint8Array.of(0x80, 0)], true)).toBe('bits');
  });
});

describe('a list in text', () => {
  it('names bridge ports; port 0 is the switch itself', () => {
    expect(readPortList(text('4106,0,4097,4097'), 'decimal')).toEqual([4097, 4106]);
    expect(readPortList(text('0,999999'), 'decimal')).toEqual([]);
  });

  it('is a bitmap in hexadecimal', () => {
    expect(readPortList(text('80 01'), 'hex-text')).toEqual([1, 16]);
    expect(readPortList(text('0'), 'hex-text')).toEqual([]);
  });

  it('is not guessed', () => {
    expect(readPortList(text('ff f'), 'unreadable')).toBeNull();
  });

  it('is read without failing, whatever it is', () => {
    const form = fc.constantFrom('bits', 'decimal', 'hex-text', 'unreadable');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), form, (octets, how) => {
        const ports = readPortList(octets, how as 'bits');
        for (const p of ports ?? []) expect(Number.isInteger(p) && p >= 1 && p <= 65_535).toBe(true);
      }),
    );
  });
});
