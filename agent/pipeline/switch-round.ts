import { DriverError } from '../../drivers/errors.ts';
import type { PortConfig, PortState } from '../../drivers/model/port.ts';
import { VlanSet } from '../../drivers/model/vlan-set.ts';
import { own } from '../model/own.ts';
import type { SwitchStoreState } from '../store/state.ts';
import * as books from './bookkeeping.ts';
import { afterReading } from './left-half.ts';
import { withLinks } from './link-hints.ts';
import { linkChanges, neighborChanges, uplinksAmong } from './observe.ts';
import { isEmptyPlan, missingVlans, planSwitch, portDifferences, type SwitchPlan } from './plan.ts';
import { mustRemember, ownerFields, type RoundContext, remember, stored } from './round-context.ts';
import { identityChange } from './switch-link.ts';
import { fingerprint, type PortFailure, type SwitchView } from './switch-view.ts';

/** Asks who the switch is; notices a reboot and a replaced switch. Returns whether it has rebooted since it was last seen. */
export async function identify(ctx: RoundContext): Promise<boolean> {
  const { view, events } = ctx;
  const identity = await ctx.session.identify();
  const known = stored(ctx).identity;
  const changed = identityChange(known, identity);
  if (changed !== null && view.changed === null)
    events.add('switch-changed', `${view.name}: ${changed.message}`, { switch: view.name });
  view.changed = changed;
  view.identity = identity;
  if (changed !== null) return false;
  const rebooted = known?.bootId != null && identity.bootId !== null && known.bootId !== identity.bootId;
  const { serial, chassisId, systemName, bootId } = identity;
  const same =
    known !== null &&
    known.serial === serial &&
    known.chassisId === chassisId &&
    known.systemName === systemName &&
    known.bootId === bootId;
  if (!same) {
    await remember(ctx, (s) => {
      const seen = {
        serial: serial ?? known?.serial ?? null,
        chassisId: chassisId ?? known?.chassisId ?? null,
        systemName,
        bootId: bootId ?? known?.bootId ?? null,
      };
      return { ...(rebooted ? books.afterReboot(s) : s), identity: seen };
    });
  }
  if (rebooted) {
    view.failures = new Map();
    events.add('switch-rebooted', `${view.name} has rebooted; every port is read and converged again`, {
      switch: view.name,
    });
  }
  return rebooted;
}

/** Reads LLDP. A switch that cannot tell its neighbours is still a switch: only a lost session is passed on. */
export async function readNeighbors(ctx: RoundContext): Promise<void> {
  const { view } = ctx;
  try {
    const neighbors = await ctx.session.neighbors();
    if (view.neighborsAt !== null) {
      for (const o of neighborChanges(view.neighbors, neighbors))
        ctx.events.add(o.kind, `${view.name}: ${o.message}`, { switch: view.name, port: o.port });
    }
    view.neighbors = neighbors;
    view.neighborsAt = ctx.clock.now();
    const fresh = uplinksAmong(neighbors);
    await mustRemember(ctx, (s) => books.recordUplinks(s, fresh));
    view.uplinks = knownUplinks(stored(ctx), view.uplinks);
    ctx.changed();
  } catch (error) {
    if (!(error instanceof DriverError) || error.sessionLost) throw error;
    ctx.log('warn', { switch: view.name, kind: error.kind }, `LLDP neighbours could not be read: ${error.message}`);
  }
}

/** The uplinks in the store; the same map as before when nothing changed, so that what is derived from it stays valid. */
export function knownUplinks(s: SwitchStoreState, before: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const now = new Map(
    Object.entries(s.ports).flatMap(([port, p]): [string, string][] => (p.uplink === null ? [] : [[port, p.uplink]])),
  );
  const same = now.size === before.size && [...now].every(([port, n]) => before.get(port) === n);
  return same ? before : now;
}

/** Reads the switch and takes in what it shows. */
export async function read(ctx: RoundContext): Promise<void> {
  const started = { now: ctx.clock.now(), mono: ctx.clock.monotonic() };
  take(ctx, await ctx.session.read(), started);
}

/**
 * Looks at the links of some ports only, by their ifIndexes; returns whether one has changed. Never throws: what fails here is
 * found by the round that follows.
 */
