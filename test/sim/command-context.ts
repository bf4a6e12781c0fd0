import type { Clock } from '../../drivers/model/clock.ts';
import { Execution } from './execution.ts';
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
  readonly faults: Faults<SwitchModel>;
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

/** One command being executed on the IOS-like switch. */
export class CommandContext extends Execution {
  readonly state: SessionState;
  readonly system: SimSystem;

  constructor(state: SessionState, system: SimSystem) {
    super();
    this.state = state;
    this.system = system;
  }

  get model(): SwitchModel {
    return this.system.model;
  }
}
