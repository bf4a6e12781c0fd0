import type { ChangeSet, PortChange, Step } from '../driver.ts';
import { DriverError } from '../errors.ts';
import type { PortConfig, VlanEntry } from '../model/port.ts';
import { type ConfiguredSwitchport, carriedVlans, type Switchport, switchportHolds } from '../model/switchport.ts';
import { isVlanId, type VlanSet } from '../model/vlan-set.ts';

import { VOICE } from '../text/ios-switchport.ts';

/** Range of `mtu`, in bytes; the lower end is the default. */
export const MTU = { min: 1500, max: 9216 } as const;
export const DESCRIPTION_LENGTH = 200;
/** Longest line sent. IOS takes 254 characters and cuts the rest off, which leaves another list of VLANs than the one meant. */
export const MAX_LINE = 198;

/** What may stand after `interface`. Anything else is not one word of the CLI and is never sent. */
export const PORT_NAME = /^[A-Za-z][A-Za-z0-9/.:-]{0,62}$/;
const VLAN_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/;

/** Options of this driver, checked. */
export interface SimOptions {
  /** A VLAN that leads nowhere: the native VLAN of trunks that carry nothing untagged. */
  readonly parkingVlan: number | null;
}

export function simOptions(options: Readonly<Record<string, unknown>>): SimOptions {
  const { parkingVlan } = options;
  return { parkingVlan: isVlanId(parkingVlan) ? parkingVlan : null };
}

/** VLANs first, ports next, and VLANs that are no longer used last. */
export function renderChanges(changes: ChangeSet, options: SimOptions): Step[] {
  return [
    ...changes.createVlans.map(createVlan),
    ...changes.ports.map((change) => portStep(change, options)),
    ...changes.deleteVlans.map((id): Step => ({ kind: 'vlan-delete', subject: `${id}`, commands: [`no vlan ${id}`] })),
  ];
}

/** A name that is not one plain word is left out: the switch then names the VLAN itself. */
function createVlan({ id, name }: VlanEntry): Step {
  const naming = VLAN_NAME.test(name) ? [`name ${name}`] : [];
  return { kind: 'vlan-create', subject: `${id}`, commands: [`vlan ${id}`, ...naming, 'exit'] };
}

/** Why the CLI cannot express the configuration; null when it can. */
export function cannotExpress(config: PortConfig, options: SimOptions): string | null {
  const { switchport: wanted, mtu, description } = config;
  if (wanted.mode === 'access' && wanted.nativeVlan === null) return 'an access port needs a VLAN';
  if (wanted.nativeVlan === null && unusedNative(carriedVlans(wanted), options) === null)
    return 'a trunk of all 4094 VLANs leaves no native VLAN to drop untagged frames with; give it a native VLAN';
  if (mtu !== null && !(Number.isInteger(mtu) && mtu >= MTU.min && mtu <= MTU.max))
    return `MTU ${mtu} is outside ${MTU.min} to ${MTU.max}`;
  if (description === null) return null;
  if (description.length > DESCRIPTION_LENGTH) return `a description has at most ${DESCRIPTION_LENGTH} characters`;
  if (/[^\x20-\x7e]|\?/.test(description))
    return 'a description has only printable ASCII and no "?", which asks for help';
  return description.trim() === description ? null : 'a description neither starts nor ends with a space';
}

/**
 * The lines for one port. After each of them the port carries a part of what it carried, a part of what it shall carry, or
 * nothing; see {@link switchportLines}. MTU and description come before the VLANs, so that a refused one leaves these alone.
 */
function portStep({ from, to, bounce }: PortChange, options: SimOptions): Step {
  const problem = PORT_NAME.test(from.name) ? cannotExpress(to, options) : 'the name is not one that the CLI takes';
  if (problem !== null) throw new DriverError('unsupported', `${from.name}: ${problem}`, { port: from.name });
  const lines: string[] = [];
  if (to.mtu !== null && to.mtu !== from.mtu) lines.push(to.mtu === MTU.min ? 'no mtu' : `mtu ${to.mtu}`);
  if (to.description !== null && to.description !== from.description)
    lines.push(to.description === '' ? 'no description' : `description ${to.description}`);
  const moves = !switchportHolds(to.switchport, from.switchport);
  const covered = (moves && !hasSafeOrder(from.switchport)) || (bounce && (moves || lines.length > 0));
  if (moves) {
    if (from.switchport.mode === 'routed') lines.unshift('switchport');
    lines.push(...switchportLines(from.switchport, to.switchport, options));
  }
  if (covered || (to.adminState === 'down' && from.adminState === 'up')) lines.unshift('shutdown');
  if (to.adminState === 'up' && (covered || from.adminState === 'down')) lines.push('no shutdown');
  return { kind: 'port', subject: from.name, commands: [`interface ${from.name}`, ...lines, 'exit'] };
}

