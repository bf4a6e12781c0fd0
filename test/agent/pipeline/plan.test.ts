import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DesiredPort } from '../../../agent/pipeline/desired.ts';
import { isEmptyPlan, type PlanInput, planSwitch, type SwitchPlan } from '../../../agent/pipeline/plan.ts';
import type { SwitchReading } from '../../../drivers/driver.ts';
import type { PortConfig, PortState } from '../../../drivers/model/port.ts';
import { configured, switchport } from '../../../drivers/model/switchport.ts';
import { VlanSet } from '../../../drivers/model/vlan-set.ts';
import { FakeSwitch, freshPort } from '../../support/fake-switch.ts';

const { capabilities } = new FakeSwitch([]).driver;

const vlan = fc.integer({ min: 1, max: 60 });
const vlans = fc.uniqueArray(vlan, { maxLength: 20 }).map((ids) => VlanSet.of(...ids));
const wantedPort = fc
  .record({
    mode: fc.constantFrom('access', 'trunk', 'hybrid'),
    native: fc.option(vlan),
    tagged: vlans,
    admin: fc.constantFrom('up', 'down'),
    mtu: fc.option(fc.integer({ min: 1500, max: 9216 })),
    description: fc.option(fc.string({ maxLength: 12 })),
  })
  .map(
    (p): PortConfig => ({
      switchport: switchport(p.mode as 'access', p.mode === 'trunk' ? p.native : (p.native ?? 7), p.tagged),
      adminState: p.admin as 'up',
      mtu: p.mtu,
      description: p.description,
    }),
  );
const actualPort = fc
  .record({
    mode: fc.constantFrom('access', 'trunk', 'hybrid', 'routed', 'none', 'other'),
    native: fc.option(vlan),
    tagged: vlans,
    extra: vlans,
    admin: fc.constantFrom('up', 'down'),
    mtu: fc.integer({ min: 1500, max: 9216 }),
  })
  .map(
    (p): Partial<PortState> => ({
      switchport: configured(p.mode as 'access', p.native, p.tagged, p.extra),
      adminState: p.admin as 'up',
      mtu: p.mtu,
    }),
  );

const NAMES = ['swp1', 'swp2', 'swp3', 'swp4', 'swp5', 'swp6'];
const scene = fc.record({
  actual: fc.tuple(...NAMES.map((name) => actualPort.map((p) => freshPort(name, p)))),
  wanted: fc.tuple(...NAMES.map(() => fc.option(wantedPort))),
  existing: vlans,
  owned: vlans,
});

function input(
  actual: readonly PortState[],
  wanted: readonly (PortConfig | null)[],
  existing: VlanSet,
  owned: VlanSet,
): PlanInput {
  const desired = new Map<string, DesiredPort>();
  let used = VlanSet.EMPTY;
  wanted.forEach((config, i) => {
    if (!config) return;
    desired.set(NAMES[i] ?? '', {
      config,
      owner: 'p/a',
      network: null,
      sets: { mtu: config.mtu !== null, description: config.description !== null },
    });
    used = used.union(config.switchport.taggedVlans);
    if (config.switchport.nativeVlan !== null) used = used.with(config.switchport.nativeVlan);
  });
  const reading: SwitchReading = {
    ports: actual,
    vlans: existing
      .with(1)
      .ids()
      .map((id) => ({ id, name: `v${id}` })),
    unsaved: null,
  };
  return {
    desired,
    usedVlans: used,
    reading,
    capabilities,
    ownedVlans: owned,
    manageVlans: true,
    bounce: false,
    refusedVlans: new Map(),
    skip: new Set(),
  };
}

/** What the switch is after it did exactly what the plan says. */
function carriedOut(from: PlanInput, plan: SwitchPlan): PlanInput {
  const { createVlans, ports, deleteVlans } = plan.changes;
  const changed = new Map(ports.map((c) => [c.from.name, c.to]));
  const after = from.reading.ports.map((port): PortState => {
    const to = changed.get(port.name);
    if (!to) return port;
    const { mode, nativeVlan, taggedVlans } = to.switchport;
    return {
      ...port,
      switchport: configured(mode, nativeVlan, taggedVlans),
      adminState: to.adminState,
      mtu: to.mtu ?? port.mtu,
      description: to.description ?? port.description,
    };
  });
  const vlansAfter = [...from.reading.vlans, ...createVlans].filter((v) => !deleteVlans.includes(v.id));
  return { ...from, reading: { ports: after, vlans: vlansAfter, unsaved: null } };
}

describe('planSwitch', () => {
  it('plans nothing once its plan was carried out, but the removal of VLANs that became free', () => {
    fc.assert(
      fc.property(scene, ({ actual, wanted, existing, owned }) => {
        const first = input(actual, wanted, existing, owned);
        const second = carriedOut(first, planSwitch(first));
        const next = planSwitch(second);
        expect(next.changes.ports).toEqual([]);
        expect(next.changes.createVlans).toEqual([]);
        expect(isEmptyPlan(planSwitch(carriedOut(second, next)))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('never touches a port of which nothing is wanted, and never a LAG member', () => {
    fc.assert(
      fc.property(scene, fc.nat(5), ({ actual, wanted, existing, owned }, member) => {
        const ports = actual.map((p, i) => (i === member ? { ...p, lag: 'bond1' } : p));
        const plan = planSwitch(input(ports, wanted, existing, owned));
        for (const change of plan.changes.ports) {
          const at = NAMES.indexOf(change.from.name);
          expect(wanted[at]).not.toBeNull();
          expect(at).not.toBe(member);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('removes only own VLANs that nothing wants and no port carries, and creates only what is missing', () => {
    fc.assert(
      fc.property(scene, ({ actual, wanted, existing, owned }) => {
        const given = input(actual, wanted, existing, owned);
        const { createVlans, deleteVlans } = planSwitch(given).changes;
        for (const id of deleteVlans) {
          expect(owned.has(id) && !given.usedVlans.has(id)).toBe(true);
          for (const p of actual)
            expect(
              p.switchport.nativeVlan === id ||
                p.switchport.taggedVlans.has(id) ||
                p.switchport.extraUntaggedVlans.has(id),
            ).toBe(false);
        }
        for (const { id } of createVlans) expect(existing.with(1).has(id)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  it('blocks a port whose VLAN is missing when it may not create VLANs', () => {
    const wanted: PortConfig = { switchport: switchport('access', 50), adminState: 'up', mtu: null, description: null };
    const plan = planSwitch({
      ...input([freshPort('swp1')], [wanted], VlanSet.EMPTY, VlanSet.EMPTY),
      manageVlans: false,
    });
    expect(plan.blocked.get('swp1')?.reason).toBe('VlanMissing');
    expect(isEmptyPlan(plan)).toBe(true);
  });

  it('asks for a bounce only when VLANs change', () => {
    const base = { adminState: 'up', description: null } as const;
    const plan = planSwitch({
      ...input(
        [freshPort('swp1'), freshPort('swp2')],
        [
          { ...base, switchport: switchport('access', 1), mtu: 9000 },
          { ...base, switchport: switchport('access', 2), mtu: null },
        ],
        VlanSet.of(2),
        VlanSet.EMPTY,
      ),
      bounce: true,
    });
    expect(plan.changes.ports.map((c) => c.bounce)).toEqual([false, true]);
  });
});
