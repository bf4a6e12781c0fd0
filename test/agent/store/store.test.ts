import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { seal } from '../../../agent/store/envelope.ts';
import { diskFileSystem } from '../../../agent/store/file-system.ts';
import { emptyState, STATE_VERSION, stateSchema } from '../../../agent/store/state.ts';
import { openStore } from '../../../agent/store/store.ts';
import { CrashDisk, ROOT, seeded } from './crash-disk.ts';
import { open, plusOne, stillClock } from './support.ts';

describe('a store', () => {
  test('starts with the initial value, on the disk at once', async () => {
    const disk = new CrashDisk(seeded(1));
    const store = await open(disk, { writtenBy: 'portkeeper 1.2.3' });
    expect(store.value).toEqual({ version: 1, count: 0, text: '' });
    expect(store.health).toMatchObject({ recovered: 'none', lastError: null, writes: 0, lastWriteAt: null });
    expect(JSON.parse(disk.text('state.json'))).toMatchObject({ writtenBy: 'portkeeper 1.2.3', data: { count: 0 } });
  });

  test('gives frozen values, and a change that alters its argument fails alone', async () => {
    const store = await open(new CrashDisk(seeded(1)));
    const bad = store.update((value) => {
      value.count = 9;
      return value;
    });
    const good = store.update(plusOne);
    await expect(bad).rejects.toBeInstanceOf(TypeError);
    expect((await good).count).toBe(1);
    expect(Object.isFrozen(store.value)).toBe(true);
  });

  test('shows a new value only when it is durable', async () => {
    const disk = new CrashDisk(seeded(1));
    const store = await open(disk);
    const seen: number[] = [];
    const { syncDir } = disk.fs;
    disk.fs.syncDir = async (dir) => {
      seen.push(store.value.count);
      await syncDir(dir);
    };
    const before = store.value;
    await store.update(plusOne);
    expect(seen).toEqual([0]);
    expect(before.count).toBe(0);
    expect(store.value.count).toBe(1);
  });

  test('runs 1,000 concurrent updates one after the other in few writes, each in the written value', async () => {
    const disk = new CrashDisk(seeded(1));
    const store = await open(disk);
    const results = await Promise.all(
      Array.from({ length: 1000 }, async (_, i) => {
        if (i % 100 === 0) await Promise.resolve();
        return store.update(plusOne);
      }),
    );
    expect(store.value.count).toBe(1000);
    for (const [i, value] of results.entries()) expect(value.count).toBeGreaterThan(i % 100 === 0 ? 0 : i - 20);
    expect(store.health.writes).toBeLessThan(20);
    expect((await open(disk.afterPowerCut())).value.count).toBe(1000);
  });

  test('rejects everybody whose change was in a failed write, and keeps none of them', async () => {
    const disk = new CrashDisk(seeded(1));
    const store = await open(disk);
    disk.failAt.set(disk.steps, 'ENOSPC');
    const outcomes = await Promise.allSettled([store.update(plusOne), store.update(plusOne)]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected']);
    expect(store.value.count).toBe(0);
    expect(store.health.lastError?.code).toBe('disk-full');
    expect((await store.update(plusOne)).count).toBe(1);
  });

  test('refuses a value that it could not read again, without spoiling the others', async () => {
    const disk = new CrashDisk(seeded(1));
    const store = await open(disk, { maxBytes: 1000 });
    const outcomes = await Promise.allSettled([
      store.update(plusOne),
      store.update((value) => ({ ...value, count: 1.5 })),
      store.update((value) => ({ ...value, text: 'x'.repeat(1000) })),
      store.update(plusOne),
    ]);
    expect(outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : 'ok'))).toEqual([
      'ok',
      'invalid',
      'too-large',
      'ok',
    ]);
    expect((await open(disk.afterPowerCut())).value).toEqual({ version: 1, count: 2, text: '' });
  });

  test('writes nothing for a change that changes nothing', async () => {
    const store = await open(new CrashDisk(seeded(1)));
    await store.update((value) => value);
    expect(store.health.writes).toBe(0);
    await store.idle();
  });

  test('idle resolves after all that waits', async () => {
    const store = await open(new CrashDisk(seeded(1)));
    let done = false;
    const update = store.update(plusOne).then(() => {
      done = true;
    });
    await store.idle();
    await update;
    expect(done).toBe(true);
    expect(store.value.count).toBe(1);
  });
});

