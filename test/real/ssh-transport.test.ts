import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { SwitchTarget } from '../../drivers/driver.ts';
import { DriverError } from '../../drivers/errors.ts';
import { systemClock } from '../../drivers/model/clock.ts';
import { connectSsh, type SshConnection } from '../../drivers/transport/ssh.ts';
import { describeWithParts } from '../support/parts.ts';
import { RealSshd, type SshServer, targetFor } from '../support/real-sshd.ts';

/** The error of a promise that must fail, as a {@link DriverError}. */
async function failure(promise: Promise<unknown>): Promise<DriverError> {
  const error = await promise.then(
    () => new Error('it did not fail'),
    (e: unknown) => e,
  );
  expect(error).toBeInstanceOf(DriverError);
  return error as DriverError;
}

function openSockets(): number {
  return process.getActiveResourcesInfo().filter((name) => /tcp.*wrap/i.test(name) && !/server/i.test(name)).length;
}

describeWithParts('SSH transport on a real OpenSSH server', ['sshd'], () => {
  const sshd = new RealSshd();
  const open: SshConnection[] = [];
  let server: SshServer;
  let hostKey: string;
  let userKey: string;
  let print: string;

  const target = (change: Partial<SwitchTarget> = {}) => targetFor(server, print, userKey, change);
  const connect = async (to = target()) => {
    const connection = await connectSsh(to, systemClock);
    open.push(connection);
    return connection;
  };

  beforeAll(async () => {
    hostKey = sshd.key('host');
    userKey = sshd.key('user');
    print = sshd.fingerprint(hostKey);
    server = await sshd.start(hostKey, [userKey], ['MaxSessions 4']);
  });
  afterEach(async () => {
    for (const connection of open.splice(0)) await connection.close();
  });
  afterAll(() => sshd.stop());

  describe('exec', () => {
    it('gives both outputs and the exit code', async () => {
      const ssh = await connect();
      const result = await ssh.exec('echo out; echo err >&2; exit 3');
      expect(result).toEqual({ stdout: 'out\n', stderr: 'err\n', code: 3, signal: null });
      for (const code of [0, 1, 127, 255]) expect((await ssh.exec(`exit ${code}`)).code).toBe(code);
    });

    it('tells a signal from an exit code', async () => {
      const result = await (await connect()).exec('kill -TERM $$; sleep 5');
      expect(result).toMatchObject({ code: null, signal: 'SIGTERM' });
    });

    it('gives the input and then its end', async () => {
      const input = `${'zeile ä\n'.repeat(20_000)}end`;
      const result = await (await connect()).exec('cat; echo .', { input });
      expect(result.stdout).toBe(`${input}.\n`);
      expect((await (await connect()).exec('wc -c')).stdout.trim()).toBe('0');
    });

    it('takes 1 MiB of output unharmed', async () => {
      const ssh = await connect();
      const sent = 'seq -w 0 131071';
      const { stdout, code } = await ssh.exec(sent);
      const expected = Array.from({ length: 131_072 }, (_, i) => `${String(i).padStart(6, '0')}\n`).join('');
      expect(code).toBe(0);
      expect(createHash('sha256').update(stdout).digest('hex')).toBe(
        createHash('sha256').update(expected).digest('hex'),
      );
    });

    it('refuses more output than allowed, and the connection stays of use', async () => {
      const ssh = await connect();
      const error = await failure(ssh.exec('yes', { maxBytes: 100_000 }));
      expect(error.kind).toBe('parse');
      expect(error.message).toContain('100000 bytes');
      expect((await ssh.exec('echo still here')).stdout).toBe('still here\n');
      expect(ssh.alive).toBe(true);
    });

    it('survives bytes that are no text', async () => {
      const { stdout } = await (await connect()).exec(`printf 'a\\377\\000b\\303\\244'`);
      expect(stdout).toBe('a\ufffd\0bä');
    });

    it('runs commands at the same time, each with its own answer', async () => {
      const ssh = await connect();
      const results = await Promise.all([3, 1, 2].map((n) => ssh.exec(`sleep 0.${n}; echo ${n}`)));
      expect(results.map((r) => r.stdout)).toEqual(['3\n', '1\n', '2\n']);
    });

    it('says so when the server opens no more channels, and goes on', async () => {
      const ssh = await connect();
      const results = await Promise.allSettled(Array.from({ length: 6 }, () => ssh.exec('sleep 0.5; echo done')));
      const failed = results.flatMap((r) => (r.status === 'rejected' ? [r.reason as DriverError] : []));
      expect(failed).toHaveLength(2);
      for (const error of failed) expect(error).toMatchObject({ name: 'DriverError', kind: 'unreachable' });
      expect((await ssh.exec('echo on')).stdout).toBe('on\n');
    });

    it('gives a slow command up and keeps the connection', async () => {
      const ssh = await connect();
      const error = await failure(ssh.exec('sleep 5', { timeoutMs: 200 }));
      expect(error.kind).toBe('timeout');
      expect((await ssh.exec('echo next')).stdout).toBe('next\n');
    });
  });

  describe('a connection that is lost', () => {
    it('fails what is running, at once, and everything after it', async () => {
      const ssh = await connect();
      const pid = Number((await ssh.exec('echo $PPID')).stdout);
      const told: (DriverError | null)[] = [];
      ssh.onClose((error) => told.push(error));
      const running = ssh.exec('echo started; sleep 20');
      const another = ssh.exec('sleep 20');
      const both = Promise.all([failure(running), failure(another)]);
      await ssh.exec('true');
      process.kill(pid, 'SIGKILL');
      for (const error of await both) expect(error.kind).toBe('unreachable');
      expect(told).toHaveLength(1);
      expect(told[0]?.kind).toBe('unreachable');
      expect(ssh.alive).toBe(false);
      expect((await failure(ssh.exec('true'))).kind).toBe('unreachable');
      expect((await failure(ssh.shell())).kind).toBe('unreachable');
    });

    it('is given up when the far side stands still', async () => {
      const ssh = await connect();
      const pid = Number((await ssh.exec('echo $PPID')).stdout);
      const lost = new Promise<DriverError | null>((resolve) => ssh.onClose(resolve));
      process.kill(pid, 'SIGSTOP');
      try {
        expect((await failure(ssh.exec('true', { timeoutMs: 100 }))).kind).toBe('timeout');
        expect((await lost)?.kind).toBe('unreachable');
        expect(ssh.alive).toBe(false);
      } finally {
        process.kill(pid, 'SIGKILL');
      }
    });

    it('closed from here ends what is running', async () => {
      const ssh = await connect();
      const told: (DriverError | null)[] = [];
      ssh.onClose((error) => told.push(error));
      const running = failure(ssh.exec('sleep 20'));
      await ssh.exec('true');
      await ssh.close();
      await ssh.close();
      expect((await running).kind).toBe('unreachable');
      expect(told).toEqual([null]);
    });
  });

  describe('host key', () => {
    it('is shown in the form that OpenSSH prints', async () => {
      const seen: string[] = [];
      await connect(
        target({
          verifyHostKey: (offered) => {
            seen.push(offered);
            return true;
          },
        }),
      );
      expect(seen).toEqual([print]);
    });

    it.each([
      ['at once', () => false],
      ['after a while', async () => false],
    ])('that is refused %s ends the connection before any login', async (_when, verifyHostKey) => {
      const error = await failure(connectSsh(target({ verifyHostKey }), systemClock));
      expect(error.kind).toBe('host-key');
      expect(error.message).toContain(print);
      expect(server.log()).not.toMatch(/Accepted publickey.*\n.*Accepted publickey.*refused/);
    });

    it('is checked again when the server changes the session keys, and nothing is lost', async () => {
      const busy = await sshd.start(hostKey, [userKey], ['RekeyLimit 64K']);
      let checks = 0;
      const ssh = await connect(
        targetFor(busy, print, userKey, {
          verifyHostKey: async (offered) => {
            checks++;
            return offered === print;
          },
        }),
      );
      const { stdout } = await ssh.exec('seq -w 0 131071');
      expect(stdout.length).toBe(131_072 * 7);
      expect(checks).toBeGreaterThan(1);
    });

    it('that cannot be checked any more ends a running session', async () => {
      const busy = await sshd.start(hostKey, [userKey], ['RekeyLimit 64K']);
      let checks = 0;
      const ssh = await connect(
        targetFor(busy, print, userKey, {
          verifyHostKey: async () => {
            if (++checks > 1) throw new Error('disk full');
            return true;
          },
        }),
      );
      const error = await failure(ssh.exec('seq -w 0 131071', { timeoutMs: 10_000 }));
      expect(error.kind).toBe('unreachable');
      expect(ssh.alive).toBe(false);
    });
  });

  describe('login', () => {
    it('with a key that the server does not know is refused, with what it takes', async () => {
      const stranger = sshd.key('stranger');
      const error = await failure(connectSsh(targetFor(server, print, stranger), systemClock));
      expect(error.kind).toBe('auth');
      expect(error.message).toContain('publickey');
    });

    it('without a secret of the kind that is wanted is refused', async () => {
      const error = await failure(connectSsh(targetFor(server, print, null, { password: 'x' }), systemClock));
      expect(error.kind).toBe('auth');
      expect(error.message).toContain('publickey');
    });

    it.each(['rsa', 'ecdsa'] as const)('works with a key of type %s', async (type) => {
      const key = sshd.key(`user-${type}`, type);
      const other = await sshd.start(hostKey, [key]);
      const ssh = await connect(targetFor(other, print, key));
      expect((await ssh.exec('echo in')).stdout).toBe('in\n');
    });

    it('takes a passphrase, and says what is wrong without one or with a wrong one', async () => {
      const key = sshd.key('locked', 'ed25519', 'open sesame');
      const other = await sshd.start(hostKey, [key]);
      const ssh = await connect(targetFor(other, print, key, { passphrase: 'open sesame' }));
      expect((await ssh.exec('echo in')).stdout).toBe('in\n');
      for (const passphrase of [null, 'wrong one']) {
        const error = await failure(connectSsh(targetFor(other, print, key, { passphrase }), systemClock));
        expect(error.kind).toBe('auth');
        expect(error.message).toContain('passphrase');
        expect(`${error.message} ${error.cause ?? ''}`).not.toMatch(/wrong one|PRIVATE KEY|b3BlbnNzaC1r/);
      }
    });

    it('leaves no socket behind when it fails', async () => {
      const before = openSockets();
      for (let i = 0; i < 5; i++) {
        await failure(connectSsh(target({ verifyHostKey: () => false }), systemClock));
        await failure(connectSsh(target({ privateKey: 'no key' }), systemClock));
        await failure(connectSsh(target({ username: 'nobody-of-that-name' }), systemClock));
        await failure(connectSsh(target({ connectTimeoutMs: 1 }), systemClock));
      }
      await expect.poll(openSockets).toBeLessThanOrEqual(before);
    });
  });

  it('opens a shell with a terminal of the asked size', async () => {
    const shell = await (await connect()).shell({ columns: 311, rows: 77 });
    let shown = '';
    const closed = new Promise<void>((resolve) => shell.onClose(resolve));
    shell.onData((chunk) => {
      shown += chunk.toString();
    });
    shell.write('stty size; tty; exit\n');
    await closed;
    expect(shown).toContain('77 311');
    expect(shown).toMatch(/\/dev\/pts\/\d/);
    expect(shell.alive).toBe(false);
  });

  describe('old algorithms', () => {
    const cases: readonly [kind: 'kex' | 'cipher' | 'mac' | 'HostKeyAlgorithms', option: string, name: string][] = [
      ['kex', 'KexAlgorithms', 'diffie-hellman-group1-sha1'],
      ['kex', 'KexAlgorithms', 'diffie-hellman-group14-sha1'],
      ['kex', 'KexAlgorithms', 'diffie-hellman-group-exchange-sha1'],
      ['cipher', 'Ciphers', '3des-cbc'],
      ['cipher', 'Ciphers', 'aes128-cbc'],
      ['cipher', 'Ciphers', 'aes192-cbc'],
      ['cipher', 'Ciphers', 'aes256-cbc'],
      ['mac', 'MACs', 'hmac-md5'],
      ['mac', 'MACs', 'hmac-md5-96'],
      ['mac', 'MACs', 'hmac-sha1-96'],
      ['HostKeyAlgorithms', 'HostKeyAlgorithms', 'ssh-dss'],
    ];
    it.each(cases)('%s %s=%s work with the legacy profile, and without it are named', async (kind, option, name) => {
      if (!sshd.supports(kind, name)) {
        expect(name, `this OpenSSH has no ${name}`).not.toBe('diffie-hellman-group14-sha1');
        return;
      }
      const key = kind === 'HostKeyAlgorithms' ? sshd.key(`dss-${Date.now()}`, 'dsa') : hostKey;
      // The MAC counts only with a cipher that has none of its own.
      const old = await sshd.start(
        key,
        [userKey],
        [`${option} ${name}`, ...(kind === 'mac' ? ['Ciphers aes128-ctr'] : [])],
      );
      const shown = sshd.fingerprint(key);
      const error = await failure(connectSsh(targetFor(old, shown, userKey), systemClock));
      expect(error.kind).toBe('unreachable');
      expect(error.message).toContain('algorithms: legacy');
      const ssh = await connect(targetFor(old, shown, userKey, { algorithms: 'legacy' }));
      expect((await ssh.exec('echo old')).stdout).toBe('old\n');
    });

    it('are used only when nothing better is there', async () => {
      const ssh = await connect(target({ algorithms: 'legacy' }));
      expect((await ssh.exec('echo new')).stdout).toBe('new\n');
      const strict = await sshd.start(
        hostKey,
        [userKey],
        [
          'KexAlgorithms diffie-hellman-group14-sha1,curve25519-sha256',
          'Ciphers 3des-cbc,aes256-gcm@openssh.com',
          'LogLevel DEBUG1',
        ],
      );
      await connect(targetFor(strict, print, userKey, { algorithms: 'legacy' }));
      expect(strict.log()).toContain('kex: algorithm: curve25519-sha256');
      expect(strict.log()).toContain('cipher: aes256-gcm@openssh.com');
    });
  });
});
