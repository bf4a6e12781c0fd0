import type { Driver, SwitchTarget } from '../../drivers/driver.ts';
import { DriverError } from '../../drivers/errors.ts';
import type { SwitchConfig } from '../config/schema.ts';
import { own } from '../model/own.ts';
import { StoreError } from '../store/errors.ts';
import { emptySwitch } from '../store/state.ts';
import * as books from './bookkeeping.ts';
import { carryOut } from './carry-out.ts';
import type { Refusal } from './fabric.ts';
import { LinkHints } from './link-hints.ts';
import type { RoundContext } from './round-context.ts';
import { merge, type RoundRequest } from './round-request.ts';
import { SaveSchedule, saveStartup } from './save.ts';
import { refusalOf, SwitchLink } from './switch-link.ts';
import * as round from './switch-round.ts';
import { newSwitchView, type SwitchView } from './switch-view.ts';
import { Waiters } from './waiters.ts';

export interface LoopContext extends Omit<RoundContext, 'view' | 'session'> {
  /** Where and how to reach the switch, with its secrets; or why that is not known. */
  readonly target: (name: string) => SwitchTarget | Refusal;
}

interface OpenContext extends RoundContext {
  /** The session was just opened: nothing is known of what happened before. */
  readonly fresh: boolean;
}

/** The one writer of one switch: serves requests, polls, reconnects, and never ends by itself. */
export class SwitchLoop {
  readonly view: SwitchView;
  readonly #ctx: LoopContext;
  readonly #link: SwitchLink;
  #pending: RoundRequest | null = { read: true, neighbors: true };
  readonly #waiters = new Waiters();
  #wake: (() => void) | null = null;
  #stopped = false;
  #running: Promise<void> | null = null;
  #pollAt = Number.NEGATIVE_INFINITY;
  readonly #saves: SaveSchedule;
  readonly #hints = new LinkHints();

  constructor(name: string, config: SwitchConfig, driver: Driver, ctx: LoopContext) {
    this.view = newSwitchView(name, config, driver);
    this.#ctx = ctx;
    this.#saves = new SaveSchedule(ctx.clock);
    this.#link = new SwitchLink(() => ctx.clock.monotonic(), ctx.random);
    const stored = own(ctx.state().switches, name) ?? emptySwitch;
    this.view.uplinks = round.knownUplinks(stored, this.view.uplinks);
  }

  start(): void {
    this.#running ??= this.#loop();
  }