export async function readLinks(ctx: RoundContext, ifIndexes: readonly number[]): Promise<boolean> {
  const { view, session } = ctx;
  try {
    const links = ifIndexes.length === 0 ? undefined : await session.linkStates?.(ifIndexes);
    if (view.reading === null || links === undefined) return false;
    const reading = withLinks(view.reading, links);
    for (const o of linkChanges(view.reading, reading))
      ctx.events.add(o.kind, `${view.name}: ${o.message}`, { switch: view.name, port: o.port });
    const changed = reading !== view.reading;
    view.reading = reading;
    return changed;
  } catch (error) {
    if (!(error instanceof DriverError)) throw error;
    ctx.log('debug', { switch: view.name, kind: error.kind }, `links could not be read: ${error.message}`);
    return false;
  }
}

/** Takes in what a reading shows. */
export function take(
  ctx: RoundContext,
  reading: NonNullable<SwitchView['reading']>,
  started: { now: number; mono: number },
): void {
  const { view } = ctx;
  for (const o of linkChanges(view.reading, reading))
    ctx.events.add(o.kind, `${view.name}: ${o.message}`, { switch: view.name, port: o.port });
  view.reading = reading;
  view.leftHalf = afterReading(view.leftHalf, reading);
  view.readAt = started.now;
  view.readMono = started.mono;
  view.inFlight = new Set();
}

/** Compares with what is wanted and plans. Also notes drift and forgets failures that are over. */
export function plan(ctx: RoundContext, repair: boolean): SwitchPlan | null {
  const { view } = ctx;
  if (view.reading === null) return null;
  const desired = ctx.desired();
  const ports = desired.ports.get(view.name) ?? new Map();
  const skip = new Set<string>();
  const failures = new Map<string, PortFailure>();
  const drifted = new Map<string, string>();
  const now = ctx.clock.monotonic();
  for (const port of view.reading.ports) {
    const wanted = ports.get(port.name);
    if (!wanted) continue;
    const differences = portDifferences(port, wanted.config, view.driver.capabilities);
    if (differences.length === 0) continue;
    const target = fingerprint(wanted.config);
    const failure = view.failures.get(port.name);
    if (failure?.target === target) {
      failures.set(port.name, failure);
      if (now < failure.retryAt && !repair) skip.add(port.name);
      continue;
    }
    const applied = own(stored(ctx).ports, port.name)?.applied;
    if (applied?.target !== target || applied.owner !== wanted.owner) continue;
    const text = differences.map((d) => `${d.field} is ${d.from}, not ${d.to}`).join('; ');
    drifted.set(port.name, text);
    const onlyReport = ctx.config().drift === 'report' && !repair;
    if (onlyReport) skip.add(port.name);
    if (view.drifted.get(port.name) !== text) {
      ctx.events.add('drift', `${view.name} ${port.name} was changed by somebody else: ${text}`, {
        switch: view.name,
        port: port.name,
        ...ownerFields(wanted.owner),
      });
    }
  }
  view.failures = failures;
  view.drifted = drifted;
  const config = ctx.config();
  if (repair) view.vlanFailures = new Map();
  const refused = [...view.vlanFailures].filter(([, failure]) => now < failure.retryAt);
  const result = planSwitch({
    desired: ports,
    usedVlans: desired.vlans.get(view.name) ?? VlanSet.EMPTY,
    reading: view.reading,
    capabilities: view.driver.capabilities,
    ownedVlans: books.ownedVlans(stored(ctx)),
    manageVlans: config.vlans.manage,
    bounce: config.transition === 'bounce',
    refusedVlans: new Map(refused.map(([id, failure]) => [id, failure.words])),
    skip,
  });
  view.blocked = result.blocked;
  return result;
}

/** Writes down what the reading proves: ports that hold, VLANs that are ours, withdrawals that are done. */
export async function settle(ctx: RoundContext): Promise<void> {
  const { view } = ctx;
  const reading = view.reading;
  if (reading === null) return;
  const desired = ctx.desired().ports.get(view.name) ?? new Map();
  await remember(ctx, (s) => {
    let next = books.settleVlans(s, reading);
    for (const port of reading.ports) {
      const wanted = desired.get(port.name);
      if (wanted && holds(view, port, wanted.config)) next = books.portHolds(next, port.name, wanted, null);
    }
    return next;
  });
}

export function planIsEmpty(planned: SwitchPlan | null): boolean {
  return planned === null || isEmptyPlan(planned);
}

/** The port is as wanted by the last reading, and the switch has its VLANs. */
export function holds(view: SwitchView, port: PortState, wanted: PortConfig): boolean {
  const { capabilities } = view.driver;
  if (view.reading === null || portDifferences(port, wanted, capabilities).length > 0) return false;
  return missingVlans(wanted, view.reading, capabilities).isEmpty;
}
