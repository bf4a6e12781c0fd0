import type { Capabilities, ChangeSet, PortChange, Step } from '../driver.ts';
import type { PortConfig } from '../model/port.ts';
import type { Switchport } from '../model/switchport.ts';
import { shellWord } from '../text/shell.ts';

export const OVS_CAPABILITIES: Capabilities = {
  modes: ['access', 'trunk', 'hybrid'],
  nativeVlanOnTrunk: true,
  hybridPortType: false,
  // ovs-vswitchd.conf.db(5), mtu_request: 68 by RFC 791, 65535 the largest IP packet. A device may take less: then the
  // request stands in the database, and the read-back shows the MTU that the device really has.
  mtu: { min: 68, max: 65_535 },
  descriptionLength: 200,
  adminState: true,
  lag: false,
  vlanObjects: false,
  save: false,
  absoluteWrites: true,
};

const PORT_NAME = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,62}$/;
/** ovs-vsctl takes a record that looks like a UUID for the row of that UUID, not for the port of that name. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** From four hexadecimal digits on ovs-vsctl takes the beginning of a UUID for the row when no port has the name (seen on 3.1.0). */
const PARTIAL_UUID = /^[0-9a-f-]{4,}$/i;

/** True when a name from the switch may be put into a command. Ports with other names are listed and never written. */
export function isWritableName(name: string): boolean {
  return PORT_NAME.test(name) && !UUID.test(name);
}

/** Why Open vSwitch cannot express the configuration; null when it can. */
export function ovsUnsupported(config: PortConfig): string | null {
  const { mode, nativeVlan, taggedVlans } = config.switchport;
  if (mode !== 'trunk' && nativeVlan === null) return `A port in mode ${mode} needs a native VLAN.`;
  if (mode === 'access' && !taggedVlans.isEmpty) return 'A port in mode access carries no tagged VLANs.';
  if (mode === 'trunk' && nativeVlan === null && taggedVlans.isEmpty) {
    return 'A trunk without any VLAN cannot be made on Open vSwitch, where an empty list means every VLAN: shut the port or use an access VLAN that leads nowhere.';
  }
  const range = OVS_CAPABILITIES.mtu;
  if (typeof config.mtu === 'number' && range !== null) {
    if (!Number.isInteger(config.mtu) || config.mtu < range.min || config.mtu > range.max) {
      return `The MTU must be a whole number from ${range.min} to ${range.max}.`;
    }
  }
  if (config.description !== null && !/^[\x20-\x7e]{0,200}$/.test(config.description)) {
    return 'The description must be printable ASCII of at most 200 characters.';
  }
  return null;
}

/**
 * One step per port. A step's `ovs-vsctl` command is the port's part of a transaction: all parts of a batch are sent as
 * one `ovs-vsctl --timeout=N -- part -- part`, exactly as printed, in the same order; when that is refused, each part
 * is sent by itself. Likewise the `ip` commands before and after it are lines of one `ip -batch`.
 *
 * Membership is written whole and in one transaction, which the switch applies at once, so a port needs no shutting for
 * it. A port that comes up is changed first, one that goes down is shut first; `bounce` shuts it around the change.
 *
 * A port that cannot be written (see {@link refusal}) has a step without commands, which `apply` answers with an error.
 */
export function renderOvs(changes: ChangeSet): Step[] {
  return changes.ports.map((change) => ({
    kind: 'port',
    subject: change.from.name,
    commands: refusal(change) === null ? portCommands(change) : [],
  }));
}

/** Why the port itself cannot be written; null when it can. */
export function refusal({ from, to, bounce }: PortChange): string | null {
  const unsupported = ovsUnsupported(to);
  if (unsupported !== null) return unsupported;
  if (!isWritableName(from.name) || !isWritableName(deviceOf(from))) return 'its name does not fit into a command';
  if (from.lag !== null) return `it is a member of the bond ${from.lag}`;
  const wholeLink = from.adminState !== to.adminState || bounce || mtuChange(from, to) !== null;
  if (from.kind === 'lag' && wholeLink) return 'admin state and MTU of a bond are those of its members';
  return null;
}

function portCommands({ from, to, bounce }: PortChange): string[] {
  const port = shellWord(from.name);
  const device = shellWord(deviceOf(from));
  const down = from.adminState === 'up' && (to.adminState === 'down' || bounce);
  const up = to.adminState === 'up' && (from.adminState === 'down' || down);
  const parts = [`set port ${port} ${membership(to.switchport).map(shellWord).join(' ')}`];
  if (PARTIAL_UUID.test(from.name)) parts.unshift(`port-to-br ${port}`);
  const mtu = mtuChange(from, to);
  if (mtu !== null) {
    if (PARTIAL_UUID.test(deviceOf(from))) parts.push(`iface-to-br ${device}`);
    parts.push(`set interface ${device} mtu_request=${mtu}`);
  }
  if (to.description !== null && to.description !== from.description) {
    parts.push(
      to.description === ''
        ? `remove port ${port} external_ids description`
        : `set port ${port} ${shellWord(`external_ids:description=${JSON.stringify(to.description)}`)}`,
    );
  }
  return [
    ...(down ? [`ip link set dev ${device} down`] : []),
    `ovs-vsctl ${parts.join(' -- ')}`,
    ...(up ? [`ip link set dev ${device} up`] : []),
  ];
}

/** The three columns that hold a port's membership, always all of them. `trunks` is never left empty on a trunk. */
function membership({ mode, nativeVlan, taggedVlans }: Switchport): string[] {
  if (mode === 'access') return ['vlan_mode=access', `tag=${nativeVlan}`, 'trunks=[]'];
  if (nativeVlan === null) return ['vlan_mode=trunk', 'tag=[]', `trunks=${taggedVlans}`];
  return ['vlan_mode=native-untagged', `tag=${nativeVlan}`, `trunks=${taggedVlans.with(nativeVlan)}`];
}

function mtuChange(from: PortChange['from'], to: PortConfig): number | null {
  return to.mtu === from.mtu ? null : to.mtu;
}

/** The network device of a port; it nearly always has the port's own name, and else is its only alias. */
function deviceOf(port: PortChange['from']): string {
  return port.aliases[0] ?? port.name;
}
