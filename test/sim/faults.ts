import type { Clock } from '../../drivers/model/clock.ts';

/** Which line a fault is for: its exact text (spaces at the ends ignored), a pattern, or any test. */
export type LineMatch = string | RegExp | ((line: string, mode: string) => boolean);

/** What happens at a line instead of, or besides, executing it. */
export type FaultAction<M> =
  /** Thinks for so long before executing; milliseconds. */
  | { readonly kind: 'delay'; readonly ms: number }
  /**
   * The connection dies: `before` the line is executed; `after` it, nothing of the answer sent; or in the middle of the
   * answer, after `bytes` bytes of it (echo not counted, prompt counted).
   */
  | { readonly kind: 'cut'; readonly when: 'before' | 'after' }
  | { readonly kind: 'cut'; readonly when: 'answer'; readonly bytes: number }
  /** Not executed; the text is printed (lines apart by "\n"), then the prompt. */
  | { readonly kind: 'refuse'; readonly text: string }
  /** Accepted with a prompt and not executed. */
  | { readonly kind: 'ignore' }
  /** Executed, and this text is printed too. */
  | { readonly kind: 'say'; readonly text: string }
  /** Never answered; `executed` says whether the switch did it. The connection stays up. */
  | { readonly kind: 'hang'; readonly executed: boolean }
  /** A log message ("%SYS-5-X: text") in the middle of the answer, or after the prompt. Printed whatever `terminal monitor` says. */
  | { readonly kind: 'syslog'; readonly text: string; readonly where: 'answer' | 'after-prompt' }
  /** Called just before the line is executed: somebody changes something, a cable is pulled. */
  | { readonly kind: 'do'; readonly run: (model: M) => void };

export interface FaultWhen {
  /** Without: every line. */
  readonly match?: LineMatch;
  /** The n-th matching line from now on, from 1; default 1. */
  readonly nth?: number;
  /** How many times from then on; default 1; Infinity for always. */
  readonly times?: number;
}

/** A person who holds the configuration. */
export interface ConfigLock {
  readonly user: string;
  readonly terminal: string;
  readonly pid: number;
}

/** One line that the switch received. */
export interface LoggedLine {
  /** From 1, over all sessions. */
  readonly number: number;
  readonly session: number;
  /** The prompt in front of the line. */
  readonly prompt: string;
  /** As typed; "***" for a password. */
  readonly line: string;
}

/** An executed line, told to {@link Faults.onLine}. */
export interface LineDone<M> extends LoggedLine {
  readonly model: M;
  /** False when a fault kept it from being executed. */
  readonly executed: boolean;
  /** True when the switch refused it. */
  readonly rejected: boolean;
  readonly output: readonly string[];
}

interface Rule<M> {
  readonly when: FaultWhen;
  readonly action: FaultAction<M>;
  seen: number;
  left: number;
}

/** What may go wrong with a simulated switch, whose state is an `M`. Everything can be changed while it runs. */
export class Faults<M> {
  /** Time that every line takes, milliseconds. */
  thinkMs: number | ((line: string) => number) = 0;
  /** Time that saving takes, milliseconds. */
  saveMs = 0;
  /** vty lines that other people hold. */
  busyLines = 0;
  readonly #clock: Clock;
  readonly #rules = new Set<Rule<M>>();
  readonly #lineListeners = new Set<(done: LineDone<M>) => void>();
  readonly #log: LoggedLine[] = [];
  #saveFailures: string[] = [];
  #lock: { readonly holder: ConfigLock; readonly until: number } | null = null;
  #echo: { readonly text: string; left: number } | null = null;
  #number = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds a fault; the returned function takes it away. */
  on(when: FaultWhen, action: FaultAction<M>): () => void {
    const rule: Rule<M> = { when, action, seen: 0, left: when.times ?? 1 };
    this.#rules.add(rule);
    return () => this.#rules.delete(rule);
  }

  /** Cuts the connection at the n-th line from now on (from 1), before or after it is executed. */
  cutAtLine(nth: number, when: 'before' | 'after'): () => void {
    return this.on({ nth }, { kind: 'cut', when });
  }

  /** Refuses matching lines with a text, e.g. "Command rejected: no hardware resources". */
  refuse(match: LineMatch, text: string, times = Number.POSITIVE_INFINITY): () => void {
    return this.on({ match, times }, { kind: 'refuse', text });
  }

