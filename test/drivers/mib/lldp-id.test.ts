import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chassisIdOf, portIdOf } from '../../../drivers/mib/lldp-id.ts';

const text = (value: string) => new TextEncoder().encode(value);
const MAC = Uint8Array.of(0x00, 0x50, 0xd7, 0x0a, 0xff, 0x01);
const MAC_TEXT = '00:50:d7:0a:ff:01';

describe('subtype numbers', () => {
  it.each([
    [1, 'component'],
    [2, 'ifalias'],
    [3, 'component'],
    [6, 'ifname'],
    [7, 'local'],
  ])('chassis ID %i is %s', (number, subtype) => {
    expect(chassisIdOf(number, text('x1'))).toEqual({ subtype, value: 'x1' });
  });

  it.each([
    [1, 'ifalias'],
    [2, 'component'],
    [5, 'ifname'],
    [6, 'circuit'],
    [7, 'local'],
  ])('port ID %i is %s', (number, subtype) => {
    expect(portIdOf(number, text('x1'))).toEqual({ subtype, value: 'x1' });
  });

  it('has the MAC address at 4 for a chassis and at 3 for a port', () => {
    expect(chassisIdOf(4, MAC)).toEqual({ subtype: 'mac', value: MAC_TEXT });
    expect(portIdOf(3, MAC)).toEqual({ subtype: 'mac', value: MAC_TEXT });
    expect(chassisIdOf(3, MAC).subtype).toBe('component');
    expect(portIdOf(4, MAC).subtype).toBe('unknown');
  });

  it.each([null, 0, 8, -1, 255])('takes %s for no subtype and still shows the value', (number) => {
    expect(portIdOf(number, text('Eth1'))).toEqual({ subtype: 'unknown', value: 'Eth1' });
    expect(chassisIdOf(number, MAC)).toEqual({ subtype: 'unknown', value: MAC_TEXT });
  });
});

describe('MAC addresses', () => {
  it.each([
    '00:50:d7:0a:ff:01',
    '00:50:D7:0A:FF:01',
    '00-50-D7-0A-FF-01',
    '00 50 d7 0a ff 01',
    '0050.d70a.ff01',
    '0050D70AFF01',
    '00:50:d7:0a:ff:01\0',
    '0:50:d7:a:ff:1',
  ])('are read from "%s"', (written) => {
    expect(chassisIdOf(4, text(written))).toEqual({ subtype: 'mac', value: MAC_TEXT });
  });

  it('stay addresses when all six octets can be printed', () => {
    // 44:45:53:54:00 and the like exist; so does an address that spells a word and is universally administered.
    expect(chassisIdOf(4, text('DLINK7'))).toEqual({ subtype: 'mac', value: '44:4c:49:4e:4b:37' });
    expect(chassisIdOf(4, text('+A;B=C')).subtype).toBe('mac');
  });

  it.each(['vmnic2', 'eth101', 'ens192'])('are not what a host means by "%s" under their subtype', (name) => {
    expect(chassisIdOf(4, text(name))).toEqual({ subtype: 'unknown', value: name });
  });

  it.each(['vmnic12', 'not a mac', '', '346288XXYYZZ'])('that are none, like "%s", are no MAC address', (value) => {
    expect(chassisIdOf(4, text(value))).toEqual({ subtype: 'unknown', value });
  });
});

describe('network addresses', () => {
  it.each([
    [[1, 10, 169, 133, 8], '10.169.133.8'],
    [[10, 169, 133, 8], '10.169.133.8'],
    [[2, 0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], '2001:db8::1'],
    [[0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], 'fe80::1'],
    [[...Buffer.from('10.169.133.8')], '10.169.133.8'],
    [[...Buffer.from('2001:DB8:0:0:0:0:0:1')], '2001:db8::1'],
  ])('%j is %s', (octets, value) => {
    expect(chassisIdOf(5, Uint8Array.from(octets))).toEqual({ subtype: 'network', value });
    expect(portIdOf(4, Uint8Array.from(octets))).toEqual({ subtype: 'network', value });
  });

  it('of another family are shown in hexadecimal', () => {
    expect(chassisIdOf(5, Uint8Array.of(16, 1, 2))).toEqual({ subtype: 'unknown', value: '10:01:02' });
  });
});

describe('text', () => {
  it('of the local subtype may be a number of four octets', () => {
    expect(portIdOf(7, Uint8Array.of(0, 0, 2, 2))).toEqual({ subtype: 'local', value: '514' });
    expect(portIdOf(7, Uint8Array.of(255, 255, 255, 255))).toEqual({ subtype: 'local', value: '4294967295' });
    expect(portIdOf(7, text('eth0'))).toEqual({ subtype: 'local', value: 'eth0' });
    expect(portIdOf(7, text('0502'))).toEqual({ subtype: 'local', value: '0502' });
  });

  it('loses its padding', () => {
    expect(portIdOf(7, text('1/26\0'))).toEqual({ subtype: 'local', value: '1/26' });
    expect(portIdOf(5, text('Eth 1/1 \0\0'))).toEqual({ subtype: 'ifname', value: 'Eth 1/1' });
  });

  it('that is none is shown in hexadecimal', () => {
    expect(portIdOf(5, Uint8Array.of(0xff, 0xfe, 0x41))).toEqual({ subtype: 'ifname', value: 'ff:fe:41' });
    expect(portIdOf(7, MAC)).toEqual({ subtype: 'local', value: MAC_TEXT });
    expect(portIdOf(5, text('a\x1b[2Jb'))).toEqual({ subtype: 'ifname', value: '61:1b:5b:32:4a:62' });
    expect(portIdOf(5, Uint8Array.of(0, 0))).toEqual({ subtype: 'ifname', value: '00:00' });
  });

  it('keeps no character that is invisible or turns the line round', () => {
    expect(portIdOf(5, text('a\u202eb\u200bc')).value).toBe('a\ufffdb\ufffdc');
    expect(portIdOf(5, text('a\u009bb')).value).toBe('a\ufffdb');
  });

  it('is at most 255 characters long', () => {
    expect(portIdOf(7, text('x'.repeat(5000))).value).toHaveLength(255);
    expect(portIdOf(7, new Uint8Array(5000).fill(0xff)).value).toHaveLength(255);
  });
});

it('is total: any octets under any subtype give a short, printable value', () => {
  fc.assert(
    fc.property(fc.option(fc.integer({ min: -1, max: 300 })), fc.uint8Array({ maxLength: 300 }), (subtype, octets) => {
      for (const id of [chassisIdOf(subtype, octets), portIdOf(subtype, octets)]) {
        expect(id.value.length).toBeLessThanOrEqual(255);
        expect(id.value).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        if (id.subtype === 'mac') expect(id.value).toMatch(/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/);
      }
    }),
  );
});
