import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { CliDefinition } from '../../drivers/definition.ts';
import type { SwitchTarget } from '../../drivers/driver.ts';
import { systemClock } from '../../drivers/model/clock.ts';
import type { SshConnection } from '../../drivers/transport/connection.ts';
import { PromptShell } from '../../drivers/transport/prompt.ts';
import { connectSsh } from '../../drivers/transport/ssh.ts';
import { CountingClock, failure, targetOf } from '../drivers/transport/ssh-fixture.ts';
import { describeWithParts } from '../support/parts.ts';

/** A POSIX shell as a command line: enough to drive it by its prompt. */
const SHELL: CliDefinition = {
  name: 'bash',
  modes: [{ name: 'shell', prompt: /^(testbox)\$ ?$/ }],
  configModes: [],
  setup: ['unset HISTFILE'],
  columns: 512,
  failures: [/command not found$/],
  harmless: [],
  closing: ['exit'],
};

let folder = '';
let port = 0;
let fingerprint = '';
let privateKey = '';
let sshd: ChildProcess | null = null;
const connections: SshConnection[] = [];

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

const target = (overrides: Partial<SwitchTarget> = {}): SwitchTarget =>
  targetOf(port, {
    username: userInfo().username,
    password: null,
    privateKey,
    verifyHostKey: (shown) => shown === fingerprint,
    ...overrides,
  });

async function connected(overrides: Partial<SwitchTarget> = {}): Promise<SshConnection> {
  const connection = await connectSsh(target(overrides), systemClock);
  connections.push(connection);
  return connection;
}

