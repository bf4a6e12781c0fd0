import type { Neighbor } from '../../drivers/model/neighbor.ts';
import type { PortConfig } from '../../drivers/model/port.ts';
import { carriedVlans, switchportHolds } from '../../drivers/model/switchport.ts';
import { VlanSet } from '../../drivers/model/vlan-set.ts';
import type { Config } from '../config/schema.ts';
import type { Attachment } from '../model/intent.ts';
import { own } from '../model/own.ts';
import type { State, SwitchStoreState } from '../store/state.ts';
import { authorise, findNetwork, networkConfig, refusePort, refusePublisher } from './authorise.ts';
import { driverOptions } from './driver-options.ts';
import { type Fabric, type FabricSwitch, portPolicy, type Refusal, resolvePort, resolveSwitch } from './fabric.ts';
import { checkNeighbor } from './neighbor-guard.ts';

/** What became of one attachment before any switch is asked. */
export interface Verdict {
  readonly publisher: string;
  readonly attachment: string;
  readonly revision: number;
  readonly switch: string | null;
  readonly port: string | null;
  /**
   * - `accepted`: its port is kept as it asks
   * - `refused`: policy, the driver or another claim says no; it gets nothing
   * - `held`: the cabling guard keeps the tenant off the port for now
   * - `unresolved`: its switch has not been read yet
   */
  readonly state: 'accepted' | 'refused' | 'held' | 'unresolved';
  readonly refusal: Refusal | null;
  /** A remark that does not stop the attachment (cabling guard: warn). */
  readonly warning: string | null;
}

/** What one port is kept at. */
export interface DesiredPort {
  readonly config: PortConfig;
  /** "publisher/attachment"; null: no attachment, the port belongs to the idle network. */
  readonly owner: string | null;
  readonly network: string | null;
  /** Which optional settings are asked for by intent or network (and not just put back to what the port had before). */
  readonly sets: { readonly mtu: boolean; readonly description: boolean };
}

export interface Desired {
  /** By "publisher/attachment". */
  readonly verdicts: ReadonlyMap<string, Verdict>;
  /** By switch name, then port name. Ports that are not here are left as they are. */
  readonly ports: ReadonlyMap<string, ReadonlyMap<string, DesiredPort>>;
  /** VLANs that attachments and provider networks use, by switch; what the agent made beyond these may go. */
  readonly vlans: ReadonlyMap<string, VlanSet>;
}

export type NeighborsBySwitch = ReadonlyMap<string, readonly Neighbor[]>;

interface Candidate {
  readonly key: string;
  readonly verdict: Verdict;
  readonly claim: number;
  readonly on: FabricSwitch;
  readonly port: string;
  readonly attachment: Attachment;
}

/** Key of an attachment over all publishers. */
export function ownerKey(publisher: string, attachment: string): string {
  return `${publisher}/${attachment}`;
}

/**
 * Compiles all accepted documents, the provider networks and the policy into what each port is kept at. Pure: the same
 * input gives the same answer, whatever happened before.
 */
export function compileDesired(
  state: Pick<State, 'publishers' | 'switches'>,
  config: Config,
  fabric: Fabric,
  neighbors: NeighborsBySwitch,
): Desired {
  const { publishers } = state;
  const verdicts = new Map<string, Verdict>();
  const candidates: Candidate[] = [];
  for (const publisher of Object.keys(publishers).sort()) {
    const accepted = own(publishers, publisher)?.accepted;
    if (!accepted) continue;
    for (const [name, attachment] of Object.entries(accepted.document.attachments)) {
      const key = ownerKey(publisher, name);
      const base = { publisher, attachment: name, revision: accepted.revision, warning: null } as const;
      const placed = place(publisher, attachment, config, fabric);
      if ('on' in placed) {
        const verdict: Verdict = {
          ...base,
          switch: placed.on.name,
          port: placed.port,
          state: 'accepted',
          refusal: null,
        };
        candidates.push({
          key,
          verdict,
          claim: own(accepted.claims, name) ?? 0,
          on: placed.on,
          port: placed.port,
          attachment,
        });
      } else {
        verdicts.set(key, { ...base, ...placed });
      }
    }
  }
  const ports = new Map<string, Map<string, DesiredPort>>();
  for (const name of fabric.keys()) ports.set(name, new Map());
  candidates.sort((a, b) => a.claim - b.claim || (a.key < b.key ? -1 : 1));
  const claims = new Map<string, string>();
  for (const c of candidates) verdicts.set(c.key, settle(c, ports, claims, config, neighbors));
  for (const on of fabric.values()) {
    addIdle(on, ports, config);
    putBack(ports.get(on.name), own(state.switches, on.name)?.ports ?? {});
  }
  return { verdicts, ports, vlans: usedVlans(ports, config) };
}

type Placed =
  | { readonly on: FabricSwitch; readonly port: string }
  | Pick<Verdict, 'state' | 'refusal' | 'switch' | 'port'>;

