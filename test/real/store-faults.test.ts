import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lockFolder } from '../../agent/store/lock.ts';
import { describeWithParts } from '../support/parts.ts';
import { openWritten } from '../support/store-writer.ts';

let dir: string;
let program: string;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'portkeeper-store-faults-'));
  program = join(dir, 'writer.cjs');
  const entry = new URL('../support/store-writer.ts', import.meta.url).pathname;
  await build({
    stdin: {
      contents: `import { main } from ${JSON.stringify(entry)}; void main(process.argv.slice(2));`,
      resolveDir: join(entry, '..'),
      loader: 'ts',
    },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile: program,
    logLevel: 'error',
  });
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Lines of a child's standard output, until it ends. */
function reader(child: ChildProcess): { readonly lines: string[]; line(): Promise<void>; ended(): Promise<void> } {
  const lines: string[] = [];
  let rest = '';
  let wake: () => void = () => undefined;
  child.stdout?.on('data', (data) => {
    const parts = `${rest}${data}`.split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
    wake();
  });
  const closed = once(child, 'close').then(() => wake());
  return {
    lines,
    line: () =>
      new Promise((resolve) => {
        wake = resolve;
        if (lines.length > 0 || child.exitCode !== null) resolve();
      }),
    ended: () => closed,
  };
}

describe('a writer that is killed', () => {
  test('200 times leaves the old or the new value each time, and no lock', async () => {
    const state = join(dir, 'killed');
    let known = 0;
    let midWrite = 0;
    for (let round = 0; round < 200; round++) {
      const child = spawn(process.execPath, [program, 'for-ever', state], { stdio: ['ignore', 'pipe', 'inherit'] });
      const out = reader(child);
      await out.line();
      // Random moments: right at the start of a write up to several writes later.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 25));
      child.kill('SIGKILL');
      await out.ended();
      expect(out.lines[0]).toBe(`start ${known} none`);
      const done = Number(out.lines.at(-1)?.split(' ')[1] ?? Number.NaN);
      if (readdirSync(state).some((name) => name.startsWith('.'))) midWrite++;
      const lock = await lockFolder(state);
      const store = await openWritten(state);
      expect(store.health.recovered).toBe('none');
      expect([done, done + 1]).toContain(store.value.count);
      expect(readdirSync(state).sort()).toEqual(expect.arrayContaining(['lock', 'state.json']));
      known = store.value.count;
      await lock.release();
    }
    // The moments are only as good as the writer was alive in them.
    expect(known, 'values written').toBeGreaterThan(20);
    expect(midWrite, 'kills that hit a write').toBeGreaterThan(20);
  }, 600_000);
});

describeWithParts('a small file system', ['root+namespaces'], () => {
  test('full, read-only and writable again: typed errors, memory and disk as before', () => {
    const place = mkdtempSync(join(dir, 'small-'));
    const script = 'mount -t tmpfs -o size=128k,mode=0755 portkeeper-test "$2" && exec "$0" "$1" faults "$2"';
    // In a mount namespace of its own, so that nothing stays mounted.
    const args = ['--mount', '--propagation', 'private', 'sh', '-c', script, process.execPath, program, place];
    const done = spawnSync('unshare', args, { encoding: 'utf8', timeout: 60_000 });
    expect(done.stderr).toBe('');
    expect(JSON.parse(done.stdout)).toEqual({
      first: 'count 1',
      filled: 'ENOSPC',
      full: ['disk-full', 'disk-full'],
      fullMemory: 1,
      fullDisk: 1,
      fullNames: ['state.json', 'state.json.prev'],
      freed: 'count 2',
      readOnly: 'read-only',
      readOnlyDisk: 2,
      health: 'read-only',
      writableAgain: 'count 3',
      end: 3,
    });
  });
});
