import type { ServerChannel } from 'ssh2';
import type { CliDefinition } from '../../../drivers/definition.ts';
import { type Clock, systemClock } from '../../../drivers/model/clock.ts';
import { DEFINITION } from '../../../drivers/sim/definition.ts';
import { PromptShell, type PromptShellOptions } from '../../../drivers/transport/prompt.ts';
import { connectSsh } from '../../../drivers/transport/ssh.ts';
import { CountingClock, TestServer, targetOf } from './ssh-fixture.ts';

/** Log message as IOS prints it. */
export const LOG = '*Jun 26 09:40:22.578: %LINK-3-UPDOWN: Interface Gi1/0/1, changed state to up';

/** The far side of a terminal: echoes lines, answers them by script, knows the modes of IOS. */
export class ScriptedCli {
  mode: '>' | '#' | '(config)#' | '(config-if)#' = '#';
  host = 'sw1';
  /** What was typed, line by line; "^C" for Ctrl-C. */
  readonly typed: string[] = [];
  readonly channel: ServerChannel;
  readonly #script: Script;
  #line = '';
  #next: ((line: string) => void) | null = null;
  /** Pieces in which everything is written, in characters; 0: whole. */
  chunk = 0;

  constructor(channel: ServerChannel, script: Script) {
    this.channel = channel;
    this.#script = script;
    channel.on('error', () => {});
    channel.on('data', (bytes: Buffer) => {
      for (const char of bytes.toString('latin1')) this.#key(char);
    });
  }

  get prompt(): string {
    const room = this.mode.startsWith('(') ? 20 : this.host.length;
    return `${this.host.slice(0, room)}${this.mode}`;
  }

  write(text: string | Buffer): void {
    if (typeof text !== 'string' || this.chunk === 0) this.channel.write(text);
    else for (let i = 0; i < text.length; i += this.chunk) this.channel.write(text.slice(i, i + this.chunk));
  }

  /** Lines, then the prompt. */
  answer(text: string): void {
    this.write(`${text === '' ? '' : `${text.replaceAll('\n', '\r\n')}\r\n`}${this.prompt}`);
  }

  /** Prints a question; `then` gets what is typed next, which is not echoed. A blank is enough for a pager. */
  ask(question: string, then: (line: string) => void): void {
    this.write(question);
    this.#next = then;
  }

  #key(char: string): void {
    if (char === '\x03') {
      this.typed.push('^C');
      this.#line = '';
      this.#next = null;
      if (this.mode.startsWith('(')) this.mode = '#';
      this.write(`^C\r\n${this.prompt}`);
    } else if (this.#next && (char === '\n' || char === ' ')) {
      const next = this.#next;
      const line = this.#line;
      this.#next = null;
      this.#line = '';
      next(line);
    } else if (char === '\n') {
      const line = this.#line;
      this.#line = '';
      this.typed.push(line);
      this.#run(line);
    } else this.#line += char;
  }

  #run(line: string): void {
    const answer = this.#script(line, this);
    if (answer === null) return;
    if (answer === undefined) {
      if (line === 'configure terminal') this.mode = '(config)#';
      else if (line.startsWith('interface ')) this.mode = '(config-if)#';
      else if (line === 'end') this.mode = '#';
      else if (line === 'exit') this.mode = this.mode === '(config-if)#' ? '(config)#' : '#';
    }
    this.write(`${line}\r\n`);
    this.answer(
      answer ?? (line === 'configure terminal' ? 'Enter configuration commands, one per line.  End with CNTL/Z.' : ''),
    );
  }
}

/** Text to print between echo and prompt; undefined: what IOS does; null: the script writes everything itself. */
export type Script = (line: string, cli: ScriptedCli) => string | null | undefined;

export interface OpenOptions {
  readonly script?: Script;
  /** Printed instead of the first prompt. */
  readonly greet?: (cli: ScriptedCli) => void;
  readonly definition?: CliDefinition;
  readonly clock?: Clock;
  readonly shell?: Partial<PromptShellOptions>;
}

export interface OpenCli {
  readonly shell: Promise<PromptShell>;
  readonly cli: () => ScriptedCli;
  readonly server: TestServer;
  readonly close: () => Promise<void>;
}

/** A shell on a scripted switch. Without a clock of its own, time passes 20 times faster. */
export async function openCli(options: OpenOptions = {}): Promise<OpenCli> {
  const {
    script = () => undefined,
    greet = (cli) => cli.write(`\r\n${cli.prompt}`),
    definition = DEFINITION,
  } = options;
  let cli: ScriptedCli | null = null;
  const server = await TestServer.start({
    onSession: (session) => {
      session.on('pty', (accept) => accept?.());
      session.on('shell', (accept) => {
        cli = new ScriptedCli(accept(), script);
        greet(cli);
      });
    },
  });
  const connection = await connectSsh(targetOf(server.port), systemClock);
  const clock = options.clock ?? new CountingClock(20);
  return {
    shell: PromptShell.open(connection, definition, { clock, commandTimeoutMs: 200_000, ...options.shell }),
    cli: () => {
      if (!cli) throw new Error('no shell yet');
      return cli;
    },
    server,
    close: async () => {
      await connection.close();
      await server.close();
    },
  };
}
