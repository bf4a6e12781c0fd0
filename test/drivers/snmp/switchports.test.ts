import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PortVlanRow, VlanFacts } from '../../../drivers/mib/facts.ts';
import { carriedVlans } from '../../../drivers/model/switchport.ts';
import { type SwitchportContext, switchportsOf } from '../../../drivers/snmp/switchports.ts';

const PORT = 101;
const CONTEXT: SwitchportContext = {
  bridged: new Set([PORT]),
  bridgeIncomplete: null,
  up: new Set([PORT]),
  untaggedIsPvid: false,
};
const ROW: PortVlanRow = { pvid: null, taggedOnly: false, ingressFiltering: true, mode: null, tagged: null };

interface Told {
  readonly tagged?: readonly number[];
  readonly untagged?: readonly number[];
  readonly stray?: readonly number[];
  /** undefined: no row. */
  readonly row?: Partial<PortVlanRow>;
  readonly facts?: Partial<VlanFacts>;
  readonly context?: Partial<SwitchportContext>;
}

function factsOf({ tagged = [], untagged = [], stray = [], row, facts }: Told): VlanFacts {
  const ids = [...new Set([...tagged, ...untagged, ...stray])];
  const member = (list: readonly number[], id: number) => new Set(list.includes(id) ? [PORT] : []);
  return {
    source: 'dot1qVlanStaticTable',
    basis: 'configured',
    vlans: new Map(
      ids.map((id) => [
        id,
        { id, name: '', egress: member([...tagged, ...untagged], id), untagged: member([...untagged, ...stray], id) },
      ]),
    ),
    ports: new Map(row === undefined ? [] : [[PORT, { ...ROW, ...row }]]),
    problems: [],
    ...facts,
  };
}

function read(told: Told) {
  const found = switchportsOf(factsOf(told), [PORT], { ...CONTEXT, ...told.context }).get(PORT);
  if (found === undefined) throw new Error('the port is missing');
  const { mode, nativeVlan, taggedVlans, extraUntaggedVlans, detail } = found;
  return { mode, native: nativeVlan, tagged: taggedVlans.ids(), extra: extraUntaggedVlans.ids(), detail };
}

const known = (mode: string, native: number | null, tagged: number[] = [], extra: number[] = []) => ({
  mode,
  native,
  tagged,
  extra,
  detail: '',
});

describe('by port lists and PVID', () => {
  it.each<[string, Told, ReturnType<typeof known>]>([
    ['access', { untagged: [10], row: { pvid: 10 } }, known('access', 10)],
    ['trunk with native', { untagged: [10], tagged: [20, 30], row: { pvid: 10 } }, known('trunk', 10, [20, 30])],
    [
      'trunk that drops untagged frames',
      { tagged: [20], row: { pvid: 1, taggedOnly: true } },
      known('trunk', null, [20]),
    ],
    ['trunk with a PVID of which it is no member', { tagged: [20], row: { pvid: 1 } }, known('trunk', null, [20])],
    ['trunk with no PVID (Junos: 0)', { tagged: [20], row: { pvid: null } }, known('trunk', null, [20])],
    ['leak beside an access VLAN', { untagged: [10, 11], row: { pvid: 10 } }, known('access', 10, [], [11])],
    ['leak beside a native VLAN', { untagged: [1, 10], tagged: [5], row: { pvid: 10 } }, known('trunk', 10, [5], [1])],
    [
      'leak although untagged frames are dropped',
      { untagged: [1], tagged: [5], row: { pvid: 1, taggedOnly: true } },
      known('trunk', null, [5], [1]),
    ],
    ['no VLAN', { row: { pvid: null } }, known('none', null)],
    ['no VLAN, what arrives is filtered', { row: { pvid: 1 } }, known('none', null)],
    ['no VLAN, tagged only', { row: { pvid: 1, taggedOnly: true, ingressFiltering: false } }, known('none', null)],
    ['no bridge port', { context: { bridged: new Set() } }, known('none', null)],
  ])('%s', (_, told, expected) => {
    expect(read(told)).toEqual(expected);
  });

  it.each<[string, Told, string]>([
    [
      'arrives and leaves in different VLANs',
      { untagged: [10], row: { pvid: 11 } },
      'arrive in VLAN 11, but leave from VLAN 10',
    ],
    ['arrives untagged, leaves tagged', { tagged: [10], row: { pvid: 10 } }, 'sends them tagged'],
    [
      'arrives where it is no member, not filtered',
      { tagged: [5], row: { pvid: 1, ingressFiltering: false } },
      'no member',
    ],
    ['arrives where it is no member, filter not told', { row: { pvid: 1, ingressFiltering: null } }, 'is not told'],
    ['leaves untagged, but nothing arrives', { untagged: [10], row: { pvid: null } }, 'PVID is none'],
    ['untagged, but no member', { stray: [10], row: { pvid: 10 } }, 'no member of it'],
    ['PVID not told', { untagged: [10] }, 'is not told'],
    ['drops what arrives tagged', { untagged: [10], tagged: [20], row: { pvid: 10, untaggedOnly: true } }, 'dropped'],
    ['bridge ports not all known', { context: { bridged: new Set(), bridgeIncomplete: 'timeout' } }, 'timeout'],
  ])('is other, for it cannot be said or expressed: %s', (_, told, detail) => {
    const found = read(told);
    expect(found.mode).toBe('other');
    expect(found.detail).toContain(detail);
  });

  it('shows what is known beside the reason', () => {
    expect(read({ untagged: [10], tagged: [20], row: { pvid: 11 } })).toMatchObject({
      native: 11,
      tagged: [20],
      extra: [10],
    });
    expect(read({ tagged: [10, 20], row: { pvid: 10 } })).toMatchObject({ native: null, tagged: [10, 20] });
  });

  it('takes the untagged VLAN for the PVID only on switches with one setting for both', () => {
    const context = { untaggedIsPvid: true };
    expect(read({ untagged: [10], context })).toEqual(known('access', 10));
    expect(read({ untagged: [10], tagged: [20], context })).toEqual(known('trunk', 10, [20]));
    expect(read({ tagged: [20], context })).toEqual(known('trunk', null, [20]));
    expect(read({ untagged: [10, 11], context }).mode).toBe('other');
    const others = new Map([[102, { ...ROW, pvid: 10 }]]);
    expect(read({ untagged: [10], context, facts: { ports: others } }).mode).toBe('other');
  });
});

