import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PortChange, Step } from '../../../drivers/driver.ts';
import { DriverError } from '../../../drivers/errors.ts';
import { OID } from '../../../drivers/mib/oids.ts';
import { hasPort } from '../../../drivers/mib/port-list.ts';
import { configured, switchport } from '../../../drivers/model/switchport.ts';
import { VlanSet } from '../../../drivers/model/vlan-set.ts';
import { SnmpApplier } from '../../../drivers/snmp/apply.ts';
import { cannotExpress, renderChanges } from '../../../drivers/snmp/render.ts';
import { SnmpStatusError } from '../../../drivers/snmp/session-types.ts';
import { freshPort } from '../../support/fake-switch.ts';
import { QBridgeModel, type Quirks } from './q-bridge-model.ts';

const VLANS = [1, 10, 20, 30, 40];
const PORT = 3;

function change(untagged: number | null, tagged: readonly number[], more: Partial<PortChange['to']> = {}): PortChange {
  const mode = untagged !== null && tagged.length === 0 ? 'access' : 'trunk';
  return {
    from: freshPort(`ge${PORT}`, { switchport: configured('other', null), adminState: 'up' }),
    to: {
      switchport: switchport(mode, untagged, VlanSet.of(...tagged)),
      adminState: 'up',
      mtu: null,
      description: null,
      ...more,
    },
    bounce: false,
  };
}

function run(model: QBridgeModel, steps: readonly Step[]) {
  const place = (name: string) => {
    const port = Number(/^ge([1-9])$/.exec(name)?.[1] ?? Number.NaN);
    return Number.isNaN(port) ? null : { ifIndex: 100 + port, bridgePort: port };
  };
  return new SnmpApplier(model, place).run(steps);
}

const steps = (...ports: PortChange[]) => renderChanges({ createVlans: [], ports, deleteVlans: [] });
const pairs = (untagged: number | null, tagged: readonly number[]) =>
  new Set([
    ...tagged.filter((id) => id !== untagged).map((id) => `${id}t`),
    ...(untagged === null ? [] : [`${untagged}u`, `${untagged}i`]),
  ]);

const AGENTS: Record<string, Quirks> = {
  'as the standard has it': {},
  'that takes two values at most': { maxValues: 2 },
  'that allows one untagged VLAN': { oneUntagged: true, maxValues: 2 },
  'that wants membership before the PVID': { memberFirst: true, maxValues: 2 },
  'that wants both': { memberFirst: true, oneUntagged: true, maxValues: 2 },
  'that moves members with the PVID': { pvidMoves: true },
  'that moves members with the PVID, bit by bit': { pvidMoves: true, maxValues: 2 },
  'without writable frame types': { fixedFrames: true },
};

describe.each(Object.entries(AGENTS))('an agent %s', (_, quirks) => {
  const membership = fc.record({
    untagged: fc.constantFrom(null, 10, 20, 30),
    tagged: fc.subarray([10, 20, 30, 40]),
  });

  it('brings a port from anything to anything, never open on the way, and touches no other port', async () => {
    await fc.assert(
      fc.asyncProperty(membership, membership, fc.boolean(), async (from, to, bounce) => {
        const model = new QBridgeModel(6, VLANS, quirks);
        for (const [port, vlan] of [
          [1, 10],
          [2, 20],
          [6, 30],
        ] as const)
          model.place(port, vlan, [40]);
        model.place(
          PORT,
          from.untagged,
          from.tagged.filter((id) => id !== from.untagged),
        );
        const tagged = to.tagged.filter((id) => id !== to.untagged);
        // Such an agent keeps every port in one VLAN at least.
        fc.pre(!(quirks.memberFirst && to.untagged === null && tagged.length === 0));
        const [before, others] = [model.carried(PORT), model.others(PORT)];
        model.watch(PORT);
        const results = await run(model, steps({ ...change(to.untagged, tagged), bounce }));
        expect(results.map((r) => r.error?.message ?? null)).toEqual([null]);
        const after = pairs(to.untagged, tagged);
        const within = (state: ReadonlySet<string>, goal: ReadonlySet<string>) => [...state].every((p) => goal.has(p));
        for (const state of model.states) {
          const open = !within(state, before) && !within(state, after);
          expect(open ? [...state] : 'closed').toBe('closed');
        }
        expect(model.carried(PORT)).toEqual(after);
        expect(model.others(PORT)).toBe(others);
        if (bounce) expect(model.states.some((state) => state.size === 0)).toBe(true);
      }),
      { numRuns: 120 },
    );
  });
});

