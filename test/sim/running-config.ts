import type { PortSettings } from './port-settings.ts';
import { defaultVlanName, RESERVED_VLANS, type SwitchConfig, type VlanRecord, type VtpMode } from './switch-config.ts';
import { isAll, listItems, packItems, type VlanIds } from './vlan-list.ts';

/** What of the rendering depends on the switch and not on its configuration. */
export interface RenderFacts {
  readonly naming: 'swp' | 'ethernet';
  readonly defaultMode: PortSettings['mode'];
  readonly dualEncapsulation: boolean;
  readonly vtp: VtpMode;
}

const LIST_WIDTH = 46;

/** The configuration as text, without the header that `show running-config` puts before it. */
export function renderConfig(config: SwitchConfig, facts: RenderFacts): string[] {
  const lines = ['version 15.2', 'service timestamps log datetime msec', '!', `hostname ${config.hostname}`, '!'];
  lines.push('spanning-tree mode rapid-pvst', '!', `vtp mode ${facts.vtp}`, '!', ...renderVlans(config, facts.vtp));
  if (config.lldpRun) lines.push('lldp run', '!');
  for (const name of [...config.ports.keys()].sort(byKind)) lines.push(...renderInterface(config, name, facts), '!');
  lines.push('interface Vlan1', ' no ip address', ' shutdown', '!');
  lines.push('line con 0', 'line vty 0 4', ' login local', ' transport input ssh', '!', 'end');
  return lines;
}

/** Port-channels come before ports, as on the real thing; otherwise the order of the map. */
function byKind(a: string, b: string): number {
  return Number(b.startsWith('Port-channel')) - Number(a.startsWith('Port-channel'));
}

function renderVlans(config: SwitchConfig, vtp: VtpMode): string[] {
  const shown = [...config.vlans]
    .filter(([id]) => id !== 1 && !RESERVED_VLANS.has(id) && (vtp === 'transparent' || id > 1005))
    .sort(([a], [b]) => a - b);
  const plain = shown.filter(([id, vlan]) => isPlain(id, vlan)).map(([id]) => id);
  const lines = plain.length === 0 ? [] : [`vlan ${listItems(new Set(plain)).join(',')}`, '!'];
  for (const [id, vlan] of shown) {
    if (isPlain(id, vlan)) continue;
    lines.push(`vlan ${id}`);
    if (vlan.name !== defaultVlanName(id)) lines.push(` name ${vlan.name}`);
    if (vlan.state === 'suspend') lines.push(' state suspend');
    if (vlan.shutdown) lines.push(' shutdown');
    lines.push('!');
  }
  return lines;
}

function isPlain(id: number, vlan: VlanRecord): boolean {
  return vlan.name === defaultVlanName(id) && vlan.state === 'active' && !vlan.shutdown;
}

/** One `interface` section. Default values are not shown: no line about allowed VLANs means all of them. */
export function renderInterface(config: SwitchConfig, name: string, facts: RenderFacts): string[] {
  const port = config.ports.get(name);
  if (!port) return [];
  const lines = [`interface ${name}`];
  const add = (line: string) => lines.push(` ${line}`);
  if (port.description !== '') add(`description ${port.description}`);
  if (port.mode === 'routed') add('no switchport');
  else {
    if (port.accessVlan !== 1) add(`switchport access vlan ${port.accessVlan}`);
    if (facts.dualEncapsulation && port.encapsulation === 'dot1q') add('switchport trunk encapsulation dot1q');
    if (port.nativeVlan !== 1) add(`switchport trunk native vlan ${port.nativeVlan}`);
    for (const line of allowedLines(port.allowed)) add(line);
    if (port.mode !== facts.defaultMode) add(`switchport mode ${port.mode}`);
    if (port.nonegotiate) add('switchport nonegotiate');
  }
  if (port.mtu !== 1500) add(`mtu ${port.mtu}`);
  if (port.mode === 'routed') add('no ip address');
  if (port.shutdown) add('shutdown');
  if (port.speed !== 'auto') add(`speed ${port.speed}`);
  if (port.channelGroup) add(`channel-group ${port.channelGroup.id} mode ${port.channelGroup.mode}`);
  if (port.portfast !== 'no') add(`spanning-tree portfast edge${port.portfast === 'trunk' ? ' trunk' : ''}`);
  if (port.bpduguard) add('spanning-tree bpduguard enable');
  return lines;
}

function allowedLines(allowed: VlanIds): string[] {
  if (isAll(allowed)) return [];
  if (allowed.size === 0) return ['switchport trunk allowed vlan none'];
  return packItems(listItems(allowed), LIST_WIDTH).map(
    (chunk, i) => `switchport trunk allowed vlan ${i === 0 ? '' : 'add '}${chunk}`,
  );
}
