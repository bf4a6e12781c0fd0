import type { Driver, SwitchTarget } from '../../drivers/driver.ts';
import type { Clock } from '../../drivers/model/clock.ts';
import type { Config, SwitchConfig } from '../config/schema.ts';
import type { IntentDocument } from '../model/intent.ts';
import { own } from '../model/own.ts';
import type { Reason } from '../model/reasons.ts';
import type { DocumentError } from '../model/report.ts';
import type { State } from '../store/state.ts';
import type { Store } from '../store/store.ts';
import { refusePublisher } from './authorise.ts';
import { withoutWithdrawals } from './bookkeeping.ts';
import { refusedOwners, yieldClaims } from './claims.ts';
import { compileDesired, type Desired, ownerKey } from './desired.ts';
import type { EventLog } from './event-log.ts';
import type { Fabric, FabricSwitch, Refusal } from './fabric.ts';
import { GuardEvents } from './guard-events.ts';
import { type Decision, decide, refuse } from './intake.ts';
import type { ReportInput } from './report-input.ts';
import type { RoundRequest } from './round-request.ts';
import { SwitchLoop } from './switch-loop.ts';
import type { SwitchView } from './switch-view.ts';
import { finishedWithdrawals } from './withdrawals.ts';

export type LogFunction = (level: 'debug' | 'info' | 'warn' | 'error', fields: object, message: string) => void;

export interface RackDeps {
  readonly config: Config;
  readonly store: Store<State>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly events: EventLog;
  readonly log: LogFunction;
  /** Where a switch is and how to log in, from the configuration in force; or why that is not known. */
  readonly target: (name: string) => SwitchTarget | Refusal;
  readonly driver: (settings: SwitchConfig) => Driver;
  /** Something to report has changed. */
  readonly changed: () => void;
}

/**
 * All switches of the rack, the accepted documents, and what follows from both. Desired state is compiled anew whenever
 * one of its sources changed; each switch has a loop of its own that converges to it.
 */
export class Rack {
  readonly #deps: RackDeps;
  readonly #loops = new Map<string, SwitchLoop>();
  /** {@link Clock.monotonic} of the last acceptance that touched an attachment. */
  readonly #touched = new Map<string, number>();
  readonly #guard: GuardEvents;
  #config: Config;
  #memo: { key: readonly unknown[]; fabric: Fabric; desired: Desired } | null = null;
  #running = false;
  #finishing = false;

  constructor(deps: RackDeps) {
    this.#deps = deps;
    this.#guard = new GuardEvents(deps.events);
    this.#config = deps.config;
    for (const name of Object.keys(deps.config.switches)) this.#add(name);
  }

  get config(): Config {
    return this.#config;
  }

