import { describe, expect, it } from 'vitest';
import { readBridge } from '../../../drivers/mib/bridge.ts';
import type { PrivateVlanMib, VlanFacts } from '../../../drivers/mib/facts.ts';
import { OID } from '../../../drivers/mib/oids.ts';
import { readVlanBasis } from '../../../drivers/snmp/basis.ts';
import type { VarBind } from '../../../drivers/snmp/session-types.ts';
import { MemorySnmp } from '../../support/memory-snmp.ts';
import { bits, portList, switchValues } from '../../support/snmp-switch.ts';
import { integer } from '../../support/snmp-values.ts';

const FIXED = switchValues({ ports: 8, fixed: { 10: { egress: [1], untagged: [1] } }, pvid: { 1: 10 } });
const BOTH = switchValues({
  ports: 8,
  fixed: { 10: { egress: [1, 2] } },
  current: { 10: { egress: [1] }, 20: { egress: [2] } },
});
const CURRENT = switchValues({ ports: 8, current: { 10: { egress: [1] }, 20: { egress: [2] } } });
const IEEE = [
  bits(`${OID.ieee8021QBridgeVlanStaticEgressPorts}.1.97`, portList([1])),
  bits(`${OID.ieee8021QBridgeVlanStaticUntaggedPorts}.1.97`, portList([1])),
];

async function basis(
  values: readonly VarBind[],
  enterprise: number | null = null,
  mibs: readonly PrivateVlanMib[] = [],
) {
  const session = new MemorySnmp(values);
  const bridge = await readBridge(session);
  return readVlanBasis(session, { enterprise, bridge, interfaces: new Map(), private: mibs });
}

function mib(source: string, kind: VlanFacts['basis'] | null, asked: string[] = []): PrivateVlanMib {
  const vlans = new Map([[7, { id: 7, name: 'seven', egress: new Set([101]), untagged: new Set<number>() }]]);
  return {
    enterprises: [9],
    read: async () => {
      asked.push(source);
      return kind === null ? null : { source, basis: kind, vlans, ports: new Map(), problems: [] };
    },
  };
}

describe('the table that is believed', () => {
  it.each([
    ['what is configured before what operates', BOTH, 'dot1qVlanStaticTable'],
    ['what operates where nothing else is shown', CURRENT, 'dot1qVlanCurrentTable'],
    [
      'the newer MIB where Q-BRIDGE-MIB shows no membership',
      [...switchValues({ ports: 8, pvid: { 1: 97 } }), ...IEEE],
      'ieee8021QBridgeVlanStaticTable',
    ],
    ['Q-BRIDGE-MIB where both are there', [...FIXED, ...IEEE], 'dot1qVlanStaticTable'],
    [
      'what operates beside a static table that is not filled',
      switchValues({ ports: 8, fixed: { 10: { egress: [] } }, current: { 10: { egress: [1] } } }),
      'dot1qVlanCurrentTable',
    ],
    [
      'a static table without members where there is no other',
      switchValues({ ports: 8, fixed: { 10: { egress: [] } } }),
      'dot1qVlanStaticTable',
    ],
  ])('%s', async (_, values, source) => {
    expect((await basis(values)).facts?.source).toBe(source);
  });

  it('is none where there is none', async () => {
    expect(await basis(switchValues({ ports: 8 }))).toEqual({ facts: null, vlans: [], untaggedIsPvid: false });
  });

  it('is not mixed, but for PVIDs beside the lists of the newer MIB', async () => {
    const { facts } = await basis([...switchValues({ ports: 8, pvid: { 1: 97 } }), ...IEEE]);
    expect(facts?.ports.get(101)?.pvid).toBe(97);
  });
});

describe("the vendor's MIB", () => {
  it('is believed first when it says what is configured', async () => {
    const { facts, vlans } = await basis(FIXED, 9, [mib('private', 'configured')]);
    expect([facts?.source, vlans]).toEqual(['private', [{ id: 7, name: 'seven' }]]);
  });

  it('is believed before the standard ones of the same basis only', async () => {
    expect((await basis(FIXED, 9, [mib('private', 'operational')])).facts?.source).toBe('dot1qVlanStaticTable');
    expect((await basis(CURRENT, 9, [mib('private', 'operational')])).facts?.source).toBe('private');
  });

  it('is asked only on switches of the vendor, and the next one when it is not there', async () => {
    const asked: string[] = [];
    expect((await basis(FIXED, 11, [mib('one', 'configured', asked)])).facts?.source).toBe('dot1qVlanStaticTable');
    expect(asked).toEqual([]);
    const { facts } = await basis(FIXED, 9, [mib('one', null, asked), mib('two', 'configured', asked)]);
    expect([facts?.source, asked]).toEqual(['two', ['one', 'two']]);
  });
});

