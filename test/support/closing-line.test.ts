import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parts } from './parts.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'closing-line-'));
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const reporters = JSON.stringify(['default', resolve('test/support/closing-line.ts')]);
  writeFileSync(join(folder, 'vitest.config.mjs'), `export default { test: { reporters: ${reporters} } };`);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs vitest on one test file; gives its exit code and output. */
async function run(
  test: string,
  env: Record<string, string> = {},
): Promise<{ code: number; out: string; last: string }> {
  writeFileSync(join(folder, 'a.test.ts'), `import { beforeAll, describe, expect, it } from 'vitest';\n${test}`);
  const program = resolve('node_modules/vitest/vitest.mjs');
  const { VITEST: _, VITEST_POOL_ID: __, VITEST_WORKER_ID: ___, NODE_ENV: ____, ...outer } = process.env;
  const child = spawn(process.execPath, [program, 'run', '--root', folder], {
    env: { ...outer, PORTKEEPER_REQUIRE_PARTS: '0', NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  child.stdout.on('data', (text) => {
    out += text;
  });
  let errors = '';
  child.stderr.on('data', (text) => {
    errors += text;
  });
  const [code] = (await once(child, 'close')) as [number];
  expect(out.endsWith('\n')).toBe(true);
  return { code, out: errors + out, last: out.trimEnd().split('\n').at(-1) ?? '' };
}

describe('the closing line', () => {
  it('counts tests', async () => {
    const test = `
      it('a', () => { expect(1).toBe(1); });
      describe('d', () => { it('b', () => { expect(1).toBe(1); }); it('c', () => { expect(1).toBe(2); }); });
      describe.skipIf(true)('s', () => { it('e', () => {}); it('f', () => {}); });
      it.fails('g', () => { expect(1).toBe(2); });`;
    expect(await run(test)).toMatchObject({ code: 1, last: '3 passed, 1 failed, 2 skipped' });
  });

  it('says that all is well only when it is', async () => {
    expect(await run(`it('a', () => { expect(1).toBe(1); });`)).toMatchObject({
      code: 0,
      last: '1 passed, 0 failed, 0 skipped',
    });
    const hook = `describe('d', () => { beforeAll(() => { throw new Error('x'); }); it('a', () => {}); });`;
    expect(await run(hook)).toMatchObject({ code: 1, last: '0 passed, 1 failed, 1 skipped' });
    expect(await run(`throw new Error('x');`)).toMatchObject({ code: 1, last: '0 passed, 1 failed, 0 skipped' });
    const late = `it('a', async () => { setTimeout(() => { throw new Error('x'); }, 0); await new Promise((r) => setTimeout(r, 50)); });`;
    expect(await run(late)).toMatchObject({ code: 1, last: '1 passed, 1 failed, 0 skipped' });
  });
});

describe('parts', () => {
  const suite = `import { describeWithParts } from '${resolve('test/support/parts.ts')}';
    const find = () => ({ ok: false, reason: 'not installed: lldpd; run test/lab/install.sh' });
    describeWithParts('neighbours', ['lldpd'], () => { it('a', () => {}); it('b', () => {}); }, find);`;

  it('skips by a name that says what is missing', async () => {
    const { code, out, last } = await run(`${suite}\nit('c', () => {});`);
    expect({ code, last }).toEqual({ code: 0, last: '1 passed, 0 failed, 2 skipped' });
    expect(out).toContain('\nskipped: neighbours [skipped: not installed: lldpd; run test/lab/install.sh] (2 tests)\n');
  });

  it('fails instead when the parts are required', async () => {
    const { code, out, last } = await run(suite, { PORTKEEPER_REQUIRE_PARTS: '1' });
    expect({ code, last }).toEqual({ code: 1, last: '0 passed, 1 failed, 0 skipped' });
    expect(out).toContain('not installed: lldpd; run test/lab/install.sh');
  });

  it('asks for nothing when nothing is wanted', () => {
    expect(parts()).toEqual({ ok: true });
  });
});
