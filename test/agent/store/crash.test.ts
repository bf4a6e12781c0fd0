import { describe, expect, test } from 'vitest';
import type { Store } from '../../../agent/store/store.ts';
import { Crash, CrashDisk, seeded } from './crash-disk.ts';
import { open, type Sample } from './support.ts';

/** Numbers the store was told to keep: the last one that it confirmed and the one it was working on. */
interface Progress {
  confirmed: number;
  attempted: number;
}

/** Opens and writes growing values until the disk crashes or `updates` are done. */
async function work(disk: CrashDisk, progress: Progress, updates: number, random: () => number): Promise<void> {
  try {
    const store = await open(disk);
    for (let i = 0; i < updates; i++) {
      progress.attempted = store.value.count + 1;
      const text = 'x'.repeat(Math.floor(random() * 200));
      await store.update((value) => ({ ...value, count: value.count + 1, text }));
      progress.confirmed = progress.attempted;
    }
  } catch (error) {
    if (!(error instanceof Crash) && !(error instanceof Error && error.cause instanceof Crash)) throw error;
  }
}

async function reopened(disk: CrashDisk): Promise<Store<Sample>> {
  const store = await open(disk);
  expect(store.health).toMatchObject({ recovered: 'none', setAside: null });
  return store;
}

describe('after a crash the store holds the old or the new value, never anything else', () => {
  test.each(['power cut', 'kill'] as const)('1,000 crash points, three crashes each, by %s', async (how) => {
    let crashes = 0;
    for (let seed = 0; seed < 1000; seed++) {
      const random = seeded(seed + (how === 'kill' ? 1_000_000 : 0));
      let disk = new CrashDisk(random);
      const progress: Progress = { confirmed: 0, attempted: 0 };
      for (let round = 0; round < 3; round++) {
        disk.crashAt = round === 0 ? seed % 60 : Math.floor(random() * 40);
        await work(disk, progress, 6, random);
        if (disk.steps > disk.crashAt) crashes++;
        disk = how === 'kill' ? disk.afterKill() : disk.afterPowerCut();
        const count = (await reopened(disk)).value.count;
        expect(
          [progress.confirmed, progress.attempted],
          `seed ${seed}, round ${round}: ${disk.log.join(' | ')}`,
        ).toContain(count);
        progress.confirmed = count;
        progress.attempted = count;
        disk = how === 'kill' ? disk.afterKill() : disk.afterPowerCut();
      }
      await reopened(disk);
      expect(disk.names().filter((name) => name.startsWith('.'))).toEqual([]);
    }
    expect(crashes).toBeGreaterThan(2500);
  });

  test('a value whose write failed and could not be undone is not forgotten by the next write', async () => {
    const disk = new CrashDisk(seeded(1));
    const store = await open(disk);
    await store.update((value) => ({ ...value, count: 1 }));
    const from = disk.steps;
    // rename and syncDir are the 6th and 7th step of a write; everything after fails, too.
    for (let step = from + 6; step < from + 20; step++) disk.failAt.set(step, 'EIO');
    await expect(store.update((value) => ({ ...value, count: 2 }))).rejects.toMatchObject({ code: 'io' });
    expect(store.value.count).toBe(1);
    disk.failAt.clear();
    await store.update((value) => ({ ...value, text: 'later' }));
    expect((await open(disk.afterPowerCut())).value).toEqual({ version: 1, count: 1, text: 'later' });
  });
});

describe('when an operation fails', () => {
  test.each(['ENOSPC', 'EIO', 'EROFS', 'EDQUOT', 'EACCES'])(
    '%s at any step leaves memory and disk as they were, and the next write works',
    async (code) => {
      const expected = { ENOSPC: 'disk-full', EDQUOT: 'disk-full', EROFS: 'read-only', EACCES: 'read-only', EIO: 'io' }[
        code
      ];
      let failures = 0;
      for (let at = 0; at < 12; at++) {
        const disk = new CrashDisk(seeded(at));
        const store = await open(disk);
        await store.update((value) => ({ ...value, count: 1 }));
        await store.update((value) => ({ ...value, count: 2 }));
        disk.failAt.set(disk.steps + at, code);
        const outcome = await store.update((value) => ({ ...value, count: 3 })).catch((error) => error);
        disk.failAt.clear();
        if (outcome instanceof Error) {
          failures++;
          expect(outcome).toMatchObject({ name: 'StoreError', code: expected, path: '/state/portkeeper/state.json' });
          expect(store.health.lastError).toBe(outcome);
        }
        const count = outcome instanceof Error ? 2 : 3;
        expect(store.value.count).toBe(count);
        expect((await reopened(disk.afterKill())).value.count).toBe(count);
        expect((await reopened(disk.afterPowerCut())).value.count).toBe(count);
        expect((await store.update((value) => ({ ...value, count: 4 }))).count).toBe(4);
        expect(store.health.lastError).toBeNull();
        expect((await reopened(disk.afterPowerCut())).value.count).toBe(4);
      }
      expect(failures).toBeGreaterThanOrEqual(6);
    },
  );

  test('the very first write leaves nothing behind when it fails', async () => {
    const outcomes: string[] = [];
    for (let at = 0; at < 14; at++) {
      const disk = new CrashDisk(seeded(at));
      disk.failAt.set(at, 'EIO');
      const outcome = await open(disk).catch((error) => error);
      if (!(outcome instanceof Error)) continue;
      outcomes.push(disk.log.at(at)?.split(' ')[0] ?? '');
      disk.failAt.clear();
      expect(disk.names(), disk.log.join(' | ')).toEqual([]);
    }
    expect(outcomes).toEqual(expect.arrayContaining(['create', 'write', 'sync', 'rename', 'syncDir']));
  });

  test('a file system without hard links is served by copies', async () => {
    const disk = new CrashDisk(seeded(3));
    const fs = { ...disk.fs, link: async () => Promise.reject(Object.assign(new Error('x'), { code: 'EPERM' })) };
    const store = await open(disk, { fs });
    await store.update((value) => ({ ...value, count: 1 }));
    await store.update((value) => ({ ...value, count: 2 }));
    expect(disk.text('state.json')).toContain('"count":2');
    expect(disk.text('state.json.prev')).toContain('"count":1');
    expect(disk.names()).toEqual(['state.json', 'state.json.prev']);
  });
});
