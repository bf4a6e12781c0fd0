import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTrap, readTrapV1 } from '../../../drivers/mib/traps.ts';

const TRAP_OID = '1.3.6.1.6.3.1.1.4.1.0';
const trap = (oid: string, ...rest: { oid: string; value: string | number }[]) =>
  readTrap([{ oid: '1.3.6.1.2.1.1.3.0', value: 1 }, { oid: TRAP_OID, value: oid }, ...rest]);

describe('a notification', () => {
  it('of a link names its interface by the instance of any interface object', () => {
    expect(trap('1.3.6.1.6.3.1.1.5.3', { oid: '1.3.6.1.2.1.2.2.1.1.12', value: 12 })).toEqual({
      kind: 'linkDown',
      oid: '1.3.6.1.6.3.1.1.5.3',
      ifIndex: 12,
    });
    expect(trap('1.3.6.1.6.3.1.1.5.4', { oid: '1.3.6.1.2.1.2.2.1.2.10101', value: 'Gi1/0/1' })).toMatchObject({
      kind: 'linkUp',
      ifIndex: 10_101,
    });
  });

  it('of a link without an interface, with two, or with one out of range names none', () => {
    expect(trap('1.3.6.1.6.3.1.1.5.3').ifIndex).toBeNull();
    const two = [7, 8].map((value) => ({ oid: `1.3.6.1.2.1.2.2.1.1.${value}`, value }));
    expect(trap('1.3.6.1.6.3.1.1.5.3', ...two).ifIndex).toBeNull();
    expect(trap('1.3.6.1.6.3.1.1.5.3', { oid: '1.3.6.1.2.1.2.2.1.1.4294967295', value: 1 }).ifIndex).toBeNull();
    expect(trap('1.3.6.1.6.3.1.1.5.3', { oid: '1.3.6.1.2.1.2.2.1.1.0', value: 0 }).ifIndex).toBeNull();
  });

  it('of a restart, of LLDP and of anything else names no interface', () => {
    const port = { oid: '1.3.6.1.2.1.2.2.1.1.12', value: 12 };
    for (const [oid, kind] of [
      ['1.3.6.1.6.3.1.1.5.1', 'coldStart'],
      ['1.3.6.1.6.3.1.1.5.2', 'warmStart'],
      ['1.0.8802.1.1.2.0.0.1', 'lldpRemTablesChange'],
      ['1.3.6.1.4.1.9.9.41.2.0.1', 'other'],
      ['constructor', 'other'],
    ] as const)
      expect(trap(oid, port)).toMatchObject({ kind, ifIndex: null });
    expect(readTrap([]).kind).toBe('other');
  });

  it('of version 1 has its kind as a number', () => {
    const port = { oid: '1.3.6.1.2.1.2.2.1.8.3', value: 2 };
    expect(readTrapV1(2, '1.3.6.1.4.1.9', [port])).toMatchObject({ kind: 'linkDown', ifIndex: 3 });
    expect(readTrapV1(3, '1.3.6.1.4.1.9', [port])).toMatchObject({ kind: 'linkUp', ifIndex: 3 });
    expect(readTrapV1(6, '1.3.6.1.6.3.1.1.5.3', [])).toMatchObject({ kind: 'linkDown', ifIndex: null });
    expect(readTrapV1(6, '1.3.6.1.4.1.9', [port])).toMatchObject({ kind: 'other' });
    expect(readTrapV1(Number.NaN, '', [])).toMatchObject({ kind: 'other' });
  });

  it('of any content is read without an error, and bounded', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ oid: fc.string(), value: fc.oneof(fc.string(), fc.integer()) })), (varbinds) => {
        const { oid, ifIndex } = readTrap([{ oid: TRAP_OID, value: 'x'.repeat(9999) }, ...varbinds]);
        expect(oid.length).toBeLessThanOrEqual(128);
        expect(ifIndex).toBeNull();
      }),
    );
  });
});
