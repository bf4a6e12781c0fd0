import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from '../../agent/app.ts';
import { diffConfig } from '../../agent/config/diff.ts';
import { diskConfigFiles } from '../../agent/config/file-system.ts';
import { type ReadyConfig, readConfiguration } from '../../agent/config/read.ts';
import { type RunningBroker, startBroker } from '../../agent/demo/broker.ts';
import type { EventDocument, ResultDocument } from '../../agent/model/report.ts';
import { connectOnce, type OneShot } from '../../agent/mqtt/one-shot.ts';
import { topics } from '../../agent/mqtt/topics.ts';
import { createLog } from '../../agent/service/log.ts';
import { diskFileSystem } from '../../agent/store/file-system.ts';
import { emptyState, STATE_VERSION, type State, stateSchema } from '../../agent/store/state.ts';
import { openStore, type Store } from '../../agent/store/store.ts';
import { type Clock, systemClock } from '../../drivers/model/clock.ts';
import { findDriver } from '../../drivers/registry.ts';
import { type SimSwitch, type SimSwitchOptions, startSimSwitch } from '../sim/index.ts';

/** The agent's clock: runs `speed` times as fast as the machine's, so that back-offs take milliseconds. */
export function fastClock(speed: number): Clock {
  const start = Date.now();
  const zero = performance.now();
  const mono = () => (performance.now() - zero) * speed;
  return {
    now: () => start + mono(),
    monotonic: mono,
    after: (ms, run) => systemClock.after(ms / speed, run),
  };
}

export interface WholeAgentOptions {
  readonly switches: Readonly<Record<string, SimSwitchOptions>>;
  /** Keys of the configuration file besides those that the rig sets. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Keys of every switch in the configuration file. */
  readonly switchConfig?: Readonly<Record<string, unknown>>;
  readonly speed?: number;
}

const PASSWORDS = { agent: 'sEcret-of-the-agent', switch: 'sEcret-of-the-switch', enable: 'sEcret-of-enable' } as const;

/** The whole agent with an embedded broker and simulated switches behind real SSH, on a clock that runs fast. */
export class WholeAgent {
  readonly secrets: readonly string[] = Object.values(PASSWORDS);
  readonly topics = topics('portkeeper/v1', 'r1');
  readonly folder = mkdtempSync(join(tmpdir(), 'pk-hostile-'));
  readonly logLines: string[] = [];
  readonly results = new Map<string, ResultDocument[]>();
  readonly events: EventDocument[] = [];
  /** Everything that anybody could hear on the broker: topic and payload. */
  readonly heard: string[] = [];
  /** Called with every result document as it comes in. */
  onResult: (publisher: string, result: ResultDocument) => void = () => {};
  readonly #options: WholeAgentOptions;
  readonly clock: Clock;
  readonly sims = new Map<string, SimSwitch>();
  #broker!: RunningBroker;
  #connection!: OneShot;
  #store!: Store<State>;
  #ready!: ReadyConfig;
  app!: App;
  readonly #waiting = new Set<() => void>();

  private constructor(options: WholeAgentOptions) {
    this.#options = options;
    this.clock = fastClock(options.speed ?? 20);
  }

  static async start(options: WholeAgentOptions): Promise<WholeAgent> {
    const self = new WholeAgent(options);
    try {
      await self.#start();
    } catch (error) {
      await self.stop();
      throw error;
    }
    return self;
  }

  sim(name = 'tor1'): SimSwitch {
    const found = this.sims.get(name);
    if (!found) throw new Error(`no switch ${name}`);
    return found;
  }

  get state(): State {
    return this.#store.value;
  }

