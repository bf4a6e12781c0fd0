import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PortConfig, PortState } from '../../../drivers/model/port.ts';
import { switchport, switchportHolds } from '../../../drivers/model/switchport.ts';
import { VlanSet } from '../../../drivers/model/vlan-set.ts';
import { cannotExpress, renderChanges } from '../../../drivers/sim/commands.ts';
import { forwards, type IosPort, runLine, visible } from './ios-port-model.ts';

const PORT: PortState = {
  name: 'swp1',
  aliases: [],
  ifIndex: null,
  macAddress: null,
  kind: 'physical',
  adminState: 'up',
  operState: 'up',
  speedMbps: null,
  mtu: 1500,
  description: '',
  switchport: visible(raw({})),
  lag: null,
  carriesManagement: false,
  problem: null,
};

function raw(port: Partial<IosPort>): IosPort {
  return {
    mode: 'access',
    shut: false,
    access: 1,
    voice: null,
    native: 1,
    allowed: VlanSet.ALL,
    mtu: 1500,
    description: '',
    ...port,
  };
}

function state(port: IosPort): PortState {
  const { mtu, description } = port;
  return { ...PORT, switchport: visible(port), adminState: port.shut ? 'down' : 'up', mtu, description };
}

function wants(sw: PortConfig['switchport'], rest: Partial<PortConfig> = {}): PortConfig {
  return { switchport: sw, adminState: 'up', mtu: null, description: null, ...rest };
}

function lines(from: IosPort, to: PortConfig, parkingVlan: number | null = null, bounce = false): readonly string[] {
  const changes = { createVlans: [], deleteVlans: [], ports: [{ from: state(from), to, bounce }] };
  return renderChanges(changes, { parkingVlan, edgePort: false })[0]?.commands ?? [];
}

/** Few VLANs, so that old and new ones meet; and lists too long for one line. */
const vlan = fc.constantFrom(1, 2, 3, 100, 101, 999, 4094);
const longList = fc
  .tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 100, max: 400 }))
  .map(([step, count]) =>
    VlanSet.of(...Array.from({ length: count }, (_, i) => 1 + i * (step + 1)).filter((id) => id < 4095)),
  );
const vlans = fc.oneof(
  { weight: 6, arbitrary: fc.array(vlan, { maxLength: 5 }).map((ids) => VlanSet.of(...ids)) },
  { weight: 1, arbitrary: longList },
  { weight: 1, arbitrary: fc.constant(VlanSet.ALL) },
);
const startPort = fc.record<IosPort>({
  mode: fc.constantFrom('access', 'trunk', 'dynamic', 'routed'),
  shut: fc.boolean(),
  access: vlan,
  voice: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, vlan),
  native: vlan,
  allowed: vlans,
  mtu: fc.constantFrom(1500, 9000),
  description: fc.constantFrom('', 'left by others'),
});
const wanted = fc
  .record({
    switchport: fc.oneof(
      vlan.map((id) => switchport('access', id)),
      fc
        .tuple(fc.constantFrom('trunk' as const, 'hybrid' as const), fc.option(vlan), vlans)
        .map(([mode, native, allowed]) => switchport(native === null ? 'trunk' : mode, native, allowed)),
    ),
    adminState: fc.constantFrom('up' as const, 'down' as const),
    mtu: fc.constantFrom(null, 1500, 9216),
    description: fc.constantFrom(null, '', 'worker-1 eno1'),
  })
  .filter((config) => cannotExpress(config, { parkingVlan: null, edgePort: false }) === null);

