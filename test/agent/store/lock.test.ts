import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LockSystem, lockFolder, thisSystem } from '../../../agent/store/lock.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'portkeeper-lock-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** A system without `flock`, with the processes given as pid -> start time. */
function without(pid: number, processes: Record<number, string>): LockSystem {
  return {
    pid,
    now: () => Date.UTC(2026, 0, 2),
    kernelLock: async () => 'missing',
    startTime: async (asked) => processes[asked] ?? null,
  };
}

describe('a state folder', () => {
  test('is held by one process at a time and free again after release', async () => {
    const first = await lockFolder(dir);
    await expect(lockFolder(dir)).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining(`process ${process.pid}`),
    });
    await first.release();
    await first.release();
    const second = await lockFolder(dir);
    await second.release();
  });

  test('that another process holds is free as soon as that process is killed', async () => {
    const holder = spawn('flock', ['-x', '-n', join(dir, 'lock'), 'sleep', '60'], { stdio: 'ignore', detached: true });
    try {
      await expect
        .poll(async () =>
          lockFolder(dir).then(
            (lock) => lock.release().then(() => 'free'),
            (e) => e.code,
          ),
        )
        .toBe('locked');
    } finally {
      process.kill(-(holder.pid ?? 0), 'SIGKILL');
      await once(holder, 'exit');
    }
    await (await lockFolder(dir)).release();
  });

  test('is not emptied by a loser', async () => {
    const lock = await lockFolder(dir);
    const before = await readFile(lock.path, 'utf8');
    await expect(lockFolder(dir)).rejects.toMatchObject({ code: 'locked' });
    expect(await readFile(lock.path, 'utf8')).toBe(before);
    expect(JSON.parse(before).pid).toBe(process.pid);
    await lock.release();
  });

  test('is made with its parents', async () => {
    const lock = await lockFolder(join(dir, 'a', 'b'));
    expect(lock.path).toBe(join(dir, 'a', 'b', 'lock'));
    await lock.release();
  });
});

describe('without flock', () => {
  test('a live holder keeps the folder', async () => {
    const processes = { 100: '5000', 200: '6000' };
    await lockFolder(dir, without(100, processes));
    await expect(lockFolder(dir, without(200, processes))).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining('process 100 (since 2026-01-02T00:00:00.000Z)'),
    });
  });

  test('a dead holder, or one whose ID was given to another process, does not', async () => {
    await lockFolder(dir, without(100, { 100: '5000' }));
    await lockFolder(dir, without(200, { 200: '6000' }));
    await lockFolder(dir, without(300, { 200: '7777', 300: '8000' }));
    expect(JSON.parse(await readFile(join(dir, 'lock'), 'utf8')).pid).toBe(300);
  });

  test.each([
    '',
    'null',
    '{"pid":-1,"startTime":"1","since":"2026"}',
    '{"pid":1,"startTime":"1","since":"\\u001b[2J"}',
    'x',
  ])('a lock file with %j in it holds nobody up', async (text) => {
    await writeFile(join(dir, 'lock'), text);
    await lockFolder(dir, without(100, { 1: '1', 100: '5000' }));
    expect(JSON.parse(await readFile(join(dir, 'lock'), 'utf8')).pid).toBe(100);
  });
});

test('the start time of this process is known, that of a process that is not there is null', async () => {
  expect(await thisSystem.startTime(process.pid)).toMatch(/^[0-9]+$/);
  expect(await thisSystem.startTime(2 ** 22 + 1)).toBeNull();
});
