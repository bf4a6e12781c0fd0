import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { textWidth } from '../../../agent/cli/text.ts';
import { type CliOutcome, type CliRunOptions, cli } from '../../support/cli-run.ts';
import { event, FakeReader, PLAN, resultDocument } from '../../support/fake-reader.ts';
import { http, type RunningApi, runApi } from '../../support/local-api.ts';

/** What a terminal could take for more than text; SGR colours come only where a test asks for them. */
const ACTIVE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/;

let api: RunningApi;
const run = (line: string, options: CliRunOptions = {}): Promise<CliOutcome> =>
  cli(line.split(' '), { env: { PORTKEEPER_RUNTIME_DIR: api.dir }, ...options });

beforeAll(async () => {
  api = await runApi();
});
afterAll(() => api.close());
beforeEach(() => {
  Object.assign(api.reader, new FakeReader());
});
afterEach(() => {
  api.control.asked.length = 0;
  api.control.answer = async () => {};
});

/** Reviewed by eye; 80 columns. */
const GOLDEN = [
  ['status', 'status', 1],
  ['ports', 'ports --switch tor1', 0],
  ['ports-all-problems', 'ports --problems', 1],
  ['ports-wide', 'ports --problems --wide --switch tor1', 1],
  ['port-wrong', 'port tor1:swp3', 1],
  ['port-in-sync', 'port tor1:swp2', 0],
  ['port-leaking', 'port swp4', 1],
  ['port-unreachable', 'port tor2:swp1', 1],
  ['neighbors', 'neighbors', 0],
  ['intents', 'intents', 0],
  ['plan', 'plan', 1],
  ['plan-commands', 'plan --commands --switch tor1', 1],
  ['events', 'events', 0],
] as const;

