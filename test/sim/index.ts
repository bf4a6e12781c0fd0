import { type Clock, systemClock } from '../../drivers/model/clock.ts';
import { type CliIo, SimCli } from './cli.ts';
import { CommandContext, type SessionState, type SimSystem } from './command-context.ts';
import { Faults } from './faults.ts';
import { Grammars } from './grammars.ts';
import { IosLine } from './ios-line.ts';
import type { SimNeighbor } from './neighbor.ts';
import { runCommand } from './run-command.ts';
import type { SimUser } from './ssh-auth.ts';
import { type ExecAnswer, generateHostKey, type LoginInfo, SimSshServer } from './ssh-server.ts';
import { type ModelOptions, SwitchModel } from './switch-model.ts';

export type { CliIo, CommandLine, SimCli } from './cli.ts';
export type { SessionState } from './command-context.ts';
export type { ConfigLock, FaultAction, FaultWhen, LineDone, LineMatch, LoggedLine } from './faults.ts';
export { Faults } from './faults.ts';
export type { Carried } from './forwarding.ts';
export { dottedMac, hostNeighbor, macPlus, type SimNeighbor } from './neighbor.ts';
export type { PortMode, PortSettings } from './port-settings.ts';
export { generateUserKey, type LoginMethod, type SimUser } from './ssh-auth.ts';
export { fingerprintOf, generateHostKey } from './ssh-server.ts';
export { type ModelOptions, SwitchModel } from './switch-model.ts';

/** How to start a simulated switch; everything has a default. */
export interface SimSwitchOptions extends ModelOptions {
  /** Configuration lines, executed and saved before the switch is reachable. A refused line is an error. */
  readonly config?: readonly string[];
  /** Default: admin / "sim-password", privilege 15. */
  readonly users?: readonly SimUser[];
  /** Password of `enable`; default none. */
  readonly enableSecret?: string;
  /** Private host key; default a new ed25519 key. */
  readonly hostKey?: string;
  /** Default 127.0.0.1, a free port. */
  readonly listenHost?: string;
  readonly listenPort?: number;
  /** Terminal lines; default 5. */
  readonly vtyLines?: number;
  /** SSH greeting before login; default none. */
  readonly banner?: string;
  /** Printed after login; the default has "#" and ">" in it. */
  readonly motd?: string;
  readonly monitorByDefault?: boolean;
  readonly algorithms?: 'modern' | 'legacy';
  /** Time a reload takes, during which the switch cannot be reached; default 0. */
  readonly bootMs?: number;
  readonly clock?: Clock;
}

const MOTD =
  '##########################################\n#  simulated switch -> staff only         #\n##########################################\nWelcome >>';

/** A simulated switch that can be reached over SSH. */
export class SimSwitch {
  readonly model: SwitchModel;
  readonly faults: Faults<SwitchModel>;
  readonly #system: SimSystem;
  readonly #server: SimSshServer;
  readonly #bootMs: number;
  readonly #shells = new Map<SimCli<SwitchModel>, SessionState>();
  #cancelBoot: (() => void) | null = null;

