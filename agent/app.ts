import type { Clock } from '../drivers/model/clock.ts';
import { type BrokerEdge, createBrokerEdge } from './broker.ts';
import type { Credentials } from './config/credentials.ts';
import type { Config } from './config/schema.ts';
import { inheritedSockets } from './local/activation.ts';
import { startLocalApi } from './local/api.ts';
import type { PlanDocument } from './model/command.ts';
import { own } from './model/own.ts';
import { withSwitch } from './pipeline/bookkeeping.ts';
import { EventLog } from './pipeline/event-log.ts';
import { Health } from './pipeline/health.ts';
import { Numbers } from './pipeline/numbers.ts';
import { planDocument } from './pipeline/plan-document.ts';
import { Rack } from './pipeline/rack.ts';
import { createReader } from './pipeline/reader.ts';
import type { AgentFacts } from './pipeline/report.ts';
import { Reporter } from './pipeline/reporter.ts';
import { validateIntent } from './pipeline/validate.ts';
import type { Log } from './service/log.ts';
import { switchDriver } from './service/switch-driver.ts';
import { switchTarget } from './service/switch-target.ts';
import { TrapDesk } from './service/trap-desk.ts';
import { trapSettings } from './service/trap-settings.ts';
import { emptySwitch, type State } from './store/state.ts';
import type { Store } from './store/store.ts';

/** What a reload changed; see config/diff.ts. */
export interface Changes {
  readonly mqtt: boolean;
  /** Switches whose session must be made anew. */
  readonly reconnect: ReadonlySet<string>;
}

export interface AppDeps {
  readonly config: Config;
  readonly secrets: Credentials;
  readonly store: Store<State>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly version: string;
  readonly pid: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Addresses of a host name; rejects when there are none. */
  readonly resolve: (host: string) => Promise<readonly string[]>;
}

/** Events written to the store now and then, so that a restart does not forget what happened. */
const KEPT_EVENTS = 256;
const HISTORY_MS = 10_000;
/** Connections whose numbers are reserved by one write of the store. */
const INCARNATIONS = 64;

/** The daemon: everything wired together. Nothing happens before {@link App.start}. */
export class App {
  readonly health: Health;
  readonly events: EventLog;
  readonly rack: Rack;
  readonly reporter: Reporter;
  readonly #deps: AppDeps;
  readonly #startedAt: string;
  #config: Config;
  #secrets: Credentials;
  readonly #incarnations: Numbers;
  readonly #traps: TrapDesk;
  #broker: BrokerEdge;
  #incarnation: number;
  #local: { close(): Promise<void> } | null = null;
  #historyDue: (() => void) | null = null;

