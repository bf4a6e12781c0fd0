import { isSuspended, vlanForwards } from './forwarding.ts';
import { dottedMac } from './neighbor.ts';
import { shortName } from './port-names.ts';
import { portMac } from './show-system.ts';
import { shortSpeed } from './show-text.ts';
import type { SwitchModel } from './switch-model.ts';
import { isAll, listItems, packItems, type VlanIds } from './vlan-list.ts';

function index(model: SwitchModel, name: string): number {
  return [...model.config.ports.keys()].indexOf(name);
}

/** Word of `show interfaces status`. */
export function portStatus(model: SwitchModel, name: string): string {
  const port = model.port(name);
  const condition = model.condition(name);
  if (port.shutdown) return 'disabled';
  if (condition.errDisabled !== null) return 'err-disabled';
  if (!condition.link) return 'notconnect';
  if (isSuspended(model.config, port)) return 'suspended';
  const dead = port.mode !== 'routed' && !model.trunking(name) && !vlanForwards(model.config, port.accessVlan);
  return dead ? 'inactive' : 'connected';
}

function isUp(model: SwitchModel, name: string): boolean {
  return !['disabled', 'err-disabled', 'notconnect'].includes(portStatus(model, name));
}

/** Speed in force, Mbit/s. */
export function portSpeed(model: SwitchModel, name: string): number {
  const { speed } = model.port(name);
  return speed === 'auto' ? model.speedMbps : speed;
}

/** `show interfaces status`. Trunks whose link is down are shown with their access VLAN, as IOS does. */
export function showStatus(model: SwitchModel, names: readonly string[]): string[] {
  const lines = ['', 'Port      Name               Status       Vlan       Duplex  Speed Type'];
  for (const name of names) {
    const port = model.port(name);
    const status = portStatus(model, name);
    const trunk = model.trunking(name) && isUp(model, name);
    const vlan = port.mode === 'routed' ? 'routed' : trunk ? 'trunk' : String(port.accessVlan);
    const up = status === 'connected';
    const duplex = up ? 'a-full' : 'auto';
    const speed = up ? `a-${shortSpeed(portSpeed(model, name))}` : 'auto';
    const left = shortName(name).padEnd(10) + port.description.slice(0, 18).padEnd(19) + status.padEnd(13);
    lines.push(
      `${left}${vlan.padEnd(11)}${duplex.padStart(6)}${speed.padStart(7)} ${name.startsWith('Po') ? '' : 'SFP-25GBase-CR'}`,
    );
  }
  return lines;
}

/** One block of `show interfaces`. */
export function showInterface(model: SwitchModel, name: string): string[] {
  const port = model.port(name);
  const status = portStatus(model, name);
  const up = isUp(model, name);
  const speed = portSpeed(model, name);
  const mac = dottedMac(portMac(model, index(model, name)));
  const state = port.shutdown ? 'administratively down' : up ? 'up' : 'down';
  const detail = up && port.mode !== 'routed' ? 'connected' : status;
  return [
    `${name} is ${state}, line protocol is ${up ? 'up' : 'down'} (${detail}) `,
    `  Hardware is ${name.startsWith('Po') ? 'EtherChannel' : 'Twenty Five Gigabit Ethernet'}, address is ${mac} (bia ${mac})`,
    ...(port.description === '' ? [] : [`  Description: ${port.description}`]),
    `  MTU ${port.mtu} bytes, BW ${speed * 1000} Kbit/sec, DLY 10 usec, `,
    '     reliability 255/255, txload 1/255, rxload 1/255',
    '  Encapsulation ARPA, loopback not set',
    '  Keepalive set (10 sec)',
    `  ${up ? `Full-duplex, ${longSpeed(speed)}` : 'Auto-duplex, Auto-speed'}, link type is auto, media type is SFP-25GBase-CR`,
    '  input flow-control is off, output flow-control is unsupported ',
    '  ARP type: ARPA, ARP Timeout 04:00:00',
    '  Last input never, output 00:00:01, output hang never',
    '  Last clearing of "show interface" counters never',
    '  Input queue: 0/2000/0/0 (size/max/drops/flushes); Total output drops: 0',
    '  Queueing strategy: fifo',
    '  Output queue: 0/40 (size/max)',
    '  5 minute input rate 0 bits/sec, 0 packets/sec',
    '  5 minute output rate 0 bits/sec, 0 packets/sec',
    '     0 packets input, 0 bytes, 0 no buffer',
    '     Received 0 broadcasts (0 multicasts)',
    '     0 input errors, 0 CRC, 0 frame, 0 overrun, 0 ignored',
    '     0 packets output, 0 bytes, 0 underruns',
    '     0 output errors, 0 collisions, 1 interface resets',
  ];
}

function longSpeed(mbps: number): string {
  return mbps >= 1000 ? `${mbps / 1000}Gb/s` : `${mbps}Mb/s`;
}