describe('rendering for the simulated switch', () => {
  it('never opens a port: after every line it carries a part of the old, a part of the new, or nothing', () => {
    fc.assert(
      fc.property(startPort, wanted, fc.option(vlan), fc.boolean(), (start, to, parking, bounce) => {
        const commands = lines(start, to, parking, bounce);
        const port = { ...start };
        const goal = raw({ shut: to.adminState === 'down' });
        goal.mode = to.switchport.mode === 'access' ? 'access' : 'trunk';
        goal.access = to.switchport.nativeVlan ?? 0;
        goal.native = to.switchport.nativeVlan ?? 0;
        goal.allowed =
          to.switchport.nativeVlan === null ? to.switchport.taggedVlans : to.switchport.taggedVlans.with(goal.native);
        const [before, after] = [forwards(start), forwards(goal)];
        expect(commands[0]).toBe('interface swp1');
        expect(commands.at(-1)).toBe('exit');
        for (const [at, line] of commands.slice(1, -1).entries()) {
          expect(line.length).toBeLessThan(200);
          runLine(port, line);
          const now = [...forwards(port)];
          const safe = now.every((pair) => before.has(pair)) || now.every((pair) => after.has(pair));
          if (!safe)
            throw new Error(`open after line ${at + 1} of\n${commands.join('\n')}\nnow ${now}, before ${[...before]}`);
        }
        expect(forwards(port)).toEqual(after);
        expect(switchportHolds(to.switchport, visible(port))).toBe(true);
        expect(port.shut).toBe(to.adminState === 'down');
        if (to.mtu !== null) expect(port.mtu).toBe(to.mtu);
        if (to.description !== null) expect(port.description).toBe(to.description);
        expect(lines(port, to)).toEqual(['interface swp1', 'exit']);
      }),
      { numRuns: 5000 },
    );
  });

  it('does not shut a port whose change has a safe order, and always shuts it when asked to', () => {
    const ordered = startPort.filter((p) => !p.shut && p.voice === null && (p.mode === 'access' || p.mode === 'trunk'));
    fc.assert(
      fc.property(ordered, wanted, (start, to) => {
        if (to.adminState === 'down') return;
        expect(lines(start, to)).not.toContain('shutdown');
        if (switchportHolds(to.switchport, visible(start))) return;
        const bounced = lines(start, to, null, true);
        expect([bounced[1], bounced.at(-2)]).toEqual(['shutdown', 'no shutdown']);
      }),
    );
  });

  it('keeps what is tagged before and after flowing while a trunk changes', () => {
    const start = raw({ mode: 'trunk', native: 10, allowed: VlanSet.parse('10,20-22') });
    const port = { ...start };
    for (const line of lines(start, wants(switchport('trunk', 20, VlanSet.parse('10,21,22,30')))).slice(1, -1)) {
      runLine(port, line);
      expect(forwards(port)).toContain('21t');
      expect(forwards(port)).toContain('22t');
    }
  });

  it.each([
    [
      'another access VLAN is one line',
      raw({ access: 10 }),
      wants(switchport('access', 20)),
      ['switchport access vlan 20'],
    ],
    [
      'access to trunk flips the mode when the trunk side is ready',
      raw({ access: 10 }),
      wants(switchport('trunk', 100, VlanSet.parse('200,300-302'))),
      [
        'switchport trunk native vlan 100',
        'switchport trunk allowed vlan 100,200,300-302',
        'switchport mode trunk',
        'switchport access vlan 100',
      ],
    ],
    [
      'trunk to access leaves a trunk side that allows nothing',
      raw({ mode: 'trunk' }),
      wants(switchport('access', 20)),
      ['switchport access vlan 20', 'switchport mode access', 'switchport trunk allowed vlan none'],
    ],
    [
      'a trunk without native VLAN has a native VLAN that is not allowed',
      raw({ access: 10 }),
      wants(switchport('trunk', null, VlanSet.of(200))),
      [
        'switchport trunk native vlan 1',
        'switchport trunk allowed vlan 200',
        'switchport mode trunk',
        'no switchport access vlan',
      ],
    ],
    [
      'a routed port is shut, made a switchport and set up as a whole',
      raw({ mode: 'routed' }),
      wants(switchport('access', 20), { mtu: 9000, description: 'a' }),
      [
        'shutdown',
        'switchport',
        'mtu 9000',
        'description a',
        'switchport access vlan 20',
        'switchport mode access',
        'switchport trunk allowed vlan none',
        'no shutdown',
      ],
    ],
    [
      'a port that is put down is put down first',
      raw({}),
      wants(switchport('access', 20), { adminState: 'down' }),
      ['shutdown', 'switchport access vlan 20'],
    ],
    ['a port that is as wanted gets no line', raw({ access: 20 }), wants(switchport('access', 20)), []],
  ])('%s', (_, from, to, expected) => {
    expect(lines(from, to)).toEqual(['interface swp1', ...expected, 'exit']);
  });

  it('takes the parking VLAN as native VLAN of nobody, else 1, else the lowest free one', () => {
    const native = (allowed: string, parking: number | null) =>
      lines(raw({}), wants(switchport('trunk', null, VlanSet.parse(allowed))), parking)[1];
    expect(native('1-5,7', 999)).toBe('switchport trunk native vlan 999');
    expect(native('1-5,999', 999)).toBe('switchport trunk native vlan 6');
    expect(native('2-5', null)).toBe('switchport trunk native vlan 1');
    expect(native('1-1001', null)).toBe('switchport trunk native vlan 1006');
  });

  it('creates VLANs first and deletes them last', () => {
    const changes = {
      createVlans: [
        { id: 10, name: 'pk-10' },
        { id: 11, name: 'two words' },
      ],
      ports: [{ from: state(raw({ access: 5 })), to: wants(switchport('access', 10)), bounce: false }],
      deleteVlans: [5],
    };
    expect(
      renderChanges(changes, { parkingVlan: null, edgePort: false }).map((s) => [s.kind, s.subject, ...s.commands]),
    ).toEqual([
      ['vlan-create', '10', 'vlan 10', 'name pk-10', 'exit'],
      ['vlan-create', '11', 'vlan 11', 'exit'],
      ['port', 'swp1', 'interface swp1', 'switchport access vlan 10', 'exit'],
      ['vlan-delete', '5', 'no vlan 5'],
    ]);
  });

  it.each<[string, Partial<PortConfig>]>([
    ['access port needs', { switchport: switchport('access', null) }],
    ['4094 VLANs', { switchport: switchport('trunk', null, VlanSet.ALL) }],
    ['MTU 1499', { mtu: 1499 }],
    ['MTU 9217', { mtu: 9217 }],
    ['200 characters', { description: 'x'.repeat(201) }],
    ['"?"', { description: 'what?' }],
    ['printable', { description: 'a\nno shutdown' }],
    ['space', { description: ' a' }],
  ])('says what it cannot express (%s), and renders nothing for it', (words, part) => {
    const to = wants(switchport('access', 5), part);
    expect(cannotExpress(to, { parkingVlan: null, edgePort: false })).toContain(words);
    expect(() => lines(raw({}), to)).toThrow(words);
  });

  it('never sends a port name that is not one plain word', () => {
    const from = { ...PORT, name: 'swp1\nno shutdown' };
    const changes = {
      createVlans: [],
      deleteVlans: [],
      ports: [{ from, to: wants(switchport('access', 5)), bounce: false }],
    };
    expect(() => renderChanges(changes, { parkingVlan: null, edgePort: false })).toThrow('name');
  });
});
