import { z } from 'zod';
import { openStore, type Store, type StoreOptions } from '../../../agent/store/store.ts';
import type { Clock } from '../../../drivers/model/clock.ts';
import { type CrashDisk, ROOT } from './crash-disk.ts';

export const sample = z.strictObject({ version: z.literal(1), count: z.int(), text: z.string() });
export type Sample = z.infer<typeof sample>;
export const empty = (): Sample => ({ version: 1, count: 0, text: '' });

/** A clock that stands at 2026-01-02 unless told otherwise. */
export function stillClock(at = { now: Date.UTC(2026, 0, 2) }): Clock {
  return { now: () => at.now, monotonic: () => at.now, after: () => () => undefined };
}

export function open(disk: CrashDisk, more: Partial<StoreOptions<Sample>> = {}): Promise<Store<Sample>> {
  return openStore<Sample>({
    dir: ROOT,
    name: 'state.json',
    schema: sample,
    version: 1,
    initial: empty,
    fs: disk.fs,
    clock: stillClock(),
    ...more,
  });
}

export const plusOne = (value: Sample): Sample => ({ ...value, count: value.count + 1 });
