import { StringDecoder } from 'node:string_decoder';
import type { CliDefinition, CliMode } from '../definition.ts';
import type { Exchange } from '../driver.ts';
import { DriverError, type DriverErrorKind } from '../errors.ts';
import type { Clock } from '../model/clock.ts';
import { sanitizeLines, sanitizeText } from '../model/text.ts';
import { judge, trimBlankLines } from './judge.ts';
import { type Look, look } from './prompt-match.ts';
import type { SshConnection, SshShell } from './ssh.ts';

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
/** Silence after the first prompt, in case it was a line of the banner. */
const FIRST_QUIET_MS = 100;
const MAX_OUTPUT = 8 * 1024 * 1024;
const CTRL_C = '\x03';

/**
 * An interactive command line, driven by its prompts: one line is sent, and its answer is complete when a prompt of a
 * known mode is the last thing on the screen. A closed world: in a configuration mode, output that the definition does not
 * know means that the line was refused. All methods throw only {@link DriverError}.
 */
export class PromptShell {
  readonly #shell: SshShell;
  readonly #definition: CliDefinition;
  readonly #options: PromptShellOptions;
  readonly #decoder = new StringDecoder('utf8');
  #stream = '';
  #mode = '';
  #host: string | null = null;
  #wake: (() => void) | null = null;
  #broken: DriverError | null = null;

