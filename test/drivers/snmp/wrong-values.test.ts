import { describe, expect, it } from 'vitest';
import { OID } from '../../../drivers/mib/oids.ts';
import { PRIVATE_VLAN_MIBS } from '../../../drivers/mib/vlan-readers.ts';
import { readSwitch, type SnmpReading } from '../../../drivers/snmp/read.ts';
import type { VarBind } from '../../../drivers/snmp/session-types.ts';
import { MemorySnmp } from '../../support/memory-snmp.ts';
import { interfaceValues, portList, switchValues } from '../../support/snmp-switch.ts';
import { integer, objectId, octets } from '../../support/snmp-values.ts';

/** Values that no object of the VLAN tables has. */
const WRONG: readonly Omit<VarBind, 'oid'>[] = [
  { type: 'Null', value: null },
  { type: 'OctetString', value: Buffer.from('bogus') },
  { type: 'Integer', value: -1 },
  { type: 'Integer', value: 2 ** 31 - 1 },
  { type: 'Counter64', value: 2n ** 64n - 1n },
  { type: 'ObjectIdentifier', value: '1.3.6.1' },
  { type: 'IpAddress', value: '192.0.2.1' },
];
const VTP = '1.3.6.1.4.1.9.9.46.1';
const TPLINK = '1.3.6.1.4.1.11863.6.14.1';
const L2IF = '1.3.6.1.4.1.2011.5.25.42';
const FOUNDRY = '1.3.6.1.4.1.1991.1.1.3';
const VPA = '1.3.6.1.4.1.6486.801.1.2.1.3.1.1';

const ports = (enterprise: number) => [
  objectId(`${OID.sysObjectID}.0`, `1.3.6.1.4.1.${enterprise}.1`),
  ...[1, 2, 3].flatMap((i) => interfaceValues(i, `1/0/${i}`)),
];
const bitmap = (ids: readonly number[]) => [
  ...portList(
    ids.map((id) => id + 1),
    128,
  ),
];

const SWITCHES: Readonly<Record<string, readonly VarBind[]>> = {
  'Q-BRIDGE-MIB, configured': switchValues({
    ports: 4,
    fixed: { 1: { egress: [4], untagged: [4] }, 10: { egress: [1, 2, 3], untagged: [1, 2] }, 20: { egress: [2, 3] } },
    pvid: { 1: 10, 2: 10, 3: 1, 4: 1 },
    frameTypes: { 1: 1, 2: 1, 3: 2, 4: 1 },
    ingressFiltering: { 1: 1, 2: 1, 3: 1, 4: 1 },
  }),
  'Q-BRIDGE-MIB, operational': switchValues({
    ports: 3,
    current: { 10: { egress: [1, 2], untagged: [1, 2] }, 20: { egress: [2, 3], untagged: [3] } },
    pvid: { 1: 10, 2: 10, 3: 20 },
  }),
  Cisco: [
    ...ports(9),
    ...[10, 20].flatMap((id) => [
      integer(`${VTP}.3.1.1.2.1.${id}`, 1),
      integer(`${VTP}.3.1.1.3.1.${id}`, 1),
      octets(`${VTP}.3.1.1.4.1.${id}`, `v${id}`),
    ]),
    ...[1, 2, 3].flatMap((i) => [
      integer(`${VTP}.6.1.1.13.${i}`, i === 2 ? 1 : 2),
      integer(`${VTP}.6.1.1.5.${i}`, 10),
      integer(`${VTP}.6.1.1.16.${i}`, 4),
      ...[4, 17, 18, 19].map((column) =>
        octets(`${VTP}.6.1.1.${column}.${i}`, bitmap(column === 4 ? [10, 20] : column === 17 ? [6] : [])),
      ),
    ]),
    integer('1.3.6.1.4.1.9.9.68.1.2.2.1.2.1', 10),
    integer('1.3.6.1.4.1.9.9.68.1.2.2.1.2.3', 20),
    ...[1, 3].flatMap((i) => [
      integer(`1.3.6.1.4.1.9.9.68.1.2.2.1.1.${i}`, 1),
      integer(`1.3.6.1.4.1.9.9.68.1.5.1.1.1.${i}`, i === 1 ? 4096 : 10),
      integer(`1.3.6.1.4.1.9.9.151.1.1.1.1.2.${i}`, 2),
      integer(`1.3.6.1.4.1.9.9.173.1.2.3.1.1.${i}`, 1),
      integer(`${VTP}.6.1.1.29.${i}`, 3),
    ]),
    integer('1.3.6.1.4.1.9.9.151.1.1.1.1.2.4', 1),
    ...interfaceValues(4, '1/0/4'),
  ],
  FastIron: [
    ...ports(1991),
    ...[1, 2, 3].map((i) => integer(`${FOUNDRY}.3.5.1.4.${i}`, i === 1 ? 2 : i === 2 ? 1 : 3)),
    integer(`${FOUNDRY}.3.5.1.24.3`, 10),
    ...[10, 20].map((id) => octets(`${FOUNDRY}.2.7.1.21.${id}`, `v${id}`)),
    ...[
      [10, 1, 2],
      [10, 2, 1],
      [20, 2, 1],
      [10, 3, 2],
      [20, 3, 1],
    ].map(([vlan, port, tagging]) => integer(`${FOUNDRY}.2.6.1.4.${vlan}.${port}`, tagging ?? 0)),
  ],
  rcVlan: [
    ...ports(45),
    ...[1, 2, 3].flatMap((i) => [
      integer(`1.3.6.1.4.1.2272.1.3.3.1.7.${i}`, i === 3 ? 20 : 10),
      integer(`1.3.6.1.4.1.2272.1.3.3.1.8.${i}`, i === 2 ? 4 : 2),
    ]),
    ...[10, 20].flatMap((id) => [
      octets(`1.3.6.1.4.1.2272.1.3.2.1.2.${id}`, `v${id}`),
      octets(`1.3.6.1.4.1.2272.1.3.2.1.11.${id}`, [...portList(id === 10 ? [2, 3] : [3, 4])]),
    ]),
  ],
  'TP-Link': [
    ...ports(11863),
    ...[1, 2, 3].flatMap((i) => [
      octets(`${TPLINK}.1.1.1.1.${i}`, `1/0/${i}`),
      integer(`${TPLINK}.1.1.1.2.${i}`, i === 3 ? 20 : 10),
      integer(`${TPLINK}.1.1.1.3.${i}`, 1),
    ]),
    ...[10, 20].flatMap((id) => [
      octets(`${TPLINK}.2.1.1.2.${id}`, `v${id}`),
      octets(`${TPLINK}.2.1.1.3.${id}`, id === 20 ? '1/0/2' : ''),
      octets(`${TPLINK}.2.1.1.4.${id}`, id === 10 ? '1/0/1-2' : '1/0/3'),
    ]),
  ],
  'Alcatel-Lucent': [
    ...ports(6486),
    octets(`${VPA}.1.1.1.1.2.10`, 'v10'),
    ...[
      [10, 1, 1],
      [10, 2, 1],
      [20, 2, 2],
      [20, 3, 1],
    ].map(([vlan, port, type]) => integer(`${VPA}.2.1.1.3.${vlan}.${port}`, type ?? 0)),
  ],
  Huawei: [
    ...ports(2011),
    octets(`${L2IF}.3.1.1.1.1.2.10`, 'v10'),
    ...[1, 2, 3].flatMap((i) => [
      integer(`${L2IF}.1.1.1.3.1.2.${i}`, i),
      integer(`${L2IF}.1.1.1.3.1.3.${i}`, i),
      integer(`${L2IF}.1.1.1.3.1.4.${i}`, i === 3 ? 20 : 10),
    ]),
    octets(`${L2IF}.1.1.1.10.1.2.1`, bitmap([10, 20])),
    octets(`${L2IF}.1.1.1.10.1.3.1`, bitmap([1])),
    ...[2, 3, 4, 5].map((column) =>
      octets(`${L2IF}.1.1.1.9.1.${column}.3`, bitmap(column === 2 ? [10] : column === 4 ? [20] : [])),
    ),
  ],
};

