import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { StoreError } from '../../agent/store/errors.ts';
import { diskFileSystem } from '../../agent/store/file-system.ts';
import { lockFolder } from '../../agent/store/lock.ts';
import { openStore, type Store } from '../../agent/store/store.ts';
import { systemClock } from '../../drivers/model/clock.ts';

const schema = z.strictObject({ version: z.literal(1), count: z.int(), text: z.string() });
export type Written = z.infer<typeof schema>;

export function openWritten(dir: string): Promise<Store<Written>> {
  return openStore<Written>({
    dir,
    name: 'state.json',
    schema,
    version: 1,
    initial: () => ({ version: 1, count: 0, text: '' }),
    fs: diskFileSystem,
    clock: systemClock,
  });
}

const plusOne = (size: number) => (value: Written) => ({ ...value, count: value.count + 1, text: 'x'.repeat(size) });

/** Writes for ever, telling each value that is durable, until it is killed. */
async function writeForEver(dir: string): Promise<void> {
  await lockFolder(dir);
  const store = await openWritten(dir);
  writeSync(1, `start ${store.value.count} ${store.health.recovered}\n`);
  for (;;) {
    const { count } = await store.update(plusOne((store.value.count * 7919) % 300_000));
    writeSync(1, `done ${count}\n`);
  }
}

async function outcome(work: Promise<Written>): Promise<string> {
  return work.then(
    (value) => `count ${value.count}`,
    (error) => (error instanceof StoreError ? error.code : String(error)),
  );
}

function mount(dir: string, options: string): void {
  const done = spawnSync('mount', ['-o', `remount,${options}`, dir], { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`mount: ${done.stderr}`);
}

/** Fills a small file system, makes it read-only and so on, and tells what the store answers each time. */
async function tryFaults(dir: string): Promise<void> {
  const told: Record<string, unknown> = {};
  const state = join(dir, 'state');
  const store = await openWritten(state);
  told['first'] = await outcome(store.update(plusOne(20_000)));
  const filler = openSync(join(dir, 'filler'), 'w');
  try {
    for (;;) writeSync(filler, Buffer.alloc(4096));
  } catch (error) {
    told['filled'] = (error as NodeJS.ErrnoException).code;
  }
  closeSync(filler);
  told['full'] = [await outcome(store.update(plusOne(20_000))), await outcome(store.update(plusOne(20_000)))];
  told['fullMemory'] = store.value.count;
  told['fullDisk'] = (await openWritten(state)).value.count;
  told['fullNames'] = readdirSync(state).sort();
  rmSync(join(dir, 'filler'));
  told['freed'] = await outcome(store.update(plusOne(20_000)));
  mount(dir, 'ro');
  told['readOnly'] = await outcome(store.update(plusOne(10)));
  told['readOnlyDisk'] = (await openWritten(state)).value.count;
  told['health'] = store.health.lastError?.code;
  mount(dir, 'rw');
  told['writableAgain'] = await outcome(store.update(plusOne(10)));
  told['end'] = (await openWritten(state)).value.count;
  process.stdout.write(`${JSON.stringify(told)}\n`);
}

/** For a process of its own: `store-writer for-ever DIR` or `store-writer faults DIR`. */
export function main([how, dir = '']: readonly string[]): Promise<void> {
  return how === 'faults' ? tryFaults(dir) : writeForEver(dir);
}
