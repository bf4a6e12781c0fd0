import type { Driver, SwitchIdentity } from '../../drivers/driver.ts';
import { normalizeMac } from '../../drivers/model/mac.ts';
import type { PortState } from '../../drivers/model/port.ts';
import { expandPortList, matchPort } from '../../drivers/text/port-name.ts';
import type { SwitchConfig } from '../config/schema.ts';
import type { PortRef } from '../model/intent.ts';
import type { Reason } from '../model/reasons.ts';

/** What desired state is compiled against: each configured switch, as far as it is known. */
export interface FabricSwitch {
  readonly name: string;
  readonly config: SwitchConfig;
  readonly driver: Driver;
  /** Last known identity, from the store when the switch has not answered since the start. */
  readonly identity: Pick<SwitchIdentity, 'chassisId' | 'systemName'> | null;
  /** null: never read since the start, so port names cannot be checked yet. */
  readonly ports: readonly PortState[] | null;
  /** Ports on which a bridge or router was seen before the agent ever configured them: port name to neighbour. */
  readonly uplinks: ReadonlyMap<string, string>;
}

export type Fabric = ReadonlyMap<string, FabricSwitch>;

export interface Refusal {
  readonly reason: Reason;
  readonly message: string;
}

export type ResolvedSwitch =
  | { readonly found: FabricSwitch }
  | { readonly refusal: Refusal }
  | { readonly unresolved: string };

/** Finds a switch by configured name, chassis MAC or system name. Two that fit are refused, never guessed. */
export function resolveSwitch(switchId: string, fabric: Fabric): ResolvedSwitch {
  const byName = fabric.get(switchId);
  if (byName) return { found: byName };
  const mac = normalizeMac(switchId);
  const wanted = switchId.toLowerCase();
  const fits = [...fabric.values()].filter(
    (s) =>
      s.name.toLowerCase() === wanted ||
      (mac !== null && s.identity?.chassisId != null && normalizeMac(s.identity.chassisId) === mac) ||
      (s.identity !== null && s.identity.systemName !== '' && s.identity.systemName.toLowerCase() === wanted),
  );
  const [first, second] = fits;
  if (first && second) {
    return {
      refusal: {
        reason: 'SwitchUnknown',
        message: `"${switchId}" fits the switches ${fits.map((s) => s.name).join(' and ')}`,
      },
    };
  }
  if (first) return { found: first };
  const unread = [...fabric.values()].filter((s) => s.identity === null).map((s) => s.name);
  if (unread.length > 0)
    return { unresolved: `"${switchId}" is no configured name, and ${unread.join(', ')} has not answered yet` };
  return {
    refusal: {
      reason: 'SwitchUnknown',
      message: `this rack has no switch "${switchId}"; it has ${[...fabric.keys()].join(', ')}`,
    },
  };
}

export type ResolvedPort =
  | { readonly found: PortState }
  | { readonly refusal: Refusal }
  | { readonly unresolved: string };

/** Finds a port by any name that the switch uses for it. An ambiguous name is refused, never guessed. */
export function resolvePort(ref: PortRef, on: FabricSwitch): ResolvedPort {
  if (on.ports === null) return { unresolved: `${on.name} has not been read yet` };
  const match = matchPort(ref.portId, on.ports);
  if ('found' in match) return { found: match.found };
  if ('ambiguous' in match) {
    return {
      refusal: {
        reason: 'PortUnknown',
        message: `"${ref.portId}" fits several ports of ${on.name}: ${match.ambiguous
          .map((p) => p.name)
          .slice(0, 5)
          .join(', ')}`,
      },
    };
  }
  return { refusal: { reason: 'PortUnknown', message: `${on.name} has no port "${ref.portId}"` } };
}

/** The sets of port names that the configuration gives for one switch. */
export interface PortPolicy {
  readonly managed: ReadonlySet<string>;
  /** Port name to the reason why it is never written. */
  readonly protected: ReadonlyMap<string, string>;
}

const cache = new WeakMap<
  readonly PortState[],
  { config: SwitchConfig; uplinks: ReadonlyMap<string, string>; policy: PortPolicy }
>();

/** Which ports of a switch are managed and which are protected, by the configuration and by what was seen. */
export function portPolicy(on: FabricSwitch): PortPolicy {
  if (on.ports === null) return { managed: new Set(), protected: new Map() };
  const known = cache.get(on.ports);
  if (known && known.config === on.config && known.uplinks === on.uplinks) return known.policy;
  const managed = expandPortList(on.config.managedPorts ?? [], on.ports).matched;
  const confirmed = expandPortList(on.config.uplinksConfirmed, on.ports).matched;
  const isProtected = new Map<string, string>();
  for (const [port, neighbor] of on.uplinks) {
    if (!confirmed.has(port)) isProtected.set(port, `an uplink: LLDP showed ${neighbor} when the port was first seen`);
  }
  for (const port of on.ports) {
    if (port.carriesManagement) isProtected.set(port.name, "it carries the agent's own path to the switch");
  }
  const listed = expandPortList(on.config.protectedPorts, on.ports);
  // A name that fits several ports may mean any of them: all of them are protected.
  for (const port of [...listed.matched, ...[...listed.ambiguous.values()].flat()])
    isProtected.set(port, 'listed in protectedPorts');
  const policy = { managed, protected: isProtected };
  cache.set(on.ports, { config: on.config, uplinks: on.uplinks, policy });
  return policy;
}
