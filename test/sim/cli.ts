import type { Clock } from '../../drivers/model/clock.ts';
import { CommandContext, type Pending, type SessionState, type SimSystem } from './command-context.ts';
import { endConfig } from './config-rules.ts';
import type { LoggedLine } from './faults.ts';
import { LineActions } from './line-actions.ts';
import { type EditEvent, fromBytes } from './line-editor.ts';
import { completed, helpLines } from './line-help.ts';
import { MORE, MORE_ERASED, Pager } from './pager.ts';
import { promptOf } from './prompt.ts';
import { runCommand } from './run-command.ts';
import { Screen } from './screen.ts';
import { logTime } from './show-text.ts';

/** The other side of a terminal session. */
export interface CliIo {
  write(bytes: Buffer): void;
  /** The user logged out. */
  end(): void;
  /** The connection dies (fault injection). */
  cut(): void;
}

/** What the next byte means. */
type Reader =
  | { readonly kind: 'line' | 'busy' | 'closed' }
  | { readonly kind: 'ask'; readonly ask: Extract<Pending, { kind: 'ask' }>; readonly running: Running }
  | { readonly kind: 'more'; readonly pager: Pager; readonly running: Running };

/** The line that is being executed. */
interface Running {
  readonly entry: LoggedLine;
  readonly actions: LineActions;
  readonly context: CommandContext;
  executed: boolean;
}

/** The terminal of one login: takes bytes, gives bytes. Knows nothing of SSH. */
export class SimCli {
  readonly state: SessionState;
  readonly #system: SimSystem;
  readonly #io: CliIo;
  readonly #session: number;
  readonly #screen: Screen;
  readonly #clock: Clock;
  #reader: Reader = { kind: 'line' };
  #input: number[] = [];
  #last = 0;
  #cancelTimer: (() => void) | null = null;
  #pumping = false;

  constructor(system: SimSystem, state: SessionState, session: number, io: CliIo) {
    this.#system = system;
    this.state = state;
    this.#session = session;
    this.#io = io;
    this.#clock = system.clock;
    this.#screen = new Screen((bytes) => io.write(bytes));
  }

  /** Prints the banner and the first prompt. */
  start(): void {
    if (this.#system.motd !== '') this.#screen.print(`\r\n${this.#system.motd.replace(/\r?\n/g, '\r\n')}\r\n`);
    this.#screen.print('\r\n');
    this.#prompt();
    this.#screen.flush();
  }

  /** Takes what was typed. What comes while a command runs waits for its turn, as on a real terminal. */
  feed(bytes: Uint8Array): void {
    if (this.#reader.kind === 'closed') return;
    for (const byte of bytes) this.#input.push(byte);
    this.#pump();
  }

  /** A log message of the switch; printed when the session wants them. */
  logMessage(message: string): void {
    if (this.state.monitor) this.#interject(message);
  }

  /** The connection is gone: nothing is printed any more and a VLAN that was being typed is lost. */
  close(): void {
    this.#reader = { kind: 'closed' };
    this.#cancelTimer?.();
  }

  #pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    let taken = 0;
    while (taken < this.#input.length && this.#reader.kind !== 'busy' && this.#reader.kind !== 'closed') {
      this.#byte(this.#input[taken++] as number);
    }
    this.#input = this.#input.slice(taken);
    this.#pumping = false;
    this.#screen.flush();
  }

  #byte(code: number): void {
    const reader = this.#reader;
    const second = code === 10 && this.#last === 13;
    this.#last = code;
    if (second) return;
    if (reader.kind === 'more') this.#turnPage(reader, code);
    else if (reader.kind === 'ask' && reader.ask.input === 'key') this.#answerKey(reader, code);
    else if (reader.kind === 'ask') this.#inQuestion(reader, this.#screen.key(code));
    else this.#inCommand(this.#screen.key(code));
  }