describe('what a person reads', () => {
  it.each(GOLDEN)('%s', async (name, line, exit) => {
    const outcome = await run(line);
    expect(outcome.exit).toBe(exit);
    expect(ACTIVE.test(outcome.out)).toBe(false);
    const wide = line.includes('--wide') || name === 'events';
    if (!wide) for (const text of outcome.out.split('\n')) expect(textWidth(text), text).toBeLessThanOrEqual(80);
    await expect(outcome.out).toMatchFileSnapshot(`golden/${name}.txt`);
  });

  it.each([40, 60, 80, 132])('fits a terminal of %i columns', async (columns) => {
    for (const [, line] of GOLDEN.filter(([, text]) => !text.includes('--wide'))) {
      const { out } = await run(`${line} --no-color`, { columns, isTty: true });
      for (const text of out.split('\n')) {
        // Commands to be copied are not broken.
        if (!/^ {8}\S/.test(text) && !text.startsWith('  >'))
          expect(textWidth(text), text).toBeLessThanOrEqual(columns);
      }
    }
  });

  it('says in one line that all is well', async () => {
    api.reader.heal();
    const status = await run('status');
    await expect(status.out).toMatchFileSnapshot('golden/status-good.txt');
    expect(status.exit).toBe(0);
    expect((await run('plan')).out).toBe('No changes: every port is as wanted.\n');
    expect((await run('ports --problems')).out).toBe('No port needs attention.\n');
    for (const line of ['plan', 'ports --problems', 'port tor1:swp1', 'port swp2'])
      expect((await run(line)).exit, line).toBe(0);
  });

  it('says that the broker is away although the ports are right', async () => {
    api.reader.heal().brokerConnected = false;
    const { out, exit } = await run('status');
    expect(exit).toBe(1);
    expect(out.split('\n')[0]).toBe('IN SYNC, BUT: rack r1, broker away; 47 managed ports as wanted.');
  });

  it('says that mode observe writes nothing', async () => {
    api.reader.agent = { ...api.reader.agent, mode: 'observe' };
    expect((await run('status')).out).toContain('Mode observe: nothing is written.');
    expect((await run('plan')).out).toContain('Mode observe: nothing of this is sent.');
    api.reader.plans = { ...PLAN, writes: true };
    expect((await run('plan')).out).not.toContain('observe');
  });

  it('colours only a terminal, and says the same in words', async () => {
    const strip = (text: string) => text.replace(/\u001b\[[0-9;]*m/g, '');
    const plain = await run('ports --switch tor1');
    const coloured = await run('ports --switch tor1', { isTty: true });
    expect(coloured.out).toContain('\u001b[31mVerifyFailed\u001b[39m');
    expect(strip(coloured.out)).toBe(plain.out);
    for (const off of [{ env: { NO_COLOR: '1' } }, { env: { TERM: 'dumb' } }]) {
      const env = { PORTKEEPER_RUNTIME_DIR: api.dir, ...off.env };
      expect((await run('ports --switch tor1', { isTty: true, env })).out).toBe(plain.out);
    }
    expect((await run('ports --switch tor1 --no-color', { isTty: true })).out).toBe(plain.out);
  });

  it('leaves titles away for scripts', async () => {
    const { out } = await run('neighbors --no-headers');
    expect(out.split('\n')[0]).toContain('swp3');
  });
});

describe('--json', () => {
  it.each([
    ['status', '/v1/status'],
    ['ports', '/v1/ports'],
    ['ports --problems --switch tor1', '/v1/ports?problems=1&switch=tor1'],
    ['port tor1:swp3', '/v1/port?name=tor1:swp3'],
    ['ports tor1:swp3', '/v1/port?name=tor1:swp3'],
    ['neighbors', '/v1/neighbors'],
    ['intents', '/v1/intents'],
    ['plan', '/v1/plan'],
    ['events --limit 5', '/v1/events?limit=5'],
  ])('%s is the document of the API', async (line, path) => {
    const { out } = await run(`${line} --json`);
    expect(JSON.parse(out)).toEqual((await http(join(api.dir, 'status.sock'), path)).json);
    expect(ACTIVE.test(out)).toBe(false);
  });

  it('tells a refusal as JSON too', async () => {
    const outcome = await run('port swp1 --json');
    expect(outcome.exit).toBe(64);
    expect(JSON.parse(outcome.out)).toMatchObject({
      error: { reason: 'PortAmbiguous', candidates: expect.any(Array) },
    });
  });
});

describe('port names', () => {
  it('may be long, short, and with the switch in front or beside', async () => {
    for (const line of ['port tor1:swp3', 'port Ethernet1/3', 'port Eth1/3', 'port swp3 --switch tor1', 'ports swp3']) {
      expect((await run(line)).out, line).toContain('tor1 swp3 is NOT RIGHT');
    }
  });

  it('that fit several ports are listed, exit 64', async () => {
    const outcome = await run('port swp1');
    expect(outcome).toMatchObject({ exit: 64, out: '' });
    expect(outcome.err).toContain('  tor1:swp1\n  tor2:swp1\n');
  });

  it('that fit none say what may have been meant, exit 1', async () => {
    const outcome = await run('port tor1:swp522');
    expect(outcome.exit).toBe(1);
    expect(outcome.err).toMatch(/did you mean: .*swp52/);
    expect((await run('ports --switch tor11')).err).toContain('did you mean: tor1');
    expect((await run('port \u001b[2J')).err).not.toContain('\u001b');
  });
});

describe('acting', () => {
  it('asks over the control socket', async () => {
    expect(await run('refresh tor1')).toEqual({ exit: 0, out: 'Switch tor1 was read just now.\n', err: '' });
    expect((await run('reconcile')).out).toContain('Every switch');
    expect(JSON.parse((await run('accept tor2 --json')).out)).toEqual({ done: true, action: 'accept', switch: 'tor2' });
    expect((await run('refresh --switch tor2')).exit).toBe(0);
    expect(api.control.asked).toEqual(['refresh tor1', 'reconcile *', 'accept tor2', 'refresh tor2']);
  });

  it('says why it failed, exit 1', async () => {
    api.control.answer = () => Promise.reject(new Error('tor1 does not answer: no route to host'));
    const outcome = await run('refresh tor1');
    expect(outcome.exit).toBe(1);
    expect(outcome.err).toContain('portkeeper: tor1 does not answer: no route to host\n');
    expect((await run('accept tor9')).exit).toBe(1);
  });

  it('does not act over the socket that only reads, exit 77', async () => {
    const outcome = await run(`refresh --socket ${join(api.dir, 'status.sock')}`);
    expect(outcome.exit).toBe(77);
    expect(outcome.err).toContain('Use control.sock.');
  });
});

describe('events', () => {
  it('shows the newest', async () => {
    api.reader.ring = Array.from({ length: 30 }, (_, i) => event(i + 1));
    expect((await run('events')).out.split('\n')).toHaveLength(21);
    expect((await run('events --limit 1')).out).toBe('2026-03-04 12:00:00Z  link-up           tor1:swp3: event 30\n');
    api.reader.ring = [];
    expect((await run('events')).out).toContain('Nothing has happened');
  });

  it('follows, one object a line with --json, and ends after --limit', async () => {
    const running = run('events -f --limit 2 --json', {
      onOut: () => api.reader.emit(event(4, { message: '\u001b[31m' })),
    });
    while (api.reader.listeners === 0) await new Promise((resolve) => setImmediate(resolve));
    api.reader.emit(event(3));
    const { exit, out } = await running;
    expect(exit).toBe(0);
    const [three, four] = out.trim().split('\n');
    expect(JSON.parse(three ?? '')).toEqual(event(3));
    expect(JSON.parse(four ?? '')).toEqual(event(4, { message: '\u001b[31m' }));
    expect(ACTIVE.test(out)).toBe(false);
  });

  it('comes back to an agent that was restarted, and misses nothing', async () => {
    const first = await runApi();
    let restarted: Promise<void> | null = null;
    const running = cli(['events', '-f', '--limit', '2', '--socket', first.dir], {
      onErr: () => {
        first.reader.ring.push(event(4));
        restarted ??= first.start();
      },
    });
    while (first.reader.listeners === 0) await new Promise((resolve) => setImmediate(resolve));
    first.reader.emit(event(3));
    await first.stop();
    const { exit, out, err } = await running;
    await restarted;
    expect(exit).toBe(0);
    expect(out).toMatch(/event 3\n.*event 4\n$/);
    expect(err).toBe('portkeeper: the agent closed the stream; waiting for it to come back\n');
    await first.close();
  });
});

describe('intents', () => {
  it('shows what was refused and where', async () => {
    api.reader.result = resultDocument({
      state: 'rejected',
      reason: 'Malformed',
      message: 'not what the contract asks for',
      rejectedRevision: 43,
      errors: [{ path: 'attachments["a"].port', message: 'is required' }],
      attachments: {},
    });
    const { out } = await run('intents');
    expect(out).toContain('revision 42: REJECTED');
    expect(out).toContain('refused revision: 43');
    expect(out).toContain('attachments["a"].port: is required');
  });
});
