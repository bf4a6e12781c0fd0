import { describe, expect, it } from 'vitest';
import { readIeee8021QBridge } from '../../../drivers/mib/ieee8021-q-bridge.ts';
import { OID } from '../../../drivers/mib/oids.ts';
import { readQBridge } from '../../../drivers/mib/q-bridge.ts';
import type { VarBind } from '../../../drivers/snmp/session-types.ts';
import { MemorySnmp } from '../../support/memory-snmp.ts';
import { bits, FlawedSnmp, portList, switchValues } from '../../support/snmp-switch.ts';
import { integer, octets } from '../../support/snmp-values.ts';

/** Bridge port n is interface 100 + n. */
const bridge = new Map([1, 2, 3, 4, 5, 6, 7, 8].map((port) => [port, 100 + port]));
const read = (values: readonly VarBind[], options = {}) => readQBridge(new MemorySnmp(values), bridge, options);
const staticLists = (id: number, egress: Uint8Array, untagged: Uint8Array) => [
  bits(`${OID.dot1qVlanStaticEgressPorts}.${id}`, egress),
  bits(`${OID.dot1qVlanStaticUntaggedPorts}.${id}`, untagged),
];
const text = (value: string) => new Uint8Array(Buffer.from(value));

describe('Q-BRIDGE-MIB', () => {
  it('says what is configured, and what operates', async () => {
    const tables = await read(
      switchValues({
        ports: 8,
        fixed: { 10: { egress: [1, 2, 8], untagged: [1, 2] } },
        current: { 10: { egress: [1, 8], untagged: [1] } },
        pvid: { 1: 10, 2: 10, 8: 0 },
        frameTypes: { 1: 1, 2: 1, 8: 2 },
        ingressFiltering: { 1: 1, 2: 2 },
      }),
    );
    expect(tables?.configured).toMatchObject({ source: 'dot1qVlanStaticTable', basis: 'configured', problems: [] });
    expect(tables?.operational).toMatchObject({ source: 'dot1qVlanCurrentTable', basis: 'operational', problems: [] });
    expect(tables?.configured?.vlans.get(10)).toEqual({
      id: 10,
      name: 'v10',
      egress: new Set([101, 102, 108]),
      untagged: new Set([101, 102]),
    });
    expect(tables?.operational?.vlans.get(10)).toMatchObject({ egress: new Set([101, 108]), untagged: new Set([101]) });
    const rows = [101, 102, 108].map((i) => tables?.ports.rows.get(i));
    expect(rows.map((r) => [r?.pvid, r?.taggedOnly, r?.ingressFiltering])).toEqual([
      [10, false, true],
      [10, false, false],
      [null, true, null],
    ]);
  });

  it('is not there when none of its columns is', async () => {
    expect(await read([])).toBeNull();
  });

  it('is read by one walk', async () => {
    const session = new MemorySnmp(switchValues({ ports: 8, fixed: { 10: { egress: [1] } } }));
    await readQBridge(session, bridge);
    expect(session.stats.requests).toBe(1);
  });

  it('has the VLAN second in the index of what operates: the newest mark counts', async () => {
    const current = (mark: number, ports: number[]) => [
      bits(`${OID.dot1qVlanCurrentEgressPorts}.${mark}.100`, portList(ports, 1)),
      bits(`${OID.dot1qVlanCurrentUntaggedPorts}.${mark}.100`, portList([], 1)),
    ];
    const tables = await read([...current(20, [1, 2]), ...current(3, [7]), ...current(1477422174, [4])]);
    expect([...(tables?.operational?.vlans ?? [])]).toEqual([
      [100, { id: 100, name: '', egress: new Set([104]), untagged: new Set() }],
    ]);
  });

  it.each(['10', '0.0', '0.4095', '0.70000', '1.2.10', '0.'])('takes no VLAN from the index %s', async (index) => {
    const tables = await read([bits(`${OID.dot1qVlanCurrentEgressPorts}.${index}`, portList([1]))]);
    expect(tables?.operational).toBeNull();
  });

  it('has names of VLANs whose members it does not show', async () => {
    const tables = await read([octets(`${OID.dot1qVlanStaticName}.7`, 'seven\0')]);
    expect([tables?.configured, tables?.names]).toEqual([null, new Map([[7, 'seven']])]);
  });

  it('has lists of any length; bits of ports that do not exist mean nothing', async () => {
    const long = new Uint8Array(5480).fill(0xff);
    const tables = await read([...staticLists(1, long, long.subarray(0, 1)), ...staticLists(2, text(''), text(''))]);
    expect(tables?.configured?.vlans.get(1)?.egress).toEqual(new Set(bridge.values()));
    expect(tables?.configured?.vlans.get(1)?.untagged).toEqual(new Set(bridge.values()));
    expect(tables?.configured?.vlans.get(2)?.egress).toEqual(new Set());
    expect(tables?.configured?.problems).toEqual([]);
  });

  it('has lists in text on some switches', async () => {
    const junos = await read([...staticLists(1, text('0,2,3'), text('3')), ...staticLists(2, text('4'), text(''))]);
    expect(junos?.configured?.vlans.get(1)).toMatchObject({ egress: new Set([102, 103]), untagged: new Set([103]) });
    expect(junos?.form).toBe('decimal');
    const sonic = await read(staticLists(1, text('c0 00'), text('0')));
    expect(sonic?.configured?.vlans.get(1)).toMatchObject({ egress: new Set([101, 102]), untagged: new Set() });
    expect(sonic?.form).toBe('hex-text');
  });
});