const read = (values: readonly VarBind[]) => readSwitch(new MemorySnmp(values), { private: PRIVATE_VLAN_MIBS });
const shown = (reading: SnmpReading) =>
  new Map(
    reading.ports.map(({ ifIndex, switchport: s }) => [
      ifIndex,
      s.mode === 'other' ? 'other' : `${s.mode} ${s.nativeVlan} ${s.taggedVlans}/${s.extraUntaggedVlans}`,
    ]),
  );
/** The tables that say what a port carries: names, ENTITY-MIB and the like are others. */
const isVlanTable = (oid: string) =>
  /^1\.3\.6\.1\.2\.1\.17\.|^1\.3\.6\.1\.4\.1\.(9|45|1991|2011|2272|6486|11863)\./.test(oid) && !NAMES.test(oid);
/** A name says nothing of what passes; one that is no text is no name. */
const NAMES =
  /^1\.3\.6\.1\.2\.1\.17\.7\.1\.4\.3\.1\.1\.|\.46\.1\.3\.1\.1\.4\.|\.2272\.1\.3\.2\.1\.2\.|\.1991\.1\.1\.3\.2\.7\.1\.21\./;

describe('one value of a VLAN table that is none', () => {
  it.each(Object.keys(SWITCHES))('makes no port look like another: %s', async (name) => {
    const values = SWITCHES[name] ?? [];
    const whole = shown(await read(values));
    expect([...whole.values()].filter((port) => /^(access|trunk|hybrid) /.test(port)).length).toBeGreaterThan(0);
    const lies: string[] = [];
    let tried = 0;
    for (const [at, { oid, type }] of values.entries()) {
      if (!isVlanTable(oid)) continue;
      for (const wrong of WRONG) {
        if (wrong.type === type && wrong.type !== 'Integer') continue;
        // An interface that does not exist is what agents say of bridge ports without one.
        if (wrong.value === 2 ** 31 - 1 && oid.startsWith(OID.dot1dBasePortIfIndex)) continue;
        const after = shown(await read(values.with(at, { oid, ...wrong })));
        tried++;
        for (const [ifIndex, port] of after)
          if (port !== 'other' && port !== whole.get(ifIndex))
            lies.push(`${oid} = ${wrong.type} ${wrong.value}: ${ifIndex} ${whole.get(ifIndex)} -> ${port}`);
      }
    }
    expect(lies).toEqual([]);
    expect(tried).toBeGreaterThan(20);
  });
});
