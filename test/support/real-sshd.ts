import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { SwitchTarget } from '../../drivers/driver.ts';

/** The folder without which sshd does not start as root. */
const PRIVSEP = '/run/sshd';

export type KeyType = 'ed25519' | 'rsa' | 'ecdsa' | 'dsa';

/** Makes keys in a folder of its own and starts OpenSSH servers there, on the loopback address only. */
export class RealSshd {
  readonly folder = mkdtempSync(join(tmpdir(), 'portkeeper-sshd-'));
  readonly #running: ChildProcess[] = [];
  #madePrivsep = false;

  constructor() {
    if (process.getuid?.() === 0 && !existsSync(PRIVSEP)) {
      mkdirSync(PRIVSEP, { mode: 0o755 });
      this.#madePrivsep = true;
    }
  }

  /** A new key pair; returns the path of the private half. */
  key(name: string, type: KeyType = 'ed25519', passphrase = ''): string {
    const path = join(this.folder, name);
    const bits = type === 'rsa' ? ['-b', '2048'] : [];
    execFileSync('ssh-keygen', ['-q', '-t', type, ...bits, '-N', passphrase, '-C', name, '-f', path]);
    return path;
  }

  /** "SHA256:..." as OpenSSH itself prints it. */
  fingerprint(key: string): string {
    return execFileSync('ssh-keygen', ['-lf', `${key}.pub`], { encoding: 'utf8' }).split(' ')[1] ?? '';
  }

  /** What this OpenSSH can do: `kex`, `cipher`, `mac`, `HostKeyAlgorithms`. */
  supports(kind: string, name: string): boolean {
    return execFileSync('ssh', ['-Q', kind], { encoding: 'utf8' }).split('\n').includes(name);
  }

  /** Starts a server that lets `userKeys` in as the user who runs this; resolves when it listens. */
  async start(hostKey: string, userKeys: readonly string[], more: readonly string[] = []): Promise<SshServer> {
    const port = await freePort();
    const base = join(this.folder, `server-${port}`);
    writeFileSync(`${base}.keys`, userKeys.map((key) => readFileSync(`${key}.pub`, 'utf8')).join(''), { mode: 0o600 });
    const config = [
      `ListenAddress 127.0.0.1:${port}`,
      `HostKey ${hostKey}`,
      'PidFile none',
      'UsePAM no',
      'StrictModes no',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'PermitRootLogin prohibit-password',
      `AuthorizedKeysFile ${base}.keys`,
      ...more,
    ];
    writeFileSync(`${base}.conf`, `${config.join('\n')}\n`);
    chmodSync(hostKey, 0o600);
    // sshd starts itself again for each connection and must be called by its full path.
    const child = spawn(sshdPath(), ['-D', '-e', '-f', `${base}.conf`], { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#running.push(child);
    let log = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-4000);
    });
    while (!(await listens(port))) {
      if (child.exitCode !== null) throw new Error(`sshd did not start: ${log}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return { port, hostKey, log: () => log };
  }

  async stop(): Promise<void> {
    for (const child of this.#running.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    }
    if (this.#madePrivsep) {
      try {
        rmdirSync(PRIVSEP);
      } catch {
        // Somebody else uses it by now.
      }
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export interface SshServer {
  readonly port: number;
  readonly hostKey: string;
  log(): string;
}

/** A target for a server, which accepts only `fingerprint`; `change` overrides. */
export function targetFor(
  server: SshServer,
  fingerprint: string,
  privateKey: string | null,
  change: Partial<SwitchTarget> = {},
): SwitchTarget {
  return {
    name: 'tor1',
    host: '127.0.0.1',
    port: server.port,
    username: userInfo().username,
    password: null,
    privateKey: privateKey === null ? null : readFileSync(privateKey, 'utf8'),
    passphrase: null,
    enablePassword: null,
    verifyHostKey: (offered) => offered === fingerprint,
    algorithms: 'modern',
    connectTimeoutMs: 20_000,
    commandTimeoutMs: 20_000,
    options: {},
    ...change,
  };
}

function sshdPath(): string {
  return ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/usr/bin/sshd'].find((path) => existsSync(path)) ?? 'sshd';
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
