import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startBroker } from '../../../agent/demo/broker.ts';
import type { AgentDocument, ResultDocument } from '../../../agent/model/report.ts';
import { connectOnce, type OneShot } from '../../../agent/mqtt/one-shot.ts';
import { systemClock } from '../../../drivers/model/clock.ts';
import { cli } from '../../support/cli-run.ts';
import { FakeReader, resultDocument } from '../../support/fake-reader.ts';

const BASE = 'portkeeper/v1/r1';
const PASSWORD = 'correct horse';
const NO_ATTACHMENTS = { pending: 0, applied: 0, held: 0, failed: 0, rejected: 0, withdrawing: 0 };

let broker: Awaited<ReturnType<typeof startBroker>>;
let dir: string;
/** Plays the agent. */
let agent: OneShot;
let intents: { readonly topic: string; readonly payload: string }[];
let answer: (document: { revision: number }) => ResultDocument | null;

const say = (topic: string, document: unknown) =>
  agent.publishRetained(`${BASE}/${topic}`, Buffer.from(document === null ? '' : JSON.stringify(document)));
const agentDocument = (state: AgentDocument['state']) => ({ ...new FakeReader().agent, state });
const applied = (revision: number) =>
  resultDocument({
    revision,
    state: 'applied',
    reason: 'Applied',
    message: '',
    attachments: {},
    counts: NO_ATTACHMENTS,
  });

function publish(line: string, stdin: unknown, env: Readonly<Record<string, string>> = {}) {
  const flags = `--broker ${broker.url} --protocol 3.1.1 --rack r1 --publisher metal3 --username metal3 --password-file ${dir}/password`;
  const text = typeof stdin === 'string' ? stdin : JSON.stringify(stdin);
  return cli(`publish ${flags} ${line}`.split(' '), { stdin: text, env });
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'pk-publish-'));
  await writeFile(join(dir, 'password'), `${PASSWORD}\n`);
  broker = await startBroker({
    login: (username, password) => (username === 'agent' || username === 'metal3') && password === PASSWORD,
    allow: (username, action, topic) =>
      username === 'agent' || action === 'subscribe' || topic === `${BASE}/intent/metal3`,
  });
  agent = await connectOnce({
    config: { url: broker.url, protocol: '3.1.1', username: 'agent' },
    clientId: 'agent',
    credentials: { password: PASSWORD, ca: null, cert: null, key: null },
    clock: systemClock,
    timeoutMs: 5000,
    onMessage: (topic, payload) => {
      if (payload.length === 0) return;
      intents.push({ topic, payload: payload.toString() });
      const result = answer(JSON.parse(payload.toString()));
      if (result !== null) void say('result/metal3', result);
    },
    onLost: () => {},
  });
  await agent.subscribe([`${BASE}/intent/+`]);
});
afterAll(async () => {
  await agent.close();
  await broker.stop();
  await rm(dir, { recursive: true, force: true });
});
beforeEach(async () => {
  intents = [];
  answer = () => null;
  await say('agent', agentDocument('online'));
});
afterEach(async () => {
  await say('result/metal3', null);
  await say('intent/metal3', null);
});

