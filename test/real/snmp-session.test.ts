import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../drivers/model/clock.ts';
import type { SnmpSession, SnmpTarget } from '../../drivers/snmp/session-types.ts';
import { openSnmp } from '../../drivers/transport/snmp.ts';
import { describeWithParts } from '../support/parts.ts';
import { RealSnmpd, SNMP_USERS, type SnmpUserName } from '../support/real-snmpd.ts';

const SYS_NAME = '1.3.6.1.2.1.1.5.0';
const SYS_CONTACT = '1.3.6.1.2.1.1.4.0';
const IF_COLUMNS = [2, 3, 4, 5, 7, 8].map((n) => `1.3.6.1.2.1.2.2.1.${n}`);
const IF_HC_IN_OCTETS = '1.3.6.1.2.1.31.1.1.1.6';

describeWithParts('a session with a real snmpd', ['snmpd', 'snmp'], () => {
  let snmpd: RealSnmpd;
  const sessions: SnmpSession[] = [];

  beforeAll(async () => {
    snmpd = await RealSnmpd.start();
  });
  afterAll(async () => {
    for (const session of sessions) session.close();
    await snmpd?.stop();
  });

  async function open(target: SnmpTarget): Promise<SnmpSession> {
    const session = await openSnmp(target, systemClock);
    sessions.push(session);
    return session;
  }
  const text = (value: unknown) => Buffer.from(value as Uint8Array).toString();
  const refusal = (target: SnmpTarget) =>
    open(target)
      .then((session) => session.get([SYS_NAME]))
      .then(
        () => null,
        (error: unknown) => error as { kind: string; message: string },
      );

  describe.each([
    ['2c', () => snmpd.target()],
    ...(Object.keys(SNMP_USERS) as SnmpUserName[]).map((name) => [`3 ${name}`, () => snmpd.target3(name)] as const),
  ] as const)('in version %s', (_, target) => {
    it('reads, walks several columns and writes', async () => {
      const session = await open(target());
      const [name, missing] = await session.get([SYS_NAME, '1.3.6.1.2.1.1.99.0']);
      expect(text(name?.value)).toBe('lab-switch');
      expect(missing?.type).toMatch(/^noSuch/);
      const { columns, incomplete } = await session.walk(IF_COLUMNS);
      expect(incomplete.size).toBe(0);
      const sizes = [...columns.values()].map((column) => column.size);
      expect(sizes[0]).toBeGreaterThan(0);
      expect(new Set(sizes).size).toBe(1);
      const contact = Buffer.from(`somebody ${Math.round(performance.now())}`);
      await session.set([{ oid: SYS_CONTACT, type: 'OctetString', value: contact }]);
      expect(text((await session.get([SYS_CONTACT]))[0]?.value)).toBe(contact.toString());
    });
  });

  it('brings 64-bit counters as bigint', async () => {
    const { columns } = await (await open(snmpd.target())).walk([IF_HC_IN_OCTETS]);
    const values = [...(columns.get(IF_HC_IN_OCTETS)?.values() ?? [])];
    expect(values.length).toBeGreaterThan(0);
    for (const { type, value } of values) expect([type, typeof value]).toEqual(['Counter64', 'bigint']);
  });

  it('reads the same as snmpbulkwalk, with fewer requests than rows', async () => {
    const session = await open(snmpd.target());
    const { columns } = await session.walk(IF_COLUMNS);
    const { stdout } = spawnSync(
      'snmpbulkwalk',
      ['-m', '', '-v2c', '-c', 'reading', '-On', '-Oq', `127.0.0.1:${snmpd.port}`, IF_COLUMNS[0] ?? ''],
      { encoding: 'utf8' },
    );
    const lines = stdout.trim().split('\n');
    expect(columns.get(IF_COLUMNS[0] ?? '')?.size).toBe(lines.length);
    expect(session.stats.requests).toBeLessThan(IF_COLUMNS.length * lines.length + 1);
  });

  it('goes through a restart of the agent, which counts its boots', async () => {
    const session = await open(snmpd.target3('sha256'));
    await session.get([SYS_NAME]);
    await snmpd.restart();
    const again = await session.get([SYS_NAME]).catch(() => session.get([SYS_NAME]));
    expect(text(again[0]?.value)).toBe('lab-switch');
  });

  it('says what to check when it is refused, without a secret', async () => {
    const attempts: [SnmpTarget, string, RegExp][] = [
      [snmpd.target({ community: 'guessed-word' }), 'timeout', /community/],
      [snmpd.target3('sha256', { authPassword: 'guessed-word-1' }), 'auth', /authentication password/],
      [snmpd.target3('sha256', { privPassword: 'guessed-word-1' }), 'timeout', /privacy password/],
      [snmpd.target3('sha256', { user: 'nobody' }), 'auth', /user/],
      [
        snmpd.target3('sha', { user: 'lesser', authPassword: 'lesser-auth-pass' }),
        'auth',
        /authentication and privacy|privacy/,
      ],
      [snmpd.target({ port: 9 }), 'timeout', /address/],
    ];
    for (const [target, kind, words] of attempts) {
      const error = await refusal(target);
      expect([kind, error?.message, error?.kind]).toEqual([kind, error?.message, kind]);
      expect(error?.message).toMatch(words);
      expect(error?.message).not.toMatch(/guessed-word|-pass/);
    }
  });

  it('names the object that the agent refuses', async () => {
    const session = await open(snmpd.target());
    await expect(
      session.set([{ oid: '1.3.6.1.2.1.17.7.1.4.5.1.1.3', type: 'Gauge32', value: 100 }]),
    ).rejects.toMatchObject({ kind: 'rejected', message: expect.stringContaining('dot1qPvid.3') });
    const reader = await open(snmpd.target({ writeCommunity: null }));
    await expect(
      reader.set([{ oid: SYS_CONTACT, type: 'OctetString', value: Buffer.from('x') }]),
    ).rejects.toMatchObject({ kind: 'rejected', status: 'noAccess' });
  });

  it('closes twice, and answers with a typed error afterwards', async () => {
    const session = await open(snmpd.target());
    session.close();
    session.close();
    expect(session.alive).toBe(false);
    await expect(session.get([SYS_NAME])).rejects.toMatchObject({ kind: 'unreachable' });
    await expect(session.walk(IF_COLUMNS)).rejects.toMatchObject({ kind: 'unreachable' });
  });
});
