import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../agent/cli/commands.ts';
import { EXIT, EXIT_CODES } from '../../../agent/cli/exit-codes.ts';
import { cliReference } from '../../../agent/cli/reference.ts';
import { printableJson } from '../../../agent/cli/text.ts';
import { VERSION } from '../../../agent/model/version.ts';
import { cli } from '../../support/cli-run.ts';
import { FakeReader, portRow } from '../../support/fake-reader.ts';

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

  it('offers the ports and switches of the agent, but no name that a shell would act on', async () => {
    const reader = new FakeReader();
    reader.rows = ['swp1', 'Ethernet1/3', '$(reboot)', '`id`', 'a b', 'swp"2'].map((name) => portRow(name));
    const tables = reader.ports().slice(0, 1);
    const documents = { ports: { switches: tables }, status: reader.status() };
    for (const [command, kind] of [
      ['port', 'ports'],
      ['refresh', 'status'],
    ] as const) {
      const { out } = await cli(['completion', 'bash']);
      const json = `cat <<'END_OF_JSON'\n${printableJson(documents[kind])}\nEND_OF_JSON`;
      const script = `${out}\nportkeeper() {\n${json}\n}\nCOMP_WORDS=(portkeeper ${command} ''); COMP_CWORD=2; _portkeeper; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const { stdout } = await promisify(execFile)('bash', ['-c', script]);
      expect(stdout.trim().split('\n')).toEqual(kind === 'ports' ? ['swp1', 'Ethernet1/3'] : ['tor1', 'tor2']);
    }
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