  private constructor(shell: SshShell, definition: CliDefinition, options: PromptShellOptions) {
    this.#shell = shell;
    this.#definition = definition;
    this.#options = options;
    shell.onData((chunk) => {
      this.#stream += this.#decoder.write(chunk);
      if (this.#stream.length > MAX_OUTPUT) this.#break('parse', 'the switch wrote more than 8 MiB without a prompt');
      this.#wake?.();
    });
    shell.onClose(() => this.#break('unreachable', 'the switch ended the session'));
  }

  /** Opens a shell, waits for its prompt, and sends the set-up commands. */
  static async open(
    connection: SshConnection,
    definition: CliDefinition,
    options: PromptShellOptions,
  ): Promise<PromptShell> {
    const shell = await connection.shell({ columns: definition.columns, rows: 1000 });
    const self = new PromptShell(shell, definition, options);
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
    return this.#broken === null && this.#shell.alive;
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
      : this.#tooLong(command)
        ? `is longer than ${this.#definition.maxLine} characters`
        : null;
    if (problem !== null)
      throw new DriverError('unsupported', `the command ${problem}; it was not sent`, {
        command: sanitizeText(shown, 300),
      });
    const before = this.#mode;
    const seen = await this.#type(command, options.secret === true ? null : command, options.timeoutMs, shown);
    const output = trimBlankLines(seen.lines).join('\n');
    if (!options.secret) this.#options.trace?.({ command, answer: sanitizeLines(output) });
    judge(this.#definition, shown, before, seen, options.expectMode);
    return { output, mode: seen.mode, prompt: seen.prompt };
  }

  /** Goes to a mode by the definition's commands, up through `leave` and down through `enter`. */
  async toMode(target: string): Promise<void> {
    const goal = this.#lineage(target);
    for (let hops = 0; this.#mode !== target; hops++) {
      const current = this.#modeNamed(this.#mode);
      const below = goal[goal.findIndex((m) => m.name === this.#mode) + 1];
      const command = goal.some((m) => m.name === this.#mode) ? below?.enter : current?.leave;
      if (command === undefined || hops > 16)
        throw new DriverError('parse', `there is no way from mode ${this.#mode} to ${target}`);
      if (below && goal.some((m) => m.name === this.#mode)) await this.#enter(below, command);
      else await this.send(command);
    }
  }

  /** Ends the session politely; never throws. */
  async close(): Promise<void> {
    if (this.alive) for (const command of this.#definition.closing ?? []) this.#shell.write(`${command}\n`);
    this.#break('unreachable', 'the session was closed');
    this.#shell.close();
    await Promise.resolve();
  }

  /** A banner may look like a prompt: the first one counts when it stays the last line, and comes again for an empty line. */
  async #firstPrompt(): Promise<void> {
    await this.#await(null, this.#options.commandTimeoutMs, 'login', FIRST_QUIET_MS);
    this.#stream = '';
    this.#shell.write('\n');
    const again = await this.#await(null, this.#options.commandTimeoutMs, 'login', 0);
    this.#host = again.host;
    this.#mode = again.mode;
  }

  async #enter(mode: CliMode, command: string): Promise<void> {
    const before = this.#mode;
    let seen: Seen;
    try {
      seen = await this.#type(command, command, undefined, command, this.#options.enablePassword ?? null);
    } catch (error) {
      if (!(error instanceof DriverError) || error.kind !== 'rejected' || !/password/i.test(error.answer ?? ''))
        throw error;
      throw new DriverError('auth', `the switch wants a password for mode ${mode.name}; set enablePasswordFile`, {
        command,
      });
    }
    if (seen.mode !== mode.name && seen.lines.some((l) => /bad secret|access denied|bad password/i.test(l))) {
      throw new DriverError('auth', `the switch refused the password for mode ${mode.name}; check enablePasswordFile`, {
        command,
      });
    }
    this.#options.trace?.({ command, answer: sanitizeLines(seen.lines.join('\n')) });
    judge(this.#definition, command, before, seen, mode.name);
  }

  async #type(
    command: string,
    echo: string | null,
    timeoutMs: number | undefined,
    shown: string,
    password: string | null = null,
  ): Promise<Seen> {
    if (this.#broken) throw this.#broken;
    this.#stream = '';
    this.#shell.write(`${command}\n`);
    const seen = await this.#await(echo, timeoutMs ?? this.#options.commandTimeoutMs, shown, 0, password);
    this.#mode = seen.mode;
    return seen;
  }

  async #await(
    echo: string | null,
    timeoutMs: number,
    shown: string,
    quietMs: number,
    password: string | null = null,
  ): Promise<Seen> {
    const { clock } = this.#options;
    const deadline = clock.monotonic() + timeoutMs;
    let secret = password;
    let nudged = false;
    let silent = false;
    for (;;) {
      if (this.#broken) throw this.#broken;
      const length = this.#stream.length;
      const now = look(this.#definition, this.#stream, echo, this.#host);
      const sure = now.kind === 'prompt' && now.echoed && (quietMs === 0 || silent);
      if (now.kind === 'prompt' && (sure || silent)) return now;
      if (now.kind === 'more') this.#answer(' ');
      else if (now.kind === 'confirm') this.#answer(`${now.answer}\n`);
      else if (now.kind === 'question' && secret !== null && /password/i.test(now.text)) {
        this.#answer(`${secret}\n`);
        secret = null;
      } else if (now.kind === 'question' && silent) await this.#refuseQuestion(now.text, shown, deadline);
      else if (now.kind === 'covered' && silent && !nudged) {
        // The prompt is hidden behind log messages: an empty line brings it back.
        nudged = true;
        this.#shell.write('\n');
      }
      silent = await this.#silence(Math.min(quietMs > 0 ? quietMs : QUIET_MS, deadline - clock.monotonic()), length);
      if (clock.monotonic() >= deadline) {
        this.#break(
          'timeout',
          `no prompt within ${timeoutMs / 1000} s after "${sanitizeText(shown, 200)}"; the outcome is unknown`,
          shown,
        );
        this.#shell.close();
      }
    }
  }

  /** Answers on the spot; the question is replaced, so that it is not answered twice. */
  #answer(text: string): void {
    this.#stream += '\n';
    this.#shell.write(text);
  }

  async #refuseQuestion(question: string, shown: string, deadline: number): Promise<never> {
    const { clock } = this.#options;
    this.#stream = '';
    this.#shell.write(CTRL_C);
    let back: Look = { kind: 'wait' };
    for (let tries = 0; tries < 4 && back.kind !== 'prompt' && !this.#broken; tries++) {
      await this.#silence(Math.min(QUIET_MS, deadline - clock.monotonic()), this.#stream.length);
      back = look(this.#definition, this.#stream, null, this.#host);
    }
    const asked = sanitizeText(question, 200);
    if (back.kind !== 'prompt') {
      this.#break('timeout', `the switch asks "${asked}" and does not go back to its prompt`, shown);
      this.#shell.close();
      throw this.#broken ?? new DriverError('timeout', 'no prompt');
    }
    this.#mode = back.mode;
    throw new DriverError('rejected', `the switch asks "${asked}", which was not expected; it was not answered`, {
      command: sanitizeText(shown, 300),
      answer: asked,
    });
  }

  /** Waits for more output, at most `ms`; true when none came since the stream was `length` long. */
  #silence(ms: number, length: number): Promise<boolean> {
    if (this.#stream.length !== length || this.#broken) return Promise.resolve(false);
    return new Promise((resolve) => {
      const done = () => {
        cancel();
        this.#wake = null;
        resolve(this.#stream.length === length);
      };
      const cancel = this.#options.clock.after(Math.max(0, ms), done);
      this.#wake = done;
    });
  }

  #tooLong(command: string): boolean {
    return this.#definition.maxLine !== undefined && command.length > this.#definition.maxLine;
  }

  #modeNamed(name: string): CliMode | undefined {
    return this.#definition.modes.find((m) => m.name === name);
  }

  /** The modes from the outermost to `target`. */
  #lineage(target: string): CliMode[] {
    const modes: CliMode[] = [];
    for (
      let mode = this.#modeNamed(target);
      mode && modes.length < 16;
      mode = mode.from === undefined ? undefined : this.#modeNamed(mode.from)
    )
      modes.unshift(mode);
    return modes;
  }

  #break(kind: DriverErrorKind, message: string, command?: string): void {
    this.#broken ??= new DriverError(
      kind,
      message,
      command === undefined ? {} : { command: sanitizeText(command, 300) },
    );
    this.#wake?.();
  }
}
