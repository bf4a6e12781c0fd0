import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Capabilities, ChangeSet, PortChange, SwitchReading, SwitchSession } from '../../drivers/driver.ts';
import { DriverError } from '../../drivers/errors.ts';
import { systemClock } from '../../drivers/model/clock.ts';
import type { PortConfig, PortState } from '../../drivers/model/port.ts';
import { carriedVlans, type Switchport, switchport, switchportHolds } from '../../drivers/model/switchport.ts';
import { VlanSet } from '../../drivers/model/vlan-set.ts';
import { START_STATES, WANTED } from './states.ts';
import type { ConformanceSubject, ConformanceSwitch, WatchedState } from './subject.ts';

/**
 * What every driver must do on a switch that has state: from any start to any wanted state in one apply, never open on the
 * way, seen again when read back, and without touching anything else.
 */
export function conformance(name: string, subject: ConformanceSubject): void {
  const { driver } = subject;

  describe(`conformance of ${name}`, () => {
    let device: ConformanceSwitch;
    let session: SwitchSession;

    beforeAll(async () => {
      device = await subject.start();
      session = await driver.open(device.target, { clock: systemClock, trace: () => {} });
    });
    afterAll(async () => {
      await session?.close();
      await device?.stop();
    });

    const portAt = (index: number): string => device.ports[index] ?? '';

    async function apply(changes: readonly PortChange[], vlans: SwitchReading['vlans']) {
      const existing = VlanSet.of(...vlans.map((v) => v.id));
      const needed = changes.reduce((all, c) => all.union(carriedVlans(c.to.switchport)), VlanSet.EMPTY);
      const missing = driver.capabilities.vlanObjects ? needed.minus(existing).ids() : [];
      const createVlans = missing.map((id) => ({ id, name: `pk-${id}` }));
      return send({ createVlans, ports: changes, deleteVlans: [] });
    }

    /** Applies, and confirms where the switch would undo it otherwise. */
    async function send(set: ChangeSet) {
      const results = await session.apply(driver.render(set, device.target.options));
      await session.tentative?.confirm();
      return results;
    }

    /** One port from where it is to `to`; answers with what was seen on the way. */
    async function converge(port: string, to: PortConfig, bounce = false) {
      const reading = await session.read();
      const before = await device.carried(port);
      const unwatch = await device.watch(port);
      const results = await apply([{ from: portOf(reading, port), to, bounce }], reading.vlans);
      const seen = await unwatch();
      expect(results.map((r) => r.error?.message ?? null).filter((m) => m !== null)).toEqual([]);
      const after = await session.read();
      return { reading, before, seen, after };
    }

    const starts = Object.entries(START_STATES).filter(([, s]) => subject.startModes.includes(s.switchport.mode));
    const wanted = Object.entries(WANTED).filter(([, to]) => driver.unsupported(to, {}) === null);

    describe.each(starts)('from %s', (_, start) => {
      it.each(wanted)('to %s', async (_label, to) => {
        const port = portAt(0);
        await device.reset(port, start);
        const { reading, before, seen, after } = await converge(port, to);
        const goal = pairs(to);
        expectNeverOpen(seen, before, goal);
        expect(await device.carried(port)).toEqual(goal);
        expectHolds(portOf(after, port), to, driver.capabilities);
        expect(others(after, port)).toEqual(others(reading, port));
      });
    });

    it('gets from every wanted state to every other, one after the other', { timeout: 120_000 }, async () => {
      const port = portAt(0);
      await device.reset(port, { switchport: { mode: 'access', vlan: 20 } });
      const goals = wanted.map(([, to]) => to);
      // There and back from each to all that come after it: every ordered pair once.
      const way = goals.flatMap((first, i) => [first, ...goals.slice(i + 1).flatMap((second) => [second, first])]);
      for (const to of way) {
        const { before, seen, after } = await converge(port, to);
        expectNeverOpen(seen, before, pairs(to));
        expectHolds(portOf(after, port), to, driver.capabilities);
      }
    });

    it.each(driver.capabilities.adminState ? [''] : [])('shuts the port around a change when asked to%s', async () => {
      const port = portAt(0);
      await device.reset(port, { switchport: { mode: 'access', vlan: 20 } });
      const to: PortConfig = { switchport: switchport('access', 10), adminState: 'up', mtu: null, description: null };
      const { seen, before } = await converge(port, to, true);
      expectNeverOpen(seen, before, pairs(to));
      expect(seen.some((s) => s.carried.size === 0)).toBe(true);
      expect(await device.carried(port)).toEqual(pairs(to));
    });

    it('changes several ports in one apply', async () => {
      const configs = wanted.slice(0, device.ports.length).map(([, to]) => to);
      for (const port of device.ports) await device.reset(port, { switchport: { mode: 'access', vlan: 20 } });
      const reading = await session.read();
      const changes = configs.map((to, i) => ({ from: portOf(reading, portAt(i)), to, bounce: false }));
      const results = await apply(changes, reading.vlans);
      expect(results.every((r) => r.error === null)).toBe(true);
      const after = await session.read();
      for (const [i, to] of configs.entries()) {
        expect(await device.carried(portAt(i))).toEqual(pairs(to));
        expectHolds(portOf(after, portAt(i)), to, driver.capabilities);
      }
    });

    it('reports a refused port as refused, in order, and changes the others all the same', async () => {
      for (const port of device.ports) await device.reset(port, { switchport: { mode: 'access', vlan: 20 } });
      const reading = await session.read();
      const to: PortConfig = { switchport: switchport('access', 10), adminState: 'up', mtu: null, description: null };
      const ghost = { ...portOf(reading, portAt(1)), name: subject.ghost };
      const from = [portOf(reading, portAt(0)), ghost, portOf(reading, portAt(2))];
      const results = await apply(
        from.map((port) => ({ from: port, to, bounce: false })),
        reading.vlans,
      );
      const ports = results.filter((r) => r.step.kind === 'port');
      expect(ports.map((r) => r.step.subject)).toEqual([portAt(0), subject.ghost, portAt(2)]);
      expect(ports.map((r) => r.error?.kind ?? null)).toEqual([null, 'rejected', null]);
      expect(ports[1]?.error?.answer ?? '').not.toBe('');
      expect(session.alive).toBe(true);
      const untouched = await device.carried(portAt(1));
      expect([await device.carried(portAt(0)), untouched, await device.carried(portAt(2))]).toEqual([
        new Set(['10u']),
        new Set(['20u']),
        new Set(['10u']),
      ]);
    });

    it.each(driver.capabilities.vlanObjects ? [''] : [])('creates and deletes VLANs and nothing else%s', async () => {
      const before = await session.read();
      const entry = { id: 3333, name: 'pk-3333' };
      const created = await send({ createVlans: [entry], ports: [], deleteVlans: [] });
      expect(created.map((r) => r.error)).toEqual([null]);
      expect((await session.read()).vlans).toContainEqual(entry);
      const removed = await send({ createVlans: [], ports: [], deleteVlans: [3333] });
      expect(removed.map((r) => r.error)).toEqual([null]);
      const after = await session.read();
      expect([after.ports, after.vlans]).toEqual([before.ports, before.vlans]);
    });

    it('reads the same twice, with every port once and by its own name', async () => {
      const [first, second] = [await session.read(), await session.read()];
      expect([second.ports, second.vlans]).toEqual([first.ports, first.vlans]);
      const names = first.ports.map((p) => p.name);
      expect(new Set(names).size).toBe(names.length);
      expect(names).toEqual(expect.arrayContaining([...device.ports]));
    });

    it('says who the switch is, the same at every time', async () => {
      const identity = await session.identify();
      expect(identity.vendor).not.toBe('');
      expect(identity.systemName).not.toBe('');
      expect(await session.identify()).toEqual(identity);
    });

    it('reads neighbours of its own ports only', async () => {
      const names = new Set((await session.read()).ports.map((p) => p.name));
      for (const neighbor of await session.neighbors()) expect(names).toContain(neighbor.port);
    });

    it('saves', async () => {
      await session.save();
      expect(session.alive).toBe(true);
    });

    it('declares what it can do: a mode, an MTU or a description outside of that is unsupported', () => {
      const { modes, mtu, descriptionLength, nativeVlanOnTrunk } = driver.capabilities;
      const refuses = (part: Partial<PortConfig>) => driver.unsupported({ ...base, ...part }, {}) !== null;
      for (const [, { switchport: sw }] of Object.entries(WANTED)) {
        const can = modes.includes(sw.mode) && (nativeVlanOnTrunk || sw.mode === 'access' || sw.nativeVlan === null);
        expect([sw.mode, refuses({ switchport: sw })]).toEqual([sw.mode, !can]);
      }
      expect(refuses({ mtu: mtu === null ? 9000 : mtu.max + 1 })).toBe(true);
      expect(refuses({ description: 'x'.repeat(descriptionLength + 1) })).toBe(true);
      expect(driver.checkOptions({})).toEqual([]);
      expect(driver.checkOptions({ noSuchOption: 1 })).not.toEqual([]);
    });

    it('closes at once, is dead then, and answers with a typed error', async () => {
      const other = await driver.open(device.target, { clock: systemClock, trace: () => {} });
      await other.close();
      expect(other.alive).toBe(false);
      await expect(other.read()).rejects.toBeInstanceOf(DriverError);
    });
  });
}

