import type { ConfiguredSwitchport, Switchport } from './switchport.ts';

/** IF-MIB ifOperStatus words (RFC 2863). */
export type OperState = 'up' | 'down' | 'testing' | 'unknown' | 'dormant' | 'notPresent' | 'lowerLayerDown';
export type AdminState = 'up' | 'down';

/** One port of a switch, as read from it. Text from the switch is already sanitised and bounded. */
export interface PortState {
  /** The name that the switch's own configuration uses; unique on the switch. */
  readonly name: string;
  /** Other names for the same port (short and long form, ifName, what LLDP reports). */
  readonly aliases: readonly string[];
  readonly ifIndex: number | null;
  readonly macAddress: string | null;
  readonly kind: 'physical' | 'lag' | 'other';
  readonly adminState: AdminState;
  readonly operState: OperState;
  /** Mbit/s; null when unknown or the link is down. */
  readonly speedMbps: number | null;
  /** Configured layer 2 MTU in bytes, as the switch counts it; null when the switch has none for a port. */
  readonly mtu: number | null;
  readonly description: string;
  readonly switchport: ConfiguredSwitchport;
  /** Name of the LAG this port is a member of. */
  readonly lag: string | null;
  /** True when this port carries the agent's own path to the switch, as far as the driver can see. */
  readonly carriesManagement: boolean;
  /** Why the switch says the port cannot work (err-disabled, device missing ...); null when it says nothing. */
  readonly problem: string | null;
}

/** The wanted configuration of one port. `null` fields are left as they are on the switch. */
export interface PortConfig {
  readonly switchport: Switchport;
  readonly adminState: AdminState;
  /** Bytes. */
  readonly mtu: number | null;
  /** "" clears it. */
  readonly description: string | null;
}

/** A VLAN known to the switch. */
export interface VlanEntry {
  readonly id: number;
  readonly name: string;
}

/** Both are configured alike, whatever their links do. */
export function sameConfiguration(a: PortState, b: PortState): boolean {
  return (
    a.adminState === b.adminState &&
    a.mtu === b.mtu &&
    a.description === b.description &&
    a.lag === b.lag &&
    a.switchport.mode === b.switchport.mode &&
    a.switchport.detail === b.switchport.detail &&
    a.switchport.nativeVlan === b.switchport.nativeVlan &&
    a.switchport.taggedVlans.equals(b.switchport.taggedVlans) &&
    a.switchport.extraUntaggedVlans.equals(b.switchport.extraUntaggedVlans)
  );
}
