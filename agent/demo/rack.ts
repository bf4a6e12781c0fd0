import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostNeighbor, type SimSwitch, startSimSwitch } from '../../test/sim/index.ts';
import { type Daemon, startDaemon } from '../daemon.ts';
import { type RunningBroker, startBroker } from './broker.ts';

/** The demo's rack: everything real but the switch, and all of it on this machine's loopback. */
export interface DemoRack {
  readonly folder: string;
  readonly runtimeDir: string;
  readonly configFile: string;
  readonly logFile: string;
  readonly broker: RunningBroker;
  readonly tor: SimSwitch;
  readonly daemon: Daemon;
  /** Ends everything and removes the folder. */
  stop(): Promise<void>;
}

export const RACK = 'demo';
const PASSWORDS = { agent: 'agent-demo', publisher: 'publisher-demo', switch: 'switch-demo' } as const;
export const PUBLISHER_LOGIN = { username: 'ironic', password: PASSWORDS.publisher } as const;

/** Which host hangs on which port. swp8 leads to a spine switch, which the agent finds out and protects. */
const CABLES = [
  ['swp1', 'worker-1'],
  ['swp2', 'worker-2'],
  ['swp3', 'worker-3'],
  ['swp4', 'worker-4'],
] as const;

/** Starts broker, switch and agent, wired as in production: the agent gets a configuration file and secret files. */
export async function startDemoRack(appendLog: (file: string, line: string) => void): Promise<DemoRack> {
  const folder = mkdtempSync(join(tmpdir(), 'portkeeper-demo-'));
  chmodSync(folder, 0o755);
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const end of stops.splice(0).reverse()) await end();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const broker = await startBroker({ login: allowed });
    stops.push(() => broker.stop());
    const tor = await startSimSwitch({
      hostname: 'tor1',
      ports: 8,
      users: [{ name: 'portkeeper', password: PASSWORDS.switch, privilege: 15 }],
      config: ['lldp run'],
    });
    stops.push(() => tor.stop());
    CABLES.forEach(([port, host], i) => {
      tor.cable(port, hostNeighbor(host, 'eno1', `02:00:00:00:aa:0${i + 1}`));
    });
    tor.cable('swp8', { ...hostNeighbor('spine-1', 'Ethernet1/1', '02:00:00:00:bb:01'), capabilities: 'B,R' });
    const runtimeDir = join(folder, 'run');
    const configFile = join(folder, 'portkeeper.yaml');
    const logFile = join(folder, 'agent.log');
    secret(join(folder, 'broker.password'), PASSWORDS.agent);
    secret(join(folder, 'switch.password'), PASSWORDS.switch);
    secret(join(folder, 'publisher.password'), PASSWORDS.publisher);
    writeFileSync(configFile, configuration(folder, runtimeDir, broker, tor));
    const daemon = await startDaemon({
      file: configFile,
      env: {},
      write: (line) => appendLog(logFile, line),
      startEmpty: false,
    });
    stops.push(() => daemon.stop());
    return { folder, runtimeDir, configFile, logFile, broker, tor, daemon, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function allowed(username: string | null, password: string | null): boolean {
  if (username === 'agent') return password === PASSWORDS.agent;
  return username === PUBLISHER_LOGIN.username && password === PUBLISHER_LOGIN.password;
}

function secret(file: string, value: string): void {
  writeFileSync(file, `${value}\n`, { mode: 0o600 });
}

function configuration(folder: string, runtimeDir: string, broker: RunningBroker, tor: SimSwitch): string {
  return `# The configuration of this demo; see config/portkeeper.example.yaml for every key.
rack: ${RACK}
mode: manage
mqtt:
  url: ${broker.url}
  protocol: "3.1.1"
  username: agent
  passwordFile: broker.password
switches:
  tor1:
    driver: sim
    host: ${tor.address.host}
    port: ${tor.address.port}
    username: portkeeper
    passwordFile: switch.password
    hostKeys: ["${tor.hostKeyFingerprint}"]
    managedPorts: [swp1-swp8]
    pollInterval: 2
networks:
  idle: { mode: access, nativeVLAN: 4000 }
  inspection: { mode: access, nativeVLAN: 900 }
  cleaning: inspection
publishers:
  ironic:
    vlans: ["100-399"]
stateDir: ${join(folder, 'state')}
runtimeDir: ${runtimeDir}
log: { level: debug }
`;
}
