import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ADMIN_GROUP } from '../../agent/local/api.ts';
import { describeWithParts } from '../support/parts.ts';

const ROOT = join(__dirname, '../..');
const UNIT = readFileSync(join(ROOT, 'systemd/portkeeper.service'), 'utf8');
/** Worst rating of `systemd-analyze security` that is let through, in tenths: 0 best, 100 worst. */
const THRESHOLD = 15;

describe('systemd/portkeeper.service', () => {
  const values = (key: string) => [...UNIT.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map((m) => m[1]);

  it('fits what the program does', () => {
    // `portkeeper run` tells systemd that it is ready, through a process of its own, and sends no signs of life.
    expect([values('Type'), values('NotifyAccess'), values('WatchdogSec')]).toEqual([['notify'], ['all'], []]);
    expect(values('ExecReload')).toEqual(['/bin/kill -HUP $MAINPID']);
    expect(values('RestartPreventExitStatus')).toEqual(['78']);
  });

  it('runs in the group of the control socket, which sysusers makes', () => {
    expect(values('Group')).toEqual([ADMIN_GROUP]);
    expect(readFileSync(join(ROOT, 'systemd/portkeeper.sysusers'), 'utf8')).toMatch(
      new RegExp(`^g ${ADMIN_GROUP} - -$`, 'm'),
    );
  });

  it('refuses system calls instead of killing, and leaves V8 its compiler', () => {
    expect(values('SystemCallErrorNumber')).toEqual(['EPERM']);
    expect(values('MemoryDenyWriteExecute')).toEqual([]);
  });
});

describeWithParts('systemd/portkeeper.service and systemd-analyze', ['systemd-analyze'], () => {
  const folder = mkdtempSync(join(tmpdir(), 'portkeeper-unit-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function analyze(verb: readonly string[], unit: string) {
    const file = join(folder, 'portkeeper.service');
    writeFileSync(file, unit);
    const { status, stdout, stderr } = spawnSync('systemd-analyze', [...verb, file], { encoding: 'utf8' });
    return { status, stdout, said: `${stdout}${stderr}` };
  }
  // The program must exist to be verified, and Node may be elsewhere on this machine.
  const here = UNIT.replace('/usr/bin/node', process.execPath);

  it('verifies without a word, since unknown keys are only warned of', () => {
    const { status, said } = analyze(['verify', '--man=no'], here);
    expect(said.split('\n').filter((line) => line.includes('portkeeper'))).toEqual([]);
    expect(status).toBe(0);
  });

  it('notices a key that does not exist', () => {
    expect(analyze(['verify', '--man=no'], `${here}\n[Service]\nNoSuchKey=yes\n`).said).toContain('NoSuchKey');
  });

  it(`is rated ${THRESHOLD / 10} or better, as docs/security.md says`, () => {
    const { status, stdout, said } = analyze(['security', '--offline=true', `--threshold=${THRESHOLD}`], here);
    expect(said).toContain('Overall exposure level');
    expect(status, said.split('\n').slice(-3).join('\n')).toBe(0);
    const rated = /Overall exposure level for portkeeper.service: ([0-9.]+)/.exec(stdout)?.[1];
    const documented = /rates it ([0-9.]+)/.exec(readFileSync(join(ROOT, 'docs/security.md'), 'utf8'))?.[1];
    expect(Number(rated)).toBeLessThanOrEqual(Number(documented));
  });
});
