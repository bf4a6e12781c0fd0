import { type ConfiguredSwitchport, configured } from '../../../drivers/model/switchport.ts';
import { VlanSet } from '../../../drivers/model/vlan-set.ts';

/**
 * What one line of configuration does to one port of an IOS-like switch, and what the port forwards: a model of its own,
 * made to check rendered commands against. It knows only what the lines mean; a line that it does not know is an error.
 */
export interface IosPort {
  mode: 'access' | 'trunk' | 'dynamic' | 'routed';
  shut: boolean;
  access: number;
  voice: number | null;
  native: number;
  allowed: VlanSet;
  mtu: number;
  description: string;
}

/** "7u": VLAN 7 untagged, "7t": tagged. The worst case where the other end decides. */
export function forwards(port: IosPort): Set<string> {
  const pairs = new Set<string>();
  if (port.shut || port.mode === 'routed') return pairs;
  if (port.mode !== 'trunk') {
    pairs.add(`${port.access}u`);
    if (port.voice !== null) pairs.add(`${port.voice}t`);
  }
  if (port.mode !== 'access') for (const id of port.allowed.ids()) pairs.add(`${id}${id === port.native ? 'u' : 't'}`);
  return pairs;
}

/** What a reader of the configuration can know of the port: one side of it. */
export function visible(port: IosPort): ConfiguredSwitchport {
  if (port.mode === 'routed') return configured('routed', null);
  const other = (detail: string) => configured('other', null, VlanSet.EMPTY, VlanSet.EMPTY, detail);
  if (port.voice !== null) return other(`voice VLAN ${port.voice}`);
  if (port.mode === 'dynamic') return other('dynamic auto');
  if (port.mode === 'access') return configured('access', port.access);
  return configured('trunk', port.allowed.has(port.native) ? port.native : null, port.allowed);
}

export function runLine(port: IosPort, line: string): void {
  if (line.length > 254) throw new Error(`cut off by the switch: ${line}`);
  const words = line.split(' ');
  const at = line.replace(/ [\d,-]+$/, '');
  const list = () => VlanSet.parse(words.at(-1) ?? '');
  const id = () => list().ids()[0] ?? Number.NaN;
  if (at.startsWith('description ')) port.description = line.slice('description '.length);
  else if (line === 'shutdown' || line === 'no shutdown') port.shut = line === 'shutdown';
  else if (line === 'switchport') {
    if (port.mode === 'routed')
      Object.assign(port, { mode: 'dynamic', access: 1, native: 1, allowed: VlanSet.ALL, voice: null });
  } else if (port.mode === 'routed' && line.includes('switchport')) throw new Error(`layer 3 port: ${line}`);
  else if (line === 'switchport mode access') port.mode = 'access';
  else if (line === 'switchport mode trunk') port.mode = 'trunk';
  else if (at === 'switchport access vlan') port.access = id();
  else if (line === 'no switchport access vlan') port.access = 1;
  else if (line === 'no switchport voice vlan') port.voice = null;
  else if (at === 'switchport trunk native vlan') port.native = id();
  else if (line === 'switchport trunk allowed vlan none') port.allowed = VlanSet.EMPTY;
  else if (at === 'switchport trunk allowed vlan') port.allowed = list();
  else if (at === 'switchport trunk allowed vlan add') port.allowed = port.allowed.union(list());
  else if (at === 'mtu') port.mtu = Number(words.at(-1));
  else if (line === 'no mtu') port.mtu = 1500;
  else if (line === 'no description') port.description = '';
  else throw new Error(`unknown line: ${line}`);
}