describe('what cannot be relied on', () => {
  it.each([
    ['lists cut in the middle', staticLists(1, text('ff f'), text('ff f')), 'not understood'],
    ['lists of ports that do not exist', staticLists(1, Uint8Array.of(0, 0, 0, 0xff), text('')), 'do not exist'],
    ['a list of another type', [integer(`${OID.dot1qVlanStaticEgressPorts}.5`, 1)], 'members of VLAN 5 are not told'],
    [
      'untagged members only',
      [bits(`${OID.dot1qVlanStaticUntaggedPorts}.5`, portList([1]))],
      'members of VLAN 5 are not told',
    ],
  ])('is every port: %s', async (_, values, reason) => {
    const facts = (await read(values))?.configured;
    expect(facts?.doubtful).toBeUndefined();
    expect(facts?.problems[0]).toContain(reason);
  });

  it.each([
    OID.dot1qVlanStaticEgressPorts,
    OID.dot1qVlanStaticUntaggedPorts,
    OID.dot1qVlanStaticRowStatus,
    OID.dot1qPvid,
    OID.dot1qPortAcceptableFrameTypes,
    OID.dot1qPortIngressFiltering,
  ])('is every port when %s is not whole', async (oid) => {
    const session = new FlawedSnmp(switchValues({ ports: 8, fixed: { 10: { egress: [1] } } }));
    session.flaws.set(oid, 'timeout');
    const facts = (await readQBridge(session, bridge))?.configured;
    expect([facts?.doubtful, facts?.problems]).toEqual([undefined, [expect.stringContaining('may lack rows')]]);
  });

  it('is no port when only names are missing', async () => {
    const session = new FlawedSnmp(switchValues({ ports: 8, fixed: { 10: { egress: [1] } } }));
    session.flaws.set(OID.dot1qVlanStaticName, 'timeout');
    const facts = (await readQBridge(session, bridge))?.configured;
    expect([facts?.doubtful?.size, facts?.problems]).toEqual([0, ['dot1qVlanStaticName may lack rows: timeout']]);
  });

  it('is a member of which it is not told whether it is untagged', async () => {
    const facts = (await read([bits(`${OID.dot1qVlanStaticEgressPorts}.5`, portList([1]))]))?.configured;
    expect([...(facts?.doubtful?.keys() ?? [])]).toEqual([101]);
  });

  it('is a member of a VLAN that is not in force', async () => {
    const values = [
      ...staticLists(5, portList([2], 1), portList([], 1)),
      integer(`${OID.dot1qVlanStaticRowStatus}.5`, 2),
    ];
    expect((await read(values))?.configured?.doubtful?.get(102)).toContain('not in force');
  });

  it('is a port beyond the end of lists that are not cut', async () => {
    const far = new Map([...bridge, [200, 300]]);
    const lists = (octet: number) => staticLists(5, Uint8Array.of(octet, 0), Uint8Array.of(octet, 0));
    const whole = await readQBridge(new MemorySnmp(lists(0x80)), far);
    expect(whole?.configured?.doubtful).toEqual(new Map([[300, expect.stringContaining('end before')]]));
    const cut = await readQBridge(new MemorySnmp(staticLists(5, Uint8Array.of(0x80), Uint8Array.of(0x80))), far);
    expect(cut?.configured?.doubtful?.size).toBe(0);
  });

  it('is an interface with two bridge ports that differ', async () => {
    const twins = new Map([...bridge, [9, 101]]);
    const session = new MemorySnmp([
      ...staticLists(5, portList([1]), portList([1])),
      ...staticLists(6, portList([2]), portList([2])),
    ]);
    expect([...((await readQBridge(session, twins))?.configured?.doubtful?.keys() ?? [])]).toEqual([101]);
    const pvids = new MemorySnmp([integer(`${OID.dot1qPvid}.1`, 5), integer(`${OID.dot1qPvid}.9`, 6)]);
    expect([...((await readQBridge(pvids, twins))?.ports.doubtful.keys() ?? [])]).toEqual([101]);
  });

  it.each([
    [octets(`${OID.dot1qPvid}.1`, 'x'), integer(`${OID.dot1qPortAcceptableFrameTypes}.1`, 1)],
    [integer(`${OID.dot1qPvid}.1`, 5), octets(`${OID.dot1qPortAcceptableFrameTypes}.1`, 'x')],
    [integer(`${OID.dot1qPvid}.1`, 5), integer(`${OID.dot1qPortAcceptableFrameTypes}.1`, 3)],
  ])('is a port with a row that is not understood', async (...values) => {
    expect((await read(values))?.ports.doubtful.has(101)).toBe(true);
  });
});

