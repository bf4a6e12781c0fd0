import { type ChildProcess, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SnmpAuthProtocol, SnmpPrivProtocol, SnmpTarget } from '../../drivers/snmp/session-types.ts';

/** Users that {@link RealSnmpd} has, with the password "NAME-auth-pass" and "NAME-priv-pass". */
export const SNMP_USERS = {
  sha: { auth: 'sha1', priv: 'aes128', words: ['SHA', 'AES'] },
  md5: { auth: 'md5', priv: 'aes128', words: ['MD5', 'AES'] },
  sha256: { auth: 'sha256', priv: 'aes128', words: ['SHA-256', 'AES'] },
  sha512: { auth: 'sha512', priv: 'aes256b', words: ['SHA-512', 'AES-256'] },
} as const satisfies Record<string, { auth: SnmpAuthProtocol; priv: SnmpPrivProtocol; words: readonly string[] }>;

export type SnmpUserName = keyof typeof SNMP_USERS;

/** Debian's snmpd on a port of loopback, with a configuration and a persistent folder of its own. */
export class RealSnmpd {
  readonly port: number;
  readonly #folder: string;
  #process: ChildProcess;

  private constructor(port: number, folder: string, child: ChildProcess) {
    this.port = port;
    this.#folder = folder;
    this.#process = child;
  }

  static async start(): Promise<RealSnmpd> {
    const folder = mkdtempSync(join(tmpdir(), 'pk-snmpd-'));
    const port = await freeUdpPort();
    mkdirSync(join(folder, 'persist'));
    const users = Object.entries(SNMP_USERS).flatMap(([name, { words }]) => [
      `createUser ${name} ${words[0]} "${name}-auth-pass" ${words[1]} "${name}-priv-pass"`,
      `rwuser ${name} priv`,
    ]);
    writeFileSync(
      join(folder, 'snmpd.conf'),
      [
        'rocommunity reading 127.0.0.1',
        'rwcommunity writing 127.0.0.1',
        ...users,
        'sysName lab-switch',
        'createUser lesser SHA "lesser-auth-pass"',
        'rouser lesser auth',
        '',
      ].join('\n'),
    );
    const made = new RealSnmpd(port, folder, launch(port, folder));
    await made.#answers();
    return made;
  }

  target(change: Partial<Extract<SnmpTarget, { version: '2c' }>> = {}): SnmpTarget {
    return { ...this.#place(), version: '2c', community: 'reading', writeCommunity: 'writing', ...change };
  }

  target3(name: SnmpUserName, change: Partial<Extract<SnmpTarget, { version: '3' }>> = {}): SnmpTarget {
    const { auth, priv } = SNMP_USERS[name];
    return {
      ...this.#place(),
      version: '3',
      user: name,
      authProtocol: auth,
      authPassword: `${name}-auth-pass`,
      privProtocol: priv,
      privPassword: `${name}-priv-pass`,
      context: '',
      ...change,
    };
  }

  async restart(): Promise<void> {
    await this.#end();
    this.#process = launch(this.port, this.#folder);
    await this.#answers();
  }

  async stop(): Promise<void> {
    await this.#end();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #place() {
    return { host: '127.0.0.1', port: this.port, timeoutMs: 500, retries: 1, maxRepetitions: 20 };
  }

  /** Until an SNMPv3 discovery is answered. */
  async #answers(): Promise<void> {
    const probe = Buffer.from(
      '303e020103301102042e5f0a3b020300ffe30401040201030410300e0400020100020100040004000400301404000400a00e020414cb3f720201000201003000',
      'hex',
    );
    for (let i = 0; i < 100; i++) {
      const socket = createSocket('udp4');
      const answered = await new Promise<boolean>((resolve) => {
        socket.on('message', () => resolve(true));
        socket.send(probe, this.port, '127.0.0.1');
        setTimeout(() => resolve(false), 100);
      });
      socket.close();
      if (answered) return;
    }
    throw new Error('snmpd does not answer');
  }

  #end(): Promise<void> {
    const child = this.#process;
    if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill('SIGTERM');
    const force = setTimeout(() => child.kill('SIGKILL'), 2_000);
    return ended.finally(() => clearTimeout(force));
  }
}

function launch(port: number, folder: string): ChildProcess {
  const args = [
    '-f',
    '-C',
    '-c',
    join(folder, 'snmpd.conf'),
    '-Lf',
    join(folder, 'log'),
    '-x',
    join(folder, 'agentx'),
    `udp:127.0.0.1:${port}`,
  ];
  return spawn('snmpd', args, {
    stdio: 'ignore',
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', SNMP_PERSISTENT_DIR: join(folder, 'persist'), MIBS: '' },
  });
}

function freeUdpPort(): Promise<number> {
  const socket = createSocket('udp4');
  return new Promise((resolve) =>
    socket.bind(0, '127.0.0.1', () => {
      const { port } = socket.address();
      socket.close(() => resolve(port));
    }),
  );
}
