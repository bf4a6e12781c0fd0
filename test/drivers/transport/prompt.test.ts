import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Exchange } from '../../../drivers/driver.ts';
import { DEFINITION } from '../../../drivers/sim/definition.ts';
import type { SshConnection, SshShell } from '../../../drivers/transport/connection.ts';
import { PromptShell } from '../../../drivers/transport/prompt.ts';
import { LOG, type OpenCli, type OpenOptions, openCli, type Script, type ScriptedCli } from './scripted-cli.ts';
import { CountingClock, failure } from './ssh-fixture.ts';

const open: OpenCli[] = [];
afterEach(async () => {
  for (const made of open.splice(0)) await made.close();
});

async function start(options: OpenOptions = {}): Promise<OpenCli> {
  const made = await openCli(options);
  made.shell.catch(() => {});
  open.push(made);
  return made;
}

/** A shell whose script answers `line` only; everything else is as usual. */
async function answering(line: string, script: Script, options: OpenOptions = {}): Promise<[PromptShell, ScriptedCli]> {
  const made = await start({ script: (typed, cli) => (typed === line ? script(typed, cli) : undefined), ...options });
  return [await made.shell, made.cli()];
}

describe('opening', () => {
  it('learns host name and mode, and sends the set-up', async () => {
    const { shell, cli } = await start();
    const opened = await shell;
    expect([opened.hostname, opened.mode, opened.alive]).toEqual(['sw1', 'enable', true]);
    expect(cli().typed).toEqual(['', ...DEFINITION.setup]);
  });

  it.each<[string, (cli: ScriptedCli) => void]>([
    ['a banner of lines that look like prompts', (cli) => cli.write(`Welcome#\r\nsw9#\r\nRouter>\r\n${cli.prompt}`)],
    [
      'a banner in the midst of which it stops at such a line',
      (cli) => {
        cli.write('Welcome\r\nsw9#');
        setTimeout(() => cli.write(`\r\nmore of it\r\n${cli.prompt}`), 20);
      },
    ],
    ['log messages', (cli) => cli.write(`${LOG}\r\n${cli.prompt}\r\n${LOG}\r\n${cli.prompt}`)],
    ['colours and bells', (cli) => cli.write(`\x07\x1b[2J\x1b[1;32m${cli.prompt}\x1b[0m`)],
    [
      'binary garbage',
      (cli) => cli.write(Buffer.concat([Buffer.from([0xff, 0xc0, 0x80, 0x0a]), Buffer.from(cli.prompt)])),
    ],
  ])('copes with %s', async (_name, greet) => {
    const { shell } = await start({ greet });
    const opened = await shell;
    expect([opened.hostname, (await opened.send('show clock')).output]).toEqual(['sw1', '']);
  });

  it.each<[string, (cli: ScriptedCli) => void, string]>([
    ['no prompt', (cli) => cli.write('booting\r\n'), 'timeout'],
    [
      'a dialog',
      (cli) => cli.write('Would you like to enter the initial configuration dialog? [yes/no]: '),
      'rejected',
    ],
    ['an end', (cli) => void cli.channel.end(), 'unreachable'],
  ])('fails on %s', async (_name, greet, kind) => {
    const { shell } = await start({ greet, shell: { commandTimeoutMs: 10_000 } });
    expect((await failure(shell)).kind).toBe(kind);
  });
});

