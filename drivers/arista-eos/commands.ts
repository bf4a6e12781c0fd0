import type { LineOptions } from '../cli/options.ts';
import type { ChangeSet, PortChange, Step } from '../driver.ts';
import { DriverError } from '../errors.ts';
import type { PortConfig } from '../model/port.ts';
import { carriedVlans, switchportHolds } from '../model/switchport.ts';
import { allowedLines, unusedNative } from '../text/ios-trunk.ts';
import { createVlan, deleteVlan, descriptionProblem } from '../text/ios-vlan.ts';

export const DESCRIPTION_LENGTH = 200;
/** The terminal's width less the longest prompt; EOS itself takes longer lines. */
const MAX_LINE = 400;
/** What may stand after `interface`: Ethernet3, Ethernet49/1, Port-Channel7. */
const PORT_NAME = /^(?:Ethernet\d{1,3}(?:\/\d{1,3}){0,2}|Port-Channel\d{1,6})$/;
/** A line of a port that no intent can ask for, as the parser keeps it in `detail`, and that a "no" takes away. */
const REMOVABLE =
  /^(?:switchport (?:trunk group|phone|vlan translation|vlan forwarding|trunk native vlan tag|private-vlan|dot1q ethertype|vlan tag)[\w ,-]{0,40})$/;

/** VLANs first, ports next, and VLANs that are no longer used last. */
export function renderChanges(changes: ChangeSet, options: LineOptions): Step[] {
  return [
    ...changes.createVlans.map(createVlan),
    ...changes.ports.flatMap((change) => portSteps(change, options)),
    ...changes.deleteVlans.map(deleteVlan),
  ];
}

/** Why the CLI cannot express the configuration; null when it can. */
export function cannotExpress(
  { switchport: wanted, mtu, description }: PortConfig,
  options: LineOptions,
): string | null {
  if (wanted.mode === 'access' && wanted.nativeVlan === null) return 'an access port needs a VLAN';
  if (wanted.nativeVlan === null && unusedNative(carriedVlans(wanted), options.parkingVlan) === null)
    return 'a trunk of all 4094 VLANs leaves no native VLAN to drop untagged frames with; give it a native VLAN';
  if (mtu !== null) return 'the layer 2 MTU of a port cannot be set; `mtu` of EOS is that of layer 3';
  return description === null ? null : descriptionProblem(description, DESCRIPTION_LENGTH);
}

/** The lines for one port, all of which come into force together; a port to be bounced is shut before, by a commit of its own. */
function portSteps({ from, to, bounce }: PortChange, options: LineOptions): Step[] {
  const problem = PORT_NAME.test(from.name) ? cannotExpress(to, options) : 'the name is not one that the CLI takes';
  if (problem !== null) throw new DriverError('unsupported', `${from.name}: ${problem}`, { port: from.name });
  const lines: string[] = [];
  const moves = !switchportHolds(to.switchport, from.switchport);
  const shutsFirst = bounce && moves && from.adminState === 'up';
  if (to.description !== null && to.description !== from.description)
    lines.push(to.description === '' ? 'no description' : `description ${to.description}`);
  if (moves) lines.push(...switchportLines(from, to, options));
  if (to.adminState === 'down' && from.adminState === 'up') lines.push('shutdown');
  if (to.adminState === 'up' && (from.adminState === 'down' || shutsFirst)) lines.push('no shutdown');
  const step = (commands: string[]): Step => ({
    kind: 'port',
    subject: from.name,
    commands: [`interface ${from.name}`, ...commands, 'exit'],
  });
  return [...(shutsFirst ? [step(['shutdown'])] : []), step(lines)];
}

/**
 * The whole switchport, whatever it was. `switchport access vlan` alone leaves an earlier trunk mode, so the mode is always
 * written. The side that is not used is made harmless: a trunk of no VLAN, access in VLAN 1.
 */
function switchportLines(from: PortChange['from'], { switchport: to }: PortConfig, options: LineOptions): string[] {
  const { mode, detail } = from.switchport;
  const cleaning = mode === 'other' && REMOVABLE.test(detail) ? [`no ${detail}`] : [];
  const edge = options.edgePort ? ['spanning-tree portfast'] : [];
  const head = mode === 'routed' || mode === 'none' ? ['switchport'] : [];
  if (to.mode === 'access')
    return [
      ...head,
      ...cleaning,
      'switchport trunk allowed vlan none',
      'no switchport trunk native vlan',
      `switchport access vlan ${to.nativeVlan}`,
      'switchport mode access',
      ...edge,
    ];
  const carried = carriedVlans(to);
  const native = to.nativeVlan ?? unusedNative(carried, options.parkingVlan) ?? 1;
  return [
    ...head,
    ...cleaning,
    `switchport trunk native vlan ${native}`,
    ...allowedLines(carried, MAX_LINE),
    'switchport mode trunk',
    'no switchport access vlan',
    ...edge,
  ];
}
