import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  indexOf,
  integerOf,
  macAddressOf,
  objectIdOf,
  octetsOf,
  textOf,
  truthOf,
  undecoded,
  unsignedOf,
} from '../../../drivers/mib/decode.ts';
import { OID, objectName } from '../../../drivers/mib/oids.ts';
import type { VarBind } from '../../../drivers/snmp/session-types.ts';
import { integer, octets } from '../../support/snmp-values.ts';

const anything = fc.record({
  oid: fc.constant('1.3'),
  type: fc.constantFrom('Integer', 'OctetString', 'ObjectIdentifier', 'Counter64', 'Null', 'noSuchInstance', 'Opaque'),
  value: fc.oneof(fc.double(), fc.bigInt(), fc.string(), fc.uint8Array(), fc.constant(null)),
}) as fc.Arbitrary<VarBind>;

describe('values', () => {
  it('are decoded or null, never an exception', () => {
    fc.assert(
      fc.property(fc.option(anything, { nil: undefined }), (value) => {
        for (const decode of [integerOf, unsignedOf, truthOf, octetsOf, objectIdOf, macAddressOf]) decode(value);
        expect(textOf(value).length).toBeLessThanOrEqual(255);
        const number = integerOf(value);
        expect(number === null || Number.isSafeInteger(number)).toBe(true);
      }),
    );
  });

  it('are numbers of every integer type, and of no other', () => {
    expect(integerOf({ oid: '1', type: 'Counter64', value: 5n })).toBe(5);
    expect(integerOf({ oid: '1', type: 'Counter64', value: 2n ** 63n })).toBeNull();
    expect(integerOf({ oid: '1', type: 'OctetString', value: 7 })).toBeNull();
    expect(unsignedOf(integer('1', -1))).toBeNull();
    expect([1, 2, 0].map((n) => truthOf(integer('1', n)))).toEqual([true, false, null]);
  });

  it('are text without what agents leave at its end', () => {
    expect(textOf(octets('1', 'default\0\0'))).toBe('default');
    expect(textOf(octets('1', 'Eth1/1\r\n'))).toBe('Eth1/1');
    expect(textOf(octets('1', 'a\u001b[31mb'))).toBe('a\ufffd[31mb');
    expect(textOf(integer('1', 5))).toBe('');
  });

  it.each([
    [[0xb0, 0x8b, 0xd0, 1, 2, 3], 'b0:8b:d0:01:02:03'],
    ['B0-8B-D0-01-02-03', 'b0:8b:d0:01:02:03'],
    ['abcdef', '61:62:63:64:65:66'],
    [[0, 0, 0, 0, 0, 0], null],
    [[1, 2, 3], null],
    ['', null],
  ] as const)('MAC address %j', (value, mac) => {
    expect(macAddressOf(octets('1', value))).toBe(mac);
  });
});

describe('an index', () => {
  it.each([
    ['0.100', 2, [0, 100]],
    ['4294967295', 1, [4294967295]],
    ['4294967296', 1, null],
    ['1.2', 1, null],
    ['', 1, null],
    ['1e3', 1, null],
    ['-1', 1, null],
  ] as const)('%s of %d', (index, count, numbers) => {
    expect(indexOf(index, count)).toEqual(numbers);
  });
});

describe('objects', () => {
  it('are called by their names', () => {
    expect(objectName(`${OID.dot1qPvid}.12`)).toBe('dot1qPvid.12');
    expect(objectName(OID.ifName)).toBe('ifName');
    expect(objectName(`${OID.dot1qPvid}5`)).toBe(`${OID.dot1qPvid}5`);
    expect(objectName(`1.${'9'.repeat(500)}`)).toHaveLength(128);
  });

  it('have OIDs of their own, none inside another', () => {
    const oids = Object.values(OID);
    expect(oids.filter((a) => oids.some((b) => b !== a && b.startsWith(`${a}.`)))).toEqual([]);
    expect(new Set(oids).size).toBe(oids.length);
  });

  it('with values of a wrong type are named, three at most', () => {
    const column = new Map([1, 2, 3, 4, 5].map((i) => [String(i), integer('x', i)]));
    expect(undecoded(OID.ifName, column, 'a text', octetsOf)).toEqual([
      'ifName.1 is Integer 1, not a text',
      'ifName.2 is Integer 2, not a text',
      'ifName.3 is Integer 3, not a text',
      '2 more values of ifName are not a text',
    ]);
    const missing = new Map([['1', { oid: 'x', type: 'noSuchInstance' as const, value: null }]]);
    expect(undecoded(OID.ifName, missing, 'a text', octetsOf)).toEqual([]);
  });
});
