import { bundles, type PortSettings } from './port-settings.ts';
import { RESERVED_VLANS, type SwitchConfig } from './switch-config.ts';

/** What one port forwards, given its configuration. */
export interface Carried {
  /** VLAN of untagged frames; null: untagged frames go nowhere. */
  readonly untagged: number | null;
  /** VLANs carried tagged, ascending. */
  readonly tagged: readonly number[];
  /**
   * True when frames pass now: not shut, cable plugged, not err-disabled. The VLANs are those that pass as soon as a
   * cable is plugged, so that a test sees an open port before a host does.
   */
  readonly up: boolean;
}

/** What the configuration alone does not tell. */
export interface PortCondition {
  readonly link: boolean;
  readonly errDisabled: string | null;
  /** The other side speaks DTP: a dynamic port becomes a trunk. */
  readonly dtpPeer: boolean;
}

const NOTHING: Carried = { untagged: null, tagged: [], up: false };

/** True when the VLAN exists and forwards. */
export function vlanForwards(config: SwitchConfig, id: number): boolean {
  const vlan = config.vlans.get(id);
  return vlan !== undefined && vlan.state === 'active' && !vlan.shutdown && !RESERVED_VLANS.has(id);
}

/** True when the port works as a trunk, whatever its administrative mode. */
export function isTrunking(settings: PortSettings, condition: PortCondition): boolean {
  return settings.mode === 'trunk' || (settings.mode.startsWith('dynamic') && condition.dtpPeer);
}

/** True for a member that differs from its Port-channel and is therefore kept out of it. */
export function isSuspended(config: SwitchConfig, settings: PortSettings): boolean {
  if (settings.channelGroup === null) return false;
  const bundle = config.ports.get(`Port-channel${settings.channelGroup.id}`);
  return bundle === undefined || !bundles(settings, bundle);
}

/**
 * What the port forwards: the oracle of never-open tests. A VLAN that is not in the VLAN database, is suspended or shut
 * forwards nothing; neither does a shut, routed, err-disabled or suspended port. On a trunk the native VLAN passes
 * untagged only when it is in the allowed list.
 */
export function carried(config: SwitchConfig, settings: PortSettings, condition: PortCondition): Carried {
  if (settings.shutdown || settings.mode === 'routed' || condition.errDisabled !== null) return NOTHING;
  if (isSuspended(config, settings)) return NOTHING;
  const up = condition.link;
  if (!isTrunking(settings, condition)) {
    return { untagged: vlanForwards(config, settings.accessVlan) ? settings.accessVlan : null, tagged: [], up };
  }
  const open = [...config.vlans.keys()].filter((id) => settings.allowed.has(id) && vlanForwards(config, id));
  return {
    untagged: open.includes(settings.nativeVlan) ? settings.nativeVlan : null,
    tagged: open.filter((id) => id !== settings.nativeVlan).sort((a, b) => a - b),
    up,
  };
}
