import type { ChangeSet, PortChange, Step } from '../driver.ts';
import { DriverError } from '../errors.ts';
import type { PortConfig } from '../model/port.ts';
import { switchportHolds } from '../model/switchport.ts';
import { isPrintable, printCommand, type SnmpCommand } from './command.ts';

/** ifAlias has at most 64 characters (RFC 2863). */
export const ALIAS_LENGTH = 64;
/** dot1qVlanStaticName has at most 32 (RFC 4363). */
const NAME_LENGTH = 32;

/** Why Q-BRIDGE-MIB and IF-MIB cannot express the configuration; null when they can. */
export function cannotExpress({ switchport, mtu, description }: PortConfig): string | null {
  if (switchport.mode === 'access' && switchport.nativeVlan === null) return 'an access port needs a VLAN';
  if (mtu !== null) return 'an MTU cannot be set over SNMP: ifMtu is read-only';
  if (description === null) return null;
  if (description.length > ALIAS_LENGTH) return `a description has at most ${ALIAS_LENGTH} characters (ifAlias)`;
  return isPrintable(description) ? null : 'a description has only printable ASCII';
}

/** VLANs first, ports next, and VLANs that are no longer used last. */
export function renderChanges(changes: ChangeSet): Step[] {
  return [
    ...changes.createVlans.map(({ id, name }) =>
      step('vlan-create', String(id), [
        { kind: 'create', vlan: id, name: isPrintable(name) ? name.slice(0, NAME_LENGTH) : '' },
      ]),
    ),
    ...changes.ports.map(portStep),
    ...changes.deleteVlans.map((id) => step('vlan-delete', String(id), [{ kind: 'destroy', vlan: id }])),
  ];
}

function portStep({ from, to, bounce }: PortChange): Step {
  const problem = isPrintable(from.name) ? cannotExpress(to) : 'its name cannot be written down';
  if (problem !== null) throw new DriverError('unsupported', `${from.name}: ${problem}`, { port: from.name });
  const port = from.name;
  const moves = !switchportHolds(to.switchport, from.switchport, { modesByMembership: true });
  const commands: SnmpCommand[] = [];
  if (to.description !== null && to.description !== from.description)
    commands.push({ kind: 'alias', port, text: to.description });
  const shut = (to.adminState === 'down' || (bounce && moves)) && from.adminState === 'up';
  if (shut) commands.push({ kind: 'admin', port, up: false });
  if (moves)
    commands.push({ kind: 'vlans', port, untagged: to.switchport.nativeVlan, tagged: to.switchport.taggedVlans });
  if (to.adminState === 'up' && (shut || from.adminState === 'down')) commands.push({ kind: 'admin', port, up: true });
  return step('port', port, commands);
}

function step(kind: Step['kind'], subject: string, commands: readonly SnmpCommand[]): Step {
  return { kind, subject, commands: commands.map(printCommand) };
}
