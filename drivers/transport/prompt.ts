import type { CliDefinition } from '../definition.ts';
import type { Exchange } from '../driver.ts';
import { DriverError } from '../errors.ts';
import type { Clock } from '../model/clock.ts';
import { sanitizeLines, sanitizeText } from '../model/text.ts';
import type { SshConnection } from './connection.ts';
import { judge, masked, trimBlankLines } from './judge.ts';
import { nextHop } from './modes.ts';
import { isIdleNoise, type Look, look } from './prompt-match.ts';
import { ShellStream } from './shell-stream.ts';

export interface PromptShellOptions {
  readonly clock: Clock;
  readonly commandTimeoutMs: number;
  /** Password of the privileged mode. */
  readonly enablePassword?: string | null;
  readonly trace?: (exchange: Exchange) => void;
}

export interface SendOptions {
  /** The mode in which the prompt must be afterwards. */
  readonly expectMode?: string;
  readonly timeoutMs?: number;
  /** Neither traced nor shown in errors, and not echoed. */
  readonly secret?: boolean;
  /**
   * The answer holds what strangers wrote (LLDP): it may look like a prompt, followed by the next command and its answer.
   * Then a prompt counts only when nothing follows it for a while, and when it comes again for an empty line.
   */
  readonly untrusted?: boolean;
}

export interface CliAnswer {
  /** Without echo, prompt, log messages, pager and terminal control. */
  readonly output: string;
  readonly mode: string;
  readonly prompt: string;
}

type Seen = Extract<Look, { kind: 'prompt' }>;

/** Silence after which something that only looks like an end is taken for one. */
const QUIET_MS = 250;
/** Silence after a prompt that may be a line of something else: of the banner, or of what strangers wrote. */
const SETTLE_MS = 100;
const FIRST_TRIES = 5;
const MAX_HOPS = 16;
const CTRL_C = '\x03';

interface Wait {
  /** The line whose echo must be seen; null: none is expected. */
  readonly echo: string | null;
  /** As it may stand in an error. */
  readonly shown: string;
  readonly timeoutMs: number;
  /** How long nothing may follow the prompt; 0: it counts at once. */
  readonly quietMs?: number;
  /** Answer to a question for a password; given once. */
  readonly password?: string | null;
}

/**
 * An interactive command line, driven by its prompts: one line is sent, and its answer is complete when the echo was seen
 * and a prompt of a known mode is the last thing on the screen. A closed world: in a configuration mode, output that the
 * definition does not know means that the line was refused. One line at a time; all methods throw only {@link DriverError}.
 */
export class PromptShell {
  readonly #stream: ShellStream;
  readonly #definition: CliDefinition;
  readonly #options: PromptShellOptions;
  /** How much of the transcript the last answer took. */
  #taken = 0;
  #mode = '';
  #promptLength = 0;
  #host: string | null = null;

  private constructor(stream: ShellStream, definition: CliDefinition, options: PromptShellOptions) {
    this.#stream = stream;
    this.#definition = definition;
    this.#options = options;
  }

  /** Opens a shell, waits for its prompt, and sends the set-up commands. */
  static async open(
    connection: SshConnection,
    definition: CliDefinition,
    options: PromptShellOptions,
  ): Promise<PromptShell> {
    const shell = await connection.shell({ columns: definition.columns, rows: 1000 });
    const self = new PromptShell(new ShellStream(shell, options.clock), definition, options);
    try {
      await self.#firstPrompt();
      for (const command of definition.setup) await self.send(command);
      return self;
    } catch (error) {
      await self.close();
      throw error;
    }
  }

  get mode(): string {
    return this.#mode;
  }

  get alive(): boolean {
    return this.#stream.alive;
  }

  /** The switch's name as its prompt shows it; "" when the prompt has none. */
  get hostname(): string {
    return this.#host ?? '';
  }