describe('publish', () => {
  it('sends the very bytes, and ends when the broker has them', async () => {
    const text = '{ "revision": 7,\n  "attachments": {} }';
    const outcome = await publish('-', text);
    expect(outcome).toEqual({
      exit: 0,
      out: 'Published revision 7 of metal3 (0 attachments); the broker has confirmed it.\n',
      err: '',
    });
    while (intents.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(intents).toEqual([{ topic: `${BASE}/intent/metal3`, payload: text }]);
  });

  it('reads a file, and waits until it is applied', async () => {
    await writeFile(join(dir, 'intent.json'), JSON.stringify({ revision: 8, attachments: {} }));
    answer = ({ revision }) => applied(revision);
    const outcome = await publish(`${dir}/intent.json --wait`, '');
    expect(outcome.exit).toBe(0);
    expect(outcome.out).toBe('metal3  revision 8: APPLIED (no attachments)\n');
  });

  it('prints a line for each attachment, and ends with 1 when one failed', async () => {
    answer = ({ revision }) => resultDocument({ revision });
    const outcome = await publish('- --wait', { revision: 9, attachments: {} });
    expect(outcome.exit).toBe(1);
    expect(outcome.out).toMatch(/worker-1\/eno1 +tor1:swp1 +applied/);
    expect(outcome.out).toMatch(/worker-3\/eno1 +tor1:swp3 +failed +VerifyFailed/);
    const json = await publish('- --wait --json', { revision: 10, attachments: {} });
    expect(JSON.parse(json.out)).toEqual(resultDocument({ revision: 10 }));
  });

  it('takes the next revision with --revision auto, whatever the file says', async () => {
    await say('result/metal3', applied(41));
    answer = ({ revision }) => applied(revision);
    expect((await publish('- --wait --revision auto', { attachments: {} })).exit).toBe(0);
    expect((await publish('- --wait --revision auto', { revision: 3, attachments: {} })).exit).toBe(0);
    expect(intents.map(({ payload }) => JSON.parse(payload).revision)).toEqual([42, 43]);
  });

  it('begins with revision 1', async () => {
    expect((await publish('- --revision auto', { attachments: {} })).out).toContain('Published revision 1 of metal3');
  });

  it('says when the document was refused by the agent', async () => {
    answer = ({ revision }) =>
      resultDocument({
        revision: null,
        state: 'rejected',
        reason: 'PublisherNotAllowed',
        rejectedRevision: revision,
        attachments: {},
        counts: NO_ATTACHMENTS,
      });
    const outcome = await publish('- --wait', { revision: 1, attachments: {} });
    expect(outcome.exit).toBe(1);
    expect(outcome.out).toContain('PublisherNotAllowed');
  });

  it('takes the result that is there for a document that is there already, from an agent that lives', async () => {
    const document = { revision: 5, attachments: {} };
    await say('intent/metal3', document);
    await say('result/metal3', applied(5));
    expect((await publish('- --wait --timeout 20', document)).exit).toBe(0);
    await say('agent', agentDocument('offline'));
    const offline = await publish('- --wait --timeout 1', document);
    expect(offline).toMatchObject({ exit: 75, out: '', err: expect.stringContaining('the agent is offline') });
  });

  it('ends with 75 when the time is over, and says why', async () => {
    const none = await publish('- --wait --timeout 1', { revision: 1, attachments: {} });
    expect(none.exit).toBe(75);
    expect(none.err).toContain('the agent has not taken it up yet');
    expect(none.err).toContain('the agent is online; or the broker refused the message');
    answer = ({ revision }) =>
      resultDocument({
        revision,
        state: 'pending',
        reason: 'SwitchUnreachable',
        message: 'tor1 does not answer',
        attachments: {
          a: {
            state: 'pending',
            reason: 'SwitchUnreachable',
            message: '',
            switch: 'tor1',
            port: 'swp1',
            changedAt: null,
            verifiedAt: null,
            readBack: null,
          },
        },
        counts: { ...NO_ATTACHMENTS, pending: 1 },
      });
    const pending = await publish('- --wait --timeout 4', { revision: 2, attachments: {} });
    expect(pending.exit).toBe(75);
    expect(pending.err).toContain('why:  SwitchUnreachable: tor1 does not answer');
  });
});

describe('nothing is sent', () => {
  afterEach(() => expect(intents).toEqual([]));

  it.each([
    ['no JSON', '{', 'the document is not valid'],
    ['nothing', '', 'the document is empty'],
    ['a wrong shape', { revision: 1, attachments: { a: { port: {} } } }, 'attachments.a.port.switchId'],
    [
      'a VLAN that is none',
      {
        revision: 1,
        attachments: { a: { port: { switchId: 't', portId: 'p' }, switchport: { mode: 'access', nativeVLAN: 4095 } } },
      },
      'nativeVLAN',
    ],
    ['a name given twice', '{"revision":1,"revision":2,"attachments":{}}', 'revision'],
    ['escapes', { revision: 1, attachments: { '\u001b[2J': {} } }, 'attachments'],
  ])('for %s: exit 1', async (_, stdin, words) => {
    const outcome = await publish('-', stdin);
    expect(outcome).toMatchObject({ exit: 1, out: '' });
    expect(outcome.err).toContain(words);
    expect(outcome.err).not.toContain('\u001b');
  });

  it('for a revision that is older or taken: exit 1', async () => {
    await say('result/metal3', applied(5));
    const older = await publish('-', { revision: 4, attachments: {} });
    expect(older).toMatchObject({ exit: 1, err: expect.stringContaining('older than 5') });
    expect(older.err).toContain('--revision auto');
  });

  it.each([
    ['--timeout x', 64],
    ['--timeout 0', 64],
    ['--revision -1', 64],
    ['--protocol 4', 64],
    ['--prefix a/#', 64],
  ])('for %s: exit %i', async (flags, exit) => {
    expect((await publish(`- ${flags}`, { revision: 1, attachments: {} })).exit).toBe(exit);
  });

  it('without knowing where to: exit 64 or 66', async () => {
    expect((await cli(['publish', '-'])).err).toContain('--publisher NAME');
    expect((await cli(['publish', '-', '--publisher', 'Bad Name', '--broker', 'mqtt://127.0.0.1'])).exit).toBe(64);
    expect((await cli(['publish', '-', '--publisher', 'me', '--broker', 'mqtt://127.0.0.1'])).err).toContain(
      '--rack NAME',
    );
    expect((await cli(['publish', '-', '--publisher', 'me', '--rack', 'r1', '--broker', 'http://x'])).exit).toBe(64);
    expect((await cli(['publish', '-', '--publisher', 'me', '--rack', 'r1', '--broker', 'mqtt://u:p@x'])).exit).toBe(
      64,
    );
    const none = await cli(['publish', '-', '--publisher', 'me'], {
      env: { PORTKEEPER_CONFIG: join(dir, 'none.yaml') },
    });
    expect(none.exit).toBe(66);
    expect(none.err).toContain('--broker URL --rack NAME');
  });

  it('for a file that is not there: exit 66', async () => {
    expect((await publish(`${dir}/none.json`, '')).exit).toBe(66);
    expect((await publish(dir, '')).exit).toBe(66);
  });

  it('when the login is refused: exit 77', async () => {
    await writeFile(join(dir, 'wrong'), 'not-the-password');
    const refused = await publish(`- --password-file ${dir}/wrong`, { revision: 1, attachments: {} });
    expect(refused.exit).toBe(77);
    expect(refused.err).toContain('refuses the login as user "metal3"');
    expect(refused.err + refused.out).not.toContain('not-the-password');
  });

  it('when nothing listens: exit 69', async () => {
    const outcome = await cli(['publish', '-', '--broker', 'mqtt://127.0.0.1:1', '--rack', 'r1', '--publisher', 'me'], {
      stdin: '{"revision":1,"attachments":{}}',
    });
    expect(outcome.exit).toBe(69);
    expect(outcome.err).toContain('nothing listens at mqtt://127.0.0.1:1');
  });
});

describe('the configuration file', () => {
  it('says where the broker is, and how to log in', async () => {
    const file = join(dir, 'portkeeper.yaml');
    await writeFile(
      file,
      `rack: r1\nmqtt:\n  url: ${broker.url}\n  protocol: "3.1.1"\n  username: metal3\n  passwordFile: ${dir}/password\nswitches:\n  tor1:\n    driver: sim\n    host: 127.0.0.1\n    username: admin\n    passwordFile: ${dir}/none\n    trustOnFirstUse: true\n`,
    );
    const stdin = '{"revision":1,"attachments":{}}';
    const outcome = await cli(['publish', '-', '--publisher', 'metal3', '--config', file], { stdin });
    expect(outcome).toMatchObject({ exit: 0, err: '' });
    const bad = join(dir, 'bad.yaml');
    await writeFile(bad, 'rack: R1\n');
    const refused = await cli(['publish', '-', '--publisher', 'metal3', '--config', bad], { stdin });
    expect(refused.exit).toBe(78);
    expect(refused.err).toContain(`type: portkeeper config check ${bad}`);
    // A login for one broker is never shown to another.
    const other = await cli(
      ['publish', '-', '--publisher', 'metal3', '--config', file, '--broker', broker.url, '--protocol', '3.1.1'],
      { stdin },
    );
    expect(other.exit).toBe(77);
  });
});
