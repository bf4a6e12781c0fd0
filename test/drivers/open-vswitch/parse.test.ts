import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DriverError } from '../../../drivers/errors.ts';
import { switchport, switchportHolds } from '../../../drivers/model/switchport.ts';
import { VlanSet } from '../../../drivers/model/vlan-set.ts';
import { buildReading, chooseBridge, readSwitchport } from '../../../drivers/open-vswitch/parse.ts';
import { parseTables, Row } from '../../../drivers/open-vswitch/tables.ts';
import { parseStat } from '../../../drivers/open-vswitch/trust.ts';
import { parseLinks } from '../../../drivers/text/iproute.ts';
import { database, type PortRow } from './database.ts';

function read(ports: readonly PortRow[], links = '[]', management: ReadonlySet<string> = new Set()) {
  const tables = parseTables(database({ br0: ports }));
  return buildReading(tables, chooseBridge(tables, null), parseLinks(links) ?? new Map(), management);
}

function membership(mode: string | null, tag: number | null, trunks: readonly number[]) {
  const cells = new Map<string, readonly (string | number)[]>([
    ['vlan_mode', mode === null ? [] : [mode]],
    ['tag', tag === null ? [] : [tag]],
    ['trunks', trunks],
  ]);
  return readSwitchport(new Row('Port', cells));
}

describe('membership', () => {
  const ALL = VlanSet.ALL.toString();
  it.each([
    [null, 5, [], 'access', 5, ''],
    [null, 5, [7], 'access', 5, ''],
    [null, null, [7, 8], 'trunk', null, '7-8'],
    ['access', 5, [7], 'access', 5, ''],
    ['trunk', 5, [7], 'trunk', null, '7'],
    ['native-untagged', 5, [5], 'trunk', 5, ''],
    ['native-untagged', 5, [7], 'trunk', 5, '7'],
    ['native-untagged', 5, [0, 7], 'trunk', 5, '7'],
    ['native-untagged', 5, [], 'trunk', 5, VlanSet.ALL.without(5).toString()],
    // What no intent asks for: VLAN 0, VLAN 4095, a native VLAN that leaves tagged, a tunnel.
    [null, null, [], 'other', null, ALL],
    ['trunk', null, [], 'other', null, ALL],
    ['trunk', null, [0, 7], 'other', null, '7'],
    ['trunk', null, [7, 4095], 'other', null, '7'],
    ['access', null, [], 'other', null, ''],
    ['access', 0, [], 'other', null, ''],
    ['access', 4095, [], 'other', null, ''],
    [null, 0, [], 'other', null, ''],
    ['native-untagged', null, [7], 'other', null, '7'],
    ['native-untagged', 5, [7, 4095], 'other', 5, '7'],
    ['native-tagged', 5, [7], 'other', null, '5,7'],
    ['dot1q-tunnel', 5, [], 'other', 5, ''],
  ] as const)('of vlan_mode %s, tag %s, trunks %s is %s', (mode, tag, trunks, kind, native, tagged) => {
    const actual = membership(mode, tag, trunks);
    expect([actual.mode, actual.nativeVlan, actual.taggedVlans.toString()]).toEqual([kind, native, tagged]);
    expect(actual.detail === '').toBe(kind !== 'other');
  });

  it('never takes a port that carries VLAN 0 or every VLAN for one that is wanted', () => {
    expect(switchportHolds(switchport('trunk', null, VlanSet.ALL), membership('trunk', null, []))).toBe(false);
    expect(switchportHolds(switchport('access', 5), membership('native-untagged', 5, []))).toBe(false);
    expect(switchportHolds(switchport('trunk', 5), membership('native-untagged', 5, [5]))).toBe(true);
  });
});

