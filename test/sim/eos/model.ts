import type { Clock } from '../../../drivers/model/clock.ts';
import { copyConfig, type EosConfig, freshPort } from './config.ts';

export interface EosSession {
  readonly name: string;
  readonly user: string;
  state: 'pending' | 'pendingCommitTimer' | 'committed' | 'aborted';
  /** What commit puts in force. */
  candidate: EosConfig;
  /** Beginning of the candidate: what others change meanwhile is kept where the session did not touch it. */
  base: EosConfig;
}

/** At most so many sessions may be pending. */
const MAX_PENDING = 5;

/** An Arista switch: running configuration, sessions and the commit timer. */
export class EosModel {
  running: EosConfig;
  startup: EosConfig;
  readonly sessions = new Map<string, EosSession>();
  /** From 4.32 on a session under a timer is called committed, and its name stands by itself. */
  readonly newTimerForm: boolean;
  readonly bootedAt: number;
  readonly #clock: Clock;
  #timer: { readonly name: string; readonly before: EosConfig; readonly cancel: () => void } | null = null;
  readonly #listeners = new Set<(after: string) => void>();

  constructor(clock: Clock, options: { readonly ports?: number; readonly newTimerForm?: boolean } = {}) {
    this.#clock = clock;
    this.newTimerForm = options.newTimerForm ?? false;
    this.bootedAt = clock.now() / 1000 - 86_400;
    const names = Array.from({ length: options.ports ?? 6 }, (_, i) => `Ethernet${i + 1}`);
    this.running = {
      hostname: 'tor01',
      routedByDefault: false,
      vlans: new Map([[1, 'default']]),
      ports: new Map(names.map((name) => [name, freshPort()])),
    };
    this.startup = copyConfig(this.running);
  }

  /** Called after every change of the running configuration. */
  onChange(listener: (after: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  changed(after: string): void {
    for (const listener of this.#listeners) listener(after);
  }

  /** The session of that name, made when it is not there; null: too many are pending. */
  open(name: string, user: string): EosSession | null {
    const known = this.sessions.get(name);
    if (known?.state === 'pending') return known;
    const pending = [...this.sessions.values()].filter((s) => s.state === 'pending').length;
    if (pending >= MAX_PENDING) return null;
    const made: EosSession = {
      name,
      user,
      state: 'pending',
      candidate: copyConfig(this.running),
      base: copyConfig(this.running),
    };
    this.sessions.set(name, made);
    return made;
  }

  abort(name: string): boolean {
    const session = this.sessions.get(name);
    if (session === undefined) return false;
    if (this.#timer?.name === name) this.#rollBack('commit timer cancelled');
    session.state = 'aborted';
    return true;
  }

  /** Puts a session in force; with a timer, until it is confirmed by a commit without one. */
  commit(name: string, timerMs: number | null): string | null {
    const session = this.sessions.get(name);
    if (session === undefined) return `% Session ${name} does not exist`;
    if (this.#timer?.name === name && timerMs === null) {
      this.#timer.cancel();
      this.#timer = null;
      session.state = 'committed';
      return null;
    }
    if (session.state !== 'pending') return `% Cannot commit session ${name} in state ${session.state}`;
    if (this.#timer !== null) return '% Another session has a commit timer in progress';
    const before = copyConfig(this.running);
    this.running = merged(session.base, session.candidate, this.running);
    if (timerMs === null) session.state = 'committed';
    else {
      const cancel = this.#clock.after(timerMs, () => this.#rollBack('commit timer expired'));
      this.#timer = { name, before, cancel };
      session.state = this.newTimerForm ? 'committed' : 'pendingCommitTimer';
    }
    this.changed(`commit of ${name}`);
    return null;
  }

  get timedSession(): string | null {
    return this.#timer?.name ?? null;
  }

  #rollBack(why: string): void {
    const timer = this.#timer;
    if (timer === null) return;
    timer.cancel();
    this.#timer = null;
    this.running = timer.before;
    const session = this.sessions.get(timer.name);
    if (session) session.state = 'aborted';
    this.changed(why);
  }
}

/** What the session changed from its base, on what is running now. */
function merged(base: EosConfig, candidate: EosConfig, running: EosConfig): EosConfig {
  const next = copyConfig(running);
  for (const [name, port] of candidate.ports) {
    const was = base.ports.get(name);
    if (JSON.stringify(plain(port)) !== JSON.stringify(plain(was))) next.ports.set(name, { ...port });
  }
  for (const [id, name] of candidate.vlans) if (base.vlans.get(id) !== name) next.vlans.set(id, name);
  for (const id of base.vlans.keys()) if (!candidate.vlans.has(id)) next.vlans.delete(id);
  next.hostname = candidate.hostname;
  next.routedByDefault = candidate.routedByDefault;
  return next;
}

const plain = (port: object | undefined) =>
  port &&
  Object.fromEntries(Object.entries(port).map(([key, value]) => [key, value instanceof Set ? [...value] : value]));
