import type { Config } from '../config/schema.ts';
import type { State } from '../store/state.ts';
import type { Desired } from './desired.ts';
import type { Fabric } from './fabric.ts';
import type { SwitchView } from './switch-view.ts';

/** Everything that reports are made of. Reports are pure functions of it. */
export interface ReportInput {
  readonly config: Config;
  readonly state: State;
  readonly desired: Desired;
  readonly fabric: Fabric;
  readonly views: ReadonlyMap<string, SwitchView>;
  /** {@link Clock.monotonic} at which an attachment was last accepted with a change; a reading before that proves nothing. */
  readonly freshSince: (owner: string) => number;
}