const base: PortConfig = { switchport: switchport('access', 10), adminState: 'up', mtu: null, description: null };

function portOf(reading: SwitchReading, name: string): PortState {
  const port = reading.ports.find((p) => p.name === name);
  if (!port) throw new Error(`${name} is not in the reading`);
  return port;
}

/** What a port forwards that is configured so. */
function pairs({
  adminState,
  switchport: { nativeVlan, taggedVlans },
}: {
  adminState: string;
  switchport: Switchport;
}) {
  if (adminState === 'down') return new Set<string>();
  return new Set([...taggedVlans.ids().map((id) => `${id}t`), ...(nativeVlan === null ? [] : [`${nativeVlan}u`])]);
}

function expectNeverOpen(seen: readonly WatchedState[], before: ReadonlySet<string>, after: ReadonlySet<string>): void {
  const open = seen.filter(({ carried }) => {
    const now = [...carried];
    return !now.every((pair) => before.has(pair)) && !now.every((pair) => after.has(pair));
  });
  expect(open.map((s) => `after "${s.after}": ${[...s.carried].slice(0, 20)}`)).toEqual([]);
}

function expectHolds(port: PortState, to: PortConfig, capabilities: Capabilities): void {
  expect([port.switchport, switchportHolds(to.switchport, port.switchport, capabilities)]).toEqual([
    port.switchport,
    true,
  ]);
  expect(port.adminState).toBe(to.adminState);
  if (to.mtu !== null) expect(port.mtu).toBe(to.mtu);
  if (to.description !== null) expect(port.description).toBe(to.description);
}

/** All other ports, without what changes by itself. */
function others(reading: SwitchReading, name: string) {
  return reading.ports.filter((p) => p.name !== name).map(({ operState: _o, speedMbps: _s, ...rest }) => rest);
}
