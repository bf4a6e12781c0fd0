import type { ChangeSet, SwitchReading } from '../../drivers/driver.ts';
import { VlanSet } from '../../drivers/model/vlan-set.ts';
import { own } from '../model/own.ts';
import { emptyPort, emptySwitch, type PortStoreState, type State, type SwitchStoreState } from '../store/state.ts';
import type { DesiredPort } from './desired.ts';
import { vlanName } from './plan.ts';
import { fingerprint } from './switch-view.ts';

/** Pure updates of what the store keeps of one switch. */
export function withSwitch(state: State, name: string, change: (s: SwitchStoreState) => SwitchStoreState): State {
  const before = own(state.switches, name) ?? emptySwitch;
  const after = change(before);
  return after === before ? state : { ...state, switches: { ...state.switches, [name]: after } };
}

function withPort(s: SwitchStoreState, name: string, change: (p: PortStoreState) => PortStoreState): SwitchStoreState {
  const before = own(s.ports, name) ?? emptyPort;
  const after = change(before);
  return after === before ? s : { ...s, ports: { ...s.ports, [name]: after } };
}

/**
 * What must be on disk before a batch is sent: which VLANs are about to be made, that the ports are the agent's from now
 * on, what they had before in the settings that are put back later, and that the running configuration gets ahead of the
 * saved one: also when the session is lost in the batch and the next reading finds nothing left to do.
 */
export function beforeBatch(
  s: SwitchStoreState,
  changes: ChangeSet,
  desired: ReadonlyMap<string, DesiredPort>,
  saves: boolean,
): SwitchStoreState {
  let next = saves && !s.notPersisted ? { ...s, notPersisted: true } : s;
  for (const { id } of changes.createVlans) next = { ...next, vlans: { ...next.vlans, [id]: 'creating' } };
  for (const { from } of changes.ports) {
    const sets = desired.get(from.name)?.sets;
    next = withPort(next, from.name, (p) => {
      const original = { ...p.original };
      if (sets?.mtu && original.mtu === undefined) original.mtu = from.mtu;
      if (sets?.description && original.description === undefined) original.description = from.description;
      const same = p.configured && original.mtu === p.original.mtu && original.description === p.original.description;
      return same ? p : { ...p, configured: true, original };
    });
  }
  return next;
}

/** After a batch: VLANs made are owned, VLANs removed are forgotten. */
export function afterBatch(s: SwitchStoreState, made: readonly number[], removed: readonly number[]): SwitchStoreState {
  const vlans = { ...s.vlans };
  for (const id of made) vlans[id] = 'owned';
  for (const id of removed) delete vlans[id];
  return { ...s, vlans };
}

/** A reading decides about VLANs whose making was interrupted, and forgets those that others removed or renamed. */
export function settleVlans(s: SwitchStoreState, reading: SwitchReading): SwitchStoreState {
  const names = new Map(reading.vlans.map((v) => [v.id, v.name]));
  const entries = Object.keys(s.vlans).map((id): [string, 'owned' | null] => [
    id,
    names.get(Number(id)) === vlanName(Number(id)) ? 'owned' : null,
  ]);
  if (entries.every(([id, is]) => s.vlans[id] === is)) return s;
  return { ...s, vlans: Object.fromEntries(entries.filter((e): e is [string, 'owned'] => e[1] !== null)) };
}

export function ownedVlans(s: SwitchStoreState): VlanSet {
  return VlanSet.of(...Object.entries(s.vlans).flatMap(([id, is]) => (is === 'owned' ? [Number(id)] : [])));
}

/**
 * A port was read and is as wanted. `changedAt`: when the agent just changed it. Originals that were put back are forgotten.
 * A port that an attachment holds is the agent's, also when nothing had to be changed for it: LLDP can no longer protect it,
 * which would leave the tenant's VLAN on it for ever.
 */
export function portHolds(
  s: SwitchStoreState,
  port: string,
  desired: DesiredPort,
  changedAt: string | null,
): SwitchStoreState {
  return withPort(s, port, (p) => {
    const target = fingerprint(desired.config);
    const original = { ...p.original };
    if (!desired.sets.mtu) delete original.mtu;
    if (!desired.sets.description) delete original.description;
    const sameOwner = p.applied !== null && p.applied.owner === desired.owner;
    const applied = {
      target,
      owner: desired.owner,
      changedAt: changedAt ?? (sameOwner ? (p.applied?.changedAt ?? null) : null),
    };
    const configured = p.configured || desired.owner !== null;
    const same =
      changedAt === null &&
      configured === p.configured &&
      sameOwner &&
      p.applied?.target === target &&
      original.mtu === p.original.mtu &&
      original.description === p.original.description;
    return same ? p : { ...p, configured, original, applied };
  });
}

/** A bridge or router was seen on ports that the agent has never configured. */
export function recordUplinks(s: SwitchStoreState, seen: ReadonlyMap<string, string>): SwitchStoreState {
  let next = s;
  for (const [port, neighbor] of seen) {
    next = withPort(next, port, (p) => (p.configured || p.uplink !== null ? p : { ...p, uplink: neighbor }));
  }
  return next;
}

/** After a reboot nothing is known to hold, and what was not saved is gone. */
export function afterReboot(s: SwitchStoreState): SwitchStoreState {
  const ports = Object.fromEntries(Object.entries(s.ports).map(([name, p]) => [name, { ...p, applied: null }]));
  return { ...s, ports, notPersisted: false };
}

/** Takes out withdrawals that are done. */
export function withoutWithdrawals(
  state: State,
  done: readonly { publisher: string; attachment: string; at: string }[],
): State {
  if (done.length === 0) return state;
  const times = new Map(done.map(({ publisher, attachment, at }) => [`${publisher}/${attachment}`, at]));
  const publishers = Object.fromEntries(
    Object.entries(state.publishers).map(([name, p]) => {
      // Withdrawn again in the meantime: that one is not done yet.
      const left = Object.entries(p.withdrawing).filter(
        ([attachment, { at }]) => times.get(`${name}/${attachment}`) !== at,
      );
      return [
        name,
        left.length === Object.keys(p.withdrawing).length ? p : { ...p, withdrawing: Object.fromEntries(left) },
      ];
    }),
  );
  return { ...state, publishers };
}