  /** Sends one line and waits for its answer. See {@link DriverError} for what it throws; `rejected` leaves the session usable. */
  async send(command: string, options: SendOptions = {}): Promise<CliAnswer> {
    const shown = options.secret ? '(secret)' : command;
    const problem = /[^\x20-\x7e]/.test(command)
      ? 'holds characters that may not be typed'
      : command.length > this.#longest
        ? `is longer than ${this.#longest} characters`
        : null;
    if (problem !== null)
      throw new DriverError('unsupported', `the command ${problem}; it was not sent`, {
        command: sanitizeText(shown, 300),
      });
    const before = this.#mode;
    const typed = await this.#type(command, {
      echo: options.secret ? null : command,
      shown,
      timeoutMs: options.timeoutMs ?? this.#options.commandTimeoutMs,
      quietMs: options.untrusted ? SETTLE_MS : 0,
    });
    if (options.untrusted) await this.#confirmPrompt(shown);
    const seen = options.secret ? { ...typed, lines: masked(typed.lines, command) } : typed;
    const output = trimBlankLines(seen.lines).join('\n');
    if (!options.secret) this.#options.trace?.({ command, answer: sanitizeLines(output) });
    judge(this.#definition, shown, before, seen, options.expectMode);
    return { output, mode: seen.mode, prompt: seen.prompt };
  }

  /** Goes to a mode by the definition's commands, up through `leave` and down through `enter`. */
  async toMode(target: string): Promise<void> {
    for (let hops = 0; this.#mode !== target; hops++) {
      const hop = nextHop(this.#definition, this.#mode, target);
      if (hop === null || hops >= MAX_HOPS)
        throw new DriverError('parse', `there is no way from mode ${this.#mode} to ${target}`);
      if (hop.into) await this.#enter(hop.into.name, hop.command);
      else await this.send(hop.command);
    }
  }

  /** Ends the session politely; never throws. */
  async close(): Promise<void> {
    if (this.alive) for (const command of this.#definition.closing ?? []) this.#stream.write(`${command}\n`);
    this.#stream.giveUp('unreachable', 'the session was closed');
    await Promise.resolve();
  }

  /** A banner may look like a prompt: one counts when it stays the last line, and comes again, the same, for an empty line. */
  async #firstPrompt(): Promise<void> {
    const wait: Wait = { echo: null, shown: 'login', timeoutMs: this.#options.commandTimeoutMs };
    let first = await this.#await({ ...wait, quietMs: SETTLE_MS });
    for (let tries = 0; tries < FIRST_TRIES; tries++) {
      this.#stream.transcript.clear();
      this.#stream.write('\n');
      const again = await this.#await(wait);
      if (again.prompt === first.prompt && again.lines.every((line) => line.trim() === '')) {
        this.#host = again.host;
        this.#mode = again.mode;
        return;
      }
      first = await this.#await({ ...wait, quietMs: SETTLE_MS });
    }
    throw new DriverError('parse', 'the switch shows no prompt that comes again for an empty line');
  }

  async #enter(mode: string, command: string): Promise<void> {
    const before = this.#mode;
    const password = this.#options.enablePassword ?? null;
    const refused = () =>
      new DriverError('auth', `the switch refused the password for mode ${mode}; check enablePasswordFile`, {
        command,
      });
    const wait: Wait = { echo: command, shown: command, timeoutMs: this.#options.commandTimeoutMs, password };
    const seen = await this.#type(command, wait).catch((error: unknown) => {
      const asked = error instanceof DriverError && error.kind === 'rejected' && /password/i.test(error.answer ?? '');
      if (!asked) throw error;
      throw password === null
        ? new DriverError('auth', `the switch wants a password for mode ${mode}; set enablePasswordFile`, { command })
        : refused();
    });
    if (seen.mode !== mode && seen.lines.some((l) => /bad secret|access denied|bad password/i.test(l))) throw refused();
    const shown = { ...seen, lines: masked(seen.lines, password) };
    this.#options.trace?.({ command, answer: sanitizeLines(trimBlankLines(shown.lines).join('\n')) });
    const question = shown.lines.findIndex((l) => password !== null && /password[^:]*:\s*$/i.test(l));
    judge(this.#definition, command, before, { ...shown, lines: shown.lines.filter((_, i) => i !== question) }, mode);
  }

  async #confirmPrompt(shown: string): Promise<void> {
    const again = await this.#type('', { echo: null, shown, timeoutMs: this.#options.commandTimeoutMs });
    if (again.lines.some((line) => line.trim() !== '')) throw this.#cutShort();
  }

  /** Whoever could write a line that looks like the prompt must not get at the next answer. */
  #cutShort(): DriverError {
    return this.#stream.giveUp('parse', 'the switch wrote on after its prompt, so that its last answer was cut short');
  }

  async #type(command: string, wait: Wait): Promise<Seen> {
    this.#stream.check();
    this.#stream.transcript.dropBefore(this.#taken);
    this.#taken = 0;
    if (!isIdleNoise(this.#definition, this.#stream.transcript.all(), this.#host)) throw this.#cutShort();
    // Without an echo only an empty transcript tells an old prompt from a new one.
    if (!wait.echo) this.#stream.transcript.clear();
    this.#stream.write(`${command}\n`);
    const seen = await this.#await(wait);
    this.#mode = seen.mode;
    return seen;
  }

  async #await({ echo, shown, timeoutMs, quietMs = 0, password = null }: Wait): Promise<Seen> {
    const { clock } = this.#options;
    const deadline = clock.monotonic() + timeoutMs;
    let secret = password;
    let nudged = false;
    let silent = false;
    for (;;) {
      this.#stream.check();
      const length = this.#stream.transcript.length;
      const now = look(this.#definition, this.#stream.transcript, echo, this.#host);
      if (now.kind === 'prompt' && now.echoed && (silent || (quietMs === 0 && !now.doubtful))) {
        this.#taken = length;
        this.#promptLength = now.prompt.length;
        return now;
      }
      if (now.kind === 'more') this.#answer(' ');
      else if (now.kind === 'confirm') this.#answer(`${now.answer}\n`);
      else if (now.kind === 'question' && secret !== null && /password/i.test(now.text)) {
        this.#answer(`${secret}\n`);
        secret = null;
      } else if (now.kind === 'question' && silent) await this.#refuseQuestion(now.text, shown, deadline);
      else if (now.kind === 'covered' && silent && !nudged) {
        // The prompt is hidden behind log messages: an empty line brings it back.
        nudged = true;
        this.#stream.write('\n');
      }
      silent = await this.#stream.silence(
        Math.min(quietMs > 0 ? quietMs : QUIET_MS, deadline - clock.monotonic()),
        length,
      );
      if (clock.monotonic() >= deadline) {
        const seen = now.kind === 'prompt' ? 'a prompt, but not the echo of the line,' : 'no prompt';
        const message = `${seen} within ${timeoutMs / 1000} s after "${sanitizeText(shown, 200)}"; the outcome is unknown`;
        this.#stream.giveUp('timeout', message, shown);
      }
    }
  }

  /** Answers on the spot; the question is ended, so that it is not answered twice. */
  #answer(text: string): void {
    this.#stream.transcript.append('\n');
    this.#stream.write(text);
  }

  async #refuseQuestion(question: string, shown: string, deadline: number): Promise<never> {
    const { clock } = this.#options;
    const until = Math.min(deadline, clock.monotonic() + 4 * QUIET_MS);
    const asked = sanitizeText(question, 200);
    this.#stream.transcript.clear();
    this.#stream.write(CTRL_C);
    for (;;) {
      const length = this.#stream.transcript.length;
      const quiet = await this.#stream.silence(Math.max(0, Math.min(QUIET_MS, until - clock.monotonic())), length);
      this.#stream.check();
      const back = look(this.#definition, this.#stream.transcript, null, this.#host);
      // A prompt that stays: what Ctrl-C still brings must not get into the next answer.
      if (quiet && back.kind === 'prompt') {
        this.#taken = this.#stream.transcript.length;
        this.#mode = back.mode;
        throw new DriverError('rejected', `the switch asks "${asked}", which was not expected; it was not answered`, {
          command: sanitizeText(shown, 300),
          answer: asked,
        });
      }
      if (clock.monotonic() >= until)
        throw this.#stream.giveUp('timeout', `the switch asks "${asked}" and does not go back to its prompt`, shown);
    }
  }

  /** What the switch takes, and what stands behind the prompt without a break: no two break an echo alike. */
  get #longest(): number {
    const { columns, maxLine = columns } = this.#definition;
    return Math.min(maxLine, columns - this.#promptLength - 1);
  }
}
