import { describe, expect, it } from 'vitest';
import { findCommand, parseCall } from '../../../agent/cli/arguments.ts';
import { COMMANDS } from '../../../agent/cli/commands.ts';
import { LOADERS } from '../../../agent/cli/load.ts';
import { cli } from '../../support/cli-run.ts';

function parse(line: string) {
  const { command, rest } = findCommand(line.split(' ').filter(Boolean));
  return { command: command.name, call: parseCall(command, rest) };
}

describe('the command line', () => {
  it('is status when nothing is asked', () => {
    expect(parse('').command).toBe('status');
    expect(parse('--json').call.has('json')).toBe(true);
  });

  it('takes flags before and after the command, long, short and with "="', () => {
    expect(parse('--socket /tmp/x ports --problems').call.value('socket')).toBe('/tmp/x');
    expect(parse('ports --switch=tor1').call.value('switch')).toBe('tor1');
    expect(parse('events -f --limit 3').call.has('follow')).toBe(true);
    expect(parse('--json port swp3').call.args).toEqual(['swp3']);
    expect(parse('port -- --strange').call.args).toEqual(['--strange']);
    expect(parse('publish - --publisher me').call.args).toEqual(['-']);
    expect(parse('config check file').command).toBe('config check');
    expect(parse('neighbours').command).toBe('neighbors');
  });

  it.each([
    ['stauts', 'did you mean status?'],
    ['config chek', 'did you mean config check?'],
    ['xyzzy', 'there is no command "xyzzy"'],
    ['config', 'config: which one?'],
    ['ports --problms', 'did you mean --problems?'],
    ['ports a b', '"b" is one argument too many'],
    ['port', 'port needs NAME'],
    ['ports --switch', '--switch needs a value: --switch NAME'],
    ['ports --switch --json', '--switch needs a value: --switch NAME'],
    ['status --json=yes', '--json takes no value'],
    ['plan --switch=', '--switch needs a value'],
    ['events --limit none', '--limit takes a whole number'],
    ['events --limit 0', '--limit takes a whole number'],
    ['completion tcsh', 'completion is for bash, zsh or fish'],
    ['help prots', 'did you mean ports?'],
    ['x\u001b[31m', '\\x1b[31m'],
  ])('refuses "%s" with exit 64', async (line, message) => {
    const outcome = await cli(line.split(' '));
    expect(outcome.err).toContain(message);
    expect(outcome).toMatchObject({ exit: 64, out: '' });
  });

  it('has code for every command, and a command for all code', () => {
    expect(Object.keys(LOADERS).sort()).toEqual(COMMANDS.map((command) => command.name).sort());
  });
});

describe('help', () => {
  it('fits 80 columns, for every command, and is the same by both ways', async () => {
    for (const { name } of COMMANDS) {
      const help = await cli(['help', ...name.split(' ')]);
      expect(help).toMatchObject({ exit: 0, err: '' });
      for (const line of help.out.split('\n')) {
        // Examples are to be copied, and are not broken.
        if (!line.startsWith('  portkeeper publish -')) expect(line.length, line).toBeLessThanOrEqual(80);
      }
      expect((await cli([...name.split(' '), '--help'])).out).toBe(help.out);
    }
  });

  it('shows the list, topics and the version', async () => {
    const list = await cli(['help']);
    for (const { name } of COMMANDS) expect(list.out).toContain(`  ${name}`);
    expect(Math.max(...list.out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect((await cli(['--help'])).out).toContain('portkeeper status');
    expect((await cli(['help', 'exit-codes'])).out).toContain('  77  no permission');
    expect((await cli(['help', 'reasons'])).out).toContain('VerifyFailed');
    expect((await cli(['help', 'config'])).out).toContain('portkeeper config drivers');
    expect((await cli(['version'])).out).toMatch(/^portkeeper \d+\.\d+\.\d+\n$/);
    expect((await cli(['--version'])).out).toMatch(/^portkeeper /);
  });
});