function place(publisher: string, attachment: Attachment, config: Config, fabric: Fabric): Placed {
  const refused = (refusal: Refusal, on: string | null = null, port: string | null = null): Placed => ({
    state: 'refused',
    refusal,
    switch: on,
    port,
  });
  const stranger = refusePublisher(publisher, config);
  if (stranger) return refused(stranger);
  if (!attachment.port) {
    return refused({
      reason: 'Unsupported',
      message: 'link aggregation is not supported by any driver of this rack yet',
    });
  }
  const onSwitch = resolveSwitch(attachment.port.switchId, fabric);
  if ('refusal' in onSwitch) return refused(onSwitch.refusal);
  if ('unresolved' in onSwitch) {
    return {
      state: 'unresolved',
      refusal: { reason: 'SwitchUnreachable', message: onSwitch.unresolved },
      switch: null,
      port: null,
    };
  }
  const on = onSwitch.found;
  const port = resolvePort(attachment.port, on);
  if ('refusal' in port) return refused(port.refusal, on.name);
  if ('unresolved' in port) {
    return {
      state: 'unresolved',
      refusal: { reason: 'AwaitingSwitch', message: port.unresolved },
      switch: on.name,
      port: null,
    };
  }
  const noPort = refusePort(publisher, port.found.name, on, config);
  return noPort ? refused(noPort, on.name, port.found.name) : { on, port: port.found.name };
}

/** Policy on the content, the driver's abilities, the claim and the cabling guard; takes the port if all agree. */
function settle(
  c: Candidate,
  ports: Map<string, Map<string, DesiredPort>>,
  claims: Map<string, string>,
  config: Config,
  neighbors: NeighborsBySwitch,
): Verdict {
  const refused = (refusal: Refusal): Verdict => ({ ...c.verdict, state: 'refused', refusal });
  const authorised = authorise(c.verdict.publisher, c.attachment, config);
  if ('refusal' in authorised) return refused(authorised.refusal);
  const cannot = c.on.driver.unsupported(authorised.config, driverOptions(c.on.config));
  if (cannot !== null) return refused({ reason: 'Unsupported', message: cannot });
  const claim = `${c.on.name}\n${c.port}`;
  const holder = claims.get(claim);
  if (holder !== undefined) {
    return refused({ reason: 'PortClaimed', message: `${c.port} of ${c.on.name} is held by ${holder}` });
  }
  claims.set(claim, c.key);
  const onSwitch = ports.get(c.on.name);
  const seen = (neighbors.get(c.on.name) ?? []).filter((n) => n.port === c.port);
  const mismatch = c.attachment.expectedNeighbor ? checkNeighbor(c.attachment.expectedNeighbor, seen) : null;
  const desired = desiredPort(authorised.config, c.key, authorised.network);
  if (mismatch !== null && config.cablingGuard === 'hold' && !alreadyThere(c, authorised.config)) {
    // Without an idle network nothing is wanted of the port, so that it stays as it is.
    const idle = idlePort(c.on, config, c.key);
    if (idle) onSwitch?.set(c.port, idle);
    return { ...c.verdict, state: 'held', refusal: { reason: 'NeighborMismatch', message: mismatch } };
  }
  onSwitch?.set(c.port, desired);
  return { ...c.verdict, warning: mismatch };
}

/** A host cannot be cut off later by what it or its neighbour says over LLDP: the guard only stops a port being opened. */
function alreadyThere(c: Candidate, wanted: PortConfig): boolean {
  const port = c.on.ports?.find((p) => p.name === c.port);
  return port !== undefined && switchportHolds(wanted.switchport, port.switchport, c.on.driver.capabilities);
}

function idlePort(on: FabricSwitch, config: Config, owner: string | null): DesiredPort | null {
  const idle = findNetwork('idle', config.networks);
  if (!idle) return null;
  const wanted = networkConfig(idle);
  return on.driver.unsupported(wanted, driverOptions(on.config)) === null
    ? desiredPort(wanted, owner, idle.name)
    : null;
}

function desiredPort(config: PortConfig, owner: string | null, network: string | null): DesiredPort {
  return { config, owner, network, sets: { mtu: config.mtu !== null, description: config.description !== null } };
}

/** Settings that the agent once changed and that nobody asks for any more go back to what the port had before. */
function putBack(ports: Map<string, DesiredPort> | undefined, known: SwitchStoreState['ports']): void {
  for (const [name, desired] of ports ?? []) {
    const original = own(known, name)?.original;
    if (!original) continue;
    const mtu = desired.config.mtu ?? original.mtu ?? null;
    const description = desired.config.description ?? original.description ?? null;
    ports?.set(name, { ...desired, config: { ...desired.config, mtu, description } });
  }
}

function addIdle(on: FabricSwitch, ports: Map<string, Map<string, DesiredPort>>, config: Config): void {
  const onSwitch = ports.get(on.name);
  const idle = idlePort(on, config, null);
  if (!onSwitch || !idle || on.ports === null) return;
  const policy = portPolicy(on);
  for (const port of on.ports) {
    if (policy.managed.has(port.name) && !policy.protected.has(port.name) && !onSwitch.has(port.name))
      onSwitch.set(port.name, idle);
  }
}

function usedVlans(ports: Map<string, Map<string, DesiredPort>>, config: Config): Map<string, VlanSet> {
  let networks = VlanSet.EMPTY;
  for (const name of Object.keys(config.networks)) {
    const net = findNetwork(name, config.networks);
    if (net) networks = networks.union(carriedVlans(net.switchport));
  }
  const used = new Map<string, VlanSet>();
  for (const [name, onSwitch] of ports) {
    let vlans = networks;
    for (const desired of onSwitch.values()) {
      const carried = carriedVlans(desired.config.switchport);
      if (!carried.isSubsetOf(vlans)) vlans = vlans.union(carried);
    }
    used.set(name, vlans);
  }
  return used;
}
