import type { Driver, PortChange } from '../../drivers/driver.ts';
import type { PortConfig, PortState } from '../../drivers/model/port.ts';
import { carriedVlans } from '../../drivers/model/switchport.ts';
import { VlanSet } from '../../drivers/model/vlan-set.ts';
import type { Config } from '../config/schema.ts';
import { own } from '../model/own.ts';
import { findNetwork, networkConfig, providerVlans } from './authorise.ts';
import { fingerprint } from './switch-view.ts';

export interface FallbackContext {
  readonly config: Config;
  readonly driver: Driver;
  readonly options: Readonly<Record<string, unknown>>;
  /** "publisher/attachment" the port is wanted for; null: idle. */
  readonly owner: string | null;
  /** Whom the port was last proven for; undefined: nobody that the agent knows of. */
  readonly formerOwner: string | null | undefined;
}

/**
 * What a port that could not be brought to what is wanted is put to: its state before, if that is safe; else the idle
 * network; else shut. Safe means that it can be expressed, that the same attachment (or nobody) had the port, and that it
 * carries nothing but VLANs which its publisher may use. Pure.
 */
export function fallbackFor(change: PortChange, now: PortState, context: FallbackContext): PortConfig {
  const before = asConfig(change.from);
  if (before !== null && can(before, context) && isSafe(before, context)) return before;
  const idle = findNetwork('idle', context.config.networks);
  if (idle) {
    const config = networkConfig(idle);
    if (fingerprint(config) !== fingerprint(change.to) && can(config, context)) return config;
  }
  const shape = asConfig(now)?.switchport ?? change.to.switchport;
  return { switchport: shape, adminState: 'down', mtu: null, description: null };
}

/** A port as read, as a configuration; null when no intent could ask for it. */
export function asConfig(port: PortState): PortConfig | null {
  const { mode, nativeVlan, taggedVlans, extraUntaggedVlans } = port.switchport;
  if (!(mode === 'access' || mode === 'trunk' || mode === 'hybrid') || !extraUntaggedVlans.isEmpty) return null;
  return {
    switchport: { mode, nativeVlan, taggedVlans },
    adminState: port.adminState,
    mtu: port.mtu,
    description: port.description,
  };
}

function can(config: PortConfig, context: FallbackContext): boolean {
  return context.driver.unsupported(config, context.options) === null;
}

function isSafe(before: PortConfig, { config, owner, formerOwner }: FallbackContext): boolean {
  if (owner === null) return false;
  if (formerOwner !== undefined && formerOwner !== null && formerOwner !== owner) return false;
  const carried = carriedVlans(before.switchport);
  const provider = providerVlans(config.networks);
  if (carried.isSubsetOf(provider)) return true;
  const publisher = owner.slice(0, owner.indexOf('/'));
  const vlans = config.publishers && own(config.publishers, publisher)?.vlans;
  const allowed = vlans === undefined ? VlanSet.ALL : VlanSet.fromItems(vlans);
  return carried.intersect(provider).isEmpty && carried.isSubsetOf(allowed) && !carried.equals(VlanSet.ALL);
}
