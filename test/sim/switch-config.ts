import type { PortSettings } from './port-settings.ts';

export interface VlanRecord {
  readonly name: string;
  readonly state: 'active' | 'suspend';
  /** `shutdown` in config-vlan: local to the switch, forwards nothing. */
  readonly shutdown: boolean;
}

/** `transparent`: VLANs are part of running-config. `server`: VLANs 1 to 1005 are in a file of their own, saved at once. */
export type VtpMode = 'transparent' | 'server' | 'client';

/** Everything that a configuration file holds. */
export interface SwitchConfig {
  hostname: string;
  lldpRun: boolean;
  /** Ports and Port-channels by long name. */
  readonly ports: Map<string, PortSettings>;
  readonly vlans: Map<number, VlanRecord>;
}

/** VLANs that exist on every switch, carry nothing of ours and cannot be deleted. */
export const RESERVED_VLANS: ReadonlyMap<number, string> = new Map([
  [1002, 'fddi-default'],
  [1003, 'token-ring-default'],
  [1004, 'fddinet-default'],
  [1005, 'trnet-default'],
]);

export function copyConfig(config: SwitchConfig): SwitchConfig {
  return { ...config, ports: new Map(config.ports), vlans: new Map(config.vlans) };
}

/** Name that a VLAN gets when nobody gives it one. */
export function defaultVlanName(id: number): string {
  return id === 1 ? 'default' : `VLAN${String(id).padStart(4, '0')}`;
}
