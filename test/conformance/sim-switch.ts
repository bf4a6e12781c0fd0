import { sim } from '../../drivers/sim/index.ts';
import { startSimSwitch } from '../sim/index.ts';
import { sshTarget } from '../support/ssh-target.ts';
import type { ConformanceSubject, ConformanceSwitch, StartState, WatchedState } from './subject.ts';

/** The lines that bring a port, which is at its default then, to the state. */
function settings({ switchport: sw, shut, mtu, description }: StartState): string[] {
  const lines = description === undefined ? [] : [`description ${description}`];
  if (mtu !== undefined) lines.push(`mtu ${mtu}`);
  if (shut === true) lines.push('shutdown');
  if (sw.mode === 'access') lines.push('switchport mode access', `switchport access vlan ${sw.vlan}`);
  else if (sw.mode === 'routed') lines.push('no switchport');
  else if (sw.mode === 'trunk')
    lines.push(
      `switchport trunk native vlan ${sw.native}`,
      `switchport trunk allowed vlan ${sw.allowed}`,
      'switchport mode trunk',
    );
  else if (sw.mode === 'junk')
    lines.push(
      'switchport mode dynamic desirable',
      'switchport access vlan 31',
      'switchport trunk native vlan 40',
      'switchport trunk allowed vlan 10,20,40',
      'mtu 2000',
    );
  return lines;
}

async function startSwitch(): Promise<ConformanceSwitch> {
  const device = await startSimSwitch({ ports: 6, hostname: 'tor-of-a-long-name-17', config: ['vlan 10,20,30-31,40'] });
  const now = (port: string) => {
    const { untagged, tagged } = device.model.carried(port);
    return new Set([...tagged.map((id) => `${id}t`), ...(untagged === null ? [] : [`${untagged}u`])]);
  };
  return {
    target: sshTarget(device),
    ports: device.model.portNames,
    async reset(name, state) {
      device.byHand(['vlan 4000', 'exit', `default interface ${name}`, `interface ${name}`, ...settings(state)]);
    },
    carried: async (name) => now(name),
    async watch(name) {
      const seen: WatchedState[] = [];
      const unwatch = device.faults.onLine(({ line }) => seen.push({ after: line, carried: now(name) }));
      return async () => {
        unwatch();
        return seen;
      };
    },
    stop: () => device.stop(),
  };
}

export const simSubject: ConformanceSubject = {
  driver: sim,
  startModes: ['access', 'trunk', 'routed', 'negotiated', 'junk'],
  ghost: 'swp999',
  start: startSwitch,
};
