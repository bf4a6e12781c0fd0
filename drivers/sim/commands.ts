import type { LineOptions } from '../cli/options.ts';
import type { ChangeSet, PortChange, Step } from '../driver.ts';
import { DriverError } from '../errors.ts';
import type { PortConfig } from '../model/port.ts';
import { type ConfiguredSwitchport, carriedVlans, type Switchport, switchportHolds } from '../model/switchport.ts';

import { VOICE } from '../text/ios-switchport.ts';
import { allowedLines, unusedNative } from '../text/ios-trunk.ts';
import { createVlan, deleteVlan, descriptionProblem } from '../text/ios-vlan.ts';

/** Range of `mtu`, in bytes; the lower end is the default. */
export const MTU = { min: 1500, max: 9216 } as const;
export const DESCRIPTION_LENGTH = 200;
/** Longest line sent. IOS takes 254 characters and cuts the rest off, which leaves another list of VLANs than the one meant. */
export const MAX_LINE = 198;

/** What may stand after `interface`. Anything else is not one word of the CLI and is never sent. */
export const PORT_NAME = /^[A-Za-z][A-Za-z0-9/.:-]{0,62}$/;

/** VLANs first, ports next, and VLANs that are no longer used last. */
export function renderChanges(changes: ChangeSet, options: LineOptions): Step[] {
  return [
    ...changes.createVlans.map(createVlan),
    ...changes.ports.map((change) => portStep(change, options)),
    ...changes.deleteVlans.map(deleteVlan),
  ];
}

/** Why the CLI cannot express the configuration; null when it can. */
export function cannotExpress(config: PortConfig, options: LineOptions): string | null {
  const { switchport: wanted, mtu, description } = config;
  if (wanted.mode === 'access' && wanted.nativeVlan === null) return 'an access port needs a VLAN';
  if (wanted.nativeVlan === null && unusedNative(carriedVlans(wanted), options.parkingVlan) === null)
    return 'a trunk of all 4094 VLANs leaves no native VLAN to drop untagged frames with; give it a native VLAN';
  if (mtu !== null && !(Number.isInteger(mtu) && mtu >= MTU.min && mtu <= MTU.max))
    return `MTU ${mtu} is outside ${MTU.min} to ${MTU.max}`;
  return description === null ? null : descriptionProblem(description, DESCRIPTION_LENGTH);
}

/**
 * The lines for one port. After each of them the port carries a part of what it carried, a part of what it shall carry, or
 * nothing; see {@link switchportLines}. MTU and description come before the VLANs, so that a refused one leaves these alone.
 */
function portStep({ from, to, bounce }: PortChange, options: LineOptions): Step {
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
function switchportLines(from: ConfiguredSwitchport, to: Switchport, options: LineOptions): string[] {
  if (to.mode === 'access') {
    const access = `switchport access vlan ${to.nativeVlan}`;
    if (from.mode === 'access') return [access];
    return [...noVoice(from), access, 'switchport mode access', 'switchport trunk allowed vlan none'];
  }
  const native = to.nativeVlan ?? unusedNative(carriedVlans(to), options.parkingVlan) ?? 1;
  if (from.mode === 'trunk' || from.mode === 'hybrid') return trunkLines(from, to, native);
  return [
    ...noVoice(from),
    `switchport trunk native vlan ${native}`,
    ...allowedLines(carriedVlans(to), MAX_LINE),
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
    return allowedLines(after, MAX_LINE);
  const change = `switchport trunk native vlan ${native}`;
  if (from.nativeVlan === null && !before.has(native)) return [change, ...allowedLines(after, MAX_LINE)];
  const common = before.intersect(after);
  return [
    ...(common.equals(before) ? [] : allowedLines(common, MAX_LINE)),
    change,
    ...(common.equals(after) ? [] : allowedLines(after, MAX_LINE)),
  ];
}
