import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Trap } from '../../drivers/mib/traps.ts';
import { type TrapCredentials, TrapReceiver } from '../../drivers/transport/snmp-traps.ts';
import { describeWithParts } from '../support/parts.ts';
import { TestClock } from '../support/test-clock.ts';

const V3: TrapCredentials = {
  version: '3',
  user: 'rack',
  authProtocol: 'sha256',
  authPassword: 'auth-password-1',
  privProtocol: 'aes128',
  privPassword: 'priv-password-1',
};
const OWN_ENGINE = '8000000005aabbccdd';
const LINK_DOWN = '1.3.6.1.6.3.1.1.5.3';
const PORT_7 = ['1.3.6.1.2.1.2.2.1.1.7', 'i', '7', '1.3.6.1.2.1.2.2.1.8.7', 'i', '2'];

/** What the tools of net-snmp send, which share no code with the receiver. */
describeWithParts('notifications', ['snmp'], () => {
  let receiver: TrapReceiver;
  let clock: TestClock;
  let heard: [string, Trap][];
  let complaints: string[];

  beforeEach(async () => {
    clock = new TestClock();
    heard = [];
    complaints = [];
    receiver = await TrapReceiver.listen({
      address: '127.0.0.1',
      port: 0,
      engineId: Buffer.from(OWN_ENGINE, 'hex'),
      clock,
      onTrap: (name, trap) => heard.push([name, trap]),
      onProblem: (name, message) => complaints.push(`${name}: ${message}`),
    });
  });
  afterEach(() => receiver.close());

  const believe = (credentials: TrapCredentials, ...addresses: string[]) =>
    receiver.setSources([{ name: 'tor', addresses: addresses.length > 0 ? addresses : ['127.0.0.1'], credentials }]);
  const community = (name: string): TrapCredentials => ({ version: '2c', community: name });

  /** Runs the tool to its end; the exit code. */
  function send(tool: 'snmptrap' | 'snmpinform', ...args: string[]): Promise<number | null> {
    const child = spawn(tool, ['-m', '', ...args.map((a) => (a === 'TO' ? `127.0.0.1:${receiver.port}` : a))], {
      stdio: 'ignore',
      env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', SNMP_PERSISTENT_DIR: '/nonexistent' },
    });
    return new Promise((resolve) => child.on('close', resolve));
  }
  const v2c = (name: string) => ['-v2c', '-c', name, '-r0', '-t1', 'TO', '', LINK_DOWN, ...PORT_7];
  const v3 = (auth: string, priv: string, ...more: string[]) => [
    '-v3',
    '-l',
    'authPriv',
    '-u',
    'rack',
    '-a',
    'SHA-256',
    '-A',
    auth,
    '-x',
    'AES',
    '-X',
    priv,
    '-r0',
    '-t1',
    ...more,
    'TO',
    '',
    LINK_DOWN,
    ...PORT_7,
  ];

  async function until(condition: () => boolean): Promise<void> {
    for (let i = 0; i < 200 && !condition(); i++) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(condition()).toBe(true);
  }

  const hint = ['tor', { kind: 'linkDown', oid: LINK_DOWN, ifIndex: 7 }];

  it('of version 2c and 1 are heard with the right community, and informs are answered', async () => {
    believe(community('secret-word'));
    expect(await send('snmptrap', ...v2c('secret-word'))).toBe(0);
    expect(await send('snmpinform', ...v2c('secret-word'))).toBe(0);
    await until(() => heard.length === 2);
    expect(heard).toEqual([hint, hint]);
    await send('snmptrap', '-v1', '-c', 'secret-word', 'TO', '1.3.6.1.4.1.9', '127.0.0.1', '2', '0', '1', ...PORT_7);
    await until(() => heard.length === 3);
    expect(heard[2]).toEqual(hint);
  });

  it('with another community, from another address, or of another version are not believed', async () => {
    believe(community('secret-word'));
    expect(await send('snmpinform', ...v2c('public'))).not.toBe(0);
    await until(() => complaints.length === 1);
    expect(complaints[0]).toBe('tor: a notification was not believed: its community is not the configured one');
    believe(community('secret-word'), '127.0.0.9');
    expect(await send('snmpinform', ...v2c('secret-word'))).not.toBe(0);
    believe(V3);
    await send('snmptrap', ...v2c('secret-word'));
    await until(() => complaints.length === 2);
    expect(complaints[1]).toContain('another version');
    expect(heard).toEqual([]);
    expect(complaints.join()).not.toMatch(/secret-word|public/);
  });

  it('of version 3 are heard from whatever engine, and informs by our own', async () => {
    believe(V3);
    expect(await send('snmptrap', ...v3('auth-password-1', 'priv-password-1', '-e', '0x80001f8801020304'))).toBe(0);
    await until(() => heard.length === 1);
    expect(await send('snmpinform', ...v3('auth-password-1', 'priv-password-1'))).toBe(0);
    await until(() => heard.length === 2);
    expect(heard).toEqual([hint, hint]);
  });

  it('of version 3 with a wrong password, another user or less security are not believed', async () => {
    believe(V3);
    const engine = ['-e', '0x80001f8801020304'];
    await send('snmptrap', ...v3('auth-password-2', 'priv-password-1', ...engine));
    await until(() => complaints.length === 1);
    expect(complaints[0]).toContain('authentication password');
    const attempts = [
      v3('auth-password-1', 'priv-password-2', ...engine),
      v3('auth-password-1', 'priv-password-1', ...engine, '-u', 'other'),
      v3('auth-password-1', 'priv-password-1', ...engine, '-l', 'authNoPriv'),
      v3('auth-password-1', 'priv-password-1', ...engine, '-l', 'noAuthNoPriv'),
    ];
    for (const [i, args] of attempts.entries()) {
      await clock.advance(61_000);
      await send('snmptrap', ...args);
      await until(() => complaints.length === i + 2);
    }
    expect(heard).toEqual([]);
    expect(complaints.join('\n')).not.toMatch(/password-\d|[0-9a-f]{24}/);
  });

  it('in a storm, and anything else that a known address sends, do no harm', async () => {
    believe(community('secret-word'));
    const socket = createSocket('udp4');
    const packet = (bytes: Uint8Array) =>
      new Promise<void>((resolve) => socket.send(bytes, receiver.port, '127.0.0.1', () => resolve()));
    let seed = 1;
    const random = () => {
      seed = (seed * 48_271) % 0x7fff_ffff;
      return seed;
    };
    // Begins as a message, then goes wrong somewhere.
    const begin = Buffer.from('302902010104067075626c6963a71c', 'hex');
    for (let i = 0; i < 2000; i++) {
      const bytes = Buffer.alloc(random() % 120, random() % 256);
      for (let j = 0; j < bytes.length; j++) bytes[j] = random() % 256;
      await packet(i % 2 === 0 ? Buffer.concat([begin.subarray(0, random() % begin.length), bytes]) : bytes);
      if (i % 100 === 0) await clock.advance(1_000);
    }
    await packet(Buffer.alloc(0));
    socket.close();
    await clock.advance(10_000);
    await send('snmptrap', ...v2c('secret-word'));
    await until(() => heard.length === 1);
  });
});
