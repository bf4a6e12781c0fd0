import { describe, expect, it } from 'vitest';
import type { InterfaceRow } from '../../../drivers/mib/facts.ts';
import type { LldpLocalPort } from '../../../drivers/mib/lldp-table.ts';
import type { IdSubtype } from '../../../drivers/model/neighbor.ts';
import { type LocalPorts, resolveLocalPorts } from '../../../drivers/snmp/local-port.ts';
import { interfaceRow } from '../../support/snmp-switch.ts';

function local(value: string, description = '', subtype: IdSubtype = 'unknown'): LldpLocalPort {
  return { id: { subtype, value }, description };
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

interface Given {
  readonly numbers: readonly number[];
  readonly localPorts?: readonly (readonly [number, LldpLocalPort])[];
  readonly interfaces: readonly InterfaceRow[];
  readonly bridgePorts?: readonly (readonly [number, number])[];
  readonly numbersAreIfIndexes?: boolean;
  readonly localPortsWhole?: boolean;
}

function resolve(given: Given): LocalPorts {
  const { numbers, localPorts = [], interfaces, bridgePorts = [] } = given;
  const { numbersAreIfIndexes = false, localPortsWhole = true } = given;
  return resolveLocalPorts({
    numbers: new Set(numbers),
    localPorts: new Map(localPorts),
    interfaces,
    bridgePorts: new Map(bridgePorts),
    numbersAreIfIndexes,
    localPortsWhole,
  });
}

/** Ports 1 to 8 with ifIndex 1 to 8, on which bridge port n is ifIndex n + 1: every number exists by both meanings. */
const SHIFTED = {
  interfaces: range(1, 8).map((i) => interfaceRow(i, `Eth${i}`)),
  bridgePorts: range(1, 7).map((n) => [n, n + 1] as const),
};

describe('when lldpLocPortId is the name of an interface', () => {
  it('the number is what that row says, whatever the number is', () => {
    const found = resolve({
      numbers: [14, 49],
      localPorts: [
        [14, local('Gi0/0/14')],
        [49, local('XGi0/0/1')],
      ],
      interfaces: [
        interfaceRow(19, 'Gi0/0/14'),
        interfaceRow(14, 'Gi0/0/9'),
        interfaceRow(49, 'Gi0/0/44'),
        interfaceRow(54, 'XGi0/0/1'),
      ],
      bridgePorts: [
        [14, 19],
        [49, 50],
      ],
    });
    expect([...found.ifIndexes]).toEqual([
      [14, 19],
      [49, 54],
    ]);
    expect(found.doubts.size).toBe(0);
  });

  it('ifDescr will do, and ifName goes before it', () => {
    const found = resolve({
      numbers: [203],
      localPorts: [[203, local('4/11')]],
      interfaces: [
        interfaceRow(40203, '', { ifDescr: '4/11', ifType: 261 }),
        interfaceRow(100203, '4/11', { ifDescr: '10GigEthernet 4/11' }),
      ],
    });
    expect(found.ifIndexes.get(203)).toBe(100203);
  });

  it('a port without a row follows the meaning that the others bear out: bridge port', () => {
    const found = resolve({ ...SHIFTED, numbers: [2, 3], localPorts: [[2, local('Eth3')]] });
    expect([...found.ifIndexes]).toEqual([
      [2, 3],
      [3, 4],
    ]);
  });

  it('a port without a row follows the meaning that the others bear out: ifIndex', () => {
    const found = resolve({ ...SHIFTED, numbers: [2, 3], localPorts: [[2, local('Eth2')]] });
    expect([...found.ifIndexes]).toEqual([
      [2, 2],
      [3, 3],
    ]);
  });

  it('a port without a row stays in doubt when no meaning fits the others', () => {
    const found = resolve({ ...SHIFTED, numbers: [2, 3], localPorts: [[2, local('Eth7')]] });
    expect([...found.ifIndexes]).toEqual([[2, 7]]);
    expect([...found.doubts.keys()]).toEqual([3]);
  });

  it('two rows with the same name settle nothing', () => {
    const found = resolve({
      numbers: [101, 102],
      localPorts: [
        [101, local('Eth1')],
        [102, local('Eth1')],
      ],
      interfaces: [interfaceRow(1, 'Eth1'), interfaceRow(2, 'Eth2')],
    });
    expect(found.ifIndexes.size).toBe(0);
    expect(found.doubts.size).toBe(2);
  });

  it('a name goes before what somebody typed on another port', () => {
    const found = resolve({
      ...SHIFTED,
      interfaces: SHIFTED.interfaces.map((row) => (row.ifIndex === 5 ? { ...row, ifAlias: 'to core' } : row)),
      numbers: [3, 5],
      localPorts: [
        [3, local('x', 'to core')],
        [5, local('Eth5')],
      ],
    });
    expect([...found.ifIndexes]).toEqual([
      [3, 3],
      [5, 5],
    ]);
  });

  it('a name that two interfaces have settles nothing', () => {
    const found = resolve({
      numbers: [101],
      localPorts: [[101, local('port')]],
      interfaces: [interfaceRow(1, 'port'), interfaceRow(2, 'port')],
    });
    expect(found.ifIndexes.size).toBe(0);
  });

  it('a VLAN interface of that name is not meant', () => {
    const found = resolve({
      numbers: [1],
      localPorts: [[1, local('lan1')]],
      interfaces: [interfaceRow(30, 'lan1', { ifType: 135 }), interfaceRow(7, 'lan1')],
    });
    expect(found.ifIndexes.get(1)).toBe(7);
  });
});

describe('when lldpLocPortTable is not certain', () => {
  it('ID and description that lead to the same interface are enough together', () => {
    // The numbers go on at 257 for the second unit, where neither meaning leads anywhere.
    const found = resolve({
      numbers: [1, 257],
      localPorts: [
        [1, local('1001', 'XNI 1/1/1', 'local')],
        [257, local('2001', 'XNI 1/2/1', 'local')],
      ],
      interfaces: [
        interfaceRow(1001, '1/1/1', { ifDescr: 'XNI 1/1/1' }),
        interfaceRow(2001, '1/2/1', { ifDescr: 'XNI 1/2/1' }),
      ],
      bridgePorts: [[1, 1001]],
    });
    expect([...found.ifIndexes]).toEqual([
      [1, 1001],
      [257, 2001],
    ]);
  });

  it('a bare number is an ifIndex, as long as it is no name', () => {
    const found = resolve({
      numbers: [513],
      localPorts: [[513, local('513', '-', 'local')]],
      interfaces: [interfaceRow(513, 'ge-0/0/0')],
      bridgePorts: [[513, 514]],
    });
    expect(found.ifIndexes.get(513)).toBe(513);
  });

  it('a bare number that is the name of one interface and the ifIndex of another says nothing', () => {
    const found = resolve({
      numbers: [5],
      localPorts: [[5, local('6')]],
      interfaces: [interfaceRow(5, '7'), interfaceRow(6, '8'), interfaceRow(7, '6')],
      bridgePorts: [[5, 7]],
    });
    expect(found.ifIndexes.size).toBe(0);
    expect(found.doubts.get(5)).toMatch(/ifIndex it is interface 5.*bridge port it is interface 7/);
  });

  it('a MAC address that one interface has bears out a meaning', () => {
    const mac = (i: number) => `00:11:22:33:44:0${i}`;
    const found = resolve({
      ...SHIFTED,
      interfaces: SHIFTED.interfaces.map((row) => ({ ...row, macAddress: mac(row.ifIndex) })),
      numbers: [3],
      localPorts: range(1, 7).map((n) => [n, local(mac(n + 1), '', 'mac')]),
    });
    expect([...found.ifIndexes]).toEqual([[3, 4]]);
  });

  it('a description that somebody typed does not move a neighbour to another port', () => {
    const found = resolve({
      interfaces: range(1, 9).map((i) => interfaceRow(i, `Eth${i}`, { ifAlias: `room ${i}` })),
      numbers: [3, 4],
      localPorts: range(1, 8).map((n) => [n, local('x', n === 3 ? 'Eth9' : `room ${n}`)]),
    });
    expect([...found.ifIndexes]).toEqual([[4, 4]]);
    expect(found.doubts.get(3)).toContain('lldpLocPortTable says interface 9');
  });

  it('an alias under the alias subtype is not taken for a name', () => {
    const found = resolve({
      ...SHIFTED,
      bridgePorts: [],
      numbers: [3],
      localPorts: [
        [3, local('Eth5', '', 'ifalias')],
        ...range(1, 8)
          .filter((n) => n !== 3 && n !== 5)
          .map((n) => [n, local(`Eth${n}`)] as const),
      ],
    });
    expect(found.ifIndexes.size).toBe(0);
  });

  it('many rows of one kind are believed where no meaning fits', () => {
    const found = resolve({
      numbers: [2],
      localPorts: range(1, 4).map((n) => [n, local('x', `port-${n}`)]),
      interfaces: range(1, 4).map((n) => interfaceRow(100 + n, `port-${n}`)),
    });
    expect(found.ifIndexes.get(2)).toBe(102);
  });
});

describe('when lldpLocPortTable says nothing', () => {
  it('both meanings may lead to the same interface', () => {
    const found = resolve({
      numbers: [3],
      interfaces: SHIFTED.interfaces,
      bridgePorts: range(1, 8).map((n) => [n, n] as const),
    });
    expect([...found.ifIndexes]).toEqual([[3, 3]]);
  });

  it('a number that both meanings have an interface for stays in doubt', () => {
    const found = resolve({ ...SHIFTED, numbers: [3] });
    expect(found.ifIndexes.size).toBe(0);
    expect(found.doubts.get(3)).toBe('as ifIndex it is interface 3, as bridge port it is interface 4');
  });

  it('one neighbour that a meaning has no interface for refutes it for all', () => {
    const found = resolve({ ...SHIFTED, numbers: [3, 8] });
    expect([...found.ifIndexes]).toEqual([
      [3, 3],
      [8, 8],
    ]);
  });

  it('a meaning that has no interface for most local ports is refuted', () => {
    const found = resolve({
      numbers: [50],
      localPorts: range(1, 52).map((n) => [n, local(`p${n}`)]),
      interfaces: range(49, 100).map((i) => interfaceRow(i, `gi${i}`)),
      bridgePorts: range(1, 52).map((n) => [n, n + 48] as const),
    });
    expect([...found.ifIndexes]).toEqual([[50, 98]]);
  });

  it('the ifIndexes of all local ports are convincing, those of one neighbour are not', () => {
    const interfaces = range(1, 8).map((i) => interfaceRow(i, `Eth${i}`));
    const rows = (to: number) => range(1, to).map((n) => [n, local(`port-00${n}`)] as const);
    expect([...resolve({ numbers: [3], interfaces, localPorts: rows(8) }).ifIndexes]).toEqual([[3, 3]]);
    expect(resolve({ numbers: [3], interfaces, localPorts: rows(9) }).ifIndexes.size).toBe(0);
    expect(resolve({ numbers: [3], interfaces, localPorts: rows(8), localPortsWhole: false }).ifIndexes.size).toBe(0);
    expect(resolve({ numbers: [3], interfaces }).doubts.get(3)).toContain('nothing shows whether');
  });

  it('a table that has ifIndexes by definition needs no more', () => {
    expect([...resolve({ ...SHIFTED, numbers: [3], numbersAreIfIndexes: true }).ifIndexes]).toEqual([[3, 3]]);
    const contradicted = {
      ...SHIFTED,
      numbers: [3],
      numbersAreIfIndexes: true,
      localPorts: [[2, local('Eth7')]] as const,
    };
    expect(resolve(contradicted).ifIndexes.size).toBe(0);
  });

  it('the ifIndex of a loopback or VLAN interface is none', () => {
    const found = resolve({
      numbers: [1, 2],
      interfaces: [interfaceRow(1, 'lo', { ifType: 24 }), interfaceRow(2, 'eth0')],
    });
    expect(found.ifIndexes.size).toBe(0);
  });

  it('an unknown number is left in doubt', () => {
    expect([...resolve({ numbers: [0], interfaces: SHIFTED.interfaces }).doubts.keys()]).toEqual([0]);
    expect([...resolve({ numbers: [7], interfaces: [] }).doubts.keys()]).toEqual([7]);
  });

  it('two bridge ports of one interface are in doubt', () => {
    const found = resolve({
      numbers: [1, 2, 3],
      interfaces: [interfaceRow(101, 'a'), interfaceRow(102, 'b')],
      bridgePorts: [
        [1, 101],
        [2, 101],
        [3, 102],
      ],
    });
    expect([...found.ifIndexes]).toEqual([[3, 102]]);
    expect([...found.doubts.keys()].sort()).toEqual([1, 2]);
  });
});
