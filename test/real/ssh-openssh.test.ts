import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { SwitchTarget } from '../../drivers/driver.ts';
import type { DriverError } from '../../drivers/errors.ts';
import { systemClock } from '../../drivers/model/clock.ts';
import { connectSsh, type SshConnection } from '../../drivers/transport/ssh.ts';
import { failure } from '../drivers/transport/ssh-fixture.ts';
import { describeWithParts } from '../support/parts.ts';
import { RealSshd, type SshServer, targetFor } from '../support/real-sshd.ts';

function openSockets(): number {
  return process.getActiveResourcesInfo().filter((name) => /tcp.*wrap/i.test(name) && !/server/i.test(name)).length;
}

describeWithParts('OpenSSH servers of every age and mood', ['sshd'], () => {
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

    it('says so when the server opens no more channels, and goes on', async () => {
      const ssh = await connect();
      const results = await Promise.allSettled(Array.from({ length: 6 }, () => ssh.exec('sleep 0.5; echo done')));
      const failed = results.flatMap((r) => (r.status === 'rejected' ? [r.reason as DriverError] : []));
      expect(failed).toHaveLength(2);
      for (const error of failed) expect(error).toMatchObject({ name: 'DriverError', kind: 'unreachable' });
      expect((await ssh.exec('echo on')).stdout).toBe('on\n');
    });
  });

  describe('a connection that is lost', () => {
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
      const other = await sshd.start(hostKey, [userKey]);
      const error = await failure(connectSsh(targetFor(other, print, userKey, { verifyHostKey }), systemClock));
      expect(error.kind).toBe('host-key');
      expect(error.message).toContain(print);
      expect(other.log()).not.toMatch(/Accepted|Failed|Invalid user/);
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
