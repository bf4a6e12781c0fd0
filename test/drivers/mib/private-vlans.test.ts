import { describe, expect, it } from 'vitest';
import { aosVlans } from '../../../drivers/mib/aos-vlan.ts';
import { ciscoVlans } from '../../../drivers/mib/cisco-vlan.ts';
import { huaweiVlans } from '../../../drivers/mib/huawei-vlan.ts';
import { readInterfaces } from '../../../drivers/mib/if-mib.ts';
import { rapidCityVlans } from '../../../drivers/mib/rapid-city-vlan.ts';
import { tplinkVlans } from '../../../drivers/mib/tplink-vlan.ts';
import type { SnmpSession } from '../../../drivers/snmp/session-types.ts';
import { switchportsOf } from '../../../drivers/snmp/switchports.ts';
import { MemorySnmp } from '../../support/memory-snmp.ts';
import { interfaceValues } from '../../support/snmp-switch.ts';
import { integer, octets } from '../../support/snmp-values.ts';

const VTP = '1.3.6.1.4.1.9.9.46.1';
const VM_VLAN = '1.3.6.1.4.1.9.9.68.1.2.2.1.2';

/** A bitmap in which bit n, from the most significant one of the first octet on, is set for each of `bits`. */
function bitmap(...bits: readonly number[]): number[] {
  const list: number[] = new Array(128).fill(0);
  for (const bit of bits) list[bit >> 3] = (list[bit >> 3] ?? 0) | (0x80 >> (bit & 7));
  return list;
}

async function switchports(session: SnmpSession, mib: typeof ciscoVlans, ports: readonly number[]) {
  const { rows } = await readInterfaces(session);
  const facts = await mib.read(session, new Map(), rows);
  if (facts === null) throw new Error('nothing was read');
  const context = { bridged: new Set(ports), bridgeIncomplete: null, up: new Set(ports), untaggedIsPvid: false };
  const read = switchportsOf(facts, ports, context);
  return {
    facts,
    shown: ports.map((i) => {
      const port = read.get(i);
      return port && [port.mode, port.nativeVlan, port.taggedVlans.toString(), port.detail];
    }),
  };
}

describe('VLANs of Cisco switches', () => {
  const vlan = (id: number, name: string, type = 1) => [
    integer(`${VTP}.3.1.1.2.1.${id}`, 1),
    integer(`${VTP}.3.1.1.3.1.${id}`, type),
    octets(`${VTP}.3.1.1.4.1.${id}`, name),
  ];
  const trunk = (ifIndex: number, state: number, native: number, ids: readonly number[]) => [
    integer(`${VTP}.6.1.1.13.${ifIndex}`, state),
    integer(`${VTP}.6.1.1.5.${ifIndex}`, native),
    integer(`${VTP}.6.1.1.16.${ifIndex}`, 4),
    ...[4, 17, 18, 19].map((column, i) =>
      octets(`${VTP}.6.1.1.${column}.${ifIndex}`, bitmap(...ids.filter((id) => id >> 10 === i).map((id) => id & 1023))),
    ),
  ];

  it('are access by vmVlan, trunks by their bitmaps, and nothing else is guessed', async () => {
    const session = new MemorySnmp([
      ...[1, 2, 3, 4, 5].flatMap((i) => interfaceValues(10_100 + i, `Gi1/0/${i}`)),
      ...vlan(1, 'default'),
      ...vlan(100, 'tenant'),
      ...vlan(1002, 'fddi-default', 2),
      ...trunk(10_101, 2, 1, [1, 2, 3]),
      integer(`${VM_VLAN}.10101`, 100),
      ...trunk(10_102, 1, 100, [100, 1000, 1023, 1024, 2047, 4094]),
      ...trunk(10_103, 5, 1, [200]),
      ...trunk(10_104, 4, 1, [200]),
      integer(`${VTP}.6.1.1.5.10105`, 7),
      integer(`${VTP}.6.1.1.13.10105`, 1),
    ]);
    const { facts, shown } = await switchports(session, ciscoVlans, [10_101, 10_102, 10_103, 10_104, 10_105]);
    expect([...facts.vlans.keys()]).toEqual([1, 100]);
    expect(shown).toEqual([
      ['access', 100, '', ''],
      ['trunk', 100, '1000,1023-1024,2047,4094', ''],
      ['trunk', null, '200', ''],
      ['other', 1, '', expect.stringContaining('neither access nor trunk')],
      ['other', null, '', expect.stringContaining('neither access nor trunk')],
    ]);
  });

  it('are not there on a switch without the MIB', async () => {
    expect(await ciscoVlans.read(new MemorySnmp([]), new Map(), new Map())).toBeNull();
  });
});

