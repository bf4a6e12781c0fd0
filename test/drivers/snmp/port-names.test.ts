import { describe, expect, it } from 'vitest';
import type { InterfaceRow } from '../../../drivers/mib/facts.ts';
import { type NamingContext, namePorts } from '../../../drivers/snmp/port-names.ts';
import { interfaceRow } from '../../support/snmp-switch.ts';

const row = (ifIndex: number, ifName: string, more: Partial<InterfaceRow> = {}) =>
  interfaceRow(ifIndex, ifName, { ifDescr: '', ...more });
const name = (rows: InterfaceRow[], context: Partial<NamingContext> = {}) => {
  const { ports, problems } = namePorts(rows, {
    bridged: new Set(),
    aggregates: new Set(),
    namesIncomplete: false,
    ...context,
  });
  return { ports: ports.map((p) => [p.row.ifIndex, p.name, p.kind, p.aliases] as const), problems };
};

describe('the name of a port', () => {
  it('is ifName; ifDescr is another', () => {
    expect(name([row(1, 'gi1/0/1', { ifDescr: 'GigabitEthernet1/0/1' })]).ports).toEqual([
      [1, 'gi1/0/1', 'physical', ['GigabitEthernet1/0/1']],
    ]);
  });

  it('is ifDescr where there is no ifName', () => {
    expect(name([row(1, '', { ifDescr: 'Port 1' })]).ports).toEqual([[1, 'Port 1', 'physical', []]]);
  });

  it('is not ifDescr when ifName may only be missing', () => {
    const { ports, problems } = name([row(1, '', { ifDescr: 'Port 1' }), row(2, 'swp2')], { namesIncomplete: true });
    expect(ports.map((p) => p[1])).toEqual(['swp2']);
    expect(problems).toEqual(['interface 1 has no name that could be read; it is left out']);
  });

  it('is the name of one port, or of none', () => {
    const { ports, problems } = name([row(1, 'LAG'), row(2, 'LAG'), row(3, 'swp3')]);
    expect(ports.map((p) => p[0])).toEqual([3]);
    expect(problems).toEqual([expect.stringContaining('2 ports are called "LAG"')]);
  });

  it('may be that of an interface that is no port', () => {
    expect(name([row(1, '1'), row(900, '1', { ifType: 24 })]).ports.map((p) => p[0])).toEqual([1]);
  });

  it('is no alias of another port', () => {
    const { ports } = name([
      row(1, 'a', { ifDescr: 'b' }),
      row(2, 'b', { ifDescr: 'same' }),
      row(3, 'c', { ifDescr: 'same' }),
    ]);
    expect(ports.map((p) => p[3])).toEqual([[], [], []]);
  });

  it('is missed in at most eight sentences', () => {
    const rows = Array.from({ length: 50 }, (_, i) => row(i + 1, ''));
    const { problems } = name(rows);
    expect([problems.length, problems[7]]).toEqual([8, '43 more ports are left out']);
  });
});

describe('ports', () => {
  it('are Ethernet and aggregates, and whatever is in the bridge', () => {
    const rows = [
      row(1, 'fe', { ifType: 62 }),
      row(2, 'ge', { ifType: 117 }),
      row(3, 'ag', { ifType: 161 }),
      row(4, 'po1', { ifType: 53 }),
      row(5, 'Vlan1', { ifType: 136 }),
      row(6, 'vxlan', { ifType: 53 }),
      row(7, 'onu', { ifType: 1 }),
      row(8, 'x', { ifType: null }),
      row(9, 'bond0'),
    ];
    const { ports } = name(rows, { bridged: new Set([7, 8]), aggregates: new Set([9]) });
    expect(ports.map((p) => [p[0], p[2]])).toEqual([
      [1, 'physical'],
      [2, 'physical'],
      [3, 'lag'],
      [4, 'lag'],
      [7, 'other'],
      [8, 'other'],
      [9, 'lag'],
    ]);
  });

  it('are not the slots of absent stack units, which have the MAC address of the switch', () => {
    const base = { macAddress: '02:00:00:00:00:01', operStatus: 6 };
    const slots = [20, 21, 22].map((i) => row(i, `gi2/0/${i}`, base));
    const cage = row(2, 'te1/0/1', { macAddress: '02:00:00:00:00:03', operStatus: 6 });
    expect(name([row(1, 'gi1/0/1'), cage, ...slots]).ports.map((p) => p[0])).toEqual([1, 2]);
  });

  it('are all there where every port has the same MAC address', () => {
    const same = { macAddress: '02:00:00:00:00:01' };
    const rows = [row(1, 'a', same), ...[2, 3, 4].map((i) => row(i, `p${i}`, { ...same, operStatus: 6 }))];
    expect(name(rows).ports).toHaveLength(4);
  });
});
