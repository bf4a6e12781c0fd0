import type { Clock } from '../../drivers/model/clock.ts';
import type { Execution, Pending } from './execution.ts';
import type { Faults, LoggedLine } from './faults.ts';
import { LineActions } from './line-actions.ts';
import { type EditEvent, fromBytes } from './line-editor.ts';
import { Pager } from './pager.ts';
import { Screen } from './screen.ts';

/** The other side of a terminal session. */
export interface CliIo {
  write(bytes: Buffer): void;
  /** The user logged out. */
  end(): void;
  /** The connection dies (fault injection). */
  cut(): void;
}

/** The command line of one login, as {@link SimCli} drives it: what lines do, and what they answer. */
export interface CommandLine<M> {
  readonly faults: Faults<M>;
  readonly clock: Clock;
  /** The state of the switch, for faults that change it. */
  readonly model: M;
  /** Printed after login, before the first prompt; "" for nothing. */
  readonly greeting: string;
  /** The prompt as it is now; a line feed in it makes it one of two lines. */
  readonly prompt: string;
  /** Lines of a page and columns of the terminal; 0: no limit. */
  readonly length: number;
  readonly width: number;
  /** Characters that a line may have. */
  readonly lineLimit: number;
  /** Log messages are printed into the session. */
  readonly monitor: boolean;
  /** The pager's prompt, and what takes it off the screen. */
  readonly more: { readonly text: string; readonly erased: string };
  /** Prepares a line, without running it. */
  begin(): Execution;
  /** Runs a line. */
  run(execution: Execution, line: string): void;
  /** Ctrl-C, and Ctrl-Z after the line was run: back to the mode of the login. */
  leaveConfig(execution: Execution): void;
  /** The answer to `?` behind what is typed; null: `?` is a character like others. */
  help(typed: string): readonly string[] | null;
  /** What is typed with its last word completed (Tab); null when that is not possible. */
  complete(typed: string): string | null;
  /** A log message with its time. */
  stamped(message: string): string;
}

/** What the next byte means. */
type Reader<M> =
  | { readonly kind: 'line' | 'busy' | 'closed' }
  | { readonly kind: 'ask'; readonly ask: Extract<Pending, { kind: 'ask' }>; readonly running: Running<M> }
  | { readonly kind: 'more'; readonly pager: Pager; readonly running: Running<M> };

/** The line that is being executed. */
interface Running<M> {
  readonly entry: LoggedLine;
  readonly actions: LineActions<M>;
  readonly context: Execution;
  executed: boolean;
}

/** The terminal of one login: takes bytes, gives bytes. Knows nothing of SSH. */
export class SimCli<M> {
  readonly #line: CommandLine<M>;
  readonly #io: CliIo;
  readonly #session: number;
  readonly #screen: Screen;
  readonly #clock: Clock;
  #reader: Reader<M> = { kind: 'line' };
  #input: number[] = [];
  #last = 0;
  #cancelTimer: (() => void) | null = null;
  #pumping = false;

  constructor(line: CommandLine<M>, session: number, io: CliIo) {
    this.#line = line;
    this.#session = session;
    this.#io = io;
    this.#clock = line.clock;
    this.#screen = new Screen((bytes) => io.write(bytes), line.lineLimit);
  }

