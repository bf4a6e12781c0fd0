import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Exchange } from '../../../drivers/driver.ts';
import { systemClock } from '../../../drivers/model/clock.ts';
import { DEFINITION } from '../../../drivers/sim/definition.ts';
import { lineage, nextHop } from '../../../drivers/transport/modes.ts';
import { LOG, type OpenCli, type OpenOptions, openCli, type Script, type ScriptedCli } from './scripted-cli.ts';
import { failure, until } from './ssh-fixture.ts';

const open: OpenCli[] = [];
const unhandled = vi.fn();
process.on('unhandledRejection', unhandled);
afterEach(async () => {
  for (const made of open.splice(0)) await made.close();
  expect(unhandled).not.toHaveBeenCalled();
});

async function start(script: Script, options: OpenOptions = {}) {
  const made = await openCli({ script, ...options });
  open.push(made);
  return { shell: await made.shell, cli: made.cli(), server: made.server };
}

describe('configuration mode', () => {
  it('refuses everything that is not known to be harmless', async () => {
    const { shell } = await start((line) =>
      line.startsWith('description') ? 'I have a feeling about this' : undefined,
    );
    await shell.toMode('config');
    await shell.send('interface Gi1/0/1', { expectMode: 'config-if' });
    const error = await failure(shell.send('description x', { expectMode: 'config-if' }));
    expect([error.kind, error.command, error.answer]).toEqual([
      'rejected',
      'description x',
      'I have a feeling about this',
    ]);
    expect([shell.alive, shell.mode]).toEqual([true, 'config-if']);
  });

  it('takes what is known to be harmless, and log messages', async () => {
    const { shell } = await start((line) =>
      line === 'switchport access vlan 30' ? `% Access VLAN does not exist. Creating vlan 30\n${LOG}` : undefined,
    );
    await shell.toMode('config');
    await shell.send('interface Gi1/0/1', { expectMode: 'config-if' });
    expect((await shell.send('switchport access vlan 30')).output).toContain('Creating vlan 30');
  });

  it('refuses an interface that the switch does not have, whether it says so or not', async () => {
    for (const said of ['% Invalid input detected', '']) {
      const { shell } = await start((line) => (line === 'interface Gi9/9' ? said : undefined));
      await shell.toMode('config');
      await shell.send('interface Gi1/0/1', { expectMode: 'config-if' });
      await shell.toMode('config').catch(() => {});
      expect((await failure(shell.send('interface Gi9/9', { expectMode: 'config-vlan' }))).kind).toBe('rejected');
      expect(shell.alive).toBe(true);
    }
  });

  it('refuses a line after which the switch is in another mode', async () => {
    const { shell } = await start((line, cli) => {
      if (line !== 'shutdown') return undefined;
      cli.mode = '#';
      return '';
    });
    await shell.toMode('config');
    const error = await failure(shell.send('shutdown', { expectMode: 'config-if' }));
    expect([error.kind, error.message]).toEqual(['rejected', expect.stringContaining('in mode enable, not config-if')]);
    expect(shell.mode).toBe('enable');
  });

  it('sees a failure that is only logged', async () => {
    const logged = '*Jun 26 09:40:22.578: %SW_VLAN-4-VLAN_CREATE_FAIL: Failed to create VLANs 1006: in use';
    const { shell } = await start((line) => (line === 'vlan 1006' ? logged : undefined));
    await shell.toMode('config');
    const error = await failure(shell.send('vlan 1006'));
    expect([error.kind, error.answer]).toEqual(['rejected', logged]);
  });

  it('does not take a prompt that a log message drew again for the acceptance of a line', async () => {
    const script: Script = (line, cli) => {
      if (line !== 'switchport mode trunk') return undefined;
      cli.write(`${line}\r\n${LOG}\r\n${cli.prompt}`);
      setTimeout(() => cli.write(`${line}\r\n% Command rejected: bad\r\n${cli.prompt}`), 5);
      return null;
    };
    // Real time: the rest must come within the silence that is waited for.
    const { shell } = await start(script, { clock: systemClock });
    await shell.toMode('config');
    expect((await failure(shell.send('switchport mode trunk'))).kind).toBe('rejected');
  });

  it('is known by a prompt that cuts a host name of 40 characters', async () => {
    const name = 'rack-12-unit-40-access-switch-of-hall-07';
    const greet = (cli: ScriptedCli) => {
      cli.host = name;
      cli.write(cli.prompt);
    };
    const { shell, cli } = await start(() => undefined, { greet });
    expect(shell.hostname).toBe(name);
    await shell.toMode('config');
    expect(cli.prompt).toBe('rack-12-unit-40-acce(config)#');
    expect((await shell.send('interface Gi1/0/1', { expectMode: 'config-if' })).mode).toBe('config-if');
    await shell.toMode('enable');
    expect(shell.mode).toBe('enable');
  });
});