describe('a step over SNMP', () => {
  it('is one request where the agent takes it', async () => {
    const model = new QBridgeModel(6, VLANS);
    model.place(PORT, 10, []);
    await run(model, steps(change(20, [])));
    expect(model.sets).toHaveLength(1);
  });

  it('leaves the port shut when it could not be brought to what is wanted, and says which object', async () => {
    const model = new QBridgeModel(6, VLANS, { maxValues: 2 });
    model.place(PORT, 10, []);
    const set = model.set.bind(model);
    model.set = async (values) => {
      if (values.some((v) => v.oid === `${OID.dot1qPvid}.${PORT}`))
        throw new SnmpStatusError('wrongValue', values[0]?.oid ?? null, 'no');
      return set(values);
    };
    const [result] = await run(model, steps(change(20, [])));
    expect(result?.error).toMatchObject({ kind: 'rejected', port: `ge${PORT}` });
    expect(model.carried(PORT)).toEqual(new Set());
    expect(result?.exchanges.at(-1)?.command).toContain(`dot1qPvid.${PORT}=20`);
  });

  it('is refused when somebody else changes the same lists at the same time', async () => {
    const model = new QBridgeModel(6, VLANS);
    model.place(PORT, 10, []);
    const set = model.set.bind(model);
    model.set = async (values) => {
      await set(values);
      model.place(1, 30, []);
    };
    const [result] = await run(model, steps(change(20, [])));
    expect(result?.error).toMatchObject({ kind: 'busy' });
    expect(result?.error?.message).toMatch(/VLAN .*30/);
  });

  it('stops everything when the outcome of a request is not known', async () => {
    const model = new QBridgeModel(6, VLANS);
    model.set = () => Promise.reject(new DriverError('timeout', 'no answer'));
    await expect(run(model, steps(change(20, [])))).rejects.toMatchObject({ kind: 'timeout' });
  });

  it('makes and removes VLANs, never one that is there, and leaves ports alone whose VLAN could not be made', async () => {
    const model = new QBridgeModel(6, [1, 10]);
    const create = (vlan: number) =>
      renderChanges({ createVlans: [{ id: vlan, name: `pk-${vlan}` }], ports: [change(vlan, [])], deleteVlans: [] });
    model.values.set(`${OID.dot1qVlanStaticName}.20`, {
      oid: `${OID.dot1qVlanStaticName}.20`,
      type: 'OctetString',
      value: Buffer.from(''),
    });
    expect((await run(model, create(20))).map((r) => r.error)).toEqual([null, null]);
    expect(hasPort(model.list(OID.dot1qVlanStaticUntaggedPorts, 20), PORT)).toBe(true);
    const sets = model.sets.length;
    await run(model, create(10).slice(0, 1));
    expect(model.sets).toHaveLength(sets);
    const set = model.set.bind(model);
    model.set = async (values) => {
      if (values[0]?.oid.startsWith(OID.dot1qVlanStaticRowStatus))
        throw new SnmpStatusError('resourceUnavailable', null, 'no room');
      return set(values);
    };
    const refused = await run(model, create(30));
    expect(refused.map((r) => r.error?.kind)).toEqual(['rejected', 'rejected']);
    expect(refused[1]?.error?.message).toContain('VLAN 30 could not be created');
  });

  it('does only what the driver itself writes down', async () => {
    const model = new QBridgeModel(6, VLANS);
    const strange = [
      'snmpset 1.3.6.1.2.1.1.5.0 s x',
      "snmpset 'ge1' ifAdminStatus up; reboot",
      'snmpset dot1qVlanStaticRowStatus.1 active',
    ];
    for (const command of strange) {
      const [result] = await run(model, [{ kind: 'port', subject: 'ge1', commands: [command] }]);
      expect(result?.error?.kind).toBe('unsupported');
    }
    const [ghost] = await run(
      model,
      steps({ ...change(20, []), from: freshPort('ge77', { switchport: configured('access', 1) }) }),
    );
    expect(ghost?.error?.kind).toBe('rejected');
    expect(model.sets).toEqual([]);
  });

  it('writes names and descriptions with any printable characters, and reads them back as they were', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary-ascii', maxLength: 64 }), async (text) => {
        const config = change(10, [], { description: text }).to;
        if (cannotExpress(config) !== null) return;
        const model = new QBridgeModel(6, VLANS);
        const oid = `${OID.ifAlias}.${100 + PORT}`;
        model.values.set(oid, { oid, type: 'OctetString', value: Buffer.from('old') });
        const [result] = await run(
          model,
          steps({
            ...change(10, []),
            to: config,
            from: freshPort(`ge${PORT}`, { description: 'old', switchport: configured('access', 10) }),
          }),
        );
        expect(result?.error).toBeNull();
        expect(Buffer.from(model.list(OID.ifAlias, 100 + PORT)).toString('latin1')).toBe(text === 'old' ? 'old' : text);
      }),
    );
  });
});
