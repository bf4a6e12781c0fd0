import type { PortConfig } from '../../drivers/model/port.ts';
import { switchport } from '../../drivers/model/switchport.ts';
import { VlanSet } from '../../drivers/model/vlan-set.ts';
import type { StartState } from './subject.ts';

/** VLANs of the suite: idle, and those of two tenants; more in the long lists. */
export const IDLE = 4000;

export const START_STATES: Readonly<Record<string, StartState>> = {
  'idle access': { switchport: { mode: 'access', vlan: IDLE } },
  'access VLAN 1': { switchport: { mode: 'access', vlan: 1 } },
  "another tenant's access": { switchport: { mode: 'access', vlan: 20 }, description: 'another tenant', mtu: 9000 },
  'the wanted access VLAN, shut': { switchport: { mode: 'access', vlan: 10 }, shut: true },
  'trunk of all VLANs': { switchport: { mode: 'trunk', native: 1, allowed: 'all' } },
  'trunk with a native VLAN': { switchport: { mode: 'trunk', native: 20, allowed: '20,30,40' } },
  'trunk whose native VLAN is tagged in what is wanted': {
    switchport: { mode: 'trunk', native: 30, allowed: '10,30,40' },
  },
  'trunk of tagged VLANs only': { switchport: { mode: 'trunk', native: 10, allowed: '30,31,40' } },
  'trunk of tagged VLANs, shut': { switchport: { mode: 'trunk', native: 1, allowed: '10,30' }, shut: true },
  'routed port': { switchport: { mode: 'routed' } },
  'port that negotiates its mode': { switchport: { mode: 'negotiated' } },
  'junk left by others': { switchport: { mode: 'junk' }, description: 'left by others' },
};

/** 120 single VLANs: 500 characters as a list, which no command line of a switch takes at once. */
const LONG = VlanSet.of(...Array.from({ length: 120 }, (_, i) => 1100 + 2 * i));

function config(sw: PortConfig['switchport'], rest: Partial<PortConfig> = {}): PortConfig {
  return { switchport: sw, adminState: 'up', mtu: null, description: null, ...rest };
}

export const WANTED: Readonly<Record<string, PortConfig>> = {
  access: config(switchport('access', 10)),
  'access with MTU and description': config(switchport('access', 10), { mtu: 9000, description: 'worker-1 eno1' }),
  'access, MTU and description cleared': config(switchport('access', 20), { mtu: 1500, description: '' }),
  'access, down': config(switchport('access', 10), { adminState: 'down' }),
  trunk: config(switchport('trunk', null, VlanSet.parse('30,31,40'))),
  'trunk that allows VLAN 1': config(switchport('trunk', null, VlanSet.parse('1,30'))),
  'trunk of one VLAN': config(switchport('trunk', null, VlanSet.parse('20'))),
  'trunk with a native VLAN': config(switchport('trunk', 10, VlanSet.parse('30,40'))),
  'trunk with its native VLAN only': config(switchport('trunk', 10)),
  'trunk, down': config(switchport('trunk', 10, VlanSet.parse('20,30')), { adminState: 'down' }),
  hybrid: config(switchport('hybrid', 20, VlanSet.parse('10,30'))),
  'trunk of a long list': config(switchport('trunk', 10, LONG)),
  'trunk of a long list, nothing untagged': config(switchport('trunk', null, LONG)),
};