  /** Accepts matching lines and does nothing. */
  ignore(match: LineMatch, times = Number.POSITIVE_INFINITY): () => void {
    return this.on({ match, times }, { kind: 'ignore' });
  }

  /** Prints a log message into the echo after so many more typed characters, whatever `terminal monitor` says. */
  syslogInEcho(characters: number, text: string): void {
    this.#echo = { text, left: characters };
  }

  /** The next `times` saves fail with this text. */
  failSaves(times: number, text = 'startup-config file open failed (Device or resource busy)'): void {
    for (let i = 0; i < times; i++) this.#saveFailures.push(text);
  }

  /** A person locks the configuration for `ms` milliseconds, or until {@link unlockConfig}. */
  lockConfig(holder: Partial<ConfigLock> = {}, ms = Number.POSITIVE_INFINITY): void {
    const full = { user: 'bob', terminal: '2', pid: 342, ...holder };
    this.#lock = { holder: full, until: this.#clock.monotonic() + ms };
  }

  unlockConfig(): void {
    this.#lock = null;
  }

  /** Who holds the configuration now. */
  configLock(): ConfigLock | null {
    if (this.#lock && this.#clock.monotonic() >= this.#lock.until) this.#lock = null;
    return this.#lock?.holder ?? null;
  }

  /** Calls `listener` after every line, executed or not; the returned function ends it. Errors it throws are kept in {@link listenerErrors}. */
  onLine(listener: (done: LineDone<M>) => void): () => void {
    this.#lineListeners.add(listener);
    return () => this.#lineListeners.delete(listener);
  }

  /** What listeners threw: a broken rule must not be lost because a session swallowed it. */
  readonly listenerErrors: unknown[] = [];

  /** All lines received so far, oldest first; the newest 100,000 are kept. */
  get lines(): readonly LoggedLine[] {
    return this.#log;
  }

  /** Forgets faults and settings; the log and the listeners stay. */
  clear(): void {
    this.#rules.clear();
    this.#saveFailures = [];
    this.#lock = null;
    this.#echo = null;
    this.thinkMs = 0;
    this.saveMs = 0;
    this.busyLines = 0;
  }

  /** Takes note of a line or of the answer to a question. For the CLI. */
  note(session: number, prompt: string, line: string): LoggedLine {
    const entry: LoggedLine = { number: ++this.#number, session, prompt, line };
    this.#log.push(entry);
    if (this.#log.length > 100_000) this.#log.splice(0, 10_000);
    return entry;
  }

  /** Takes note of a line and says what is to happen at it. For the CLI. */
  receive(
    session: number,
    prompt: string,
    line: string,
  ): { readonly entry: LoggedLine; readonly actions: FaultAction<M>[] } {
    const entry = this.note(session, prompt, line);
    const think = typeof this.thinkMs === 'number' ? this.thinkMs : this.thinkMs(line);
    const actions: FaultAction<M>[] = think > 0 ? [{ kind: 'delay', ms: think }] : [];
    for (const rule of this.#rules) if (this.#applies(rule, line, prompt)) actions.push(rule.action);
    return { entry, actions };
  }

  #applies(rule: Rule<M>, line: string, prompt: string): boolean {
    if (!matches(rule.when.match, line, prompt) || ++rule.seen < (rule.when.nth ?? 1)) return false;
    if (--rule.left <= 0) this.#rules.delete(rule);
    return true;
  }

  /** Tells the listeners. For the CLI. */
  done(done: LineDone<M>): void {
    for (const listener of this.#lineListeners) {
      try {
        listener(done);
      } catch (error) {
        this.listenerErrors.push(error);
      }
    }
  }

  /** The log message that is due after one more typed character. For the CLI. */
  echoMessage(): string | null {
    if (this.#echo === null || --this.#echo.left > 0) return null;
    const { text } = this.#echo;
    this.#echo = null;
    return text;
  }

  /** Why this save fails; null when it does not. For the CLI. */
  takeSaveFailure(): string | null {
    return this.#saveFailures.shift() ?? null;
  }
}

function matches(match: LineMatch | undefined, line: string, prompt: string): boolean {
  if (match === undefined) return true;
  if (typeof match === 'function') return match(line, prompt);
  return typeof match === 'string' ? line.trim() === match : match.test(line);
}
