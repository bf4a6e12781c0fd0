import type { Capabilities, ChangeSet, PortChange, SwitchReading } from '../../drivers/driver.ts';
import type { PortConfig, PortState, VlanEntry } from '../../drivers/model/port.ts';
import { carriedVlans, hasMembership, switchportHolds } from '../../drivers/model/switchport.ts';
import { VlanSet } from '../../drivers/model/vlan-set.ts';
import type { DesiredPort } from './desired.ts';
import type { Refusal } from './fabric.ts';

/** `from` and `to` are worded when they are read: planning many ports with long lists only has to know that they differ. */
export interface Difference {
  readonly field:
    | 'mode'
    | 'native VLAN'
    | 'allowed VLANs'
    | 'extra untagged VLANs'
    | 'MTU'
    | 'admin state'
    | 'description';
  readonly from: string;
  readonly to: string;
}

/** What is planned for one switch. Empty when the switch is as wanted. */
export interface SwitchPlan {
  /** What it was made from. */
  readonly reading: SwitchReading;
  readonly changes: ChangeSet;
  readonly differences: ReadonlyMap<string, readonly Difference[]>;
  /** Ports that cannot be brought to what is wanted, and why. */
  readonly blocked: ReadonlyMap<string, Refusal>;
}

export interface PlanInput {
  readonly desired: ReadonlyMap<string, DesiredPort>;
  /** VLANs that must stay, whether or not a port uses them now. */
  readonly usedVlans: VlanSet;
  readonly reading: SwitchReading;
  readonly capabilities: Capabilities;
  /** VLANs that the agent made. */
  readonly ownedVlans: VlanSet;
  readonly manageVlans: boolean;
  readonly bounce: boolean;
  /** VLANs that the switch refused to make or remove lately, and its words: left alone for now. */
  readonly refusedVlans: ReadonlyMap<number, string>;
  /** Ports to leave out for now (failed lately, drift that is only reported). */
  readonly skip: ReadonlySet<string>;
}

/** Name of a VLAN that the agent makes; shows on the switch who made it. */
export function vlanName(id: number): string {
  return `pk-${id}`;
}

/** (desired, actual, policy) to changes. Pure. A port that is as wanted is not in the plan. */
export function planSwitch(input: PlanInput): SwitchPlan {
  const { reading, capabilities } = input;
  const refused = VlanSet.of(...input.refusedVlans.keys());
  const ports: PortChange[] = [];
  const differences = new Map<string, readonly Difference[]>();
  const blocked = new Map<string, Refusal>();
  let missing = VlanSet.EMPTY;
  for (const from of reading.ports) {
    const wanted = input.desired.get(from.name);
    if (!wanted || input.skip.has(from.name)) continue;
    const found = portDifferences(from, wanted.config, capabilities);
    const lacks = missingVlans(wanted.config, reading, capabilities);
    if (found.length === 0 && lacks.isEmpty) continue;
    if (from.lag !== null) {
      blocked.set(from.name, {
        reason: 'Unsupported',
        message: `${from.name} is a member of ${from.lag}; a member port is never changed by itself`,
      });
      continue;
    }
    if (!lacks.isEmpty && !input.manageVlans) {
      blocked.set(from.name, {
        reason: 'VlanMissing',
        message: `VLAN ${lacks} does not exist on the switch and vlans.manage is off`,
      });
      continue;
    }
    const refusal = lacks.isEmpty ? undefined : lacks.intersect(refused).ids()[0];
    if (refusal !== undefined) {
      blocked.set(from.name, {
        reason: 'CommandRejected',
        message: `VLAN ${refusal} could not be created: ${input.refusedVlans.get(refusal)}`,
      });
      continue;
    }
    if (!lacks.isEmpty) missing = missing.union(lacks);
    if (found.length === 0) continue;
    differences.set(from.name, found);
    ports.push({ from, to: wanted.config, bounce: input.bounce && changesVlans(found) });
  }
  const createVlans: VlanEntry[] = missing.ids().map((id) => ({ id, name: vlanName(id) }));
  const deleteVlans = removableVlans(input).filter((id) => !refused.has(id));
  return { reading, changes: { createVlans, ports, deleteVlans }, differences, blocked };
}

