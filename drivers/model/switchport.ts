import { VlanSet } from './vlan-set.ts';

/** Modes that an intent may ask for; meanings in docs/contract.md. */
export type SwitchportMode = 'access' | 'trunk' | 'hybrid';

/** A wanted switchport. Normalised: the native VLAN is never in `taggedVlans`, and access carries nothing tagged. */
export interface Switchport {
  readonly mode: SwitchportMode;
  /** VLAN of untagged frames in both directions; null (trunk only): untagged frames go nowhere. */
  readonly nativeVlan: number | null;
  /** VLANs carried tagged; exact, anything else is not carried. */
  readonly taggedVlans: VlanSet;
}

/** A switchport as the switch has it *configured* (not as it happens to operate now). */
export interface ConfiguredSwitchport {
  /** `routed`: a layer 3 port; `none`: in no bridge or VLAN at all; `other`: a mode that no intent can ask for (see `detail`). */
  readonly mode: SwitchportMode | 'routed' | 'none' | 'other';
  /** VLAN that untagged frames received belong to and that is sent untagged; null: untagged frames are dropped. */
  readonly nativeVlan: number | null;
  readonly taggedVlans: VlanSet;
  /** VLANs that leave the port untagged besides `nativeVlan`: a leak, never part of a wanted state. */
  readonly extraUntaggedVlans: VlanSet;
  /** The switch's own word for a mode of `other`; "" otherwise. */
  readonly detail: string;
}

/** Builds a normalised wanted switchport. The caller has checked ranges; access takes no tagged VLANs. */
export function switchport(
  mode: SwitchportMode,
  nativeVlan: number | null,
  allowed: VlanSet = VlanSet.EMPTY,
): Switchport {
  const taggedVlans = mode === 'access' ? VlanSet.EMPTY : nativeVlan === null ? allowed : allowed.without(nativeVlan);
  return { mode, nativeVlan, taggedVlans };
}

/** Builds a configured switchport; what is not given is empty. */
export function configured(
  mode: ConfiguredSwitchport['mode'],
  nativeVlan: number | null,
  tagged: VlanSet = VlanSet.EMPTY,
  extraUntaggedVlans: VlanSet = VlanSet.EMPTY,
  detail = '',
): ConfiguredSwitchport {
  const taggedVlans = nativeVlan === null ? tagged : tagged.without(nativeVlan);
  return { mode, nativeVlan, taggedVlans, extraUntaggedVlans, detail };
}

/** Every VLAN that the port would carry, tagged or not. */
export function carriedVlans(port: Switchport | ConfiguredSwitchport): VlanSet {
  const native = port.nativeVlan === null ? port.taggedVlans : port.taggedVlans.with(port.nativeVlan);
  return 'extraUntaggedVlans' in port ? native.union(port.extraUntaggedVlans) : native;
}

/** How a switch tells its modes apart; see Capabilities. */
export interface PortTypes {
  readonly hybridPortType?: boolean;
  readonly modesByMembership?: boolean;
}

/** Access, trunk or hybrid: what the port carries is what is listed. */
export function hasMembership({ mode }: ConfiguredSwitchport): boolean {
  return mode === 'access' || mode === 'trunk' || mode === 'hybrid';
}

/**
 * True when the configured switchport is exactly the wanted one. `hybrid` is a trunk with a native VLAN, and equals one
 * unless the switch has a port type of its own for it (`hybridPortType`). On a switch without modes (`modesByMembership`) only
 * what is carried counts.
 */
export function switchportHolds(
  wanted: Switchport,
  actual: ConfiguredSwitchport,
  { hybridPortType = false, modesByMembership = false }: PortTypes = {},
): boolean {
  const wantedMode = wanted.mode === 'hybrid' && !hybridPortType ? 'trunk' : wanted.mode;
  const actualMode = actual.mode === 'hybrid' && !hybridPortType ? 'trunk' : actual.mode;
  return (
    (wantedMode === actualMode || (modesByMembership && hasMembership(actual))) &&
    wanted.nativeVlan === actual.nativeVlan &&
    actual.extraUntaggedVlans.isEmpty &&
    wanted.taggedVlans.equals(actual.taggedVlans)
  );
}