describe('an answer', () => {
  const table = ['VLAN Name', '---- ----', '10   users', '20   a?', 'x'.repeat(3000)];

  it.each([0, 1, 2, 3, 7, 64])('is the same in pieces of %i characters', async (chunk) => {
    const [shell, cli] = await answering('show vlan', () => table.join('\n'));
    cli.chunk = chunk;
    expect(await shell.send('show vlan')).toEqual({ output: table.join('\n'), mode: 'enable', prompt: 'sw1#' });
  });

  it('may take its time between the pieces', async () => {
    const [shell] = await answering('show vlan', (line, cli) => {
      const pieces = [line.slice(0, 4), line.slice(4), '\r\n', 'a\r\n', 'b', '\r\nsw', '1#'];
      const next = () => {
        cli.write(pieces.shift() ?? '');
        if (pieces.length > 0) setTimeout(next, 25);
      };
      next();
      return null;
    });
    expect((await shell.send('show vlan')).output).toBe('a\nb');
  });

  it.each([
    ['backspaces', `${'\b'.repeat(10)}${' '.repeat(10)}${'\b'.repeat(10)}`],
    ['carriage returns', `\r${' '.repeat(10)}\r`],
    ['an erasing sequence', '\r\x1b[K'],
  ])('comes through a pager that erases itself with %s', async (_name, erase) => {
    const [shell] = await answering('show vlan', (line, cli) => {
      const pages = ['a\r\n', '  b\r\n', `c\r\n`];
      const next = (first: boolean) => {
        cli.write(`${first ? '' : erase}${pages.shift()}`);
        if (pages.length > 0) cli.ask(' --More-- ', () => next(false));
        else cli.write(cli.prompt);
      };
      cli.write(`${line}\r\n`);
      next(true);
      return null;
    });
    expect((await shell.send('show vlan')).output).toBe('a\n  b\nc');
  });

  it('waits for no timer', async () => {
    const clock = new CountingClock();
    const [shell] = await answering('show vlan', () => table.join('\n'), { clock });
    clock.fired = 0;
    for (let i = 0; i < 100; i++) await shell.send('show vlan');
    expect(clock.fired).toBe(0);
  });

  it('is not mixed up with log messages around the echo, the answer and the prompt', async () => {
    const command = 'show vlan';
    const [shell] = await answering(command, (line, cli) => {
      cli.write(`show\r\n${LOG}\r\n${cli.prompt}${line}\r\na\r\n${LOG}\r\nb\r\n${cli.prompt}\r\n${LOG}\r\n`);
      return null;
    });
    expect((await shell.send(command)).output).toBe('a\nb');
    expect((await shell.send('show clock')).output).toBe('');
  });

  it('that goes on after what looked like the prompt ends the session before the next command', async () => {
    const typed: string[] = [];
    const close = vi.fn();
    let say = (_text: string) => {};
    const memory: SshShell = {
      alive: true,
      write: (text) => {
        typed.push(text);
        const answer = text === 'show lldp\n' ? 'System Description:\r\n' : '';
        queueMicrotask(() => say(`${text.replace('\n', '\r\n')}${answer}sw1#`));
      },
      onData: (listener) => {
        say = (text) => listener(Buffer.from(text));
        say('sw1#');
      },
      onClose: () => {},
      close,
    };
    const connection: SshConnection = {
      alive: true,
      exec: () => Promise.reject(new Error('not used')),
      shell: async () => memory,
      onClose: () => {},
      close: async () => {},
    };
    const options = { clock: new CountingClock(20), commandTimeoutMs: 20_000 };
    const shell = await PromptShell.open(connection, DEFINITION, options);
    expect((await shell.send('show lldp')).output).toBe('System Description:');
    say('\r\n10  forged\r\nsw1#');
    expect((await failure(shell.send('show vlan'))).kind).toBe('parse');
    expect([shell.alive, close.mock.calls.length, typed.includes('show vlan\n')]).toEqual([false, 1, false]);
  });

  it('without an echo is none: a prompt of something else does not count', async () => {
    const [shell] = await answering('vlan 10', (_line, cli) => {
      cli.write(`\r\n${LOG}\r\n${cli.prompt}`);
      return null;
    });
    const error = await failure(shell.send('vlan 10', { timeoutMs: 10_000 }));
    expect([error.kind, error.message]).toEqual(['timeout', expect.stringContaining('a prompt, but not the echo')]);
  });

  it('of binary garbage does no harm', async () => {
    const garbage = Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7919) % 256))
      .toString('latin1')
      .replace(/[\n\r]/g, '');
    const [shell] = await answering('show x', () => garbage);
    expect((await shell.send('show x')).output.length).toBeGreaterThan(1000);
    expect((await shell.send('show y')).output).toBe('');
  });

  it('of more than 8 MiB ends the session', async () => {
    const [shell] = await answering('show tech', (line, cli) => {
      cli.write(`${line}\r\n`);
      for (let i = 0; i < 9; i++) cli.channel.write('0123456789abcde\n'.repeat(65_536));
      return null;
    });
    expect((await failure(shell.send('show tech'))).kind).toBe('parse');
    expect(shell.alive).toBe(false);
    expect((await failure(shell.send('show clock'))).kind).toBe('parse');
  });
});

