import { ALL_VLANS, sameIds, type VlanIds } from './vlan-list.ts';

/** Administrative mode. The dynamic modes carry what an access port carries, unless the other side speaks DTP. */
export type PortMode = 'access' | 'trunk' | 'dynamic auto' | 'dynamic desirable' | 'routed';

/** The configuration of one port or Port-channel. Never changed in place. */
export interface PortSettings {
  readonly shutdown: boolean;
  readonly mode: PortMode;
  readonly accessVlan: number;
  readonly nativeVlan: number;
  readonly allowed: VlanIds;
  /** Only on hardware with two trunk encapsulations. */
  readonly encapsulation: 'dot1q' | 'negotiate';
  readonly nonegotiate: boolean;
  /** Bytes, 1500 to 9216. */
  readonly mtu: number;
  readonly description: string;
  /** Mbit/s. */
  readonly speed: 'auto' | number;
  readonly channelGroup: { readonly id: number; readonly mode: string } | null;
  readonly portfast: 'no' | 'edge' | 'trunk';
  readonly bpduguard: boolean;
}

export function defaultSettings(mode: PortMode, encapsulation: PortSettings['encapsulation'] = 'dot1q'): PortSettings {
  return {
    shutdown: false,
    mode,
    accessVlan: 1,
    nativeVlan: 1,
    allowed: ALL_VLANS,
    encapsulation,
    nonegotiate: false,
    mtu: 1500,
    description: '',
    speed: 'auto',
    channelGroup: null,
    portfast: 'no',
    bpduguard: false,
  };
}

/** True when two ports may be in one bundle: equal mode, VLANs and MTU. */
export function bundles(a: PortSettings, b: PortSettings): boolean {
  return (
    a.mode === b.mode &&
    a.accessVlan === b.accessVlan &&
    a.nativeVlan === b.nativeVlan &&
    a.mtu === b.mtu &&
    sameIds(a.allowed, b.allowed)
  );
}

/** What a Port-channel hands down to its members. */
export function handedDown(settings: PortSettings): Partial<PortSettings> {
  const { mode, accessVlan, nativeVlan, allowed, encapsulation, nonegotiate, mtu, shutdown } = settings;
  return { mode, accessVlan, nativeVlan, allowed, encapsulation, nonegotiate, mtu, shutdown };
}