describeWithParts('the SSH transport and OpenSSH', ['sshd'], () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'portkeeper-sshd-'));
    const keygen = (name: string, ...options: string[]) =>
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-f', join(folder, name), ...options]);
    keygen('host', '-N', '');
    keygen('login', '-N', 'horse battery');
    privateKey = readFileSync(join(folder, 'login'), 'utf8');
    const shown = execFileSync('ssh-keygen', ['-l', '-E', 'sha256', '-f', join(folder, 'host.pub')], {
      encoding: 'utf8',
    });
    fingerprint = /SHA256:[\w+/]+/.exec(shown)?.[0] ?? '';
    port = await freePort();
    // The server wants its folder for unprivileged children, and takes no key files that others may write.
    if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
    const config = `
      ListenAddress 127.0.0.1:${port}
      HostKey ${join(folder, 'host')}
      AuthorizedKeysFile ${join(folder, 'login.pub')}
      PidFile none
      UsePAM no
      StrictModes no
      PermitRootLogin yes
      PasswordAuthentication no
      KbdInteractiveAuthentication no
      PrintMotd no
      PrintLastLog no
    `;
    writeFileSync(join(folder, 'config'), config);
    const child = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', join(folder, 'config')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    sshd = child;
    let said = '';
    await new Promise<void>((resolve, reject) => {
      child.stderr.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        if (said.includes('Server listening')) resolve();
      });
      child.on('exit', () => reject(new Error(`sshd ended: ${said}`)));
    });
  });

  afterEach(async () => {
    for (const connection of connections.splice(0)) await connection.close();
  });

  afterAll(async () => {
    if (sshd && sshd.exitCode === null) {
      sshd.removeAllListeners('exit');
      const ended = once(sshd, 'exit');
      sshd.kill();
      await ended;
    }
    if (folder !== '') rmSync(folder, { recursive: true, force: true });
  });

  const passphrase = 'horse battery';

  it('log in by key, and run commands with output, error output, exit code, signal and input', async () => {
    const connection = await connected({ passphrase });
    expect(await connection.exec('echo out; echo err >&2; exit 3')).toEqual({
      stdout: 'out\n',
      stderr: 'err\n',
      code: 3,
      signal: null,
    });
    expect(await connection.exec('kill -TERM $$')).toMatchObject({ code: null, signal: 'SIGTERM' });
    expect((await connection.exec('wc -c', { input: 'x'.repeat(500_000) })).stdout.trim()).toBe('500000');
    expect((await connection.exec('cat; echo end')).stdout).toBe('end\n');
  });

  it('bring 1 MiB of output whole, and no more than allowed', async () => {
    const connection = await connected({ passphrase });
    const { stdout } = await connection.exec("head -c 1048576 /dev/zero | tr '\\0' x");
    expect(stdout === 'x'.repeat(1_048_576)).toBe(true);
    expect((await failure(connection.exec('yes', { maxBytes: 1_000_000 }))).kind).toBe('parse');
    expect((await connection.exec('echo still here')).stdout).toBe('still here\n');
  });

  it('run several commands at the same time', async () => {
    const connection = await connected({ passphrase });
    const results = await Promise.all([1, 2, 3, 4, 5, 6].map((i) => connection.exec(`echo ${i}; exit ${i}`)));
    expect(results.map((r) => [r.stdout, r.code])).toEqual([1, 2, 3, 4, 5, 6].map((i) => [`${i}\n`, i]));
  });

  it('end a hanging command at its deadline; the connection stays', async () => {
    const connection = await connected({ passphrase });
    expect((await failure(connection.exec('sleep 60', { timeoutMs: 300 }))).kind).toBe('timeout');
    expect((await connection.exec('echo on')).stdout).toBe('on\n');
  });

  it('refuse another host key, a wrong passphrase and a foreign key', async () => {
    const wrongKey = await failure(connectSsh(target({ passphrase, verifyHostKey: () => false }), systemClock));
    expect([wrongKey.kind, wrongKey.message]).toEqual(['host-key', expect.stringContaining(fingerprint)]);
    expect((await failure(connectSsh(target({ passphrase: 'wrong' }), systemClock))).kind).toBe('auth');
    const foreign = readFileSync(join(folder, 'host'), 'utf8');
    const refused = await failure(connectSsh(target({ privateKey: foreign }), systemClock));
    expect([refused.kind, refused.message]).toEqual(['auth', expect.stringContaining('publickey')]);
  });

  it('fail what is under way when the server process of the session dies', async () => {
    const connection = await connected({ passphrase });
    // The parent of the command is the process that serves this connection alone.
    const pid = Number((await connection.exec('echo $PPID')).stdout);
    expect(pid).toBeGreaterThan(1);
    expect(pid).not.toBe(sshd?.pid);
    const lost = new Promise((resolve) => connection.onClose(resolve));
    const hanging = failure(connection.exec('sleep 60'));
    process.kill(pid, 'SIGKILL');
    const error = await hanging;
    expect(error.kind).toBe('unreachable');
    expect(await lost).toBe(error);
    expect(connection.alive).toBe(false);
  });

  it('drive a shell on a terminal by its prompt, without waiting for a timer', async () => {
    const connection = await connected({ passphrase });
    const clock = new CountingClock();
    const bash: SshConnection = {
      get alive() {
        return connection.alive;
      },
      exec: (command, options) => connection.exec(command, options),
      shell: async (options) => {
        const shell = await connection.shell(options);
        shell.write("exec env PS1='testbox$ ' bash --norc --noprofile -i\n");
        return shell;
      },
      onClose: (listener) => connection.onClose(listener),
      close: () => connection.close(),
    };
    const shell = await PromptShell.open(bash, SHELL, { clock, commandTimeoutMs: 20_000 });
    expect([shell.hostname, shell.mode]).toEqual(['testbox', 'shell']);
    clock.fired = 0;
    expect((await shell.send('seq 1 5000')).output.split('\n')).toEqual(
      Array.from({ length: 5000 }, (_, i) => String(i + 1)),
    );
    const long = `echo ${'abcdefghij '.repeat(45).trim()}`;
    expect((await shell.send(long)).output).toBe(long.slice(5));
    expect((await failure(shell.send(long.padEnd(504, 'x')))).kind).toBe('unsupported');
    expect((await shell.send('stty size')).output).toBe('1000 512');
    expect((await failure(shell.send('no-such-command-here'))).kind).toBe('rejected');
    for (let i = 0; i < 100; i++) expect((await shell.send(`echo ${i}`)).output).toBe(String(i));
    expect(clock.fired).toBe(0);
    const asked = await failure(shell.send("read -p 'Really? (y/n): ' answer"));
    expect([asked.kind, asked.answer]).toEqual(['rejected', 'Really? (y/n):']);
    expect((await shell.send('echo "[$answer]"')).output).toBe('[]');
    await shell.close();
    expect(shell.alive).toBe(false);
  });
});