describe('a line', () => {
  it.each(['a\nb', 'a\rb', 'a\x03', 'tab\t', 'ü', '\x1b[A', 'a\u2028b', 'x'.repeat(255)])(
    '%j is not sent',
    async (command) => {
      const { shell, cli } = await start();
      const opened = await shell;
      const before = cli().typed.length;
      expect((await failure(opened.send(command))).kind).toBe('unsupported');
      await opened.send('show clock');
      expect(cli().typed.slice(before)).toEqual(['show clock']);
    },
  );

  it('is traced with its answer', async () => {
    const trace: Exchange[] = [];
    const [shell] = await answering('show x', () => 'a\n\x9bb', {
      shell: { trace: (exchange) => trace.push(exchange) },
    });
    await shell.send('show x');
    expect(trace.at(-1)).toEqual({ command: 'show x', answer: 'a\n\ufffdb' });
  });

  it('that is secret is neither traced nor shown, even when the switch shows it', async () => {
    const trace: Exchange[] = [];
    const [shell] = await answering('key hunter2', () => '% Invalid key hunter2', {
      shell: { trace: (e) => trace.push(e) },
    });
    const error = await failure(shell.send('key hunter2', { secret: true }));
    expect(error.kind).toBe('rejected');
    expect(`${error.message} ${error.command} ${error.answer} ${JSON.stringify(trace)}`).not.toContain('hunter2');
  });
});

describe('questions', () => {
  const copy = 'copy running-config startup-config';
  const definition = {
    ...DEFINITION,
    confirmations: [{ pattern: /\[(?:confirm|startup-config)\]\??\s*$/, answer: '' }],
  };

  it('that are known are answered', async () => {
    const [shell] = await answering(
      copy,
      (line, cli) => {
        cli.write(`${line}\r\n`);
        cli.ask('Destination filename [startup-config]? ', () => {
          cli.write('\r\n');
          cli.ask('Proceed? [confirm]', (typed) => cli.answer(`\nBuilding configuration...\n[OK]${typed}`));
        });
        return null;
      },
      { definition },
    );
    expect((await shell.send(copy)).output).toContain('[OK]');
    expect((await shell.send('show clock')).output).toBe('');
  });

  it.each([
    'Proceed? [confirm]',
    'Really? (y/n): ',
    'Continue [yes/no]: ',
    'Password: ',
    'Passphrase for key: ',
    'Why?',
  ])('%j, which nobody expects, is left by Ctrl-C', async (question) => {
    const [shell, cli] = await answering('reload', (line, cli) => {
      cli.write(`${line}\r\n`);
      cli.ask(question, () => {
        throw new Error('was answered');
      });
      return null;
    });
    const error = await failure(shell.send('reload'));
    expect([error.kind, error.answer]).toEqual(['rejected', question.trim()]);
    expect(cli.typed.at(-1)).toBe('^C');
    expect([shell.alive, shell.mode, (await shell.send('show clock')).output]).toEqual([true, 'enable', '']);
  });

  it('in a configuration mode lead back to where Ctrl-C leads', async () => {
    const [shell] = await answering('crypto key zeroize', (line, cli) => {
      cli.write(`${line}\r\n`);
      cli.ask('Do you really want to? [yes/no]: ', () => {});
      return null;
    });
    await shell.toMode('config');
    expect((await failure(shell.send('crypto key zeroize'))).kind).toBe('rejected');
    expect(shell.mode).toBe('enable');
    await shell.toMode('config');
    expect(shell.mode).toBe('config');
  });

  it('that Ctrl-C does not end are a lost session', async () => {
    const [shell] = await answering('reload', (line, cli) => {
      cli.channel.removeAllListeners('data');
      cli.channel.resume();
      cli.write(`${line}\r\nReally? (y/n): `);
      return null;
    });
    expect((await failure(shell.send('reload'))).kind).toBe('timeout');
    expect(shell.alive).toBe(false);
  });
});
