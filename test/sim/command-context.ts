import type { Clock } from '../../drivers/model/clock.ts';
import type { Faults } from './faults.ts';
import type { Grammars } from './grammars.ts';
import type { SwitchModel } from './switch-model.ts';

/** Where a session stands. */
export type Mode =
  | { readonly kind: 'exec' }
  | { readonly kind: 'config' }
  | { readonly kind: 'interface'; readonly ports: readonly string[]; readonly range: boolean }
  | { readonly kind: 'vlan'; readonly ids: readonly number[]; readonly draft: VlanDraft };

/** What was typed in config-vlan; it reaches the VLAN database when the mode is left. */
export interface VlanDraft {
  name?: string;
  state?: 'active' | 'suspend';
  shutdown?: boolean;
}

/** One login. */
export interface SessionState {
  readonly user: string;
  /** vty line number, from 0. */
  readonly line: number;
  readonly from: string;
  mode: Mode;
  /** 0 to 15; 15 sees everything. */
  privilege: number;
  /** Lines of a page; 0: no paging. */
  length: number;
  /** Columns; 0: no limit. */
  width: number;
  /** Log messages are printed into the session. */
  monitor: boolean;
}

/** What a switch offers to all its sessions. */
export interface SimSystem {
  readonly model: SwitchModel;
  readonly faults: Faults;
  readonly clock: Clock;
  readonly grammars: Grammars;
  /** Password of `enable`; null: none is set. */
  readonly enableSecret: string | null;
  /** Printed after login, before the first prompt. */
  readonly motd: string;
  /** Log messages go to new sessions without `terminal monitor`, as on a console. */
  readonly monitorByDefault: boolean;
  /** Restarts the switch: every session is cut. */
  readonly reload: () => void;
  /** The sessions that are logged in, for `show users`. */
  readonly sessions: () => readonly SessionState[];
}

export type Pending =
  | {
      readonly kind: 'ask';
      readonly prompt: string;
      /** `key`: a single key answers ("[confirm]"); `secret`: a line without echo. */
      readonly input: 'line' | 'key' | 'secret';
      readonly then: (answer: string) => void;
    }
  | { readonly kind: 'wait'; readonly ms: number; readonly then: () => void };

/** One command being executed: what it prints and what it still needs. */
export class CommandContext {
  readonly state: SessionState;
  readonly system: SimSystem;
  readonly out: string[] = [];
  /** Set when the switch refused the command; the mode then stays as it was. */
  rejected = false;
  leaving = false;
  #pending: Pending | null = null;

  constructor(state: SessionState, system: SimSystem) {
    this.state = state;
    this.system = system;
  }

  get model(): SwitchModel {
    return this.system.model;
  }

  print(...lines: readonly string[]): void {
    for (const line of lines) this.out.push(line);
  }

  /** Prints a refusal. */
  reject(...lines: readonly string[]): void {
    this.rejected = true;
    this.print(...lines);
  }

  ask(prompt: string, input: 'line' | 'key' | 'secret', then: (answer: string) => void): void {
    this.#pending = { kind: 'ask', prompt, input, then };
  }

  wait(ms: number, then: () => void): void {
    if (ms <= 0) then();
    else this.#pending = { kind: 'wait', ms, then };
  }

  /** What the command is waiting for; asking clears it. */
  takePending(): Pending | null {
    const pending = this.#pending;
    this.#pending = null;
    return pending;
  }
}