describe('reading', () => {
  it('has ports, bond members and the bridge itself, with the kernel’s word before the database’s', () => {
    const links = JSON.stringify([
      { ifindex: 7, ifname: 'swp1', flags: [], mtu: 9000, operstate: 'DOWN', address: '02:00:00:00:00:07' },
    ]);
    const { ports, vlans, unsaved } = read(
      [
        { name: 'swp10', tag: 5, interfaces: [{ name: 'swp10' }] },
        { name: 'swp1', tag: 5, description: 'worker-1 \u001b[2J', interfaces: [{ name: 'swp1' }] },
        { name: 'br0', interfaces: [{ name: 'br0', type: 'internal', ofport: 65534 }] },
        {
          name: 'bond0',
          mode: 'trunk',
          trunks: [8, 9],
          interfaces: [{ name: 'swp2' }, { name: 'swp3', link: 'down' }],
        },
        {
          name: 'lost',
          tag: 5,
          interfaces: [{ name: 'lost', ofport: -1, error: 'could not open network device lost' }],
        },
      ],
      links,
      new Set(['swp2', 'bond0']),
    );
    expect(ports.map((p) => [p.name, p.kind, p.lag, p.adminState, p.mtu])).toEqual([
      ['bond0', 'lag', null, 'up', 1500],
      ['br0', 'other', null, 'up', 1500],
      ['lost', 'physical', null, 'up', 1500],
      ['swp1', 'physical', null, 'down', 9000],
      ['swp2', 'physical', 'bond0', 'up', 1500],
      ['swp3', 'physical', 'bond0', 'up', 1500],
      ['swp10', 'physical', null, 'up', 1500],
    ]);
    const port = (name: string) => ports.find((p) => p.name === name);
    expect(port('swp1')).toMatchObject({
      ifIndex: 7,
      operState: 'down',
      speedMbps: null,
      description: 'worker-1 \ufffd[2J',
    });
    expect(port('swp10')).toMatchObject({ operState: 'up', speedMbps: 10_000, problem: null });
    expect(port('bond0')).toMatchObject({ operState: 'up', speedMbps: 10_000, carriesManagement: true });
    expect(port('swp3')?.carriesManagement).toBe(false);
    expect(port('swp3')?.switchport.mode).toBe('none');
    expect(port('lost')?.problem).toContain('could not open');
    expect(vlans.map((v) => v.id)).toEqual([5, 8, 9]);
    expect(unsaved).toBe(false);
  });

  it('shows a name that may not be written in a form that is never another port’s', () => {
    const rows = [' swp1', 'swp1', 'a;b', '$(x)'].map((name) => ({ name, tag: 5, interfaces: [{ name }] }));
    expect(
      read(rows)
        .ports.map((p) => p.name)
        .sort(),
    ).toEqual(['"$(x)"', '"a;b"', '"swp1"', 'swp1']);
  });

  it('takes only the chosen bridge, and wants to be told which of several', () => {
    const tables = parseTables(database({ br0: [], br1: [{ name: 'p', tag: 5, interfaces: [{ name: 'p' }] }] }));
    expect(() => chooseBridge(tables, null)).toThrow('br0, br1');
    expect(() => chooseBridge(tables, 'br7')).toThrow('there is no bridge br7');
    expect(buildReading(tables, chooseBridge(tables, 'br1'), new Map(), new Set()).ports.map((p) => p.name)).toEqual([
      'p',
    ]);
    expect(() => chooseBridge(parseTables(database({})), null)).toThrow('none');
  });
});

describe('bad answers', () => {
  const good = database({ br0: [{ name: 'swp1', tag: 5, interfaces: [{ name: 'swp1' }] }] });

  it('are refused as not understood', () => {
    const edits: [string, string][] = [
      ['"headings"', '"heading"'],
      ['"tag"', '"tagg"'],
      ['"data"', '"date"'],
      ['["uuid","if-0"]', '["uuid","gone"]'],
      ['["uuid","if-0"]', '"if-0"'],
      [',5,', ',"5",'],
      [',5,', ',5.5,'],
      [',5,', ',["set",[5,6]],'],
      [',5,', ',["set",[[]]],'],
    ];
    for (const [from, to] of edits) {
      expect(good).toContain(from);
      const text = good.replace(from, to);
      expect(() => {
        const tables = parseTables(text);
        buildReading(tables, chooseBridge(tables, null), new Map(), new Set());
      }, `${from} -> ${to}`).toThrow(DriverError);
    }
    for (const text of ['', good.split('\n')[0] ?? '', `${good}\n{}`, 'ovs-vsctl: \u001b[2J']) {
      expect(() => parseTables(text)).toThrow(DriverError);
    }
  });

  it('never get out as any other error', () => {
    fc.assert(
      fc.property(fc.nat(good.length), fc.nat(40), fc.string({ maxLength: 5 }), (at, cut, put) => {
        try {
          const tables = parseTables(good.slice(0, at) + put + good.slice(at + cut));
          buildReading(tables, chooseBridge(tables, null), new Map(), new Set());
        } catch (error) {
          expect(error).toBeInstanceOf(DriverError);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('/proc/PID/stat', () => {
  it('is read also when the command holds what the line is parted by', () => {
    const rest = ' 1 2 2 0 -1 4194624 1 2 3 4 5 6 7 8 20 0 1 0 123456 9 9';
    expect(parseStat(`42 (ovs-vswitchd) S${rest}`)).toEqual({
      pid: '42',
      command: 'ovs-vswitchd',
      state: 'S',
      started: '123456',
    });
    expect(parseStat(`42 (a) T (b) S${rest}`)?.command).toBe('a) T (b');
    expect(parseStat('')).toBeNull();
  });
});