  /** For {@link startSimSwitch}, which makes it reachable. */
  constructor(options: SimSwitchOptions) {
    const clock = options.clock ?? systemClock;
    this.model = new SwitchModel(clock, options);
    this.faults = new Faults<SwitchModel>(clock);
    this.#bootMs = options.bootMs ?? 0;
    this.#system = {
      model: this.model,
      faults: this.faults,
      clock,
      grammars: new Grammars(this.model),
      enableSecret: options.enableSecret ?? null,
      motd: options.motd ?? MOTD,
      monitorByDefault: options.monitorByDefault ?? false,
      reload: () => this.reboot(),
      sessions: () => this.sessions,
    };
    this.byHand(options.config ?? []);
    this.model.save();
    this.model.onLog((message) => {
      for (const cli of this.#shells.keys()) cli.logMessage(message);
    });
    const algorithms = options.algorithms ?? 'modern';
    const host = {
      shell: (io: CliIo, login: LoginInfo) => this.#shell(io, login),
      exec: async (command: string, login: LoginInfo) => this.#exec(command, login),
      faults: this.faults,
      get busyLines() {
        return this.faults.busyLines;
      },
    };
    this.#server = new SimSshServer(host, {
      users: options.users ?? [{ name: 'admin', password: 'sim-password', privilege: 15 }],
      hostKey: options.hostKey ?? generateHostKey(algorithms === 'legacy' ? 'rsa' : 'ed25519'),
      banner: options.banner ?? '',
      vtyLines: options.vtyLines ?? 5,
      algorithms,
      ident: 'Cisco-1.25',
      channels: 'one',
    });
  }

  /** Makes the switch reachable. */
  async listen(host: string, port: number): Promise<void> {
    await this.#server.listen(host, port);
  }

  /** Where the switch listens. */
  get address(): { readonly host: string; readonly port: number } {
    return this.#server.address;
  }

  /** "SHA256:..." of the host key. */
  get hostKeyFingerprint(): string {
    return this.#server.hostKeyFingerprint;
  }

  /** Terminals that are open now. */
  get sessions(): readonly SessionState[] {
    return [...this.#shells.values()];
  }

  /** TCP connections that are open now. */
  get connections(): number {
    return this.#server.connections;
  }

  /** Plugs a host (see hostNeighbor) into a port, or pulls the cable (null). Throws RangeError for an unknown port. */
  cable(port: string, neighbor: SimNeighbor | null): void {
    this.model.cable(port, neighbor);
  }

  /** A person at the console types configuration lines: not logged, no faults, no onLine. Throws when one is refused. */
  byHand(lines: readonly string[], user = 'console'): void {
    const mode = { kind: 'config' } as const;
    const state: SessionState = {
      user,
      line: 0,
      from: 'console',
      mode,
      privilege: 15,
      length: 0,
      width: 0,
      monitor: false,
    };
    for (const line of [...lines, 'end']) {
      const context = new CommandContext(state, this.#system);
      runCommand(context, line);
      if (context.rejected) throw new Error(`the simulated switch refused "${line}": ${context.out.join(' / ')}`);
    }
  }

  /** A terminal on the console, without SSH: for tests of the CLI itself. Not counted as a vty line. */
  openConsole(io: CliIo, privilege = 15): SimCli<SwitchModel> {
    const mode = { kind: 'exec' } as const;
    const { monitorByDefault } = this.#system;
    const state: SessionState = {
      user: 'console',
      line: 0,
      from: 'console',
      mode,
      privilege,
      length: 24,
      width: 80,
      monitor: monitorByDefault,
    };
    const cli = new SimCli(new IosLine(this.#system, state), 0, io);
    this.model.onLog((message) => cli.logMessage(message));
    cli.start();
    return cli;
  }

  #shell(io: CliIo, login: LoginInfo) {
    const state = this.#stateOf(login);
    const cli = new SimCli(new IosLine(this.#system, state), login.session, io);
    this.#shells.set(cli, state);
    cli.start();
    return {
      feed: (bytes: Buffer) => cli.feed(bytes),
      close: () => {
        this.#shells.delete(cli);
        cli.close();
      },
    };
  }

  /** One exec command without paging or prompt. Line faults do not apply. */
  #exec(command: string, login: LoginInfo): ExecAnswer {
    const { faults, model } = this.#system;
    const { entry } = faults.receive(login.session, 'exec', command);
    const context = new CommandContext(this.#stateOf(login), this.#system);
    runCommand(context, command.trim());
    if (context.takePending() !== null) context.reject('% The command needs an interactive session', '');
    faults.done({ ...entry, model, executed: true, rejected: context.rejected, output: context.out });
    return { stdout: `\r\n${context.out.map((line) => `${line}\r\n`).join('')}`, code: 0 };
  }

  #stateOf({ user, line, from }: LoginInfo): SessionState {
    return {
      user: user.name,
      line,
      from,
      mode: { kind: 'exec' },
      privilege: user.privilege,
      length: 24,
      width: 80,
      monitor: this.#system.monitorByDefault,
    };
  }

  /** Cuts all connections now. */
  cutSessions(): void {
    this.#server.cutAll();
  }

  /**
   * `off`: connections are cut and refused, as from a switch without power; `silent`: accepted and never answered;
   * `on`: back to normal.
   */
  setReachability(reachability: 'on' | 'off' | 'silent'): void {
    this.#cancelBoot?.();
    this.#server.reachability = reachability;
    if (reachability !== 'on') this.#server.cutAll();
  }

  /** Restarts: unsaved configuration is lost, sessions are cut, the boot time is new; reachable again after the boot time. */
  reboot(reason = 'reload', bootMs = this.#bootMs): void {
    this.model.reload(reason);
    this.#server.cutAll();
    if (bootMs <= 0) return;
    this.setReachability('off');
    this.#cancelBoot = this.#system.clock.after(bootMs, () => this.setReachability('on'));
  }

  /** Another box in the same place: factory configuration, its own serial number, MAC and (unless kept) host key. */
  replace(
    box: { readonly serial?: string; readonly chassisMac?: string; readonly hostKey?: string | 'keep' } = {},
  ): void {
    this.model.replaceHardware({
      serial: box.serial ?? `${this.model.serial}R`,
      chassisMac: box.chassisMac ?? '02:5d:00:00:99:00',
    });
    if (box.hostKey !== 'keep') this.#server.setHostKey(box.hostKey ?? generateHostKey());
    this.#server.cutAll();
  }

  /** Cuts all connections and frees the port. */
  async stop(): Promise<void> {
    this.#cancelBoot?.();
    await this.#server.close();
  }
}

/** Starts a simulated switch on 127.0.0.1 (unless told otherwise) and resolves when it can be reached. */
export async function startSimSwitch(options: SimSwitchOptions = {}): Promise<SimSwitch> {
  const sim = new SimSwitch(options);
  await sim.listen(options.listenHost ?? '127.0.0.1', options.listenPort ?? 0);
  return sim;
}
