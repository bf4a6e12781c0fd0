import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { diskConfigFiles } from '../../../agent/config/file-system.ts';
import { watchFiles } from '../../../agent/config/watch.ts';
import type { Clock } from '../../../drivers/model/clock.ts';

/** A clock that goes only when told to, letting everything that is ready run in between. */
class HandClock implements Clock {
  time = 0;
  #timers: { at: number; run: () => void }[] = [];
  now = () => this.time;
  monotonic = () => this.time;
  after(ms: number, run: () => void): () => void {
    const timer = { at: this.time + ms, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }
  get waiting(): number {
    return this.#timers.length;
  }
  async pass(ms: number): Promise<void> {
    const end = this.time + ms;
    for (;;) {
      await settled();
      const next = this.#timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.time = next.at;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      next.run();
    }
    this.time = end;
  }
}

async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}

async function start(prints: Record<string, string | null>, more: { onChange?: () => Promise<void> } = {}) {
  const clock = new HandClock();
  const told: string[][] = [];
  const hints = new Map<string, () => void>();
  const watch = await watchFiles({
    files: Object.keys(prints),
    clock,
    fs: {
      fingerprint: async (path) => prints[path] ?? null,
      watchFolder: (dir, hint) => {
        hints.set(dir, hint);
        return () => hints.delete(dir);
      },
    },
    onChange: async (changed) => {
      told.push([...changed]);
      await more.onChange?.();
    },
  });
  return { clock, told, hints, watch, prints };
}

describe('a watch', () => {
  test('tells nothing while nothing changes', async () => {
    const { clock, told } = await start({ '/a/x': '1' });
    await clock.pass(60_000);
    expect(told).toEqual([]);
  });

  test('tells a change, an appearance and a removal once, by looking alone', async () => {
    const { clock, told, prints } = await start({ '/a/x': '1', '/a/y': null, '/a/z': '1' });
    Object.assign(prints, { '/a/x': '2', '/a/y': '1', '/a/z': null });
    await clock.pass(5299);
    expect(told).toEqual([]);
    await clock.pass(1);
    expect(told).toEqual([['/a/x', '/a/y', '/a/z']]);
    await clock.pass(60_000);
    expect(told).toHaveLength(1);
  });

  test('looks at once after a hint, and takes many hints for one', async () => {
    const { clock, told, hints, prints } = await start({ '/a/x': '1', '/b/y': '1' });
    expect([...hints.keys()]).toEqual(['/a', '/b']);
    prints['/b/y'] = '2';
    for (let i = 0; i < 50; i++) hints.get('/b')?.();
    await clock.pass(600);
    expect(told).toEqual([['/b/y']]);
  });

  test('waits until the files stand still', async () => {
    const { clock, told, hints, prints } = await start({ '/a/x': '1' });
    for (let i = 0; i < 10; i++) {
      prints['/a/x'] = `part ${i}`;
      hints.get('/a')?.();
      await clock.pass(250);
    }
    expect(told).toEqual([]);
    await clock.pass(1000);
    expect(told).toEqual([['/a/x']]);
  });

  test('a change that is undone in the meantime is none', async () => {
    const { clock, told, hints, prints } = await start({ '/a/x': '1' });
    prints['/a/x'] = '2';
    hints.get('/a')?.();
    await clock.pass(300);
    prints['/a/x'] = '1';
    await clock.pass(10_000);
    expect(told).toEqual([]);
  });

  test('never tells twice at a time, and does not miss what happens meanwhile', async () => {
    let release: () => void = () => undefined;
    const onChange = () =>
      new Promise<void>((resolve) => {
        release = resolve;
      });
    const { clock, told, hints, prints } = await start({ '/a/x': '1' }, { onChange });
    prints['/a/x'] = '2';
    await clock.pass(6000);
    expect(told).toHaveLength(1);
    prints['/a/x'] = '3';
    hints.get('/a')?.();
    await clock.pass(60_000);
    expect(told).toHaveLength(1);
    release();
    await clock.pass(1000);
    expect(told).toHaveLength(2);
    release();
  });

  test('takes other files, whose present state is known then', async () => {
    const { clock, told, hints, watch, prints } = await start({ '/a/x': '1' });
    prints['/c/z'] = '1';
    await watch.setFiles(['/c/z']);
    expect([...hints.keys()]).toEqual(['/c']);
    prints['/a/x'] = '2';
    await clock.pass(20_000);
    expect(told).toEqual([]);
    prints['/c/z'] = '2';
    watch.look();
    await clock.pass(1000);
    expect(told).toEqual([['/c/z']]);
  });

  test('leaves nothing behind', async () => {
    const { clock, told, hints, watch, prints } = await start({ '/a/x': '1' });
    watch.stop();
    prints['/a/x'] = '2';
    watch.look();
    await clock.pass(60_000);
    expect([told.length, hints.size, clock.waiting]).toEqual([0, 0, 0]);
  });
});

test('the fingerprint on a real disk follows swapped folders behind symlinks', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'portkeeper-watch-'));
  try {
    // As Kubernetes mounts a secret: name -> ..data/name, ..data -> ..TIME, swapped by a rename.
    for (const [time, text] of [
      ['..1', 'same'],
      ['..2', 'same'],
    ] as const) {
      await mkdir(join(dir, time));
      await writeFile(join(dir, time, 'password'), text);
    }
    await symlink('..1', join(dir, '..data'));
    await symlink('..data/password', join(dir, 'password'));
    const path = join(dir, 'password');
    const before = await diskConfigFiles.fingerprint(path);
    expect(before).not.toBeNull();
    expect(await diskConfigFiles.fingerprint(path)).toBe(before);
    await symlink('..2', join(dir, '..tmp'));
    await rename(join(dir, '..tmp'), join(dir, '..data'));
    expect(await diskConfigFiles.fingerprint(path)).not.toBe(before);
    await rm(join(dir, '..2'), { recursive: true });
    expect(await diskConfigFiles.fingerprint(path)).toBeNull();
    await expect(diskConfigFiles.read(dir, 10)).rejects.toMatchObject({ code: 'EISDIR' });
    expect(diskConfigFiles.watchFolder(join(dir, 'nope'), () => undefined)()).toBeUndefined();
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