describe('IEEE8021-Q-BRIDGE-MIB', () => {
  const lists = (index: string, egress: number[], untagged: number[]) => [
    bits(`${OID.ieee8021QBridgeVlanStaticEgressPorts}.${index}`, portList(egress, 1)),
    bits(`${OID.ieee8021QBridgeVlanStaticUntaggedPorts}.${index}`, portList(untagged, 1)),
    octets(`${OID.ieee8021QBridgeVlanStaticName}.${index}`, `v${index}`),
  ];

  it('is indexed by the component first; others than the first are not ours', async () => {
    const tables = await readIeee8021QBridge(
      new MemorySnmp([...lists('1.97', [1, 2], [1]), ...lists('2.98', [3], [])]),
      bridge,
    );
    expect([...(tables?.configured?.vlans ?? [])]).toEqual([
      [97, { id: 97, name: 'v1.97', egress: new Set([101, 102]), untagged: new Set([101]) }],
    ]);
  });

  it('has a time mark before the component in what operates', async () => {
    const current = (index: string, port: number) => [
      bits(`${OID.ieee8021QBridgeVlanCurrentEgressPorts}.${index}`, portList([port], 1)),
      bits(`${OID.ieee8021QBridgeVlanCurrentUntaggedPorts}.${index}`, portList([], 1)),
    ];
    const tables = await readIeee8021QBridge(
      new MemorySnmp([...current('5.1.97', 4), ...current('90.1.97', 3)]),
      bridge,
    );
    expect(tables?.operational?.vlans.get(97)?.egress).toEqual(new Set([103]));
  });

  it('has frame types of its own: 3 is tagged only, 2 untagged only', async () => {
    const values = [1, 2, 3].flatMap((type) => [
      integer(`${OID.ieee8021QBridgePvid}.1.${type}`, 97),
      integer(`${OID.ieee8021QBridgePortAcceptableFrameTypes}.1.${type}`, type),
    ]);
    const rows = (await readIeee8021QBridge(new MemorySnmp(values), bridge))?.ports.rows;
    expect([101, 102, 103].map((i) => [rows?.get(i)?.taggedOnly, rows?.get(i)?.untaggedOnly])).toEqual([
      [false, false],
      [false, true],
      [true, false],
    ]);
  });

  it('takes the PVIDs of Q-BRIDGE-MIB where it has none', async () => {
    const session = new MemorySnmp([...lists('1.97', [1], [1]), integer(`${OID.dot1qPvid}.1`, 97)]);
    const standard = await readQBridge(session, bridge);
    const tables = await readIeee8021QBridge(session, bridge, standard === null ? {} : { ports: standard.ports });
    expect(tables?.configured?.ports.get(101)?.pvid).toBe(97);
  });
});