  /** Asks for a round; resolves when it is over, rejects when it could not be done. */
  request(request: RoundRequest): Promise<void> {
    if (this.#stopped) return Promise.reject(new Error('the agent is stopping'));
    const done = this.#waiters.wait();
    this.#pending = merge(this.#pending, request);
    this.#wake?.();
    return done;
  }

  /** Asks for a round without waiting for it. */
  trigger(request: RoundRequest): void {
    this.request(request).catch(() => {});
  }

  /** The switch says that something happened at a port (by its ifIndex; null: anywhere): looked at soon. */
  hint(ifIndex: number | null): void {
    this.#hints.add(ifIndex);
    this.#wake?.();
  }

  /** Takes a changed configuration. `reconnect`: address, login or options changed. */
  async configure(config: SwitchConfig, driver: Driver, reconnect: boolean): Promise<void> {
    this.view.config = config;
    this.view.driver = driver;
    if (reconnect) {
      await this.#link.close();
      this.trigger({ read: true, neighbors: true, hurry: true });
    } else {
      this.trigger({ read: true });
    }
  }

  /** Forgets who the switch was; the one that answers next is the known one. */
  async accept(): Promise<void> {
    await this.#ctx.update((state) =>
      books.withSwitch(state, this.view.name, (s) => ({
        ...books.afterReboot(s),
        identity: null,
        hostKey: null,
        vlans: {},
      })),
    );
    this.view.changed = null;
    this.view.failures = new Map();
    await this.#link.close();
    await this.request({ read: true, neighbors: true, hurry: true, repair: true });
    this.#ctx.events.add(
      'switch-accepted',
      `${this.view.name}: the switch that answers now was accepted as the known one`,
      {
        switch: this.view.name,
      },
    );
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wake?.();
    await this.#running;
    await this.#link.close();
    this.#waiters.settle(new Error('the agent is stopping'));
  }

  async #loop(): Promise<void> {
    const { clock } = this.#ctx;
    while (!this.#stopped) {
      if (clock.monotonic() >= this.#hints.at) await this.#look();
      if (clock.monotonic() >= this.#pollAt) this.#pending = merge(this.#pending, { read: true, neighbors: true });
      const request = this.#pending;
      const saveAt = this.#link.session ? this.#saves.at : Number.POSITIVE_INFINITY;
      const idle = Math.min(this.#pollAt, saveAt, this.#hints.at) - clock.monotonic();
      const wait = request === null ? idle : request.hurry ? 0 : this.#link.waitMs;
      if (wait > 0) {
        // A request that must wait for the back-off is answered now: the caller hears why, and the work stays due.
        if (request !== null) this.#waiters.settle(this.#trouble());
        await this.#sleep(wait);
        continue;
      }
      if (request === null && this.#saves.due) {
        await this.#saveInTurn();
        continue;
      }
      this.#pending = null;
      const waiters = this.#waiters.take();
      this.#pollAt = clock.monotonic() + this.view.config.pollInterval * 1000;
      const error = await this.#attempt((ctx, again) =>
        this.#round(ctx, again ? { ...request, read: true } : (request ?? {})),
      );
      // What could not be done stays due, without the haste.
      if (error) this.#pending = merge(this.#pending, { ...request, read: true, neighbors: true, hurry: false });
      waiters.settle(error);
      this.#ctx.changed();
    }
  }

  /** Follows notifications: the links that they name at once, when a session is open, and everything with the next round. */
  async #look(): Promise<void> {
    const { ports, all } = this.#hints.take(this.#ctx.clock.monotonic());
    if (all) this.#pending = merge(this.#pending, { read: true, neighbors: true });
    const { session } = this.#link;
    if (session && (await round.readLinks({ ...this.#ctx, view: this.view, session }, ports))) this.#ctx.changed();
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        cancel();
        this.#wake = null;
        resolve();
      };
      const cancel = this.#ctx.clock.after(ms, done);
      this.#wake = done;
    });
  }

  #trouble(): Error {
    return new Error(`${this.view.name}: ${this.view.trouble?.message ?? 'waiting before the next attempt'}`);
  }

  /** Does something with an open session, with one immediate second try when one that was kept open turns out to be dead. */
  async #attempt(work: (ctx: OpenContext, again: boolean) => Promise<void>): Promise<Error | null> {
    for (let second = false; ; second = true) {
      const kept = this.#link.session !== null;
      try {
        await work(await this.#open(), second);
        this.#link.succeeded();
        this.#reachable();
        return null;
      } catch (error) {
        await this.#link.close();
        if (this.#stopped) return error instanceof Error ? error : new Error(String(error));
        if (error instanceof DriverError && error.kind === 'unreachable' && kept && !second) continue;
        this.#failed(error);
        return this.#trouble();
      }
    }
  }

  async #open(): Promise<OpenContext> {
    const { view } = this;
    for (;;) {
      const target = this.#ctx.target(view.name);
      if ('reason' in target)
        throw new DriverError(target.reason === 'SwitchChanged' ? 'host-key' : 'auth', target.message);
      const opened = await this.#link.open(view.driver, target, {
        clock: this.#ctx.clock,
        knownBootId: own(this.#ctx.state().switches, view.name)?.identity?.bootId ?? null,
        trace: (e) =>
          this.#ctx.log(
            'debug',
            { switch: view.name, command: e.command, answer: e.answer.slice(0, 2000) },
            'exchange',
          ),
      });
      if (opened !== null) return { ...this.#ctx, view, ...opened };
    }
  }

  async #round(ctx: OpenContext, request: RoundRequest): Promise<void> {
    const { view } = this;
    const looks = ctx.fresh || request.neighbors === true || view.identity === null;
    const rebooted = looks ? await round.identify(ctx) : false;
    if (looks) await round.readNeighbors(ctx);
    const repair = request.repair === true || rebooted;
    const stale =
      ctx.fresh ||
      request.read === true ||
      !view.driver.capabilities.absoluteWrites ||
      view.inFlight.size > 0 ||
      view.reading === null;
    if (stale) await round.read(ctx);
    let planned = round.plan(ctx, repair);
    // Nothing to change is said only of a switch that was just read; and a VLAN is made only if it is not there now, since
    // making one that exists would rename it.
    if (!stale && (round.planIsEmpty(planned) || (planned?.changes.createVlans.length ?? 0) > 0)) {
      await round.read(ctx);
      planned = round.plan(ctx, repair);
    }
    this.#reachable();
    for (let pass = 0; pass < 3 && planned !== null && !round.planIsEmpty(planned) && this.#mayWrite(); pass++) {
      await carryOut(ctx, planned);
      planned = round.plan(ctx, false);
    }
    this.#ctx.changed();
    await round.settle(ctx);
    this.#ctx.changed();
    if (this.#unsaved) this.#saves.soon();
    if (this.#saves.overdue) await this.#save(ctx);
  }

  #mayWrite(): boolean {
    return this.#ctx.config().mode === 'manage' && this.view.changed === null && !this.#stopped;
  }

  get #unsaved(): boolean {
    return own(this.#ctx.state().switches, this.view.name)?.notPersisted === true;
  }

  /** A session that had to be opened anew may be with another switch, or one that rebooted: that is found out before anything else. */
  async #saveInTurn(): Promise<void> {
    const whole = { read: true, neighbors: true };
    const error = await this.#attempt((ctx) => (ctx.fresh ? this.#round(ctx, whole) : this.#save(ctx)));
    if (error) this.#pending = merge(this.#pending, whole);
  }

  /** Saves unless a port stands half changed. What was not saved stays due, whatever comes between. */
  async #save(ctx: RoundContext): Promise<void> {
    this.#saves.clear();
    if (!this.#unsaved || !ctx.config().persist || !this.#mayWrite()) return;
    this.#saves.later();
    if (this.view.leftHalf.size === 0 && (await saveStartup(ctx))) this.#saves.clear();
  }

  #reachable(): void {
    const { view } = this;
    view.trouble = null;
    if (view.reachability === 'reachable') return;
    view.reachability = 'reachable';
    view.since = this.#ctx.clock.now();
    this.#ctx.events.add('switch-reachable', `${view.name} answers`, { switch: view.name });
    this.#ctx.changed();
  }

  #failed(error: unknown): void {
    const { view } = this;
    const known = error instanceof DriverError;
    const store = error instanceof StoreError;
    if (!known && !store) {
      const stack = error instanceof Error ? error.stack : String(error);
      this.#ctx.log('error', { switch: view.name, stack }, 'defect in the reconcile loop');
    }
    if (this.#link.waitMs === 0) this.#link.failed(error);
    const message = error instanceof Error ? error.message : String(error);
    const trouble: Refusal = known ? refusalOf(error) : { reason: store ? 'StoreFailed' : 'InternalError', message };
    const answers = store || (known && error.kind === 'busy');
    if (!answers && view.reachability !== 'unreachable') {
      view.reachability = 'unreachable';
      view.since = this.#ctx.clock.now();
      this.#ctx.events.add('switch-unreachable', `${view.name}: ${trouble.message}`, { switch: view.name });
    }
    if (view.trouble?.message !== trouble.message)
      this.#ctx.log('warn', { switch: view.name, reason: trouble.reason }, trouble.message);
    view.trouble = trouble;
  }
}