export function isEmptyPlan(plan: SwitchPlan): boolean {
  const { createVlans, ports, deleteVlans } = plan.changes;
  return createVlans.length === 0 && ports.length === 0 && deleteVlans.length === 0;
}

const existingCache = new WeakMap<SwitchReading, VlanSet>();

function existingVlans(reading: SwitchReading): VlanSet {
  let existing = existingCache.get(reading);
  if (existing === undefined) {
    existing = VlanSet.of(...reading.vlans.map((v) => v.id));
    existingCache.set(reading, existing);
  }
  return existing;
}

/** VLANs of a wanted port that the switch does not have: it is configured for them and carries nothing. */
export function missingVlans(
  wanted: PortConfig,
  reading: SwitchReading,
  capabilities: Pick<Capabilities, 'vlanObjects'>,
): VlanSet {
  if (!capabilities.vlanObjects) return VlanSet.EMPTY;
  const existing = existingVlans(reading);
  const { taggedVlans, nativeVlan } = wanted.switchport;
  // The usual case without a new set: planning many ports is made of this.
  if (taggedVlans.isSubsetOf(existing) && (nativeVlan === null || existing.has(nativeVlan))) return VlanSet.EMPTY;
  return carriedVlans(wanted.switchport).minus(existing);
}

/**
 * Own VLANs that still have the name the agent gave them, that nothing wants and no port carries as read. Another name:
 * somebody made it anew or took it over. A port open for every VLAN does not count as using one.
 */
function removableVlans(input: PlanInput): number[] {
  if (!input.manageVlans || !input.capabilities.vlanObjects) return [];
  const ours = input.reading.vlans.filter((v) => v.name === vlanName(v.id)).map((v) => v.id);
  let candidates = input.ownedVlans.intersect(VlanSet.of(...ours)).minus(input.usedVlans);
  if (candidates.isEmpty) return [];
  for (const port of input.reading.ports) {
    const carried = carriedVlans(port.switchport);
    if (!carried.equals(VlanSet.ALL)) candidates = candidates.minus(carried);
  }
  return candidates.ids();
}

function changesVlans(differences: readonly Difference[]): boolean {
  return differences.some((d) => d.field !== 'MTU' && d.field !== 'description' && d.field !== 'admin state');
}

/** What is different between a port as read and as wanted; empty when it holds. `null` fields are not compared. */
export function portDifferences(
  actual: PortState,
  wanted: PortConfig,
  capabilities: Pick<Capabilities, 'hybridPortType' | 'modesByMembership'>,
): Difference[] {
  const differences: Difference[] = [];
  const add = <T>(field: Difference['field'], is: T, to: T, worded: (value: T) => string) => {
    differences.push({
      field,
      get from() {
        return worded(is);
      },
      get to() {
        return worded(to);
      },
    });
  };
  if (!switchportHolds(wanted.switchport, actual.switchport, capabilities)) {
    const is = actual.switchport;
    const to = wanted.switchport;
    const modeIs = is.detail === '' ? is.mode : `${is.mode} (${is.detail})`;
    const alike = capabilities.modesByMembership === true && hasMembership(is);
    if (is.mode !== to.mode && !alike) add('mode', modeIs, to.mode, String);
    if (is.nativeVlan !== to.nativeVlan) add('native VLAN', is.nativeVlan, to.nativeVlan, number);
    if (!is.taggedVlans.equals(to.taggedVlans)) add('allowed VLANs', is.taggedVlans, to.taggedVlans, list);
    if (!is.extraUntaggedVlans.isEmpty) add('extra untagged VLANs', is.extraUntaggedVlans, VlanSet.EMPTY, list);
  }
  if (actual.adminState !== wanted.adminState) add('admin state', actual.adminState, wanted.adminState, String);
  if (wanted.mtu !== null && actual.mtu !== wanted.mtu) add('MTU', actual.mtu, wanted.mtu, number);
  if (wanted.description !== null && actual.description !== wanted.description)
    add('description', actual.description, wanted.description, (text) => `"${text}"`);
  return differences;
}

function number(value: number | null): string {
  return value === null ? 'none' : String(value);
}

function list(set: VlanSet): string {
  if (set.equals(VlanSet.ALL)) return 'all';
  return set.isEmpty ? 'none' : set.toString();
}
