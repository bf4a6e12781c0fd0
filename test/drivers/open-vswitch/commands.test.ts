import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PortChange } from '../../../drivers/driver.ts';
import type { PortConfig } from '../../../drivers/model/port.ts';
import { type Switchport, switchport } from '../../../drivers/model/switchport.ts';
import { VlanSet } from '../../../drivers/model/vlan-set.ts';
import { planStep } from '../../../drivers/open-vswitch/apply.ts';
import { isWritableName, ovsUnsupported, renderOvs } from '../../../drivers/open-vswitch/commands.ts';
import { ModelPort, portState, shellWords } from './ovs-model.ts';

const config = (sw: Switchport, rest: Partial<PortConfig> = {}): PortConfig => ({
  switchport: sw,
  adminState: 'up',
  mtu: null,
  description: null,
  ...rest,
});
const commands = (change: PortChange) =>
  renderOvs({ createVlans: [], ports: [change], deleteVlans: [] })[0]?.commands ?? [];
const render = (to: PortConfig, from = portState(), bounce = false) => commands({ from, to, bounce });

describe('commands', () => {
  it('are one line per port, in the words that a person would type', () => {
    expect(render(config(switchport('access', 100)))).toEqual([
      "ovs-vsctl set port swp1 vlan_mode=access tag=100 'trunks=[]'",
    ]);
    expect(render(config(switchport('trunk', null, VlanSet.parse('200-202,300'))))).toEqual([
      "ovs-vsctl set port swp1 vlan_mode=trunk 'tag=[]' trunks=200-202,300",
    ]);
    expect(render(config(switchport('hybrid', 100, VlanSet.parse('200')), { mtu: 9000, description: 'a b' }))).toEqual([
      'ovs-vsctl set port swp1 vlan_mode=native-untagged tag=100 trunks=100,200 -- set interface swp1 mtu_request=9000 -- set port swp1 \'external_ids:description="a b"\'',
    ]);
  });

  it('keep a trunk with nothing but its native VLAN closed', () => {
    expect(render(config(switchport('trunk', 7)))[0]).toContain('vlan_mode=native-untagged tag=7 trunks=7');
  });

  it('shut first and bring up last', () => {
    const access = switchport('access', 5);
    const kinds = (lines: readonly string[]) => lines.map((line) => line.split(' ').at(line.startsWith('ip') ? -1 : 0));
    expect(kinds(render(config(access, { adminState: 'down' })))).toEqual(['down', 'ovs-vsctl']);
    expect(kinds(render(config(access), portState({ adminState: 'down' })))).toEqual(['ovs-vsctl', 'up']);
    expect(kinds(render(config(access), portState(), true))).toEqual(['down', 'ovs-vsctl', 'up']);
    expect(kinds(render(config(access, { adminState: 'down' }), portState({ adminState: 'down' }), true))).toEqual([
      'ovs-vsctl',
    ]);
  });

  it('guard a name that ovs-vsctl could take for the beginning of a UUID, and never use a whole UUID', () => {
    expect(render(config(switchport('access', 5)), portState({ name: 'fe01' }))[0]).toMatch(
      /^ovs-vsctl port-to-br fe01 -- set port fe01 /,
    );
    expect(isWritableName('6bd812c3-50f0-4ebd-ba80-976a8bfa9d4b')).toBe(false);
  });

  it('do not exist for ports that cannot be written', () => {
    const to = config(switchport('access', 5));
    for (const name of ['$(reboot)', "a'b", 'a b', 'a;b', '-x', '.', '', 'a\nb', 'x'.repeat(64), '"swp1"']) {
      expect(render(to, portState({ name }))).toEqual([]);
    }
    expect(render(to, portState({ lag: 'bond0' }))).toEqual([]);
    expect(render(to, portState({ kind: 'lag' }))).toHaveLength(1);
    expect(render(to, portState({ kind: 'lag', adminState: 'down' }))).toEqual([]);
    expect(render({ ...to, mtu: 9000 }, portState({ kind: 'lag' }))).toEqual([]);
    expect(render(config(switchport('trunk', null)))).toEqual([]);
  });

  it('say what cannot be expressed', () => {
    expect(ovsUnsupported(config(switchport('trunk', null)))).toContain('without any VLAN');
    expect(ovsUnsupported(config(switchport('trunk', 1)))).toBeNull();
    expect(ovsUnsupported(config(switchport('access', 5), { mtu: 67 }))).toContain('68 to 65535');
    expect(ovsUnsupported(config(switchport('access', 5), { description: 'x'.repeat(201) }))).toContain('200');
    expect(ovsUnsupported(config(switchport('access', 5), { description: 'a\u0000' }))).toContain('ASCII');
    expect(ovsUnsupported(config({ mode: 'hybrid', nativeVlan: null, taggedVlans: VlanSet.of(5) }))).toContain(
      'hybrid',
    );
  });
});

