import { execFileSync, spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { section, sectionedScript, shellWord, splitSections } from '../../../drivers/text/shell.ts';

describe('shellWord', () => {
  it('is one word for a real shell, exactly the text', () => {
    const text = fc.array(
      fc.string({ maxLength: 30 }).filter((s) => !/[\0\r\n]/.test(s) && s.isWellFormed()),
      { minLength: 1, maxLength: 40 },
    );
    fc.assert(
      fc.property(text, (words) => {
        const out = execFileSync('sh', ['-c', `printf '%s\\n' ${words.map(shellWord).join(' ')}`], {
          encoding: 'utf8',
        });
        expect(out).toBe(`${words.join('\n')}\n`);
      }),
      { numRuns: 30 },
    );
  });

  it('refuses line ends and NUL', () => {
    for (const text of ['a\nb', 'a\0', '\r']) expect(() => shellWord(text)).toThrow(TypeError);
  });
});

describe('sectioned scripts', () => {
  const sh = (input: string) => spawnSync('sh', ['-s'], { input, encoding: 'utf8' });

  it('tell output, errors and exit code of every command apart', () => {
    const body = [section('one', 'echo out; echo err >&2; (exit 3)'), section('two', 'cat'), section('none', ':')];
    const { stdout, stderr } = sh(sectionedScript('n0', body));
    const sections = splitSections('n0', stdout, stderr);
    expect(sections.get('one')).toEqual({ stdout: 'out\n', stderr: 'err\n', code: 3 });
    expect(sections.get('two')).toEqual({ stdout: '', stderr: '', code: 0 });
    expect(sections.get('absent')).toBeUndefined();
  });

  it('run nothing at all when they are cut anywhere', () => {
    const script = sectionedScript('n0', [section('one', 'echo ran')]);
    for (let length = 0; length < script.lastIndexOf('portkeeper <'); length += 7) {
      expect(sh(script.slice(0, length)).stdout).not.toContain('ran');
    }
    expect(sh(script).stdout).toContain('ran');
  });

  it('are not believed when their end is missing, or something else answered', () => {
    const { stdout } = sh(sectionedScript('n0', [section('one', 'echo x')]));
    expect(() => splitSections('n0', stdout.slice(0, -8), '')).toThrow('did not run to their end');
    expect(() => splitSections('n0', 'This account is not available.\n', '')).toThrow('This account is not available.');
    expect(() => splitSections('other', stdout, '')).toThrow('did not run to their end');
  });
});
