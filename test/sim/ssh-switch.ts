import { type Clock, systemClock } from '../../drivers/model/clock.ts';
import { type CliIo, type CommandLine, SimCli } from './cli.ts';
import { Faults } from './faults.ts';
import type { SimUser } from './ssh-auth.ts';
import { type ExecAnswer, generateHostKey, type LoginInfo, SimSshServer } from './ssh-server.ts';

export interface SshSwitchOptions {
  readonly clock?: Clock;
  readonly users?: readonly SimUser[];
  readonly vtyLines?: number;
  readonly ident?: string;
  /** SSH greeting before login. */
  readonly banner?: string;
  readonly hostKey?: string;
}

/** What a fake switch of an operating system brings: a command line for each login. */
export interface Personality<M> {
  readonly model: M;
  line(login: LoginInfo, faults: Faults<M>, clock: Clock): CommandLine<M>;
  /** An exec command without a terminal; absent: the switch only has shells. */
  exec?(command: string, login: LoginInfo, stdin: () => Promise<string>): Promise<ExecAnswer | null>;
}

/** A fake switch that is reached over SSH: the part that is the same for every operating system. */
export class SshSwitch<M> {
  readonly model: M;
  readonly faults: Faults<M>;
  readonly #server: SimSshServer;
  readonly #terminals = new Set<SimCli<M>>();

  constructor(personality: Personality<M>, options: SshSwitchOptions = {}) {
    const clock = options.clock ?? systemClock;
    const faults = new Faults<M>(clock);
    this.model = personality.model;
    this.faults = faults;
    const refuse = async (): Promise<ExecAnswer> => ({ stdout: '', stderr: 'exec is not supported\n', code: 1 });
    this.#server = new SimSshServer(
      {
        shell: (io: CliIo, login: LoginInfo) => this.#open(personality.line(login, faults, clock), login, io),
        exec: (command, login, stdin) => personality.exec?.(command, login, stdin) ?? refuse(),
        get busyLines() {
          return faults.busyLines;
        },
      },
      {
        users: options.users ?? [{ name: 'admin', password: 'sim-password', privilege: 15 }],
        hostKey: options.hostKey ?? generateHostKey(),
        banner: options.banner ?? '',
        vtyLines: options.vtyLines ?? 16,
        algorithms: 'modern',
        ident: options.ident ?? 'OpenSSH_8.7',
        channels: personality.exec ? 'many' : 'one',
      },
    );
  }

  #open(line: CommandLine<M>, login: LoginInfo, io: CliIo) {
    const cli = new SimCli(line, login.session, io);
    this.#terminals.add(cli);
    cli.start();
    return {
      feed: (bytes: Buffer) => cli.feed(bytes),
      close: () => {
        this.#terminals.delete(cli);
        cli.close();
      },
    };
  }

  async listen(): Promise<this> {
    await this.#server.listen('127.0.0.1', 0);
    return this;
  }

  get address(): { readonly host: string; readonly port: number } {
    return this.#server.address;
  }

  get hostKeyFingerprint(): string {
    return this.#server.hostKeyFingerprint;
  }

  /** A log message into every session that wants them. */
  log(message: string): void {
    for (const cli of this.#terminals) cli.logMessage(message);
  }

  /** Cuts all connections now. */
  cutSessions(): void {
    this.#server.cutAll();
  }

  stop(): Promise<void> {
    return this.#server.close();
  }
}