const vlans = fc.oneof(
  fc.uniqueArray(fc.integer({ min: 1, max: 4094 }), { maxLength: 6 }).map((ids) => VlanSet.of(...ids)),
  fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { maxLength: 8 }).map((ids) => VlanSet.of(...ids)),
  fc.constant(VlanSet.ALL),
);
const vlan = fc.oneof(fc.integer({ min: 1, max: 4094 }), fc.integer({ min: 1, max: 8 }));
const wanted = fc
  .record({ mode: fc.constantFrom('access', 'trunk', 'hybrid'), native: fc.option(vlan), allowed: vlans })
  .map(({ mode, native, allowed }) => switchport(mode, mode === 'trunk' ? native : (native ?? 1), allowed))
  .filter((sw) => sw.nativeVlan !== null || !sw.taggedVlans.isEmpty);
const state = fc.record({
  mode: fc.constantFrom(null, 'access', 'trunk', 'native-untagged', 'native-tagged'),
  tag: fc.option(fc.integer({ min: 0, max: 4095 })),
  trunks: fc.uniqueArray(fc.integer({ min: 0, max: 4095 }), { maxLength: 5 }),
  up: fc.boolean(),
});
const description = fc.option(
  fc.string({ unit: fc.integer({ min: 32, max: 126 }).map((c) => String.fromCharCode(c)) }),
);

function carriedBy(sw: Switchport): Set<string> {
  const tagged = sw.taggedVlans.ids().map((id) => `${id}t`);
  return new Set(sw.nativeVlan === null ? tagged : [`${sw.nativeVlan}`, ...tagged]);
}

describe('never open', () => {
  it('after every command a port carries its old VLANs, its new ones or none, and in the end exactly what is wanted', () => {
    fc.assert(
      fc.property(state, wanted, fc.boolean(), fc.boolean(), description, (start, sw, up, bounce, text) => {
        const port = new ModelPort();
        Object.assign(port, { ...start, trunks: new Set(start.trunks), description: 'old' });
        const before = port.carried();
        const after = up ? carriedBy(sw) : new Set<string>();
        const from = portState({ adminState: start.up ? 'up' : 'down', description: 'old' });
        const to = config(sw, { adminState: up ? 'up' : 'down', mtu: 9000, description: text });
        for (const command of commands({ from, to, bounce })) {
          port.run(command, 'swp1');
          const now = port.carried();
          const known = now.size === 0 || subset(now, before) || subset(now, carriedBy(sw));
          expect(known, `${command} opens the port`).toBe(true);
        }
        expect(port.carried()).toEqual(after);
        expect(port.up).toBe(up);
        expect(port.mtu).toBe(9000);
        expect(port.description).toBe(text === '' ? null : (text ?? 'old'));
      }),
      { numRuns: 300 },
    );
  });

  it('no description and no name makes a command that is more than its words', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), fc.string({ maxLength: 60, unit: 'binary' }), (name, text) => {
        const to = config(switchport('access', 5), { description: text });
        const step = renderOvs({
          createVlans: [],
          ports: [{ from: portState({ name }), to, bounce: true }],
          deleteVlans: [],
        })[0];
        for (const command of step?.commands ?? []) expect(shellWords(command).length).toBeGreaterThan(3);
        if (step !== undefined && step.commands.length > 0) expect(planStep(step)).not.toBeNull();
      }),
    );
  });
});

function subset(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return [...a].every((item) => b.has(item));
}