describe('the VLANs of the switch', () => {
  it('are those of the static table with their names, ascending', async () => {
    const values = switchValues({
      ports: 8,
      fixed: { 300: { egress: [1] }, 2: { egress: [1] } },
      current: { 9: { egress: [1] } },
    });
    expect((await basis(values)).vlans).toEqual([
      { id: 2, name: 'v2' },
      { id: 300, name: 'v300' },
    ]);
  });

  it('are those that operate where there is no static table', async () => {
    expect((await basis(CURRENT)).vlans.map((v) => v.id)).toEqual([10, 20]);
  });
});

describe('switches that differ', () => {
  it('are not believed where their lists are no bitmaps (Foundry)', async () => {
    const { facts } = await basis(FIXED, 1991);
    expect([facts?.doubtful, facts?.problems[0]]).toEqual([undefined, expect.stringContaining('not bitmaps')]);
  });

  it('are believed on Junos only where the PVIDs show that the index is the VLAN ID', async () => {
    expect((await basis(FIXED, 2636)).facts?.problems).toEqual([]);
    const other = switchValues({ ports: 8, fixed: { 3: { egress: [1], untagged: [1] } }, pvid: { 1: 10 } });
    expect((await basis(other, 2636)).facts?.problems[0]).toContain('internal index');
    const trunks = switchValues({ ports: 8, fixed: { 3: { egress: [1] } }, pvid: { 1: 0 } });
    expect((await basis(trunks, 2636)).facts?.problems[0]).toContain('internal index');
  });

  it.each([
    ['ELS', '1.3.6.1.4.1.2636.3.48.1.3.1.1', 2, 3],
    ['EX', '1.3.6.1.4.1.2636.3.40.1.5.1.5.1', 2, 5],
  ])('tell on Junos (%s) in a table of their own what the index is', async (_, table, nameColumn, tagColumn) => {
    const own = (index: number, id: number) => [
      bits(`${table}.${nameColumn}.${index}`, new Uint8Array(Buffer.from(`vlan-${id}`))),
      integer(`${table}.${tagColumn}.${index}`, id),
    ];
    const trunks = (id: number) => switchValues({ ports: 8, fixed: { [id]: { egress: [1] } }, pvid: { 1: 0 } });
    const sure = await basis([...trunks(10), ...own(3, 10), ...own(4, 11)], 2636);
    expect(sure.facts?.problems).toEqual([]);
    expect(sure.vlans).toEqual([
      { id: 10, name: 'vlan-10' },
      { id: 11, name: 'vlan-11' },
    ]);
    const internal = await basis([...trunks(3), ...own(3, 10), ...own(4, 0)], 2636);
    expect(internal.facts?.problems[0]).toContain('are numbered by an internal index');
    expect(internal.vlans).toEqual([{ id: 10, name: 'vlan-10' }]);
    const either = await basis([...trunks(3), ...own(3, 10), ...own(4, 3)], 2636);
    expect(either.facts?.problems[0]).toContain('may be numbered by an internal index');
  });

  it('write their lists as text on Junos, also with one port in each', async () => {
    const list = (id: number, text: string) => [
      bits(`${OID.dot1qVlanStaticEgressPorts}.${id}`, new Uint8Array(Buffer.from(text))),
      bits(`${OID.dot1qVlanStaticUntaggedPorts}.${id}`, new Uint8Array(Buffer.from(text))),
    ];
    const values = [
      ...list(5, '42'),
      integer(`${OID.dot1dBasePortIfIndex}.42`, 566),
      integer(`${OID.dot1qPvid}.42`, 5),
    ];
    expect((await basis(values, 2636)).facts?.vlans.get(5)?.egress).toEqual(new Set([566]));
  });

  it('have one setting for untagged frames in both directions (Dell, Aruba)', async () => {
    const told = await Promise.all([674, 47196, 6027, 9, null].map((enterprise) => basis(FIXED, enterprise)));
    expect(told.map((b) => b.untaggedIsPvid)).toEqual([true, true, false, false, false]);
  });
});