  constructor(deps: AppDeps) {
    this.#deps = deps;
    this.#config = deps.config;
    this.#secrets = deps.secrets;
    const { store, clock, random, log } = deps;
    this.#startedAt = new Date(clock.now()).toISOString();
    this.#incarnation = store.value.incarnation;
    this.health = new Health(clock);
    this.#incarnations = new Numbers(store.value.incarnation, INCARNATIONS, (incarnation) =>
      store.update((s) => ({ ...s, incarnation })),
    );
    this.events = new EventLog(deps.config.rack, clock, store.value.eventCeiling, store.value.history, (ceiling) => {
      store
        .update((s) => ({ ...s, eventCeiling: Math.max(s.eventCeiling, ceiling) }))
        .catch((e: unknown) => this.#storeTrouble(e));
    });
    this.rack = new Rack({
      config: deps.config,
      store,
      clock,
      random,
      events: this.events,
      log: log.write,
      target: (name) => this.#target(name),
      driver: switchDriver,
      changed: () => this.reporter.changed(),
    });
    this.reporter = new Reporter({
      clock,
      input: () => this.rack.input,
      facts: () => this.#facts(),
      publish: ({ kind, name, document }) =>
        this.#broker.outbox.setRetained(this.#broker.topicOf(kind, name), document),
      retract: (kind, name) => this.#broker.outbox.clearRetained(this.#broker.topicOf(kind, name)),
      afterwards: () => void this.rack.afterReports().catch((e: unknown) => this.#storeTrouble(e)),
    });
    this.events.onEvent((event) => {
      this.#broker.outbox.event(this.#broker.topics.event, event);
      this.#historyDue ??= clock.after(HISTORY_MS, () => this.#keepHistory());
    });
    this.#broker = this.#connect();
    this.#traps = new TrapDesk({
      rack: deps.config.rack,
      clock,
      log: log.write,
      resolve: deps.resolve,
      onTrap: (name, trap) => this.rack.hint(name, trap.ifIndex),
      onTrouble: (message) => this.#trapTrouble(message),
    });
  }

  /** Opens the local sockets, then starts the broker link and the switches. Rejects when the sockets cannot be opened. */
  async start(): Promise<void> {
    const { clock, log, pid, env } = this.#deps;
    const reader = createReader({
      clock,
      input: () => this.rack.input,
      results: () => this.reporter.results,
      facts: () => this.#facts(),
      events: this.events,
      broker: () => {
        const { connected, sinceMs, message } = this.#broker.link.status;
        return {
          url: this.#config.mqtt.url,
          connected,
          since: sinceMs === null ? null : new Date(sinceMs).toISOString(),
          message,
        };
      },
      pid,
    });
    this.#local = await startLocalApi({
      reader,
      control: {
        refresh: (name) => this.rack.request(name, { read: true, neighbors: true, hurry: true }),
        reconcile: (name) => this.rack.request(name, { read: true, neighbors: true, hurry: true, repair: true }),
        accept: (name) => this.rack.acceptSwitch(name),
      },
      runtimeDir: this.#config.runtimeDir,
      log: {
        info: (fields, message) => log.write('info', fields, message),
        warn: (fields, message) => log.write('warn', fields, message),
        error: (fields, message) => log.write('error', fields, message),
      },
      clock,
      inherited: inheritedSockets(env, pid),
    });
    this.#noteRecovery();
    this.events.add('agent-started', `portkeeper ${this.#deps.version} started in mode ${this.#config.mode}`);
    this.reporter.pass();
    this.#broker.link.start();
    this.rack.start();
    await this.#traps.configure(trapSettings(this.#config, this.#secrets));
  }

  /** Stops in reverse: no more changes, then the farewell at the broker, then the sockets. Ends within seconds. */
  async stop(): Promise<void> {
    await this.#traps.close();
    await this.rack.stop();
    this.#historyDue?.();
    await this.#deps.store
      .update((s) => ({ ...s, history: [...this.events.recent(KEPT_EVENTS)] }))
      .catch((e: unknown) => this.#storeTrouble(e));
    await this.#broker.stop(this.#incarnation);
    await this.#local?.close();
  }

  /** Puts a valid new configuration in force, without touching what did not change. */
  async reload(config: Config, secrets: Credentials, changes: Changes): Promise<void> {
    this.#config = config;
    this.#secrets = secrets;
    if (changes.mqtt) {
      await this.#broker.stop(this.#incarnation);
      this.#broker = this.#connect();
      this.reporter.forget();
      this.#broker.link.start();
    }
    await this.#traps.configure(trapSettings(config, secrets));
    await this.rack.reconfigure(config, changes.reconnect);
    this.events.add('config-reloaded', 'the changed configuration is in force');
    this.reporter.changed();
  }

  /** What would be done if this document of a publisher were in force. Throws TypeError for one that is not valid. */
  planFor(publisher: string, attachments: Record<string, unknown>): PlanDocument {
    const valid = validateIntent({ revision: 0, attachments });
    if (!valid.ok) throw new TypeError(valid.errors.map((e) => `${e.path}: ${e.message}`).join('; '));
    return planDocument(this.rack.inputWith(publisher, valid.document));
  }

  /** A changed configuration was not valid; the old one stays in force. */
  configRefused(message: string): void {
    this.events.add('config-refused', message);
    this.reporter.changed();
  }

  #connect(): BrokerEdge {
    const { clock, random, log } = this.#deps;
    return createBrokerEdge({
      config: this.#config,
      secrets: this.#secrets.mqtt,
      rack: this.rack,
      clock,
      random,
      log: log.write,
      nextIncarnation: () => this.#incarnations.take(),
      onConnected: (incarnation) => {
        this.#incarnation = incarnation;
        this.reporter.pass();
      },
      onDisconnected: () => this.reporter.changed(),
      stored: (error) => (error === null ? this.health.clear('store') : this.#storeTrouble(error)),
    });
  }

  #target(name: string) {
    const config = own(this.#config.switches, name);
    const secrets = own(this.#secrets.switches, name);
    if (!config || !secrets)
      return { reason: 'InternalError' as const, message: `${name} is not in the configuration` };
    const { store } = this.#deps;
    return switchTarget(name, config, secrets, {
      pinned: (own(store.value.switches, name) ?? emptySwitch).hostKey,
      pin: async (hostKey) => {
        await store.update((state) => withSwitch(state, name, (s) => ({ ...s, hostKey })));
      },
    });
  }

  #facts(): AgentFacts {
    return {
      incarnation: this.#incarnation,
      version: this.#deps.version,
      startedAt: this.#startedAt,
      health: this.health.items,
    };
  }

  #keepHistory(): void {
    this.#historyDue = null;
    this.#deps.store
      .update((s) => ({ ...s, history: [...this.events.recent(KEPT_EVENTS)] }))
      .then(
        () => this.health.clear('store'),
        (e: unknown) => this.#storeTrouble(e),
      );
  }

  #storeTrouble(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.health.set(
      'store',
      'error',
      message,
      'Free space on the disk of stateDir and check its permissions; new documents are not acknowledged until then.',
    );
    this.#deps.log.write('error', {}, message);
    this.reporter.changed();
  }

  #trapTrouble(message: string | null): void {
    if (message === null) this.health.clear('traps');
    else
      this.health.set(
        'traps',
        'warning',
        message,
        'Links are followed by polling alone until then; correct traps.listen.',
      );
    this.reporter.changed();
  }

  #noteRecovery(): void {
    const { recovered, setAside, why } = this.#deps.store.health;
    if (recovered === 'none') return;
    this.health.set(
      'store-recovered',
      'warning',
      `the store was damaged (${why}); the ${recovered === 'previous' ? 'previous copy was taken' : 'store was started empty'}`,
      `Look at ${setAside ?? 'the state folder'}; publishers should publish their newest document again.`,
    );
  }
}
