import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../agent/cli/commands.ts';
import { EXIT, EXIT_CODES } from '../../../agent/cli/exit-codes.ts';
import { cliReference } from '../../../agent/cli/reference.ts';
import { VERSION } from '../../../agent/model/version.ts';
import { cli } from '../../support/cli-run.ts';

const ROOT = join(__dirname, '../../..');

describe('docs/cli.md', () => {
  it('is what the command table says (npm run generate)', async () => {
    expect(await readFile(join(ROOT, 'docs/cli.md'), 'utf8')).toBe(cliReference());
  });
});

describe('the version', () => {
  it('is that of package.json', async () => {
    expect(JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')).version).toBe(VERSION);
  });
});

describe('exit codes', () => {
  it('are in one table', () => {
    const known = EXIT_CODES.map(({ code }) => code as number);
    expect(known.sort((a, b) => a - b)).toEqual(Object.values(EXIT).sort((a, b) => a - b));
    for (const command of COMMANDS) for (const [code] of command.exits) expect(known, command.name).toContain(code);
  });
});

describe('completion', () => {
  const bash = async (words: readonly string[]) => {
    const { out } = await cli(['completion', 'bash']);
    const line = words.map((word) => `'${word}'`).join(' ');
    const script = `${out}\nportkeeper() { return 1; }\nCOMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _portkeeper; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await promisify(execFile)('bash', ['-c', script]);
    return stdout.split('\n').filter(Boolean);
  };

  it('completes commands, flags and fixed words in bash', async () => {
    expect(await bash(['portkeeper', 'ne'])).toEqual(['neighbors']);
    expect(await bash(['portkeeper', 'config', ''])).toEqual(['check', 'drivers']);
    expect(await bash(['portkeeper', 'ports', '--pro'])).toEqual(['--problems']);
    expect(await bash(['portkeeper', 'config', 'check', '--eff'])).toEqual(['--effective']);
    expect(await bash(['portkeeper', 'completion', 'z'])).toEqual(['zsh']);
    expect(await bash(['portkeeper', 'port', 's'])).toEqual([]);
  });

  it('knows every command and flag in every shell', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { out, exit } = await cli(['completion', shell]);
      expect(exit).toBe(0);
      for (const command of COMMANDS) {
        expect(out).toContain(command.name.split(' ').at(-1));
        for (const flag of command.flags)
          expect(out).toContain(shell === 'fish' ? `-l ${flag.name}` : `--${flag.name}`);
      }
    }
    expect((await cli(['completion', 'zsh'])).out).toMatch(/^#compdef portkeeper\n/);
  });
});
