import { DriverError } from '../../drivers/errors.ts';
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