/** What the port carries is known, and is on one side of the mode; otherwise the port is shut around the change. */
function hasSafeOrder(from: ConfiguredSwitchport): boolean {
  return from.mode === 'access' || from.mode === 'trunk' || from.mode === 'hybrid';
}

/**
 * From one switchport to another. The access side and the trunk side are kept apart by the switch, and only the side of
 * the mode forwards: so the other side is made ready first, and the mode is changed last.
 *
 * The side that is left is made harmless with one line, for the day when somebody changes the mode by hand: the trunk side
 * allows nothing instead of every VLAN, and the access side is in no VLAN of an earlier tenant. A move within access mode
 * goes without it: it is the most frequent change, and the line was sent when the port became an access port.
 */
function switchportLines(from: ConfiguredSwitchport, to: Switchport, options: SimOptions): string[] {
  if (to.mode === 'access') {
    const access = `switchport access vlan ${to.nativeVlan}`;
    if (from.mode === 'access') return [access];
    return [...noVoice(from), access, 'switchport mode access', 'switchport trunk allowed vlan none'];
  }
  const native = to.nativeVlan ?? unusedNative(carriedVlans(to), options) ?? 1;
  if (from.mode === 'trunk' || from.mode === 'hybrid') return trunkLines(from, to, native);
  return [
    ...noVoice(from),
    `switchport trunk native vlan ${native}`,
    ...allowedLines(carriedVlans(to)),
    'switchport mode trunk',
    to.nativeVlan === null ? 'no switchport access vlan' : `switchport access vlan ${to.nativeVlan}`,
  ];
}

/** A voice VLAN is carried tagged beside the access VLAN; the parser says so in `detail`. */
function noVoice(from: ConfiguredSwitchport): string[] {
  return from.detail.startsWith(VOICE) ? ['no switchport voice vlan'] : [];
}

/**
 * From one trunk to another, without shutting the port: what is allowed before and after flows on. While the native VLAN
 * changes, only these VLANs are allowed: before that line they are a part of the old state, after it a part of the new one.
 * The native VLAN of a trunk that carries nothing untagged is unknown, but not among those it allows.
 */
function trunkLines(from: ConfiguredSwitchport, to: Switchport, native: number): string[] {
  const before = carriedVlans(from);
  const after = carriedVlans(to);
  if (from.nativeVlan === to.nativeVlan && (to.nativeVlan !== null || after.isSubsetOf(before)))
    return allowedLines(after);
  const change = `switchport trunk native vlan ${native}`;
  if (from.nativeVlan === null && !before.has(native)) return [change, ...allowedLines(after)];
  const common = before.intersect(after);
  return [
    ...(common.equals(before) ? [] : allowedLines(common)),
    change,
    ...(common.equals(after) ? [] : allowedLines(after)),
  ];
}

/**
 * The allowed list, replaced as a whole by the first line. A list too long for one line goes on with `add`, which extends
 * the exact list just written and never the default of all VLANs.
 */
function allowedLines(allowed: VlanSet): string[] {
  const lines: string[] = [];
  let line = 'switchport trunk allowed vlan ';
  let items = '';
  for (const item of allowed.toString().split(',')) {
    if (items !== '' && line.length + items.length + 1 + item.length > MAX_LINE) {
      lines.push(line + items);
      line = 'switchport trunk allowed vlan add ';
      items = '';
    }
    items += items === '' ? item : `,${item}`;
  }
  lines.push(line + (allowed.isEmpty ? 'none' : items));
  return lines;
}

/**
 * A native VLAN that the trunk does not allow, so that untagged frames are dropped: the parking VLAN when there is one,
 * else 1, which is the default, leads nowhere on this port, and need not be created; else the lowest free one (but the
 * reserved 1002 to 1005). Null when every VLAN is allowed.
 */
function unusedNative(allowed: VlanSet, { parkingVlan }: SimOptions): number | null {
  if (parkingVlan !== null && !allowed.has(parkingVlan)) return parkingVlan;
  for (let id = 1; id <= 4094; id++) if (!allowed.has(id) && (id < 1002 || id > 1005)) return id;
  return null;
}
