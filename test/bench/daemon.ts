import type { ChildProcess } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join, resolve } from 'node:path';
import type { StatusView } from '../../agent/model/views.ts';
import { end, sleep, start } from './processes.ts';
import type { SimRack } from './sim-rack.ts';

/** The program as it is shipped. */
export const BUNDLE = resolve('dist/portkeeper.cjs');
const READY_WITHIN_MS = 20_000;
/** How often the status is asked for while the agent starts; milliseconds. */
const ASK_EVERY_MS = 5;

export interface DaemonSettings {
  readonly rack: SimRack;
  /** Name of the rack: agents side by side need different ones. */
  readonly name: string;
  /** Below this folder. */
  readonly folder: string;
  /** How many of the rack's switches. */
  readonly switches: number;
  readonly pollInterval: number;
}

/** `portkeeper run` in a process of its own, with simulated switches. */
export class BenchDaemon {
  readonly runtimeDir: string;
  readonly #settings: DaemonSettings;
  readonly #configFile: string;
  #child: ChildProcess | null = null;

  constructor(settings: DaemonSettings) {
    const folder = join(settings.folder, settings.name);
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    this.#settings = settings;
    this.runtimeDir = join(folder, 'run');
    this.#configFile = join(folder, 'portkeeper.yaml');
    const passwordFile = join(folder, 'switch.password');
    const switches = settings.rack.switches.slice(0, settings.switches);
    writeFileSync(passwordFile, `${switches[0]?.password}\n`, { mode: 0o600 });
    const config = {
      rack: settings.name,
      mode: 'manage',
      mqtt: { url: settings.rack.brokerUrl, protocol: '3.1.1', username: 'agent' },
      switches: Object.fromEntries(
        switches.map((s) => [
          s.name,
          {
            driver: 'sim',
            host: s.host,
            port: s.port,
            username: s.username,
            passwordFile,
            hostKeys: [s.hostKey],
            managedPorts: ['swp1-swp48'],
            pollInterval: settings.pollInterval,
          },
        ]),
      ),
      stateDir: join(folder, 'state'),
      runtimeDir: this.runtimeDir,
    };
    // JSON is YAML.
    writeFileSync(this.#configFile, JSON.stringify(config));
  }

  /**
   * Starts the process. Resolves when the broker has its subscription to the intents and the status says that it is
   * connected, with the milliseconds that took.
   */
  async start(): Promise<number> {
    const subscribed = this.#settings.rack.subscription(`portkeeper/v1/${this.#settings.name}/intent/+`);
    const began = Date.now();
    let said = '';
    const child = start(process.execPath, [BUNDLE, 'run', '--config', this.#configFile], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(-2000);
      });
    while (!(await this.#connected())) {
      if (child.exitCode !== null || Date.now() - began > READY_WITHIN_MS)
        throw new Error(`the agent did not start: ${said}`);
      await sleep(ASK_EVERY_MS);
    }
    return Math.max(Date.now(), await subscribed) - began;
  }

  /** Resolves when every switch has been read. */
  async settled(): Promise<void> {
    const until = Date.now() + READY_WITHIN_MS;
    while (!(await this.#status()).switches.every((s) => s.ageSeconds !== null)) {
      if (Date.now() > until) throw new Error('the agent does not read its switches');
      await sleep(ASK_EVERY_MS);
    }
  }

  /** Resident memory in MiB. */
  rssMb(): number {
    const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.#pid}/status`, 'utf8'))?.[1];
    if (kib === undefined) throw new Error('the kernel does not tell how much memory the agent takes');
    return Number(kib) / 1024;
  }

  /** Processor time of all its threads until now, in milliseconds. From schedstat: utime and stime count in steps of 10 ms. */
  cpuMs(): number {
    const tasks = `/proc/${this.#pid}/task`;
    const nanoseconds = readdirSync(tasks).map((id) =>
      Number(readFileSync(join(tasks, id, 'schedstat'), 'utf8').split(' ')[0]),
    );
    return nanoseconds.reduce((sum, ns) => sum + ns, 0) / 1e6;
  }

  async stop(): Promise<void> {
    if (this.#child !== null) await end(this.#child);
    this.#child = null;
  }

  get #pid(): number {
    if (this.#child?.pid === undefined || this.#child.exitCode !== null) throw new Error('the agent is not running');
    return this.#child.pid;
  }

  async #connected(): Promise<boolean> {
    return await this.#status().then(
      (status) => status.broker.connected,
      () => false,
    );
  }

  #status(): Promise<StatusView> {
    return new Promise((resolve, reject) => {
      const socketPath = join(this.runtimeDir, 'status.sock');
      const outgoing = request({ socketPath, path: '/v1/status', headers: { host: 'localhost' } }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.on('end', () => resolve(JSON.parse(text) as StatusView));
        response.on('error', reject);
      });
      outgoing.on('error', reject);
      outgoing.end();
    });
  }
}
