import { type Config, configSchema } from '../../agent/config/schema.ts';
import type { EventDocument, ResultDocument } from '../../agent/model/report.ts';
import { EventLog } from '../../agent/pipeline/event-log.ts';
import { Rack } from '../../agent/pipeline/rack.ts';
import { type Report, Reporter } from '../../agent/pipeline/reporter.ts';
import { validateIntent } from '../../agent/pipeline/validate.ts';
import { StoreError } from '../../agent/store/errors.ts';
import { emptyState, type State } from '../../agent/store/state.ts';
import type { Store } from '../../agent/store/store.ts';
import type { SwitchTarget } from '../../drivers/driver.ts';
import type { FakeSwitch } from './fake-switch.ts';
import { settled, TestClock } from './test-clock.ts';

/** A store in memory that can be made to fail. */
export class MemoryStore {
  value: State;
  failing = false;
  writes = 0;
  constructor(value: State) {
    this.value = value;
  }
  async update(change: (state: State) => State): Promise<State> {
    await Promise.resolve();
    if (this.failing) throw new StoreError('disk-full', '/state', 'no space left');
    this.writes++;
    this.value = change(this.value);
    return this.value;
  }
}

export interface TestRackOptions {
  readonly switches: Readonly<Record<string, FakeSwitch>>;
  readonly config?: Record<string, unknown>;
  readonly switchConfig?: Record<string, unknown>;
  readonly state?: State;
  readonly clock?: TestClock;
}

/** A rack on fake switches, with everything that it would publish. */
export class TestRack {
  readonly clock: TestClock;
  readonly store: MemoryStore;
  readonly rack: Rack;
  readonly events: EventLog;
  readonly published: Report[] = [];
  readonly logged: string[] = [];
  /** Called at the very moment at which a document is published. */
  onPublish: (report: Report) => void = () => {};
  readonly #reporter: Reporter;
  readonly #options: TestRackOptions;

  constructor(options: TestRackOptions) {
    this.#options = options;
    this.clock = options.clock ?? new TestClock();
    this.store = new MemoryStore(options.state ?? emptyState('r1'));
    this.events = new EventLog('r1', this.clock, 0, [], () => {});
    this.rack = new Rack({
      config: this.config(options.config),
      store: this.store as unknown as Store<State>,
      clock: this.clock,
      random: () => 0.5,
      events: this.events,
      log: (level, fields, message) => this.logged.push(`${level} ${message} ${JSON.stringify(fields)}`),
      target: (name) => target(name),
      driver: ({ driver }) => this.fake(driver).driver,
      changed: () => this.#reporter.changed(),
    });
    this.#reporter = new Reporter({
      clock: this.clock,
      input: () => this.rack.input,
      facts: () => ({ incarnation: 1, version: '0', startedAt: new Date(0).toISOString(), health: [] }),
      publish: (report) => {
        this.published.push(report);
        this.onPublish(report);
      },
      retract: () => {},
      afterwards: () => void this.rack.afterReports().catch(() => {}),
    });
  }

  config(extra: Record<string, unknown> = {}): Config {
    const switches = Object.fromEntries(
      Object.keys(this.#options.switches).map((name) => [
        name,
        {
          driver: name,
          host: '127.0.0.1',
          username: 'u',
          passwordFile: 'p',
          managedPorts: ['swp1-swp8'],
          ...this.#options.switchConfig,
        },
      ]),
    );
    const base = {
      rack: 'r1',
      mode: 'manage',
      mqtt: { url: 'mqtt://127.0.0.1' },
      switches,
      networks: { idle: { nativeVLAN: 4000 }, inspection: { nativeVLAN: 900 }, cleaning: 'inspection' },
    };
    return configSchema.parse({ ...base, ...extra });
  }

  fake(name: string): FakeSwitch {
    const fake = this.#options.switches[name];
    if (!fake) throw new Error(`no switch ${name}`);
    return fake;
  }

  async start(): Promise<this> {
    this.rack.start();
    await settled();
    return this;
  }

  /** Publishes a document and waits until everything that can be done without time passing is done. */
  async publish(publisher: string, revision: number, attachments: Record<string, unknown>): Promise<ResultDocument> {
    const valid = validateIntent({ revision, attachments });
    if (!valid.ok) throw new Error(JSON.stringify(valid.errors));
    await this.rack.accept(publisher, valid.document);
    await settled();
    return this.result(publisher);
  }

  /** Waits until all steps of a slow switch are through, without time passing. */
  async quiet(): Promise<void> {
    for (let before = -1; before !== this.published.length; ) {
      before = this.published.length;
      for (let i = 0; i < 8; i++) await settled();
    }
  }

  /** The result document as last published. */
  result(publisher: string): ResultDocument {
    const found = this.published.filter((r) => r.kind === 'result' && r.name === publisher).at(-1);
    if (found?.kind !== 'result') throw new Error(`no result for ${publisher}`);
    return found.document;
  }

  /** All results ever published for a publisher, oldest first. */
  results(publisher: string): ResultDocument[] {
    return this.published.flatMap((r) => (r.kind === 'result' && r.name === publisher ? [r.document] : []));
  }

  happened(kind: EventDocument['kind']): EventDocument[] {
    return this.events.after(-1).filter((e) => e.kind === kind);
  }
}

/** An attachment of one port in access mode. */
export function access(port: string, nativeVLAN: number, extra: Record<string, unknown> = {}, switchId = 'tor1') {
  return { port: { switchId, portId: port }, switchport: { mode: 'access', nativeVLAN }, ...extra };
}

function target(name: string): SwitchTarget {
  return {
    name,
    host: '127.0.0.1',
    port: 22,
    username: 'u',
    password: null,
    privateKey: null,
    passphrase: null,
    enablePassword: null,
    verifyHostKey: () => true,
    algorithms: 'modern',
    connectTimeoutMs: 1000,
    commandTimeoutMs: 1000,
    options: {},
  };
}
