import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { startBroker } from '../../agent/demo/broker.ts';
import { hostNeighbor, type SimSwitch, startSimSwitch } from '../sim/index.ts';
import { end, startRole } from './processes.ts';

export const RACK_ROLE = '--rack-of-simulated-switches';
const PORTS = 52;
const NAMES = ['tor1', 'tor2'] as const;
const PASSWORD = 'bench-password';

export interface SimAddress {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly hostKey: string;
}

/** What the rack's process tells: once where everything is, then what it is asked for. */
interface Told {
  readonly addresses?: { readonly brokerUrl: string; readonly switches: readonly SimAddress[] };
  readonly lines?: readonly string[];
  /** Epoch milliseconds at which a client subscribed to a topic. */
  readonly subscribed?: { readonly topic: string; readonly at: number };
}

/** The other side of {@link SimRack}: broker and switches, until the parent is gone. */
export async function runRack(): Promise<void> {
  const tell = (told: Told) => process.send?.(told);
  const broker = await startBroker({
    allow: (_user, action, topic) => {
      if (action === 'subscribe') tell({ subscribed: { topic, at: Date.now() } });
      return true;
    },
  });
  const switches = await Promise.all(NAMES.map(startSwitch));
  let told = 0;
  process.on('message', () => {
    const all = switches[0]?.faults.lines.map((entry) => entry.line) ?? [];
    tell({ lines: all.slice(told) });
    told = all.length;
  });
  process.once('disconnect', () => process.exit(0));
  tell({
    addresses: {
      brokerUrl: broker.url,
      switches: switches.map((device, i) => ({
        name: NAMES[i] ?? '',
        ...device.address,
        username: 'portkeeper',
        password: PASSWORD,
        hostKey: device.hostKeyFingerprint,
      })),
    },
  });
}

/** A host on every second port. The VLANs that the benchmark uses are there already. */
async function startSwitch(hostname: string, index: number): Promise<SimSwitch> {
  const device = await startSimSwitch({
    hostname,
    ports: PORTS,
    serial: `BENCH${index}`,
    chassisMac: `02:5d:00:00:0${index}:00`,
    users: [{ name: 'portkeeper', password: PASSWORD, privilege: 15 }],
    config: ['lldp run', 'vlan 100,200', 'exit', 'vlan 4000', 'exit'],
  });
  device.model.portNames.forEach((port, i) => {
    const mac = `02:00:00:0${index}:aa:${i.toString(16).padStart(2, '0')}`;
    if (i % 2 === 0) device.cable(port, hostNeighbor(`worker-${i}`, 'eno1', mac));
  });
  return device;
}

/** Two simulated switches of 52 ports that answer without thinking, and a broker, in a process of their own. */
export class SimRack {
  readonly #child: ChildProcess;
  readonly brokerUrl: string;
  readonly switches: readonly SimAddress[];

  private constructor(child: ChildProcess, addresses: NonNullable<Told['addresses']>) {
    this.#child = child;
    this.brokerUrl = addresses.brokerUrl;
    this.switches = addresses.switches;
    // One for each agent that is being waited for.
    child.setMaxListeners(0);
  }

  static async start(): Promise<SimRack> {
    const child = startRole(RACK_ROLE);
    const [told] = (await once(child, 'message')) as [Told];
    if (!told.addresses) throw new Error('the simulated rack did not start');
    return new SimRack(child, told.addresses);
  }

  /** The lines that the first switch has received since the last call. */
  async lines(): Promise<readonly string[]> {
    const answer = this.#told((told) => told.lines);
    this.#child.send('lines');
    return await answer;
  }

  /** Epoch milliseconds of the next subscription to a topic. */
  subscription(topic: string): Promise<number> {
    return this.#told((told) => (told.subscribed?.topic === topic ? told.subscribed.at : undefined));
  }

  async stop(): Promise<void> {
    await end(this.#child);
  }

  #told<T>(pick: (told: Told) => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const gone = () => reject(new Error('the simulated rack has ended'));
      const listen = (told: Told) => {
        const found = pick(told);
        if (found === undefined) return;
        this.#child.off('message', listen).off('exit', gone);
        resolve(found);
      };
      this.#child.on('message', listen).once('exit', gone);
    });
  }
}