  async #start(): Promise<void> {
    chmodSync(this.folder, 0o700);
    this.#broker = await startBroker();
    for (const [name, options] of Object.entries(this.#options.switches)) {
      this.sims.set(
        name,
        await startSimSwitch({
          hostname: name,
          chassisMac: `02:5d:00:00:${name.length}0:${name.slice(-1)}0`,
          serial: `SERIAL-${name}`,
          users: [{ name: 'portkeeper', password: PASSWORDS.switch, privilege: 1 }],
          enableSecret: PASSWORDS.enable,
          config: ['lldp run', 'vlan 4000', 'exit'],
          ...options,
        }),
      );
    }
    this.secret('broker.password', PASSWORDS.agent);
    this.secret('switch.password', PASSWORDS.switch);
    this.secret('enable.password', PASSWORDS.enable);
    this.writeConfig();
    this.#ready = await this.#read();
    const { config, credentials } = this.#ready;
    this.#store = await openStore<State>({
      dir: config.stateDir,
      name: 'state.json',
      schema: stateSchema,
      version: STATE_VERSION,
      initial: () => emptyState(config.rack),
      fs: diskFileSystem,
      clock: systemClock,
      writtenBy: 'test',
      startEmpty: false,
    });
    this.#connection = await connectOnce({
      config: { url: this.#broker.url, protocol: '3.1.1', username: 'controller' },
      clientId: 'controller',
      credentials: { password: 'x', ca: null, cert: null, key: null },
      clock: systemClock,
      timeoutMs: 5_000,
      onMessage: (topic, payload) => this.#hear(topic, payload),
      onLost: () => {},
    });
    await this.#connection.subscribe(['#']);
    this.app = new App({
      resolve: () => Promise.reject(new Error('no names here')),
      config,
      secrets: credentials,
      store: this.#store,
      clock: this.clock,
      random: Math.random,
      log: createLog((line) => this.logLines.push(line), 'debug', false),
      version: '0',
      pid: process.pid,
      env: {},
    });
    await this.app.start();
  }

  secret(file: string, value: string): void {
    writeFileSync(join(this.folder, file), `${value}\n`, { mode: 0o600 });
  }

  /** Writes the configuration file; `extra` and `perSwitch` overlay what the rig was started with. `drop`: switches left out. */
  writeConfig(
    extra: Readonly<Record<string, unknown>> = {},
    perSwitch: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {},
    drop: readonly string[] = [],
  ): void {
    const switches = Object.fromEntries(
      [...this.sims]
        .filter(([name]) => !drop.includes(name))
        .map(([name, sim]) => [
          name,
          {
            driver: 'sim',
            host: sim.address.host,
            port: sim.address.port,
            username: 'portkeeper',
            passwordFile: 'switch.password',
            enablePasswordFile: 'enable.password',
            hostKeys: [sim.hostKeyFingerprint],
            managedPorts: ['swp1-swp6'],
            pollInterval: 30,
            commandTimeout: 10,
            ...this.#options.switchConfig,
            ...perSwitch[name],
          },
        ]),
    );
    const config = {
      rack: 'r1',
      mode: 'manage',
      mqtt: { url: this.#broker.url, protocol: '3.1.1', username: 'agent', passwordFile: 'broker.password' },
      switches,
      networks: { idle: { nativeVLAN: 4000 }, inspection: { nativeVLAN: 900 } },
      stateDir: join(this.folder, 'state'),
      runtimeDir: join(this.folder, 'run'),
      log: { level: 'debug' },
      ...this.#options.config,
      ...extra,
    };
    writeFileSync(join(this.folder, 'portkeeper.yaml'), JSON.stringify(config));
  }

  async #read(): Promise<ReadyConfig> {
    const file = join(this.folder, 'portkeeper.yaml');
    const ready = await readConfiguration(file, { fs: diskConfigFiles, env: {}, findDriver });
    if (!ready.ok) throw new Error(JSON.stringify(ready.problems));
    return ready;
  }

  /** Puts the written configuration in force, as the daemon does. */
  async reload(): Promise<void> {
    const next = await this.#read();
    const changes = diffConfig(this.#ready, next);
    this.#ready = next;
    if (changes.same) return;
    await this.app.reload(next.config, next.credentials, {
      mqtt: changes.mqtt,
      reconnect: new Set(changes.switches.connection),
    });
  }

  #hear(topic: string, payload: Buffer): void {
    const text = payload.toString('utf8');
    this.heard.push(`${topic} ${text}`);
    if (payload.length > 0 && topic === this.topics.event) this.events.push(JSON.parse(text) as EventDocument);
    const publisher = /\/result\/([^/]+)$/.exec(topic)?.[1];
    if (publisher !== undefined && payload.length > 0) {
      const result = JSON.parse(text) as ResultDocument;
      this.results.set(publisher, [...(this.results.get(publisher) ?? []), result]);
      this.onResult(publisher, result);
    }
    for (const look of this.#waiting) look();
  }

  async publish(publisher: string, revision: number, attachments: Record<string, unknown>): Promise<void> {
    await this.publishText(publisher, JSON.stringify({ revision, attachments }));
  }

  async publishText(publisher: string, text: string): Promise<void> {
    await this.#connection.publishRetained(this.topics.intent(publisher), Buffer.from(text));
  }

  result(publisher: string): ResultDocument | undefined {
    return this.results.get(publisher)?.at(-1);
  }

  /** The result of a revision once nothing is pending in it. */
  settled(publisher: string, revision: number, ms?: number): Promise<ResultDocument> {
    return this.until(
      `result ${revision} of ${publisher}`,
      () => {
        const r = this.result(publisher);
        return r?.revision === revision && r.state !== 'pending' ? r : undefined;
      },
      ms,
    );
  }

  /** What `look` finds, looked for after every message and every few milliseconds. */
  until<T>(what: string, look: () => T | undefined | false, ms = 10_000): Promise<T> {
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void) => {
        clearTimeout(limit);
        clearInterval(ticks);
        this.#waiting.delete(check);
        settle();
      };
      const check = () => {
        try {
          const found = look();
          if (found !== undefined && found !== false) finish(() => resolve(found));
        } catch (error) {
          finish(() => reject(error));
        }
      };
      const limit = setTimeout(() => {
        const last = [...this.results].map(([p, all]) => `${p}: ${JSON.stringify(all.at(-1))?.slice(0, 1500)}`);
        const lines = [...this.sims.values()].flatMap((s) =>
          s.faults.lines.slice(-12).map((l) => `${l.prompt}${l.line}`),
        );
        const log = this.logLines.filter((l) => !l.includes('"level":20')).slice(-8);
        finish(() =>
          reject(
            new Error(`${what} did not come within ${ms} ms\n${last.join('\n')}\n${log.join('')}\n${lines.join('\n')}`),
          ),
        );
      }, ms);
      const ticks = setInterval(check, 5);
      this.#waiting.add(check);
      check();
    });
  }

  /** Everything idle at the switch: nothing wanted that is not there, and saved. */
  saved(name = 'tor1', ms?: number): Promise<true> {
    return this.until(
      `${name} saved`,
      () => !this.sim(name).model.unsaved && this.state.switches[name]?.notPersisted === false,
      ms,
    );
  }

  storedState(): string {
    return readFileSync(join(this.folder, 'state', 'state.json'), 'utf8');
  }

  async stop(): Promise<void> {
    await this.app?.stop();
    await this.#connection?.close();
    for (const sim of this.sims.values()) await sim.stop();
    await this.#broker?.stop();
    await this.#store?.idle();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** An attachment in access mode. */
export function access(port: string, nativeVLAN: number, extra: Record<string, unknown> = {}, switchId = 'tor1') {
  return { port: { switchId, portId: port }, switchport: { mode: 'access', nativeVLAN }, ...extra };
}

/** An attachment in trunk mode. */
export function trunk(port: string, nativeVLAN: number | null, allowedVLANs: (number | string)[], switchId = 'tor1') {
  const native = nativeVLAN === null ? {} : { nativeVLAN };
  return { port: { switchId, portId: port }, switchport: { mode: 'trunk', ...native, allowedVLANs } };
}

/** "100u 200t": what the port forwards or would with a cable; "" for nothing. */
export function carries(sim: SimSwitch, port: string): string {
  const { untagged, tagged } = sim.model.carried(port);
  return [...(untagged === null ? [] : [`${untagged}u`]), ...tagged.map((id) => `${id}t`)].join(' ');
}