describe('what operates', () => {
  const facts = { basis: 'operational' } as const;
  it('says nothing of a port without link that is in no VLAN', () => {
    const context = { up: new Set<number>() };
    expect(read({ row: { pvid: 1 }, facts, context }).mode).toBe('other');
    expect(read({ untagged: [1], row: { pvid: 1 }, facts, context })).toEqual(known('access', 1));
    expect(read({ row: { pvid: 1 }, facts })).toEqual(known('none', null));
  });
});

describe('doubt', () => {
  it('makes every port other when it is about all', () => {
    const found = read({ untagged: [10], row: { pvid: 10 }, facts: { problems: ['timeout'] } });
    expect(found).toMatchObject({ mode: 'other', detail: 'timeout', native: 10 });
  });

  it('makes only the ports other that it is about', () => {
    const mine = { problems: ['x'], doubtful: new Map([[PORT, 'mine']]) };
    const others = { problems: ['x'], doubtful: new Map([[102, 'not mine']]) };
    expect(read({ untagged: [10], row: { pvid: 10 }, facts: mine }).detail).toBe('mine');
    expect(read({ untagged: [10], row: { pvid: 10 }, facts: others })).toEqual(known('access', 10));
  });
});

describe('by the mode that the MIB has', () => {
  it.each<[string, Told, ReturnType<typeof known>]>([
    ['routed', { row: { mode: 'routed', pvid: 1 } }, known('routed', null)],
    ['access', { row: { mode: 'access', pvid: 10 } }, known('access', 10)],
    ['trunk', { row: { mode: 'trunk', pvid: 1, tagged: [1, 5, 6] } }, known('trunk', 1, [5, 6])],
    [
      'trunk, tagged only',
      { row: { mode: 'trunk', pvid: 1, taggedOnly: true, tagged: [5] } },
      known('trunk', null, [5]),
    ],
    ['trunk of nothing', { row: { mode: 'trunk', tagged: [] } }, known('trunk', null)],
    ['trunk by the lists', { row: { mode: 'trunk', pvid: 10 }, untagged: [10] }, known('trunk', 10)],
    [
      'hybrid by the lists',
      { row: { mode: 'hybrid', pvid: 10 }, untagged: [10, 11], tagged: [5] },
      known('hybrid', 10, [5], [11]),
    ],
    ['access that leaks', { row: { mode: 'access', pvid: 10 }, untagged: [10, 11] }, known('access', 10, [], [11])],
    ['no VLAN IDs', { row: { mode: 'trunk', pvid: 0, tagged: [0, 4095, 7] } }, known('trunk', null, [7])],
  ])('%s', (_, told, expected) => {
    expect(read(told)).toEqual(expected);
  });

  it.each<[string, Told]>([
    ['access in no VLAN', { row: { mode: 'access', pvid: null } }],
    ['access with tagged VLANs', { row: { mode: 'access', pvid: 10 }, untagged: [10], tagged: [20] }],
    ['another mode', { row: { mode: 'other', pvid: 10 }, untagged: [10] }],
    ['hybrid that takes untagged frames elsewhere', { row: { mode: 'hybrid', pvid: 9 }, untagged: [10] }],
  ])('is other: %s', (_, told) => {
    expect(read(told).mode).toBe('other');
  });
});

describe('whatever the tables say', () => {
  const ids = fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { maxLength: 4 });
  const row = fc.record({
    pvid: fc.option(fc.integer({ min: 0, max: 7 })),
    taggedOnly: fc.option(fc.boolean()),
    ingressFiltering: fc.option(fc.boolean()),
    mode: fc.constantFrom(null, 'access', 'trunk', 'hybrid', 'routed', 'other') as fc.Arbitrary<PortVlanRow['mode']>,
    tagged: fc.option(ids),
  });

  it('no VLAN by which the port sends is ever left out of what it is said to carry', () => {
    fc.assert(
      fc.property(ids, ids, ids, fc.option(row, { nil: undefined }), (tagged, untagged, stray, told) => {
        if (told?.mode === 'routed' || (told?.tagged ?? null) !== null) return;
        const facts = factsOf({ tagged, untagged, stray, ...(told === undefined ? {} : { row: told }) });
        const found = switchportsOf(facts, [PORT], CONTEXT).get(PORT);
        const carried = found === undefined ? [] : carriedVlans(found).ids();
        for (const id of [...tagged, ...untagged]) expect(carried).toContain(id);
      }),
    );
  });

  it('access and trunk take untagged frames only into a VLAN from which they leave', () => {
    fc.assert(
      fc.property(ids, ids, row, (tagged, untagged, told) => {
        const plain: PortVlanRow = { ...ROW, ...told, mode: null, tagged: null };
        const found = read({ tagged, untagged, row: plain });
        if (found.mode === 'other' || found.native === null) return;
        expect(untagged).toContain(found.native);
        expect([found.native, plain.taggedOnly === true]).toEqual([plain.pvid, false]);
      }),
    );
  });
});
