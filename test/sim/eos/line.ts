import type { Clock } from '../../../drivers/model/clock.ts';
import type { CommandLine } from '../cli.ts';
import { Execution } from '../execution.ts';
import type { Faults } from '../faults.ts';
import type { LoginInfo } from '../ssh-server.ts';
import { copyConfig } from './config.ts';
import { edit, type Section } from './edit.ts';
import type { EosModel, EosSession } from './model.ts';
import { show } from './shows.ts';

type Where =
  | { readonly kind: 'exec' }
  | { readonly kind: 'config'; readonly session: EosSession | null; readonly section: Section };

const EXEC: Where = { kind: 'exec' };

/** The command line of EOS for one login. */
export class EosLine implements CommandLine<EosModel> {
  readonly model: EosModel;
  readonly faults: Faults<EosModel>;
  readonly clock: Clock;
  readonly greeting = 'Arista Networks EOS # lab > staff only';
  readonly monitor = false;
  readonly lineLimit = 4096;
  readonly more = { text: ' --More-- ', erased: `\r${' '.repeat(10)}\r` };
  length = 24;
  width = 80;
  #privileged: boolean;
  #where: Where = EXEC;
  readonly #user: string;

  constructor(model: EosModel, login: LoginInfo, faults: Faults<EosModel>, clock: Clock) {
    this.model = model;
    this.faults = faults;
    this.clock = clock;
    this.#user = login.user.name;
    this.#privileged = login.user.privilege >= 15;
  }

  get prompt(): string {
    const { hostname } = this.model.running;
    if (this.#where.kind === 'exec') return `${hostname}${this.#privileged ? '#' : '>'}`;
    const { session, section } = this.#where;
    const short = (name: string) => name.replace('Ethernet', 'Et').replace('Port-Channel', 'Po');
    const sub =
      section.kind === 'interface'
        ? `-if-${short(section.name)}`
        : section.kind === 'vlan'
          ? `-vlan-${section.id}`
          : '';
    return `${hostname}(config${session === null ? '' : `-s-${session.name.slice(0, 6)}`}${sub})#`;
  }

  begin(): Execution {
    return new Execution();
  }

  run(execution: Execution, line: string): void {
    const text = line.trim();
    if (this.#where.kind === 'config') this.#runConfig(execution, this.#where, text);
    else this.#runExec(execution, text);
  }

  leaveConfig(): void {
    this.#where = EXEC;
  }

  help(): readonly string[] {
    return ['% Unrecognized command'];
  }

  complete(): null {
    return null;
  }

  stamped(message: string): string {
    return `Mar  1 10:00:00 ${this.model.running.hostname} Ebra: 12: ${message}`;
  }

  #runExec(execution: Execution, text: string): void {
    if (text === 'exit') execution.leaving = true;
    else if (text === 'enable') this.#privileged = true;
    else if (text === 'disable') this.#privileged = false;
    else if (text === 'terminal length 0') this.#set(execution, { length: 0 }, 'Pagination disabled.');
    else if (/^terminal width \d+$/.test(text))
      this.#set(execution, { width: Number(text.slice(15)) }, `Width set to ${text.slice(15)} columns.`);
    else if (text.startsWith('show ')) execution.print(...show(this.model, text, this.clock));
    else if (!this.#privileged) execution.reject('% Invalid input (privileged mode required)');
    else if (text === 'write memory') this.#save(execution);
    else if (text === 'configure' || text === 'configure terminal')
      this.#where = { kind: 'config', session: null, section: { kind: 'global' } };
    else this.#runSession(execution, text);
  }

  #set(execution: Execution, change: { length?: number; width?: number }, words: string): void {
    Object.assign(this, change);
    execution.print(words);
  }

  #save(execution: Execution): void {
    const failure = this.faults.takeSaveFailure();
    execution.wait(this.faults.saveMs, () => {
      if (failure !== null) {
        execution.reject(`% Error copying system:/running-config to flash:/startup-config (${failure})`);
        return;
      }
      this.model.startup = copyConfig(this.model.running);
      execution.print('Copy completed successfully.');
    });
  }

  #runSession(execution: Execution, text: string): void {
    const [, name, act, timer] = /^configure session ([\w-]+)(?: (commit|abort)(?: timer (\S+))?)?$/.exec(text) ?? [];
    if (name === undefined) {
      execution.reject('% Invalid input');
      return;
    }
    if (act === 'abort') {
      if (!this.model.abort(name)) execution.reject(`% Session ${name} does not exist`);
    } else if (act === 'commit') this.#commit(execution, name, timer ?? null);
    else {
      const session = this.model.open(name, this.#user);
      if (session === null) execution.reject('Maximum number of pending sessions has been reached');
      else this.#where = { kind: 'config', session, section: { kind: 'global' } };
    }
  }

  #commit(execution: Execution, name: string, timer: string | null): void {
    const [, h, m, s] = /^(\d\d):(\d\d):(\d\d)$/.exec(timer ?? '') ?? [];
    if (timer !== null && h === undefined) {
      execution.reject('% Invalid input');
      return;
    }
    const ms = timer === null ? null : (Number(h) * 3600 + Number(m) * 60 + Number(s)) * 1000;
    const refusal = this.model.commit(name, ms);
    if (refusal !== null) execution.reject(refusal);
  }

  #runConfig(execution: Execution, where: Extract<Where, { kind: 'config' }>, text: string): void {
    const { session } = where;
    if (text === 'end') this.#where = EXEC;
    else if (session !== null && text === 'abort') {
      this.model.abort(session.name);
      this.#where = EXEC;
    } else if (session !== null && /^commit(?: timer \S+)?$/.test(text)) {
      this.#commit(execution, session.name, text.slice('commit timer '.length) || null);
      if (!execution.rejected) this.#where = EXEC;
    } else if (text === 'exit' && where.section.kind === 'global') this.#where = EXEC;
    else {
      const config = session === null ? this.model.running : session.candidate;
      const { section, rejected, warnings } = edit(config, where.section, text);
      if (rejected) execution.reject(...rejected);
      else execution.print(...(warnings ?? []));
      this.#where = { ...where, section };
      if (session === null) this.model.changed(text);
    }
  }
}