  get views(): ReadonlyMap<string, SwitchView> {
    return new Map([...this.#loops].map(([name, loop]) => [name, loop.view]));
  }

  start(): void {
    this.#running = true;
    for (const loop of this.#loops.values()) loop.start();
  }

  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all([...this.#loops.values()].map((loop) => loop.stop()));
  }

  /** Everything reports are made of, as it is now. */
  get input(): ReportInput {
    const { fabric, desired } = this.#compile();
    return {
      config: this.#config,
      state: this.#deps.store.value,
      desired,
      fabric,
      views: this.views,
      freshSince: (owner) => this.#touched.get(owner) ?? Number.NEGATIVE_INFINITY,
    };
  }

  /** Like {@link input}, as if a document of a publisher were in force. Nothing is stored. */
  inputWith(publisher: string, document: IntentDocument): ReportInput {
    const state = this.#deps.store.value;
    const known = own(state.publishers, publisher);
    const claims = Object.fromEntries(
      Object.keys(document.attachments).map((name, i) => [
        name,
        own(known?.accepted?.claims ?? {}, name) ?? state.claimCounter + 1 + i,
      ]),
    );
    const accepted = { revision: document.revision, digest: '', at: '', document, claims };
    const publishers = { ...state.publishers, [publisher]: { accepted, withdrawing: {}, refused: null } };
    const changed = { ...state, publishers };
    const input = this.input;
    return {
      ...input,
      state: changed,
      desired: compileDesired(changed, this.#config, input.fabric, this.#neighbors()),
    };
  }

  /**
   * Takes a valid document by the revision rules. Resolves when the answer is durable; rejects with StoreError when it
   * could not be written down, and then nothing has changed.
   */
  async accept(publisher: string, document: IntentDocument): Promise<void> {
    const stranger = refusePublisher(publisher, this.#config);
    if (stranger) {
      await this.refuse(publisher, { ...stranger, revision: document.revision, errors: [] });
      return;
    }
    const at = new Date(this.#deps.clock.now()).toISOString();
    const mono = this.#deps.clock.monotonic();
    const refused = refusedOwners(this.#compile().desired);
    let decision: Decision | null = null;
    await this.#deps.store.update((state) => {
      decision = decide(state, publisher, document, at);
      return decision.kind === 'refused'
        ? refuse(
            state,
            publisher,
            { reason: decision.reason, message: decision.message, revision: document.revision, errors: [] },
            at,
          )
        : yieldClaims(decision.state, refused);
    });
    this.#announce(publisher, document.revision, decision, mono);
  }

  #announce(publisher: string, revision: number, decision: Decision | null, mono: number): void {
    const { events, log, changed } = this.#deps;
    if (decision?.kind === 'accepted') {
      for (const name of decision.touched) this.#touched.set(ownerKey(publisher, name), mono);
      events.add(
        'intent-accepted',
        `revision ${revision} of ${publisher} is in force: ${decision.touched.length} attachments touched`,
        { publisher },
      );
      log('info', { publisher, revision, touched: decision.touched.length }, 'intent accepted');
      // Without `read`: a recent reading may do to plan from, see SwitchLoop.
      for (const loop of this.#loops.values()) loop.trigger({});
    } else if (decision?.kind === 'refused') {
      events.add('intent-refused', `revision ${revision} of ${publisher}: ${decision.message}`, { publisher });
      log('warn', { publisher, revision, reason: decision.reason }, 'intent refused');
    }
    changed();
  }

  /** Notes a refused document; the one in force stays. Rejects with StoreError when that could not be written down. */
  async refuse(
    publisher: string,
    refusal: { reason: Reason; message: string; revision: number | null; errors: readonly DocumentError[] },
  ): Promise<void> {
    const at = new Date(this.#deps.clock.now()).toISOString();
    await this.#deps.store.update((state) => refuse(state, publisher, refusal, at));
    this.#deps.events.add('intent-refused', `a document of ${publisher} was refused: ${refusal.message}`, {
      publisher,
    });
    this.#deps.log('warn', { publisher, reason: refusal.reason, errors: refusal.errors.slice(0, 5) }, 'intent refused');
    this.#deps.changed();
  }

  /** Asks one switch, or all, for a round; resolves when all are over, rejects with the first failure. */
  async request(name: string | undefined, request: RoundRequest): Promise<void> {
    if (name !== undefined) return this.#loop(name).request(request);
    const rounds = await Promise.allSettled([...this.#loops.values()].map((loop) => loop.request(request)));
    const failed = rounds.find((r) => r.status === 'rejected');
    if (failed) throw failed.reason;
  }

  /** Passes on a notification of a switch; see {@link SwitchLoop.hint}. */
  hint(name: string, ifIndex: number | null): void {
    this.#loops.get(name)?.hint(ifIndex);
  }

  acceptSwitch(name: string): Promise<void> {
    return this.#loop(name).accept();
  }

  /** Puts a changed configuration in force; switches whose connection did not change keep their session. */
  async reconfigure(config: Config, reconnect: ReadonlySet<string>): Promise<void> {
    this.#config = config;
    const removed = [...this.#loops].filter(([name]) => !own(config.switches, name));
    for (const [name] of removed) this.#loops.delete(name);
    // A switch that hangs takes a while to stop; the others must not wait for it.
    const stopped = Promise.all(removed.map(([, loop]) => loop.stop()));
    for (const [name, settings] of Object.entries(config.switches)) {
      const loop = this.#loops.get(name);
      if (loop) await loop.configure(settings, this.#deps.driver(settings), reconnect.has(name));
      else if (this.#running) this.#add(name).start();
    }
    const refused = refusedOwners(this.#compile().desired);
    const { store } = this.#deps;
    if (yieldClaims(store.value, refused) !== store.value) await store.update((state) => yieldClaims(state, refused));
    this.#deps.changed();
    await stopped;
  }

  /** After each pass of reports: tells what the cabling guard found, and takes finished withdrawals off the books. */
  async afterReports(): Promise<void> {
    this.#guard.note(this.#compile().desired);
    if (this.#finishing) return;
    const done = finishedWithdrawals(this.input);
    if (done.length === 0) return;
    const touched = done.map(({ publisher, attachment }) => this.#touched.get(ownerKey(publisher, attachment)));
    this.#finishing = true;
    try {
      await this.#deps.store.update((state) => withoutWithdrawals(state, done));
    } finally {
      this.#finishing = false;
    }
    done.forEach(({ publisher, attachment }, i) => {
      this.#deps.events.add('withdrawn', `${publisher}/${attachment} is withdrawn`, { publisher, attachment });
      // It may have come back while this was written down.
      const owner = ownerKey(publisher, attachment);
      if (this.#touched.get(owner) === touched[i]) this.#touched.delete(owner);
    });
    this.#deps.changed();
  }

  #loop(name: string): SwitchLoop {
    const loop = this.#loops.get(name);
    if (!loop) throw new Error(`this rack has no switch "${name}"; it has ${[...this.#loops.keys()].join(', ')}`);
    return loop;
  }

  #add(name: string): SwitchLoop {
    const { store, clock, random, events, log, changed, target, driver } = this.#deps;
    const settings = own(this.#config.switches, name);
    if (!settings) throw new Error(`no switch "${name}" in the configuration`);
    const loop = new SwitchLoop(name, settings, driver(settings), {
      clock,
      random,
      events,
      log,
      changed,
      target,
      config: () => this.#config,
      desired: () => this.#compile().desired,
      state: () => store.value,
      update: (change) => store.update(change),
    });
    this.#loops.set(name, loop);
    return loop;
  }

  #neighbors(): Map<string, SwitchView['neighbors']> {
    return new Map([...this.#loops].map(([name, loop]) => [name, loop.view.neighbors]));
  }

  #compile(): { fabric: Fabric; desired: Desired } {
    const state = this.#deps.store.value;
    const key: unknown[] = [this.#config, state.publishers, state.switches];
    for (const { view } of this.#loops.values())
      key.push(view.config, view.driver, view.reading?.ports, view.identity, view.uplinks, view.neighbors);
    const memo = this.#memo;
    if (memo && memo.key.length === key.length && memo.key.every((part, i) => part === key[i])) return memo;
    const fabric = new Map([...this.#loops].map(([name, { view }]) => [name, fabricSwitch(view, state)]));
    const desired = compileDesired(state, this.#config, fabric, this.#neighbors());
    this.#memo = { key, fabric, desired };
    return this.#memo;
  }
}

function fabricSwitch(view: SwitchView, state: State): FabricSwitch {
  return {
    name: view.name,
    config: view.config,
    driver: view.driver,
    identity: view.identity ?? own(state.switches, view.name)?.identity ?? null,
    ports: view.reading?.ports ?? null,
    uplinks: view.uplinks,
  };
}
