import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import type { ResultDocument } from '../../agent/model/report.ts';
import type { Watch } from './broker.ts';
import type { Lab } from './lab.ts';
import type { LabProcess } from './processes.ts';
import type { PublishedDocument, ReceivedResult } from './truth-check.ts';

const BUNDLE = resolve('dist/portkeeper.cjs');

/** Kept over agents: the broker keeps the documents of the one before, so a revision must not come twice. */
const revisions = new WeakMap<Lab, Map<string, number>>();

/** The daemon as it is shipped, running in the lab's node `agent`, with a viewer that records all it publishes. */
export class LabAgent {
  readonly base = 'portkeeper/v1/lab';
  readonly folder: string;
  process: LabProcess | null = null;
  /** Beginning of the daemon's command line: a program that becomes the daemon. */
  wrapper: readonly string[] = [];
  /** Every document that {@link publish} sent, in order. */
  readonly published: PublishedDocument[] = [];
  readonly #lab: Lab;
  #viewer: Watch | null = null;
  #overrides: Record<string, unknown>;
  readonly #results: ReceivedResult[] = [];
  #looked = 0;

  constructor(lab: Lab, overrides: Record<string, unknown> = {}) {
    this.#lab = lab;
    this.#overrides = overrides;
    this.folder = join(lab.folder, 'agent');
    rmSync(this.folder, { recursive: true, force: true });
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
  }

  get configFile(): string {
    return join(this.folder, 'portkeeper.yaml');
  }

  get stateDir(): string {
    return join(this.folder, 'state');
  }

  /** Writes the configuration: the given keys over those of the lab. */
  configure(overrides: Record<string, unknown> = this.#overrides): void {
    this.#overrides = overrides;
    const { switchTarget: target, broker } = this.#lab;
    const { tor, mqtt, ...rest } = overrides as { tor?: Record<string, unknown>; mqtt?: Record<string, unknown> };
    const config = {
      rack: 'lab',
      mode: 'manage',
      mqtt: {
        url: broker.url,
        username: 'agent',
        passwordFile: broker.passwordFiles.agent,
        caFile: broker.caFile,
        willDelay: 1,
        ...mqtt,
      },
      switches: {
        tor: {
          driver: 'open-vswitch',
          host: target.address,
          port: target.port,
          username: target.user,
          privateKeyFile: target.keyFile,
          hostKeys: [...target.hostKeyFingerprints],
          managedPorts: [`swp1-swp${this.#lab.ports}`],
          pollInterval: 2,
          commandTimeout: 10,
          connectTimeout: 5,
          ...tor,
        },
      },
      networks: { idle: { nativeVLAN: 4000 }, inspection: { nativeVLAN: 900 }, cleaning: 'inspection' },
      stateDir: this.stateDir,
      runtimeDir: join(this.folder, 'run'),
      ...rest,
    };
    writeFileSync(this.configFile, stringify(config));
  }

  /** Starts the daemon; resolves when it has said that it started. */
  async start(): Promise<this> {
    this.configure();
    this.#viewer ??= await this.#lab.watch({ user: 'viewer', topics: [`${this.base}/#`], lasting: true });
    await this.launch().waitFor(
      '"started"',
      (self) => (self.stdout.includes('"msg":"started"') ? true : undefined),
      20_000,
    );
    return this;
  }

  /** Starts the daemon's process with the configuration that was written last; it is not up yet. */
  launch(): LabProcess {
    const command = [...this.wrapper, process.execPath, BUNDLE, 'run', '--config', this.configFile];
    this.process = this.#lab.spawn('agent', command);
    return this.process;
  }

  async kill(): Promise<void> {
    await this.process?.end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.process?.end('SIGTERM');
    await this.#viewer?.stop();
    this.#viewer = null;
  }

  get viewer(): Watch {
    if (!this.#viewer) throw new Error('the agent was not started');
    return this.#viewer;
  }

  /** The next revision of a publisher. */
  nextRevision(publisher = 'ironic'): number {
    const given = revisions.get(this.#lab) ?? new Map<string, number>();
    revisions.set(this.#lab, given);
    const revision = (given.get(publisher) ?? 0) + 1;
    given.set(publisher, revision);
    return revision;
  }

  /** Publishes a document with the next revision; returns the revision. */
  async publish(attachments: Record<string, unknown>, publisher: 'ironic' | 'tenant' = 'ironic'): Promise<number> {
    const revision = this.nextRevision(publisher);
    this.published.push({ publisher, revision, attachments, at: Date.now() });
    const sent = await this.#lab.publish({
      user: publisher,
      topic: `${this.base}/intent/${publisher}`,
      payload: { revision, attachments },
      retain: true,
    });
    if (!sent.accepted) throw new Error(`the broker refused the document: ${sent.message}`);
    return revision;
  }

  /** Waits for a result of this revision that fulfils `wanted`. */
  async result(
    revision: number,
    wanted: (result: ResultDocument) => boolean = (r) => r.state !== 'pending',
    publisher = 'ironic',
    timeoutMs = 30_000,
  ): Promise<ResultDocument> {
    const topic = `${this.base}/result/${publisher}`;
    const message = await this.viewer.next(
      `a result of revision ${revision} of ${publisher}`,
      (m) => {
        if (m.topic !== topic || !m.payload.includes(`"revision":${revision},`)) return false;
        const document = JSON.parse(m.payload) as ResultDocument;
        return document.revision === revision && wanted(document);
      },
      timeoutMs,
    );
    return JSON.parse(message.payload) as ResultDocument;
  }

  /** Every result document that has arrived until now, in order. */
  results(): readonly ReceivedResult[] {
    const messages = this.viewer.all();
    for (; this.#looked < messages.length; this.#looked++) {
      const message = messages[this.#looked];
      if (!message?.topic.startsWith(`${this.base}/result/`) || message.payload === '') continue;
      this.#results.push({ at: message.at, document: JSON.parse(message.payload) as ResultDocument });
    }
    return this.#results;
  }

  /** Publishes and waits until nothing is pending. */
  async apply(
    attachments: Record<string, unknown>,
    publisher: 'ironic' | 'tenant' = 'ironic',
  ): Promise<ResultDocument> {
    return this.result(await this.publish(attachments, publisher), undefined, publisher);
  }

  /** Runs the program's command line against the daemon. */
  cli(...args: string[]) {
    return this.#lab.in('agent', [process.execPath, BUNDLE, ...args, '--socket', join(this.folder, 'run')]);
  }
}

/** An attachment of one port of the lab's switch. */
export function on(port: string, switchport: Record<string, unknown>, extra: Record<string, unknown> = {}) {
  return { port: { switchId: 'tor', portId: port }, switchport, ...extra };
}