describe('enable', () => {
  const asks =
    (right: string, tries = 1): Script =>
    (line, cli) => {
      if (line !== 'enable') return undefined;
      const ask = (left: number) =>
        cli.ask('Password: ', (typed) => {
          if (typed === right) {
            cli.mode = '#';
            cli.answer('');
          } else if (left > 1) {
            cli.write('\r\n');
            ask(left - 1);
          } else cli.answer('\n% Bad secrets\n');
        });
      cli.write('enable\r\n');
      ask(tries);
      return null;
    };
  const greet = (cli: ScriptedCli) => {
    cli.mode = '>';
    cli.write(cli.prompt);
  };

  it('answers with the password, which nobody sees', async () => {
    const trace: Exchange[] = [];
    const shellOptions = { enablePassword: 'hunter2', trace: (e: Exchange) => void trace.push(e) };
    const { shell, cli } = await start(asks('hunter2'), { greet, shell: shellOptions });
    expect(shell.mode).toBe('user');
    await shell.toMode('config');
    expect([shell.mode, cli.typed.includes('configure terminal')]).toEqual(['config', true]);
    expect(JSON.stringify(trace)).not.toContain('hunter2');
  });

  it.each([1, 3])('with a wrong password, asked %i times, is an auth error', async (tries) => {
    const { shell } = await start(asks('right', tries), { greet, shell: { enablePassword: 'hunter2' } });
    const error = await failure(shell.toMode('enable'));
    expect([error.kind, error.message]).toEqual(['auth', expect.stringContaining('check enablePasswordFile')]);
    expect(`${error.message}${error.answer}${error.command}`).not.toContain('hunter2');
  });

  it('without a password is an auth error', async () => {
    const { shell } = await start(asks('right'), { greet });
    const error = await failure(shell.toMode('enable'));
    expect([error.kind, error.message]).toEqual(['auth', expect.stringContaining('set enablePasswordFile')]);
    expect([shell.alive, shell.mode]).toEqual([true, 'user']);
  });

  it('does not show a password that the switch shows', async () => {
    const trace: Exchange[] = [];
    const script: Script = (line, cli) => {
      if (line !== 'enable') return undefined;
      cli.write('enable\r\n');
      cli.ask('Password: ', (typed) => {
        cli.mode = '#';
        cli.answer(`${typed}\n% weak password ${typed}`);
      });
      return null;
    };
    const options = { enablePassword: 'hunter2', trace: (e: Exchange) => void trace.push(e) };
    const { shell } = await start(script, { greet, shell: options });
    await shell.toMode('enable');
    expect(JSON.stringify(trace)).toContain('(secret)');
    expect(JSON.stringify(trace)).not.toContain('hunter2');
  });

  it('that the switch does not know is refused', async () => {
    const { shell } = await start((line) => (line === 'enable' ? '% Unknown command' : undefined), { greet });
    expect((await failure(shell.toMode('enable'))).kind).toBe('rejected');
  });
});

describe('the end', () => {
  it('of a line that is never answered: the session is closed', async () => {
    const { shell, cli } = await start((line) => (line === 'hang' ? null : undefined));
    const closed = vi.fn();
    cli.channel.on('close', closed);
    const error = await failure(shell.send('hang', { timeoutMs: 1000 }));
    expect([error.kind, error.command, error.message]).toEqual([
      'timeout',
      'hang',
      expect.stringContaining('no prompt within 1 s after "hang"; the outcome is unknown'),
    ]);
    expect(shell.alive).toBe(false);
    expect((await failure(shell.send('show clock'))).kind).toBe('timeout');
    await until(() => closed.mock.calls.length > 0);
    await shell.close();
  });

  it.each<[string, (cli: ScriptedCli, cut: () => void) => void]>([
    ['by the switch', (cli) => void cli.channel.end()],
    ['with the connection', (_cli, cut) => cut()],
  ])('%s, in the middle of a line', async (_name, finish) => {
    let cut = () => {};
    const { shell, server } = await start((line, cli) => {
      if (line !== 'reload') return undefined;
      cli.write('reload\r\nbye');
      finish(cli, cut);
      return null;
    });
    cut = () => server.cutAll();
    expect((await failure(shell.send('reload'))).kind).toBe('unreachable');
    expect(shell.alive).toBe(false);
  });

  it('by us: says goodbye, more than once without harm', async () => {
    const { shell, cli } = await start(() => undefined);
    await shell.close();
    await shell.close();
    await until(() => cli.typed.includes('exit'));
    expect(shell.alive).toBe(false);
    expect((await failure(shell.send('show clock'))).kind).toBe('unreachable');
  });
});

describe('the way between modes', () => {
  it.each([
    ['user', 'config', 'enable'],
    ['config-if', 'enable', 'exit'],
    ['config', 'enable', 'end'],
    ['enable', 'user', 'disable'],
  ])('from %s to %s starts with %s', (from, to, command) => {
    expect(nextHop(DEFINITION, from, to)?.command).toBe(command);
  });

  it('is none into a mode that no command enters, or that is not there', () => {
    expect(nextHop(DEFINITION, 'config', 'config-if')).toBeNull();
    expect(nextHop(DEFINITION, 'user', 'nowhere')).toBeNull();
  });

  it('ends in definitions that go in circles', () => {
    const modes = [
      { name: 'a', prompt: /a/, from: 'b', enter: 'a' },
      { name: 'b', prompt: /b/, from: 'a', enter: 'b' },
    ];
    expect(lineage({ ...DEFINITION, modes }, 'a').length).toBeLessThanOrEqual(16);
  });
});
