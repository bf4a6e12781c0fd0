import { aristaEos } from '../../drivers/arista-eos/index.ts';
import { carried, EosSwitch } from '../sim/eos/index.ts';
import { sshTarget } from '../support/ssh-target.ts';
import type { ConformanceSwitch, StartState, WatchedState } from './subject.ts';
import { conformance } from './suite.ts';

/** The lines that bring a port, which is at its default then, to the state. */
function settings({ switchport: sw, shut, description }: StartState): string[] {
  const lines = description === undefined ? [] : [`description ${description}`];
  if (shut === true) lines.push('shutdown');
  if (sw.mode === 'access') lines.push(`switchport access vlan ${sw.vlan}`);
  else if (sw.mode === 'routed') lines.push('no switchport');
  else if (sw.mode === 'trunk')
    lines.push(
      `switchport trunk native vlan ${sw.native}`,
      `switchport trunk allowed vlan ${sw.allowed}`,
      'switchport mode trunk',
    );
  else
    lines.push(
      'switchport access vlan 31',
      'switchport trunk native vlan 40',
      'switchport trunk allowed vlan 10,20,40',
      'switchport mode dot1q-tunnel',
      'switchport trunk group others',
    );
  return lines;
}

async function start(): Promise<ConformanceSwitch> {
  const device = await new EosSwitch().listen();
  device.byHand(['vlan 10,20,30-31,40', 'exit']);
  const port = (name: string) => {
    const found = device.model.running.ports.get(name);
    if (!found) throw new Error(`no port ${name}`);
    return found;
  };
  return {
    target: sshTarget(device),
    ports: [...device.model.running.ports.keys()],
    async reset(name, state) {
      device.byHand(['vlan 4000', 'exit', `default interface ${name}`, `interface ${name}`, ...settings(state)]);
    },
    carried: async (name) => carried(port(name)),
    async watch(name) {
      const seen: WatchedState[] = [];
      const unwatch = device.model.onChange((after) => seen.push({ after, carried: carried(port(name)) }));
      return async () => {
        unwatch();
        return seen;
      };
    },
    stop: () => device.stop(),
  };
}

conformance('arista-eos', {
  driver: aristaEos,
  startModes: ['access', 'trunk', 'routed', 'junk'],
  ghost: 'Ethernet99',
  start,
});