const v3 = z.strictObject({ version: z.literal(3), total: z.int(), note: z.string() });
const migrations = [
  {
    from: 1,
    migrate: ({ count, text: _text, ...rest }: Readonly<Record<string, unknown>>) => ({ ...rest, total: count }),
  },
  { from: 2, migrate: (document: Readonly<Record<string, unknown>>) => ({ ...document, note: 'new' }) },
];
const openV3 = (disk: CrashDisk, chain = migrations) =>
  openStore({
    dir: ROOT,
    name: 'state.json',
    schema: v3,
    version: 3,
    initial: () => ({ version: 3 as const, total: 0, note: '' }),
    migrations: chain,
    fs: disk.fs,
    clock: stillClock(),
    writtenBy: 'portkeeper 3.0.0',
  });

describe('versions', () => {
  test('an older document goes through the chain, is written, and its file is kept', async () => {
    const disk = new CrashDisk(seeded(1));
    const old = await open(disk);
    await old.update((value) => ({ ...value, count: 7 }));
    const before = disk.text('state.json');
    const store = await openV3(disk);
    expect(store.value).toEqual({ version: 3, total: 7, note: 'new' });
    expect(disk.text('state.json.v1')).toBe(before);
    expect((await openV3(disk.afterPowerCut())).value.total).toBe(7);
  });

  test('a newer document is refused, names its writer, and is not touched', async () => {
    const disk = new CrashDisk(seeded(1));
    await openV3(disk);
    const names = disk.names();
    const text = disk.text('state.json');
    await expect(open(disk)).rejects.toMatchObject({
      code: 'newer-version',
      message: expect.stringContaining('portkeeper 3.0.0'),
    });
    expect(disk.names()).toEqual(names);
    expect(disk.text('state.json')).toBe(text);
  });

  test('a newer envelope, and a newer previous copy, are refused as well', async () => {
    const disk = new CrashDisk(seeded(1));
    disk.damage('state.json', Buffer.from('{"format":2,"writtenBy":"portkeeper 8.0.0","zip":"..."}'));
    await expect(open(disk)).rejects.toMatchObject({ code: 'newer-version' });
    disk.damage('state.json', Buffer.from('bad'));
    disk.damage('state.json.prev', Buffer.from(seal('{"version":5}', 'portkeeper 8.0.0')));
    await expect(open(disk)).rejects.toMatchObject({ code: 'newer-version' });
    expect(disk.text('state.json')).toBe('bad');
  });

  test('a gap in the chain and a step that throws are told apart from a good file', async () => {
    for (const chain of [
      migrations.slice(1),
      [
        {
          from: 1,
          migrate: () => {
            throw new Error('x');
          },
        },
      ],
    ]) {
      const disk = new CrashDisk(seeded(1));
      await open(disk);
      await expect(openV3(disk, chain)).rejects.toMatchObject({ code: 'corrupt' });
      expect(disk.names()).toEqual(['state.json']);
    }
  });
});

test('on a real disk: private modes, nothing left over, the agent state round-trips', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'portkeeper-store-'));
  const dir = join(parent, 'state');
  const openState = () =>
    openStore({
      dir,
      name: 'state.json',
      schema: stateSchema,
      version: STATE_VERSION,
      initial: () => emptyState('r1'),
      fs: diskFileSystem,
      clock: stillClock(),
    });
  try {
    const store = await openState();
    await store.update((state) => ({ ...state, incarnation: 5 }));
    await store.update((state) => ({ ...state, incarnation: 6 }));
    expect((await readdir(dir)).sort()).toEqual(['state.json', 'state.json.prev']);
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
    expect((await stat(join(dir, 'state.json'))).mode & 0o777).toBe(0o600);
    expect((await openState()).value.incarnation).toBe(6);
    expect(JSON.parse(await readFile(join(dir, 'state.json.prev'), 'utf8')).data.incarnation).toBe(5);
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
});