describe('VLANs of switches with rcVlan tables', () => {
  const port = (i: number, pvid: number, tagging: number) => [
    ...interfaceValues(i, `1/${i}`),
    integer(`1.3.6.1.4.1.2272.1.3.3.1.7.${i}`, pvid),
    integer(`1.3.6.1.4.1.2272.1.3.3.1.8.${i}`, tagging),
  ];
  const vlan = (id: number, members: readonly number[]) => [
    octets(`1.3.6.1.4.1.2272.1.3.2.1.2.${id}`, `v${id}`),
    octets(`1.3.6.1.4.1.2272.1.3.2.1.11.${id}`, bitmap(...members)),
  ];

  it('are tagged as the port tags all of them', async () => {
    const session = new MemorySnmp([
      ...port(1, 10, 2),
      ...port(2, 10, 4),
      ...port(3, 10, 1),
      ...port(4, 10, 9),
      // Interface 99 does not exist.
      ...vlan(10, [1, 2, 3, 4, 99]),
      ...vlan(20, [2, 3]),
    ]);
    const { facts, shown } = await switchports(session, rapidCityVlans, [1, 2, 3, 4]);
    expect([...(facts.vlans.get(10)?.egress ?? [])]).toEqual([1, 2, 3, 4]);
    expect(shown).toEqual([
      ['access', 10, '', ''],
      ['trunk', 10, '20', ''],
      ['other', null, '10,20', expect.stringContaining('sends them tagged')],
      ['other', null, '10', 'rcVlanPortPerformTagging is 9'],
    ]);
  });

  it('are not there on a switch without the MIB', async () => {
    expect(await rapidCityVlans.read(new MemorySnmp([]), new Map(), new Map())).toBeNull();
  });
});

describe('VLANs of TP-Link switches', () => {
  const BASE = '1.3.6.1.4.1.11863.6.14.1';
  const port = (n: number, pvid: number) => [
    ...interfaceValues(49_152 + n, `gigabitEthernet 1/0/${n}`),
    octets(`${BASE}.1.1.1.1.${49_152 + n}`, `1/0/${n}`),
    integer(`${BASE}.1.1.1.2.${49_152 + n}`, pvid),
    integer(`${BASE}.1.1.1.3.${49_152 + n}`, 1),
  ];
  const vlan = (id: number, tagged: string, untagged: string) => [
    octets(`${BASE}.2.1.1.2.${id}`, `v${id}`),
    octets(`${BASE}.2.1.1.3.${id}`, tagged),
    octets(`${BASE}.2.1.1.4.${id}`, untagged),
  ];
  const values = [1, 2, 3].flatMap((n) => port(n, n === 3 ? 20 : 10));

  it('are lists of port names', async () => {
    const session = new MemorySnmp([...values, ...vlan(10, '', '1/0/1-2'), ...vlan(20, '1/0/2-2', '1/0/3')]);
    const { shown } = await switchports(session, tplinkVlans, [49_153, 49_154, 49_155]);
    expect(shown).toEqual([
      ['access', 10, '', ''],
      ['trunk', 10, '20', ''],
      ['access', 20, '', ''],
    ]);
  });

  it('with a port that is none in a list are not believed', async () => {
    const session = new MemorySnmp([...values, ...vlan(10, 'LAG1', '1/0/1-3')]);
    const { shown } = await switchports(session, tplinkVlans, [49_153]);
    expect(shown).toEqual([['other', 10, '', expect.stringContaining('LAG1')]]);
  });
});

describe('VLANs of Alcatel-Lucent switches', () => {
  it('are a row for each VLAN of each port', async () => {
    const vpa = (vlan: number, ifIndex: number, type: number) =>
      integer(`1.3.6.1.4.1.6486.801.1.2.1.3.1.1.2.1.1.3.${vlan}.${ifIndex}`, type);
    const session = new MemorySnmp([
      ...[1001, 1002, 1003].flatMap((i) => interfaceValues(i, `1/1/${i - 1000}`)),
      octets('1.3.6.1.4.1.6486.801.1.2.1.3.1.1.1.1.1.2.10', 'tenant'),
      vpa(10, 1001, 1),
      vpa(10, 1002, 1),
      vpa(20, 1002, 2),
      vpa(10, 1003, 1),
      vpa(30, 1003, 4),
    ]);
    const { facts, shown } = await switchports(session, aosVlans, [1001, 1002, 1003]);
    expect(facts.vlans.get(10)?.name).toBe('tenant');
    expect(shown).toEqual([
      ['access', 10, '', ''],
      ['trunk', 10, '20', ''],
      ['other', 10, '30', expect.stringContaining('vpaType 4')],
    ]);
  });
});

describe('VLANs of Huawei switches', () => {
  it('are access by the type, and listed without a mode otherwise', async () => {
    const L2IF = '1.3.6.1.4.1.2011.5.25.42.1.1.1';
    const port = (n: number, type: number, pvid: number, passing: readonly number[]) => [
      ...interfaceValues(5 + n, `GigabitEthernet0/0/${n}`),
      integer(`${L2IF}.3.1.2.${n}`, 5 + n),
      integer(`${L2IF}.3.1.3.${n}`, type),
      integer(`${L2IF}.3.1.4.${n}`, pvid),
      octets(`${L2IF}.10.1.2.${n}`, bitmap(...passing)),
    ];
    const session = new MemorySnmp([
      octets('1.3.6.1.4.1.2011.5.25.42.3.1.1.1.1.2.33', 'dmz'),
      ...port(1, 2, 33, [33]),
      ...port(2, 3, 1, [1, 33, 34]),
    ]);
    const { facts, shown } = await switchports(session, huaweiVlans, [6, 7]);
    expect([...facts.vlans.keys()]).toEqual([33]);
    expect(shown).toEqual([
      ['access', 33, '', ''],
      ['other', 1, '33-34', expect.any(String)],
    ]);
  });
});
