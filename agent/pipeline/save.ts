import { DriverError } from '../../drivers/errors.ts';
import type { Clock } from '../../drivers/model/clock.ts';
import { StoreError } from '../store/errors.ts';
import * as books from './bookkeeping.ts';
import type { RoundContext } from './round-context.ts';

/**
 * Makes the running configuration the start-up configuration and notes it. False: the switch or the store refused; it is to
 * be tried again later. Throws {@link DriverError} only when the session is lost.
 */
export async function saveStartup(ctx: RoundContext): Promise<boolean> {
  const { view, events } = ctx;
  try {
    await ctx.session.save();
    await ctx.update((state) => books.withSwitch(state, view.name, (s) => ({ ...s, notPersisted: false })));
    events.add('saved', `${view.name}: start-up configuration saved`, { switch: view.name });
    return true;
  } catch (error) {
    const refused = error instanceof DriverError && !error.sessionLost;
    if (!refused && !(error instanceof StoreError)) throw error;
    const message = `${view.name}: the start-up configuration could not be saved: ${error.message}`;
    events.add('failed', message, { switch: view.name });
    return false;
  } finally {
    ctx.changed();
  }
}

/** Milliseconds from a batch to the save; how much later a busy switch is saved all the same; and after a refusal. */
const SAVE_DELAY_MS = 1_000;
const SAVE_OVERDUE_MS = 30_000;
const SAVE_RETRY_MS = 60_000;

/** When the start-up configuration is to be saved: a while after the last batch, so that several cost one save and wait for none. */
export class SaveSchedule {
  readonly #clock: Clock;
  #at = Number.POSITIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** {@link Clock.monotonic}; infinity: nothing to save. */
  get at(): number {
    return this.#at;
  }

  get due(): boolean {
    return this.#clock.monotonic() >= this.#at;
  }

  /** Changes that come without a pause must not put the save off for ever. */
  get overdue(): boolean {
    return this.#clock.monotonic() >= this.#at + SAVE_OVERDUE_MS;
  }

  /** There is something to save. A time that is set already stays. */
  soon(): void {
    if (this.#at === Number.POSITIVE_INFINITY) this.#at = this.#clock.monotonic() + SAVE_DELAY_MS;
  }

  later(): void {
    this.#at = this.#clock.monotonic() + SAVE_RETRY_MS;
  }

  clear(): void {
    this.#at = Number.POSITIVE_INFINITY;
  }
}
