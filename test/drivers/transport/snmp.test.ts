import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../drivers/model/clock.ts';
import type { SnmpSession, SnmpTarget } from '../../../drivers/snmp/session-types.ts';
import { openSnmp } from '../../../drivers/transport/snmp.ts';
import { SnmpAgent } from '../../snmp-agent/agent.ts';
import { integer, TAG, tlv } from '../../snmp-agent/ber.ts';
import { type Row, Table } from '../../snmp-agent/dump.ts';

const [A, B, C] = ['1.3.6.1.4.1.1.1', '1.3.6.1.4.1.1.2', '1.3.6.1.4.1.1.3'];
const COLUMNS = [A, B, C];

/** Columns of so many rows, and one object behind them. */
function table(rows: number, octets = 4): Table {
  const values = COLUMNS.flatMap((column) =>
    Array.from(
      { length: rows },
      (_, i): Row => ({ oid: `${column}.${i + 1}`, value: tlv(TAG.octets, Buffer.alloc(octets, i)) }),
    ),
  );
  return new Table([...values, { oid: '1.3.6.1.4.1.2.0', value: integer(5) }]);
}

const open: { stop(): Promise<void> | void }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.stop();
});

async function start(
  rows: number,
  change: Partial<SnmpTarget> = {},
  octets = 4,
): Promise<{ agent: SnmpAgent; session: SnmpSession }> {
  const agent = await SnmpAgent.start({ public: table(rows, octets) });
  const target = {
    host: '127.0.0.1',
    port: agent.port,
    timeoutMs: 60,
    retries: 1,
    maxRepetitions: 25,
    version: '2c',
    community: 'public',
    writeCommunity: null,
    ...change,
  } as SnmpTarget;
  const session = await openSnmp(target, systemClock);
  open.push(agent, { stop: () => session.close() });
  return { agent, session };
}

const sizes = (result: Awaited<ReturnType<SnmpSession['walk']>>) =>
  COLUMNS.map((c) => result.columns.get(c)?.size ?? -1);

describe('a walk', () => {
  it('brings whole columns with few requests', async () => {
    const { agent, session } = await start(200);
    const result = await session.walk(COLUMNS);
    expect(sizes(result)).toEqual([200, 200, 200]);
    expect(result.incomplete.size).toBe(0);
    expect(agent.requests.length).toBeLessThanOrEqual(10);
    expect([...(result.columns.get(B)?.keys() ?? [])].slice(0, 3)).toEqual(['1', '2', '3']);
  });

  it('of columns of different lengths mixes nothing up', async () => {
    const { session } = await start(3);
    const result = await session.walk([A, C, '1.3.6.1.4.1.2', '1.3.6.1.4.1.99', '1.3.6.1.4.1.1']);
    expect([...result.columns.values()].map((c) => c.size)).toEqual([3, 3, 1, 0, 9]);
  });

  it('goes on with what an agent can put into one answer', async () => {
    for (const maxSize of [150, 300, 1_400]) {
      const { agent, session } = await start(40, {}, 40);
      agent.faults.maxSize = maxSize;
      const result = await session.walk(COLUMNS);
      expect([maxSize, sizes(result), [...result.incomplete]]).toEqual([maxSize, [40, 40, 40], []]);
    }
  });

  it('asks for less when large answers never come, or one column never comes in bulk', async () => {
    const { agent, session } = await start(30);
    agent.faults.answer = (answer, { kind, maxRepetitions }) =>
      kind === 'getBulk' && maxRepetitions > 3 ? [] : [answer];
    expect(sizes(await session.walk(COLUMNS))).toEqual([30, 30, 30]);
    agent.faults.answer = (answer, { kind, oids }) =>
      kind === 'getBulk' && oids.some((name) => name.startsWith(B)) ? [] : [answer];
    const result = await session.walk(COLUMNS);
    expect([sizes(result), [...result.incomplete]]).toEqual([[30, 30, 30], []]);
  });

  it('ends when the agent goes in circles, says so, and keeps what it has', async () => {
    const { agent, session } = await start(30);
    agent.faults.next = (name, row) => (name === `${B}.7` ? agentRow(`${B}.3`) : row);
    const result = await session.walk(COLUMNS);
    expect(sizes(result)).toEqual([30, 7, 30]);
    expect([...result.incomplete]).toEqual([[B, 'the agent went in circles']]);
    agent.faults.next = (name, row) => (name.startsWith(A) ? agentRow(name) : row);
    expect(sizes(await session.walk(COLUMNS))).toEqual([0, 30, 30]);
  });

  it('ends at the limit of rows and at its time', async () => {
    const { agent, session } = await start(1_000);
    const few = await session.walk(COLUMNS, { maxRows: 300 });
    expect(Math.max(...sizes(few))).toBeLessThan(250);
    expect(few.incomplete.get(A)).toBe('too many rows');
    let answers = 0;
    agent.faults.answer = (answer) => (++answers > 3 ? [] : [answer]);
    const late = await session.walk(COLUMNS, { timeoutMs: 200 });
    expect(late.incomplete.size).toBeGreaterThan(0);
    expect(sizes(late)[0]).toBeGreaterThan(0);
  });

  it('survives loss, repetition and strangers’ answers', async () => {
    const { agent, session } = await start(100);
    let count = 0;
    let last: Buffer = Buffer.alloc(0);
    agent.faults.answer = (answer) => {
      const before = last;
      last = answer;
      count++;
      return count % 5 === 0 ? [] : count % 3 === 0 ? [before, answer, answer] : [answer];
    };
    expect(sizes(await session.walk(COLUMNS))).toEqual([100, 100, 100]);
  });

  it('of an agent that is not there, or answers from elsewhere, is a time-out and soon over', async () => {
    const { agent, session } = await start(10);
    agent.faults.elsewhere = true;
    await expect(session.walk(COLUMNS)).rejects.toMatchObject({ kind: 'timeout' });
    await expect(session.get([`${A}.1`])).rejects.toMatchObject({ kind: 'timeout' });
    agent.faults = {};
    expect(sizes(await session.walk(COLUMNS))).toEqual([10, 10, 10]);
  });

  it('of 10,000 rows is bounded in time and memory, again and again', async () => {
    const { session } = await start(10_000, {}, 8);
    const sizesSeen: number[][] = [];
    const used: number[] = [];
    for (let i = 0; i < 4; i++) {
      const result = await session.walk(COLUMNS, { maxRows: 12_000 });
      sizesSeen.push(sizes(result));
      expect(result.incomplete.size).toBe(3);
      globalThis.gc?.();
      used.push(process.memoryUsage().heapUsed);
    }
    expect(Math.max(...sizesSeen.flat())).toBeLessThanOrEqual(12_100);
    expect((used.at(-1) ?? 0) - (used[1] ?? 0)).toBeLessThan(64 * 1024 * 1024);
  });

  it('is not disturbed by garbage', async () => {
    const { agent, session } = await start(60);
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 48_271) % 0x7fff_ffff;
      return seed % below;
    };
    agent.faults.answer = (answer) => {
      const broken = Array.from({ length: 20 }, () => {
        const bytes = Buffer.from(answer.subarray(0, 1 + random(answer.length)));
        for (let i = 0; i < 4; i++) bytes[random(bytes.length)] = random(256);
        return bytes;
      });
      // What a broken packet says may be believed when it is still one; the identifier is in front and often hit.
      return [...broken.map((b) => b.subarray(0, Math.min(b.length, 14))), answer];
    };
    expect(sizes(await session.walk(COLUMNS))).toEqual([60, 60, 60]);
  });
});