  /** Prints the banner and the first prompt. */
  start(): void {
    const { greeting } = this.#line;
    if (greeting !== '') this.#screen.print(`\r\n${greeting.replace(/\r?\n/g, '\r\n')}\r\n`);
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
    if (this.#line.monitor) this.#interject(message);
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
      const message = this.#line.faults.echoMessage();
      if (message !== null) this.#interject(message);
    } else if (event.kind === 'help') {
      const lines = this.#line.help(screen.typed);
      if (lines === null) screen.interject([], `${screen.typed}?`);
      else {
        screen.print('?\r\n');
        screen.interject(lines);
      }
    } else if (event.kind === 'complete') {
      screen.interject([], this.#line.complete(screen.typed) ?? screen.typed);
    } else if (event.kind === 'interrupt') {
      const context = this.#line.begin();
      this.#line.leaveConfig(context);
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
    const received = this.#line.faults.receive(this.#session, this.#line.prompt, line);
    const actions = new LineActions(received.actions);
    const context = this.#line.begin();
    for (const { run } of actions.interventions) run(this.#line.model);
    if (this.#reader.kind === 'closed') return;
    if (actions.cuts('before')) this.#cut();
    else {
      const running = { entry: received.entry, actions, context, executed: true };
      this.#later(actions.delayMs, () => this.#execute(running, thenEnd));
    }
  }

  #execute(running: Running<M>, thenEnd: boolean): void {
    const { context, actions, entry } = running;
    const { stop } = actions;
    running.executed = stop === null;
    if (stop?.kind === 'refuse') context.reject(...stop.text.split('\n'));
    if (stop === null) {
      this.#line.run(context, entry.line);
      if (thenEnd) this.#line.leaveConfig(context);
    }
    context.print(...actions.sayings);
    this.#proceed(running);
  }

  /** Goes on with a command: it asks, waits, or is done. */
  #proceed(running: Running<M>): void {
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
    this.#screen.prompt(pending.prompt, this.#line.width, pending.input !== 'secret');
    this.#reader = { kind: 'ask', ask: pending, running };
  }

  #inQuestion(reader: Extract<Reader<M>, { kind: 'ask' }>, event: EditEvent | null): void {
    if (event?.kind === 'interrupt') this.#finish(reader.running);
    else if (event?.kind === 'help') this.#screen.interject([]);
    else if (event?.kind === 'line') this.#answer(reader, fromBytes(event.bytes));
  }

  #answerKey(reader: Extract<Reader<M>, { kind: 'ask' }>, code: number): void {
    const enter = code === 13 || code === 10;
    this.#screen.print(enter ? '\r\n' : `${String.fromCharCode(code)}\r\n`);
    this.#answer(reader, enter ? '' : String.fromCharCode(code));
  }

  #answer(reader: Extract<Reader<M>, { kind: 'ask' }>, answer: string): void {
    const shown = reader.ask.input === 'secret' ? '***' : answer;
    this.#line.faults.note(this.#session, reader.ask.prompt.trim(), shown);
    this.#reader = { kind: 'line' };
    reader.ask.then(answer);
    this.#proceed(reader.running);
  }

  /** The state has changed; now the answer goes out, as far as the faults let it. */
  #finish(running: Running<M>): void {
    const { context, actions } = running;
    const lines = [...context.out];
    this.#tell(running, lines);
    for (const text of actions.logs('answer')) lines.splice(Math.ceil(lines.length / 2), 0, this.#line.stamped(text));
    const bytes = actions.answerBytes;
    if (actions.hangs) this.#reader = { kind: 'busy' };
    else if (actions.cuts('after')) this.#cut();
    else if (bytes !== null) {
      this.#screen.printPart(lines.map((l) => `${l}\r\n`).join('') + this.#line.prompt, bytes);
      this.#cut();
    } else if (context.leaving) {
      this.#screen.flush();
      this.close();
      this.#io.end();
    } else if (Pager.fits(lines, this.#line.length)) this.#settle(lines, running);
    else this.#nextPage(new Pager(lines, this.#line.length), running, true);
  }

  #settle(lines: readonly string[], running: Running<M>): void {
    this.#screen.printLines(lines);
    this.#prompt();
    for (const text of running.actions.logs('after-prompt')) this.#interject(text);
  }

  #nextPage(pager: Pager, running: Running<M>, whole: boolean): void {
    const { lines, done } = pager.next(whole);
    if (done) {
      this.#settle(lines, running);
      return;
    }
    this.#screen.printLines(lines);
    this.#screen.print(this.#line.more.text);
    this.#reader = { kind: 'more', pager, running };
  }

  #turnPage(reader: Extract<Reader<M>, { kind: 'more' }>, code: number): void {
    this.#screen.print(this.#line.more.erased);
    this.#reader = { kind: 'line' };
    if (code === 32) this.#nextPage(reader.pager, reader.running, true);
    else if (code === 13 || code === 10) this.#nextPage(reader.pager, reader.running, false);
    else this.#settle([], reader.running);
  }

  #tell(running: Running<M>, output: readonly string[]): void {
    const { entry, executed, context } = running;
    this.#line.faults.done({ ...entry, model: this.#line.model, executed, rejected: context.rejected, output });
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

  /** Puts a log message into whatever is on the screen; a half-typed line is drawn again. */
  #interject(message: string): void {
    if (this.#reader.kind === 'closed') return;
    this.#screen.print(`\r\n${this.#line.stamped(message)}\r\n`);
    if (this.#screen.typed !== '') this.#screen.interject([]);
    if (!this.#pumping) this.#screen.flush();
  }

  #prompt(): void {
    this.#reader = { kind: 'line' };
    this.#screen.prompt(this.#line.prompt, this.#line.width);
  }
}