/** The management SVI as `show interfaces` lists it before the ports. */
export function showManagementSvi(model: SwitchModel): string[] {
  const mac = dottedMac(portMac(model, -1));
  return [
    'Vlan1 is administratively down, line protocol is down , Autostate Enabled',
    `  Hardware is Ethernet SVI, address is ${mac} (bia ${mac})`,
    '  MTU 1500 bytes, BW 1000000 Kbit/sec, DLY 10 usec, ',
    '     reliability 255/255, txload 1/255, rxload 1/255',
    '  Encapsulation ARPA, loopback not set',
  ];
}

function vlanName(model: SwitchModel, id: number): string {
  return `${id} (${model.config.vlans.get(id)?.name ?? 'Inactive'})`;
}

/** One block of `show interfaces switchport`. */
export function showSwitchport(model: SwitchModel, name: string): string[] {
  const port = model.port(name);
  if (port.mode === 'routed') return [`Name: ${shortName(name)}`, 'Switchport: Disabled', ''];
  const trunk = model.trunking(name);
  const mode = port.mode === 'access' ? 'static access' : port.mode;
  const member = port.channelGroup && isUp(model, name) ? ` (member of bundle Po${port.channelGroup.id})` : '';
  const operational = isUp(model, name) ? (trunk ? 'trunk' : 'static access') + member : 'down';
  const encapsulation = trunk ? 'dot1q' : 'native';
  return [
    `Name: ${shortName(name)}`,
    'Switchport: Enabled',
    `Administrative Mode: ${mode}`,
    `Operational Mode: ${operational}`,
    `Administrative Trunking Encapsulation: ${port.encapsulation}`,
    ...(operational === 'down' ? [] : [`Operational Trunking Encapsulation: ${encapsulation}`]),
    `Negotiation of Trunking: ${port.nonegotiate || port.mode === 'access' ? 'Off' : 'On'}`,
    `Access Mode VLAN: ${vlanName(model, port.accessVlan)}`,
    `Trunking Native Mode VLAN: ${vlanName(model, port.nativeVlan)}`,
    'Administrative Native VLAN tagging: disabled',
    'Voice VLAN: none',
    'Administrative private-vlan host-association: none ',
    'Administrative private-vlan mapping: none ',
    'Administrative private-vlan trunk native VLAN: none',
    'Administrative private-vlan trunk Native VLAN tagging: enabled',
    'Administrative private-vlan trunk encapsulation: dot1q',
    'Administrative private-vlan trunk normal VLANs: none',
    'Administrative private-vlan trunk associations: none',
    'Administrative private-vlan trunk mappings: none',
    'Operational private-vlan: none',
    ...enabledVlans(port.allowed),
    'Pruning VLANs Enabled: 2-1001',
    'Capture Mode Disabled',
    'Capture VLANs Allowed: ALL',
    '',
    'Protected: false',
    'Unknown unicast blocked: disabled',
    'Unknown multicast blocked: disabled',
    'Appliance trust: none',
    '',
  ];
}

/** A long list is broken after a comma and goes on indented. */
function enabledVlans(allowed: VlanIds): string[] {
  const label = 'Trunking VLANs Enabled: ';
  if (isAll(allowed)) return [`${label}ALL`];
  if (allowed.size === 0) return [`${label}NONE`];
  const chunks = packItems(listItems(allowed), 72, 78 - label.length);
  return chunks.map((chunk, i) => `${i === 0 ? label : '     '}${chunk}${i < chunks.length - 1 ? ',' : ''}`);
}

/** `show interfaces trunk`: the ports that trunk now. */
export function showTrunks(model: SwitchModel): string[] {
  const names = [...model.config.ports.keys()].filter(
    (n) => model.trunking(n) && isUp(model, n) && !model.port(n).channelGroup,
  );
  if (names.length === 0) return [];
  const table = (title: string, cell: (name: string) => string) => [
    '',
    `Port        ${title}`,
    ...names.map((n) => `${shortName(n).padEnd(12)}${cell(n)}`),
  ];
  const list = (ids: readonly number[]) => (ids.length === 0 ? 'none' : listItems(new Set(ids)).join(','));
  const open = (n: string) => {
    const { untagged, tagged } = model.carried(n);
    return list(untagged === null ? tagged : [untagged, ...tagged]);
  };
  return [
    ...table('Mode             Encapsulation  Status        Native vlan', (n) => {
      const mode = model.port(n).mode === 'trunk' ? 'on' : 'auto';
      return `${mode.padEnd(17)}802.1q         trunking      ${model.port(n).nativeVlan}`;
    }),
    ...table('Vlans allowed on trunk', (n) => list([...model.port(n).allowed])),
    ...table('Vlans allowed and active in management domain', open),
    ...table('Vlans in spanning tree forwarding state and not pruned', open),
  ];
}