function agentRow(name: string): Row {
  return { oid: name, value: tlv(TAG.octets, Buffer.from('again')) };
}

describe('a request', () => {
  it('of many objects is split where it must be', async () => {
    const { agent, session } = await start(150, {}, 60);
    agent.faults.maxSize = 1_400;
    const names = Array.from({ length: 150 }, (_, i) => `${A}.${i + 1}`);
    const values = await session.get([...names, `${A}.999`]);
    expect(values.map((v) => v.oid)).toEqual([...names, `${A}.999`]);
    expect(values.at(-1)?.type).toBe('noSuchInstance');
  });

  it('to write is sent once, whatever becomes of it', async () => {
    const { agent, session } = await start(1);
    agent.faults.answer = () => [];
    await expect(session.set([{ oid: `${A}.1`, type: 'Integer', value: 1 }])).rejects.toMatchObject({
      kind: 'timeout',
    });
    expect(agent.requests.filter((r) => r.kind === 'set')).toHaveLength(1);
    agent.faults = {};
    await expect(session.set([{ oid: `${A}.1`, type: 'Integer', value: 1 }])).rejects.toMatchObject({
      status: 'notWritable',
    });
  });

  it('in a context of a VLAN goes with its community', async () => {
    const agent = await SnmpAgent.start({ public: table(1), 'public@100': table(5) });
    open.push(agent);
    const target = {
      host: '127.0.0.1',
      port: agent.port,
      timeoutMs: 60,
      retries: 0,
      maxRepetitions: 10,
      version: '2c',
      community: 'public',
      writeCommunity: null,
    } as const;
    const session = await openSnmp(target, systemClock);
    expect(sizes(await session.inContext('100', 'vlan-100').walk(COLUMNS))).toEqual([5, 5, 5]);
    expect(session.inContext('100', 'vlan-100')).toBe(session.inContext('100', 'vlan-100'));
    session.close();
    await expect(session.inContext('100', 'vlan-100').get([`${A}.1`])).rejects.toMatchObject({ kind: 'unreachable' });
  });
});
