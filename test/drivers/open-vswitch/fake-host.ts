import type { DriverContext, SwitchSession, SwitchTarget } from '../../../drivers/driver.ts';
import type { Clock } from '../../../drivers/model/clock.ts';
import { openVswitchSession } from '../../../drivers/open-vswitch/session.ts';
import { database } from './database.ts';

export interface Answer {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly code?: number;
}

export type Answers = Readonly<Record<string, Answer>>;

export const STAT = '42 (ovs-vswitchd) S 1 42 42 0 -1 4194624 1 2 3 4 5 6 7 8 20 0 1 0 123456 9 9';
const PORTS = ['swp1', 'swp2'].map((name) => ({ name, tag: 5, interfaces: [{ name }] }));
const ROOT = { name: 'br0', interfaces: [{ name: 'br0', type: 'internal', ofport: 65534 }] };

/** What a healthy switch answers; a test replaces what it is about. */
export const HEALTHY: Answers = {
  uid: { stdout: '1000' },
  boot: { stdout: '0a1b2c3d-0000-0000-0000-000000000000\n' },
  host: { stdout: 'tor1\n' },
  ovsdb: { stdout: STAT.replace('42 (ovs-vswitchd)', '41 (ovsdb-server)') },
  vswitchd: { stdout: STAT },
  vsctl: { stdout: `${database({ br0: [...PORTS, ROOT] })}\n` },
  lldp: {
    stdout:
      '{"local-chassis":[{"chassis":[{"id":[{"type":"mac","value":"02:00:00:00:00:aa"}],"name":[{"value":"tor"}]}]}]}',
  },
  link: { stdout: '[]' },
};

/** Time that passes as soon as somebody waits for it. */
export const instantClock: Clock = {
  now: () => 0,
  monotonic: () => 0,
  after(_ms, run) {
    queueMicrotask(run);
    return () => {};
  },
};

export const TARGET: SwitchTarget = {
  name: 'tor1',
  host: '192.0.2.1',
  port: 22,
  username: 'admin',
  password: null,
  privateKey: null,
  passphrase: null,
  enablePassword: null,
  verifyHostKey: () => false,
  algorithms: 'modern',
  connectTimeoutMs: 1000,
  commandTimeoutMs: 10_000,
  options: {},
};

/** A session whose commands are answered by `answer` (section name to answer), one call for each round trip. */
export function fakeSession(answer: (script: string, call: number) => Answers, options: Record<string, unknown> = {}) {
  const scripts: string[] = [];
  const context: DriverContext = { clock: instantClock, trace: () => {} };
  const connection = {
    alive: true,
    close: async () => {},
    exec: async (_command: string, { input = '' } = {}) => {
      scripts.push(input);
      let stdout = '';
      let stderr = '';
      for (const [name, said] of Object.entries({ ...answer(input, scripts.length), end: {} as Answer })) {
        stdout += `\npkn+${name}\n${said.stdout ?? ''}\npkn=${said.code ?? 0}\n`;
        stderr += `\npkn+${name}\n${said.stderr ?? ''}`;
      }
      return { stdout, stderr, code: 0, signal: null };
    },
  };
  const session: SwitchSession = openVswitchSession(connection, { ...TARGET, options }, context, () => 'n');
  return { session, scripts };
}