  #inCommand(event: EditEvent | null): void {
    const screen = this.#screen;
    if (event === null) {
      const message = this.#system.faults.echoMessage();
      if (message !== null) this.#interject(message);
    } else if (event.kind === 'help') {
      screen.print('?\r\n');
      screen.interject(helpLines(this.#system, this.state, screen.typed));
    } else if (event.kind === 'complete') {
      screen.interject([], completed(this.#system, this.state, screen.typed) ?? screen.typed);
    } else if (event.kind === 'interrupt') {
      const context = new CommandContext(this.state, this.#system);
      endConfig(context);
      screen.printLines(context.out);
      this.#prompt();
    } else this.#submit(fromBytes(event.bytes), event.kind === 'end-of-config');
  }

  /** A line is complete. Ctrl-Z executes it and leaves configuration mode. */
  #submit(line: string, thenEnd: boolean): void {
    if (line.trim() === '' && !thenEnd) {
      this.#prompt();
      return;
    }
    const received = this.#system.faults.receive(this.#session, this.#promptText(), line);
    const actions = new LineActions(received.actions);
    const context = new CommandContext(this.state, this.#system);
    for (const { run } of actions.interventions) run(this.#system.model);
    if (this.#reader.kind === 'closed') return;
    if (actions.cuts('before')) this.#cut();
    else {
      const running = { entry: received.entry, actions, context, executed: true };
      this.#later(actions.delayMs, () => this.#execute(running, thenEnd));
    }
  }

  #execute(running: Running, thenEnd: boolean): void {
    const { context, actions, entry } = running;
    const { stop } = actions;
    running.executed = stop === null;
    if (stop?.kind === 'refuse') context.reject(...stop.text.split('\n'));
    if (stop === null) {
      runCommand(context, entry.line);
      if (thenEnd) endConfig(context);
    }
    context.print(...actions.sayings);
    this.#proceed(running);
  }

  /** Goes on with a command: it asks, waits, or is done. */
  #proceed(running: Running): void {
    if (this.#reader.kind === 'closed') {
      this.#tell(running, running.context.out);
      return;
    }
    const pending = running.context.takePending();
    if (pending === null) {
      this.#finish(running);
      return;
    }
    this.#screen.printLines(running.context.out.splice(0));
    if (pending.kind === 'wait') {
      this.#later(pending.ms, () => {
        pending.then();
        this.#proceed(running);
      });
      return;
    }
    this.#screen.prompt(pending.prompt, this.state.width, pending.input !== 'secret');
    this.#reader = { kind: 'ask', ask: pending, running };
  }

  #inQuestion(reader: Extract<Reader, { kind: 'ask' }>, event: EditEvent | null): void {
    if (event?.kind === 'interrupt') this.#finish(reader.running);
    else if (event?.kind === 'help') this.#screen.interject([]);
    else if (event?.kind === 'line') this.#answer(reader, fromBytes(event.bytes));
  }

  #answerKey(reader: Extract<Reader, { kind: 'ask' }>, code: number): void {
    const enter = code === 13 || code === 10;
    this.#screen.print(enter ? '\r\n' : `${String.fromCharCode(code)}\r\n`);
    this.#answer(reader, enter ? '' : String.fromCharCode(code));
  }

  #answer(reader: Extract<Reader, { kind: 'ask' }>, answer: string): void {
    const shown = reader.ask.input === 'secret' ? '***' : answer;
    this.#system.faults.note(this.#session, reader.ask.prompt.trim(), shown);
    this.#reader = { kind: 'line' };
    reader.ask.then(answer);
    this.#proceed(reader.running);
  }

  /** The state has changed; now the answer goes out, as far as the faults let it. */
  #finish(running: Running): void {
    const { context, actions } = running;
    const lines = [...context.out];
    this.#tell(running, lines);
    for (const text of actions.logs('answer')) lines.splice(Math.ceil(lines.length / 2), 0, this.#stamped(text));
    const bytes = actions.answerBytes;
    if (actions.hangs) this.#reader = { kind: 'busy' };
    else if (actions.cuts('after')) this.#cut();
    else if (bytes !== null) {
      this.#screen.printPart(lines.map((l) => `${l}\r\n`).join('') + this.#promptText(), bytes);
      this.#cut();
    } else if (context.leaving) {
      this.#screen.flush();
      this.close();
      this.#io.end();
    } else if (Pager.fits(lines, this.state.length)) this.#settle(lines, running);
    else this.#nextPage(new Pager(lines, this.state.length), running, true);
  }

  #settle(lines: readonly string[], running: Running): void {
    this.#screen.printLines(lines);
    this.#prompt();
    for (const text of running.actions.logs('after-prompt')) this.#interject(text);
  }

  #nextPage(pager: Pager, running: Running, whole: boolean): void {
    const { lines, done } = pager.next(whole);
    if (done) {
      this.#settle(lines, running);
      return;
    }
    this.#screen.printLines(lines);
    this.#screen.print(MORE);
    this.#reader = { kind: 'more', pager, running };
  }

  #turnPage(reader: Extract<Reader, { kind: 'more' }>, code: number): void {
    this.#screen.print(MORE_ERASED);
    this.#reader = { kind: 'line' };
    if (code === 32) this.#nextPage(reader.pager, reader.running, true);
    else if (code === 13 || code === 10) this.#nextPage(reader.pager, reader.running, false);
    else this.#settle([], reader.running);
  }

  #tell(running: Running, output: readonly string[]): void {
    const { entry, executed, context } = running;
    this.#system.faults.done({ ...entry, model: this.#system.model, executed, rejected: context.rejected, output });
  }

  /** Runs now or after a time, during which input waits. */
  #later(ms: number, run: () => void): void {
    if (ms <= 0) {
      run();
      return;
    }
    this.#reader = { kind: 'busy' };
    this.#screen.flush();
    this.#cancelTimer = this.#clock.after(ms, () => {
      this.#cancelTimer = null;
      if (this.#reader.kind === 'closed') return;
      this.#reader = { kind: 'line' };
      run();
      this.#pump();
    });
  }

  #cut(): void {
    this.#screen.flush();
    this.close();
    this.#io.cut();
  }

  #stamped(message: string): string {
    return `*${logTime(this.#clock.now())}: ${message}`;
  }

  /** Puts a log message into whatever is on the screen; a half-typed line is drawn again. */
  #interject(message: string): void {
    if (this.#reader.kind === 'closed') return;
    this.#screen.print(`\r\n${this.#stamped(message)}\r\n`);
    if (this.#screen.typed !== '') this.#screen.interject([]);
    if (!this.#pumping) this.#screen.flush();
  }

  #promptText(): string {
    return promptOf(this.#system.model.hostname, this.state);
  }

  #prompt(): void {
    this.#reader = { kind: 'line' };
    this.#screen.prompt(this.#promptText(), this.state.width);
  }
}
