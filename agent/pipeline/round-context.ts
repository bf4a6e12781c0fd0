import type { SwitchSession } from '../../drivers/driver.ts';
import type { Clock } from '../../drivers/model/clock.ts';
import type { Config } from '../config/schema.ts';
import { own } from '../model/own.ts';
import { StoreError } from '../store/errors.ts';
import type { State, SwitchStoreState } from '../store/state.ts';
import { emptySwitch } from '../store/state.ts';
import * as books from './bookkeeping.ts';
import type { Desired } from './desired.ts';
import type { EventLog } from './event-log.ts';
import type { SwitchView } from './switch-view.ts';

/** What one round of a switch's loop works with. */
export interface RoundContext {
  readonly view: SwitchView;
  readonly session: SwitchSession;
  readonly clock: Clock;
  readonly random: () => number;
  readonly config: () => Config;
  readonly desired: () => Desired;
  readonly state: () => State;
  readonly update: (change: (state: State) => State) => Promise<State>;
  readonly events: EventLog;
  readonly log: (level: 'debug' | 'info' | 'warn' | 'error', fields: object, message: string) => void;
  /** Something to report has changed. */
  readonly changed: () => void;
}

/** What the store keeps of the switch. */
export function stored(ctx: RoundContext): SwitchStoreState {
  return own(ctx.state().switches, ctx.view.name) ?? emptySwitch;
}

/** Writes down; rejects when that fails: for what must be on disk before something is done. */
export async function mustRemember(
  ctx: RoundContext,
  change: (s: SwitchStoreState) => SwitchStoreState,
): Promise<void> {
  const before = stored(ctx);
  if (change(before) === before) return;
  await ctx.update((state) => books.withSwitch(state, ctx.view.name, change));
}

/** Writes down what the next reading would show again: a full disk must not stop the agent from reading and repairing. */
export async function remember(ctx: RoundContext, change: (s: SwitchStoreState) => SwitchStoreState): Promise<void> {
  try {
    await mustRemember(ctx, change);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    ctx.log('error', { switch: ctx.view.name, code: error.code }, error.message);
  }
}

/** Event fields of the attachment that holds a port. */
export function ownerFields(owner: string | null): { publisher?: string; attachment?: string } {
  if (owner === null) return {};
  const slash = owner.indexOf('/');
  return { publisher: owner.slice(0, slash), attachment: owner.slice(slash + 1) };
}
